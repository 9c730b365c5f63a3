//! The smaller commands.

use super::{BAD, MP, SB, folder, litmus, litmus_in, shown, stderr, stdout};

#[test]
fn check_counts_by_reason() {
    let dir = folder(&[("t/1.litmus", BAD), ("t/2.litmus", SB), ("t/3.litmus", &BAD.replace("BAD", "ALSO"))]);
    let run = litmus_in(dir.path(), &["check", "t"]).assert().code(2);
    insta::assert_snapshot!(stdout(&run), @r"
         2  unknown X86 instruction `MOOV` [arch::unknown-instruction], first in t/1.litmus
    3 tests read, 2 refused
    ");
    litmus(&["check", "litmus"]).assert().code(0);
}

#[test]
fn models() {
    let list = stdout(&litmus(&["model", "list"]).assert().code(0));
    for name in ["sc", "tso", "weak", "arm-a9", "nofence", "aarch64", "riscv", "ppc"] {
        assert!(list.lines().any(|line| line.starts_with(&format!("{name} "))), "{name}: {list}");
    }
    let show = stdout(&litmus(&["model", "show", "sc", "--arch", "X86"]).assert().code(0));
    assert!(show.contains("acyclic"), "{show}");
    assert!(show.contains("(* engines: worlds, grow"), "{show}");
    let show = stdout(&litmus(&["model", "show", "minimal", "--arch", "X86"]).assert().code(0));
    assert!(
        show.contains("executions with a cycle of `po` and `rf`, which it may allow: by worlds"),
        "{show}"
    );
    litmus(&["model", "check", "sc", "tso"]).assert().code(0);
    let dir = folder(&[("m.cat", "let a = po ; W\nlet b = rff\nacyclic a | b as c\n")]);
    let check = litmus_in(dir.path(), &["model", "check", "m.cat"]).assert().code(2);
    assert!(stderr(&check).contains("m.cat:1:14"), "{}", stderr(&check));
}

#[test]
fn every_model_of_ours_is_right() {
    let list = stdout(&litmus(&["model", "list"]).assert().code(0));
    let mut args = vec!["model", "check"];
    args.extend(list.lines().filter_map(|line| line.split_whitespace().next()));
    litmus(&args).assert().code(0);
}

#[test]
fn doc() {
    insta::assert_snapshot!(shown(&litmus(&["doc", "rmw"]).assert().code(0)), @r"
    rmw: relation, defined in stdlib.cat, which always runs first, on every architecture
      Read-modify-writes: `lxsx | amo`.
      stdlib.cat:37:
        let rmw = lxsx | amo
    --- exit 0
    ");
    insta::assert_snapshot!(shown(&litmus(&["doc", "DMB.SY"]).assert().code(0)), @r"
    DMB.SY: set of events, predefined, on AArch64
      Data memory barriers, by domain and kind: SY full system, OSH outer, ISH inner, NSH non-shareable; LD orders earlier loads with everything later, ST stores with stores.
      Others of the kind: DMB.LD, DMB.ST, DMB.OSH, DMB.OSHLD, DMB.OSHST, DMB.ISH, DMB.ISHLD, DMB.ISHST, DMB.NSH, DMB.NSHLD, DMB.NSHST
    --- exit 0
    ");
    insta::assert_snapshot!(shown(&litmus(&["doc", "X", "--arch", "x86"]).assert().code(0)), @r"
    X: set of events, predefined, on X86, X86_64
      Accesses of locked instructions (LOCK …, XCHG).
    --- exit 0
    ");
    insta::assert_snapshot!(shown(&litmus(&["doc", "lxsxx"]).assert().code(2)), @r"
    --- stderr
    error: `lxsxx` is not a predefined name, did you mean `lxsx`? (`litmus doc` lists them; a model's own definitions: `litmus model show`)
    --- exit 2
    ");
    insta::assert_snapshot!(shown(&litmus(&["doc", "MFENCE", "--arch", "ARM"]).assert().code(2)), @r"
    --- stderr
    error: `MFENCE` means nothing on ARM; it is a name on X86, X86_64
    --- exit 2
    ");
    insta::assert_snapshot!(shown(&litmus(&["doc", "F", "--test", "litmus/mp.litmus"]).assert().code(0)), @r"
    F: set of events, predefined, on every architecture
      Fences of all kinds.

    In mp:
      b: P0 F (DMB)
      e: P1 F (DMB)
    --- exit 0
    ");
    insta::assert_snapshot!(shown(&litmus(&["doc", "Allowed"]).assert().code(0)), @r"
    Allowed: first line of a log: the question, not the answer
      The condition is `exists (P)`. The test asks whether some execution ends with P: `Ok` if one does.
    --- exit 0
    ");
    insta::assert_snapshot!(shown(&litmus(&["doc", "No"]).assert().code(0)), @r"
    No: verdict: the answer
      The condition does not hold. For `exists` that is no fault: the model forbids what the test asks for.
    --- exit 0
    ");
    insta::assert_snapshot!(shown(&litmus(&["doc", "tso"]).assert().code(0)), @"
    tso: check of tso.cat
      Writes reach the memory in one order; a read inside the own queue (rfi) is not bound by it.
      tso.cat:22:
        acyclic ppo | implied | full | rfe | co | fr as tso

    tso: check of ase18-tso.cat
      ase18-tso.cat:17:
        acyclic ppo | implied | full | rf | co | fr as tso
    --- exit 0
    ");
    insta::assert_snapshot!(shown(&litmus(&["doc", "data-race"]).assert().code(0)), @r"
    data-race: flag of lkmm.cat
      lkmm.cat:126:
        flag ~empty ww-race | wr-race | rw-race as data-race
    --- exit 0
    ");
    // What the library defines, and what the execution decides.
    let mp = |name: &str| shown(&litmus(&["doc", name, "--test", "litmus/mp.litmus"]).assert().code(0));
    insta::assert_snapshot!(mp("po-loc"), @r"
    po-loc: relation, defined in stdlib.cat, which always runs first, on every architecture
      Program order on one location: `po & loc`.
      stdlib.cat:24:
        let po-loc = po & loc

    In mp: nothing (1 way through it)
    --- exit 0
    ");
    insta::assert_snapshot!(mp("rfe"), @r"
    rfe: relation, defined in stdlib.cat, which always runs first, on every architecture
      Reads-from between threads: `rf & ext`.
      stdlib.cat:26:
        let rfe = rf & ext

    In mp, at most (the execution decides):
      a: P0 W[x] (STR R0,[R4]) -> f: P1 R[x] (LDR R2,[R4])
      c: P0 W[y] (STR R0,[R5]) -> d: P1 R[y] (LDR R1,[R5])
      initial W[x] -> f: P1 R[x] (LDR R2,[R4])
      initial W[y] -> d: P1 R[y] (LDR R1,[R5])
    --- exit 0
    ");
    insta::assert_snapshot!(mp("co"), @r"
    co: relation, defined in cos.cat, for models that include it, on every architecture
      Coherence: for each location a total order of its writes, the initial one first. Every choice that the model allows is an execution of its own.
      cos.cat:19:
        with co from generate_cos(cobase)

    In mp: only a model gives `co` a value
    --- exit 0
    ");
    let all = stdout(&litmus(&["doc"]).assert().code(0));
    assert!(all.lines().count() > 100);
}

#[test]
fn completions_and_manual() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(stdout(&litmus(&["completions", shell]).assert().code(0)).contains("litmus"), "{shell}");
    }
    let page = stdout(&litmus(&["man"]).assert().code(0));
    assert!(
        page.is_ascii() && page.lines().all(|line| line == line.trim_end()),
        "not every formatter takes this"
    );
    assert!(page.contains(".TH LITMUS 1 \"\" \"litmus ") && page.contains("unroll"), "{page}");
    assert!(page.contains(".SH \"LITMUS MODEL SHOW\"") && !page.contains("EXTRA"), "{page}");
}

/// What a shell is told, the last word being the one under the cursor.
fn completed(dir: &std::path::Path, words: &[&str]) -> Vec<String> {
    let mut command = assert_cmd::Command::cargo_bin("litmus").expect("the command");
    let index = (words.len() - 1).to_string();
    command.current_dir(dir).env("LITMUS_COMPLETE", "bash").env("_CLAP_COMPLETE_INDEX", index);
    command.env("_CLAP_IFS", "\n").arg("--").args(words);
    stdout(&command.assert().code(0)).lines().map(str::to_string).collect()
}

#[test]
fn completions_know_models_tests_and_relations() {
    let dir = folder(&[
        ("SB.litmus", SB),
        ("mine.cat", "mine"),
        ("sub/MP.litmus", MP),
        ("p.c", ""),
        ("notes.txt", ""),
    ]);
    let ask = |words: &[&str]| completed(dir.path(), words);
    // Models: ours by name, and files.
    assert_eq!(ask(&["litmus", "run", "-m", "x86"]), ["x86tso", "x86tso-mixed"]);
    assert_eq!(ask(&["litmus", "run", "-m", "mine"]), ["mine.cat"]);
    assert!(ask(&["litmus", "split", "SB.litmus", "--model", "aarch"]).contains(&"aarch64".to_string()));
    assert!(ask(&["litmus", "verify", "p.c", "-m", "rc"]).contains(&"rc11".to_string()));
    // Tests: files and the folders on the way to them, nothing else.
    let tests = ask(&["litmus", "run", ""]);
    assert!(tests.contains(&"SB.litmus".to_string()) && tests.contains(&"sub/".to_string()), "{tests:?}");
    assert!(!tests.iter().any(|test| test.contains("notes") || test.contains("mine")), "{tests:?}");
    assert_eq!(ask(&["litmus", "explain", "sub/"]), ["sub/MP.litmus"]);
    // Relations: of models, and those to draw; after a comma, too.
    assert_eq!(ask(&["litmus", "doc", "lxs"]), ["lxsx"]);
    let drawn = ask(&["litmus", "run", "SB.litmus", "--graph", "g", "--draw", "po-"]);
    assert!(drawn.contains(&"po-loc".to_string()), "{drawn:?}");
    let second = ask(&["litmus", "run", "SB.litmus", "--graph", "g", "--draw", "fr,po-l"]);
    assert_eq!(second, ["fr,po-loc"]);
    // What is listed nowhere else: options and their words.
    assert!(ask(&["litmus", "run", "--fo"]).contains(&"--format".to_string()));
    assert!(ask(&["litmus", "run", "--format", "sq"]).contains(&"sqlite".to_string()));
}

/// The scripts do complete, in those of the shells that are installed here.
#[test]
fn completions_complete() {
    let dir = folder(&[]);
    let command = assert_cmd::cargo::cargo_bin("litmus");
    let folder = command.parent().expect("its folder").display().to_string();
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap_or_default());
    let asked = [
        (
            "bash",
            "source ./it; COMP_WORDS=(litmus run --fo); COMP_CWORD=2; COMP_TYPE=9; _clap_complete_litmus litmus --fo run; echo ${COMPREPLY[@]}",
        ),
        ("fish", "source ./it; complete -C 'litmus run --fo'"),
        (
            "zsh",
            "autoload -U compinit; compinit -D; source ./it; whence -w _clap_dynamic_completer_litmus; echo ${_comps[litmus]} --format",
        ),
    ];
    for (shell, text) in asked {
        let script = stdout(&litmus(&["completions", shell]).assert().code(0));
        std::fs::write(dir.path().join("it"), script).expect("a file");
        let mut run = std::process::Command::new(shell);
        let ran = run.args(["-c", text]).env("PATH", &path).current_dir(dir.path()).output();
        let Ok(output) = ran else { continue };
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.contains("--format"), "{shell}: {output:?}");
        assert!(shell != "zsh" || said.starts_with("_clap_dynamic_completer_litmus: function\n"), "{said}");
    }
}

#[test]
fn version_names_the_package() {
    let text = stdout(&litmus(&["--version"]).assert().code(0));
    assert!(text.starts_with(&format!("litmus {}", env!("CARGO_PKG_VERSION"))), "{text}");
}

#[test]
fn bench_prints_and_emits() {
    let table = stdout(&litmus(&["bench", "readers", "--sizes", "1..4", "-m", "sc"]).assert().code(0));
    let counts: Vec<&str> = table.lines().skip(2).filter_map(|line| line.split_whitespace().nth(1)).collect();
    assert_eq!(counts, ["2", "4", "8", "16"], "{table}");
    let csv = stdout(&litmus(&["bench", "coherence", "--sizes", "3", "--format", "csv"]).assert().code(0));
    assert!(csv.contains("coherence,X86,sc,3,20,"), "{csv}");
    let svg = stdout(&litmus(&["bench", "ring", "--sizes", "2..3", "--format", "svg"]).assert().code(0));
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    let dir = folder(&[]);
    for arch in ["X86", "AArch64", "ARM", "RISCV", "PPC"] {
        for family in [
            "readers",
            "loop",
            "coherence",
            "writers",
            "ring",
            "threads",
            "variables",
            "instructions",
            "empty",
        ] {
            let out = format!("{arch}-{family}");
            litmus_in(dir.path(), &["bench", family, "--sizes", "1..3", "--arch", arch, "--emit", &out])
                .assert()
                .code(0);
        }
    }
    // What is generated is right in every syntax.
    litmus_in(dir.path(), &["check", "."]).assert().code(0);
}

#[test]
fn bench_counts_are_the_same_in_every_syntax() {
    for (family, size, count) in
        [("writers", "4", "24"), ("incs", "4", "24"), ("ring", "4", "15"), ("readers", "4", "16")]
    {
        for arch in ["X86", "AArch64", "RISCV"] {
            let args = ["bench", family, "--sizes", size, "--arch", arch, "--format", "csv", "-m", "sc"];
            let csv = stdout(&litmus(&args).assert().code(0));
            assert!(csv.contains(&format!("{family},{arch},sc,{size},{count},")), "{csv}");
        }
    }
}

/// What no check can refute is counted, not built: there are far too many of these to list.
#[test]
fn bench_counts_what_it_need_not_build() {
    for (family, size, model, executions) in [
        ("readers", "40", "sc", 1 << 40),
        ("ring", "50", "tso", 1 << 50),
        ("writers", "20", "sc", (1..=20u64).product()),
    ] {
        let args = ["bench", family, "--sizes", size, "-m", model, "--format", "csv", "--force"];
        let csv = stdout(&litmus(&args).assert().code(0));
        assert!(csv.contains(&format!(",{executions},")), "{family}({size}): {csv}");
    }
}

#[test]
fn bench_refuses_what_would_not_end() {
    let said = |args: &[&str]| stderr(&litmus(args).assert().code(2));
    insta::assert_snapshot!(said(&["bench", "writers", "--sizes", "15"]), @"error: writers(15) has up to 1.3e12 executions, that is 50 days at 300000 a second if each must be built; give --timeout, or --force to run it all the same");
    insta::assert_snapshot!(said(&["bench", "variables", "--sizes", "50", "--arch", "ARM"]), @"error: variables(50): a thread of ARM has registers for 6 variables; X86 has no such limit");
    insta::assert_snapshot!(said(&["bench", "rings"]), @r"
    error: there is no family `rings`, did you mean `ring`? There are:
      readers       one writer of x, N readers
      loop          a writer that loops until it sees its own write, N readers that spin until they see it
      coherence     N writes of x in one thread, N reads in another
      writers       N threads, each writing x once
      ring          store-buffering ring: N threads, store your own variable, load the next one's
      incs          N threads, each incrementing x once, atomically
      threads       scaling by threads: N threads over two variables
      variables     scaling by variables: two threads over N variables
      instructions  scaling by instructions: two threads of N instructions
      empty         N threads that do nothing
      wmm           programs: three threads with explicit store buffers, N blocks each; unsafe
      wmm-safe      the same, with every buffer flushed and fences; safe
    ");
    insta::assert_snapshot!(said(&["bench", "ring", "--arch", "C"]), @"error: tests are generated for X86, AArch64, ARM, RISCV, PPC, not for `C`");
    litmus(&["bench", "incs", "--sizes", "12", "--timeout", "0.2"]).assert().code(4);
}

#[test]
fn help_texts() {
    insta::assert_snapshot!(shown(&litmus(&["--help"]).assert().code(0)), @"
    Which outcomes does a memory model allow a concurrent test?

    Usage: litmus [OPTIONS] <COMMAND>

    Commands:
      run          Run tests under a model and print herd7's log
      herd         Take herd7's own options and .cfg files, with their meaning
      check        Read and lower tests without running them; report each failure by its reason
      verify       Check C programs with threads and assertions under a model
      model        Look at memory models
      diff         Compare the outcomes of two logs, or of a log and a run
      port         May a program move from one model to another: is all that the second allows allowed
                   by the first?
      robust       Does a program behave under a model as it does under sequential consistency?
      ltl          Does a formula of linear temporal logic hold on every run, loops without bound
                   included?
      campaign     Spread a run over many machines: Slurm, or GNU parallel
      await        Does every loop end, if every thread that can move does and every write lands?
      fence        The cheapest fences, stronger accesses or atomic writes that make a property hold,
                   and a patch
      split        Cut one large search into units, for many machines
      merge        Join the logs of a campaign's parts
      explain      Say why an outcome can, or cannot, happen
      gen          Generate tests from cycles of accesses
      serve        A playground in the browser: type a test and a model, see what can happen and why
      compile      Write C tests as the instructions that a compiler makes of them
      doc          Explain a name of the cat language, a check of a model, a word of an answer: `X`,
                   `lxsx`, `external`, `Allowed` …
      bench        Generate families of tests of growing size and measure them
      completions  Print a completion script for a shell
      man          Print the manual page

    Options:
          --color <WHEN>  When to colour: auto, always or never (NO_COLOR is respected) [default: auto]
      -q, --quiet         Say less: no notes, no progress, no summary; errors are still told
      -v, --verbose...    Say more
      -h, --help          Print help
      -V, --version       Print version

    Exit codes:
      0  everything ran
      1  an expectation failed: --expect, or --strict (a violated forall or ~exists, a flag, undefined
      behaviour, no execution)
      2  bad input: command line, model or test
      3  a test or model uses something that is not supported
      4  a limit was hit: --timeout, --max-executions, --max-memory; with --strict also --unroll
      Where several apply, the first of 2, 3, 1, 4. Ctrl-C: 130, after what is known has been printed.

    Examples:
      litmus run litmus/mp.litmus -m arm-a9
      litmus model list
      litmus doc rmw
    --- exit 0
    ");
    insta::assert_snapshot!(shown(&litmus(&["run", "--help"]).assert().code(0)), @"
    Run tests under a model and print herd7's log

    Usage: litmus run [OPTIONS] <TEST>...

    Arguments:
      <TEST>...
              Tests: files, folders (searched recursively), @lists, glob patterns, `-` for standard
              input

    Options:
      -m, --model <MODEL>
              The model: a file, or the name of one of ours (`litmus model list`); several give a table

      -I, --include <DIR>
              Search DIR for models, includes, bell, macro and configuration files (repeatable)

          --variant <A,B>
              Variants of the semantics, as in herd7

          --bell <FILE>
              Bell file: annotations that instructions may carry

          --macros <FILE.def>
              Macros of C tests

          --conf <FILE.cfg>
              herd7 configuration file

          --no-arch-check
              Accept a model of another architecture

          --mode <MODE>
              What to find out

              Possible values:
              - count:  Every execution, with herd7's figures
              - states: Every outcome, no figures
              - check:  Decide the condition and stop
              
              [default: count]

          --engine <ENGINE>
              How to find it out

              Possible values:
              - auto:    Whichever suits the test and the model
              - worlds:  Closed worlds: the paths of all threads first, then what they read
              - grow:    Executions that grow event by event, for models that allow it
              - explore: Another name of `worlds`
              - naive:   The oracle: enumerate everything, then filter
              - sat:     A solver proposes executions, the model refutes them: for modes check and
                states
              
              [default: auto]

          --awaits
              Leave out rounds of loops that change nothing: a thread waits until it can go on (--engine
              grow)

          --unroll <N>
              Unroll loops N times (a test's own Unroll= wins) [default: 2]

          --timeout <S>
              Time limit per test, in seconds

          --bound-events <K>
              Bound the events of each thread, not the rounds of its loops: accesses, fences and the
              like, those of registers not counted

          --cut <WHAT>
              What becomes of executions that come to the bound

              Possible values:
              - drop: They are not listed, as in herd7
              - keep: They are listed apart, cut off as they are, and decide nothing
              - exit: They leave the loop, whatever its condition says
              
              [default: drop]

      -j, --jobs <N>
              Worker threads [default: one per core]

          --max-executions <N>
              Stop a test after N executions

          --max-memory <SIZE>
              Stop a test for which the process takes more than SIZE: bytes, or a number with K, M or G
              [default: half of the machine's memory]

          --skip-checks <A,B>
              Checks of the model to leave out

          --compile-to <MAPPING>
              Compile C tests by this mapping (`litmus compile`), and run what comes out; other tests
              are run as they are

          --mapping <FILE>
              Likewise, by a mapping file of your own

          --format <FORMAT>
              Output format [default: herd, or table with several models]

              Possible values:
              - herd:     herd7's log
              - json:     One JSON document
              - jsonl:    One JSON object a line, streamed
              - csv:      One row a test
              - junit:    JUnit XML, for CI
              - github:   Annotations of a GitHub workflow: what is wrong, at its line
              - sarif:    SARIF 2.1.0: the same, for code scanning
              - sqlite:   A database of SQLite, in the file of -o
              - table:    One line a test, one column a model
              - markdown: The same table, in Markdown
              - latex:    The same table, in LaTeX
              - html:     A page for a browser: the table, and behind each answer the executions and the
                reasons

      -o, --output <FILE>
              Write the output to FILE

          --expect <WORD|FILE>
              What the tests must say: ok, no, never, sometimes, always, allowed, forbidden, required,
              or a file: a reference log, or lines `NAME WORD`

          --strict
              A violated `forall` or `~exists`, a flag of the model, undefined behaviour, no execution
              at all, a loop cut at the bound: each fails the run

          --stats
              Figures of each search on standard error

          --resume <FILE>
              Take up an interrupted run: keep what FILE holds, append the rest

          --shard <K/N>
              Run only the K-th of N parts of the tests

          --unit <K/N|FILE:K>
              Do a part of a search: the K-th of N, or unit K of FILE (`litmus split`). `litmus merge
              --units` puts the results together

          --split-after <N|SECONDS>
              A unit of FILE that has visited N graphs, or took so long (`90s`), leaves the rest in
              units to others

          --rest <UNITS>
              Where these units go [default: beside FILE, by the name of the unit]

          --estimate
              Do not run: say how many executions there are, and how long they take, by random walks

          --emit <FORM>
              Do not show results: write what the solver was given, and learnt, until it could decide
              the condition (`--engine sat`)

              Possible values:
              - dimacs: Clauses in the format of DIMACS, with comments that say what the variables mean

          --hexa
              Print integers in hexadecimal

          --color <WHEN>
              When to colour: auto, always or never (NO_COLOR is respected)
              
              [default: auto]

      -q, --quiet
              Say less: no notes, no progress, no summary; errors are still told

      -v, --verbose...
              Say more

      -h, --help
              Print help (see a summary with '-h')

    Graphs:
          --graph <DIR>
              Draw executions into DIR, a file each; `-`: as text, after the result

          --graph-format <FORM>
              The form of graphs [default: svg; text on standard output]

              Possible values:
              - svg:  Pictures for a browser
              - dot:  For Graphviz
              - text: For a terminal

          --show <WHICH>
              Which of the executions that the model allows to draw, or to list in json and jsonl
              [default: wit]

              Possible values:
              - wit:       Those that decide the condition: satisfying for exists and ~exists, violating
                for forall
              - prop:      Those that satisfy the proposition
              - neg:       Those that violate it
              - cond:      Those that speak for the condition
              - all:       All
              - flagged:   Those that raise a flag, or whose behaviour is undefined
              - forbidden: Those that the model refuses and that would decide the condition, one for
                each reason

          --graphs <N>
              Draw, or list, at most N executions of a test
              
              [default: 4]

          --draw <A,B>
              Relations of the model to draw besides po, rf, co, fr and those that it shows itself

    Exit codes:
      0  everything ran
      1  an expectation failed: --expect, or --strict (a violated forall or ~exists, a flag, undefined
      behaviour, no execution)
      2  bad input: command line, model or test
      3  a test or model uses something that is not supported
      4  a limit was hit: --timeout, --max-executions, --max-memory; with --strict also --unroll
      Where several apply, the first of 2, 3, 1, 4. Ctrl-C: 130, after what is known has been printed.

    Examples:
      litmus run litmus/mp.litmus -m arm-a9
      litmus run litmus/mp.litmus -m weak -m nofence
      litmus run litmus/ --format jsonl -o results.jsonl
      litmus run litmus/mp.litmus -m sc --expect forbidden
      litmus run litmus/sb-x86.litmus -m x86tso --graph pictures
      litmus run litmus/ -m sc -m x86tso --format html -o report.html
    --- exit 0
    ");
    insta::assert_snapshot!(shown(&litmus(&["diff", "--help"]).assert().code(0)), @"
    Compare the outcomes of two logs, or of a log and a run

    Usage: litmus diff [OPTIONS] <A> <B>...

    Arguments:
      <A>     The first log: ours, herd7's or litmus7's; `-`: standard input
      <B>...  The second log; with --run: tests to run

    Options:
          --run                Run the tests B and compare their outcomes with the log A
      -m, --model <MODEL>      The model of --run
      -I, --include <DIR>      Search DIR for models, includes, bell, macro and configuration files
                               (repeatable)
          --variant <A,B>      Variants of the semantics, as in herd7
          --bell <FILE>        Bell file: annotations that instructions may carry
          --macros <FILE.def>  Macros of C tests
          --conf <FILE.cfg>    herd7 configuration file
          --no-arch-check      Accept a model of another architecture
          --unroll <N>         With --run: unroll loops N times (a test's own Unroll= wins) [default: 2]
      -j, --jobs <N>           With --run: worker threads [default: one per core]
          --timeout <S>        With --run: time limit per test, in seconds
          --only-differences   Leave out tests that agree
          --soundness          A is a log of hardware: say only what was observed though B forbids it,
                               and how often (exit code 5)
          --format <FORMAT>    With --soundness: text, or one JSON object [default: text] [possible
                               values: text, json]
          --map <A=B>          What B calls the registers and locations of A, as for a C test and its
                               assembly: `r0=X3`, or `0:r0=0:X3` in one thread. What only one of them
                               shows is left out, hashes do not matter
          --no-hash            Match tests by name alone, whatever their hashes
          --counts             Numbers of witnesses must agree, too
          --int64              Compare numbers at 64 bits, not at 32
          --color <WHEN>       When to colour: auto, always or never (NO_COLOR is respected) [default:
                               auto]
      -q, --quiet              Say less: no notes, no progress, no summary; errors are still told
      -v, --verbose...         Say more
      -h, --help               Print help

    Exit codes: 0 equal, 1 different, 2 on error; --soundness: 5 if something was observed that is
    forbidden.

    Examples:
      litmus run litmus/mp.litmus -m sc -o sc.log
      litmus run litmus/mp.litmus -m sc -o again.log
      litmus diff sc.log again.log
      litmus diff --run sc.log litmus/mp.litmus -m sc
    --- exit 0
    ");
    insta::assert_snapshot!(shown(&litmus(&["herd", "--help"]).assert().code(0)), @r"
    Usage: litmus herd [OPTION]... [TEST]...

    Taken, as herd7 takes them:
      -I -include -model -cat -bell -macros -conf -local-conf -variant -unroll -speedcheck -timeout
      -skipchecks -skipcheck -archcheck -checkfilter -hexa -brackets -candidates -exit -badflag -o
      -suffix -v -q -verbose -names -oknames -excl -nonames -rename -kinds -conds -through -strictskip
      -optace -web -c11 -version -set-libdir -machsize

    Graphs (with -o):
      -show -showflag -nshow -showone -doshow -unshow -showraw -symetric -noid -showpo -showinitrf
      -showinitwrites -edgeattr -edgemerge -showevents -squished -showobserved -showthread -graph
      -splines -fontname -fontsize -edgefontsizedelta -penwidth -arrowsize -overlap -sep -margin -pad
      -mono -showlegend -showkind -shortlegend -dotheader -dotcom

    Taken, without effect on our graphs:
      -classes -showfinalrf -movelabel -relabel -oneinit -labelinit -fixedsize -withbox -labelbox -scale
      -xscale -yscale -boxscale -ptscale -dsiy -siwidth -threadposy -shift -initpos -initrfpos
      -finalrfpos -extrachars

    Refused:
      -initwrites, unless true: initial writes are always events
      -badexecs, unless true: a search that stops at the first bad execution counts an arbitrary part; the verdict says Undef
      -restrict, unless none: outcomes are never left out
      -dumpallfaults, unless false: states show the faults that a test asks about
      -endian, unless little: memory is little-endian
      -outcomereads, unless false: name the registers in a `locations` clause instead
      -throughflag: `-showflag` shows the executions with a flag
      -cycles: graphs show executions that the model accepts
      -statelessrc11, unless false: the search is stateless for every model
      -maxphantom, unless none: every choice of updates that hardware may make is looked at
      -dumpes, unless false: draw executions with `-show all -o DIR`
      -debug: it shows herd7's inside
      -switch: it shows herd7's inside
      -dumplem, unless false: it shows herd7's inside
      -dumptex, unless false: graphs are for Graphviz, not for TeX
      -tikz, unless false: graphs are for Graphviz, not for TeX
      -texmacros, unless false: graphs are for Graphviz, not for TeX
      -dotmode, unless plain: graphs are for Graphviz, not for TeX
      -libdir: the models are inside the command: `litmus model list`
      -gv, unless false: no viewer is started from here: draw with `-o DIR` and open the file
      -evince, unless false: no viewer is started from here: draw with `-o DIR` and open the file
      -preview, unless false: no viewer is started from here: draw with `-o DIR` and open the file
      -view, unless none: no viewer is started from here: draw with `-o DIR` and open the file

    herd7's options, with one dash, and its .cfg files; `litmus run` has the same under modern names. An option that is not there is an
    error that names it. Exit codes are herd7's: 0, or 2 on a wrong option, configuration file or model; with `-exit true` 1 at the first
    test that fails.

    Examples:
      litmus herd -model sc.cat litmus/mp.litmus
      litmus herd -model x86tso.cat -show prop -o . litmus/sb-x86.litmus
    --- exit 0
    ");
}

#[test]
fn what_a_program_asks_for_in_vain_is_listed_at_once() {
    let bad = "int half(void) {\n    asm volatile(\"cpuid\"); return 0;\n}\nint main(void) {\n    asm volatile(\"rdtsc\");\n    return half();\n}\n";
    let dir = folder(&[("bad.c", bad), ("good.c", "int main(void) { return 0; }\n")]);
    let text = stdout(&litmus_in(dir.path(), &["check", "bad.c", "good.c"]).assert().code(3));
    assert!(text.contains("bad.c:2: "), "{text}");
    assert!(text.contains("bad.c:5: "), "{text}");
    assert!(text.ends_with("2 programs read, 1 refused\n"), "{text}");
    let text = stdout(&litmus_in(dir.path(), &["check", "good.c"]).assert().code(0));
    assert_eq!(text, "1 program read, 0 refused\n");
}

/// A program may bring the kernel's headers itself.
#[test]
fn headers_of_the_program_go_before_ours_of_the_kernel() {
    let main =
        "#include <assert.h>\n#include <asm/value.h>\nint main(void) { assert(VALUE == 3); return 0; }\n";
    let dir = folder(&[("main.c", main), ("inc/asm/value.h", "#define VALUE 3\n")]);
    litmus_in(dir.path(), &["verify", "main.c", "-m", "sc", "-I", "inc"]).assert().code(0);
    litmus_in(dir.path(), &["verify", "main.c", "-m", "sc"]).assert().code(2);
}
