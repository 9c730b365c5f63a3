//! May a test have executions with a cycle of program order and `rf`?
//!
//! The engine that grows executions does not list them; where there can be none, nobody need look for them. Such a cycle comes into a thread by a read, leaves it by a later write
//! (or by the write of the same instruction), and goes on to a read of that cell in another thread. First the cells alone are asked whether there is a way round; then, of each
//! step on one, whether some check of the model has it: a cycle of such steps is refused.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::execution::{Event, EventKind, World, Worlds};
use crate::grow::{Keeps, Shape, Way};
use crate::limits;
use crate::litmus::Lowered;
use crate::model::Model;
use crate::program::{Op, SetName, any_op};

/// Of threads with more paths than this nothing is asked.
const MANY: usize = 10_000;

/// In by a read of one cell, and out by a write to another: thread and cells.
type Passage = (u16, u16, u16);

/// May there be one? What the threads do is in `worlds`.
pub(super) fn may_be(test: &Lowered, model: &Model, skip_checks: &[String], worlds: &Worlds) -> bool {
    let Some(keeps) = Keeps::new(&test.program, model, skip_checks) else { return true };
    let mut passages: FxHashSet<Passage> = FxHashSet::default();
    let paths = worlds.paths();
    let mut refused: FxHashSet<(bool, Shape, Shape)> = FxHashSet::default();
    for path in paths.iter().flatten() {
        limits::poll();
        for (r, w) in ends(&path.events, 0..path.events.len()) {
            let (read, write) = (&path.events[r], &path.events[w]);
            passages.insert(passage(read, write));
            // A read of what its own thread writes later needs no other thread.
            let inside = read.instance == write.instance;
            if r != w
                && read.loc == write.loc
                && refused.insert((inside, seen(read), seen(write)))
                && !keeps.refuses_own(&seen(read), &seen(write), inside)
            {
                return true;
            }
        }
    }
    let passages: Vec<Passage> = passages.into_iter().collect();
    let follows = |a: usize, b: usize| passages[a].0 != passages[b].0 && passages[a].2 == passages[b].1;
    let round: FxHashSet<Passage> = (0..passages.len())
        .filter(|n| reaches(passages.len(), *n, *n, &follows))
        .map(|n| passages[n])
        .collect();
    if round.is_empty() {
        return false;
    }
    let n_paths = worlds.n_paths();
    if n_paths.iter().sum::<usize>() > MANY {
        return true;
    }
    let mut steps = Steps {
        test,
        keeps: &keeps,
        shapes: Vec::new(),
        known: FxHashMap::default(),
        all: FxHashSet::default(),
    };
    for (thread, own) in paths.iter().enumerate() {
        for (number, path) in own.iter().enumerate() {
            limits::poll();
            let events = &path.events;
            if !ends(events, 0..events.len()).any(|(r, w)| round.contains(&passage(&events[r], &events[w]))) {
                continue;
            }
            let mut chosen = vec![0; n_paths.len()];
            chosen[thread] = number;
            let (world, numbers) = worlds.world_of(&chosen);
            steps.take(&world, &numbers[thread], &round);
        }
    }
    !(0..keeps.n_checks()).any(|check| steps.are_refused_by(check))
}

/// Does no thread access a cell twice, or read and write in one instruction, or make a choice? Where the model keeps all else that events need in order, no execution with a cycle of
/// that and `rf` is accepted then.
pub(super) fn touch_cells_once(test: &Lowered, worlds: &Worlds) -> bool {
    let is_bound = |op: &Op| {
        matches!(
            op,
            Op::Choice { .. }
                | Op::Conditional { .. }
                | Op::Nondet { .. }
                | Op::Rmw { .. }
                | Op::CompareExchange { .. }
                | Op::Spawn { .. }
                | Op::Join { .. }
                | Op::Free { .. }
        )
    };
    let mut code = test.program.threads.iter().flat_map(|thread| &thread.code);
    if code.any(|instr| any_op(&instr.ops, is_bound)) {
        return false;
    }
    worlds.paths().iter().flatten().all(|path| {
        limits::poll();
        let accesses: Vec<&Event> = path.events.iter().filter(|e| e.is_read() || e.is_write()).collect();
        accesses.iter().enumerate().all(|(at, event)| {
            let apart = |other: &&Event| other.loc != event.loc && other.instance != event.instance;
            event.loc.is_some() && accesses[at + 1..].iter().all(apart)
        })
    })
}

fn seen(event: &Event) -> Shape<'_> {
    Shape { kind: event.kind, thread: event.thread, sets: &event.sets }
}

fn passage(read: &Event, write: &Event) -> Passage {
    let cell = |event: &Event| event.loc.map_or(u16::MAX, |loc| loc.0);
    (read.thread.unwrap_or(u16::MAX), cell(read), cell(write))
}

/// Reads, and writes that come after them or belong to the same instruction.
fn ends<'e>(
    events: &'e [Event],
    among: impl Iterator<Item = usize> + Clone + 'e,
) -> impl Iterator<Item = (usize, usize)> + 'e {
    let reads = among.clone().filter(|e| events[*e].is_read());
    reads.flat_map(move |read| {
        let instance = events[read].instance;
        let writes = among.clone().filter(|e| events[*e].is_write());
        writes.filter(move |write| events[*write].instance >= instance).map(move |write| (read, write))
    })
}

/// Is there a way of at least one step?
fn reaches(n: usize, from: usize, to: usize, follows: &dyn Fn(usize, usize) -> bool) -> bool {
    let mut seen = vec![false; n];
    let mut work = vec![from];
    while let Some(at) = work.pop() {
        for next in (0..n).filter(|next| follows(at, *next)) {
            if next == to {
                return true;
            }
            if !std::mem::replace(&mut seen[next], true) {
                work.push(next);
            }
        }
    }
    false
}

/// A way through a thread: what it reads, what it writes, and which checks have that step.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Through {
    read: usize,
    write: usize,
    kept: Vec<bool>,
}

/// Kinds of events: what it is, its thread, its cell and its sets.
type Seen = (EventKind, Option<u16>, Option<u16>, Vec<SetName>);

/// What is known of a way from a read to a write: the kinds of its events, their dependencies, and which access one cell.
type Signature = (Vec<usize>, [Vec<(usize, usize)>; 3], Vec<(usize, usize)>);

struct Steps<'s> {
    test: &'s Lowered,
    keeps: &'s Keeps<'s>,
    shapes: Vec<Seen>,
    known: FxHashMap<Signature, Vec<bool>>,
    all: FxHashSet<Through>,
}

impl Steps<'_> {
    fn shape(&mut self, event: &Event) -> usize {
        let seen = (event.kind, event.thread, event.loc.map(|loc| loc.0), event.sets.clone());
        self.shapes.iter().position(|known| *known == seen).unwrap_or_else(|| {
            self.shapes.push(seen);
            self.shapes.len() - 1
        })
    }

    fn drawn(&self, shape: usize) -> Shape<'_> {
        let (kind, thread, _, sets) = &self.shapes[shape];
        Shape { kind: *kind, thread: *thread, sets }
    }

    /// Takes the steps of one path of a thread that lie on a way round.
    fn take(&mut self, world: &World, own: &[u32], round: &FxHashSet<Passage>) {
        let own: Vec<usize> = own.iter().map(|e| *e as usize).filter(|e| *e < world.n_main).collect();
        let events = &world.events;
        for (read, write) in ends(events, own.iter().copied()) {
            if !round.contains(&passage(&events[read], &events[write])) {
                continue;
            }
            let kept = match events[read].instance == events[write].instance {
                // It is one event: nothing is to be kept in order.
                true if read == write => vec![true; self.keeps.n_checks()],
                true if events[read].loc != events[write].loc => vec![false; self.keeps.n_checks()],
                true => {
                    let (r, w) = (self.shape(&events[read]), self.shape(&events[write]));
                    self.keeps.inside(&self.drawn(r), &self.drawn(w))
                }
                false => self.through(world, &own, read, write),
            };
            let (read, write) = (self.shape(&events[read]), self.shape(&events[write]));
            self.all.insert(Through { read, write, kept });
        }
    }

    /// Which checks keep a read before a later write, for one reason or another?
    fn through(&mut self, world: &World, own: &[usize], read: usize, write: usize) -> Vec<bool> {
        let (from, to) = (world.events[read].instance, world.events[write].instance);
        let between = |e: &&usize| (from + 1..to).contains(&world.events[**e].instance);
        let mut kept = self.has(world, &[read, write]);
        for via in own.iter().filter(between) {
            if kept.iter().all(|kept| *kept) {
                break;
            }
            let more = self.has(world, &[read, *via, write]);
            kept.iter_mut().zip(more).for_each(|(kept, more)| *kept |= more);
        }
        kept
    }

    /// Which checks have the step from the first to the last of these events?
    fn has(&mut self, world: &World, events: &[usize]) -> Vec<bool> {
        let dependencies = world.dependencies(self.test.program.conventions);
        let pairs = |holds: &dyn Fn(usize, usize) -> bool| {
            let all = (0..events.len()).flat_map(|a| (a + 1..events.len()).map(move |b| (a, b)));
            all.filter(|(a, b)| holds(events[*a], events[*b])).collect::<Vec<_>>()
        };
        let depends = [&dependencies.addr, &dependencies.data, &dependencies.ctrl]
            .map(|relation| pairs(&|a, b| relation.contains(a, b)));
        let cell = |e: usize| world.events[e].loc;
        let same_cell = pairs(&|a, b| cell(a).is_some() && cell(a) == cell(b));
        let shapes = events.iter().map(|e| self.shape(&world.events[*e])).collect();
        let signature: Signature = (shapes, depends, same_cell);
        if let Some(known) = self.known.get(&signature) {
            return known.clone();
        }
        let (shapes, depends, same_cell) = signature.clone();
        let events = shapes.iter().map(|shape| self.drawn(*shape)).collect();
        let has = self.keeps.through(&Way { events, depends, same_cell });
        self.known.insert(signature, has.clone());
        has
    }

    /// Does one check have every step of every way round?
    fn are_refused_by(&self, check: usize) -> bool {
        let all: Vec<&Through> = self.all.iter().collect();
        let follows = |a: usize, b: usize| {
            let (write, read) = (&self.shapes[all[a].write], &self.shapes[all[b].read]);
            write.1 != read.1 && write.2 == read.2
        };
        let is_read = |a: usize, b: usize| {
            self.keeps.between(&self.drawn(all[a].write), &self.drawn(all[b].read))[check]
        };
        (0..all.len()).all(|a| {
            (all[a].kept[check] || !reaches(all.len(), a, a, &follows))
                && (0..all.len())
                    .filter(|b| follows(a, *b))
                    .all(|b| is_read(a, b) || !(a == b || reaches(all.len(), b, a, &follows)))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::may_be;
    use crate::execution::unfold;
    use crate::session::{Input, Session, Settings, check_model};

    /// May the test have such a cycle under the model?
    fn answer(text: &str, model: &str) -> bool {
        let session = Session::new(Settings::default());
        let report = session.check(&Input::Text { name: "t.litmus".to_string(), text: Arc::from(text) });
        let test = report.answer.expect("a test").test;
        let model = check_model(&Settings::default(), model, Some(test.arch), false).model.expect("a model");
        let worlds = unfold(&test.program, 2, &[]).expect("worlds");
        may_be(&test, &model, &[], &worlds)
    }

    /// Two threads that each read a cell and write the other, with something between.
    fn riscv(first: &[&str], second: &[&str]) -> String {
        let [first, second] = [("x6", "x7", first), ("x7", "x6", second)].map(|(from, to, between)| {
            let mut code = vec![format!("lw x5,0({from})")];
            code.extend(between.iter().map(ToString::to_string));
            code.push(format!("sw x8,0({to})"));
            code
        });
        let line = |code: &[String], n: usize| code.get(n).cloned().unwrap_or_default();
        let rows: String = (0..first.len().max(second.len()))
            .map(|n| format!(" {} | {} ;\n", line(&first, n), line(&second, n)))
            .collect();
        format!(
            "RISCV lb\n{{ 0:x6=x; 0:x7=y; 1:x6=x; 1:x7=y; 0:x8=1; 1:x8=1; }}\n P0 | P1 ;\n{rows}exists (0:x5=1)\n"
        )
    }

    #[test]
    fn loads_that_are_overtaken_make_a_cycle() {
        let fence = &["fence rw,rw"][..];
        let depends = &["xor x8,x5,x5", "ori x8,x8,1"][..];
        let branches = &["bne x5,x0,L0", "L0: nop"][..];
        let later = &["bne x5,x0,L1", "L1: nop"][..];
        for (first, second, expected) in [
            (&[][..], &[][..], true),
            (fence, &[], true),
            (fence, fence, false),
            (fence, depends, false),
            (depends, depends, false),
            (branches, later, false),
            (depends, &[], true),
            (&["fence w,w"], fence, true),
            (&["fence r,w"], fence, false),
        ] {
            let text = riscv(first, second);
            assert_eq!(answer(&text, "riscv"), expected, "{text}");
        }
        assert!(!answer(&riscv(&[], &[]), "tso"), "program order is kept");
    }

    #[test]
    fn cells_that_lead_nowhere_make_no_cycle() {
        let text = "RISCV mp\n{ 0:x6=x; 0:x7=y; 1:x6=x; 1:x7=y; 0:x8=1; }\n P0 | P1 ;\n sw x8,0(x6) | lw x5,0(x7) ;\n sw x8,0(x7) | lw x9,0(x6) ;\nexists (1:x5=1)\n";
        assert!(!answer(text, "riscv"));
    }

    /// Likewise, in the kernel's words.
    fn kernel(first: &str, second: &str) -> String {
        format!(
            "C lb\n{{}}\nP0(int *x, int *y) {{ {first} }}\nP1(int *x, int *y) {{ {second} }}\nexists (0:r=1)\n"
        )
    }

    #[test]
    fn the_kernel_keeps_conditions_and_fences() {
        let plain = "int r = READ_ONCE(*x); WRITE_ONCE(*y, 1);";
        let conditional = "int r = READ_ONCE(*x); if (r) WRITE_ONCE(*y, 1);";
        let fenced = "int r = READ_ONCE(*y); smp_mb(); WRITE_ONCE(*x, 1);";
        let released = "int r = READ_ONCE(*y); smp_store_release(x, 1);";
        let weak = "int r = READ_ONCE(*y); smp_wmb(); WRITE_ONCE(*x, 1);";
        let unmarked = "int r = *y; if (r) *x = 1;";
        for (first, second, expected) in [
            (plain, fenced, true),
            (conditional, fenced, false),
            (conditional, released, false),
            (conditional, weak, true),
            (conditional, unmarked, true),
        ] {
            assert_eq!(answer(&kernel(first, second), "lkmm"), expected, "{first} {second}");
        }
    }

    #[test]
    fn power_keeps_what_depends() {
        let text = |middle: &str| {
            format!(
                "PPC lb\n{{ 0:r2=x; 0:r4=y; 1:r2=y; 1:r4=x; 0:r3=1; 1:r3=1; }}\n P0 | P1 ;\n lwz r1,0(r2) | lwz r1,0(r2) ;\n{middle} stw r3,0(r4) | stw r3,0(r4) ;\nexists (0:r1=1)\n"
            )
        };
        assert!(answer(&text(""), "ppc"));
        assert!(!answer(&text(" sync | lwsync ;\n"), "ppc"));
        assert!(answer(&text(" sync | isync ;\n"), "ppc"));
        assert!(!answer(&text(" xor r3,r1,r1 | cmpw r1,r1 ;\n addi r3,r3,1 | beq L0 ;\n | L0: ;\n"), "ppc"));
    }
}
