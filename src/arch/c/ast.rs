//! The syntax tree of the C of litmus tests.

use super::types::CType;
use crate::source::Span;

/// Everything in the program region of a test.
#[derive(Clone, Debug, Default)]
pub struct Unit {
    /// `P0`, `P1`, … in the order of the text.
    pub threads: Vec<ThreadFn>,
    /// Other functions: inlined where they are called.
    pub helpers: Vec<Helper>,
    /// Variables declared outside every function.
    pub globals: Vec<Declarator>,
    /// `regions:` entries: global and region.
    pub regions: Vec<(String, String)>,
}

/// A thread.
#[derive(Clone, Debug)]
pub struct ThreadFn {
    /// Its number.
    pub index: usize,
    /// The name.
    pub span: Span,
    /// Its parameters: globals, by their address.
    pub params: Vec<Param>,
    /// What it does.
    pub body: Vec<Stmt>,
    /// The text between its braces, exactly as written.
    pub body_span: Span,
}

/// A function that threads call.
#[derive(Clone, Debug)]
pub struct Helper {
    /// Its name.
    pub name: String,
    /// Where it is named.
    pub span: Span,
    /// What it returns.
    pub result: CType,
    /// Its parameters.
    pub params: Vec<Param>,
    /// What it does.
    pub body: Vec<Stmt>,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: CType,
    /// The type as herd7 prints it in a test's hash.
    pub type_text: String,
    /// Where it is named.
    pub span: Span,
}

/// `int x = 1` without the semicolon.
#[derive(Clone, Debug)]
pub struct Declarator {
    /// The name.
    pub name: String,
    /// Its type.
    pub ty: CType,
    /// Its initial value.
    pub init: Option<Init>,
    /// Does it outlive its block?
    pub is_static: bool,
    /// Where it is named.
    pub span: Span,
}

/// An initial value.
#[derive(Clone, Debug)]
pub enum Init {
    /// `= e`.
    Value(Expr),
    /// `= { e, e }`.
    List(Vec<Expr>, Span),
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Where.
    pub span: Span,
}

/// Kinds of statements.
#[derive(Clone, Debug)]
pub enum StmtKind {
    Empty,
    Decl(Vec<Declarator>),
    Expr(Expr),
    Block(Vec<Stmt>),
    If(Expr, Box<Stmt>, Option<Box<Stmt>>),
    While(Expr, Box<Stmt>),
    DoWhile(Box<Stmt>, Expr),
    For(Option<Box<Stmt>>, Option<Expr>, Option<Expr>, Box<Stmt>),
    Switch(Expr, Box<Stmt>),
    /// `case e:`; `None` is `default:`. The statement labelled follows in the block.
    Case(Option<Expr>),
    Label(String),
    Goto(String),
    Break,
    Continue,
    Return(Option<Expr>),
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where.
    pub span: Span,
}

/// Kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    Int {
        value: i128,
        ty: CType,
    },
    Name(String),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `&&` and `||`.
    Logical(Logical, Box<Expr>, Box<Expr>),
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `=`, or `+=` and the like.
    Assign(Option<BinaryOp>, Box<Expr>, Box<Expr>),
    /// `++` and `--`.
    Step {
        op: BinaryOp,
        prefix: bool,
        operand: Box<Expr>,
    },
    Cast(CType, Box<Expr>),
    SizeOf(CType),
    SizeOfExpr(Box<Expr>),
    Index(Box<Expr>, Box<Expr>),
    Comma(Box<Expr>, Box<Expr>),
    /// A function or macro by name.
    Call {
        name: String,
        name_span: Span,
        args: Vec<Expr>,
    },
    /// What `.def` files are made of: `__load{ONCE}(*x)`.
    Intrinsic(IntrinsicCall),
}

/// A call of an intrinsic.
#[derive(Clone, Debug)]
pub struct IntrinsicCall {
    /// Which.
    pub kind: Intrinsic,
    /// The names between braces, in order.
    pub annots: Vec<String>,
    /// The operator of `__atomic_op` and its like.
    pub op: Option<BinaryOp>,
    /// Its arguments.
    pub args: Vec<Expr>,
}

/// The intrinsics.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Intrinsic {
    Load,
    Store,
    Fence,
    Xchg,
    CmpXchg,
    /// No result.
    AtomicOp,
    /// Returns the new value.
    AtomicOpReturn,
    /// Returns the old value.
    AtomicFetchOp,
    AtomicAddUnless,
    Lock,
    Unlock,
    TryLock,
    IsLocked,
    Srcu,
}

impl Intrinsic {
    /// All of them, with their names.
    pub const ALL: [(&'static str, Intrinsic); 14] = [
        ("__load", Intrinsic::Load),
        ("__store", Intrinsic::Store),
        ("__fence", Intrinsic::Fence),
        ("__xchg", Intrinsic::Xchg),
        ("__cmpxchg", Intrinsic::CmpXchg),
        ("__atomic_op", Intrinsic::AtomicOp),
        ("__atomic_op_return", Intrinsic::AtomicOpReturn),
        ("__atomic_fetch_op", Intrinsic::AtomicFetchOp),
        ("__atomic_add_unless", Intrinsic::AtomicAddUnless),
        ("__lock", Intrinsic::Lock),
        ("__unlock", Intrinsic::Unlock),
        ("__trylock", Intrinsic::TryLock),
        ("__islocked", Intrinsic::IsLocked),
        ("__srcu", Intrinsic::Srcu),
    ];

    /// By name.
    pub fn parse(name: &str) -> Option<Intrinsic> {
        Intrinsic::ALL.into_iter().find(|(text, _)| *text == name).map(|(_, kind)| kind)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Intrinsic::ALL.into_iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }

    /// How many arguments it takes (least and most), the operator not counted.
    pub fn arity(self) -> (usize, usize) {
        match self {
            Intrinsic::Fence => (0, 0),
            Intrinsic::Load
            | Intrinsic::Lock
            | Intrinsic::Unlock
            | Intrinsic::TryLock
            | Intrinsic::IsLocked => (1, 1),
            Intrinsic::Store
            | Intrinsic::Xchg
            | Intrinsic::AtomicOp
            | Intrinsic::AtomicOpReturn
            | Intrinsic::AtomicFetchOp => (2, 2),
            Intrinsic::CmpXchg | Intrinsic::AtomicAddUnless => (3, 3),
            Intrinsic::Srcu => (1, 2),
        }
    }

    /// Does its second argument name an operator?
    pub fn has_operator(self) -> bool {
        matches!(self, Intrinsic::AtomicOp | Intrinsic::AtomicOpReturn | Intrinsic::AtomicFetchOp)
    }
}

/// Prefix operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    Plus,
    Neg,
    /// `!`
    Not,
    /// `~`
    Complement,
    Deref,
    AddressOf,
}

/// Infix operators that evaluate both operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    /// `&~`, only in `__atomic_op` and its like.
    AndNot,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl BinaryOp {
    /// Gives 0 or 1?
    pub fn is_comparison(self) -> bool {
        matches!(
            self,
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge
        )
    }

    /// As it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
            BinaryOp::And => "&",
            BinaryOp::Or => "|",
            BinaryOp::Xor => "^",
            BinaryOp::AndNot => "&~",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
        }
    }
}

/// The operators that may leave their right operand alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Logical {
    And,
    Or,
}
