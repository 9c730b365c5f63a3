//! From what the root leaves open to a [`Problem`]: events by number, values of constants, who decides the final writes.

use super::code::{Code, Numbering, OptionVar, OrderVar, Slot};
use super::compile::{Compiled, Constant};
use super::finals::Registers;
use super::mask::Mask;
use super::problem::{LastVar, Problem, ReadVar, Reader};
use super::root::Builder;
use crate::execution::{EventKind, SymVal, World};
use crate::model::{Expr, ExprId, OrderBase, Val};
use crate::relation::flat::{Shape, bits};
use crate::relation::{Rel, Set};

/// The orders of a problem.
struct Orders {
    vars: Vec<OrderVar>,
    /// What they contain from the start: choice, from, to.
    ordered: Vec<(usize, usize, usize)>,
    /// Those whose last write is the final one: choice and events.
    deciding: Vec<(usize, Set)>,
}

/// The final writes of a problem.
struct FinalWrites {
    /// Those to be chosen.
    finals: Vec<LastVar>,
    /// Those that are the last of an order.
    last_of_order: Vec<LastVar>,
    /// Pairs of writes that the condition asked for puts into an order: choice, earlier, last.
    must_be_last: Vec<(usize, usize, usize)>,
}

impl<'b, 'p: 'b> Builder<'b, 'p> {
    /// Is the base of an order just the usual one, and are the final writes of its cells the last of this very order? Then it adds
    /// nothing but that initial writes come first, which is known.
    pub(super) fn says_only_what_last_means(&self, index: usize, base: ExprId) -> bool {
        let (_, over, _) = &self.orders[index];
        let all_in =
            |order: &(usize, Set, OrderBase), writes: &[usize]| writes.iter().all(|w| order.1.contains(*w));
        let others = self.orders.iter().enumerate().filter(|(other, _)| *other != index);
        self.usual == Some(base)
            && self.world.observed.iter().all(|loc| {
                let writes = &self.world.writes[usize::from(loc.0)];
                !writes.iter().any(|w| over.contains(*w))
                    || all_in(&self.orders[index], writes)
                        && !others.clone().any(|(_, order)| all_in(order, writes))
            })
    }

    /// Does this relation put every write of a cell before its final one, in the usual way? An order that
    /// contains it then decides the final write, and the final write nothing else.
    fn orders_final_writes_last(&self, base: ExprId) -> bool {
        self.usual.is_some_and(|usual| {
            base == usual
                || matches!(self.model.pool.expr(base), Expr::Union(parts) if parts.contains(&usual))
        })
    }

    /// The orders to be found, by number.
    fn orders(&self, code: &Compiled) -> Orders {
        let number = |event: usize| code.numbering.index[event];
        let mut vars = Vec::new();
        let mut ordered = Vec::new();
        let mut deciding = Vec::new();
        for (index, (choice, over, base)) in self.orders.iter().enumerate() {
            if self.keeps_last.contains(&index) {
                deciding.push((*choice, over.clone()));
            }
            let members: Vec<usize> = over.iter().filter_map(number).collect();
            let slot = match base {
                OrderBase::Node(node) => {
                    if self.orders_final_writes_last(*node) {
                        deciding.push((*choice, over.clone()));
                    }
                    code.slot_of.get(node).copied()
                }
                OrderBase::Rel(_) => None,
            };
            let certain = match base {
                OrderBase::Rel(rel) => rel.clone(),
                OrderBase::Node(node) => match self.bounds.known(*node) {
                    Some(rows) => Rel::from_words(over.n(), rows.must),
                    None => Rel::empty(over.n()),
                },
            };
            for (from, to) in certain.plus().restrict(over).iter() {
                if let (Some(from), Some(to)) = (number(from), number(to)) {
                    ordered.push((*choice, from, to));
                }
            }
            vars.push(OrderVar { choice: *choice, over: members, base: slot });
        }
        Orders { vars, ordered, deciding }
    }

    /// Who decides the final write of each observed cell. `None`: what is asked of the final state cannot be.
    fn final_writes(&self, numbering: &Numbering, deciding: &[(usize, Set)]) -> Option<FinalWrites> {
        let world = self.world;
        let number = |event: &usize| numbering.index[*event];
        let numbers = |events: &[usize]| -> Vec<usize> { events.iter().filter_map(number).collect() };
        // A cell whose writes are all in one order that keeps the final write last needs no choice of its own.
        let mut finals = Vec::new();
        let mut last_of_order = Vec::new();
        let mut must_be_last: Vec<(usize, usize, usize)> = Vec::new();
        for (position, loc) in world.observed.iter().enumerate() {
            let all = &world.writes[usize::from(loc.0)];
            let by_order =
                deciding.iter().find(|(_, over)| all.len() > 1 && all.iter().all(|w| over.contains(*w)));
            let asked = |write: &&usize| {
                self.goal.cells.iter().filter(|(cell, ..)| cell == loc).all(|(_, ty, value, expected)| {
                    let written = world.events[**write].written_value().and_then(SymVal::known);
                    written.is_none_or(|written| (ty.truncate(written) == *value) == *expected)
                })
            };
            match by_order {
                Some((choice, _)) => {
                    let possible: Vec<usize> = all.iter().filter(asked).copied().collect();
                    match possible[..] {
                        [] => return None,
                        [only] => {
                            let others = all.iter().filter(|w| **w != only);
                            let pairs = others.filter_map(|w| Some((*choice, number(w)?, number(&only)?)));
                            must_be_last.extend(pairs);
                        }
                        _ => {}
                    }
                    last_of_order.push(LastVar { choice: *choice, writes: numbers(all), position });
                }
                None => {
                    let candidates = world.last_writes(*loc);
                    let writes: Vec<usize> = candidates.iter().filter(asked).copied().collect();
                    if writes.is_empty() {
                        return None;
                    }
                    let writes = numbers(&writes);
                    finals.push(LastVar { choice: 0, writes, position });
                }
            }
        }
        Some(FinalWrites { finals, last_of_order, must_be_last })
    }

    /// `None`: what is asked of the final state cannot be.
    pub(super) fn problem(self, code: Compiled) -> Option<Problem<'p>> {
        let world = self.world;
        let numbering = &code.numbering;
        let number = |event: &usize| numbering.index[*event];
        let numbers = |events: &[usize]| -> Vec<usize> { events.iter().filter_map(number).collect() };
        let reads: Vec<ReadVar> = world
            .reads
            .iter()
            .filter_map(|(event, candidates)| {
                let number = number(event)?;
                Some(ReadVar {
                    event: *event,
                    number,
                    candidates: numbers(candidates),
                    updates: updates(world, *event),
                })
            })
            .collect();
        let Orders { vars: orders, ordered, deciding } = self.orders(&code);
        let FinalWrites { finals, last_of_order, must_be_last } = self.final_writes(numbering, &deciding)?;
        let options = self
            .options
            .iter()
            .map(|(choice, values)| OptionVar {
                choice: *choice,
                options: values
                    .iter()
                    .map(|value| projected(value, self.bounds.shape(), numbering))
                    .collect(),
            })
            .collect();
        let shape = self.bounds.shape();
        let constant = |(slot, nodes): &(Slot, Constant)| {
            let is_set = code.slots[*slot as usize].is_set;
            let mut rows = Vec::new();
            for node in nodes {
                let value = self.bounds.known(*node)?.must;
                if value.iter().any(|word| *word != 0) {
                    add_projected(&mut rows, value, is_set, shape, numbering);
                }
            }
            (!rows.is_empty()).then_some((*slot, rows))
        };
        let constants = code.constants.iter().filter_map(constant).collect();
        let floors = code.variables.iter().filter_map(|(slot, node)| {
            let mut rows = Vec::new();
            let is_set = code.slots[*slot as usize].is_set;
            add_projected(&mut rows, self.bounds.known(*node)?.must, is_set, shape, numbering);
            Some((*slot, rows))
        });
        let floors = floors.collect();
        let constraints: Vec<Reader> = world
            .constraints
            .iter()
            .chain(&self.goal.constraints)
            .map(|(value, expected)| Reader {
                value: value.clone(),
                expected: *expected,
                reads: value.reads().iter().map(|read| *read as usize).collect(),
            })
            .collect();
        let known =
            |event: &usize| world.events[*event].written_value().is_none_or(|value| value.known().is_some());
        let different = code.slots.iter().any(|s| matches!(s.code, Code::ByValues(..)));
        let plain_values = constraints.is_empty()
            && world.collisions.is_empty()
            && world.writes.iter().flatten().all(known)
            && !different;
        let mut value_reads: Vec<usize> = match (plain_values, different) {
            (true, _) => Vec::new(),
            (false, true) => reads.iter().map(|read| read.event).collect(),
            (false, false) => {
                let writes = world.writes.iter().flatten();
                let written = writes.filter_map(|write| world.events[*write].written_value());
                let written = written.flat_map(|value| value.reads().into_iter().map(|read| read as usize));
                let compared = world.collisions.iter().flat_map(|(a, b, _)| [a, b]);
                let compared = compared.flat_map(|value| value.reads().into_iter().map(|read| read as usize));
                let all = constraints.iter().flat_map(|c| c.reads.iter().copied()).chain(written);
                all.chain(compared).collect()
            }
        };
        value_reads.sort_unstable();
        value_reads.dedup();
        let registers = Registers::new(self.view, self.observed);
        let shown = registers.reads(world);
        let looked_at = reads.iter().map(|read| shown.contains(&read.event)).collect();
        let bases = (0..code.slots.len() as Slot)
            .filter(|slot| {
                let code = &code.slots[*slot as usize].code;
                matches!(code, Code::Rf | Code::Fw | Code::Choice(_) | Code::Opaque)
            })
            .collect();
        let known_values = numbering
            .kept
            .iter()
            .map(|event| world.events[*event].written_value().and_then(SymVal::known))
            .collect();
        Some(Problem {
            world,
            view: self.view,
            bits: self.view.names.program.bits,
            visible: self.bounds.visible().iter().filter_map(|e| number(&e)).collect(),
            constants,
            floors,
            words: words_per_row(&code.numbering),
            bases,
            reads,
            options,
            finals,
            last_of_order,
            ordered,
            n_choices: self.choices.len(),
            checks: self.checks.into_iter().map(|(_, check)| check).collect(),
            flags: self.flags.into_iter().map(|(_, check)| check).collect(),
            sure_flags: self.sure_flags,
            sure_undefined: self.sure_undefined,
            constraints,
            plain_values,
            known_values,
            value_reads,
            looked_at,
            registers,
            open_orders: open_orders(&orders),
            n_values: world.reads.iter().map(|(read, _)| read + 1).max().unwrap_or(0),
            plain_leaf: self.plainly,
            harmless: is_harmless(world, plain_values),
            must_be_last,
            orders,
            model: self.model,
            code,
        })
    }
}

/// The orders whose base is not known from the start.
fn open_orders(orders: &[OrderVar]) -> Mask {
    let open = orders.iter().enumerate().filter(|(_, order)| order.base.is_some());
    open.fold(Mask::default(), |mask, (index, _)| mask | Mask::of(index))
}

/// Is the read one half of a read-modify-write: does its instruction write the same cell, or is it exclusive?
fn updates(world: &World, read: usize) -> bool {
    let event = &world.events[read];
    event.kind == EventKind::Rmw
        || event.sets.iter().any(|set| set == "X")
        || world.events[..world.n_memory].iter().any(|other| {
            other.kind == EventKind::Write
                && (other.thread, other.instance, other.loc) == (event.thread, event.instance, event.loc)
        })
}

/// Is no operation of this world without meaning, whatever is read? Nothing is computed, or only numbers are, and only they are written.
fn is_harmless(world: &World, plain_values: bool) -> bool {
    let registers = || world.final_regs.iter().map(|(_, value)| value);
    if plain_values && registers().all(simple) {
        return true;
    }
    let written = world.events[..world.n_memory].iter().filter_map(|event| event.written_value());
    let asked = world.constraints.iter().map(|(value, _)| value);
    let compared = world.collisions.iter().flat_map(|(a, b, _)| [a, b]);
    let fits = |value: &SymVal| simple(value) || value.is_number();
    written.chain(asked).chain(compared).all(SymVal::is_number) && registers().all(fits)
}

/// Is there nothing to compute?
fn simple(value: &SymVal) -> bool {
    matches!(value, SymVal::Known(_) | SymVal::Read(_))
}

/// Adds a set or relation to rows of words, one after the other, in the numbering of the search.
fn add_projected(out: &mut Vec<u64>, value: &[u64], is_set: bool, shape: Shape, numbering: &Numbering) {
    let words = words_per_row(numbering);
    let copy = |out: &mut [u64], row: &[u64]| {
        for event in bits(row).filter_map(|event| numbering.index[event]) {
            out[event / 64] |= 1 << (event % 64);
        }
    };
    if is_set {
        out.resize(words, 0);
        copy(out, value);
        return;
    }
    out.resize(words * numbering.len(), 0);
    for (row, from) in out.chunks_exact_mut(words).zip(&numbering.kept) {
        copy(row, &value[from * shape.words..(from + 1) * shape.words]);
    }
}

/// A set or relation as such rows.
fn projected(value: &Val, shape: Shape, numbering: &Numbering) -> Vec<u64> {
    let mut rows = Vec::new();
    match value {
        Val::Set(set) => add_projected(&mut rows, set.words(), true, shape, numbering),
        Val::Rel(rel) => add_projected(&mut rows, rel.all_words(), false, shape, numbering),
        _ => {}
    }
    rows
}

fn words_per_row(numbering: &Numbering) -> usize {
    numbering.len().div_ceil(64).max(1)
}
