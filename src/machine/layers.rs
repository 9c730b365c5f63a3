//! States layer by layer: those that one step leads to, those that two lead to, and so on, by one worker or by many.
//!
//! A layer is cut into chunks. Workers expand chunks, each step by looking at what is known of its thread and the memory, and sort the rows they come to by the
//! part of the store that they belong to; then workers put the rows of one part each into it, chunk after chunk. So nobody waits for
//! anybody, and numbers, ways and answers are the same however many work. What is not known yet of a thread is found out in between.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustc_hash::FxHashMap;

use super::fair::FairSets;
use super::labels::Labels;
use super::ltl::automaton::{Automaton, Step as Taken};
use super::ltl::emptiness::{Lasso, accepting_run};
use super::ltl::formula::Formula;
use super::proposition::Propositions;
use super::rows::{Full, NOWHERE, PARTS, Part, Rows, mixed, part_of};
use super::state::Parts;
use super::step::{Known, Machine, Step};
use super::stored::Stored;
use crate::diag::Diagnostic;
use crate::limits::{self, Stopped};

/// What is looked for.
#[derive(Clone, Copy)]
pub(super) enum Sought<'a> {
    /// Nothing: every state is wanted.
    All,
    /// A state where a formula without temporal operators holds.
    State(&'a Formula),
    /// A state after which nothing can save a run any more: the automaton, which walks alongside, then accepts whatever comes.
    Loss(&'a Automaton),
    /// A run that the automaton accepts.
    Run(&'a Automaton),
}

/// What was found.
pub(super) enum Found {
    Nothing,
    /// A state that was sought, and those on the way to it.
    State(Vec<u32>),
    /// A run.
    Run(Lasso),
}

/// A search.
pub(super) struct Layers<'a, 'p> {
    pub machine: Machine<'p>,
    pub labels: Labels<'a>,
    /// A row per state; with an automaton, its state comes last.
    pub rows: Rows,
    sought: Sought<'a>,
    /// States of the automaton from which everything is accepted.
    lost: Vec<bool>,
    /// Leave out interleavings that differ in nothing that can be seen.
    reduced: bool,
    pub transitions: u64,
    /// Which runs count, and the steps, where a run is sought.
    fair: Option<FairSets>,
    stored: Option<Stored>,
}

/// So many states are a portion, and so many portions are expanded before what they lead to is stored.
const CHUNK: u32 = 1 << 11;
const BATCH: usize = 64;

/// Fewer states than this are not worth starting workers for.
const FEW: u32 = 1 << 9;

/// When there are so many states it is first asked whether there is a run.
const LOOK: usize = 1 << 10;

impl<'a, 'p> Layers<'a, 'p> {
    pub fn new(
        machine: Machine<'p>,
        propositions: &'a Propositions,
        sought: Sought<'a>,
        reduced: bool,
    ) -> Layers<'a, 'p> {
        let n_threads = machine.n_threads();
        let lost = match sought {
            Sought::Loss(automaton) => {
                (0..automaton.states.len() as u32).map(|state| automaton.accepts_all_from(state)).collect()
            }
            _ => Vec::new(),
        };
        let alongside = matches!(sought, Sought::Loss(_) | Sought::Run(_));
        let width = n_threads + 1 + usize::from(alongside);
        let labels = Labels::new(propositions, n_threads);
        Layers {
            machine,
            labels,
            rows: Rows::new(width),
            sought,
            lost,
            reduced,
            transitions: 0,
            fair: None,
            stored: None,
        }
    }

    /// Only fair runs count.
    pub fn fairly(self, fair: FairSets) -> Layers<'a, 'p> {
        Layers { fair: Some(fair), ..self }
    }

    /// Looks at the parts of states that came since the last time.
    fn keep_up(&mut self) -> Result<(), Diagnostic> {
        self.labels.keep_up(&self.machine.parts);
        self.fair.as_mut().map_or(Ok(()), |fair| fair.keep_up(&self.machine.parts))
    }

    /// Expands states until what is sought is met.
    ///
    /// # Errors
    /// The program does what the machine cannot do, or there are too many states.
    pub fn search(&mut self) -> Result<Found, Diagnostic> {
        let mut row = self.machine.initial()?;
        row.extend((row.len() < self.rows.width()).then_some(0));
        self.keep_up()?;
        let hash = mixed(&row);
        let part = &mut self.rows.parts[part_of(hash)];
        let (first, _) = part.number(&row, hash, Some(NOWHERE)).map_err(full)?;
        let all = match self.sought {
            Sought::Run(automaton) => {
                self.stored = Some(Stored::new(first));
                self.fair.as_ref().map_or(0, |fair| fair.all) | ((1u64 << automaton.n_sets) - 1)
            }
            _ => 0,
        };
        let mut done = [0u32; PARTS];
        let mut chunks: Vec<Chunk> = Vec::new();
        let mut next_look = LOOK;
        loop {
            let mut portions = Vec::new();
            for (part, done) in done.iter_mut().enumerate() {
                let end = self.rows.parts[part].len();
                let starts = (*done..end).step_by(CHUNK as usize);
                portions.extend(starts.map(|start| Portion { part, start, end: end.min(start + CHUNK) }));
                *done = end;
            }
            // Whether there is a run is asked now and then, and in the end.
            if (portions.is_empty() || self.rows.len() >= next_look)
                && let Some(mut stored) = self.stored.as_ref()
            {
                next_look = self.rows.len() * 3;
                let Ok(run) = accepting_run(&mut stored, all);
                if let Some(run) = run {
                    return Ok(Found::Run(run));
                }
            }
            if portions.is_empty() {
                return Ok(Found::Nothing);
            }
            let layer: u64 = portions.iter().map(|portion| u64::from(portion.end - portion.start)).sum();
            for batch in portions.chunks(BATCH) {
                if let Some(goal) = self.batch(batch, &mut chunks)? {
                    return Ok(Found::State(self.way_to(goal)));
                }
                self.tell(layer);
                limits::poll_holding(self.bytes());
            }
        }
    }

    fn tell(&self, layer: u64) {
        if let Some(watch) = &self.machine.options.watch {
            watch.tell(self.rows.len() as u64, self.transitions, layer);
        }
    }

    pub fn bytes(&self) -> usize {
        self.rows.bytes() + self.machine.bytes() + self.stored.as_ref().map_or(0, Stored::bytes)
    }

    /// The states on the way to one, with it.
    pub fn way_to(&self, goal: u32) -> Vec<u32> {
        let mut way = vec![goal];
        let mut at = goal;
        while self.rows.before(at) != NOWHERE {
            at = self.rows.before(at);
            way.push(at);
        }
        way.reverse();
        way
    }

    /// Expands some states and stores what they lead to.
    fn batch(&mut self, portions: &[Portion], chunks: &mut Vec<Chunk>) -> Result<Option<u32>, Diagnostic> {
        chunks.resize_with(portions.len().max(chunks.len()), Chunk::default);
        let chunks = &mut chunks[..portions.len()];
        let states: u32 = portions.iter().map(|portion| portion.end - portion.start).sum();
        let jobs = if states < FEW { 1 } else { self.machine.options.jobs.max(1) };
        let mut special = FxHashMap::default();
        self.expand(portions, chunks, jobs, &special, false);
        // What was not known is found out here, in the order of states; then the portions that lacked it are gone on with.
        if chunks.iter().any(|chunk| !chunk.unknown.is_empty()) {
            for chunk in chunks.iter() {
                for state in &chunk.unknown {
                    self.find_out(*state, &mut special)?;
                }
            }
            self.keep_up()?;
            self.expand(portions, chunks, jobs, &special, true);
        }
        for chunk in chunks.iter() {
            self.transitions += chunk.transitions;
            if chunk.goal.is_some() {
                return Ok(chunk.goal);
            }
        }
        let numbers = self.store(chunks, jobs).map_err(full)?;
        if let Some(stored) = &mut self.stored {
            stored.add(portions.iter().map(|portion| portion.part), chunks, &numbers);
        }
        Ok(None)
    }

    fn expand(
        &self,
        portions: &[Portion],
        chunks: &mut [Chunk],
        jobs: usize,
        special: &FxHashMap<u32, Vec<(usize, Step)>>,
        again: bool,
    ) {
        let expansion = Expansion {
            parts: &self.machine.parts,
            known: &self.machine.known,
            labels: &self.labels,
            rows: &self.rows,
            sought: self.sought,
            fair: self.fair.as_ref(),
            lost: &self.lost,
            reduced: self.reduced,
            special,
        };
        in_parallel(jobs, chunks, |number, chunk| {
            let portion = &portions[number];
            match again {
                false => expansion.portion(portion, chunk),
                true if !chunk.unknown.is_empty() => expansion.rest(portion, chunk),
                true => {}
            }
        });
    }

    /// Finds out what can be done in a state. What depends on more than a thread and the memory goes to `special`.
    fn find_out(
        &mut self,
        state: u32,
        special: &mut FxHashMap<u32, Vec<(usize, Step)>>,
    ) -> Result<(), Diagnostic> {
        let n_threads = self.machine.n_threads();
        let row = self.rows.get(state)[..=n_threads].to_vec();
        let mut all = Vec::new();
        let mut steps = Vec::new();
        let mut known = true;
        for thread in 0..n_threads {
            steps.clear();
            self.machine.steps(&row, thread, &mut steps)?;
            all.extend(steps.iter().map(|step| (thread, *step)));
            known &= self.machine.known.get(&row, thread).is_some();
        }
        if !known {
            special.insert(state, all);
        }
        limits::poll();
        Ok(())
    }

    /// Stores what was found; where steps are kept, the numbers of all of it, by part.
    fn store(&mut self, chunks: &[Chunk], jobs: usize) -> Result<Vec<Vec<u32>>, Full> {
        let width = self.rows.width();
        let keep = self.stored.is_some();
        let overflow = AtomicUsize::new(0);
        let mut numbers = vec![Vec::new(); PARTS];
        let mut parts: Vec<_> = self.rows.parts.iter_mut().zip(&mut numbers).collect();
        in_parallel(jobs, &mut parts, |at, (part, numbers)| {
            for chunk in chunks {
                for found in chunk.found[at].chunks_exact(width + 1) {
                    let (row, before) = (&found[..width], found[width]);
                    match part.number(row, mixed(row), Some(before)) {
                        Ok((number, _)) if keep => numbers.push(number),
                        Ok(_) => {}
                        Err(Full) => {
                            overflow.fetch_add(1, Ordering::Relaxed);
                            return;
                        }
                    }
                }
            }
        });
        if overflow.into_inner() > 0 { Err(Full) } else { Ok(numbers) }
    }
}

pub(super) fn full(_: Full) -> Diagnostic {
    Diagnostic::unsupported("ltl::too-large", "more states than there are numbers for".to_string())
}

/// Does something with each element, by several workers within the budget of this thread.
fn in_parallel<T: Send>(jobs: usize, all: &mut [T], work: impl Fn(usize, &mut T) + Sync) {
    if jobs <= 1 || all.len() <= 1 {
        all.iter_mut().enumerate().for_each(|(number, each)| work(number, each));
        return;
    }
    let budget = limits::current();
    let queue = Mutex::new(all.iter_mut().enumerate());
    let next = || queue.lock().unwrap_or_else(|poison| poison.into_inner()).next();
    let worker = || -> Result<(), Stopped> {
        budget.run(|| {
            while let Some((number, each)) = next() {
                work(number, each);
            }
        })
    };
    let stopped = std::thread::scope(|scope| {
        let workers: Vec<_> = (1..jobs).map(|_| scope.spawn(worker)).collect();
        let mut stopped = worker().err();
        for handle in workers {
            match handle.join() {
                Ok(ended) => stopped = stopped.or(ended.err()),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        stopped
    });
    if let Some(why) = stopped {
        limits::stop(why);
    }
}

/// States of one part to be expanded.
struct Portion {
    part: usize,
    start: u32,
    end: u32,
}

/// What a portion leads to.
pub(super) struct Chunk {
    /// By part: rows, each followed by the number of the state it was come from.
    found: Vec<Vec<u32>>,
    transitions: u64,
    /// The first state of the portion that is sought.
    goal: Option<u32>,
    /// States of which something is not known yet: from the first of them on, nothing is expanded.
    unknown: Vec<u32>,
    /// Where steps are kept: of each the part it leads to and the number of its acceptance sets among `masks`; how many each state has.
    pub steps: Vec<(u8, u32)>,
    pub degrees: Vec<u32>,
    pub masks: Vec<u64>,
    numbers: FxHashMap<u64, u32>,
    /// The acceptance sets of the last step, and their number: the next mostly has the same.
    last: Option<(u64, u32)>,
    /// To work with.
    row: Vec<u32>,
    next: Vec<(usize, Step)>,
    sets: Vec<u64>,
}

impl Default for Chunk {
    fn default() -> Chunk {
        Chunk {
            found: vec![Vec::new(); PARTS],
            transitions: 0,
            goal: None,
            unknown: Vec::new(),
            steps: Vec::new(),
            degrees: Vec::new(),
            masks: Vec::new(),
            numbers: FxHashMap::default(),
            last: None,
            row: Vec::new(),
            next: Vec::new(),
            sets: Vec::new(),
        }
    }
}

impl Chunk {
    fn clear(&mut self) {
        self.found.iter_mut().for_each(Vec::clear);
        self.transitions = 0;
        self.goal = None;
        self.unknown.clear();
        self.steps.clear();
        self.degrees.clear();
        self.masks.clear();
        self.numbers.clear();
        self.last = None;
    }

    #[inline]
    fn push(&mut self, before: u32) -> usize {
        let part = part_of(mixed(&self.row));
        let found = &mut self.found[part];
        found.extend_from_slice(&self.row);
        found.push(before);
        part
    }

    /// Notes a step and its acceptance sets.
    fn note(&mut self, part: usize, sets: u64) {
        let number = match self.last {
            Some((same, number)) if same == sets => number,
            _ => {
                let next = self.masks.len() as u32;
                let number = *self.numbers.entry(sets).or_insert(next);
                if number == next {
                    self.masks.push(sets);
                }
                self.last = Some((sets, number));
                number
            }
        };
        self.steps.push((part as u8, number));
    }
}

/// What workers look at while they expand states.
struct Expansion<'e, 'a> {
    parts: &'e Parts,
    known: &'e Known,
    labels: &'e Labels<'a>,
    rows: &'e Rows,
    sought: Sought<'a>,
    fair: Option<&'e FairSets>,
    lost: &'e [bool],
    reduced: bool,
    special: &'e FxHashMap<u32, Vec<(usize, Step)>>,
}

/// What becomes of a state.
enum Going<'e> {
    /// It is what was looked for.
    Sought,
    /// The automaton has no step from it.
    Nowhere,
    /// It is expanded: the propositions that hold in it, and the steps of the automaton.
    On(u64, &'e [Taken]),
}

impl<'a> Expansion<'_, 'a> {
    /// Expands states, as far as everything is known of them; what is not known of those after that is noted.
    fn portion(&self, portion: &Portion, chunk: &mut Chunk) {
        chunk.clear();
        let part = &self.rows.parts[portion.part];
        let first = self.states(part, portion.start..portion.end, chunk);
        for state in (first + 1..portion.end).map(|index| part.at(index)) {
            if let Going::On(..) = self.going(state)
                && !self.is_known(state)
            {
                chunk.unknown.push(state);
            }
            limits::poll();
        }
    }

    /// Expands the states that were left, now that everything is known.
    fn rest(&self, portion: &Portion, chunk: &mut Chunk) {
        let part = &self.rows.parts[portion.part];
        let done = portion.start + chunk.degrees.len() as u32;
        chunk.unknown.clear();
        self.states(part, done..portion.end, chunk);
    }

    /// Expands states up to the first that is sought, or of which something is not known: the index of that one.
    fn states(&self, part: &Part, range: Range<u32>, chunk: &mut Chunk) -> u32 {
        for index in range.clone() {
            let before = chunk.steps.len();
            self.state(part.at(index), chunk);
            if !chunk.unknown.is_empty() {
                return index;
            }
            chunk.degrees.push((chunk.steps.len() - before) as u32);
            if chunk.goal.is_some() {
                return range.end;
            }
            limits::poll();
        }
        range.end
    }

    /// Is known what every thread can do?
    fn is_known(&self, state: u32) -> bool {
        let row = self.rows.get(state);
        self.special.contains_key(&state)
            || (0..self.parts.locals.len()).all(|thread| self.known.get(row, thread).is_some())
    }

    /// Is a state sought, and if not, how does it go on?
    #[inline]
    fn going(&self, state: u32) -> Going<'a> {
        let row = self.rows.get(state);
        let holds = self.labels.hold(self.parts, row);
        let taken =
            |automaton: &'a Automaton| &automaton.states[row[self.parts.locals.len() + 1] as usize][..];
        match self.sought {
            Sought::All => Going::On(holds, &[]),
            Sought::State(formula) if formula.holds_now(holds) => Going::Sought,
            Sought::State(_) => Going::On(holds, &[]),
            Sought::Loss(automaton) => {
                let steps = taken(automaton);
                let mut enabled = steps.iter().filter(|step| step.enabled(holds)).peekable();
                if enabled.peek().is_none() {
                    Going::Nowhere
                } else if enabled.any(|step| self.lost[step.to as usize]) {
                    Going::Sought
                } else {
                    Going::On(holds, steps)
                }
            }
            Sought::Run(automaton) => {
                let steps = taken(automaton);
                match steps.iter().any(|step| step.enabled(holds)) {
                    true => Going::On(holds, steps),
                    false => Going::Nowhere,
                }
            }
        }
    }

    fn state(&self, state: u32, chunk: &mut Chunk) {
        let (holds, steps) = match self.going(state) {
            Going::On(holds, steps) => (holds, steps),
            Going::Nowhere => return,
            Going::Sought => {
                chunk.goal = Some(state);
                return;
            }
        };
        let row = self.rows.get(state);
        let n_threads = self.parts.locals.len();
        let mut next = std::mem::take(&mut chunk.next);
        next.clear();
        if self.followed(state, row, holds, steps, &mut next) {
            chunk.transitions += next.len() as u64;
            chunk.row.clear();
            chunk.row.extend_from_slice(row);
            let stays = self.fair.map_or(0, |fair| {
                fair.of(row, &next, &mut chunk.sets);
                fair.all
            });
            for (number, (thread, step)) in next.iter().enumerate() {
                step.apply(*thread, n_threads, &mut chunk.row);
                let sets = chunk.sets.get(number).copied().unwrap_or(0);
                self.found(state, holds, steps, sets, chunk);
                chunk.row.copy_from_slice(row);
            }
            if next.is_empty() {
                // Nothing moves any more: this state goes on for ever.
                self.found(state, holds, steps, stays, chunk);
            }
        } else {
            chunk.unknown.push(state);
        }
        chunk.next = next;
    }

    /// A state was come to: with every step that the automaton takes meanwhile.
    #[inline]
    fn found(&self, state: u32, holds: u64, steps: &[Taken], sets: u64, chunk: &mut Chunk) {
        if matches!(self.sought, Sought::All | Sought::State(_)) {
            chunk.push(state);
            return;
        }
        for step in steps.iter().filter(|step| step.enabled(holds)) {
            let last = chunk.row.len() - 1;
            chunk.row[last] = step.to;
            let part = chunk.push(state);
            if let Sought::Run(_) = self.sought {
                chunk.note(part, sets | step.accepts);
            }
        }
    }

    /// The steps that are followed from a state. Those of one thread are enough if they commute with whatever else may happen, change no
    /// proposition, and lead to states never met before, so that no step is put off round a cycle for ever. `false`: something is not known.
    fn followed(
        &self,
        state: u32,
        row: &[u32],
        holds: u64,
        steps: &[Taken],
        next: &mut Vec<(usize, Step)>,
    ) -> bool {
        if let Some(all) = self.special.get(&state) {
            next.extend_from_slice(all);
            return true;
        }
        let n_threads = self.parts.locals.len();
        for thread in 0..n_threads {
            let Some(known) = self.known.get(row, thread) else { return false };
            next.extend(known.iter().map(|step| (thread, *step)));
        }
        if !self.reduced {
            return true;
        }
        let mut to: Vec<u32> = Vec::new();
        for thread in 0..n_threads {
            let moves =
                || next.iter().filter(|(of, step)| *of == thread && step.landed().is_none()).map(|it| &it.1);
            let mut enough = moves().next().is_some() && moves().all(|step| step.alone);
            if !enough {
                continue;
            }
            for step in moves() {
                to.clear();
                to.extend_from_slice(row);
                step.apply(thread, n_threads, &mut to);
                enough = self.labels.hold(self.parts, &to) == holds
                    && steps.iter().filter(|step| step.enabled(holds)).all(|step| {
                        let last = to.len() - 1;
                        to[last] = step.to;
                        self.rows.find(&to).is_none()
                    });
                if !enough {
                    break;
                }
            }
            if enough {
                next.retain(|(of, step)| *of == thread && step.landed().is_none());
                return true;
            }
        }
        true
    }
}
