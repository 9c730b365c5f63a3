//! A model as code over rows of bits.
//!
//! A relation is kept by its targets: row `x` is the set of events that have an edge to `x`. What an expression is worth is
//! found out here: *fixed*, its row of a new event is all there is to compute, since an event gets its edges when it is added and
//! never any more; *settled*, a relation between events as such (`loc`, `int`), which changes only when an event comes or goes; or
//! *whole*, to be computed afresh whenever it is asked for.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::bounds::Floor;
use super::usual;
use crate::execution::EventKind;
use crate::model::{
    CheckKind, ChoiceId, Expr, ExprId, FixId, Model, Pool, Sort, Step, Test, TestKind, ValueTest,
};

/// When the value of an expression changes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Class {
    /// The row of an event is known when it is added, and stays.
    Fixed,
    /// Known between any two events, whatever else there is.
    Settled,
    /// Anything else.
    Whole,
}

/// A relation that the graph has, not the model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Base {
    Po,
    Rf,
    Co,
    Loc,
    Int,
    Ext,
    SameInstance,
    SameAccess,
}

/// A part of a composition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Link {
    /// Only events of that set.
    Filter(usize),
    /// One step of that relation.
    Step(usize),
}

/// What a slot holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A predefined set: the number of its bit in an event's memberships.
    Member(u8),
    Base(Base),
    Empty,
    All,
    Id,
    Union(Vec<usize>),
    Inter(usize, usize),
    Diff(usize, usize),
    Compl(usize),
    Seq(Vec<Link>),
    Inverse(usize),
    Product(usize, usize),
    ToId(usize),
    Domain(usize),
    Range(usize),
    Opt(usize),
    Plus(usize),
    Star(usize),
    DifferentValues(usize),
    /// A variable of a recursive group.
    Variable,
    /// The value of a recursive group: its own variable, once the group has settled.
    Fix {
        group: usize,
        variable: usize,
    },
}

/// A value of the model.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub kind: Kind,
    pub class: Class,
    pub is_set: bool,
    /// Where its rows are: among those of the graph (fixed, settled), or of the evaluation.
    pub at: usize,
}

/// A recursive group.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// The variables, by slot.
    pub variables: Vec<usize>,
    /// The values of the next round, by slot.
    pub bodies: Vec<usize>,
    /// Slots of the bodies, in order.
    pub code: Vec<usize>,
}

/// A check.
#[derive(Clone, Debug)]
pub(super) struct Check {
    pub name: String,
    pub kind: CheckKind,
    pub test: TestKind,
    pub negated: bool,
    pub slot: usize,
    /// Slots to compute before it, in order.
    pub code: Vec<usize>,
    /// The expression, for those who reason about it.
    pub expr: ExprId,
    /// Is it asked of every graph on the way, or only at the end?
    pub prunes: bool,
    /// It holds where one slot of each of these lists is empty.
    pub guards: Vec<Vec<usize>>,
    /// All that it says of a new event is that it respects this bound.
    pub exact: Option<Floor>,
}

/// A model, compiled.
#[derive(Clone, Debug, Default)]
pub(super) struct Code {
    /// Names of the predefined sets, by bit.
    pub sets: Vec<Arc<str>>,
    pub slots: Vec<Slot>,
    pub groups: Vec<Group>,
    /// Fixed and settled slots, in order: computed when an event is added.
    pub kept: Vec<usize>,
    /// Those of them that depend on what reads read: computed again when a read is given another source.
    pub bound: Vec<usize>,
    /// Fixed and settled slots that only whole executions need.
    pub late: Vec<usize>,
    /// How many slots are kept, and how many are not.
    pub n_kept: usize,
    pub n_whole: usize,
    /// Checks that reject an execution, flags and the like.
    pub checks: Vec<Check>,
    pub flags: Vec<Check>,
    /// Are the two accesses of an atomic instruction ordered, as far as cycles with `rf` go?
    pub orders_updates: bool,
    /// Must a one-event read-modify-write come right after the write that it reads?
    pub updates_follow: bool,
    /// Must the reads of an instruction come before its writes?
    pub reads_first: bool,
    /// Bounds on new events.
    pub floors: Vec<Floor>,
}

/// Compiles the checks and flags of a model.
///
/// # Errors
/// What it has that this engine cannot run, in words.
pub(super) fn compile(model: &Model, skip: &[String]) -> Result<Code, String> {
    let co = coherence(model)?;
    let mut compiler = Compiler {
        pool: &model.pool,
        co,
        code: Code::default(),
        slots: FxHashMap::default(),
        members: FxHashMap::default(),
        groups: FxHashMap::default(),
        variables: FxHashMap::default(),
    };
    let mut checks = Vec::new();
    let mut flags = Vec::new();
    for step in &model.steps {
        match step {
            Step::Check { name: Some(name), .. } if skip.contains(name) => {}
            Step::Check { kind, test, name, .. } => {
                let test = normalise(&model.pool, test);
                let slot = compiler.slot(test.expr)?;
                let check = Check {
                    name: name.clone().unwrap_or_else(|| "(unnamed)".to_string()),
                    kind: *kind,
                    test: test.kind,
                    negated: test.negated,
                    slot,
                    code: Vec::new(),
                    prunes: false,
                    guards: Vec::new(),
                    exact: None,
                    expr: test.expr,
                };
                match kind {
                    CheckKind::Plain => checks.push(check),
                    CheckKind::Assert => return Err("it has an assertion".to_string()),
                    _ => flags.push(check),
                }
            }
            Step::With { .. } => {}
            Step::Fail { .. } => return Err("it has a step that always fails".to_string()),
        }
    }
    let mut code = compiler.code;
    code.kept = (0..code.slots.len()).filter(|slot| code.slots[*slot].class != Class::Whole).collect();
    code.checks = checks;
    code.flags = flags;
    Ok(code)
}

impl Code {
    /// Puts checks in the order in which they are asked: those of graphs on the way, then those of whole executions.
    pub fn arrange(&mut self) {
        self.checks.sort_by_key(|check| !check.prunes);
        let code_of = |slot: usize| -> Vec<usize> {
            let needed = self.needed(slot);
            (0..self.slots.len()).filter(|s| needed[*s] && self.slots[*s].class == Class::Whole).collect()
        };
        let codes: Vec<Vec<usize>> =
            self.checks.iter().chain(&self.flags).map(|check| code_of(check.slot)).collect();
        for (check, code) in self.checks.iter_mut().chain(&mut self.flags).zip(codes) {
            check.code = code;
        }
        let mut early = vec![false; self.slots.len()];
        let asked = self.checks.iter().filter(|check| check.prunes).map(|check| check.slot);
        for slot in asked.chain(self.floors.iter().map(|floor| floor.slot)) {
            self.needed(slot).iter().zip(&mut early).for_each(|(needed, early)| *early |= needed);
        }
        let mut reads = vec![false; self.slots.len()];
        for slot in 0..self.slots.len() {
            let own = matches!(self.slots[slot].kind, Kind::Base(Base::Rf) | Kind::DifferentValues(_));
            reads[slot] = own || self.operands(slot).iter().any(|operand| reads[*operand]);
        }
        let kept = |slot: &usize| self.slots[*slot].class != Class::Whole;
        self.late = (0..self.slots.len()).filter(kept).filter(|slot| !early[*slot]).collect();
        self.kept = (0..self.slots.len()).filter(kept).filter(|slot| early[*slot]).collect();
        self.bound = self.kept.iter().copied().filter(|slot| reads[*slot]).collect();
    }

    /// The slots that a slot is computed from, itself included; not those inside recursive groups, which are run as one.
    fn needed(&self, slot: usize) -> Vec<bool> {
        let mut needed = vec![false; self.slots.len()];
        let mut waiting = vec![slot];
        while let Some(slot) = waiting.pop() {
            if !std::mem::replace(&mut needed[slot], true) {
                waiting.extend(self.operands(slot));
            }
        }
        needed
    }

    fn operands(&self, slot: usize) -> Vec<usize> {
        match &self.slots[slot].kind {
            Kind::Member(_) | Kind::Base(_) | Kind::Empty | Kind::All | Kind::Id | Kind::Variable => {
                Vec::new()
            }
            Kind::Union(list) => list.clone(),
            Kind::Inter(a, b) | Kind::Diff(a, b) | Kind::Product(a, b) => vec![*a, *b],
            Kind::Seq(links) => links
                .iter()
                .map(|link| match link {
                    Link::Filter(s) | Link::Step(s) => *s,
                })
                .collect(),
            Kind::Compl(a)
            | Kind::Inverse(a)
            | Kind::ToId(a)
            | Kind::Domain(a)
            | Kind::Range(a)
            | Kind::Opt(a)
            | Kind::Plus(a)
            | Kind::Star(a)
            | Kind::DifferentValues(a) => vec![*a],
            // What the bodies use from outside the group.
            Kind::Fix { group, .. } => {
                let group = &self.groups[*group];
                let inside = |slot: &usize| group.code.contains(slot) || group.variables.contains(slot);
                let mut outside: Vec<usize> =
                    group.code.iter().flat_map(|slot| self.operands(*slot)).filter(|s| !inside(s)).collect();
                outside.extend(group.bodies.iter().copied().filter(|s| !inside(s)));
                outside
            }
        }
    }

    /// Memberships of an event in the predefined sets, by bit.
    pub fn members(&self, is_in: &dyn Fn(&str) -> bool) -> u128 {
        let bits = self.sets.iter().enumerate().filter(|(_, name)| is_in(name)).map(|(bit, _)| 1u128 << bit);
        bits.fold(0, |all, bit| all | bit)
    }
}

/// Is an event of that kind in a predefined set that kinds decide? `None`: annotations decide.
pub(super) fn in_set_by_kind(kind: EventKind, name: &str) -> Option<bool> {
    use crate::program::BranchKind;
    let read = matches!(kind, EventKind::Read | EventKind::Rmw);
    let write = matches!(kind, EventKind::Init | EventKind::Write | EventKind::Rmw);
    Some(match name {
        "M" | "Exp" => read || write,
        "R" => read,
        "W" => write,
        "IW" => kind == EventKind::Init,
        "F" => kind == EventKind::Fence,
        "B" => matches!(kind, EventKind::Branch(_)),
        "BCC" => kind == EventKind::Branch(BranchKind::Bcc),
        "PRED" => kind == EventKind::Branch(BranchKind::Pred),
        "EXEC" => true,
        "Rreg" | "Wreg" | "ADDR" | "DATA" | "NExp" | "SPEC" | "SPURIOUS" => false,
        _ => return None,
    })
}

/// The choice that is the coherence order: all orders of the writes of each cell, initial write first.
fn coherence(model: &Model) -> Result<ChoiceId, String> {
    let withs: Vec<(ChoiceId, ExprId)> = model
        .steps
        .iter()
        .filter_map(|step| match step {
            Step::With { choice, from, .. } => Some((*choice, *from)),
            _ => None,
        })
        .collect();
    match withs[..] {
        [] => Err("it chooses no coherence order".to_string()),
        [(choice, from)] if usual::is_usual(model, from) => Ok(choice),
        [_] => Err("what it chooses is not a coherence order of the usual kind".to_string()),
        _ => Err("it makes more than one choice".to_string()),
    }
}

/// `acyclic r+`, `irreflexive r+`: the same as `acyclic r`, and cheaper.
fn normalise(pool: &Pool, test: &Test) -> Test {
    match (test.kind, pool.expr(test.expr)) {
        (TestKind::Acyclic | TestKind::Irreflexive, Expr::Plus(inner)) => {
            Test { kind: TestKind::Acyclic, negated: test.negated, expr: *inner }
        }
        _ => *test,
    }
}

struct Compiler<'m> {
    pool: &'m Pool,
    co: ChoiceId,
    code: Code,
    slots: FxHashMap<ExprId, usize>,
    members: FxHashMap<Arc<str>, u8>,
    groups: FxHashMap<FixId, usize>,
    variables: FxHashMap<(FixId, u32), usize>,
}

impl Compiler<'_> {
    fn add(&mut self, kind: Kind, class: Class, is_set: bool) -> usize {
        let at = match class {
            Class::Whole => &mut self.code.n_whole,
            _ => &mut self.code.n_kept,
        };
        let slot = Slot { kind, class, is_set, at: *at };
        *at += 1;
        self.code.slots.push(slot);
        self.code.slots.len() - 1
    }

    fn class(&self, slot: usize) -> Class {
        self.code.slots[slot].class
    }

    fn slot(&mut self, id: ExprId) -> Result<usize, String> {
        if let Some(slot) = self.slots.get(&id) {
            return Ok(*slot);
        }
        let slot = self.build(id)?;
        self.slots.insert(id, slot);
        Ok(slot)
    }

    fn build(&mut self, id: ExprId) -> Result<usize, String> {
        use Class::{Fixed, Settled, Whole};
        let pool = self.pool;
        let is_set = pool.sort(id) == Sort::Set;
        let (kind, class) = match pool.expr(id) {
            Expr::Base(crate::model::Base::Fw, Sort::Set) => {
                return Err("a check looks at the final writes (`FW`)".to_string());
            }
            Expr::Base(base, Sort::Set) => (Kind::Member(self.member(base.name())?), Fixed),
            Expr::Base(base, _) => match base.name() {
                "po" => (Kind::Base(Base::Po), Fixed),
                "rf" => (Kind::Base(Base::Rf), Fixed),
                "loc" => (Kind::Base(Base::Loc), Settled),
                "int" => (Kind::Base(Base::Int), Settled),
                "ext" => (Kind::Base(Base::Ext), Settled),
                "same-instance" => (Kind::Base(Base::SameInstance), Settled),
                "sm" | "si" => (Kind::Base(Base::SameAccess), Fixed),
                "id" => (Kind::Id, Fixed),
                "success" | "tst" | "aligned" | "partial_po" | "equiv-spec" => (Kind::Empty, Fixed),
                name => return Err(format!("it uses `{name}`")),
            },
            Expr::Choice(choice, Sort::Rel) if *choice == self.co => (Kind::Base(Base::Co), Whole),
            Expr::Choice(..) => return Err("it makes a choice of another kind".to_string()),
            Expr::Interp(interp, _) => {
                let shown = pool.interp(*interp).function.describe();
                return Err(format!("a check needs the interpreter (`{shown}`)"));
            }
            Expr::FixVar(fix, index, _) => match self.variables.get(&(*fix, *index)) {
                Some(slot) => return Ok(*slot),
                None => return Err("a recursive definition is used outside of its own".to_string()),
            },
            Expr::Fix(fix, index, _) => {
                let group = self.group(*fix)?;
                let variable = self.code.groups[group].variables[*index as usize];
                (Kind::Fix { group, variable }, Whole)
            }
            Expr::Empty(_) => (Kind::Empty, Fixed),
            Expr::Universe(Sort::Set) => (Kind::All, Fixed),
            Expr::Universe(_) => (Kind::All, Settled),
            Expr::Id => (Kind::Id, Fixed),
            Expr::Union(children) => {
                let list = self.all(children)?;
                let class = match self.same_class(&list) {
                    Some(class) => class,
                    None => Whole,
                };
                (Kind::Union(list), class)
            }
            Expr::Inter(a, b) => {
                let (a, b) = (self.slot(*a)?, self.slot(*b)?);
                let class = match (self.class(a), self.class(b)) {
                    (Fixed, Fixed | Settled) | (Settled, Fixed) => Fixed,
                    (Settled, Settled) => Settled,
                    _ => Whole,
                };
                (Kind::Inter(a, b), class)
            }
            Expr::Diff(a, b) => {
                let (a, b) = (self.slot(*a)?, self.slot(*b)?);
                let class = match (self.class(a), self.class(b)) {
                    (Fixed, Fixed | Settled) => Fixed,
                    // Rows of the first grow after those of the second are there: no edge of a fixed relation is new then.
                    (Settled, Fixed | Settled) => Settled,
                    _ => Whole,
                };
                (Kind::Diff(a, b), class)
            }
            Expr::Compl(a) => {
                let a = self.slot(*a)?;
                let class = match (is_set, self.class(a)) {
                    (true, class) => class,
                    (false, Fixed | Settled) => Settled,
                    (false, Whole) => Whole,
                };
                (Kind::Compl(a), class)
            }
            Expr::Seq(children) => {
                let mut links = Vec::new();
                for child in children {
                    links.push(match pool.expr(*child) {
                        Expr::ToId(set) => Link::Filter(self.slot(*set)?),
                        _ => Link::Step(self.slot(*child)?),
                    });
                }
                let steps: Vec<Class> = links
                    .iter()
                    .filter_map(|link| match link {
                        Link::Step(slot) => Some(self.class(*slot)),
                        Link::Filter(_) => None,
                    })
                    .collect();
                let filters = links.iter().all(|link| match link {
                    Link::Filter(slot) => self.class(*slot) == Fixed,
                    Link::Step(_) => true,
                });
                let class = match steps[..] {
                    _ if !filters => Whole,
                    // From the reads of an instruction to its writes: where no read comes after a write in one.
                    [Settled] if self.is_read_to_write(&links) => {
                        self.code.reads_first = true;
                        Fixed
                    }
                    [class] => class,
                    _ if steps.iter().all(|class| *class == Fixed) => Fixed,
                    _ => Whole,
                };
                (Kind::Seq(links), class)
            }
            Expr::Inverse(a) => {
                let a = self.slot(*a)?;
                let class = if self.class(a) == Settled { Settled } else { Whole };
                (Kind::Inverse(a), class)
            }
            Expr::Product(a, b) => {
                let (a, b) = (self.slot(*a)?, self.slot(*b)?);
                let fixed = self.class(a) == Fixed && self.class(b) == Fixed;
                (Kind::Product(a, b), if fixed { Settled } else { Whole })
            }
            Expr::ToId(a) => {
                let a = self.slot(*a)?;
                (Kind::ToId(a), self.class(a))
            }
            Expr::Domain(a) => (Kind::Domain(self.slot(*a)?), Whole),
            Expr::Range(a) => {
                let a = self.slot(*a)?;
                let class = if self.class(a) == Fixed { Fixed } else { Whole };
                (Kind::Range(a), class)
            }
            Expr::Opt(a) => {
                let a = self.slot(*a)?;
                (Kind::Opt(a), self.class(a))
            }
            Expr::Plus(a) => {
                let a = self.slot(*a)?;
                (Kind::Plus(a), if self.class(a) == Fixed { Fixed } else { Whole })
            }
            Expr::Star(a) => {
                let a = self.slot(*a)?;
                (Kind::Star(a), if self.class(a) == Fixed { Fixed } else { Whole })
            }
            Expr::ByValues(ValueTest::Different, a) => {
                let a = self.slot(*a)?;
                (Kind::DifferentValues(a), self.class(a))
            }
            Expr::ByValues(test, _) => return Err(format!("`{}` asks about page tables", test.name())),
        };
        Ok(self.add(kind, class, is_set))
    }

    /// Does it lead from reads to writes of the same instruction?
    fn is_read_to_write(&self, links: &[Link]) -> bool {
        let (Some(Link::Filter(from)), Some(Link::Filter(to))) = (links.first(), links.last()) else {
            return false;
        };
        let inside = links.iter().any(
            |link| matches!(link, Link::Step(slot) if self.is_below(*slot, &Kind::Base(Base::SameInstance))),
        );
        let member = |name: &str| self.members.get(name).map(|bit| Kind::Member(*bit));
        let (Some(reads), Some(writes)) = (member("R"), member("W")) else { return false };
        inside && self.is_below(*from, &reads) && self.is_below(*to, &writes)
    }

    /// Is the value of a slot part of that of another kind?
    fn is_below(&self, slot: usize, kind: &Kind) -> bool {
        match &self.code.slots[slot].kind {
            own if own == kind => true,
            Kind::Inter(a, b) => self.is_below(*a, kind) || self.is_below(*b, kind),
            Kind::Diff(a, _) => self.is_below(*a, kind),
            _ => false,
        }
    }

    fn all(&mut self, children: &[ExprId]) -> Result<Vec<usize>, String> {
        children.iter().map(|child| self.slot(*child)).collect()
    }

    fn same_class(&self, list: &[usize]) -> Option<Class> {
        let class = self.class(*list.first()?);
        list.iter().all(|slot| self.class(*slot) == class).then_some(class)
    }

    fn member(&mut self, name: &str) -> Result<u8, String> {
        if let Some(bit) = self.members.get(name) {
            return Ok(*bit);
        }
        let bit = self.code.sets.len();
        if bit >= 128 {
            return Err("it uses more than 128 predefined sets".to_string());
        }
        self.code.sets.push(Arc::from(name));
        self.members.insert(Arc::from(name), bit as u8);
        Ok(bit as u8)
    }

    fn group(&mut self, fix: FixId) -> Result<usize, String> {
        if let Some(group) = self.groups.get(&fix) {
            return Ok(*group);
        }
        let bodies = self.pool.fix(fix).bodies.clone();
        if self.pool.fix(fix).when.is_some() || !self.pool.fix_is_monotone(fix) {
            return Err("a recursive definition does not only grow".to_string());
        }
        let mut variables = Vec::new();
        for (index, body) in bodies.iter().enumerate() {
            let is_set = self.pool.sort(*body) == Sort::Set;
            let slot = self.add(Kind::Variable, Class::Whole, is_set);
            self.variables.insert((fix, index as u32), slot);
            variables.push(slot);
        }
        let before = self.code.slots.len();
        let bodies = self.all(&bodies)?;
        let mut code: Vec<usize> = (before..self.code.slots.len()).collect();
        code.retain(|slot| self.class(*slot) == Class::Whole);
        self.code.groups.push(Group { variables, bodies, code });
        let group = self.code.groups.len() - 1;
        self.groups.insert(fix, group);
        Ok(group)
    }
}
