//! Tests of the whole front end: C in, micro-ops or diagnostics out.

mod diagnostics;
mod printer;
mod programs;
mod values;

use super::{KernelVersion, Macros, Options, Tables, lower_threads};
use crate::diag::{Color, Diagnostics, render_all};
use crate::program::{Program, RegTable};
use crate::source::{Sources, Span};

/// A small `.def` file in the manner of the kernel's.
const DEF: &str = "\
// Once
READ_ONCE(X) __load{ONCE}(X)
WRITE_ONCE(X,V) { __store{ONCE}(X,V); }
smp_load_acquire(X) __load{ACQUIRE}(*X)
smp_store_release(X,V) { __store{RELEASE}(*X,V); }
smp_mb() { __fence{MB}; }
smp_store_mb(X,V) { __store{ONCE}(X,V); __fence{MB}; }
xchg(X,V) __xchg{MB}(X,V)
cmpxchg(X,V,W) __cmpxchg{MB}(X,V,W)
atomic_read(X) READ_ONCE(*X)
atomic_inc(X) { __atomic_op{NORETURN}(X,+,1); }
atomic_add_return(V,X) __atomic_op_return{MB}(X,+,V)
atomic_fetch_andnot(V,X) __atomic_fetch_op{MB}(X,&~,V)
atomic_dec_and_test(X) __atomic_op_return{MB}(X,-,1) == 0
atomic_add_unless(X,V,W) __atomic_add_unless{MB}(X,V,W)
spin_lock(X) { __lock(X); }
spin_unlock(X) { __unlock(X); }
spin_trylock(X) __trylock(X)
spin_is_locked(X) __islocked(X)
synchronize_srcu(X) { __srcu{sync-srcu}(X); }
endless(X) endless(X)
";

/// A test translated: its program if it is right, what was reported in any case.
struct Checked {
    program: Option<Program>,
    lowered: Option<super::Lowered>,
    report: String,
}

fn translate(text: &str, def: Option<&str>, kernel: KernelVersion) -> Checked {
    let mut sources = Sources::new();
    let id = sources.add("test.litmus", text);
    let mut macros = Macros::new();
    let mut diags = Diagnostics::new();
    if let Some(def) = def {
        let source = sources.add("small.def", def);
        if let Err(diagnostic) = macros.add("small.def", source, def) {
            diags.error(diagnostic);
        }
    }
    let (mut regs, mut symbols) = (RegTable::default(), Vec::new());
    let tables = Tables { regs: &mut regs, symbols: &mut symbols, preset: &|_, name| name == "preset" };
    let options = Options { macros: &macros, kernel };
    let result = lower_threads(text, Span::new(id, 0, text.len()), options, tables, &mut diags);
    let report = render_all(diags.list(), &sources, Color::Never);
    let lowered = result.ok();
    let program = lowered.clone().map(|lowered| Program {
        threads: lowered.threads,
        regs,
        symbols,
        init_regs: lowered.init_regs,
        reg_types: lowered.reg_types,
        ..Program::empty(crate::arch::conventions(crate::arch::ArchId::C), super::BITS)
    });
    Checked { program, lowered, report }
}

/// The micro-ops of a test, after what was reported.
fn check(text: &str) -> String {
    let checked = translate(text, Some(DEF), KernelVersion::V2);
    let program = checked.program.as_ref().map(printer::program).unwrap_or_default();
    format!("{}{program}", checked.report)
}

/// The micro-ops of the statements of one thread with `int *x, int *y`.
fn check_body(body: &str) -> String {
    check(&format!("P0(int *x, int *y) {{ {body} }}"))
}
