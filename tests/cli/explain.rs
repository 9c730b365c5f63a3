//! `litmus explain`.

use super::{litmus, stdout};

fn explained(args: &[&str]) -> String {
    let args: Vec<&str> = std::iter::once("explain").chain(args.iter().copied()).collect();
    stdout(&litmus(&args).assert().code(0))
}

#[test]
fn a_forbidden_outcome_has_a_cycle() {
    insta::assert_snapshot!(explained(&["litmus/sb-x86.litmus", "-m", "sc"]), @r"
    sb-x86 under sc: 0:EAX=0 /\ 1:EAX=0 cannot happen.
    There is one way to bring it about, and it is refused.

      b reads from init:y, d reads from init:x
      `sc` forbids cycles (<library>/sc.cat:12): acyclic po | (rf | co | fr); sm as sc
      and here is one:
        a: W[x]=1  P0, line 5: MOV [x],$1
          po: a comes before b in program order
              [<library>/sc.cat:12: po]
        b: R[y]=0  P0, line 6: MOV EAX,[y]
          fr: b reads what init:y wrote to y, which c overwrites
              [<library>/sc.cat:12: (rf | co | fr); sm]
        c: W[y]=1  P1, line 5: MOV [y],$1
          po: c comes before d in program order
              [<library>/sc.cat:12: po]
        d: R[x]=0  P1, line 6: MOV EAX,[x]
          fr: d reads what init:x wrote to x, which a overwrites
              [<library>/sc.cat:12: (rf | co | fr); sm]
        a: W[x]=1  P0, line 5: MOV [x],$1
    ");
}

#[test]
fn an_outcome_of_ones_own() {
    let text = explained(&["litmus/sb-x86.litmus", "--outcome", "0:EAX=0 /\\ 1:EAX=0"]);
    assert!(text.starts_with("sb-x86 under x86tso: 0:EAX=0 /\\ 1:EAX=0 can happen"), "{text}");
    let text = explained(&["litmus/sb-x86.litmus", "--outcome", "0:EAX=7"]);
    assert!(text.contains("cannot happen, whatever the model"), "{text}");
    litmus(&["explain", "litmus/sb-x86.litmus", "--outcome", "0:EAX="]).assert().code(2);
}

/// The sessions of the page on explanations are what the command prints.
#[test]
fn the_sessions_of_the_page_are_real() {
    let page = include_str!("../../docs/explain.md");
    let mut sessions: Vec<(&str, String)> = Vec::new();
    for line in page.lines() {
        match line.strip_prefix("    ") {
            Some(line) if line.starts_with("$ litmus ") => {
                sessions.push((&line["$ litmus ".len()..], String::new()))
            }
            Some(line) => sessions.iter_mut().last().map_or((), |(_, text)| *text += &format!("{line}\n")),
            None if line.is_empty() => sessions.iter_mut().last().map_or((), |(_, text)| text.push('\n')),
            None => {}
        }
    }
    assert!(sessions.len() >= 4, "{sessions:?}");
    for (command, printed) in sessions {
        let words: Vec<&str> = command.split_whitespace().collect();
        assert_eq!(
            stdout(&litmus(&words).assert().code(0)).trim_end(),
            printed.trim_end(),
            "litmus {command}"
        );
    }
}
