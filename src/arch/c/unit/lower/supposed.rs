//! What is supposed of a program though nobody says so: functions that are only declared, numbers that no machine of ours has. The answer says it, as a warning.

use crate::arch::c::preprocess::headers;
use crate::arch::c::unit::types::Ty;
use crate::diag::Diagnostic;
use crate::source::Span;

use super::Lowering;
use super::value::Rv;

/// Functions of the library that a program may call though nothing comes of it here: no signal is ever sent.
const WITHOUT_EFFECT: [&str; 2] = ["signal", "sigaction"];

/// What `pthread_setcanceltype` calls where a thread could be cancelled at any point.
const CANCELLED_ANYWHERE: &str = "__pthread_cancelled_at_once";

/// What no program can have here, and what it could have instead.
pub(in crate::arch::c::unit) fn refused(function: &str) -> Option<(&'static str, &'static str)> {
    Some(match function {
        "fork" | "vfork" | "clone" => {
            ("processes are", "threads share their memory: start one by `pthread_create`")
        }
        "setjmp" | "_setjmp" | "sigsetjmp" | "longjmp" | "_longjmp" | "siglongjmp" => {
            ("jumps out of functions are", "give back a value that says what happened")
        }
        "raise" | "kill" | "pthread_kill" | "sigqueue" | "alarm" | "setitimer" => {
            ("signals that are sent are", "call the handler, or start a thread that does what it does")
        }
        _ => return None,
    })
}

impl Lowering<'_> {
    /// A call of what is only declared: it gives any number, and changes nothing. Functions of the library do what they do: where we do not know it, or where
    /// an address is wanted, the call is refused.
    pub(super) fn without_body(&mut self, id: usize, span: Span) -> Result<Rv, Diagnostic> {
        let unit = self.unit;
        let function = &unit.functions[id];
        let (name, result) = (function.name.as_str(), function.result.plain());
        if name == CANCELLED_ANYWHERE {
            let what = "a thread that may be cancelled at any point is not supported";
            return Err(Diagnostic::unsupported("c::cancel", what).at(span, "asked for here").help(
                "with PTHREAD_CANCEL_DEFERRED, as threads begin, it ends where it asks, waits or sleeps",
            ));
        }
        let is_known = headers::mentions(name) && !WITHOUT_EFFECT.contains(&name);
        let gives = match result {
            Ty::Void => "does nothing",
            Ty::Int(_) => "gives any number and changes nothing",
            _ if WITHOUT_EFFECT.contains(&name) => "does nothing",
            _ => "",
        };
        if let Some((what, instead)) = refused(name) {
            return Err(Diagnostic::unsupported("c::refused", format!("{what} not supported"))
                .at(span, "asked for here")
                .help(instead));
        }
        if is_known || gives.is_empty() {
            return Err(Diagnostic::unsupported("c::no-body", format!("nobody says what `{name}` does"))
                .at(span, "called here")
                .at(function.span, "only declared")
                .help("name the file that defines it, too, or include the header of litmus that does"));
        }
        let message = format!("nobody says what `{name}` does: the answer supposes that it {gives}");
        if !self.program.supposed.iter().any(|said| said.message == message) {
            let warning = Diagnostic::warning("c::no-body", message).at(span, "called here");
            self.program.supposed.push(warning.at(function.span, "only declared"));
        }
        match result {
            Ty::Int(_) if !WITHOUT_EFFECT.contains(&name) => self.nondet("nondet_int", &[], result, span),
            _ => Ok(Rv::ZERO),
        }
    }

    /// Numbers with more digits than a `double` are computed as one.
    pub(super) fn long_double(&mut self, ty: &Ty, span: Span) {
        if ty.plain() == &Ty::Float(16) && !self.program.supposed.iter().any(|said| said.code == "c::float") {
            let message = "`long double` has the digits of a `double` here";
            self.program.supposed.push(Diagnostic::warning("c::float", message).at(span, "computed here"));
        }
    }
}
