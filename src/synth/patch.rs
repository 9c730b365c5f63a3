//! Changes of a program's text: a fence put before an access, or an access made stronger.

use std::ops::Range;

use super::dependency;
use super::places::{Access, Places};
use super::statements::Slot;
use super::vocabulary::{Form, Stands, Stronger, Vocabulary};
use crate::source::Span;

/// A change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// The thread.
    pub thread: usize,
    /// The access before which a fence goes, or which becomes stronger: its number among the accesses of the thread.
    pub access: usize,
    /// The place of that access.
    pub span: Span,
    /// What is done.
    pub what: What,
    /// What it is called in a list of prices.
    pub name: &'static str,
    /// What it costs.
    pub cost: u32,
}

/// What is done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum What {
    /// This goes before the access, at that place of the text.
    Insert {
        /// The fence.
        fence: &'static str,
        /// The place.
        slot: Slot,
        /// It goes after the access instead.
        after: bool,
    },
    /// This text takes the place of another.
    Replace {
        /// The new text.
        new: String,
        /// Where the old one stands.
        at: Range<usize>,
        /// What it adds to the access (see [`Stronger`]).
        adds: u8,
        /// The text that stands for two such changes that add different things.
        joined: Option<&'static str>,
    },
    /// The access depends on an earlier read.
    Depend {
        /// What goes before it, a line each; `%a` is what the access is based on.
        lines: String,
        /// What it is then based on.
        base: Option<String>,
        /// A label of the access itself.
        label: Option<String>,
        /// Where the access stands.
        at: usize,
    },
    /// The write does not wait in a buffer.
    Atomic {
        /// The cell; whichever it writes to if that is known only at run time.
        cell: Option<usize>,
        /// Its number among the writes of the thread.
        write: usize,
    },
}

impl What {
    /// The text of an access that is made to depend on a read.
    pub fn dependent(&self, own: &str) -> Option<String> {
        match self {
            What::Depend { lines, base, label, .. } => {
                Some(dependency::rest_on(own, lines, base.as_deref(), label.as_deref()))
            }
            _ => None,
        }
    }

    /// Is the text that comes out the same?
    fn same_as(&self, other: &What) -> bool {
        match (self, other) {
            (What::Insert { fence: a, slot: x, .. }, What::Insert { fence: b, slot: y, .. }) => {
                (a, x.at) == (b, y.at)
            }
            _ => self == other,
        }
    }
}

impl Change {
    /// Does the change do nothing where another has been made?
    pub fn covered_by(&self, others: &[&Change]) -> bool {
        others.contains(&self)
            || match &self.what {
                What::Replace { at, adds, .. } => {
                    let there = others.iter().fold(0, |sum, other| match &other.what {
                        What::Replace { at: place, adds, .. } if place == at => sum | adds,
                        _ => sum,
                    });
                    there & adds == *adds
                }
                _ => false,
            }
    }
}

/// Every single change that a vocabulary has for a test or a program.
pub fn changes(vocabulary: &Vocabulary, places: &Places, text: &str) -> Vec<Change> {
    let mut all: Vec<Change> = Vec::new();
    // Threads that run the same text have their changes in common.
    let mut add = |change: Change| {
        if !all.iter().any(|known| known.what.same_as(&change.what)) {
            all.push(change);
        }
    };
    for (thread, accesses) in places.threads.iter().enumerate() {
        for (number, access) in accesses.iter().enumerate() {
            let span = access.span;
            let own = text.get(span.start as usize..span.end as usize).unwrap_or("");
            for fence in vocabulary.fences {
                let slots = match fence.stands {
                    Stands::Anywhere => vec![(&access.before, false), (&access.leaves, true)],
                    Stands::Before(near) if near.is(own) => vec![(&access.before, false)],
                    Stands::After(near) if near.is(own) => vec![(&access.after, true)],
                    _ => Vec::new(),
                };
                for (slot, after) in
                    slots.into_iter().filter_map(|(slot, after)| Some((slot.clone()?, after)))
                {
                    let what = What::Insert { fence: fence.text, slot, after };
                    add(Change { thread, access: number, span, what, name: fence.name, cost: fence.cost });
                }
            }
            for stronger in vocabulary.accesses {
                for (at, new) in replaced(stronger, span, text, thread_text(accesses, text)) {
                    let (adds, joined) = (stronger.adds, stronger.joined);
                    let what = What::Replace { new, at, adds, joined };
                    let (name, cost) = (stronger.name, stronger.cost);
                    add(Change { thread, access: number, span, what, name, cost });
                }
            }
            for dependency in vocabulary.dependencies {
                for (earlier, read) in accesses[..number].iter().enumerate() {
                    let label = format!("LD{thread}{number}{earlier}{}", dependency.name.len());
                    if let Some(what) = dependency::made(dependency, (read.span, earlier), span, &label, text)
                    {
                        let (name, cost) = (dependency.name, dependency.cost);
                        add(Change { thread, access: number, span, what, name, cost });
                    }
                }
            }
        }
    }
    all
}

/// The text from the first access of a thread to its last, and whatever stands beside it: registers that it uses are named there.
fn thread_text<'t>(accesses: &[Access], text: &'t str) -> &'t str {
    let start = accesses.first().map_or(0, |access| access.span.start as usize);
    let end = accesses.last().map_or(0, |access| access.span.end as usize);
    text.get(start..end).unwrap_or("")
}

/// The places of an access that a stronger form changes, and the new text of each.
fn replaced(stronger: &Stronger, span: Span, text: &str, thread: &str) -> Vec<(Range<usize>, String)> {
    let whole = span.start as usize..span.end as usize;
    let Some(own) = text.get(whole.clone()) else { return Vec::new() };
    match stronger.form {
        Form::Mnemonic(plain, strong) => {
            let rest = own.trim_start();
            let name = rest.split_whitespace().next().unwrap_or("");
            // Strong forms take a plain address only.
            let simple = own.contains('[') && own.trim_end().ends_with(']') && own.matches(',').count() == 1;
            match name.eq_ignore_ascii_case(plain) && simple {
                true => vec![(whole, format!("{strong} {}", rest[name.len()..].trim_start()))],
                false => Vec::new(),
            }
        }
        Form::Pattern(plain, strong) => dependency::matched(plain, own)
            .map(|parts| vec![(whole, parts.filled(strong))])
            .unwrap_or_default(),
        Form::Exchange => exchange(own, thread).map(|new| vec![(whole, new)]).unwrap_or_default(),
        Form::Words(plain, strong) => {
            let occurrences = own.match_indices(plain).map(|(at, _)| at);
            let fitting = occurrences.filter(|at| stronger.fits(&own[..*at], &own[*at..]));
            let new = |at| (whole.start + at..whole.start + at + plain.len(), strong.to_string());
            fitting.map(new).collect()
        }
        Form::Address(plain, strong) => {
            let called = |(at, _): (usize, &str)| {
                let open = at + plain.len();
                let object = object(own.get(open..)?)?;
                // `*x` is at `x`, and `x` at `&x`.
                let address = match object.strip_prefix('*') {
                    Some(pointer) => pointer.to_string(),
                    None => format!("&{object}"),
                };
                let range = whole.start + at..whole.start + open + 1 + object.len();
                Some((range, format!("{strong}({address}")))
            };
            own.match_indices(plain).filter_map(called).collect()
        }
    }
}

/// The first argument of a call, from its bracket on.
fn object(call: &str) -> Option<&str> {
    let inside = call.strip_prefix('(')?;
    let mut depth = 0;
    for (at, sign) in inside.char_indices() {
        match sign {
            '(' | '[' => depth += 1,
            ',' | ')' if depth == 0 => return Some(&inside[..at]),
            ')' | ']' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// `MOV [x],$1` as an exchange: the value goes to a register that is not used, then both are exchanged.
fn exchange(own: &str, thread: &str) -> Option<String> {
    let rest = own.trim().strip_prefix("MOV").or_else(|| own.trim().strip_prefix("mov"))?;
    let (to, value) = rest.trim().split_once(',')?;
    let (to, value) = (to.trim(), value.trim());
    if !to.starts_with('[') {
        return None;
    }
    let upper = thread.to_ascii_uppercase();
    let free = ["EDI", "ESI", "EDX", "ECX", "EBX"].into_iter().find(|name| !upper.contains(&name[1..]))?;
    Some(format!("MOV {free},{value}\nXCHG {to},{free}"))
}
