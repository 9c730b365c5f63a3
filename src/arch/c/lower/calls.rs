//! Calls by name: helper functions of the test, functions of `.def` files, functions of C11.

use super::code::Label;
use super::expr::Val;
use super::hoist::assignment;
use super::scope::Variable;
use super::{Lowering, analysis};
use crate::arch::c::ast::{Expr, ExprKind, Helper};
use crate::arch::c::types::CType;
use crate::arch::c::{builtins, known};
use crate::diag::{Diagnostic, Remedy, nearest};
use crate::program::Port;
use crate::source::Span;

/// A helper function being inlined.
pub struct Inlined {
    pub(super) name: String,
    /// Where its result goes.
    pub result: Option<Expr>,
    /// Where it ends.
    pub end: Label,
}

/// Macros may use macros, but not without end.
const MAX_EXPANSIONS: u32 = 64;

impl<'a> Lowering<'a> {
    /// The helper function of that name.
    pub(super) fn helper(&self, name: &str) -> Option<&'a Helper> {
        self.unit.helpers.iter().find(|helper| helper.name == name)
    }

    /// A call whose value is used. Helper functions have been taken out before.
    pub(super) fn call(
        &mut self,
        name: &str,
        name_span: Span,
        args: &[Expr],
        span: Span,
        port: Port,
    ) -> Result<Val, Diagnostic> {
        if let Some(found) = self.options.macros.expr(name) {
            let expanded = found.expand(name, span, args)?;
            return self.expanding(name, name_span, |cx| cx.expr(&expanded, port));
        }
        if let Some(found) = self.options.macros.stmts(name) {
            return Err(Diagnostic::error("c::no-value", format!("`{name}` has no value"))
                .at(span, "used as a value")
                .at(found.span, "it stands for statements"));
        }
        if let Some(builtin) = builtins::find(name) {
            return self.builtin(builtin, name, args, span);
        }
        Err(self.unknown_function(name, name_span))
    }

    /// A call as a statement of its own: `None` if it is an expression like any other.
    pub(super) fn call_statement(&mut self, e: &Expr) -> Option<Result<(), Diagnostic>> {
        let ExprKind::Call { name, name_span, args } = &e.kind else { return None };
        if let Some(helper) = self.helper(name) {
            let name = helper.name.clone();
            let args: Result<Vec<Expr>, Diagnostic> = args.iter().map(|arg| self.hoist(arg)).collect();
            return Some(args.and_then(|args| self.inline(&name, &args, e.span)).map(|_| ()));
        }
        let found = self.options.macros.stmts(name)?;
        let args: Result<Vec<Expr>, Diagnostic> = args.iter().map(|arg| self.hoist(arg)).collect();
        let expanded = args.and_then(|args| found.expand(name, e.span, &args));
        Some(expanded.and_then(|body| {
            self.expanding(name, *name_span, |cx| {
                cx.scopes.enter_block();
                let result = body.iter().try_for_each(|stmt| cx.statement(stmt));
                cx.scopes.leave_block();
                result
            })
        }))
    }

    fn expanding<T>(
        &mut self,
        name: &str,
        span: Span,
        f: impl FnOnce(&mut Self) -> Result<T, Diagnostic>,
    ) -> Result<T, Diagnostic> {
        if self.expansions >= MAX_EXPANSIONS {
            return Err(Diagnostic::error("c::endless-macro", format!("`{name}` expands without end"))
                .at(span, "this call"));
        }
        self.expansions += 1;
        let result = f(self);
        self.expansions -= 1;
        result
    }

    /// Runs the body of a helper function here; its result is in a hidden register.
    pub(super) fn inline(&mut self, name: &str, args: &[Expr], span: Span) -> Result<Expr, Diagnostic> {
        let Some(helper) = self.helper(name) else {
            return Err(self.unknown_function(name, span));
        };
        if self.inlined.iter().any(|inlined| inlined.name == name) {
            return Err(Diagnostic::unsupported("c::recursion", format!("`{name}` calls itself"))
                .at(span, "this call")
                .at(helper.span, "the function"));
        }
        if args.len() != helper.params.len() {
            let message = format!("`{name}` takes {} argument(s), {} given", helper.params.len(), args.len());
            return Err(Diagnostic::error("c::argument-count", message)
                .at(span, "this call")
                .at(helper.span, "the function"));
        }
        let number = self.fresh();
        let prefix = format!("P{}.{name}#{number}", self.thread);
        let facts = analysis::function(&helper.body);
        // Arguments are evaluated outside the function, parameters live inside.
        let mut bound = Vec::new();
        for (param, arg) in helper.params.iter().zip(args) {
            let fixed = match &arg.kind {
                ExprKind::Name(name) => match self.scopes.find(name) {
                    Some(Variable::Address { sym, ty }) if !facts.assigned.contains(&param.name) => {
                        Some(Variable::Address { sym: *sym, ty: ty.clone() })
                    }
                    _ => None,
                },
                _ => None,
            };
            let variable = match fixed {
                Some(variable) => variable,
                None => {
                    let target = self.hidden(&format!("{name}.{}", param.name), param.ty.clone(), param.span);
                    self.statement(&assignment(&target, arg.clone()))?;
                    let ExprKind::Name(hidden) = &target.kind else { continue };
                    self.variable(hidden, param.span)
                }
            };
            bound.push((param.name.clone(), variable, param.span));
        }
        let has_result = helper.result != CType::Void;
        let result = has_result.then(|| self.hidden(name, helper.result.clone(), span));
        let result_variable = match &result {
            Some(Expr { kind: ExprKind::Name(hidden), .. }) => {
                Some((hidden.clone(), self.variable(hidden, span)))
            }
            _ => None,
        };
        self.scopes.enter_function(facts, Some(prefix));
        for (name, variable, span) in bound {
            self.scopes.declare(&name, variable, span);
        }
        if let Some((hidden, variable)) = result_variable {
            self.scopes.declare(&hidden, variable, span);
        }
        let end = self.code.new_label();
        self.inlined.push(Inlined { name: name.to_string(), result: result.clone(), end });
        self.function_body(&helper.body);
        self.inlined.pop();
        self.scopes.leave_function();
        self.code.place(end);
        Ok(result.unwrap_or(Expr { kind: ExprKind::Int { value: 0, ty: CType::Void }, span }))
    }

    /// Is there a function of that name?
    pub(super) fn is_function(&self, name: &str) -> bool {
        builtins::find(name).is_some()
            || self.options.macros.names().any(|known| known == name)
            || self.unit.helpers.iter().any(|helper| helper.name == name)
    }

    fn unknown_function(&self, name: &str, span: Span) -> Diagnostic {
        let macros = self.options.macros;
        let helpers = self.unit.helpers.iter().map(|helper| helper.name.as_str());
        let mut candidates: Vec<&str> = builtins::names().collect();
        candidates.extend(macros.names());
        candidates.extend(helpers);
        let near = nearest(name, candidates);
        let no_macros = macros.files().is_empty();
        let is_kernel = known::is_kernel_function(name)
            || (known::looks_like_kernel(name) && (near.is_none() || !no_macros));
        if is_kernel && no_macros {
            return Diagnostic::error("c::no-macros", format!("`{name}` is a function of the Linux kernel"))
                .unless(Remedy::KernelFunctions)
                .at(span, "not defined: no `.def` file is loaded")
                .help("run with the kernel's model, `-m lkmm`; with its own files, `litmus herd -conf linux-kernel.cfg`; or give `--macros FILE.def`");
        }
        let mut diagnostic = if is_kernel {
            let files = macros.files().join("`, `");
            Diagnostic::error(
                "c::missing-macro",
                format!("the kernel's `{name}` is not defined by `{files}`"),
            )
            .at(span, "missing from the `.def` file")
            .help(how_to_define(name, near))
        } else {
            Diagnostic::error("c::unknown-function", format!("unknown function `{name}`"))
                .at(span, "not known")
        };
        if let Some(near) = near {
            diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
        }
        diagnostic
    }
}

/// What to add to a `.def` file for a function of the kernel: our own definition of it, or one of a function that it looks like.
fn how_to_define(name: &str, near: Option<&str>) -> String {
    if let Some(line) = known::definition(name) {
        return format!("add this line to a copy of the `.def` file: `{line}`");
    }
    match near.and_then(|near| known::definition(near).map(|line| (near, line))) {
        Some((near, line)) => {
            format!("add a line for it to a copy of the `.def` file; the one of `{near}` is `{line}`")
        }
        None => "add a line for it to a copy of the `.def` file".to_string(),
    }
}
