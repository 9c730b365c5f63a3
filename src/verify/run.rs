//! A program under a model: its executions, and what they violate.

use std::sync::Arc;

use crate::arch::ArchId;
use crate::arch::c::unit::lower::{Machine, Orders, not_all};
use crate::diag::Diagnostic;
use crate::execution;
use crate::grow::{self, Lists, Visitor};
use crate::limits::{self, Gauge, Stopped};
use crate::model::Model;
use crate::program::control::ENDLESS_LOOP;
use crate::program::shapes::{Reshape, Shapes};
use crate::program::{Program, Property};
use crate::sat::merged;
use crate::source::Span;

use super::addresses::Addresses;
use super::ahead::while_looking_ahead;
use super::check::Part;
use super::closed::{self, Rest};
use super::load::Loaded;
use super::loose::{self, Left};
use super::overtaken::overtaken;
use super::parts;
use super::recorder::Recorder;
use super::trace::{self, Step};
use super::{auto, shallow, solve, states};

/// How to run it.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Loops run at most so often; without a bound, as often as it takes.
    pub unroll: Option<u32>,
    /// Does the bound count passes, too, that numbers decide which are known?
    pub every_pass: bool,
    /// Look for every violation, not only the first.
    pub keep_going: bool,
    /// What the memory orders of C have become.
    pub orders: Orders,
    /// Properties that are not looked at.
    pub ignore: Vec<Kind>,
    /// Is a data race a violation under a model that has no rule for it?
    pub races: bool,
    /// List all executions in which a thread waits, and not only those in which it cannot but wait.
    pub all_blocked: bool,
    /// Run loops that only wait round by round.
    pub every_round: bool,
    /// Count executions, too, that differ only in which of several threads is which.
    pub every_thread: bool,
    /// Told now and then how far it is.
    pub gauge: Option<Arc<Gauge>>,
    /// Functions that call themselves were inlined so deep.
    pub recursion: u32,
    /// Do the ends of passes through loops say whether they changed anything?
    pub marks_waits: bool,
    /// How.
    pub engine: Engine,
    /// Workers; none: one.
    pub jobs: usize,
    /// Give up after so many looks at the limits; none: go on.
    pub looks: Option<u32>,
}

impl Settings {
    /// Is one violation enough, and nothing said of how far loops go? Then whatever finds the answer sooner may do so.
    pub(super) fn takes_any_way(&self) -> bool {
        !self.keep_going && !self.every_round && self.unroll.is_none()
    }
}

/// How a program is run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Engine {
    /// Its executions grow, one after the other.
    #[default]
    Grow,
    /// A solver proposes executions.
    Sat,
    /// The first, and the second where that would take too long.
    Auto,
    /// Its states are gone through, each once.
    States,
}

/// Kinds of properties.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Kind {
    /// Data races.
    Race,
    /// Locks given back by others, used after their end.
    Lock,
    /// Threads that wait for each other.
    Deadlock,
    /// Loops that wait for ever.
    Liveness,
    /// Objects used outside their life, as far as two threads take part in it.
    Memory,
}

impl Kind {
    pub(super) fn of(property: &Property) -> Option<Kind> {
        Some(match property {
            Property::Race | Property::BeforeLife => Kind::Race,
            Property::Lock(_) => Kind::Lock,
            Property::Deadlock => Kind::Deadlock,
            Property::Liveness | Property::Livelock => Kind::Liveness,
            Property::UseAfterFree | Property::DoubleFree => Kind::Memory,
            _ => return None,
        })
    }
}

/// What is known of a program.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The verdict.
    pub verdict: Verdict,
    /// Executions in which every thread came to its end.
    pub complete: u64,
    /// Executions in which a thread waits for what never comes.
    pub blocked: u64,
    /// Executions in which a loop was cut.
    pub cut: u64,
    /// Executions that violate a property.
    pub violating: u64,
    /// One violation of each kind and place.
    pub violations: Vec<Violation>,
    /// The loops that were cut, and the calls of functions inside themselves.
    pub cuts: Vec<Cut>,
    /// Some execution calls a function deeper in itself than it was inlined.
    pub too_deep: bool,
    /// What is not wrong under this model, but under C's own rules.
    pub warnings: Vec<Violation>,
    /// What could not be answered.
    pub errors: Vec<Diagnostic>,
    /// Why the search did not come to its end, if it was stopped.
    pub stopped: Option<Stopped>,
    /// Who gave the answer.
    pub by: By,
    /// Were executions counted as one that differ only in which of several threads is which?
    pub symmetric: bool,
    /// How the program has to be made again, so that its accesses fit the memory that they go to.
    pub reshapes: Vec<Reshape>,
    /// Was the search given up, after as many looks at the limits as it was given?
    pub(super) gave_up: bool,
    /// What the search did, where it came to its end.
    pub work: Option<grow::Stats>,
    /// What the search with holes did besides, where there was one.
    pub with_holes: Option<grow::Stats>,
}

/// Who gives an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum By {
    /// Executions that grow, one after the other.
    Growing,
    /// A solver, which counts no executions.
    Solver(merged::Stats),
    /// So many states, each of which was looked at once. Of all executions that end in one state, one counts.
    States(u64),
}

impl Answer {
    /// Before anything is known.
    pub(super) fn none(by: By) -> Answer {
        Answer {
            verdict: Verdict::Safe,
            complete: 0,
            blocked: 0,
            cut: 0,
            violating: 0,
            violations: Vec::new(),
            warnings: Vec::new(),
            cuts: Vec::new(),
            too_deep: false,
            errors: Vec::new(),
            stopped: None,
            by,
            symmetric: false,
            reshapes: Vec::new(),
            gave_up: false,
            work: None,
            with_holes: None,
        }
    }

    /// Was it given up because an execution went on and on?
    fn is_endless(&self) -> bool {
        let endless = |error: &Diagnostic| [grow::TOO_MANY_EVENTS, ENDLESS_LOOP].contains(&error.code);
        self.violating == 0
            && self.stopped.is_none()
            && self.reshapes.is_empty()
            && !self.errors.is_empty()
            && self.errors.iter().all(endless)
    }

    /// Some execution was cut there.
    pub(super) fn was_cut(&mut self, cut: &execution::Cut) {
        let is_recursion = cut.label == "Recursion";
        self.too_deep |= is_recursion;
        let cut = Cut { span: cut.span, is_recursion };
        if !self.cuts.contains(&cut) {
            self.cuts.push(cut);
        }
    }

    /// The verdict that follows from what was found within a bound.
    pub(super) fn conclude(&mut self, program: &Program, bound: u32) {
        if self.violating == 0 && self.errors.is_empty() && self.stopped.is_none() {
            self.errors.extend(program.samples.iter().map(|span| not_all(*span)));
        }
        self.verdict = match () {
            () if self.violating > 0 => Verdict::Unsafe,
            () if self.stopped.is_some() || self.gave_up || !self.errors.is_empty() => Verdict::Unknown,
            () if self.cut > 0 => Verdict::SafeUpTo(bound),
            () => Verdict::Safe,
        };
    }
}

/// Where executions were cut.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Cut {
    /// Where.
    pub span: Span,
    /// A function that calls itself, not a loop?
    pub is_recursion: bool,
}

/// The verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Verdict {
    /// No execution violates anything.
    Safe,
    /// None within the bound; some execution reaches it.
    SafeUpTo(u32),
    /// One does.
    Unsafe,
    /// The search did not come to its end.
    Unknown,
}

/// A violated property.
#[derive(Clone, Debug)]
pub struct Violation {
    /// Which.
    pub property: Property,
    /// Who takes part in it, and where: one thread, or two that race, or all that wait.
    pub parts: Vec<Part>,
    /// How many executions violate it there, as far as was counted.
    pub executions: u64,
    /// One of them, as a schedule.
    pub trace: Vec<Step>,
}

/// What the memory orders of C become under a model.
///
/// # Errors
/// The model has no meaning for them.
pub fn orders_for(model: &Model, arch: Option<ArchId>) -> Result<Orders, Diagnostic> {
    if model.looks_at(&["RLX", "ACQ", "REL", "ACQ_REL", "CON"]) {
        let branches = model.looks_at(&["ctrl"]);
        return Ok(if branches { Orders::Dependent } else { Orders::Sets });
    }
    let machine = match (model.name.as_str(), arch) {
        ("LKMM", _) => Some(Machine::Kernel),
        (_, arch) => arch.and_then(Machine::of),
    };
    match (model.name.as_str(), machine, arch) {
        ("SC" | "TSO" | "PSO" | "ASE18-TSO" | "ASE18-PSO", ..) => Ok(Orders::Fences),
        (_, Some(machine), _) => Ok(Orders::Machine(machine)),
        (name, None, None | Some(ArchId::C)) => Err(Diagnostic::unsupported(
            "verify::model",
            format!("the model `{name}` has no meaning for the memory orders of C"),
        )
        .help(MODELS)),
        (name, None, Some(arch)) => Err(Diagnostic::unsupported(
            "verify::model",
            format!("`{name}` is a model of {} programs, not of C", arch.name()),
        )
        .help(MODELS)),
    }
}

/// Do the models that such orders are for say themselves what a data race is? The kernel's does, and differently from C's: dependencies count.
pub(super) fn has_race_rule(orders: Orders) -> bool {
    matches!(orders, Orders::Sets | Orders::Machine(Machine::Kernel))
}

/// What to run programs under.
const MODELS: &str = "rc11, rc20, imm, sc, tso, pso, aarch64, armv7, ppc, riscv and lkmm run C programs";

/// Must the ends of passes through loops say whether they changed anything?
pub fn marks_waits(model: &Model) -> bool {
    !grow::sees_waiting(model)
}

/// Runs a program under a model.
///
/// # Errors
/// The model does not fit the engine.
pub fn run(program: &Program, model: &Model, settings: &Settings) -> Result<Answer, Diagnostic> {
    let races = settings.races || has_race_rule(settings.orders);
    if (!races || settings.ignore.contains(&Kind::Race))
        && let Some(why) = parts::torn(program)
    {
        return Err(why);
    }
    match settings.engine {
        Engine::Grow => grown(program, model, settings),
        Engine::Sat => solve::solved(program, model, settings),
        Engine::Auto => auto::either(program, model, settings),
        Engine::States => states::only(program, model, settings),
    }
}

/// Why executions of programs cannot grow under a model, said to one who runs a program.
pub(super) fn unfit(why: Diagnostic) -> Diagnostic {
    Diagnostic::unsupported("verify::model", why.message).help(MODELS)
}

/// What came of a program, if it was run.
pub type Ran = Option<Result<Answer, Diagnostic>>;

/// How often a program is made again.
const MOST_SHAPES: usize = 1000;

/// Reads a program and runs it; again, as long as its memory turns out to be accessed in sizes that it was not made for.
pub fn run_fitted(load: impl Fn(&Shapes) -> Loaded, run: impl Fn(&Program) -> Ran) -> (Loaded, Ran) {
    let mut shapes = Shapes::default();
    for _ in 0..MOST_SHAPES {
        let loaded = load(&shapes);
        let ran = loaded.program.as_ref().and_then(&run);
        let asked = match &ran {
            // Where every violation is asked for, some may have been found before.
            Some(Ok(answer)) if !answer.errors.is_empty() => answer.reshapes.clone(),
            _ => Vec::new(),
        };
        let new = asked.into_iter().filter(|reshape| shapes.add(reshape.clone())).count();
        if new == 0 {
            return (loaded, ran);
        }
    }
    let loaded = load(&shapes);
    let ran = loaded.program.as_ref().and_then(run);
    (loaded, ran)
}

/// Runs a program by growing its executions, and looks for those that do not grow.
pub(super) fn grown(program: &Program, model: &Model, settings: &Settings) -> Result<Answer, Diagnostic> {
    let by_states = states::would_do(program, model, settings);
    let by_rounds = shallow::would_do(program, settings);
    let patience = by_states.or_else(|| by_rounds.then_some(shallow::PATIENCE));
    let Some(patience) = patience else {
        return complete(program, model, settings, searched(program, model, settings)?);
    };
    let brief = Settings { looks: Some(patience), ..settings.clone() };
    let (answer, leaves_out) = searched(program, model, &brief)?;
    let is_endless = by_states.is_some() && answer.is_endless();
    if !(answer.gave_up || is_endless) {
        return complete(program, model, settings, (answer, leaves_out));
    }
    if by_states.is_some()
        && let Some(answer) = states::run(program, model, settings)?
    {
        return Ok(answer);
    }
    let bounded = match by_rounds && !shallow::ends_soon(&answer) {
        true => shallow::search(program, model, settings)?,
        false => None,
    };
    let within = |found: shallow::Bounded| {
        let mut answer = found.answer;
        answer.conclude(program, found.bound);
        Ok(answer)
    };
    match bounded {
        Some(found) if found.answer.violating > 0 => within(found),
        Some(found) if found.settles() => {
            complete(program, model, settings, (found.answer, found.leaves_out))
        }
        found => {
            let (answer, leaves_out) = searched(program, model, settings)?;
            match found {
                // What is known within a bound is better than nothing.
                Some(found) if answer.stopped.is_some() && !found.leaves_out => within(found),
                _ => complete(program, model, settings, (answer, leaves_out)),
            }
        }
    }
}

/// What is left where executions have grown: bounds, and those that do not grow.
fn complete(
    program: &Program,
    model: &Model,
    settings: &Settings,
    (mut answer, mut leaves_out): (Answer, bool),
) -> Result<Answer, Diagnostic> {
    let mut bound = settings.unroll.unwrap_or(settings.recursion);
    if settings.unroll.is_none() && answer.is_endless() {
        (answer, leaves_out, bound) = deepening(program, model, settings, (answer, leaves_out, bound))?;
    }
    let settled = answer.violating > 0
        || answer.stopped.is_some()
        || !answer.errors.is_empty()
        || !answer.reshapes.is_empty();
    if !leaves_out || settled {
        answer.conclude(program, bound);
        return Ok(answer);
    }
    let load = match settings.orders {
        Orders::Dependent | Orders::Machine(_) => match limits::catch(|| {
            let keeps = grow::Keeps::new(program, model, &[]);
            overtaken(program, keeps.as_ref())
        }) {
            Ok(None) => {
                answer.conclude(program, bound);
                return Ok(answer);
            }
            Ok(load) => load,
            Err(why) => {
                answer.stopped = Some(why);
                answer.conclude(program, bound);
                return Ok(answer);
            }
        },
        _ => None,
    };
    // A search that needed a bound is not made again.
    let as_is = bound == settings.unroll.unwrap_or(settings.recursion);
    let suffices = as_is && loose::suffices(program, model, settings);
    let rest = match suffices {
        true => loose::search(program, model, settings, &mut answer)?,
        false => closed::rest(program, model, settings)?,
    };
    match rest {
        Rest::Safe => answer.conclude(program, bound),
        Rest::UpTo(unroll, cuts) => {
            answer.cut += 1;
            answer.cuts.extend(cuts.into_iter().map(|span| Cut { span, is_recursion: false }));
            answer.conclude(program, unroll);
        }
        Rest::Violated(violation) => {
            answer.violating += 1;
            answer.violations.push(*violation);
            answer.conclude(program, bound);
        }
        Rest::Stopped(why) => {
            answer.stopped = Some(why);
            answer.conclude(program, bound);
        }
        Rest::Unknown(why) => {
            let left = match as_is && !suffices {
                true => loose::hunt(program, model, settings, &mut answer)?,
                false => Left::All,
            };
            if answer.violating > 0 {
                answer.conclude(program, bound);
                return Ok(answer);
            }
            let left_out = loose::left_out(model, left, &why);
            answer.errors.push(match load {
                Some(load) => left_out.at(load, "a later store may overtake this load"),
                None => left_out,
            });
            answer.conclude(program, bound);
        }
    }
    Ok(answer)
}

/// What a search found.
pub(super) struct Searched {
    pub answer: Answer,
    /// Does the model accept executions that were not listed?
    pub leaves_out: bool,
    /// Did something hang on what it was not known to hang on?
    pub astray: bool,
}

/// The bounds that are tried, one after the other, on loops that do not end by themselves.
const DEEPENING: [u32; 4] = [1, 2, 4, 8];

/// A deeper bound is not tried after a search that took longer.
const DEEP_ENOUGH: std::time::Duration = std::time::Duration::from_secs(2);

/// Some execution goes on and on: what is there within bounds, the last of which came to its end. Loops that a program counts itself are left alone as long as
/// they are not what goes on.
fn deepening(
    program: &Program,
    model: &Model,
    settings: &Settings,
    without: (Answer, bool, u32),
) -> Result<(Answer, bool, u32), Diagnostic> {
    let mut last = without;
    for every_pass in [false, true] {
        for bound in DEEPENING {
            let begun = std::time::Instant::now();
            let bounded = Settings { unroll: Some(bound), every_pass, ..settings.clone() };
            let (answer, leaves_out) = searched(program, model, &bounded)?;
            if answer.is_endless() {
                break;
            }
            if answer.stopped.is_some() || !answer.errors.is_empty() || !answer.reshapes.is_empty() {
                // What was known before is better than nothing, unless nothing was.
                return Ok(if last.0.is_endless() { (answer, leaves_out, bound) } else { last });
            }
            let is_enough = answer.violating > 0 || answer.cut == 0 || begun.elapsed() > DEEP_ENOUGH;
            last = (answer, leaves_out, bound);
            if is_enough {
                return Ok(last);
            }
        }
        if !last.0.is_endless() {
            break;
        }
    }
    Ok(last)
}

/// Runs a program by growing its executions. Does the model accept some that do not grow?
pub(super) fn searched(
    program: &Program,
    model: &Model,
    settings: &Settings,
) -> Result<(Answer, bool), Diagnostic> {
    // Machines make two events of an atomic update.
    let whole_updates = !matches!(settings.orders, Orders::Machine(_));
    if !settings.every_thread
        && whole_updates
        && let Some(found) = searched_with(program, model, settings, true, Lists::InOrder)?
    {
        return Ok((found.answer, found.leaves_out));
    }
    let found = searched_with(program, model, settings, false, Lists::InOrder)?;
    found.map(|found| (found.answer, found.leaves_out)).ok_or_else(|| {
        Diagnostic::internal("threads were told from each other that nobody took for each other")
    })
}

/// Likewise; nothing, if threads were taken for each other that something tells from each other.
pub(super) fn searched_with(
    program: &Program,
    model: &Model,
    settings: &Settings,
    symmetry: bool,
    lists: Lists,
) -> Result<Option<Searched>, Diagnostic> {
    let jobs = if lists == Lists::InOrder { settings.jobs.max(1) } else { 1 };
    let mut recorders: Vec<Recorder> = (0..jobs)
        .map(|_| {
            Recorder::new(program, trace::Machine::of(&model.name), settings).replaying(model.name == "RC11")
        })
        .collect();
    let options = grow::Options {
        unroll: settings.unroll.unwrap_or(u32::MAX - 1),
        every_pass: settings.every_pass,
        properties: true,
        awaits: !settings.every_round,
        all_blocked: settings.all_blocked,
        // Of use where executions are left out for it.
        plainly_written: (!settings.all_blocked).then(|| Addresses::of(program).plainly_written(program)),
        symmetry,
        lists,
        ..grow::Options::default()
    };
    let mut visitors: Vec<&mut (dyn Visitor + Send)> =
        recorders.iter_mut().map(|recorder| recorder as &mut (dyn Visitor + Send)).collect();
    let search = || limits::catch(|| grow::explore_together(program, model, &options, &mut visitors));
    let explored = while_looking_ahead(program, model, &options, settings.gauge.as_deref(), search);
    let mut answers = recorders.into_iter().map(|recorder| recorder.answer);
    let mut answer = answers.next().unwrap_or_else(|| Answer::none(By::Growing));
    answers.for_each(|other| answer.join(other));
    answer.reshapes = options.reshapes.take();
    let (leaves_out, astray) = match explored {
        Ok(stats) => {
            let stats = stats.map_err(unfit)?;
            if stats.told_apart {
                return Ok(None);
            }
            answer.symmetric = stats.symmetric;
            let left = (stats.leaves_out, stats.astray > 0);
            answer.work = Some(stats);
            left
        }
        Err(why) => {
            answer.stopped = Some(why);
            (false, false)
        }
    };
    Ok(Some(Searched { answer, leaves_out, astray }))
}

/// How deep functions may call themselves without a bound.
pub const RECURSION: usize = 16;
