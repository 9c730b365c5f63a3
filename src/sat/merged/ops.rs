//! What each micro-op does to the ways of a thread.

use super::graph::{NodeId, Role, Shape, Why};
use super::thread::{Around, Held, Place, Run, Runner, State, is_private, not_in_bits, unsupported};
use super::value::{OUTSIDE, Sv, binary, choose, moved, unary};
use crate::execution::EventKind;
use crate::program::{BinOp, Content, Extra, LOOP_CUT, Op, Property, SetName, Storage, Sym, Tmp, Value};
use crate::sat::solver::Lit;

/// A place in memory that an access may go to.
enum Goal {
    Private((Sym, i64)),
    Cell(usize, (Sym, i64)),
}

impl<'p> Runner<'p> {
    pub(super) fn op(
        &mut self,
        op: &'p Op,
        mut state: State,
        place: Place,
        around: Around,
    ) -> Run<Vec<State>> {
        match op {
            Op::Const { .. } | Op::Unary { .. } | Op::Binary { .. } | Op::Taint { .. } | Op::From { .. } => {
                self.compute(&mut state, op, place)?;
            }
            Op::ReadReg { dst, reg, .. } => {
                let value = state.regs[usize::from(reg.0)].clone();
                Self::set(&mut state, *dst, value, around.causes.to_vec());
            }
            Op::ReadRegWith { dst, reg, extra, .. } => {
                let value = state.regs[usize::from(reg.0)].clone();
                let causes = self.causes(&state, &[], Some(extra), around)?;
                Self::set(&mut state, *dst, value, causes.clone());
                self.done(&mut state, extra, causes);
            }
            Op::WriteReg { reg, src, extra } => {
                let held = state.tmps.get(usize::from(src.0)).cloned().flatten();
                let value = held.map_or_else(|| Sv::constant(Value::ZERO, &self.gates), |held| held.value);
                state.regs[usize::from(reg.0)] = value;
                if extra.done.is_some() {
                    let causes = self.causes(&state, &[*src], Some(extra), around)?;
                    self.done(&mut state, extra, causes);
                }
            }
            Op::Load { dst, addr, sets, extra, .. } => {
                self.load(&mut state, place, (*dst, *addr), sets, extra, around)?;
            }
            Op::Store { addr, value, sets, extra, .. } => {
                self.store(&mut state, place, (*addr, *value), sets, extra, around)?;
            }
            Op::Rmw { dst, addr, ops, update, sets, extra, .. } => {
                self.update(&mut state, place, (*dst, *addr, *update), ops, sets, extra, around)?;
            }
            Op::CompareExchange { .. } => self.exchange(&mut state, place, op, around)?,
            Op::Fence { sets, extra } => self.explicit_fence(&mut state, place, sets, extra, around)?,
            Op::Branch { cond, extra, .. } => {
                let consumed: &[Tmp] = cond.as_ref().map_or(&[], std::slice::from_ref);
                let causes = self.causes(&state, consumed, Some(extra), around)?;
                if let Some(done) = extra.done {
                    let value = match cond {
                        Some(cond) => self.held(&state, *cond)?.value,
                        None => Sv::constant(Value::ZERO, &self.gates),
                    };
                    Self::set(&mut state, done, value, causes);
                }
            }
            Op::If { cond, then, otherwise } => {
                return self.decide(state, place, *cond, (then, otherwise), around);
            }
            Op::Choice { branches } => return self.choose(state, place, branches, around),
            Op::Assume { cond } | Op::Await { cond, .. } => {
                let value = self.held(&state, *cond)?.value;
                self.defined(&mut state, place, &value);
                let holds = value.holds(&mut self.gates);
                let why = if matches!(op, Op::Await { .. }) { Why::Others } else { Why::Assumption };
                self.wait(&mut state, place, holds, why);
            }
            Op::Assert { cond, property } => {
                let value = self.held(&state, *cond)?.value;
                self.defined(&mut state, place, &value);
                let holds = value.holds(&mut self.gates);
                self.violate(&mut state, place, !holds, property.clone());
            }
            Op::Nondet { dst, low, high } => self.any(&mut state, *dst, (*low, *high), around),
            Op::Jump { target } => self.jump(&mut state, place, target)?,
            Op::Goto { pc } => state.next = Some(*pc),
            Op::Stop => state.over = true,
            Op::LoopHead { id: LOOP_CUT } => self.cut(&mut state, place, "Recursion"),
            Op::LoopHead { id } => {
                // In a branch that is known to be taken the program itself counts its passes.
                match around.constant {
                    true => self.known_loop(&mut state, place, *id),
                    false => self.loop_head(&mut state, place, *id),
                }
            }
            Op::LoopEnter { id } => {
                state.passes.remove(id);
                state.last_pass.remove(id);
            }
            Op::Spawn { dst, code, args, own } => {
                let mut given = Vec::new();
                for (reg, tmp) in args {
                    given.push((*reg, self.held(&state, *tmp)?.value));
                }
                let handle = self.spawn(&mut state, place, *code, given, *own)?;
                Self::set(&mut state, *dst, handle, around.causes.to_vec());
            }
            Op::Join { thread, dst } => {
                let handle = self.held(&state, *thread)?.value;
                let result = self.join(&mut state, place, &handle)?;
                if let Some(dst) = dst {
                    Self::set(&mut state, *dst, result, around.causes.to_vec());
                }
            }
            Op::Alloc { dst, size, kind, content } if is_private(*kind) => {
                self.alloc(&mut state, place, *dst, *size, *content)?;
            }
            Op::Free { addr, kind: Storage::Private } => self.free(&mut state, place, *addr)?,
            Op::Print { .. } => {}
            // Only dependencies look at these.
            Op::CondBegin | Op::CondEnd | Op::ControlSave { .. } | Op::ControlRestore { .. } => {}
            Op::Alloc { .. } | Op::Free { .. } => {
                return Err(unsupported(
                    "objects that are made while the program runs and that others may see",
                    Some(self.instr(place)),
                ));
            }
            _ => return Err(unsupported("this instruction", Some(self.instr(place)))),
        }
        Ok(vec![state])
    }

    fn explicit_fence(
        &mut self,
        state: &mut State,
        place: Place,
        sets: &'p [SetName],
        extra: &Extra,
        around: Around,
    ) -> Run<()> {
        let inner = self.causes(state, &[], Some(extra), around)?;
        let none = (None, None);
        let id = self.node(
            place,
            state.guard,
            EventKind::Fence,
            (None, None),
            sets,
            inner.clone(),
            none,
            Role::None,
        );
        self.done(state, extra, with(inner, id));
        Ok(())
    }

    /// Goes into either branch, each where the condition says so.
    fn decide(
        &mut self,
        mut state: State,
        place: Place,
        cond: Tmp,
        (then, otherwise): (&'p [Op], &'p [Op]),
        around: Around,
    ) -> Run<Vec<State>> {
        let Held { value, causes } = self.held(&state, cond)?;
        self.defined(&mut state, place, &value);
        let holds = value.holds(&mut self.gates);
        let mut all = around.causes.to_vec();
        all.extend(causes);
        all.sort_unstable();
        all.dedup();
        let constant = self.gates.known(holds).is_some();
        let inside = Around { causes: &all, constant };
        if !constant {
            Self::fork(&mut state);
        }
        let mut other = state.clone();
        state.guard = self.gates.and(state.guard, holds);
        other.guard = self.gates.and(other.guard, !holds);
        let mut states = Vec::new();
        for (state, ops) in [(state, then), (other, otherwise)] {
            if state.guard != self.gates.no {
                states.extend(self.ops(ops, vec![state], place, inside)?);
            }
        }
        Ok(states)
    }

    /// Goes every way: which, nobody says.
    fn choose(
        &mut self,
        mut state: State,
        place: Place,
        branches: &'p [Vec<Op>],
        around: Around,
    ) -> Run<Vec<State>> {
        let mut left = state.guard;
        let mut states = Vec::new();
        for (at, ops) in branches.iter().enumerate() {
            let taken = if at + 1 == branches.len() { self.gates.yes } else { self.gates.fresh() };
            let mut rest = State { guard: left, ..state.clone() };
            if at + 1 != branches.len() {
                Self::fork(&mut rest);
                (state.share, state.forks) = (rest.share, rest.forks.clone());
            }
            let own = State { guard: self.gates.and(left, taken), ..rest };
            left = self.gates.and(left, !taken);
            let inside = Around { constant: false, ..around };
            states.extend(self.ops(ops, vec![own], place, inside)?);
        }
        Ok(states)
    }

    /// Any number between two.
    fn any(&mut self, state: &mut State, dst: Tmp, (low, high): (i128, i128), around: Around) {
        let width = self.gates.number(low).len().max(self.gates.number(high).len());
        let bits: Vec<Lit> = (0..width).map(|_| self.gates.fresh()).collect();
        let within = self.gates.within(&bits, low, high);
        self.gates.clause(&[!state.guard, within]);
        let no = self.gates.no;
        Self::set(state, dst, Sv::int(bits, no), around.causes.to_vec());
    }

    /// An object that no other thread sees.
    fn alloc(&mut self, state: &mut State, place: Place, dst: Tmp, size: Tmp, content: Content) -> Run<()> {
        let size = self.held(state, size)?.value.known(&self.gates).and_then(Value::as_int);
        let Some(size) = size.and_then(|size| i64::try_from(size).ok()) else {
            return Err(unsupported("an object of a size that is not known", Some(self.instr(place))));
        };
        let content = if content == Content::Zero { Some(Value::ZERO) } else { None };
        let sym = self.object(place, size, content);
        state.private.retain(|(of, _), _| *of != sym);
        let address = Sv::constant(Value::addr(sym), &self.gates);
        Self::set(state, dst, address, Vec::new());
        Ok(())
    }

    /// The end of such an object.
    fn free(&mut self, state: &mut State, place: Place, addr: Tmp) -> Run<()> {
        let address = self.held(state, addr)?.value;
        let known = address.known(&self.gates);
        let Some(Value::Addr { sym, offset: 0 }) = known.filter(|_| address.undefined == self.gates.no)
        else {
            return Err(unsupported("the end of an object that is not known", Some(self.instr(place))));
        };
        state.private.retain(|(of, _), _| *of != sym);
        Ok(())
    }

    fn done(&self, state: &mut State, extra: &Extra, causes: Vec<NodeId>) {
        if let Some(done) = extra.done {
            Self::set(state, done, Sv::constant(Value::ZERO, &self.gates), causes);
        }
    }

    /// The events of the instruction that come before one that consumes these.
    fn causes(
        &self,
        state: &State,
        consumed: &[Tmp],
        extra: Option<&Extra>,
        around: Around,
    ) -> Run<Vec<NodeId>> {
        let mut causes = around.causes.to_vec();
        let more = extra.into_iter().flat_map(|e| e.data.iter().chain(&e.ctrl).chain(&e.order));
        for tmp in consumed.iter().chain(more) {
            causes.extend(self.held(state, *tmp)?.causes);
        }
        causes.sort_unstable();
        causes.dedup();
        Ok(causes)
    }

    fn compute(&mut self, state: &mut State, op: &Op, place: Place) -> Run<()> {
        let at = self.instr(place);
        let said = |why| not_in_bits(why, Some(at));
        let (dst, value, causes) = match op {
            Op::Const { dst, value } => (*dst, Sv::constant(*value, &self.gates), Vec::new()),
            Op::Unary { dst, op, a } => {
                let Held { value, causes } = self.held(state, *a)?;
                (*dst, unary(&mut self.gates, *op, &value).map_err(said)?, causes)
            }
            Op::Binary { dst, op, a, b } => {
                let (left, right) = (self.held(state, *a)?, self.held(state, *b)?);
                let mut causes = left.causes;
                causes.extend(&right.causes);
                causes.sort_unstable();
                causes.dedup();
                (*dst, self.binary(*op, &left.value, &right.value).map_err(said)?, causes)
            }
            Op::Taint { dst, a, also } => {
                let Held { value, mut causes } = self.held(state, *a)?;
                for tmp in also {
                    causes.extend(self.held(state, *tmp)?.causes);
                }
                (*dst, value, causes)
            }
            Op::From { dst, a, from } => {
                let mut causes = Vec::new();
                for tmp in from {
                    causes.extend(self.held(state, *tmp)?.causes);
                }
                (*dst, self.held(state, *a)?.value, causes)
            }
            _ => return Err(unsupported("this part of a read-modify-write", Some(at))),
        };
        Self::set(state, dst, value, causes);
        Ok(())
    }

    fn binary(&mut self, op: BinOp, a: &Sv, b: &Sv) -> Result<Sv, super::value::NotInBits> {
        let open = |sv: &Sv, gates: &super::bits::Gates| sv.bits().is_some() && sv.listed(gates).is_none();
        let address = |sv: &Sv| sv.bits().is_none();
        let (base, by) = match op {
            BinOp::Add if address(a) && open(b, &self.gates) => (a, b),
            BinOp::Add if address(b) && open(a, &self.gates) => (b, a),
            BinOp::Sub if address(a) && open(b, &self.gates) => (a, b),
            _ => return binary(&mut self.gates, op, a, b),
        };
        let (program, objects) = (self.program, &self.objects);
        let offsets = |sym: Sym| match objects.get(&sym) {
            Some(object) => (0..object.size.min(256)).collect(),
            None => program.locations.iter().filter(|cell| cell.sym == sym).map(|cell| cell.offset).collect(),
        };
        moved(&mut self.gates, base, by, op == BinOp::Sub, &offsets)
    }

    /// The places that an address may lead to; where it leads nowhere is a violation.
    fn goals(&mut self, state: &mut State, place: Place, addr: Tmp) -> Run<Vec<(Lit, Goal)>> {
        let address = self.held(state, addr)?.value;
        self.defined(state, place, &address);
        let at = self.instr(place);
        let Some(cases) = address.listed(&self.gates) else {
            return Err(unsupported("an access to an address that is computed", Some(at)));
        };
        let mut goals = Vec::new();
        for (literal, value) in cases {
            let goal = match value {
                Value::Addr { sym, offset } if offset != OUTSIDE => match self.objects.get(&sym) {
                    Some(object) if (0..object.size).contains(&offset) => Some(Goal::Private((sym, offset))),
                    Some(_) => None,
                    None => self
                        .program
                        .location_at(sym, offset)
                        .map(|cell| Goal::Cell(usize::from(cell.0), (sym, offset))),
                },
                _ => None,
            };
            match goal {
                Some(goal) => goals.push((literal, goal)),
                None => {
                    let null = value == Value::ZERO;
                    let property = if null { Property::Null } else { Property::OutOfBounds };
                    self.violate(state, place, literal, property);
                }
            }
        }
        Ok(goals)
    }

    /// What a read of a cell may find.
    fn open(&mut self, cell: usize) -> Sv {
        match &self.shapes[cell] {
            Shape::Int(width) => {
                let bits = (0..*width).map(|_| self.gates.fresh()).collect();
                Sv::int(bits, self.gates.no)
            }
            Shape::Listed(values) => {
                let literals: Vec<Lit> = values.iter().map(|_| self.gates.fresh()).collect();
                for (at, first) in literals.iter().enumerate() {
                    for second in &literals[at + 1..] {
                        self.gates.clause(&[!*first, !*second]);
                    }
                }
                let cases = literals.into_iter().zip(values.iter().copied()).collect();
                Sv::cases(cases, &mut self.gates)
            }
        }
    }

    /// What an object that only its thread sees holds.
    pub(super) fn private(&mut self, state: &State, at: (Sym, i64)) -> Sv {
        if let Some(known) = state.private.get(&at) {
            return known.clone();
        }
        let content = self.objects.get(&at.0).and_then(|object| object.content);
        match content {
            Some(value) => Sv::constant(value, &self.gates),
            None => {
                let yes = self.gates.yes;
                Sv::constant(Value::ZERO, &self.gates).also_undefined(yes, &mut self.gates)
            }
        }
    }

    fn mixed_sets(sets: &[SetName]) -> bool {
        use crate::program::threads::{COPY, PART};
        sets.iter().any(|set| set == COPY || set == PART)
    }

    fn load(
        &mut self,
        state: &mut State,
        place: Place,
        (dst, addr): (Tmp, Tmp),
        sets: &'p [SetName],
        extra: &Extra,
        around: Around,
    ) -> Run<()> {
        let at = self.instr(place);
        let mut causes = self.causes(state, &[addr], Some(extra), around)?;
        let inner = causes.clone();
        let mut all: Option<Sv> = None;
        for (literal, goal) in self.goals(state, place, addr)? {
            let value = match goal {
                Goal::Private(at) => self.private(state, at),
                Goal::Cell(cell, address) => {
                    let value = self.open(cell);
                    let guard = self.gates.and(state.guard, literal);
                    let where_ = (Some(cell), Some(address));
                    let found = (Some(value.clone()), None);
                    let id = self.node(
                        place,
                        guard,
                        EventKind::Read,
                        where_,
                        sets,
                        inner.clone(),
                        found,
                        Role::None,
                    );
                    causes.push(id);
                    value
                }
            };
            all = Some(match all {
                None => value,
                Some(others) => choose(&mut self.gates, literal, &value, &others)
                    .map_err(|why| not_in_bits(why, Some(at)))?,
            });
        }
        let mut value = all.unwrap_or_else(|| Sv::constant(Value::ZERO, &self.gates));
        if value.undefined != self.gates.no {
            if Self::mixed_sets(sets) {
                return Err(unsupported("copies of what may not have been written", Some(at)));
            }
            self.defined(state, place, &value);
        }
        value.undefined = self.gates.no;
        Self::set(state, dst, value, causes.clone());
        self.done(state, extra, causes);
        Ok(())
    }

    fn store(
        &mut self,
        state: &mut State,
        place: Place,
        (addr, value): (Tmp, Tmp),
        sets: &'p [SetName],
        extra: &Extra,
        around: Around,
    ) -> Run<()> {
        let at = self.instr(place);
        let mut causes = self.causes(state, &[addr, value], Some(extra), around)?;
        let inner = causes.clone();
        let value = self.held(state, value)?.value;
        if value.undefined != self.gates.no && Self::mixed_sets(sets) {
            return Err(unsupported("copies of what may not have been written", Some(at)));
        }
        self.defined(state, place, &value);
        for (literal, goal) in self.goals(state, place, addr)? {
            match goal {
                Goal::Private(to) => {
                    let old = self.private(state, to);
                    let new = choose(&mut self.gates, literal, &value, &old)
                        .map_err(|why| not_in_bits(why, Some(at)))?;
                    state.private.insert(to, new);
                }
                Goal::Cell(cell, address) => {
                    let guard = self.gates.and(state.guard, literal);
                    let where_ = (Some(cell), Some(address));
                    let made = (None, Some(value.clone()));
                    let id = self.node(
                        place,
                        guard,
                        EventKind::Write,
                        where_,
                        sets,
                        inner.clone(),
                        made,
                        Role::None,
                    );
                    causes.push(id);
                }
            }
        }
        self.done(state, extra, causes);
        Ok(())
    }

    #[allow(clippy::too_many_arguments)]
    fn update(
        &mut self,
        state: &mut State,
        place: Place,
        (dst, addr, update): (Tmp, Tmp, Tmp),
        ops: &'p [Op],
        sets: &'p [SetName],
        extra: &Extra,
        around: Around,
    ) -> Run<()> {
        let at = self.instr(place);
        let causes = self.causes(state, &[addr], Some(extra), around)?;
        let goals = self.goals(state, place, addr)?;
        let [(_, goal)] = goals.as_slice() else {
            return Err(unsupported("an atomic access to one of several cells", Some(at)));
        };
        let (old, cell) = match goal {
            Goal::Private(at) => (self.private(state, *at), None),
            Goal::Cell(cell, address) => (self.open(*cell), Some((*cell, *address))),
        };
        self.defined(state, place, &old);
        Self::set(state, dst, old.clone(), causes.clone());
        for op in ops {
            self.compute(state, op, place)?;
        }
        let Held { value: new, causes: more } = self.held(state, update)?;
        self.defined(state, place, &new);
        let mut inner = causes;
        inner.extend(more);
        inner.sort_unstable();
        inner.dedup();
        match (goal, cell) {
            (_, Some((cell, address))) => {
                let id = self.node(
                    place,
                    state.guard,
                    EventKind::Rmw,
                    (Some(cell), Some(address)),
                    sets,
                    inner.clone(),
                    (Some(old.clone()), Some(new)),
                    Role::None,
                );
                let inner = with(inner, id);
                Self::set(state, dst, old, inner.clone());
                self.done(state, extra, inner);
            }
            (Goal::Private(to), None) => {
                state.private.insert(*to, new);
                Self::set(state, dst, old, inner.clone());
                self.done(state, extra, inner);
            }
            _ => {}
        }
        Ok(())
    }

    /// A compare-exchange is one event where it succeeds and another where it does not.
    fn exchange(&mut self, state: &mut State, place: Place, op: &'p Op, around: Around) -> Run<()> {
        let Op::CompareExchange { dst, addr, expected, desired, sets, failure, extra, .. } = op else {
            return Ok(());
        };
        let at = self.instr(place);
        let inner = self.causes(state, &[*addr, *expected, *desired], Some(extra), around)?;
        let (expected, desired) = (self.held(state, *expected)?.value, self.held(state, *desired)?.value);
        self.defined(state, place, &expected);
        self.defined(state, place, &desired);
        let goals = self.goals(state, place, *addr)?;
        let [(_, goal)] = goals.as_slice() else {
            return Err(unsupported("an atomic access to one of several cells", Some(at)));
        };
        let said = |why| not_in_bits(why, Some(at));
        let equal = |own: &mut Self, value: &Sv| -> Run<Lit> {
            let same = binary(&mut own.gates, BinOp::Eq, value, &expected).map_err(said)?;
            Ok(same.holds(&mut own.gates))
        };
        match goal {
            Goal::Private(to) => {
                let old = self.private(state, *to);
                self.defined(state, place, &old);
                let same = equal(self, &old)?;
                let new = choose(&mut self.gates, same, &desired, &old).map_err(said)?;
                state.private.insert(*to, new);
                Self::set(state, *dst, old, inner.clone());
                self.done(state, extra, inner);
            }
            Goal::Cell(cell, address) => {
                let succeeds = self.gates.fresh();
                let mut values = Vec::new();
                let mut causes = inner.clone();
                for (taken, kind) in [(succeeds, EventKind::Rmw), (!succeeds, EventKind::Read)] {
                    let old = self.open(*cell);
                    let same = equal(self, &old)?;
                    let guard = self.gates.and(state.guard, taken);
                    let fits = if kind == EventKind::Rmw { same } else { !same };
                    self.gates.clause(&[!guard, fits]);
                    let written = (kind == EventKind::Rmw).then(|| desired.clone());
                    let sets: &'p [SetName] = if kind == EventKind::Rmw { sets } else { failure };
                    let id = self.node(
                        place,
                        guard,
                        kind,
                        (Some(*cell), Some(*address)),
                        sets,
                        inner.clone(),
                        (Some(old.clone()), written),
                        Role::None,
                    );
                    causes.push(id);
                    values.push(old);
                }
                let old = choose(&mut self.gates, succeeds, &values[0], &values[1]).map_err(said)?;
                Self::set(state, *dst, old, causes.clone());
                self.done(state, extra, causes);
            }
        }
        Ok(())
    }
}

fn with(mut causes: Vec<NodeId>, id: NodeId) -> Vec<NodeId> {
    causes.push(id);
    causes
}
