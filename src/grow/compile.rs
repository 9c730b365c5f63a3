//! From a model to code over rows of bits.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::code::{Base, Check, Class, Code, Group, Kind, Link, Slot};
use super::usual;
use crate::execution::EventKind;
use crate::model::{
    Base as Named, CheckKind, ChoiceId, Expr, ExprId, FixId, Model, Pool, Sort, Step, ValueTest,
};

/// What coherence orders contain.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OrderOn {
    /// What is always known of coherence.
    Usual,
    /// Something that a check looks after.
    Checked,
}

/// Compiles the checks and flags of a model.
///
/// # Errors
/// What it has that this engine cannot run, in words.
pub(super) fn compile(model: &Model, skip: &[String], base: OrderOn) -> Result<Code, String> {
    let co = coherence(model, base)?;
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
                let test = test.normalised(&model.pool);
                let slot = compiler.slot(test.expr)?;
                let check = Check {
                    name: name.clone().unwrap_or_else(|| "(unnamed)".to_string()),
                    kind: *kind,
                    test: test.kind,
                    negated: test.negated,
                    slot,
                    prunes: false,
                    stays: false,
                    settled: None,
                    guards: Vec::new(),
                    exact: None,
                    local: false,
                    walks: None,
                    same_cell: false,
                    turned: None,
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
    code.depends =
        code.slots.iter().any(|slot| matches!(slot.kind, Kind::Base(Base::Addr | Base::Data | Base::Ctrl)));
    code.checks = checks;
    code.flags = flags;
    Ok(code)
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
fn coherence(model: &Model, base: OrderOn) -> Result<ChoiceId, String> {
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
        [(choice, from)] if base == OrderOn::Checked && usual::base(model, from).is_some() => Ok(choice),
        [_] => Err("what it chooses is not a coherence order of the usual kind".to_string()),
        _ => Err("it makes more than one choice".to_string()),
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
        self.code.slots.push(Slot { kind, class, is_set, at: 0 });
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
            Expr::Base(Named::Fw, Sort::Set) => {
                return Err("a check looks at the final writes (`FW`)".to_string());
            }
            Expr::Base(base, Sort::Set) => (Kind::Member(self.member(base.name())?), Fixed),
            Expr::Base(base, _) => match base {
                Named::Po => (Kind::Base(Base::Po), Fixed),
                Named::Rf => (Kind::Base(Base::Rf), Fixed),
                Named::Loc => (Kind::Base(Base::Loc), Settled),
                Named::Int => (Kind::Base(Base::Int), Settled),
                Named::Ext => (Kind::Base(Base::Ext), Settled),
                Named::SameInstance => (Kind::Base(Base::SameInstance), Settled),
                Named::Sm | Named::Si => (Kind::Base(Base::SameAccess), Fixed),
                Named::Addr => (Kind::Base(Base::Addr), Fixed),
                Named::Data => (Kind::Base(Base::Data), Fixed),
                Named::Ctrl => (Kind::Base(Base::Ctrl), Fixed),
                Named::Id => (Kind::Id, Fixed),
                Named::Success | Named::Tst | Named::Aligned | Named::PartialPo | Named::EquivSpec => {
                    (Kind::Empty, Fixed)
                }
                other => return Err(format!("it uses `{}`", other.name())),
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
                (Kind::Inverse(a), Whole)
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
        // What does not hang on the variables is computed once.
        let mut hangs: Vec<bool> = (0..before).map(|slot| variables.contains(&slot)).collect();
        for slot in before..self.code.slots.len() {
            hangs.push(self.code.operands(slot).iter().any(|operand| hangs[*operand]));
        }
        code.retain(|slot| self.class(*slot) == Class::Whole && hangs[*slot]);
        self.code.groups.push(Group { variables, bodies, code });
        let group = self.code.groups.len() - 1;
        self.groups.insert(fix, group);
        Ok(group)
    }
}
