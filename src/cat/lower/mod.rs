//! Models to the core: an interpreter of `cat` that runs a model once, when it is loaded.
//!
//! Event sets and relations are nodes of the core's pool; everything else that `cat` has (functions, tuples, tags,
//! sets of relations, procedures, `try`, variants, includes) is evaluated away. What cannot be, because it
//! inspects actual events, becomes an interpreted leaf ([`crate::model::Expr::Interp`]) that runs the same interpreter later.
//!
//! Afterwards there are no names left, and every node has a sort.

// Values are compared by what they are; what a function remembers lazily is no part of that.
#![allow(clippy::mutable_key_type)]

mod bell;
mod choices;
mod defer;
mod env;
mod error;
mod eval;
mod exec;
mod files;
mod forall;
mod free;
mod interpreter;
mod note;
mod ops;
mod predefined;
mod prims;
mod recursion;
mod sets;
mod shapes;
mod stack;
mod value;
mod variants;

#[cfg(test)]
mod tests;

pub use bell::{Bell, read_bell};
pub use files::Files;
pub use predefined::Predefined;
pub use prims::primitives;

use std::collections::BTreeSet;
use std::sync::Arc;

use env::{Env, Place, Slot};
use exec::{Executor, Halt};
use interpreter::{Abstract, Declared, Interpreter, Mode};
use value::Value;

use super::ast::{File, Ident};
use crate::diag::{Diagnostics, Reported};
use crate::model::{Definition, Derived, Model, Recalled, Shared};
use crate::source::Sources;
use crate::variant::Variants;

/// What to lower, and for what.
pub struct LowerInput<'a> {
    /// The model.
    pub model: &'a File,
    /// Its name, if the header has none.
    pub file_name: &'a str,
    /// A bell file, run as `cat` before the model.
    pub bell: Option<&'a File>,
    /// The library that is run first (`stdlib.cat`).
    pub library: Option<&'a File>,
    /// Is that one not ours, so that it is checked too?
    pub foreign_library: bool,
    /// Instructions that run after the library and before anything else.
    pub rules: Option<&'a File>,
    /// Instructions that run after the model.
    pub after: Option<&'a File>,
    /// The names bound before any of them.
    pub predefined: Predefined,
    /// The variants that are set.
    pub variants: Variants,
    /// Checks and calls of these names are left out.
    pub skip_checks: BTreeSet<String>,
    /// Must every check that is skipped fail? They are then turned round, not left out.
    pub strict_skip: bool,
    /// What for.
    pub purpose: Purpose,
}

impl<'a> LowerInput<'a> {
    /// A model to run by itself: no library, no bell file, no variants.
    pub fn new(model: &'a File, file_name: &'a str, predefined: Predefined) -> LowerInput<'a> {
        LowerInput {
            model,
            file_name,
            bell: None,
            library: None,
            foreign_library: false,
            rules: None,
            after: None,
            predefined,
            variants: Variants::new(),
            skip_checks: BTreeSet::new(),
            strict_skip: false,
            purpose: Purpose::Run,
        }
    }
}

/// What a model is lowered for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// To run it: only what is used is evaluated, the first error ends it.
    Run,
    /// To check it: every definition is evaluated, and every error reported (a warning, if nothing uses what it is in).
    Check,
    /// To check a file that others include: names that nothing binds are collected, not reported.
    CheckFragment,
}

/// A lowered model, with what a check wants to know besides.
#[derive(Debug)]
pub struct Lowered {
    /// The model.
    pub model: Model,
    /// Names that nothing binds ([`Purpose::CheckFragment`] only), where each is first used.
    pub unbound: Vec<Ident>,
    /// The names of [`LowerInput::skip_checks`] that something has.
    pub skipped: BTreeSet<String>,
}

/// Lowers a model.
///
/// # Errors
/// The model has an error in something that it uses (or anywhere, when checking); all of it is in `diags`.
pub fn lower(
    input: LowerInput,
    files: &mut dyn Files,
    sources: &mut Sources,
    diags: &mut Diagnostics,
) -> Result<Lowered, Reported> {
    stack::deep(move |stack| lower_here(input, stack, files, sources, diags))
}

/// Lowers a model on this stack, of which so much may be used.
fn lower_here(
    input: LowerInput,
    stack: usize,
    files: &mut dyn Files,
    sources: &mut Sources,
    diags: &mut Diagnostics,
) -> Result<Lowered, Reported> {
    let declared = Declared { variants: input.variants, ..Declared::default() };
    let mode = Mode::Abstract(Box::new(Abstract::new(input.predefined)));
    let mut interpreter = Interpreter::new(mode, Arc::new(declared));
    interpreter.stack_limit = stack;
    let mut executor = Executor::new(interpreter, files, sources, diags, &input.skip_checks, Purpose::Run);
    let mut env = Env::default();
    executor.bind_predefined(&mut env);
    executor.strict_skip = input.strict_skip;
    let files = [
        (input.library, input.foreign_library),
        (input.rules, false),
        (input.bell, true),
        (Some(input.model), true),
        (input.after, false),
    ];
    for (file, is_own) in files {
        let Some(file) = file else { continue };
        if is_own {
            executor.purpose = input.purpose;
            if let Mode::Abstract(a) = &mut executor.interpreter.mode
                && input.purpose == Purpose::CheckFragment
            {
                a.unbound.get_or_insert_default();
            }
        }
        match executor.run(&mut env, &file.body) {
            Ok(()) => {}
            Err(Halt::Reported(reported)) => return Err(reported),
            Err(Halt::Stop(stop)) => return Err(executor.report(&stop)),
        }
    }
    executor.never_skipped();
    executor.report_doubtful();
    if let Some(reported) = executor.failed {
        return Err(reported);
    }
    Ok(executor.finish(input.model, input.file_name))
}

impl Executor<'_, '_> {
    /// Binds primitives, sets and relations.
    pub(super) fn bind_predefined(&mut self, env: &mut Env) {
        let Mode::Abstract(a) = &mut self.interpreter.mode else { return };
        for (name, prim, _) in prims::PRIMITIVES {
            env.bind_global(
                &mut a.globals,
                Arc::from(*name),
                Slot::Value(Value::Prim(prim.clone())),
                Place::default(),
            );
        }
        let names: Vec<String> = a.predefined.iter().map(|(name, _)| name.to_owned()).collect();
        for name in names {
            if let Some(value) = self.interpreter.predefined(&name) {
                let Mode::Abstract(a) = &mut self.interpreter.mode else { return };
                env.bind_global(&mut a.globals, Arc::from(name), Slot::Value(value), Place::default());
            }
        }
    }

    pub(super) fn finish(self, file: &File, file_name: &str) -> Lowered {
        let Executor { interpreter, steps, shown, made, diags, skipped, .. } = self;
        let Mode::Abstract(a) = interpreter.mode else {
            return Lowered { model: Model::default(), unbound: Vec::new(), skipped };
        };
        let a = *a;
        for warning in a.warnings {
            diags.warn(warning);
        }
        let definitions = made.into_iter().filter_map(|made| {
            let value = match &made.slot {
                Slot::Value(value) => value.clone(),
                Slot::Thunk(thunk) => thunk.memo.get()?.clone().ok()?,
                Slot::Part(..) => return None,
            };
            match value {
                Value::Node(expr, _) => {
                    Some(Definition { name: made.name.name.to_string(), expr, span: made.name.span })
                }
                _ => None,
            }
        });
        let model = Model {
            name: file.header.last().cloned().unwrap_or_else(|| file_name.to_owned()),
            definitions: definitions.collect(),
            pool: a.pool,
            steps,
            shown,
            origins: a.origins,
            catdep: file.catdep,
            recalled: Recalled::default(),
            derived: Derived::default(),
            shared: Shared::default(),
        };
        Lowered { model, unbound: a.unbound.unwrap_or_default(), skipped }
    }
}
