//! From tokens to a typed tree.

mod builtins;
mod constant;
mod convert;
mod declare;
mod expr;
mod init;
mod library;
mod link;
mod primary;
mod redeclare;
mod specifiers;
mod stmt;
mod unit;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::tree::{Expr, Life, Unit, Variable};
use super::types::{IntTy, Ty};
use crate::arch::c::preprocess::{Kind, Token};
use crate::diag::Diagnostic;
use crate::source::{SourceId, Sources, Span};

/// Statements, expressions and types nested deeper than this are refused.
const MAX_DEPTH: usize = 100;

/// Parses a whole program, which may be made of several files.
///
/// What functions of the library do that it only declares, or calls without a declaration, is taken from our headers.
///
/// # Errors
/// Everything wrong with it, one statement or declaration at a time.
pub fn parse(files: Vec<Vec<Token>>, sources: &mut Sources) -> Result<Unit, Vec<Diagnostic>> {
    let several = files.len() > 1;
    let mut parser = Parser {
        tokens: Vec::new(),
        at: 0,
        known: HashMap::new(),
        defined: HashMap::new(),
        defined_here: HashSet::new(),
        first_record: 0,
        unit: Unit::default(),
        scopes: vec![HashMap::new()],
        tags: vec![HashMap::new()],
        function: None,
        depth: 0,
        errors: Vec::new(),
        computed_lengths: Vec::new(),
        computed_sizes: HashMap::new(),
        is_parameter: false,
        in_parameters: 0,
        lengths_of_parameters: Vec::new(),
        cleanup: None,
        ours: ours(sources),
        is_library: false,
        used: HashSet::new(),
        undeclared: Vec::new(),
    };
    for tokens in files {
        parser.begin_file(tokens);
        parser.unit();
    }
    if several {
        // What the last file calls by some name is nothing to the library.
        parser.begin_file(Vec::new());
    }
    if parser.errors.is_empty() {
        parser.library(sources);
    }
    match parser.errors.is_empty() {
        true => Ok(parser.unit),
        false => Err(parser.errors),
    }
}

/// What a name means.
#[derive(Clone, Debug)]
enum Entity {
    /// A type, and where it got that name.
    Type(Ty, Span),
    Variable(usize),
    Function(usize),
    /// A number, and where it got that name.
    Constant(i128, Span),
}

/// A function or a variable, by its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Object {
    Function(usize),
    Variable(usize),
}

/// What a tag means.
#[derive(Clone, Copy, Debug)]
enum Tag {
    /// A structure or union, and where it was named.
    Record(usize, Span),
    /// An enumeration, with the type of its objects, and where it was named.
    Enum(IntTy, Span),
}

/// The function being parsed.
#[derive(Clone, Debug)]
struct Current {
    name: String,
    result: Ty,
    /// Its labels, and where they stand.
    labels: HashMap<Arc<str>, Span>,
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    /// What all files mean by a name: functions and variables that are not `static`.
    known: HashMap<Arc<str>, Entity>,
    /// Variables that a file defines, and where.
    defined: HashMap<usize, Span>,
    /// Functions and variables that the file which is read now defines.
    defined_here: HashSet<Object>,
    /// The first structure of that file.
    first_record: usize,
    unit: Unit,
    scopes: Vec<HashMap<Arc<str>, Entity>>,
    tags: Vec<HashMap<Arc<str>, Tag>>,
    function: Option<Current>,
    depth: usize,
    errors: Vec<Diagnostic>,
    /// The lengths of arrays in the declarator that was read last which are no constants, the innermost first.
    computed_lengths: Vec<Expr>,
    /// For arrays of such a length: the variables that know their sizes.
    computed_sizes: HashMap<usize, usize>,
    /// Is the next array one that is a parameter, so that its length says nothing?
    is_parameter: bool,
    /// Inside the declaration of a parameter: one more than its number.
    in_parameters: usize,
    /// The lengths of arrays inside the parameters that were read last which are no constants: the tokens of each, by parameter.
    lengths_of_parameters: Vec<(usize, Vec<Token>)>,
    /// `__attribute__((cleanup(f)))`: the function that was named last, and where.
    cleanup: Option<(Arc<str>, Span)>,
    /// The files that are headers of ours.
    ours: HashSet<SourceId>,
    /// Is what is read now a header that the program did not ask for?
    is_library: bool,
    /// Functions that are called, or are values.
    used: HashSet<usize>,
    /// Functions that were called before anybody declared them, and where.
    undeclared: Vec<(usize, Span)>,
}

/// The files that are headers of ours.
fn ours(sources: &Sources) -> HashSet<SourceId> {
    sources.iter().filter(|(_, source)| source.name.starts_with('<')).map(|(id, _)| id).collect()
}

type Parsed<T> = Result<T, Diagnostic>;

impl Parser {
    fn peek(&self) -> &Token {
        self.ahead(0)
    }

    fn ahead(&self, n: usize) -> &Token {
        self.tokens.get(self.at + n).unwrap_or(&self.tokens[self.tokens.len() - 1])
    }

    fn is(&self, text: &str) -> bool {
        self.peek().is(text)
    }

    fn bump(&mut self) -> Token {
        crate::limits::poll();
        let token = self.peek().clone();
        if token.kind != Kind::End {
            self.at += 1;
        }
        token
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.is(text);
        if found {
            self.at += 1;
        }
        found
    }

    fn expect(&mut self, text: &str, place: &str) -> Parsed<Span> {
        let span = self.peek().span;
        if self.eat(text) {
            return Ok(span);
        }
        Err(self.unexpected(&format!("`{text}` {place}")))
    }

    fn unexpected(&self, wanted: &str) -> Diagnostic {
        let token = self.peek();
        let found = match token.kind {
            Kind::End => "the end of the file".to_string(),
            _ => format!("`{}`", token.text),
        };
        Diagnostic::error("c::syntax", format!("expected {wanted}, found {found}")).at(token.span, "here")
    }

    fn span(&self) -> Span {
        self.peek().span
    }

    /// How many braces that were opened since then are open still.
    fn braces_since(&self, from: usize) -> i32 {
        let passed = self.tokens[from..self.at].iter();
        passed.fold(0, |open, token| match &*token.text {
            "{" => open + 1,
            "}" => (open - 1).max(0),
            _ => open,
        })
    }

    /// From there to the token before this one.
    fn since(&self, start: Span) -> Span {
        match self.at.checked_sub(1) {
            Some(last) => start.to(self.tokens[last].span),
            None => start,
        }
    }

    /// One level deeper; too deep is refused.
    fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return Err(
                Diagnostic::unsupported("c::nesting", "this is nested too deeply").at(self.span(), "here")
            );
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        result
    }

    fn enter(&mut self) {
        self.scopes.push(HashMap::new());
        self.tags.push(HashMap::new());
    }

    fn leave(&mut self) {
        self.scopes.pop();
        self.tags.pop();
    }

    fn find(&self, name: &str) -> Option<&Entity> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name))
    }

    fn define(&mut self, name: &Arc<str>, entity: Entity) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(Arc::clone(name), entity);
        }
    }

    fn variable(&mut self, name: &str, ty: Ty, life: Life, span: Span) -> usize {
        let name = name.to_string();
        self.unit.variables.push(Variable {
            name,
            ty,
            span,
            life,
            init: None,
            addressed: false,
            escapes: false,
        });
        self.unit.variables.len() - 1
    }

    fn size_of(&self, ty: &Ty, span: Span) -> Parsed<u64> {
        ty.size(&self.unit.records).ok_or_else(|| {
            Diagnostic::error("c::incomplete", format!("`{}` has no size here", self.describe(ty)))
                .at(span, "needs it")
        })
    }

    /// No object is `void`.
    fn holds_something(&self, ty: &Ty, span: Span) -> Parsed<()> {
        match ty.plain() {
            Ty::Void => {
                let none = Diagnostic::error("c::incomplete", "a variable of type `void` holds nothing");
                Err(none.at(span, "this one"))
            }
            _ => Ok(()),
        }
    }

    fn describe(&self, ty: &Ty) -> String {
        ty.describe(&self.unit.records)
    }
}
