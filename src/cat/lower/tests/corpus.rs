//! Models lowered and evaluated on a few events, and whole files of the corpus.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::one::{N, One};
use crate::cat::ast::File;
use crate::cat::lower::{Files, LowerInput, Lowered, Predefined, Purpose, lower, read_bell};
use crate::cat::parse;
use crate::diag::{Color, Diagnostic, Diagnostics, Reported, render_all};
use crate::model::{Choices, EvalError, Expr, ExprId, Model, Plain, Sort, Step, Val};
use crate::relation::Rel;
use crate::source::{Sources, Span};
use crate::variant::{Variant, Variants};

/// Files of one or more directories, parsed when asked for.
struct Directories(Vec<PathBuf>);

impl Files for Directories {
    fn open(
        &mut self,
        name: &str,
        from: Option<Span>,
        sources: &mut Sources,
        diags: &mut Diagnostics,
    ) -> Result<Arc<File>, Reported> {
        let text = self.0.iter().find_map(|dir| std::fs::read_to_string(dir.join(name)).ok());
        let Some(text) = text else {
            let mut d = Diagnostic::error("test::no-file", format!("no file `{name}`"));
            if let Some(span) = from {
                d = d.at(span, "included here");
            }
            return Err(diags.error(d));
        };
        let id = sources.add(name, text);
        parse(sources, id, diags).map(Arc::new)
    }
}

fn corpus() -> PathBuf {
    let dir =
        std::env::var_os("LITMUS_CORPUS").map_or_else(|| PathBuf::from("../shared/corpus"), PathBuf::from);
    dir.join("cat")
}

struct Case<'a> {
    dirs: Vec<PathBuf>,
    file: &'a str,
    bell: Option<&'a str>,
    sets: &'a [&'a str],
    machine: bool,
    variants: &'a [&'a str],
    purpose: Purpose,
}

fn lower_file(case: &Case) -> Result<Lowered, String> {
    let mut files = Directories(case.dirs.clone());
    let (mut sources, mut diags) = (Sources::new(), Diagnostics::new());
    let result = (|| {
        let mut open = |name: &str| files.open(name, None, &mut sources, &mut diags);
        let library = open("stdlib.cat")?;
        let bell = case.bell.map(&mut open).transpose()?;
        let model = open(case.file)?;
        let variants: Variants = case.variants.iter().filter_map(|v| Variant::parse(v)).collect();
        let mut predefined = Predefined::new(&variants);
        if case.machine {
            predefined.add_sets(crate::arch::MACHINE_SETS.iter().copied());
        }
        predefined.add_sets(case.sets.iter().copied());
        if let Some(file) = &bell {
            let bell = read_bell(file, Some(&library), &mut files, &mut sources, &mut diags)?;
            predefined.add_sets(bell.sets().iter().map(String::as_str));
            predefined.add_relations(bell.relations().iter().map(String::as_str));
        }
        let input = LowerInput {
            bell: bell.as_deref(),
            library: Some(&library),
            variants,
            purpose: case.purpose,
            ..LowerInput::new(&model, case.file, predefined)
        };
        lower(input, &mut files, &mut sources, &mut diags)
    })();
    result.map_err(|_| render_all(diags.list(), &sources, Color::Never))
}

fn herd_case<'a>(dir: &Path, file: &'a str, sets: &'a [&'a str]) -> Case<'a> {
    Case {
        dirs: vec![dir.join("herd")],
        file,
        bell: None,
        sets,
        machine: true,
        variants: &[],
        purpose: Purpose::Run,
    }
}

const X86: &[&str] = &["X", "MFENCE", "SFENCE", "LFENCE"];
const X86_64: &[&str] =
    &["X", "NT", "UC", "WC", "WT", "WB", "MFENCE", "SFENCE", "LFENCE", "ClFlush", "ClFlushOpt"];
const PPC: &[&str] = &["X", "EX", "SYNC", "LWSYNC", "ISYNC", "EIEIO"];
const ARM: &[&str] = &["X", "EX", "A", "L", "AL", "DMB", "DMB.ISH", "DMB.ST", "DSB", "DSB.ST", "ISB"];
const MIPS: &[&str] = &["X", "EX", "SYNC"];
const BPF: &[&str] = &["X", "SC", "AQ", "RL"];
const RISCV: &[&str] = &[
    "X",
    "EX",
    "Acq",
    "Rel",
    "AcqRel",
    "Sc",
    "Fence.i",
    "Fence.tso",
    "Fence.r.r",
    "Fence.r.w",
    "Fence.r.rw",
    "Fence.w.r",
    "Fence.w.w",
    "Fence.w.rw",
    "Fence.rw.r",
    "Fence.rw.w",
    "Fence.rw.rw",
];
const C: &[&str] = &[
    "X", "RMW", "A", "NA", "RLX", "ACQ", "REL", "ACQ_REL", "SC", "CON", "annot", "LK", "LKR", "LKW", "LS",
    "LF", "UL", "RL", "RU",
];
const AARCH64: &[&str] = &[
    "X",
    "EX",
    "A",
    "Q",
    "L",
    "NoRet",
    "NT",
    "S",
    "AF",
    "DB",
    "E0",
    "E1",
    "E2",
    "E3",
    "TLBIIS",
    "TLBInXS",
    "DMB.SY",
    "DMB.LD",
    "DMB.ST",
    "DMB.OSH",
    "DMB.OSHLD",
    "DMB.OSHST",
    "DMB.ISH",
    "DMB.ISHLD",
    "DMB.ISHST",
    "DMB.NSH",
    "DMB.NSHLD",
    "DMB.NSHST",
    "DSB.SY",
    "DSB.LD",
    "DSB.ST",
    "DSB.OSH",
    "DSB.OSHLD",
    "DSB.OSHST",
    "DSB.ISH",
    "DSB.ISHLD",
    "DSB.ISHST",
    "DSB.NSH",
    "DSB.NSHLD",
    "DSB.NSHST",
    "ISB",
    "GCSB.DSYNC",
    "DC.CVAU",
    "DC.IVAU",
    "DC.CIVAU",
    "DC.ZVAU",
    "DC.CVAC",
    "IC.IALLU",
    "IC.IALLUIS",
    "IC.IVAU",
    "IC.IVAUIS",
    "MMU",
    "D-MMU",
    "Translation",
    "AccessFlag",
    "Permission",
    "Exclusive",
    "TagCheck",
    "PacCheck",
    "UndefinedInstruction",
    "SVC",
    "GCSCheck",
];

/// Models of herd7, with the sets of an architecture they are for.
const HERD: &[(&str, &[&str])] = &[
    ("sc.cat", X86),
    ("sccat.cat", X86),
    ("tso.cat", X86),
    ("x86tso.cat", X86),
    ("x86tso-mixed.cat", X86_64),
    ("minimal.cat", PPC),
    ("minimalcat.cat", PPC),
    ("mini.cat", PPC),
    ("naked.cat", PPC),
    ("uni.cat", PPC),
    ("uniproc.cat", PPC),
    ("uniproc+sca.cat", AARCH64),
    ("uniproccat.cat", PPC),
    ("cos.cat", PPC),
    ("cos-opt.cat", PPC),
    ("cos-no-opt.cat", PPC),
    ("cos-ok-opt.cat", PPC),
    ("coscat.cat", PPC),
    ("cosllh.cat", PPC),
    ("ncos.cat", PPC),
    ("cross.cat", PPC),
    ("ncross.cat", PPC),
    ("choices.cat", PPC),
    ("ppc.cat", PPC),
    ("atom.cat", ARM),
    ("herdcat.cat", PPC),
    ("prettycat.cat", ARM),
    ("fulleieio.cat", PPC),
    ("lessrelaxed.cat", ARM),
    ("arm.cat", ARM),
    ("arm-alt.cat", ARM),
    ("armllh.cat", ARM),
    ("atom-arm.cat", ARM),
    ("simple-arm.cat", ARM),
    ("qualcomm.cat", ARM),
    ("aarch32.cat", ARM),
    ("mips.cat", MIPS),
    ("mips-tso.cat", MIPS),
    ("riscv.cat", RISCV),
    ("riscv-total.cat", RISCV),
    ("riscv-tso.cat", RISCV),
    ("bpf.cat", BPF),
    ("aarch64.cat", AARCH64),
    ("aarch64deps.cat", AARCH64),
    ("ctrl.cat", AARCH64),
    ("ctrl-bis.cat", AARCH64),
    ("deps.cat", AARCH64),
    ("deps-new.cat", AARCH64),
    ("deps-instances.cat", AARCH64),
    ("show-deps.cat", AARCH64),
    ("c11_orig.cat", C),
    ("c11_simp.cat", C),
    ("c11_partialSC.cat", C),
    ("rc11.cat", C),
    ("simple-c11.cat", C),
];

/// Models that herd7 ships and cannot run either: they use names that nothing binds any more, or that changed their sort.
const BROKEN: &[(&str, &[&str], &str)] = &[
    ("herd.cat", PPC, "cat::wrong-sort"),
    ("pretty.cat", ARM, "cat::wrong-sort"),
    ("LL.cat", ARM, "cat::unknown-name"),
    ("aarch64-obsolete.cat", AARCH64, "cat::unknown-name"),
    ("doc64.cat", AARCH64, "cat::unknown-name"),
];

#[test]
#[cfg_attr(not(corpus), ignore = "there is no corpus: see LITMUS_CORPUS")]
fn broken_herd_models_are_refused() {
    let dir = corpus();
    for (file, sets, code) in BROKEN {
        let text = lower_file(&herd_case(&dir, file, sets)).err().unwrap_or_default();
        assert!(text.contains(code), "{file}: {text}");
    }
}

/// Runs a model on the events of a little test, taking the first alternative of each `with`.
fn run_once(model: &Model) -> Result<(), String> {
    match run_steps(model) {
        Ok(()) | Err(EvalError::Rejected) => Ok(()),
        Err(error) => Err(error.diagnostic().message),
    }
}

fn run_steps(model: &Model) -> Result<(), EvalError> {
    let mut plain = Plain::new(model, &One);
    let bad = |message: String| EvalError::Model(Diagnostic::error("test::bad-choice", message));
    for step in &model.steps {
        match step {
            Step::Check { test, .. } => {
                plain.holds(test)?;
            }
            Step::With { choice, from, name, .. } => {
                let value = plain.eval(*from)?;
                let Val::Choices(choices) = &*value else { return Err(bad(format!("{name}: not choices"))) };
                let first = match choices {
                    Choices::List(list) => list.first().cloned(),
                    Choices::Orders(_) | Choices::Cross(_) => Some(Val::Rel(Rel::empty(N))),
                };
                let Some(first) = first else { return Ok(()) };
                for index in 0..model.pool.len() {
                    let id = ExprId(index as u32);
                    if let Expr::Choice(c, sort) = model.pool.expr(id)
                        && c == choice
                    {
                        if *sort != Sort::Rel {
                            return Err(bad(format!("{name}: not a relation")));
                        }
                        plain.set(id, first.clone());
                    }
                }
            }
            Step::Fail { diagnostic } => return Err(bad(diagnostic.message.clone())),
        }
    }
    Ok(())
}

#[test]
#[cfg_attr(not(corpus), ignore = "there is no corpus: see LITMUS_CORPUS")]
fn every_herd_model_lowers() {
    let dir = corpus();
    let mut wrong = Vec::new();
    for (file, sets) in HERD {
        let mut case = herd_case(&dir, file, sets);
        case.machine = !std::ptr::eq(*sets, C);
        let start = std::time::Instant::now();
        match lower_file(&case) {
            Err(text) => wrong.push(format!("{file}:\n{text}")),
            Ok(lowered) => {
                let time = start.elapsed();
                let (steps, nodes) = (lowered.model.steps.len(), lowered.model.pool.len());
                eprintln!("{file}: {steps} steps, {nodes} nodes, {time:?}");
                if let Err(text) = run_once(&lowered.model) {
                    wrong.push(format!("{file}: {text}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[cfg_attr(not(corpus), ignore = "there is no corpus: see LITMUS_CORPUS")]
fn checking_finds_no_errors_of_our_own() {
    let dir = corpus();
    let mut wrong = Vec::new();
    for (file, sets) in HERD {
        let mut case = herd_case(&dir, file, sets);
        case.machine = !std::ptr::eq(*sets, C);
        case.purpose = Purpose::Check;
        if let Err(text) = lower_file(&case) {
            wrong.push(format!("{file}:\n{text}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[cfg_attr(not(corpus), ignore = "there is no corpus: see LITMUS_CORPUS")]
fn the_kernel_model_lowers() {
    let dir = corpus();
    let case = Case {
        dirs: vec![dir.join("linux"), dir.join("herd")],
        file: "linux-kernel.cat",
        bell: Some("linux-kernel.bell"),
        sets: C,
        machine: false,
        variants: &["lkmmv2"],
        purpose: Purpose::Run,
    };
    let lowered = lower_file(&case).unwrap_or_else(|text| panic!("{text}"));
    assert_eq!(run_once(&lowered.model), Ok(()));
    let choices: Vec<&str> = lowered
        .model
        .steps
        .iter()
        .filter_map(|step| if let Step::With { name, .. } = step { Some(name.as_str()) } else { None })
        .collect();
    assert_eq!(choices, ["rfe-lf", "rf-ru", "co"]);
}
