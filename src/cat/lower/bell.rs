//! Bell files: which annotations the instructions of a test may carry.
//!
//! A bell file is read twice: here, for its declarations, before tests are; and as `cat`, before the model
//! ([`super::lower`]).

use std::collections::BTreeSet;
use std::sync::Arc;

use super::env::{Env, Place, Slot};
use super::error::{Eval, Stop, wrong_sort};
use super::exec::Executor;
use super::files::Files;
use super::interpreter::{Abstract, Declared, Interpreter, Mode};
use super::predefined::Predefined;
use super::prims::{PRIMITIVES, set_name};
use super::recursion;
use super::value::Value;
use super::{Purpose, free};
use crate::cat::ast::{Expr, File, Ident, Ins, InsKind};
use crate::diag::{Diagnostics, Reported};
use crate::source::Sources;

/// The declarations of a bell file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Bell {
    /// `instructions X[…]`: the kind of instruction (`R`, `W`, `F`, `RMW`, `B`, `SRCU`; `CALL` is `F`), and for each position the
    /// tags that may stand there. A kind may have several lists.
    pub instructions: Vec<(String, Vec<Vec<String>>)>,
    /// `default X[…]`: the annotations of an instruction written with none.
    pub defaults: Vec<(String, Vec<String>)>,
    /// `enum n = …`, in order.
    pub enums: Vec<(String, Vec<String>)>,
    /// Scopes: each with the next narrower one (from the function `narrower` or `wider`).
    pub narrower: Vec<(String, String)>,
}

impl Bell {
    /// The tags of an enumeration; none if there is no such enumeration.
    pub fn tags_of(&self, name: &str) -> &[String] {
        self.enums.iter().rev().find(|(n, _)| n == name).map_or(&[], |(_, tags)| tags)
    }

    /// The names of the event sets that the declarations define: tags of instructions, and regions, with their first letter
    /// upper-cased.
    pub fn sets(&self) -> Vec<String> {
        let tags = self.instructions.iter().flat_map(|(_, lists)| lists.iter().flatten());
        let names: BTreeSet<String> = tags.chain(self.tags_of("regions")).map(|tag| set_name(tag)).collect();
        names.into_iter().collect()
    }

    /// The names of the relations that the declarations define: scopes and levels.
    pub fn relations(&self) -> Vec<String> {
        let mut names: Vec<String> = self.tags_of("scopes").to_vec();
        if !self.tags_of("levels").is_empty() {
            names.extend(self.tags_of("levels").iter().cloned());
            names.push("next-level".to_owned());
        }
        names
    }

    /// Is a list of annotations declared for that kind of instruction?
    pub fn allows(&self, kind: &str, annotations: &[String]) -> bool {
        self.instructions.iter().filter(|(k, _)| k == kind).any(|(_, lists)| {
            lists.len() == annotations.len()
                && lists.iter().zip(annotations).all(|(allowed, given)| allowed.contains(given))
        })
    }

    /// The annotations of an instruction of that kind that is written with none.
    pub fn default_of(&self, kind: &str) -> Option<&[String]> {
        self.defaults.iter().rev().find(|(k, _)| k == kind).map(|(_, tags)| tags.as_slice())
    }
}

/// Reads the declarations of a bell file. `library` is run before it.
///
/// # Errors
/// A declaration cannot be evaluated; that has been reported.
pub fn read_bell(
    file: &File,
    library: Option<&File>,
    files: &mut dyn Files,
    sources: &mut Sources,
    diags: &mut Diagnostics,
) -> Result<Bell, Reported> {
    let mode = Mode::Abstract(Box::new(Abstract::new(Predefined::default())));
    let interpreter = Interpreter::new(mode, Arc::new(Declared::default()));
    let skip = BTreeSet::new();
    let mut reader = Reader {
        executor: Executor::new(interpreter, files, sources, diags, &skip, Purpose::Run),
        bell: Bell::default(),
    };
    let mut env = Env::default();
    if let Mode::Abstract(a) = &mut reader.executor.interpreter.mode {
        for (name, prim, _) in PRIMITIVES {
            env.bind_global(
                &mut a.globals,
                Arc::from(*name),
                Slot::Value(Value::Prim(prim.clone())),
                Place::default(),
            );
        }
    }
    if let Some(library) = library {
        reader.run(&mut env, &library.body)?;
    }
    reader.run(&mut env, &file.body)?;
    reader.scopes(&env);
    Ok(reader.bell)
}

struct Reader<'a, 'f> {
    executor: Executor<'a, 'f>,
    bell: Bell,
}

impl Reader<'_, '_> {
    fn run(&mut self, env: &mut Env, body: &[Ins]) -> Result<(), Reported> {
        for ins in body {
            match &ins.kind {
                InsKind::Include { path } => {
                    let Executor { files, sources, diags, .. } = &mut self.executor;
                    let file = files.open(path, Some(ins.span), sources, diags)?;
                    self.run(env, &file.body)?;
                }
                InsKind::If { cond, then, otherwise } => {
                    let body = if self.executor.interpreter.variant(cond).unwrap_or(false) {
                        then
                    } else {
                        otherwise
                    };
                    self.run(env, body)?;
                }
                _ => self.declaration(env, ins).map_err(|stop| self.executor.report(&stop))?,
            }
        }
        Ok(())
    }

    fn declaration(&mut self, env: &mut Env, ins: &Ins) -> Eval<()> {
        match &ins.kind {
            InsKind::Enum { name, tags } => {
                self.executor.declare(env, name, tags);
                let tags = tags.iter().map(|t| t.name.to_string()).collect();
                self.bell.enums.push((name.name.to_string(), tags));
            }
            InsKind::Let { bindings } => {
                for (name, slot) in self.executor.interpreter.let_slots(env, bindings)? {
                    self.bind(env, name, slot, ins);
                }
            }
            InsKind::LetRec { bindings, .. } => {
                // Functions are functions; values are not iterated here, they stay empty.
                let functions: Vec<_> =
                    bindings.iter().filter(|b| recursion::is_function(b)).cloned().collect();
                for name in bindings.iter().flat_map(|b| free::bound_names(&b.pattern)) {
                    self.bind(env, name.name.clone(), Slot::Value(Value::Empty), ins);
                }
                if !functions.is_empty() {
                    for (name, slot) in
                        self.executor.interpreter.rec_slots(env, &functions, None, ins.span)?
                    {
                        self.bind(env, name, slot, ins);
                    }
                }
            }
            InsKind::Instructions { name, args } => {
                let lists = args.iter().map(|a| self.tags(env, a)).collect::<Result<Vec<_>, _>>()?;
                self.bell.instructions.push((kind_name(name), lists));
            }
            InsKind::Default { name, args } => {
                let mut tags = Vec::with_capacity(args.len());
                for arg in args {
                    match self.tags(env, arg)?.as_slice() {
                        [tag] => tags.push(tag.clone()),
                        _ => {
                            let value = (self.executor.interpreter.eval(env, arg)?, arg.span);
                            return Err(wrong_sort("one tag", &value));
                        }
                    }
                }
                self.bell.defaults.push((kind_name(name), tags));
            }
            _ => {}
        }
        Ok(())
    }

    fn bind(&mut self, env: &mut Env, name: Arc<str>, slot: Slot, ins: &Ins) {
        self.executor.bind(env, &Ident { name, span: ins.span }, slot);
    }

    fn tags(&mut self, env: &Env, expr: &Expr) -> Eval<Vec<String>> {
        let value = (self.executor.interpreter.eval(env, expr)?, expr.span);
        let members = match &value.0 {
            Value::Tag(_) | Value::Values(_) | Value::Empty => self.executor.interpreter.members(&value)?,
            _ => return Err(wrong_sort("a tag or a set of tags", &value)),
        };
        members
            .into_iter()
            .map(|member| match member {
                Value::Tag(tag) => Ok(tag.to_string()),
                _ => Err(wrong_sort("a tag or a set of tags", &value)),
            })
            .collect()
    }

    /// Asks `narrower` or `wider` about every scope; errors are passed over.
    fn scopes(&mut self, env: &Env) {
        for (function, swap) in [("narrower", false), ("wider", true)] {
            let Some(slot) = self.executor.interpreter.slot(env, function) else { continue };
            for scope in self.bell.tags_of("scopes").to_vec() {
                let found: Result<Vec<Value>, Stop> = (|| {
                    let interpreter = &mut self.executor.interpreter;
                    let Some(span) = self.executor.made.last().map(|m| m.name.span) else {
                        return Ok(Vec::new());
                    };
                    let function = interpreter.force(&slot)?;
                    let tag = Value::Tag(Arc::from(scope.as_str()));
                    let value = interpreter.apply(&(function, span), &(tag, span), span)?;
                    interpreter.members(&(value, span))
                })();
                self.executor.interpreter.depth = 0;
                for value in found.unwrap_or_default() {
                    if let Value::Tag(other) = value {
                        let (wide, narrow) = if swap {
                            (other.to_string(), scope.clone())
                        } else {
                            (scope.clone(), other.to_string())
                        };
                        self.bell.narrower.push((wide, narrow));
                    }
                }
            }
            if !self.bell.narrower.is_empty() {
                return;
            }
        }
    }
}

fn kind_name(name: &Ident) -> String {
    match &*name.name {
        "CALL" => "F".to_owned(),
        other => other.to_owned(),
    }
}
