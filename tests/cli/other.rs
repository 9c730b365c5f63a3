//! The smaller commands.

use super::{BAD, SB, folder, litmus, litmus_in, shown, stderr, stdout};

#[test]
fn check_counts_by_reason() {
    let dir = folder(&[("t/1.litmus", BAD), ("t/2.litmus", SB), ("t/3.litmus", &BAD.replace("BAD", "ALSO"))]);
    let run = litmus_in(dir.path(), &["check", "t"]).assert().code(2);
    insta::assert_snapshot!(stdout(&run), @"");
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
    insta::assert_snapshot!(shown(&litmus(&["doc", "rmw"]).assert().code(0)), @"");
    insta::assert_snapshot!(shown(&litmus(&["doc", "DMB.SY"]).assert().code(0)), @"");
    insta::assert_snapshot!(shown(&litmus(&["doc", "X", "--arch", "x86"]).assert().code(0)), @"");
    insta::assert_snapshot!(shown(&litmus(&["doc", "lxsxx"]).assert().code(2)), @"");
    insta::assert_snapshot!(shown(&litmus(&["doc", "MFENCE", "--arch", "ARM"]).assert().code(2)), @"");
    insta::assert_snapshot!(shown(&litmus(&["doc", "F", "--test", "litmus/mp.litmus"]).assert().code(0)), @"");
    let all = stdout(&litmus(&["doc"]).assert().code(0));
    assert!(all.lines().count() > 100);
}

#[test]
fn completions_and_manual() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(stdout(&litmus(&["completions", shell]).assert().code(0)).contains("litmus"), "{shell}");
    }
    let page = stdout(&litmus(&["man"]).assert().code(0));
    assert!(page.contains(".TH litmus 1") && page.contains("unroll"), "{page}");
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

#[test]
fn bench_refuses_what_would_not_end() {
    let said = |args: &[&str]| stderr(&litmus(args).assert().code(2));
    insta::assert_snapshot!(said(&["bench", "writers", "--sizes", "15"]), @"");
    insta::assert_snapshot!(said(&["bench", "variables", "--sizes", "50", "--arch", "ARM"]), @"");
    insta::assert_snapshot!(said(&["bench", "rings"]), @"");
    insta::assert_snapshot!(said(&["bench", "ring", "--arch", "C"]), @"");
    litmus(&["bench", "writers", "--sizes", "15", "--timeout", "0.2"]).assert().code(4);
}

#[test]
fn help_texts() {
    insta::assert_snapshot!(shown(&litmus(&["--help"]).assert().code(0)), @"");
    insta::assert_snapshot!(shown(&litmus(&["run", "--help"]).assert().code(0)), @"");
    insta::assert_snapshot!(shown(&litmus(&["diff", "--help"]).assert().code(0)), @"");
    insta::assert_snapshot!(shown(&litmus(&["herd", "--help"]).assert().code(0)), @"");
}
