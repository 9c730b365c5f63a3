//! Proposals one after the other, until there is an answer.

use std::ops::ControlFlow;

use rustc_hash::{FxHashMap, FxHashSet};

use super::condition::Finals;
use super::emit;
use super::encode::Encoding;
use super::facts::Facts;
use super::graph::{Graph, NodeId};
use super::judge::{self, Verdict, judge};
use super::proposal::{Proposal, Reason};
use super::solver::{Lit, Solver};
use super::values::Values;
use crate::condition::{Observable, Quantifier};
use crate::diag::Diagnostic;
use crate::execution::{Bound, Cut, Path, View, Violation, World, Worlds, unfold_to};
use crate::explore::{self, Candidate, Found, Mode, Options, Raised, Registers, Sink};
use crate::limits;
use crate::litmus::Lowered;
use crate::model::{ChoiceId, Model};
use crate::outcome::{Count, Outcome};
use crate::program::Value;
use crate::relation::Rel;

/// What of a test is to be found out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asked {
    /// Everything.
    All,
    /// Only its outcomes, not which loops are cut and what goes wrong.
    Main,
}

/// Runs a test; what is found goes to the sink.
///
/// # Errors
/// As [`super::run`].
pub fn run_into(
    test: &Lowered,
    model: &Model,
    options: &Options,
    sink: Sink,
    asked: Asked,
) -> Result<Outcome, Diagnostic> {
    search(test, model, options, sink, false, &mut |search| search.all(asked))
}

/// Asks for one execution that decides the condition, and writes the clauses down, what was learnt on the way among them.
///
/// # Errors
/// As [`super::run`].
pub fn written(
    test: &Lowered,
    model: &Model,
    options: &Options,
    sink: Sink,
) -> Result<(Outcome, String), Diagnostic> {
    let mut text = String::new();
    let outcome = search(test, model, options, sink, true, &mut |search| {
        let assumed = search.deciding();
        let found = search.next(&assumed, Wanted::Asked);
        let answer = match &found {
            ControlFlow::Continue(Some(_)) => Some(true),
            ControlFlow::Continue(None) => Some(false),
            ControlFlow::Break(()) => None,
        };
        text = emit::dimacs(search.test, search.model, &search.encoding, search.paths, &assumed, answer);
        ControlFlow::Continue(())
    })?;
    Ok((outcome, text))
}

/// Unrolls a test, and does some work with a search for its executions.
pub(super) fn search(
    test: &Lowered,
    model: &Model,
    options: &Options,
    mut sink: Sink,
    keep: bool,
    work: &mut dyn FnMut(&mut Search) -> ControlFlow<()>,
) -> Result<Outcome, Diagnostic> {
    let bound = Bound {
        unroll: test.unroll.unwrap_or(options.unroll),
        events: options.bound_events,
        at: options.at_bound,
    };
    let cell = |o: &Observable| if let Observable::Loc(loc) = o { Some(*loc) } else { None };
    let mut cells: Vec<_> = test.observed.iter().filter_map(cell).collect();
    cells.sort_unstable();
    cells.dedup();
    let searched = limits::catch(|| {
        let mut worlds = unfold_to(&test.program, bound, &cells)?;
        sink.outcome.warnings = std::mem::take(&mut worlds.warnings);
        let forks: usize = worlds.n_paths().iter().map(|paths| paths.saturating_sub(1)).sum();
        sink.outcome.stats.speculated = forks as u64;
        refuse(test, &worlds)?;
        if worlds.n_paths().contains(&0) {
            return Ok(());
        }
        let graph = Graph::new(&worlds);
        let paths = worlds.paths();
        let mut search = Search::new(test, model, options, (&worlds, &graph, &paths), &mut sink, keep);
        let _ = work(&mut search);
        Ok(())
    });
    match searched {
        Err(why) => {
            let _ = sink.stop(why.into());
        }
        Ok(Err(diagnostic)) => return Err(diagnostic),
        Ok(Ok(())) => {}
    }
    sink.finish()
}

/// What this engine cannot do.
fn refuse(test: &Lowered, worlds: &Worlds) -> Result<(), Diagnostic> {
    let help = "`--engine worlds` runs every test";
    if worlds.has_updates() {
        let what = "page tables that hardware updates need another engine";
        return Err(Diagnostic::unsupported("sat::updates", what).help(help));
    }
    if test.shown.contains(&Observable::Assumed) {
        let what = "signatures that may collide need another engine";
        return Err(Diagnostic::unsupported("sat::signatures", what).help(help));
    }
    if !test.program.code_cells.is_empty() {
        let what = "instructions in memory need another engine";
        return Err(Diagnostic::unsupported("sat::code", what).help(help));
    }
    Ok(())
}

pub(super) struct Search<'s, 't> {
    pub test: &'s Lowered,
    pub model: &'s Model,
    options: &'s Options,
    worlds: &'s Worlds,
    pub graph: &'s Graph,
    pub paths: &'s [Vec<&'s Path>],
    pub sink: &'s mut Sink<'t>,
    pub encoding: Encoding<'s>,
    pub values: Values,
    pub finals: Finals<'s>,
    pub co: Option<ChoiceId>,
    raises_flags: bool,
}

/// What is asked of a proposal, besides that its values fit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Nothing.
    Values,
    /// That the model accepts it.
    Accepted,
    /// Also that its final state is one that the run asks for.
    Asked,
}

/// An execution.
pub(super) struct Accepted {
    pub proposal: Proposal,
    pub state: FxHashMap<Observable, Value>,
    flags: Vec<String>,
    undefined: bool,
    /// What its paths ask for and cannot be given.
    pub errors: Vec<Diagnostic>,
}

/// A proposal as an execution of a world.
pub(super) struct Placed {
    pub world: World,
    /// The node of each event, and its number in its path.
    nodes: Vec<NodeId>,
    locals: Vec<usize>,
    sources: Vec<usize>,
    by_event: Vec<Option<Value>>,
    last: Vec<usize>,
    pub co: Rel,
}

impl Placed {
    pub fn candidate(&self) -> Candidate<'_> {
        Candidate { sources: &self.sources, values: &self.by_event, last: &self.last }
    }
}

impl<'s, 't> Search<'s, 't> {
    fn new(
        test: &'s Lowered,
        model: &'s Model,
        options: &'s Options,
        (worlds, graph, paths): (&'s Worlds, &'s Graph, &'s [Vec<&'s Path>]),
        sink: &'s mut Sink<'t>,
        keep: bool,
    ) -> Search<'s, 't> {
        let mut encoding = Encoding::new(graph, keep);
        let mut values = Values::new(graph, test.program.bits);
        let observed = Finals::registers(&encoding, &test.observed);
        values.encode(&mut encoding, &observed);
        Search {
            test,
            model,
            options,
            worlds,
            graph,
            paths,
            sink,
            encoding,
            values,
            finals: Finals::new(worlds.cells()),
            co: judge::coherence(model),
            raises_flags: judge::raises_flags(model),
        }
    }

    fn all(&mut self, asked: Asked) -> ControlFlow<()> {
        // Who wants the condition decided wants that first.
        let main_first = self.options.mode == Mode::Check;
        if main_first {
            self.outcomes()?;
        }
        if asked == Asked::All {
            self.errors()?;
            self.cuts()?;
            self.violations()?;
        }
        if !main_first {
            self.outcomes()?;
        }
        ControlFlow::Continue(())
    }

    /// What is asked of an execution that has a final state.
    fn ended(&mut self) -> Vec<Lit> {
        let mut assumed = vec![
            self.encoding
                .no_path(self.paths, &|path| path.cut.is_some() || path.aborted || path.error.is_some()),
        ];
        if let Some(filter) = &self.test.filter {
            assumed.push(self.finals.prop(filter, true, &mut self.encoding, &mut self.values));
        }
        assumed
    }

    /// What is asked of an execution that decides the condition.
    fn deciding(&mut self) -> Vec<Lit> {
        let mut assumed = self.ended();
        let condition = &self.test.condition;
        let expected = condition.quantifier != Quantifier::Forall;
        assumed.push(self.finals.prop(&condition.prop, expected, &mut self.encoding, &mut self.values));
        assumed
    }

    /// Final states.
    fn outcomes(&mut self) -> ControlFlow<()> {
        let assumed = match self.options.mode == Mode::Check || self.options.speedcheck {
            true => self.deciding(),
            false => self.ended(),
        };
        let mut seen: FxHashSet<Vec<(Observable, Value)>> = FxHashSet::default();
        while let Some(found) = self.next(&assumed, Wanted::Asked)? {
            if let Some(error) = found.errors.into_iter().next() {
                return self.sink.fail(error);
            }
            let value = |observable: Observable| found.state.get(&observable).copied().unwrap_or(Value::ZERO);
            let flags: Vec<&str> = found.flags.iter().map(String::as_str).collect();
            self.sink
                .record(&value, &Found { flags: &flags, undefined: found.undefined, ways: &Count::ONE })?;
            let mut state: Vec<(Observable, Value)> =
                self.test.shown.iter().map(|shown| (*shown, value(*shown))).collect();
            state.sort_unstable();
            state.dedup();
            let is_new = seen.insert(state.clone());
            let literals = match is_new && !self.raises_flags {
                true => self.finals.state(&state, &mut self.encoding, &mut self.values),
                false => None,
            };
            match literals {
                Some(literals) => {
                    let clause: Vec<Lit> = literals.into_iter().map(|literal| !literal).collect();
                    self.encoding.clause(&clause);
                }
                None => self.learn(&found.proposal.whole(self.graph, true)),
            }
        }
        ControlFlow::Continue(())
    }

    /// Paths that cannot be answered for: an error, if the model accepts an execution that takes one.
    pub fn errors(&mut self) -> ControlFlow<()> {
        if self.paths.iter().flatten().any(|path| path.error.is_some()) {
            let some = self.encoding.some_path(self.paths, &|path| path.error.is_some());
            if let Some(found) = self.next(&[some], Wanted::Accepted)?
                && let Some(error) = found.errors.into_iter().next()
            {
                return self.sink.fail(error);
            }
        }
        if self.worlds.may_mix_sizes() {
            let mut assumed = vec![self.encoding.no_path(self.paths, &|path| path.error.is_some())];
            while let Some(found) = self.next(&assumed, Wanted::Accepted)? {
                if let Some(error) = found.errors.into_iter().next() {
                    return self.sink.fail(error);
                }
                // Not these paths again; sizes are all that is asked.
                let own = self.encoding.solver.variable(true);
                let mut clause = vec![!own];
                for (thread, path) in found.proposal.chosen.iter().enumerate() {
                    clause.push(!self.encoding.ways[thread][*path]);
                }
                self.encoding.clause(&clause);
                assumed.push(own);
            }
        }
        ControlFlow::Continue(())
    }

    /// Loops that are cut off on a path whose values fit, whatever the model says.
    pub fn cuts(&mut self) -> ControlFlow<()> {
        let mut cuts: Vec<Cut> = Vec::new();
        for cut in self.paths.iter().flatten().filter_map(|path| path.cut.as_ref()) {
            if !cuts.contains(cut) {
                cuts.push(cut.clone());
            }
        }
        for cut in cuts {
            let sound = self.encoding.no_path(self.paths, &|path| path.error.is_some());
            let some = self.encoding.some_path(self.paths, &|path| path.cut.as_ref() == Some(&cut));
            if self.next(&[sound, some], Wanted::Values)?.is_some() && !self.sink.outcome.cuts.contains(&cut)
            {
                self.sink.outcome.cuts.push(cut);
            }
        }
        ControlFlow::Continue(())
    }

    /// What accepted executions do wrong.
    fn violations(&mut self) -> ControlFlow<()> {
        let mut violations: Vec<Violation> =
            self.paths.iter().flatten().flat_map(|path| path.violations.iter().cloned()).collect();
        violations.sort_unstable();
        violations.dedup();
        for violation in violations {
            let sound = self.encoding.no_path(self.paths, &|path| path.error.is_some() || path.cut.is_some());
            let some = self.encoding.some_path(self.paths, &|path| path.violations.contains(&violation));
            if self.next(&[sound, some], Wanted::Accepted)?.is_some() {
                self.sink.outcome.violations.insert(violation);
            }
        }
        ControlFlow::Continue(())
    }

    fn learn(&mut self, reason: &Reason) {
        let clause = reason.clause(&mut self.encoding);
        self.encoding.clause(&clause);
    }

    /// The next execution. `None`: there is no other. A break: a limit, or an error.
    pub fn next(&mut self, assumed: &[Lit], wanted: Wanted) -> ControlFlow<(), Option<Accepted>> {
        loop {
            self.sink.outcome.stats.graphs += 1;
            self.sink.outcome.stats.proposals += 1;
            self.sink.outcome.stats.clauses = self.encoding.clauses;
            self.sink.look_at_limits()?;
            match self.encoding.solver.solve(assumed) {
                Some(true) => {}
                Some(false) => return ControlFlow::Continue(None),
                None => {
                    self.sink.look_at_limits()?;
                    continue;
                }
            }
            let proposal = Proposal::read(&self.encoding);
            if !proposal.turns.is_empty() {
                for [a, b, c] in proposal.turns.iter().copied() {
                    for [a, b, c] in [[a, b, c], [b, c, a], [c, a, b]] {
                        self.encoding.keep_transitive(a, b, c);
                    }
                }
                continue;
            }
            let values = match proposal.values(self.graph, self.test.program.bits) {
                Ok(values) => values,
                Err(reasons) => {
                    self.sink.value_conflict();
                    reasons.iter().for_each(|reason| self.learn(reason));
                    continue;
                }
            };
            if wanted == Wanted::Values {
                let (state, flags) = (FxHashMap::default(), Vec::new());
                let errors = Vec::new();
                return ControlFlow::Continue(Some(Accepted {
                    proposal,
                    state,
                    flags,
                    undefined: false,
                    errors,
                }));
            }
            match self.look(proposal, &values, wanted) {
                Ok(Some(accepted)) => return ControlFlow::Continue(Some(accepted)),
                Ok(None) => {}
                Err(diagnostic) => {
                    let _ = self.sink.fail(diagnostic);
                    return ControlFlow::Break(());
                }
            }
        }
    }

    /// Looks at a proposal with its values; if it is refused, the reasons are learnt.
    fn look(
        &mut self,
        proposal: Proposal,
        values: &FxHashMap<NodeId, Value>,
        wanted: Wanted,
    ) -> Result<Option<Accepted>, Diagnostic> {
        self.sink.outcome.stats.worlds += 1;
        let Some(placed) = self.placed(&proposal, values)? else {
            self.learn(&proposal.whole(self.graph, false));
            return Ok(None);
        };
        let Placed { world, nodes, locals, by_event, last, co, .. } = &placed;
        let names = explore::names(self.test, self.model, world);
        let view = View { world, names };
        let candidate = placed.candidate();
        let registers = Registers::new(&view, &self.test.observed);
        let finals = explore::Finals::new(&view, by_event, last, &registers);
        if wanted == Wanted::Asked && !self.sink.wanted(&|o| finals.value(o)) {
            self.learn(&proposal.whole(self.graph, true));
            return Ok(None);
        }
        let facts = Facts {
            model: self.model,
            graph: self.graph,
            paths: self.paths,
            world,
            proposal: &proposal,
            nodes,
            locals,
            co: self.co,
            po_inside: self.test.program.conventions.po_inside,
        };
        let plain = candidate.evaluation(self.model, &view);
        let Raised { flags, undefined } = match judge(&facts, plain, co, &self.options.skip_checks)? {
            Verdict::Accepted(raised) => raised,
            Verdict::Refused(reasons, cause) => {
                self.sink.pruned(&cause, 1);
                let mut blocked = false;
                for reason in reasons.iter().filter(|reason| proposal.has(reason, self.graph)) {
                    self.learn(reason);
                    blocked = true;
                }
                if !blocked {
                    debug_assert!(false, "a reason that is not one: {reasons:?}");
                    self.learn(&proposal.whole(self.graph, true));
                }
                return Ok(None);
            }
        };
        if world.errors.is_empty()
            && wanted == Wanted::Asked
            && let Some(illegal) = finals.illegal(&self.test.observed)
        {
            return Err(illegal);
        }
        if wanted == Wanted::Asked
            && let Some(look) = &mut self.sink.look
        {
            // One is enough, and its state is recorded as any other: that ends the search.
            let _ = look(world, &candidate);
        }
        // What the condition asks of faults, one by one, is not among what is observed.
        let faults = (0..self.test.program.faults.patterns.len()).map(|n| Observable::Fault(n as u16));
        let observed = self.test.observed.iter().chain(&self.test.shown).copied().chain(faults);
        let state = observed.map(|observable| (observable, finals.value(observable))).collect();
        Ok(Some(Accepted { state, flags, undefined, errors: world.errors.clone(), proposal }))
    }

    /// A proposal with its values, in its world. `None`: a read takes its value from where it cannot.
    pub fn placed(
        &self,
        proposal: &Proposal,
        values: &FxHashMap<NodeId, Value>,
    ) -> Result<Option<Placed>, Diagnostic> {
        let (world, numbers) = self.worlds.world_of(&proposal.chosen);
        let n = explore::names(self.test, self.model, &world).n;
        explore::fits(n)?;
        let (nodes, locals) = self.places(&world, proposal, &numbers);
        let mut events: FxHashMap<NodeId, usize> = FxHashMap::default();
        nodes.iter().enumerate().for_each(|(event, node)| {
            events.insert(*node, event);
        });
        let mut sources = Vec::with_capacity(world.reads.len());
        let mut by_event: Vec<Option<Value>> = vec![None; world.events.len()];
        for (read, candidates) in &world.reads {
            let source = proposal.sources.get(&nodes[*read]).and_then(|write| events.get(write));
            let Some(write) = source.filter(|write| candidates.contains(write)) else { return Ok(None) };
            sources.push(*write);
            by_event[*read] = values.get(&nodes[*read]).copied();
        }
        let last_of =
            |place: usize| proposal.orders[place].last().and_then(|write| events.get(write)).copied();
        let last = world.observed.iter().filter_map(|loc| last_of(usize::from(loc.0))).collect();
        let co = judge::order(n, &proposal.orders, &|node| events.get(&node).copied());
        Ok(Some(Placed { world, nodes, locals, sources, by_event, last, co }))
    }

    /// The node of each event of a world, and its number in its path.
    fn places(&self, world: &World, proposal: &Proposal, numbers: &[Vec<u32>]) -> (Vec<NodeId>, Vec<usize>) {
        let mut nodes = vec![0; world.events.len()];
        let mut locals = vec![0; world.events.len()];
        for (event, node) in world.events.iter().zip(&mut nodes) {
            if let (None, Some(loc)) = (event.thread, event.loc) {
                *node = self.graph.initial[usize::from(loc.0)];
            }
        }
        for (thread, numbers) in numbers.iter().enumerate() {
            let way = &self.graph.threads[thread].ways[proposal.chosen[thread]];
            for (local, (number, node)) in numbers.iter().zip(&way.nodes).enumerate() {
                nodes[*number as usize] = *node;
                locals[*number as usize] = local;
            }
        }
        (nodes, locals)
    }
}
