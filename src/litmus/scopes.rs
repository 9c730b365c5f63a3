//! Parses `scopes:`, `levels:` and `regions:`.

use crate::source::SourceId;

use super::cursor::{Cursor, Parsed};
use super::lex::{Token, lex};
use crate::program::ScopeTree;

/// The words that open these sections, each followed by `:`.
pub const WORDS: [&str; 3] = ["scopes", "levels", "regions"];

/// What stands between the program and the final part.
#[derive(Clone, Default, Debug)]
pub struct Extras {
    /// `scopes:` trees.
    pub scopes: Vec<ScopeTree>,
    /// `levels:` trees.
    pub levels: Vec<ScopeTree>,
    /// `regions:` entries: global and region.
    pub regions: Vec<(String, String)>,
}

/// Parses bytes `from..to` of `text`.
pub fn extras(text: &str, from: usize, to: usize, source: SourceId) -> Parsed<Extras> {
    let lexemes = lex(text, from, to, source)?;
    let cursor = &mut Cursor::new(text, &lexemes, "the scopes");
    let mut extras = Extras::default();
    loop {
        if cursor.eat_word("scopes") {
            cursor.expect(":")?;
            trees(cursor, &mut extras.scopes)?;
        } else if cursor.eat_word("levels") {
            cursor.expect(":")?;
            trees(cursor, &mut extras.levels)?;
        } else if cursor.eat_word("regions") {
            cursor.expect(":")?;
            regions(cursor, &mut extras.regions)?;
        } else if *cursor.peek() == Token::End {
            return Ok(extras);
        } else {
            return Err(cursor.unexpected("`scopes:`, `levels:`, `regions:` or the condition"));
        }
        while cursor.eat(";") {}
    }
}

fn trees(cursor: &mut Cursor, trees: &mut Vec<ScopeTree>) -> Parsed<()> {
    while cursor.is_sym(0, "(") {
        trees.push(tree(cursor)?);
    }
    Ok(())
}

/// `(name child …)`; a child is a tree or a thread.
fn tree(cursor: &mut Cursor) -> Parsed<ScopeTree> {
    cursor.deeper(100)?;
    cursor.expect("(")?;
    let Token::Name(name) = cursor.peek() else { return Err(cursor.unexpected("a scope's name")) };
    cursor.bump();
    let mut node = ScopeTree { name: name.clone(), children: Vec::new(), threads: Vec::new() };
    while !cursor.eat(")") {
        if cursor.is_sym(0, "(") {
            node.children.push(tree(cursor)?);
        } else {
            node.threads.push(cursor.thread()?);
        }
    }
    cursor.shallower();
    Ok(node)
}

/// `x: region, y: region`.
fn regions(cursor: &mut Cursor, regions: &mut Vec<(String, String)>) -> Parsed<()> {
    loop {
        let global = cursor.name("a location")?;
        cursor.expect(":")?;
        while let Token::Name(region) = cursor.peek() {
            regions.push((global.clone(), region.clone()));
            cursor.bump();
        }
        if !cursor.eat(",") {
            return Ok(());
        }
    }
}
