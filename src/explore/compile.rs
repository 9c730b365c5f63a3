//! From a model's checks and their bounds at the root to [`super::code`].

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

use super::code::{Check, Code, Item, Loop, Numbering, Side, Slot, SlotInfo};
use super::mask::Mask;
use crate::model::{Base, Bounds, Expr, ExprId, FixId, Pool, Sort, TestKind};
use crate::relation::Set;
use crate::relation::flat::Shape;

/// Straight-line code for the undecided checks of one world.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// Events that matter.
    pub numbering: Numbering,
    /// All slots.
    pub slots: Vec<SlotInfo>,
    /// Code of every step of the search.
    pub main: Vec<Item>,
    /// Code of complete executions only.
    pub late: Vec<Item>,
    /// What each constant slot holds: a node, or all of several.
    pub constants: Vec<(Slot, Constant)>,
    /// Recursion variables, but for those of loops inside loops, with their nodes.
    pub variables: Vec<(Slot, ExprId)>,
    /// Slots of nodes asked for.
    pub slot_of: FxHashMap<ExprId, Slot>,
    /// Does some check depend on a node that only the plain evaluator can compute?
    pub opaque: bool,
    /// Number of loops.
    pub n_loops: usize,
}

/// The union of these nodes.
pub type Constant = SmallVec<[ExprId; 2]>;

/// What to compile.
pub struct Roots<'r> {
    /// Undecided plain checks: the slot field is filled in.
    pub checks: &'r mut Vec<(ExprId, Check)>,
    /// Undecided flags and the like.
    pub flags: &'r mut Vec<(ExprId, Check)>,
    /// Relations that orders must contain.
    pub bases: &'r [ExprId],
    /// Events that the search's own choices are about.
    pub support: Set,
}

/// Compiles the checks of one world.
pub fn compile(pool: &Pool, bounds: &Bounds, choice_of: &dyn Fn(ExprId) -> usize, roots: Roots) -> Compiled {
    let mut all: Vec<ExprId> = roots.checks.iter().map(|(id, _)| *id).collect();
    all.extend(roots.flags.iter().map(|(id, _)| *id));
    all.extend(roots.bases);
    let kept = matters(pool, bounds, &all, &roots);
    let mut cx = Compiler {
        pool,
        bounds,
        choice_of,
        slots: Vec::new(),
        buffers: vec![Vec::new()],
        constants: Vec::new(),
        variables: Vec::new(),
        slot_of: FxHashMap::default(),
        opaque: false,
        n_loops: 0,
    };
    for base in roots.bases {
        cx.slot(*base);
    }
    for (id, check) in roots.checks.iter_mut() {
        check.slot = cx.slot(*id);
    }
    for (id, check) in roots.flags.iter_mut() {
        check.slot = cx.slot(*id);
    }
    let items = cx.buffers.pop().unwrap_or_default();
    let mut slots = cx.slots;
    let mut bodies = FxHashMap::default();
    loop_bodies(&items, &mut bodies);
    // What the search itself needs, then what only complete executions need.
    for base in roots.bases {
        need(&mut slots, &bodies, cx.slot_of[base], Side::Must);
        needed_by(&mut slots, &bodies, cx.slot_of[base], Mask::ALL);
    }
    for (position, (_, check)) in roots.checks.iter().enumerate() {
        need(&mut slots, &bodies, check.slot, if check.negated { Side::May } else { Side::Must });
        needed_by(&mut slots, &bodies, check.slot, Mask::of(position));
    }
    let in_main: Vec<bool> = slots.iter().map(|s| s.need_must || s.need_may).collect();
    for (_, check) in roots.flags.iter() {
        need(&mut slots, &bodies, check.slot, Side::Must);
        late_too(&mut slots, &bodies, check.slot);
    }
    for (slot, info) in slots.iter_mut().enumerate() {
        info.late = !in_main[slot];
    }
    mark_refuting(&mut slots);
    let (main, late) = split(items, &slots);
    Compiled {
        numbering: Numbering::new(&kept),
        slots,
        main,
        late,
        constants: cx.constants,
        variables: cx.variables,
        slot_of: cx.slot_of,
        opaque: cx.opaque,
        n_loops: cx.n_loops,
    }
}

/// The events that some dynamic value can pass through or end at where it matters.
///
/// Every operator but composition, closure, domain and range works pair by pair, so that an event can be left
/// out unless it is in the middle of a composition or a closure, decides a domain or a range, lies on a possible
/// cycle, or is an end of a pair whose mere presence a check asks about.
fn matters(pool: &Pool, bounds: &Bounds, all: &[ExprId], roots: &Roots) -> Set {
    let shape = bounds.shape();
    let mut kept: Vec<u64> = roots.support.words().to_vec();
    let (mut first, mut second) = (vec![0; shape.words], vec![0; shape.words]);
    let (mut so_far, mut longer) = (Vec::new(), Vec::new());
    // What comes out of one relation and goes into another.
    let mut through = |kept: &mut [u64], a: &[u64], b: &[u64]| {
        first.fill(0);
        second.fill(0);
        shape.add_range(&mut first, a);
        shape.add_domain(&mut second, b);
        kept.iter_mut().zip(first.iter().zip(&second)).for_each(|(kept, (a, b))| *kept |= a & b);
    };
    let ends = |kept: &mut [u64], id: ExprId| match (bounds.known(id), pool.sort(id)) {
        (Some(rows), Sort::Rel) => {
            shape.add_domain(kept, rows.may);
            shape.add_range(kept, rows.may);
        }
        (Some(rows), Sort::Set) => kept.iter_mut().zip(rows.may).for_each(|(kept, more)| *kept |= more),
        _ => {}
    };
    let mut seen = vec![false; pool.len()];
    let mut work: Vec<ExprId> = all.to_vec();
    while let Some(id) = work.pop() {
        if std::mem::replace(&mut seen[id.0 as usize], true) || is_constant(pool, bounds, id) {
            continue;
        }
        match pool.expr(id) {
            Expr::Seq(children) => {
                // (a;b);c: the middle of each composition is the range of the part so far.
                let Some(rows) = bounds.known(children[0]) else { continue };
                so_far.clear();
                so_far.extend_from_slice(rows.may);
                for (position, child) in children.iter().enumerate().skip(1) {
                    if let Some(next) = bounds.known(*child) {
                        through(&mut kept, &so_far, next.may);
                        if position + 1 < children.len() {
                            longer.resize(so_far.len(), 0);
                            shape.seq(&mut longer, &so_far, next.may);
                            std::mem::swap(&mut so_far, &mut longer);
                        }
                    }
                }
            }
            Expr::Plus(a) | Expr::Star(a) => {
                if let Some(rows) = bounds.known(*a) {
                    through(&mut kept, rows.may, rows.may);
                }
            }
            Expr::Domain(a) | Expr::Range(a) => ends(&mut kept, *a),
            _ => {}
        }
        children(pool, id, &mut work);
    }
    for id in roots.bases {
        ends(&mut kept, *id);
    }
    for (id, check) in roots.checks.iter().chain(roots.flags.iter()) {
        let Some(rows) = bounds.known(*id) else { continue };
        match check.test {
            TestKind::Acyclic => through(&mut kept, rows.may, rows.may),
            TestKind::Irreflexive => {
                for event in (0..shape.n).filter(|event| shape.has(rows.may, *event, *event)) {
                    kept[event / 64] |= 1 << (event % 64);
                }
            }
            TestKind::Empty => ends(&mut kept, *id),
        }
    }
    Set::from_words(shape.n, &kept)
}

/// Does a relation lie inside the identity?
fn is_identity(shape: Shape, rel: &[u64]) -> bool {
    let own = |event: usize, at: usize| if at == event / 64 { 1 << (event % 64) } else { 0 };
    let fits =
        |event: usize, row: &[u64]| row.iter().enumerate().all(|(at, word)| word & !own(event, at) == 0);
    rel.chunks_exact(shape.words).enumerate().all(|(event, row)| fits(event, row))
}

fn is_constant(pool: &Pool, bounds: &Bounds, id: ExprId) -> bool {
    !pool.mentions_fix_var(id) && super::code::exact_at_root(bounds, id)
}

/// Pushes the nodes a node is made of.
fn children(pool: &Pool, id: ExprId, out: &mut Vec<ExprId>) {
    match pool.expr(id) {
        Expr::Fix(fix, ..) => out.extend(&pool.fix(*fix).bodies),
        expr => out.extend(expr.operands()),
    }
}

struct Compiler<'c> {
    pool: &'c Pool,
    bounds: &'c Bounds<'c>,
    choice_of: &'c dyn Fn(ExprId) -> usize,
    slots: Vec<SlotInfo>,
    /// The code being written; one buffer per loop that is open.
    buffers: Vec<Vec<Item>>,
    constants: Vec<(Slot, Constant)>,
    variables: Vec<(Slot, ExprId)>,
    slot_of: FxHashMap<ExprId, Slot>,
    opaque: bool,
    n_loops: usize,
}

impl Compiler<'_> {
    fn fresh(&mut self, code: Code, sort: Sort) -> Slot {
        self.slots.push(SlotInfo {
            code,
            is_set: sort == Sort::Set,
            need_must: false,
            need_may: false,
            late: false,
            checks: Mask::default(),
            refutes: false,
        });
        self.slots.len() as Slot - 1
    }

    /// Appends an instruction to the innermost loop it belongs to.
    fn emit(&mut self, id: ExprId, code: Code) -> Slot {
        let slot = self.fresh(code, self.pool.sort(id));
        let inside = self.pool.mentions_fix_var(id);
        let buffer = if inside { self.buffers.len() - 1 } else { 0 };
        self.buffers[buffer].push(Item::Op(slot));
        self.slot_of.insert(id, slot);
        slot
    }

    fn slot(&mut self, id: ExprId) -> Slot {
        if let Some(slot) = self.slot_of.get(&id) {
            return *slot;
        }
        let sort = self.pool.sort(id);
        if is_constant(self.pool, self.bounds, id) {
            let slot = self.fresh(Code::Const, sort);
            self.constants.push((slot, smallvec![id]));
            self.slot_of.insert(id, slot);
            return slot;
        }
        if self.bounds.is_opaque(id) {
            self.opaque = true;
            return self.emit(id, Code::Opaque);
        }
        let code = match self.pool.expr(id).clone() {
            Expr::Base(Base::Rf, _) => Code::Rf,
            Expr::Base(..) => Code::Fw,
            Expr::Choice(..) => Code::Choice((self.choice_of)(id)),
            Expr::Union(parts) => {
                let slots = self.parts(&parts, sort);
                if let [only] = slots[..] {
                    self.slot_of.insert(id, only);
                    return only;
                }
                Code::Union(slots)
            }
            Expr::Seq(c) => {
                // Left to right, but for a constant prefix or suffix it is the dynamic part that should stay thin:
                // the order does not change the value.
                let c = self.without_identities(&c);
                if let [only] = c[..] {
                    let slot = self.slot(only);
                    self.slot_of.insert(id, slot);
                    return slot;
                }
                let mut slots: Vec<Slot> = c.iter().map(|c| self.slot(*c)).collect();
                while slots.len() > 2 {
                    let (a, b) = (slots[0], slots[1]);
                    let partial = self.fresh(Code::Seq(a, b), Sort::Rel);
                    let inside = self.pool.mentions_fix_var(id);
                    let buffer = if inside { self.buffers.len() - 1 } else { 0 };
                    self.buffers[buffer].push(Item::Op(partial));
                    slots.splice(0..2, [partial]);
                }
                Code::Seq(slots[0], slots[1])
            }
            Expr::Inter(a, b) => Code::Inter(self.slot(a), self.slot(b)),
            Expr::Diff(a, b) => Code::Diff(self.slot(a), self.slot(b)),
            Expr::Product(a, b) => Code::Product(self.slot(a), self.slot(b)),
            Expr::Compl(a) => Code::Compl(self.slot(a)),
            Expr::Inverse(a) => Code::Inverse(self.slot(a)),
            Expr::ToId(a) => Code::ToId(self.slot(a)),
            Expr::Domain(a) => Code::Domain(self.slot(a)),
            Expr::Range(a) => Code::Range(self.slot(a)),
            Expr::Opt(a) => Code::Opt(self.slot(a)),
            Expr::Plus(a) => Code::Plus(self.slot(a)),
            Expr::Star(a) => Code::Star(self.slot(a)),
            Expr::ByValues(test, a) => Code::ByValues(test, self.slot(a)),
            Expr::Fix(fix, index, _) => return self.recursive(id, fix, index),
            // A variable outside of a compiled loop, or a leaf that is not exact: known only in the end.
            Expr::FixVar(..) | Expr::Interp(..) | Expr::Empty(_) | Expr::Universe(_) | Expr::Id => {
                self.opaque = true;
                Code::Opaque
            }
        };
        self.emit(id, code)
    }

    /// The parts of a union: what is known of it is one constant, and left out if it is empty. Models name every fence that there is, and a test
    /// has few of them.
    fn parts(&mut self, parts: &[ExprId], sort: Sort) -> Vec<Slot> {
        let mut known = Constant::new();
        let mut slots = Vec::with_capacity(parts.len());
        for part in parts {
            if !is_constant(self.pool, self.bounds, *part) {
                slots.push(self.slot(*part));
            } else if self.bounds.known(*part).is_some_and(|rows| rows.must.iter().any(|word| *word != 0)) {
                known.push(*part);
            }
        }
        match known[..] {
            [] => {}
            [only] => slots.push(self.slot(only)),
            _ => {
                let slot = self.fresh(Code::Const, sort);
                self.constants.push((slot, known));
                slots.push(slot);
            }
        }
        slots
    }

    /// Leaves out what a composition goes through unchanged: `r; [S]` is `r` where `r` can only end in `S`. Models say so
    /// often (`sm` is the identity wherever there are no mixed sizes), and `r` itself is easier to reason about.
    fn without_identities(&self, factors: &[ExprId]) -> Vec<ExprId> {
        let shape = self.bounds.shape();
        let mut left = factors.to_vec();
        let mut at = 0;
        while left.len() > 1 && at < left.len() {
            let passes = |neighbour: Option<&ExprId>, ends_here: bool| {
                let neighbour = neighbour.filter(|id| !self.pool.mentions_fix_var(**id));
                let rows = neighbour.and_then(|id| self.bounds.known(*id));
                rows.is_some_and(|rows| {
                    let mut events: SmallVec<[u64; 4]> = smallvec![0; shape.words];
                    if ends_here {
                        shape.add_range(&mut events, rows.may);
                    } else {
                        shape.add_domain(&mut events, rows.may);
                    }
                    let mut kept: SmallVec<[u64; 4]> = smallvec![0; shape.words];
                    if let Some(constant) = self.bounds.known(left[at]) {
                        shape.add_domain(&mut kept, constant.must);
                    }
                    events.iter().zip(&kept).all(|(events, kept)| events & !kept == 0)
                })
            };
            let constant = is_constant(self.pool, self.bounds, left[at]);
            let identity =
                constant && self.bounds.known(left[at]).is_some_and(|rows| is_identity(shape, rows.may));
            let before = at.checked_sub(1).and_then(|before| left.get(before));
            if identity && (passes(before, true) || passes(left.get(at + 1), false)) {
                left.remove(at);
            } else {
                at += 1;
            }
        }
        left
    }

    fn recursive(&mut self, id: ExprId, fix: FixId, index: u32) -> Slot {
        let group = self.pool.fix(fix).clone();
        let mut variables = Vec::new();
        let inside = self.pool.mentions_fix_var(id);
        for (position, body) in group.bodies.iter().enumerate() {
            let slot = self.fresh(Code::Variable, self.pool.sort(*body));
            if let Some(node) = self.pool.fix_var_node(fix, position as u32) {
                self.slot_of.insert(node, slot);
                if !inside {
                    self.variables.push((slot, node));
                }
            }
            variables.push(slot);
        }
        self.buffers.push(Vec::new());
        let bodies: Vec<Slot> = group.bodies.iter().map(|body| self.slot(*body)).collect();
        let body = self.buffers.pop().unwrap_or_default();
        let pairs: Vec<(Slot, Slot)> = variables.iter().copied().zip(bodies).collect();
        let buffer = if inside { self.buffers.len() - 1 } else { 0 };
        let (inputs, on_values) = inputs_of(&self.slots, &body, &pairs);
        let number = self.n_loops;
        self.n_loops += 1;
        let inner = Loop { number, body, variables: pairs, inputs, on_values };
        self.buffers[buffer].push(Item::Loop(inner));
        for (position, body) in group.bodies.iter().enumerate() {
            let sort = self.pool.sort(*body);
            let node = self.pool.find(&Expr::Fix(fix, position as u32, sort));
            if let Some(node) = node {
                self.emit(node, Code::Result(variables[position]));
            }
        }
        self.slot_of.get(&id).copied().unwrap_or(variables[index as usize])
    }
}

/// Marks a slot's bound as needed, and what it is computed from.
fn need(slots: &mut [SlotInfo], bodies: &FxHashMap<Slot, Slot>, slot: Slot, which: Side) {
    let mut work = vec![(slot, which)];
    while let Some((slot, which)) = work.pop() {
        let info = &mut slots[slot as usize];
        let flag = if which == Side::Must { &mut info.need_must } else { &mut info.need_may };
        if std::mem::replace(flag, true) {
            continue;
        }
        info.code
            .operands(|operand, flipped| work.push((operand, if flipped { which.other() } else { which })));
        if matches!(info.code, Code::Variable) {
            work.extend(bodies.get(&slot).map(|body| (*body, which)));
        }
    }
}

/// Says which checks a slot, and all it is computed from, is needed by.
fn needed_by(slots: &mut [SlotInfo], bodies: &FxHashMap<Slot, Slot>, slot: Slot, mask: Mask) {
    let mut work = vec![slot];
    while let Some(slot) = work.pop() {
        let info = &mut slots[slot as usize];
        if mask.is_within(info.checks) {
            continue;
        }
        info.checks |= mask;
        info.code.operands(|operand, _| work.push(operand));
        if matches!(info.code, Code::Variable) {
            work.extend(bodies.get(&slot));
        }
    }
}

/// What only flags need is computed for all of them.
fn late_too(slots: &mut [SlotInfo], bodies: &FxHashMap<Slot, Slot>, slot: Slot) {
    let mut work = vec![slot];
    while let Some(slot) = work.pop() {
        let info = &mut slots[slot as usize];
        if !info.checks.is_empty() {
            continue;
        }
        info.checks = Mask::ALL;
        info.code.operands(|operand, _| work.push(operand));
        if matches!(info.code, Code::Variable) {
            work.extend(bodies.get(&slot));
        }
    }
}

/// What a loop reads and does not compute itself; and does it compare values? A variable whose definition mentions none gets its value from
/// outside.
fn inputs_of(slots: &[SlotInfo], body: &[Item], variables: &[(Slot, Slot)]) -> (Vec<Slot>, bool) {
    let mut own: FxHashSet<Slot> = variables.iter().map(|(variable, _)| *variable).collect();
    let mut read: Vec<Slot> = variables.iter().map(|(_, result)| *result).collect();
    let mut on_values = false;
    let mut work: Vec<&Item> = body.iter().collect();
    while let Some(item) = work.pop() {
        match item {
            Item::Op(slot) => {
                own.insert(*slot);
                let code = &slots[*slot as usize].code;
                on_values |= matches!(code, Code::ByValues(..));
                code.operands(|operand, _| read.push(operand));
            }
            Item::Loop(inner) => {
                on_values |= inner.on_values;
                own.extend(inner.variables.iter().map(|(variable, _)| *variable));
                read.extend(inner.variables.iter().map(|(_, result)| *result));
                work.extend(&inner.body);
            }
        }
    }
    read.sort_unstable();
    read.dedup();
    read.retain(|slot| !own.contains(slot));
    (read, on_values)
}

/// Recursion variables and the slots that hold their new values after a round.
fn loop_bodies(items: &[Item], out: &mut FxHashMap<Slot, Slot>) {
    for item in items {
        if let Item::Loop(inner) = item {
            out.extend(inner.variables.iter().copied());
            loop_bodies(&inner.body, out);
        }
    }
}

/// A slot takes part in the refuting pass if it is computed, during the search, from a choice.
fn mark_refuting(slots: &mut [SlotInfo]) {
    for slot in 0..slots.len() {
        let of = |s: Slot| slots[s as usize].refutes;
        let refutes = match &slots[slot].code {
            Code::Rf | Code::Choice(_) => true,
            Code::Const | Code::Fw | Code::Opaque | Code::Variable | Code::Result(_) => false,
            Code::ByValues(..) | Code::Compl(_) => false,
            Code::Union(c) => c.iter().any(|c| of(*c)),
            Code::Inter(a, b) | Code::Seq(a, b) | Code::Product(a, b) => of(*a) || of(*b),
            Code::Diff(a, _) => of(*a),
            Code::Inverse(a)
            | Code::ToId(a)
            | Code::Domain(a)
            | Code::Range(a)
            | Code::Opt(a)
            | Code::Plus(a)
            | Code::Star(a) => of(*a),
        };
        slots[slot].refutes = refutes;
    }
}

fn split(items: Vec<Item>, slots: &[SlotInfo]) -> (Vec<Item>, Vec<Item>) {
    items.into_iter().partition(|item| match item {
        Item::Op(slot) => !slots[*slot as usize].late,
        Item::Loop(inner) => inner.variables.iter().any(|(v, _)| !slots[*v as usize].late),
    })
}
