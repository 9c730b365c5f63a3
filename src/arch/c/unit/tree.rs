//! A C file after parsing: names are resolved, every expression has its type, conversions are written out.

use super::types::{FunctionTy, Record, Ty};
use crate::source::Span;

/// A whole program.
#[derive(Clone, Debug, Default)]
pub struct Unit {
    /// Structures and unions.
    pub records: Vec<Record>,
    /// Variables, of all functions and of none.
    pub variables: Vec<Variable>,
    /// Does it make mutexes of another kind than the usual one, without a call?
    pub has_kinds: bool,
    /// Functions, defined or only declared.
    pub functions: Vec<Function>,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name; of a static local, with its function before it.
    pub name: String,
    /// Its type.
    pub ty: Ty,
    /// Where it is declared.
    pub span: Span,
    /// How long it lives.
    pub life: Life,
    /// Its initial value: parts of the object. What is not told is zero, if anything is told or the object is static.
    pub init: Option<Vec<Part>>,
    /// Is its address taken, so that it must be in memory?
    pub addressed: bool,
    /// Can its address get out of the function?
    pub escapes: bool,
}

/// How long a variable lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Life {
    /// As long as the program.
    Static,
    /// As long as its thread.
    Thread,
    /// As long as its block.
    Block,
}

/// One scalar (or one whole structure) of an initial value.
#[derive(Clone, Debug)]
pub struct Part {
    /// Bytes from the start of the object.
    pub offset: u64,
    /// Its type.
    pub ty: Ty,
    /// Of a bit-field: which bits.
    pub bits: Option<(u8, u8)>,
    /// The value.
    pub value: Expr,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Where it is named.
    pub span: Span,
    /// What it gives.
    pub result: Ty,
    /// Its parameters, as variables.
    pub params: Vec<usize>,
    /// What it does, if that is told.
    pub body: Option<Vec<Stmt>>,
    /// Its type.
    pub types: std::rc::Rc<FunctionTy>,
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
    Expr(Expr),
    /// A variable of this block comes to life.
    Declare(usize),
    /// What is done when the block is left.
    Cleanup(Expr),
    Block(Vec<Stmt>),
    If(Expr, Box<Stmt>, Option<Box<Stmt>>),
    While(Expr, Box<Stmt>),
    DoWhile(Box<Stmt>, Expr),
    For(Vec<Stmt>, Option<Expr>, Option<Expr>, Box<Stmt>),
    Switch(Expr, Box<Stmt>),
    /// `case a:`, `case a ... b:` or, without values, `default:`.
    Case(Option<(i128, i128)>),
    Label(String),
    Goto(String),
    Break,
    Continue,
    Return(Option<Expr>),
}

/// An expression. Arrays and functions as values have been made pointers.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its type.
    pub ty: Ty,
    /// Where.
    pub span: Span,
}

/// Kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    Int(i128),
    /// The address of a function.
    Function(usize),
    Var(usize),
    /// What a pointer points at.
    Deref(Box<Expr>),
    /// The address of an object; also an array as a value.
    AddressOf(Box<Expr>),
    /// Bytes from the start of an object, and which bits.
    Member(Box<Expr>, u64, Option<(u8, u8)>),
    Neg(Box<Expr>),
    Not(Box<Expr>),
    Complement(Box<Expr>),
    /// Operands have the type in which the operator works. Pointers move by bytes.
    Binary(Operator, Box<Expr>, Box<Expr>),
    /// `&&` if `true`, `||` if not.
    Logical(bool, Box<Expr>, Box<Expr>),
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    Assign(Box<Expr>, Box<Expr>),
    /// `a += b`: the operator works in that type; the right side has it, or is a number of bytes.
    Update {
        op: Operator,
        target: Box<Expr>,
        value: Box<Expr>,
        work: Ty,
        old: bool,
    },
    Cast(Box<Expr>),
    Comma(Box<Expr>, Box<Expr>),
    Call(Box<Expr>, Vec<Expr>),
    /// A function that is part of the language, by name.
    Builtin(&'static str, Vec<Expr>),
    /// `({ … })`.
    Statements(Vec<Stmt>),
    /// `(T){ … }`: a variable without a name comes to life.
    Literal(usize),
}

/// Operators on two numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operator {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Operator {
    /// Gives 0 or 1?
    pub fn compares(self) -> bool {
        matches!(
            self,
            Operator::Eq | Operator::Ne | Operator::Lt | Operator::Le | Operator::Gt | Operator::Ge
        )
    }
}

impl Expr {
    /// A number.
    pub fn int(value: i128, ty: Ty, span: Span) -> Expr {
        Expr { kind: ExprKind::Int(value), ty, span }
    }

    /// Does it name an object?
    pub fn is_object(&self) -> bool {
        match &self.kind {
            ExprKind::Var(_) | ExprKind::Deref(_) | ExprKind::Literal(_) => true,
            ExprKind::Member(inner, ..) => inner.is_object(),
            _ => false,
        }
    }
}
