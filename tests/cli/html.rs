//! `--format html`: the page holds what the other formats say, and needs nothing from elsewhere. How it looks and behaves in a browser is the
//! business of `.ci/browser`.

use serde_json::Value;

use super::{folder, litmus, litmus_in, stdout};

/// The data that stand in a page, by the ids of their elements.
fn data(page: &str) -> Vec<(String, Value)> {
    let elements = page.split("<script type=\"application/json\" id=\"").skip(1);
    let parse = |element: &str| {
        let (id, rest) = element.split_once("\">").unwrap();
        let json = rest.split("</script>").next().unwrap();
        (id.to_string(), serde_json::from_str(json).unwrap())
    };
    elements.map(parse).collect()
}

fn page(args: &[&str]) -> (String, Vec<(String, Value)>) {
    let text = stdout(&litmus(args).assert().code(0));
    let data = data(&text);
    (text, data)
}

fn list<'v>(value: &'v Value, key: &str) -> &'v Vec<Value> {
    value[key].as_array().unwrap_or_else(|| panic!("`{key}` of {value}"))
}

#[test]
fn the_page_says_what_json_says() {
    let tests = ["litmus/mp-aarch64.litmus", "litmus/mp-fenced-aarch64.litmus", "litmus/iriw-aarch64.litmus"];
    let models = ["-m", "sc", "-m", "aarch64"];
    let args = |format| [&["run", "--format", format], &tests[..], &models[..]].concat();
    let (_, data) = page(&args("html"));
    let json: Value = serde_json::from_str(&stdout(&litmus(&args("json")).assert().code(0))).unwrap();
    let index = &data.iter().find(|(id, _)| id == "index").unwrap().1;
    assert_eq!(index["models"], serde_json::json!(["sc", "aarch64"]));
    for (number, record) in list(&json, "results").iter().enumerate() {
        let (test, model) = (number / 2, number % 2);
        let cell = &index["tests"][test]["cells"][model];
        assert_eq!(cell["observation"], record["observation"]);
        let result = &data.iter().find(|(id, _)| *id == format!("test-{test}")).unwrap().1["results"][model];
        let line = |state: &Value| (state["line"].clone(), state["witnesses"].clone());
        let [own, theirs] =
            [result, record].map(|of| list(of, "states").iter().map(line).collect::<Vec<_>>());
        assert_eq!(own, theirs);
        // Every outcome has an execution, as many as there are up to four.
        for state in list(result, "states") {
            let drawn = list(state, "executions").len() as u64;
            assert!(drawn >= 1 && drawn <= state["witnesses"].as_u64().unwrap().min(4), "{state}");
        }
        // What can happen and what cannot are all that reads could bring about: both registers of each reading thread.
        let threads = if test == 2 { 4 } else { 2 };
        assert_eq!(list(result, "states").len() + list(result, "refused").len(), 1 << threads);
        for refused in list(result, "refused") {
            let reasons = list(refused, "ways").len();
            assert!(reasons > 0 || refused["as_condition"] == true, "{refused}");
            assert_eq!(list(refused, "pictures").len(), reasons);
        }
    }
    let differ: Vec<bool> = list(index, "tests").iter().map(|test| test["differs"] == true).collect();
    assert_eq!(differ, [true, false, true]);
}

#[test]
fn an_edge_of_a_reason_knows_its_line_of_the_model() {
    let (_, data) =
        page(&["explain", "litmus/mp-fenced-aarch64.litmus", "-m", "aarch64", "--format", "html"]);
    let why = &data[0].1["results"][0]["why"];
    assert_eq!(why["answer"], "forbidden");
    let picture = &why["pictures"][0];
    let bold: Vec<&Value> = list(picture, "edges").iter().filter(|edge| edge["bold"] == true).collect();
    assert!(bold.len() >= 4);
    for edge in bold {
        assert!(edge["place"]["line"].as_u64().unwrap() > 0, "{edge}");
    }
    for node in list(picture, "nodes").iter().filter(|node| !node["thread"].is_null()) {
        assert!(node["line"].as_u64().unwrap() >= 8, "{node}");
    }
}

#[test]
fn an_outcome_of_ones_own_is_explained_in_a_page() {
    let asked = ["explain", "litmus/sb-x86.litmus", "--format", "html", "--outcome", "0:EAX=7"];
    let (_, data) = page(&asked);
    assert_eq!(data[0].1["results"][0]["why"]["answer"], "no-source");
    let wrong = ["explain", "litmus/sb-x86.litmus", "--format", "html", "--outcome", "0:EAX="];
    litmus(&wrong).assert().code(2);
}

/// Nothing is loaded from anywhere, and nothing in a test can become part of the page.
#[test]
fn the_page_keeps_to_itself() {
    let evil = "X86 </script><script>alert(1)</script>\n\"<img src=x onerror=alert(1)><!-- \"\n{}\n P0 ;\n MOV [x],$1 ;\nexists (x=1)";
    let folder = folder(&[
        ("evil.litmus", evil),
        ("broken.litmus", "X86 broken\n{}\n P0 ;\n NO </script> ;\nexists (x=1)"),
    ]);
    let run =
        litmus_in(folder.path(), &["run", "evil.litmus", "broken.litmus", "-m", "sc", "--format", "html"]);
    let mut run = run;
    let text = stdout(&run.assert().code(2));
    assert_eq!(text.matches("</script>").count(), 4, "two tests, the index, the program");
    assert!(!text.contains("<img"));
    let data = data(&text);
    assert_eq!(data.len(), 3);
    assert!(data[0].1["text"].as_str().unwrap().contains("<img src=x"));
    assert_eq!(data[1].1["results"][0]["status"], "error");
    for loads in ["src=\"", "href=\"", "@import", "fetch(", "XMLHttpRequest", "innerHTML", "eval("] {
        assert!(!text.contains(loads), "{loads}");
    }
    assert!(text.contains("default-src 'none'"));
}

#[test]
fn graphs_of_their_own_do_not_go_with_a_page() {
    litmus(&["run", "litmus/sb-x86.litmus", "--format", "html", "--show", "all"]).assert().code(2);
}
