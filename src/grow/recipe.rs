//! What is to be computed of a new event.
//!
//! Which of the kept rows of an event can have anything in them depends on what the event is: a relaxed read ends no synchronisation, a fence reads nothing. So for each sort of
//! events there is a recipe, made when the first of them comes: the sets that such an event is in, and the rows that need to be computed, with what is known of
//! such events left out. All other rows are empty.

use std::sync::{OnceLock, RwLock};

use rustc_hash::FxHashMap;

use super::code::{Base, Code, Kind, Link};
use super::node::{self, Sort};
use crate::execution::EventKind;

/// A recipe. Operands are places among the kept rows or sets.
#[derive(Debug)]
pub(super) struct Recipe {
    /// Sets whose members are known by what they are, and whether such an event is one.
    pub sets: Vec<(usize, bool)>,
    /// Everything else that there may be, in order.
    pub rows: Vec<Row>,
    /// Those of them that depend on what a read reads.
    pub bound: Vec<Row>,
}

/// A row to be computed, or the membership in a set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Row {
    pub at: usize,
    pub of: Of,
}

/// What it is computed from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Of {
    Base(Base),
    /// The event itself.
    Own,
    /// Likewise, if it is in a set.
    OwnIn(usize),
    /// Everything that is there.
    All,
    /// The members of a set that are there.
    Set(usize),
    /// Likewise, if the event is in another.
    SetFor(usize, usize),
    Union(Vec<usize>),
    Inter(usize, usize),
    Diff(usize, usize),
    Compl(usize),
    Seq(Vec<Link>),
    Opt(usize),
    Plus(usize),
    Star(usize),
    DifferentValues(usize),
    /// Sets: where a row is not empty, and what is made of other sets.
    InRange(usize),
    InAny(Vec<usize>),
    InBoth(usize, usize),
    InFirst(usize, usize),
    NotIn(usize),
}

/// What is known of a slot for all events of a sort.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Known {
    /// A row that is empty, a set that it is not in.
    Nothing,
    /// A set that it is in.
    Member,
    /// To be computed.
    Open,
}

/// The recipes made so far. They stay where they are, so that nobody has to wait for others to read them.
#[derive(Default)]
pub(super) struct Recipes {
    numbers: RwLock<FxHashMap<Sort, u16>>,
    /// Lists of 16, 32, 64 and so on.
    lists: [OnceLock<Vec<OnceLock<Recipe>>>; 13],
}

impl Clone for Recipes {
    /// Another model has its own.
    fn clone(&self) -> Recipes {
        Recipes::default()
    }
}

impl std::fmt::Debug for Recipes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Recipes")
    }
}

/// The list that a number belongs to, and where it stands there.
fn place(number: u16) -> (usize, usize) {
    let shifted = usize::from(number) + 16;
    let list = shifted.ilog2() as usize - 4;
    (list, shifted - (16 << list))
}

impl Recipes {
    pub fn get(&self, number: u16) -> &Recipe {
        let (list, at) = place(number);
        match self.lists[list].get().and_then(|list| list[at].get()) {
            Some(recipe) => recipe,
            None => unreachable!("recipes have numbers once they are made"),
        }
    }
}

impl Code {
    /// The number of the recipe for a sort of events.
    pub fn recipe(&self, sort: Sort) -> u16 {
        if let Ok(numbers) = self.recipes.numbers.read()
            && let Some(number) = numbers.get(&sort)
        {
            return *number;
        }
        let mut numbers = self.recipes.numbers.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        let number = numbers.len() as u16;
        *numbers.entry(sort).or_insert_with(|| {
            let (list, at) = place(number);
            let list = self.recipes.lists[list]
                .get_or_init(|| std::iter::repeat_with(OnceLock::new).take(16 << list).collect());
            let _ = list[at].set(self.make(sort));
            number
        })
    }

    fn make(&self, sort: Sort) -> Recipe {
        let mut recipe = Recipe { sets: Vec::new(), rows: Vec::new(), bound: Vec::new() };
        let mut known = vec![Known::Open; self.slots.len()];
        for slot in &self.kept {
            let own = &self.slots[*slot];
            let visible = matches!(sort.kind, node::Kind::Event(_));
            let of = match (visible, own.is_set) {
                (false, _) => Err(Known::Nothing),
                (true, true) => self.member(*slot, sort, &known),
                (true, false) => self.row(*slot, sort, &known),
            };
            match of {
                Ok(of) => {
                    let row = Row { at: own.at, of };
                    if self.bound.contains(slot) {
                        recipe.bound.push(row.clone());
                    }
                    recipe.rows.push(row);
                }
                Err(what) => {
                    known[*slot] = what;
                    if own.is_set {
                        recipe.sets.push((own.at, what == Known::Member));
                    }
                }
            }
        }
        recipe
    }

    /// Is such an event in a set?
    fn member(&self, slot: usize, sort: Sort, known: &[Known]) -> Result<Of, Known> {
        let at = |slot: usize| self.slots[slot].at;
        let is = |yes: bool| Err(if yes { Known::Member } else { Known::Nothing });
        match &self.slots[slot].kind {
            Kind::Member(bit) => is(sort.members >> bit & 1 == 1),
            Kind::All => is(true),
            Kind::Union(list) if list.iter().any(|slot| known[*slot] == Known::Member) => is(true),
            Kind::Union(list) => {
                let open: Vec<usize> =
                    list.iter().filter(|slot| known[**slot] == Known::Open).map(|slot| at(*slot)).collect();
                if open.is_empty() { is(false) } else { Ok(Of::InAny(open)) }
            }
            Kind::Inter(a, b) => match (known[*a], known[*b]) {
                (Known::Nothing, _) | (_, Known::Nothing) => is(false),
                (Known::Member, Known::Member) => is(true),
                _ => Ok(Of::InBoth(at(*a), at(*b))),
            },
            Kind::Diff(a, b) => match (known[*a], known[*b]) {
                (Known::Nothing, _) | (_, Known::Member) => is(false),
                (Known::Member, Known::Nothing) => is(true),
                _ => Ok(Of::InFirst(at(*a), at(*b))),
            },
            Kind::Compl(a) => match known[*a] {
                Known::Open => Ok(Of::NotIn(at(*a))),
                what => is(what == Known::Nothing),
            },
            Kind::Range(a) if known[*a] == Known::Open => Ok(Of::InRange(at(*a))),
            _ => is(false),
        }
    }

    /// What leads to such an event.
    fn row(&self, slot: usize, sort: Sort, known: &[Known]) -> Result<Of, Known> {
        let at = |slot: usize| self.slots[slot].at;
        let is_open = |slot: &usize| known[*slot] == Known::Open;
        let reads = matches!(sort.kind, node::Kind::Event(EventKind::Read | EventKind::Rmw));
        let accesses = reads || matches!(sort.kind, node::Kind::Event(EventKind::Init | EventKind::Write));
        match &self.slots[slot].kind {
            Kind::Base(Base::Rf) if !reads => Err(Known::Nothing),
            Kind::Base(Base::SameAccess) => {
                if accesses {
                    Ok(Of::Own)
                } else {
                    Err(Known::Nothing)
                }
            }
            Kind::Base(base) => Ok(Of::Base(*base)),
            Kind::All => Ok(Of::All),
            Kind::Id => Ok(Of::Own),
            Kind::Union(list) => {
                let open: Vec<usize> = list.iter().copied().filter(is_open).map(at).collect();
                if open.is_empty() { Err(Known::Nothing) } else { Ok(Of::Union(open)) }
            }
            Kind::Inter(a, b) if is_open(a) && is_open(b) => Ok(Of::Inter(at(*a), at(*b))),
            Kind::Diff(a, b) if is_open(a) && is_open(b) => Ok(Of::Diff(at(*a), at(*b))),
            Kind::Diff(a, _) if is_open(a) => Ok(Of::Union(vec![at(*a)])),
            Kind::Compl(a) => Ok(if is_open(a) { Of::Compl(at(*a)) } else { Of::All }),
            Kind::Seq(links) => self.sequence(links, known),
            Kind::Product(a, b) => match known[*b] {
                Known::Member => Ok(Of::Set(at(*a))),
                Known::Nothing => Err(Known::Nothing),
                Known::Open => Ok(Of::SetFor(at(*a), at(*b))),
            },
            Kind::ToId(a) => match known[*a] {
                Known::Member => Ok(Of::Own),
                Known::Nothing => Err(Known::Nothing),
                Known::Open => Ok(Of::OwnIn(at(*a))),
            },
            Kind::Opt(a) => Ok(if is_open(a) { Of::Opt(at(*a)) } else { Of::Own }),
            Kind::Plus(a) if is_open(a) => Ok(Of::Plus(at(*a))),
            Kind::Star(a) => Ok(if is_open(a) { Of::Star(at(*a)) } else { Of::Own }),
            Kind::DifferentValues(a) if is_open(a) => Ok(Of::DifferentValues(at(*a))),
            _ => Err(Known::Nothing),
        }
    }

    /// A composition that ends at such an event.
    fn sequence(&self, links: &[Link], known: &[Known]) -> Result<Of, Known> {
        let mut left = links.len();
        while let Some(Link::Filter(set)) = links[..left].last() {
            match known[*set] {
                Known::Nothing => return Err(Known::Nothing),
                Known::Member => left -= 1,
                Known::Open => break,
            }
        }
        let place = |link: &Link| match link {
            Link::Filter(slot) => Link::Filter(self.slots[*slot].at),
            Link::Step(slot) => Link::Step(self.slots[*slot].at),
        };
        match links[..left].last() {
            None => Ok(Of::Own),
            Some(Link::Step(step)) if known[*step] != Known::Open => Err(Known::Nothing),
            _ => Ok(Of::Seq(links[..left].iter().map(place).collect())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::place;

    #[test]
    fn every_number_has_a_place_of_its_own() {
        let mut next = (0, 0);
        for number in 0..u16::MAX {
            assert_eq!(place(number), next, "{number}");
            next = if next.1 + 1 == 16 << next.0 { (next.0 + 1, 0) } else { (next.0, next.1 + 1) };
        }
        assert!(place(u16::MAX).0 < 13);
    }
}
