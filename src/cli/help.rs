//! Ends of help texts: examples (each is run by `tests/help_examples.rs`) and exit codes.

/// Exit codes, as `--help` says them.
macro_rules! exit_codes {
    () => {
        "\
Exit codes:
  0  everything ran
  1  an expectation failed: --expect, or --strict (a violated forall or ~exists, a flag, undefined behaviour, no execution)
  2  bad input: command line, model or test
  3  a test or model uses something that is not supported
  4  a limit was hit: --timeout, --max-executions, --max-memory; with --strict also --unroll
  Where several apply, the first of 2, 3, 1, 4. Ctrl-C: 130, after what is known has been printed."
    };
}

pub const TOP: &str = concat!(
    exit_codes!(),
    "

Examples:
  litmus run litmus/mp.litmus -m arm-a9
  litmus model list
  litmus doc rmw"
);

pub const RUN: &str = concat!(
    exit_codes!(),
    "

Examples:
  litmus run litmus/mp.litmus -m arm-a9
  litmus run litmus/mp.litmus -m weak -m nofence
  litmus run litmus/ --format jsonl -o results.jsonl
  litmus run litmus/mp.litmus -m sc --expect forbidden
  litmus run litmus/sb-x86.litmus -m x86tso --graph pictures
  litmus run litmus/ -m sc -m x86tso --format html -o report.html"
);

pub const HERD: &str = "\
herd7's options, with one dash, and its .cfg files; `litmus run` has the same under modern names. An option that is not there is an
error that names it. Exit codes are herd7's: 0, or 2 on a wrong option, configuration file or model; with `-exit true` 1 at the first
test that fails.

Examples:
  litmus herd -model sc.cat litmus/mp.litmus
  litmus herd -model x86tso.cat -show prop -o . litmus/sb-x86.litmus";

pub const CHECK: &str = "\
Examples:
  litmus check litmus/";

pub const VERIFY: &str = "\
Examples:
  litmus verify litmus/programs/peterson.c -m sc
  litmus verify litmus/programs/ticket.c -m rc11 --unroll 3";

pub const MODEL: &str = "\
Examples:
  litmus model list
  litmus model show sc";

pub const MODEL_LIST: &str = "\
Examples:
  litmus model list";

pub const MODEL_CHECK: &str = "\
Examples:
  litmus model check sc tso";

pub const MODEL_DIFF: &str = "\
Exit codes: 0 no difference found, 1 a test tells the models apart, 2 bad input, 3 not supported, 4 a limit was hit.

Examples:
  litmus model diff tso x86tso
  litmus model diff tso x86tso --arch X86 --size 2..5";

pub const MODEL_COVERAGE: &str = "\
Examples:
  litmus model coverage x86tso --tests litmus/sb-x86.litmus litmus/mp-x86.litmus
  litmus model coverage x86tso --tests litmus/sb-x86.litmus --format listing";

pub const MODEL_LINT: &str = "\
Exit codes: 0 nothing found, 1 something, 2 bad input, 3 not supported.

Examples:
  litmus model lint sc --arch X86";

pub const MODEL_SHOW: &str = "\
Examples:
  litmus model show sc --arch X86";

pub const DIFF: &str = "\
Exit codes: 0 equal, 1 different, 2 on error; --soundness: 5 if something was observed that is forbidden.

Examples:
  litmus run litmus/mp.litmus -m sc -o sc.log
  litmus run litmus/mp.litmus -m sc -o again.log
  litmus diff sc.log again.log
  litmus diff --run sc.log litmus/mp.litmus -m sc";

pub const PORT: &str = "\
Exit codes: 0 all portable, 1 one is not, 2 bad input, 3 not supported, 4 a limit was hit.

Examples:
  litmus port litmus/sb-fenced-x86.litmus --from sc --to x86tso
  litmus port litmus/sb-x86.litmus --from x86tso --to sc --states";

pub const ROBUST: &str = "\
Exit codes: 0 all robust, 1 one is not, 2 bad input, 3 not supported, 4 a limit was hit.

Examples:
  litmus robust litmus/sb-fenced-x86.litmus -m x86tso";

pub const LTL: &str = "\
Exit codes: 0 it holds, 1 it does not (--reach: there is no such state), 2 bad input, 3 not supported, 4 a limit was hit.

Examples:
  litmus ltl litmus/peterson-loop.litmus 'G !(P0@cs && P1@cs)' -m sc
  litmus ltl litmus/peterson-loop.litmus 'G (P0@try -> F P0@cs)' -m sc --fair";

pub const AWAIT: &str = "\
Exit codes: 0 every loop that has an end comes to it, 1 one does not, 2 bad input, 3 not supported, 4 a limit was hit.

Examples:
  litmus await litmus/peterson-loop.litmus -m tso";

pub const FENCE: &str = "\
Exit codes: 0 it holds, or can be made to, 1 nothing that may be changed makes it hold, 2 bad input, 3 not supported, 4 a limit was hit.

Examples:
  litmus fence litmus/sb-x86.litmus
  litmus fence litmus/sb-aarch64.litmus --for robust --cost dmb.ish=1
  litmus fence litmus/peterson-loop.litmus -m tso --for 'G !(P0@cs && P1@cs)'";

pub const MERGE: &str = "\
Examples:
  litmus run litmus/ --shard 1/2 -o part1.log
  litmus run litmus/ --shard 2/2 -o part2.log
  litmus merge part1.log part2.log -o all.log";

pub const SPLIT: &str = "\
Examples:
  litmus split litmus/iriw-aarch64.litmus -m aarch64 --units 64 -o units.jsonl
  litmus run litmus/iriw-aarch64.litmus -m aarch64 --unit units.jsonl:1 -o 1.jsonl
  litmus merge --units 1.jsonl";

pub const CAMPAIGN: &str = "\
Exit codes: 0 submitted, or complete; 1 something is missing; 2 bad input.

Examples:
  litmus campaign litmus/ --slurm 64 --partition short --dry-run -o campaign -- --timeout 60
  litmus campaign status campaign";

pub const EXPLAIN: &str = "\
Examples:
  litmus explain litmus/mp-fenced-aarch64.litmus
  litmus explain litmus/sb-x86.litmus -m sc --format svg
  litmus explain litmus/sb-x86.litmus -m sc --format html -o why.html
  litmus explain litmus/sb-x86.litmus --outcome 0:EAX=1 --format json
  litmus explain litmus/mp-plain.litmus -m armv7 --fix";

pub const GEN: &str = "\
Exit codes: 0, or 2 bad input, 3 not supported, 4 a limit was hit.

Examples:
  litmus gen X86 --size 4 --edges po,mfence
  litmus gen AArch64 --size 4 --edges help
  litmus gen PPC --size 4 --edges po,sync,lwsync,addr --forbidden-by ppc -o generated";

#[cfg(feature = "serve")]
pub const SERVE: &str = "\
It listens on the loopback interface: only this machine reaches it. No file is read: tests and models are what was typed, models include files of
the library only. Each request has limits on time, memory and size.";

pub const COMPILE: &str = "\
Exit codes: 0, or 2 bad input, 3 something cannot be compiled.

Examples:
  litmus compile litmus/sb-sc.litmus --to x86";

pub const DOC: &str = "\
Examples:
  litmus doc rmw
  litmus doc --arch AArch64";

pub const BENCH: &str = "\
Examples:
  litmus bench readers --sizes 1..5 -m sc
  litmus bench ring --sizes 2,4 --emit generated";

pub const COMPLETIONS: &str = "\
Examples:
  litmus completions bash";

pub const MAN: &str = "\
Examples:
  litmus man";
