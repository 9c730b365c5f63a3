//! Parses what follows the program: `locations`, `filter` and the condition.

use crate::condition::Quantifier;
use crate::diag::{Diagnostic, nearest};
use crate::source::{SourceId, Span};

use super::ast::{Atom, Fault, Final, Item, Prop, Side};
use super::cursor::{Cursor, Parsed};
use super::lex::{Token, lex};

/// Parses bytes `from..to` of `text`.
pub fn fin(text: &str, from: usize, to: usize, source: SourceId) -> Parsed<Final> {
    let lexemes = lex(text, from, to, source)?;
    let cursor = &mut Cursor::new(text, &lexemes, "the condition");
    let mut locations = Vec::new();
    let mut filter = None;
    let mut filter_span = None;
    loop {
        if cursor.eat_word("locations") {
            locations.extend(items(cursor)?);
        } else if cursor.is_word("filter") && filter.is_none() {
            let start = cursor.span();
            cursor.bump();
            filter = Some(prop(cursor)?);
            filter_span = Some(cursor.since(start));
        } else {
            break;
        }
        cursor.eat(";");
    }
    let start = cursor.span();
    let is_there = *cursor.peek() != Token::End && !cursor.is_sym(0, ";") && !cursor.is_word("with");
    let (quantifier, prop) = condition(cursor)?;
    let condition_span = is_there.then(|| cursor.since(start));
    while cursor.eat(";") {}
    if cursor.is_word("with") {
        skip_with(cursor)?;
    }
    if *cursor.peek() == Token::End {
        return Ok(Final { locations, filter, quantifier, prop, condition_span, filter_span });
    }
    Err(trailing(cursor))
}

/// The complaint about text after the condition.
fn trailing(cursor: &Cursor) -> Box<Diagnostic> {
    let error = cursor.unexpected("the end of the test");
    let words = ["locations", "filter", "exists", "forall"];
    match cursor.peek() {
        Token::Name(word) if words.contains(&word.as_str()) => {
            Box::new(error.help("the order is `locations`, `filter`, then the condition"))
        }
        _ => error,
    }
}

/// The condition; none at all says `forall true`.
fn condition(cursor: &mut Cursor) -> Parsed<(Quantifier, Prop)> {
    let negated = cursor.is_sym(0, "~") && matches!(cursor.peek_at(1), Token::Name(word) if word == "exists")
        || cursor.is_word("not") && matches!(cursor.peek_at(1), Token::Name(word) if word == "exists");
    if negated {
        cursor.bump();
        cursor.bump();
        return Ok((Quantifier::NotExists, prop(cursor)?));
    }
    let Token::Name(word) = cursor.peek() else {
        // A bare proposition is allowed after `locations`.
        let bare = *cursor.peek() != Token::End && !cursor.is_sym(0, ";");
        return if bare {
            Ok((Quantifier::Exists, prop(cursor)?))
        } else {
            Ok((Quantifier::Forall, Prop::True))
        };
    };
    match word.as_str() {
        "exists" | "final" => {
            cursor.bump();
            Ok((Quantifier::Exists, prop(cursor)?))
        }
        "forall" => {
            cursor.bump();
            Ok((Quantifier::Forall, prop(cursor)?))
        }
        "observed" | "Observed" => {
            cursor.bump();
            Ok((Quantifier::Exists, observed(cursor)?))
        }
        "cases" => Err(Box::new(
            Diagnostic::unsupported("litmus::cases", "`cases` is not supported").at(cursor.span(), "here"),
        )),
        "with" => Ok((Quantifier::Forall, Prop::True)),
        _ => {
            let known = ["exists", "forall", "final", "observed", "locations", "filter"];
            let error = cursor.unexpected("`exists`, `~exists` or `forall`");
            Err(match nearest(word, known) {
                Some(near) => Box::new(error.help(format!("did you mean `{near}`?"))),
                None => error,
            })
        }
    }
}

/// `a; b; and c;`: a disjunction of conjunctions.
fn observed(cursor: &mut Cursor) -> Parsed<Prop> {
    let mut cases = Vec::new();
    loop {
        let mut atoms = Vec::new();
        while *cursor.peek() != Token::End && !cursor.is_word("and") && !cursor.is_word("with") {
            atoms.push(primary(cursor)?);
            if !cursor.eat(";") {
                break;
            }
        }
        cases.push(one_or(atoms, Prop::True, Prop::And));
        if !cursor.eat_word("and") {
            return Ok(one_or(cases, Prop::False, Prop::Or));
        }
    }
}

/// `with tso: ~exists; …` says what other models make of the test: dropped.
fn skip_with(cursor: &mut Cursor) -> Parsed<()> {
    cursor.bump();
    while matches!(cursor.peek(), Token::Name(_)) {
        cursor.bump();
        cursor.expect(":")?;
        cursor.eat("~");
        if !(cursor.eat_word("exists") || cursor.eat_word("forall") || cursor.eat_word("final")) {
            return Err(cursor.unexpected("`exists`, `~exists` or `forall`"));
        }
        while cursor.eat(";") {}
    }
    Ok(())
}

/// `[x; 0:R1; v[1];]`.
fn items(cursor: &mut Cursor) -> Parsed<Vec<Item>> {
    cursor.expect("[")?;
    let mut items = Vec::new();
    while !cursor.eat("]") {
        let start = cursor.span();
        if let Some(fault) = fault(cursor)? {
            items.push(Item::Fault(fault, cursor.since(start)));
        } else {
            let loc = cursor.loc(true)?;
            items.push(Item::Loc(loc, cursor.since(start)));
            // A type after the location changes nothing.
            if matches!(cursor.peek(), Token::Name(_)) {
                cursor.bump();
            }
            cursor.eat("*");
        }
        if cursor.eat(";") || cursor.is_sym(0, "]") {
            continue;
        }
        return Err(cursor.unexpected("`;` or `]`"));
    }
    Ok(items)
}

/// A proposition; loosest first: `\/`, `/\`, `=>`, `not`.
fn prop(cursor: &mut Cursor) -> Parsed<Prop> {
    let mut parts = vec![conjunction(cursor)?];
    while cursor.eat("\\/") {
        parts.push(conjunction(cursor)?);
    }
    Ok(one_or(parts, Prop::False, Prop::Or))
}

fn conjunction(cursor: &mut Cursor) -> Parsed<Prop> {
    let mut parts = vec![implication(cursor)?];
    while cursor.eat("/\\") {
        parts.push(implication(cursor)?);
    }
    Ok(one_or(parts, Prop::True, Prop::And))
}

fn implication(cursor: &mut Cursor) -> Parsed<Prop> {
    let left = primary(cursor)?;
    if !cursor.eat("=>") {
        return Ok(left);
    }
    cursor.deeper(MAX_DEPTH)?;
    let right = implication(cursor)?;
    cursor.shallower();
    Ok(Prop::Implies(Box::new(left), Box::new(right)))
}

/// Deepest nesting of parentheses and negations: a limit on the parser's stack, far beyond any real test.
const MAX_DEPTH: usize = 150;

fn primary(cursor: &mut Cursor) -> Parsed<Prop> {
    cursor.deeper(MAX_DEPTH)?;
    let result = primary_inner(cursor);
    cursor.shallower();
    result
}

fn primary_inner(cursor: &mut Cursor) -> Parsed<Prop> {
    if cursor.eat("~") || cursor.eat_word("not") {
        return Ok(Prop::Not(Box::new(primary(cursor)?)));
    }
    if cursor.eat("(") {
        let inner = prop(cursor)?;
        cursor.expect(")")?;
        return Ok(inner);
    }
    if cursor.eat_word("true") {
        return Ok(Prop::True);
    }
    if cursor.eat_word("false") {
        return Ok(Prop::False);
    }
    let start = cursor.span();
    if let Some(fault) = fault(cursor)? {
        return Ok(Prop::Fault(fault, cursor.since(start)));
    }
    atom(cursor, start)
}

fn atom(cursor: &mut Cursor, start: Span) -> Parsed<Prop> {
    let left = cursor.loc(true)?;
    let left_span = cursor.since(start);
    let negated = match cursor.peek() {
        Token::Sym("=" | "==") => false,
        Token::Sym("!=" | "<>") => true,
        _ => return Err(cursor.unexpected("`=` or `!=`")),
    };
    cursor.bump();
    let right_start = cursor.span();
    let right = side(cursor)?;
    let atom = Prop::Atom(Atom { left, left_span, right, right_span: cursor.since(right_start) });
    Ok(if negated { Prop::Not(Box::new(atom)) } else { atom })
}

/// The right side of an atom.
fn side(cursor: &mut Cursor) -> Parsed<Side> {
    if cursor.eat("{") {
        let mut values = Vec::new();
        while !cursor.eat("}") {
            values.push(cursor.value()?);
            if !cursor.is_sym(0, "}") {
                cursor.expect(",")?;
            }
        }
        return Ok(Side::Array(values));
    }
    if cursor.at_thread() || cursor.is_sym(0, "[") {
        return Ok(Side::Loc(cursor.loc(true)?));
    }
    if cursor.eat("*") {
        return Ok(Side::Loc(cursor.loc(false)?));
    }
    if cursor.is_word("parel1_t") && cursor.is_sym(1, ":") {
        cursor.bump();
        cursor.bump();
        let inner = cursor.balanced()?;
        return Ok(Side::Const(super::ast::Const::Special(format!("parel1_t:({inner})"))));
    }
    if cursor.is_sym(0, "(") {
        return Ok(Side::Const(super::ast::Const::Special(format!("({})", cursor.balanced()?))));
    }
    Ok(Side::Const(cursor.value()?))
}

/// `fault(P0:L0,x,MMU:Translation)`, if that stands here.
fn fault(cursor: &mut Cursor) -> Parsed<Option<Fault>> {
    if !(cursor.is_word("fault") || cursor.is_word("Fault")) {
        return Ok(None);
    }
    cursor.bump();
    cursor.expect("(")?;
    let mut fault = Fault { thread: cursor.thread()?, label: None, loc: None, kind: None };
    if cursor.eat(":") {
        fault.label = Some(cursor.name("a label")?);
    }
    while cursor.eat(",") {
        let start = cursor.span();
        while !matches!(cursor.peek(), Token::End | Token::Sym("," | ")")) {
            if cursor.is_sym(0, "(") {
                cursor.balanced()?;
            } else {
                cursor.bump();
            }
        }
        let text = cursor.text(cursor.since(start)).to_string();
        const KINDS: [&str; 7] =
            ["MMU", "TagCheck", "PacCheck", "GCS", "UndefinedInstruction", "SupervisorCall", "I-MMU"];
        let kind = KINDS.iter().any(|kind| text.starts_with(kind)) || text.starts_with("D-MMU");
        if kind || fault.loc.is_some() {
            fault.kind = Some(text);
        } else {
            // Page table entries have three names, of which states show one.
            fault.loc = Some(match text.strip_prefix("pte_") {
                Some(name) => format!("PTE({name})"),
                None => text.replace("TTD(", "PTE(").replace(' ', ""),
            });
        }
    }
    cursor.expect(")")?;
    Ok(Some(fault))
}

/// The only one of them, or all of them under `many`.
fn one_or(mut parts: Vec<Prop>, none: Prop, many: fn(Vec<Prop>) -> Prop) -> Prop {
    match parts.len() {
        0 => none,
        1 => parts.remove(0),
        _ => many(parts),
    }
}
