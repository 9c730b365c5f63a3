//! Names given by hand: an assembly test and the C test that it was made from, side by side.

use std::collections::BTreeSet;

use super::log::{Log, LogTest, State};

/// One name of the first log, and what the second calls it: `r0=X3` in every thread, `0:r0=1:X3` in one, `x=y` for locations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Renaming {
    from: Name,
    to: Name,
}

/// A register, of one thread or of any, or a location.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Name {
    thread: Option<String>,
    name: String,
}

impl std::str::FromStr for Renaming {
    type Err = String;

    fn from_str(text: &str) -> Result<Renaming, String> {
        let wrong = || format!("`{text}` is no pair of names: `r0=X3`, `0:r0=0:X3` or `x=y`");
        let (from, to) = text.split_once('=').ok_or_else(wrong)?;
        let (from, to) = (Name::read(from).ok_or_else(wrong)?, Name::read(to).ok_or_else(wrong)?);
        if from.thread.is_none() && to.thread.is_some() {
            return Err(format!("`{text}`: of which thread is `{}`?", from.name));
        }
        Ok(Renaming { from, to })
    }
}

impl std::fmt::Display for Renaming {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}={}", self.from, self.to)
    }
}

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.thread {
            Some(thread) => write!(f, "{thread}:{}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

impl Name {
    fn read(text: &str) -> Option<Name> {
        let text = text.trim();
        let name = match text.split_once(':') {
            Some((thread, name)) => {
                let number: usize = thread.trim().trim_start_matches('P').parse().ok()?;
                Name { thread: Some(number.to_string()), name: name.trim().to_string() }
            }
            None => Name { thread: None, name: text.to_string() },
        };
        let whole = !name.name.is_empty() && !name.name.contains([':', '=', ';', ',']);
        whole.then_some(name)
    }

    /// Is it the name of this place; of which thread?
    fn is(&self, place: &str) -> bool {
        let (thread, name) = split(place);
        name == self.name && (self.thread.is_none() || thread == self.thread.as_deref())
    }
}

/// The thread of a place, if it is a register, and its name.
fn split(place: &str) -> (Option<&str>, &str) {
    match place.split_once(':') {
        Some((thread, name)) if thread.parse::<usize>().is_ok() => (Some(thread), name),
        _ => (None, place),
    }
}

impl Renaming {
    /// What the second log calls a place of the first.
    fn applied(&self, place: &str) -> Option<String> {
        if !self.from.is(place) {
            return None;
        }
        let thread = self.to.thread.as_deref().or(split(place).0.filter(|_| self.from.thread.is_none()));
        Some(match thread {
            Some(thread) => format!("{thread}:{}", self.to.name),
            None => self.to.name.clone(),
        })
    }
}

/// What was left out of a comparison by names given by hand.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct LeftOut {
    /// Places that only the first log has, by its names.
    pub left: BTreeSet<String>,
    /// Places that only the second has.
    pub right: BTreeSet<String>,
}

/// Makes two logs comparable: the first gets the second's names, and of each pair of tests the states keep what both show.
///
/// # Errors
/// A name that no state has, or two places of a test that would get one name.
pub fn rename(left: &mut Log, right: &mut Log, names: &[Renaming]) -> Result<LeftOut, String> {
    for renaming in names {
        let known =
            |log: &Log, name: &Name| log.tests.iter().any(|test| places(test).iter().any(|p| name.is(p)));
        let (from, to) = (known(left, &renaming.from), known(right, &renaming.to));
        let turned = known(left, &renaming.to) && known(right, &renaming.from);
        let help = if turned {
            format!(": did you mean `{}={}`?", renaming.to, renaming.from)
        } else {
            String::new()
        };
        match (from, to) {
            (false, _) => {
                return Err(format!("`{renaming}`: no state of the first log has `{}`{help}", renaming.from));
            }
            (_, false) => {
                return Err(format!("`{renaming}`: no state of the second log has `{}`{help}", renaming.to));
            }
            _ => {}
        }
    }
    // One test a log: they are the two to be compared, whatever they are called.
    if let ([a], [b]) = (left.tests.as_mut_slice(), right.tests.as_slice()) {
        a.name.clone_from(&b.name);
    }
    let mut out = LeftOut::default();
    for test in &mut left.tests {
        let called =
            |place: &str| names.iter().find_map(|n| n.applied(place)).unwrap_or_else(|| place.to_string());
        let own = places(test);
        let new: BTreeSet<String> = own.iter().map(|place| called(place)).collect();
        if new.len() < own.len() {
            return Err(format!("two names of `{}` in the first log become one by these names", test.name));
        }
        let Some(other) = right.tests.iter_mut().find(|other| other.name == test.name) else { continue };
        let theirs = places(other);
        out.left.extend(own.iter().filter(|place| !theirs.contains(&called(place))).cloned());
        out.right.extend(theirs.difference(&new).cloned());
        keep(test, &|place| Some(called(place)).filter(|name| theirs.contains(name)));
        keep(other, &|place| new.contains(place).then(|| place.to_string()));
    }
    Ok(out)
}

/// All places that the states of a test show.
fn places(test: &LogTest) -> BTreeSet<String> {
    test.states.keys().flat_map(State::bindings).map(|(place, _)| place.clone()).collect()
}

/// Gives the places of every state other names, or leaves them out; states that are the same then are one.
fn keep(test: &mut LogTest, called: &dyn Fn(&str) -> Option<String>) {
    for (state, count) in std::mem::take(&mut test.states) {
        *test.states.entry(state.renamed(called)).or_default() += count;
    }
}

#[cfg(test)]
mod tests {
    use super::super::log::Width;
    use super::*;

    fn log(name: &str, states: &[&str]) -> Log {
        let lines: String = states.iter().map(|state| format!("{state}\n")).collect();
        Log::read(&format!("Test {name} Allowed\nStates {}\n{lines}Ok\n\n", states.len()), Width::Int32)
    }

    fn states(log: &Log) -> Vec<String> {
        log.tests[0].states.keys().map(State::to_string).collect()
    }

    fn names(words: &[&str]) -> Vec<Renaming> {
        words.iter().map(|word| word.parse().unwrap()).collect()
    }

    #[test]
    fn registers_get_their_names_in_every_thread_or_in_one() {
        let c = || log("SB", &["0:r0=0; 1:r0=1; x=1;", "0:r0=1; 1:r0=1; x=1;"]);
        let asm = || log("SB-aarch64", &["0:X3=0; 1:X3=1; 1:X9=7;", "0:X3=0; 1:X3=1; 1:X9=8;"]);
        let (mut a, mut b) = (c(), asm());
        let out = rename(&mut a, &mut b, &names(&["r0=X3"])).unwrap();
        assert_eq!(states(&a), ["0:X3=0; 1:X3=1;", "0:X3=1; 1:X3=1;"]);
        assert_eq!(states(&b), ["0:X3=0; 1:X3=1;"]);
        assert_eq!(a.tests[0].name, "SB-aarch64");
        assert_eq!((out.left, out.right), (["x".to_string()].into(), ["1:X9".to_string()].into()));
        let (mut a, mut b) = (c(), asm());
        rename(&mut a, &mut b, &names(&["0:r0=1:X3", "1:r0=0:X3"])).unwrap();
        assert_eq!(states(&a), ["0:X3=1; 1:X3=0;", "0:X3=1; 1:X3=1;"]);
    }

    #[test]
    fn wrong_names_are_told() {
        let error = |words: &[&str]| {
            let (mut a, mut b) = (log("A", &["0:r0=0; 0:r1=0;"]), log("A", &["0:X3=0; 0:X4=0;"]));
            rename(&mut a, &mut b, &names(words)).unwrap_err()
        };
        assert_eq!(error(&["r7=X3"]), "`r7=X3`: no state of the first log has `r7`");
        assert_eq!(error(&["0:r0=0:X7"]), "`0:r0=0:X7`: no state of the second log has `0:X7`");
        assert_eq!(error(&["X3=r0"]), "`X3=r0`: no state of the first log has `X3`: did you mean `r0=X3`?");
        assert_eq!(error(&["r0=X3", "r1=X3"]), "two names of `A` in the first log become one by these names");
        for wrong in ["r0", "=X3", "r0=", "a:r0=X3", "r0=X3=X4", "r0=1:X3"] {
            assert!(wrong.parse::<Renaming>().is_err(), "{wrong}");
        }
    }
}
