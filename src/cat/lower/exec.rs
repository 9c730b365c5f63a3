//! Instructions to steps of the core.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::choices::{Items, ValueSet};
use super::env::{Env, Place, Slot, Thunk};
use super::error::{Eval, Stop};
use super::files::Files;
use super::interpreter::{Interpreter, Mode};
use super::recursion;
use super::value::{Procedure, Type, Value};
use super::{Purpose, free};
use crate::cat::ast::{Binding, CheckKind, Expr, ExprKind, File, Ident, Ins, InsKind, Params, Pattern, Test};
use crate::cat::load::include_cycle;
use crate::diag::{Diagnostic, Diagnostics, Reported, Severity};
use crate::limits;
use crate::model::{self, ExprId, Sort, Step};
use crate::source::{SourceId, Sources, Span};

/// Includes nested deeper than this never end.
const INCLUDE_LIMIT: usize = 60;

/// More files than this, one after the other or inside each other: each includes the next one twice.
const INCLUDES: u32 = 10_000;

/// After so many definitions they are evaluated at once, used or not.
const LAZY_LIMIT: usize = 1_000;

/// Steps that checking spends on functions by themselves; what is called is looked at in any case.
const CURIOSITY: u32 = 5_000_000;

/// Why a run of instructions stops.
pub(super) enum Halt {
    Stop(Stop),
    /// Already reported.
    Reported(Reported),
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Halt {
        Halt::Stop(stop)
    }
}

/// A definition as it was made.
pub(super) struct Made {
    pub name: Ident,
    pub slot: Slot,
}

/// Runs the instructions of a model, once.
pub(super) struct Executor<'a, 'f> {
    pub interpreter: Interpreter<'a>,
    pub files: &'f mut dyn Files,
    pub sources: &'f mut Sources,
    pub diags: &'f mut Diagnostics,
    pub skip: &'f BTreeSet<String>,
    pub purpose: Purpose,
    pub steps: Vec<Step>,
    pub shown: Vec<(String, ExprId)>,
    pub made: Vec<Made>,
    /// The files being included, outermost first, each with the `include` that asked for it.
    pub including: Vec<(SourceId, Span)>,
    /// How many were, so far.
    included: u32,
    pub failed: Option<Reported>,
    /// Errors in definitions that perhaps nothing uses, with a remark on why that does no harm.
    pub doubtful: Vec<(Diagnostic, &'static str)>,
    /// Steps left for looking into functions that perhaps nothing calls.
    pub curiosity: u32,
    /// Are skipped checks turned round, instead of left out?
    pub strict_skip: bool,
    /// Those that were.
    turned: BTreeSet<String>,
    /// Names of checks and calls that were left out, or turned round.
    pub skipped: BTreeSet<String>,
}

impl<'a, 'f> Executor<'a, 'f> {
    pub(super) fn new(
        interpreter: Interpreter<'a>,
        files: &'f mut dyn Files,
        sources: &'f mut Sources,
        diags: &'f mut Diagnostics,
        skip: &'f BTreeSet<String>,
        purpose: Purpose,
    ) -> Executor<'a, 'f> {
        Executor {
            interpreter,
            files,
            sources,
            diags,
            skip,
            purpose,
            steps: Vec::new(),
            shown: Vec::new(),
            made: Vec::new(),
            including: Vec::new(),
            included: 0,
            failed: None,
            doubtful: Vec::new(),
            curiosity: CURIOSITY,
            strict_skip: false,
            turned: BTreeSet::new(),
            skipped: BTreeSet::new(),
        }
    }

    /// Runs instructions. When checking, an error stops only the instruction it is in, and a recursion without end all calls of it.
    pub(super) fn run(&mut self, env: &mut Env, body: &[Ins]) -> Result<(), Halt> {
        for ins in body {
            limits::poll();
            let depth = self.interpreter.depth;
            let result = match self.instruction(env, ins) {
                Err(Halt::Stop(stop)) => Err(Halt::Stop(needed_here(stop, ins))),
                other => other,
            };
            match result {
                Err(Halt::Stop(Stop::TooDeep(span))) if depth > 0 => {
                    return Err(Halt::Stop(Stop::TooDeep(span)));
                }
                Err(Halt::Stop(stop)) if self.purpose != Purpose::Run => {
                    self.interpreter.depth = depth;
                    self.report(&stop);
                    self.bind_unknown(env, ins);
                }
                other => other?,
            }
        }
        Ok(())
    }

    /// Reports an error, once.
    pub(super) fn report(&mut self, stop: &Stop) -> Reported {
        let diagnostic = self.interpreter.told(stop);
        match self.failed {
            Some(reported) if self.diags.list().iter().any(|d| same(d, &diagnostic)) => reported,
            _ => *self.failed.insert(self.diags.error(diagnostic)),
        }
    }

    /// Errors in what nothing used are warnings: herd7 never sees them.
    pub(super) fn report_doubtful(&mut self) {
        for (diagnostic, remark) in std::mem::take(&mut self.doubtful) {
            if !self.diags.list().iter().any(|d| same(d, &diagnostic)) {
                self.diags.warn(Diagnostic { severity: Severity::Warning, ..diagnostic }.note(remark));
            }
        }
    }

    /// After an error in an instruction, what it would have bound is unknown, not missing.
    fn bind_unknown(&mut self, env: &mut Env, ins: &Ins) {
        let names: Vec<&Ident> = match &ins.kind {
            InsKind::Let { bindings } | InsKind::LetRec { bindings, .. } => {
                bindings.iter().flat_map(|b| free::bound_names(&b.pattern)).collect()
            }
            InsKind::With { name, .. } => vec![name],
            _ => Vec::new(),
        };
        for name in names {
            self.bind(env, name, Slot::Value(Value::Unknown));
        }
    }

    pub(super) fn bind(&mut self, env: &mut Env, name: &Ident, slot: Slot) {
        self.made.push(Made { name: name.clone(), slot: slot.clone() });
        match &mut self.interpreter.mode {
            Mode::Abstract(a) => {
                env.bind_global(&mut a.globals, name.name.clone(), slot, Place::bound(name.span))
            }
            Mode::Concrete(_) => env.bind(name.name.clone(), slot),
        }
    }

    fn bind_all(&mut self, env: &mut Env, bindings: &[Binding], slots: Vec<(Arc<str>, Slot)>) {
        let idents = bindings.iter().flat_map(|b| free::bound_names(&b.pattern)).map(|i| (&i.name, i));
        // Of a name bound twice the first place counts.
        let idents: FxHashMap<_, _> = idents.rev().collect();
        for (name, slot) in slots {
            if let Some(ident) = idents.get(&name) {
                self.bind(env, ident, slot);
            }
        }
    }

    fn instruction(&mut self, env: &mut Env, ins: &Ins) -> Result<(), Halt> {
        match &ins.kind {
            InsKind::Enum { name, tags } => self.declare(env, name, tags),
            InsKind::Let { bindings } => {
                let slots = self.interpreter.let_slots(env, bindings)?;
                if self.purpose != Purpose::Run {
                    self.force_all(&slots);
                } else if self.made.len() > LAZY_LIMIT {
                    self.force_quietly(&slots);
                }
                self.bind_all(env, bindings, slots);
            }
            InsKind::LetRec { bindings, when } => self.let_rec(env, bindings, when.as_ref(), ins.span)?,
            InsKind::Match { scrutinee, clauses } => {
                let value = (self.interpreter.eval(env, scrutinee)?, scrutinee.span);
                match self.interpreter.choose_clause(&value, clauses)? {
                    Some(body) => self.run(env, body)?,
                    None => return Err(Stop::from(undecided("match", scrutinee.span)).into()),
                }
            }
            InsKind::Check { kind, test } => self.check(env, *kind, test)?,
            InsKind::Show { names } => {
                for name in names {
                    let value = self.interpreter.slot(env, &name.name).map(|s| self.interpreter.force(&s));
                    if let Some(Ok(value)) = value {
                        self.show(&name.name, &value);
                    }
                }
            }
            InsKind::ShowAs { expr, name } => {
                let depth = self.interpreter.depth;
                match self.interpreter.eval(env, expr) {
                    Ok(value) => self.show(&name.name, &value),
                    Err(stop) => {
                        self.interpreter.depth = depth;
                        if self.purpose != Purpose::Run {
                            self.doubtful.push((self.interpreter.told(&stop), "nothing is shown here"));
                        }
                    }
                }
            }
            InsKind::Unshow { names } => {
                self.shown.retain(|(label, _)| !names.iter().any(|n| *n.name == **label));
            }
            InsKind::Include { path } => self.include(env, path, ins.span)?,
            InsKind::Procedure { name, params, body, rec } => {
                let procedure = self.procedure(env, name, params, body, *rec, ins.span)?;
                self.bind(env, name, Slot::Value(procedure));
            }
            InsKind::Call { name, arg, label } => {
                let labels = std::iter::once(name).chain(label);
                if !labels.map(|name| self.skips(name)).fold(false, |any, one| any | one) {
                    self.call(env, name, arg, ins.span)?;
                }
            }
            InsKind::Forall { name, set, body } => self.forall(env, name, set, body, ins.span)?,
            InsKind::With { name, set } => self.with(env, name, set, ins.span)?,
            InsKind::If { cond, then, otherwise } => {
                let body = if self.interpreter.variant(cond)? { then } else { otherwise };
                self.run(env, body)?;
            }
            InsKind::Debug { .. } | InsKind::Instructions { .. } | InsKind::Default { .. } => {}
        }
        Ok(())
    }

    /// Definitions of which each uses the one before must not be left to the last: that would nest as deep as there are of them.
    fn force_quietly(&mut self, slots: &[(Arc<str>, Slot)]) {
        for (_, slot) in slots {
            let depth = self.interpreter.depth;
            // An error waits for its use.
            let _ = self.interpreter.force(slot);
            self.interpreter.depth = depth;
        }
    }

    /// When checking, every definition is looked at, used or not; of a function also the body, on an unknown argument.
    fn force_all(&mut self, slots: &[(Arc<str>, Slot)]) {
        for (_, slot) in slots {
            let depth = self.interpreter.depth;
            let looked = self.interpreter.force(slot).and_then(|value| match &value {
                Value::Closure(closure) => {
                    let span = closure.body.span;
                    self.interpreter.fuel = Some(self.curiosity);
                    let looked =
                        self.interpreter.apply(&(value.clone(), span), &(Value::Unknown, span), span);
                    self.curiosity = self.interpreter.fuel.take().unwrap_or(0);
                    match looked {
                        // A function that only its argument can stop is not wrong.
                        Err(Stop::TooDeep(_) | Stop::OutOfFuel) => Ok(value),
                        other => other,
                    }
                }
                _ => Ok(value),
            });
            if let Err(stop) = looked {
                self.interpreter.depth = depth;
                self.doubtful.push((
                    self.interpreter.told(&stop),
                    "nothing uses this definition, so the model runs all the same",
                ));
            }
        }
    }

    pub(super) fn declare(&mut self, env: &mut Env, name: &Ident, tags: &[Ident]) {
        let declared = Arc::make_mut(&mut self.interpreter.declared);
        for tag in tags {
            declared.tags.insert(tag.name.clone(), name.name.clone());
        }
        declared.enums.insert(name.name.clone(), tags.iter().map(|t| t.name.clone()).collect());
        let set = ValueSet::list(Type::Tag, tags.iter().map(|t| Value::Tag(t.name.clone())));
        self.bind(env, name, Slot::Value(Value::values(set)));
    }

    fn let_rec(
        &mut self,
        env: &mut Env,
        bindings: &[Binding],
        when: Option<&Test>,
        span: Span,
    ) -> Result<(), Halt> {
        // `x = e | x;x` is a closure, and lazy.
        if let ([binding], None) = (bindings, when)
            && let (Some(parts), Pattern::Name(Some(name))) =
                (recursion::closure_form(binding), &binding.pattern)
        {
            let at = binding.expr.span;
            let union = Expr { kind: Arc::new(ExprKind::Union(parts)), span: at };
            let plus = Expr { kind: Arc::new(ExprKind::Plus(union)), span: at };
            let slots = vec![(name.name.clone(), Slot::Thunk(Thunk::new(&plus, env)))];
            if self.purpose != Purpose::Run {
                self.force_all(&slots);
            }
            self.bind_all(env, bindings, slots);
            return Ok(());
        }
        let when = when.filter(|t| !t.name.as_ref().is_some_and(|n| self.skips(n)));
        let slots = self.interpreter.rec_slots(env, bindings, when, span)?;
        if self.purpose != Purpose::Run {
            self.force_all(&slots);
        }
        self.bind_all(env, bindings, slots);
        Ok(())
    }

    /// Is what has this name to be left out? Then that is remembered.
    fn skips(&mut self, name: &Ident) -> bool {
        let skips = self.skip.contains(&*name.name);
        if skips {
            self.skipped.insert(name.name.to_string());
        }
        skips
    }

    fn check(&mut self, env: &Env, kind: CheckKind, test: &Test) -> Result<(), Halt> {
        if let Some(name) = test.name.as_ref().filter(|n| self.skips(n)) {
            if self.strict_skip {
                return self.turn_round(env, name, test);
            }
            // Evaluated all the same, so that its relations can still be drawn; what is wrong with it does no harm.
            let depth = self.interpreter.depth;
            let _ = self.interpreter.eval(env, &test.expr);
            self.interpreter.depth = depth;
            return Ok(());
        }
        let node = self.interpreter.test_node(env, test)?;
        let name = test.name.as_ref().map(|n| n.name.to_string());
        if kind == CheckKind::Flag && name.is_none() {
            self.diags.warn(
                Diagnostic::warning("cat::unnamed-flag", "a flag without a name is not recorded")
                    .at(test.span, "add `as name`"),
            );
        }
        self.steps.push(Step::Check { kind: check_kind(kind), test: node, name, span: test.span });
        Ok(())
    }

    /// A skipped check that must fail. It has no name any more, so that nothing skips it.
    fn turn_round(&mut self, env: &Env, name: &Ident, test: &Test) -> Result<(), Halt> {
        if !self.turned.insert(name.name.to_string()) {
            let message = format!("two checks are called `{}`, and one of them must fail", name.name);
            return Err(Stop::Fatal(Arc::new(
                Diagnostic::unsupported("cat::strict-skip", message)
                    .at(test.span, "the second")
                    .help("give each check a name of its own, or skip without -strictskip"),
            ))
            .into());
        }
        let mut node = self.interpreter.test_node(env, test)?;
        node.negated = !node.negated;
        self.steps.push(Step::Check {
            kind: model::CheckKind::Plain,
            test: node,
            name: None,
            span: test.span,
        });
        Ok(())
    }

    /// A check that must fail and that the model does not have: no execution is left.
    pub(super) fn never_skipped(&mut self) {
        if !self.strict_skip || self.skip.iter().all(|name| self.turned.contains(name)) {
            return;
        }
        let Some(a) = self.interpreter.lowering() else { return };
        let expr = a.pool.intern(model::Expr::Empty(Sort::Rel));
        let test = model::Test { kind: model::TestKind::Empty, negated: true, expr };
        let span = Span::new(SourceId(0), 0, 0);
        self.steps.push(Step::Check { kind: model::CheckKind::Plain, test, name: None, span });
    }

    fn show(&mut self, label: &str, value: &Value) {
        let sort = match value {
            Value::Node(id, Sort::Set | Sort::Rel) => Some(*id),
            _ => None,
        };
        self.shown.retain(|(l, _)| l != label);
        if let Some(id) = sort {
            self.shown.push((label.to_owned(), id));
        }
    }

    fn include(&mut self, env: &mut Env, path: &str, span: Span) -> Result<(), Halt> {
        let file = self.open_include(path, span)?;
        self.including.push((file.source, span));
        let result = self.run(env, &file.body);
        self.including.pop();
        result
    }

    /// The file that an `include` asks for, unless that would never end.
    pub(super) fn open_include(&mut self, path: &str, span: Span) -> Result<Arc<File>, Halt> {
        // Errors quote the file they are in: a model of somebody else's must not make us quote just any file.
        let is_model = Path::new(path).extension().is_some_and(|end| end == "cat" || end == "bell");
        if !is_model {
            return Err(Stop::Fatal(Arc::new(
                Diagnostic::error("cat::include-name", format!("`{path}` is not included"))
                    .at(span, "only files named `.cat` or `.bell` can be"),
            ))
            .into());
        }
        let file = self.files.open(path, Some(span), self.sources, self.diags).map_err(Halt::Reported)?;
        // The file that includes, if it was itself included, is the last of the stack; the model's own file is not on it.
        let outer = self.including.first().map_or(span.source, |(_, span)| span.source);
        let start = self.including.iter().position(|(source, _)| *source == file.source);
        if start.is_some() || outer == file.source {
            let links = self.including[start.map_or(0, |at| at + 1)..].iter().map(|(_, span)| *span);
            let chain: Vec<Span> = links.collect();
            return Err(Stop::Fatal(Arc::new(include_cycle(&chain, span))).into());
        }
        self.included += 1;
        if self.included > INCLUDES {
            return Err(Stop::Fatal(Arc::new(
                Diagnostic::error("cat::include-count", format!("more than {INCLUDES} files are included"))
                    .at(span, "one more here")
                    .note("an included file runs in place, each time it is included"),
            ))
            .into());
        }
        if self.including.len() >= INCLUDE_LIMIT {
            return Err(Stop::Fatal(Arc::new(
                Diagnostic::error("cat::include-depth", format!("including `{path}` goes too deep"))
                    .at(span, format!("{INCLUDE_LIMIT} files are open, each included by the one before")),
            ))
            .into());
        }
        Ok(file)
    }

    fn procedure(
        &mut self,
        env: &Env,
        name: &Ident,
        params: &Params,
        body: &Arc<Vec<Ins>>,
        rec: bool,
        span: Span,
    ) -> Eval {
        let names = free::of_body(params, body);
        let captured = self.interpreter.restrict(env, &names, None)?;
        Ok(Value::Procedure(Arc::new(Procedure {
            name: name.clone(),
            params: params.clone(),
            body: body.clone(),
            env: env.clone(),
            captured,
            rec,
            span,
        })))
    }

    fn call(&mut self, env: &Env, name: &Ident, arg: &Expr, span: Span) -> Result<(), Halt> {
        let value = self.interpreter.lookup(env, &name.name, name.span)?;
        let arg = (self.interpreter.eval(env, arg)?, arg.span);
        let procedure = match &value {
            Value::Procedure(procedure) => procedure.clone(),
            Value::Unknown => return Ok(()),
            _ => return Err(not_a_procedure(&value, name).into()),
        };
        let depth = self.interpreter.depth;
        self.interpreter.enter(span)?;
        self.interpreter.check_stack(span)?;
        let mut inner = procedure.env.local();
        if procedure.rec {
            inner.bind(procedure.name.name.clone(), Slot::Value(value));
        }
        self.interpreter.bind_params(&mut inner, &procedure.params, &arg, Some(&name.name))?;
        let body = procedure.body.clone();
        let result = self.run(&mut inner, &body);
        self.interpreter.depth = depth;
        result.map_err(|halt| match halt {
            Halt::Stop(stop) => Halt::Stop(stop.within_call(span)),
            reported @ Halt::Reported(_) => reported,
        })
    }

    fn with(&mut self, env: &mut Env, name: &Ident, set: &Expr, span: Span) -> Result<(), Halt> {
        let value = (self.interpreter.eval(env, set)?, set.span);
        if matches!(value.0, Value::Unknown) {
            self.bind(env, name, Slot::Value(Value::Unknown));
            return Ok(());
        }
        // A set of one is no choice. A name that one run binds to it is as good, and the search need not know.
        if let Some(only) = only_member(&value.0) {
            self.bind(env, name, Slot::Value(only));
            return Ok(());
        }
        let (from, element) = self.interpreter.alternatives(&value)?;
        let sort = element.sort();
        let Some(a) = self.interpreter.lowering() else { return Ok(()) };
        let choice = a.pool.new_choice();
        let id = a.pool.intern(model::Expr::Choice(choice, sort));
        if let Some(Value::Values(set)) = a.samples.get(&from).cloned()
            && let Some(first) = set.members().ok().and_then(|m| m.into_iter().next())
        {
            a.samples.insert(id, first);
        }
        self.bind(env, name, Slot::Value(Value::Node(id, sort)));
        self.steps.push(Step::With { choice, name: name.name.to_string(), from, span });
        Ok(())
    }
}

/// An error in another file says which instruction of this one runs into it.
fn needed_here(stop: Stop, ins: &Ins) -> Stop {
    let add = |d: Arc<Diagnostic>| {
        let inside = |span: &Span| {
            span.source == ins.span.source && ins.span.start <= span.start && span.end <= ins.span.end
        };
        let elsewhere = d.labels.iter().all(|(span, _)| !inside(span));
        let first = d.labels.len() < 3 && !matches!(ins.kind, InsKind::Include { .. });
        if elsewhere && first { Arc::new((*d).clone().at(ins.span, "needed here")) } else { d }
    };
    match stop {
        Stop::Error(d) => Stop::Error(add(d)),
        Stop::Unbound(name, d) => Stop::Unbound(name, add(d)),
        Stop::Fatal(d) => Stop::Fatal(add(d)),
        other => other,
    }
}

/// The member of a set that has one, whatever the execution.
fn only_member(set: &Value) -> Option<Value> {
    match set {
        Value::Explicit(items) if items.len() == 1 => items.first().cloned(),
        Value::Values(set) => match &set.items {
            Items::List(items) if items.len() == 1 => items.first().cloned(),
            _ => None,
        },
        _ => None,
    }
}

/// One report of an error is enough.
fn same(a: &Diagnostic, b: &Diagnostic) -> bool {
    a.code == b.code && a.message == b.message && a.labels.first() == b.labels.first()
}

pub(super) fn check_kind(kind: CheckKind) -> model::CheckKind {
    match kind {
        CheckKind::Plain => model::CheckKind::Plain,
        CheckKind::Flag => model::CheckKind::Flag,
        CheckKind::UndefinedUnless => model::CheckKind::UndefinedUnless,
        CheckKind::Assert => model::CheckKind::Assert,
    }
}

fn undecided(what: &str, span: Span) -> Diagnostic {
    Diagnostic::unsupported("cat::undecided", format!("what this `{what}` does depends on the execution"))
        .at(span, "not known before the run")
}

pub(super) fn not_a_procedure(value: &Value, name: &Ident) -> Stop {
    let kind = value.type_of();
    Stop::Fatal(Arc::new(
        Diagnostic::error("cat::not-a-procedure", format!("`{}` is {kind}, not a procedure", name.name))
            .at(name.span, "called here"),
    ))
}
