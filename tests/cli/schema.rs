//! JSON output against its schema.

use serde_json::Value;

use super::{BAD, SB, SPIN, folder, litmus_in, stdout};

const SCHEMA: &str = include_str!("../../docs/schema/litmus-results-1.schema.json");

/// Checks a value against the part of JSON Schema that ours uses; gives the first complaint.
fn check(value: &Value, schema: &Value, root: &Value, path: &str) -> Result<(), String> {
    let object = schema.as_object().ok_or("a schema is an object")?;
    for key in object.keys() {
        let known = [
            "$schema",
            "$id",
            "$ref",
            "$defs",
            "title",
            "description",
            "type",
            "properties",
            "required",
            "items",
            "enum",
            "additionalProperties",
            "minimum",
        ];
        // What this checker would pass over must not be in the schema.
        assert!(known.contains(&key.as_str()), "the checker does not know `{key}`");
    }
    if let Some(reference) = object.get("$ref").and_then(Value::as_str) {
        let target = root.pointer(reference.trim_start_matches('#')).ok_or(format!("no {reference}"))?;
        return check(value, target, root, path);
    }
    if let Some(allowed) = object.get("enum").and_then(Value::as_array)
        && !allowed.contains(value)
    {
        return Err(format!("{path}: {value} is not one of {allowed:?}"));
    }
    if let Some(least) = object.get("minimum").and_then(Value::as_i64)
        && value.as_i64().is_some_and(|value| value < least)
    {
        return Err(format!("{path}: {value} is less than {least}"));
    }
    if let Some(kind) = object.get("type") {
        let kinds: Vec<&str> = match kind {
            Value::String(one) => vec![one],
            Value::Array(many) => many.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let fits = kinds.iter().any(|kind| match *kind {
            "null" => value.is_null(),
            "string" => value.is_string(),
            "integer" => value.is_i64() || value.is_u64(),
            "number" => value.is_number(),
            "boolean" => value.is_boolean(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            _ => false,
        });
        if !fits {
            return Err(format!("{path}: {value} is not of type {kinds:?}"));
        }
    }
    if let (Some(items), Some(list)) = (object.get("items"), value.as_array()) {
        for (index, item) in list.iter().enumerate() {
            check(item, items, root, &format!("{path}/{index}"))?;
        }
    }
    let Some(fields) = value.as_object() else { return Ok(()) };
    for name in object.get("required").and_then(Value::as_array).into_iter().flatten() {
        let name = name.as_str().unwrap_or_default();
        if !fields.contains_key(name) {
            return Err(format!("{path}: {name} is missing"));
        }
    }
    if let Some(properties) = object.get("properties").and_then(Value::as_object) {
        for (name, field) in fields {
            match properties.get(name) {
                Some(schema) => check(field, schema, root, &format!("{path}/{name}"))?,
                None if object.get("additionalProperties") == Some(&Value::Bool(false)) => {
                    return Err(format!("{path}: {name} is not in the schema"));
                }
                None => {}
            }
        }
    }
    Ok(())
}

#[test]
fn the_output_is_as_the_schema_says() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let dir = folder(&[
        ("SB.litmus", SB),
        ("BAD.litmus", BAD),
        ("SPIN.litmus", SPIN),
        ("junk.litmus", "no test\n"),
        ("flag.cat", "flag ~empty W as writes\nempty R & W as e\n"),
    ]);
    let tests = ["SB.litmus", "BAD.litmus", "SPIN.litmus", "junk.litmus", "gone.litmus"];
    for options in [
        &["-m", "sc"][..],
        &["-m", "flag.cat", "--expect", "never"],
        &["-m", "sc", "--max-executions", "1"],
        &["-m", "tso", "--show", "all"],
    ] {
        let mut args = vec!["run", "--format", "json"];
        args.extend(tests);
        args.extend(options);
        let document: Value =
            serde_json::from_str(&stdout(&litmus_in(dir.path(), &args).assert().code(2))).unwrap();
        check(&document, &schema, &schema, "").unwrap();
        assert_eq!(document["results"].as_array().map(Vec::len), Some(5));
        let result = schema.pointer("/$defs/result").unwrap();
        args[2] = "jsonl";
        for line in stdout(&litmus_in(dir.path(), &args).assert().code(2)).lines() {
            check(&serde_json::from_str(line).unwrap(), result, &schema, "").unwrap();
        }
    }
}

#[test]
fn the_checker_finds_what_is_wrong() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let wrong = serde_json::json!({ "schema": "litmus-results/1", "tool": { "name": "litmus", "version": 3 }, "results": [], "summary": {} });
    assert_eq!(check(&wrong, &schema, &schema, "").unwrap_err(), "/summary: tests is missing");
}

#[test]
fn executions_are_listed_with_their_events_and_relations() {
    let dir = folder(&[("SB.litmus", SB)]);
    let run = litmus_in(dir.path(), &["run", "SB.litmus", "-m", "tso", "--format", "jsonl", "--show", "wit"]);
    let result: Value = serde_json::from_str(&stdout(&{ run }.assert().code(0))).unwrap();
    let [execution] = &result["executions"].as_array().unwrap()[..] else { panic!("{result}") };
    assert_eq!(execution["state"], "0:EAX=0; 1:EAX=0;");
    let events: Vec<&str> =
        execution["events"].as_array().unwrap().iter().map(|e| e["id"].as_str().unwrap()).collect();
    assert_eq!(events, ["init:x", "init:y", "a", "b", "c", "d"]);
    assert_eq!(execution["relations"]["rf"], serde_json::json!([["init:x", "d"], ["init:y", "b"]]));
    assert_eq!(execution["relations"]["fr"], serde_json::json!([["b", "c"], ["d", "a"]]));
    // Nobody asked: nothing is listed.
    let run = litmus_in(dir.path(), &["run", "SB.litmus", "-m", "tso", "--format", "jsonl"]);
    let result: Value = serde_json::from_str(&stdout(&{ run }.assert().code(0))).unwrap();
    assert_eq!(result.get("executions"), None);
}

const EXPLANATION: &str = include_str!("../../docs/schema/litmus-explanation-1.schema.json");

#[test]
fn explanations_follow_their_schema() {
    let schema: Value = serde_json::from_str(EXPLANATION).unwrap();
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let race = "C race\n{}\nP0(int *x) { *x = 1; }\nP1(int *x) { int r0 = *x; }\nexists (1:r0=1)\n";
    let own = folder(&[("race.litmus", race)]);
    let file = own.path().join("race.litmus");
    for words in [
        &["litmus/sb-x86.litmus", "-m", "sc"][..],
        &["litmus/sb-x86.litmus"],
        &["litmus/sb-x86.litmus", "--outcome", "0:EAX=9"],
        &["litmus/mp.litmus"],
        &[file.to_str().unwrap()],
    ] {
        let mut words: Vec<&str> = words.to_vec();
        words.insert(0, "explain");
        words.extend(["--format", "json"]);
        let text = stdout(&litmus_in(root, &words).assert().code(0));
        let value: Value = serde_json::from_str(&text).unwrap();
        if let Err(complaint) = check(&value, &schema, &schema, "explanation") {
            panic!("{words:?}: {complaint}");
        }
    }
}

const PROGRAMS: &str = include_str!("../../docs/schema/litmus-programs-1.schema.json");

#[test]
fn answers_about_programs_follow_their_schema() {
    let schema: Value = serde_json::from_str(PROGRAMS).unwrap();
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let own = folder(&[("bad.c", "int main(void) { asm(\"cpuid\"); return 0; }\n")]);
    let bad = own.path().join("bad.c");
    for (words, verdict) in [
        (&["litmus/programs/ticket.c"][..], "safe"),
        (&["litmus/programs/ticket.c", "-D", "BROKEN"], "unsafe"),
        (&["litmus/programs/ticket.c", "-D", "BROKEN", "-m", "tso"], "safe"),
        (&["litmus/programs/clh.c", "-D", "BROKEN", "--unroll", "1"], "unsafe"),
        (&[bad.to_str().unwrap()], "error"),
    ] {
        let mut words: Vec<&str> = words.to_vec();
        words.insert(0, "verify");
        words.extend(["--format", "json"]);
        let run = litmus_in(root, &words).output().unwrap();
        let value: Value = serde_json::from_slice(&run.stdout).unwrap();
        if let Err(complaint) = check(&value, &schema, &schema, "answer") {
            panic!("{words:?}: {complaint}");
        }
        assert_eq!(value["results"][0]["verdict"], verdict, "{words:?}");
    }
}

const MODELS: &str = include_str!("../../docs/schema/litmus-models-1.schema.json");

#[test]
fn answers_about_two_models_follow_their_schema() {
    let [models, results, explanation]: [Value; 3] =
        [MODELS, SCHEMA, EXPLANATION].map(|schema| serde_json::from_str(schema).unwrap());
    let of = |schema: &Value, name: &str| schema.pointer(&format!("/$defs/{name}")).unwrap().clone();
    let own = folder(&[("bad.litmus", BAD)]);
    let bad = own.path().join("bad.litmus");
    let (sb, mp) = ("litmus/sb-x86.litmus", "litmus/mp-x86.litmus");
    let log = own.path().join("hw.log");
    let without_hash: String = super::diff::LITMUS7
        .replace("SB", "sb-x86")
        .lines()
        .filter(|line| !line.starts_with("Hash"))
        .map(|line| format!("{line}\n"))
        .collect();
    std::fs::write(&log, without_hash).unwrap();
    let observed = log.to_str().unwrap();
    for (kind, words) in [
        ("port", &["port", sb, mp, bad.to_str().unwrap(), "--from", "sc", "--to", "x86tso"][..]),
        ("port", &["port", sb, mp, "--from", "sc", "--to", "x86tso", "--states"]),
        ("port", &["port", "litmus/sb-sc.litmus", "--from", "rc11", "--compile", "all"]),
        ("port", &["robust", sb, mp, "-m", "x86tso"]),
        ("port", &["robust", "litmus/peterson-loop.litmus", "-m", "tso"]),
        ("coverage", &["model", "coverage", "x86tso", "--suggest", "--tests", sb, mp]),
        ("difference", &["model", "diff", "sc", "x86tso"]),
        ("difference", &["model", "diff", "sc", "tso", "pso", "--size", "3"]),
        ("told", &["model", "diff", "sc", "x86tso", "--tests", sb, mp]),
        ("soundness", &["diff", "--soundness", observed, "--run", "-m", "sc", sb, mp]),
    ] {
        let words = [words, &["--format", "json"]].concat();
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let run = litmus_in(root, &words).output().unwrap();
        let mut seen = 0;
        for value in serde_json::Deserializer::from_slice(&run.stdout).into_iter::<Value>() {
            let value = value.unwrap();
            let judge = |value: &Value, schema: &Value, root: &Value| {
                if let Err(complaint) = check(value, schema, root, kind) {
                    panic!("{words:?}: {complaint}");
                }
            };
            judge(&value, &of(&models, kind), &models);
            for way in value["why"].as_array().into_iter().flatten() {
                judge(way, &of(&explanation, "way"), &explanation);
            }
            if let Some(execution) = value.get("execution").filter(|execution| !execution.is_null()) {
                judge(execution, &of(&results, "execution"), &results);
            }
            seen += 1;
        }
        assert!(seen > 0, "{words:?}: {}", String::from_utf8_lossy(&run.stderr));
    }
}

#[test]
fn ci_and_code_review_read_answers_about_programs() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let words = ["verify", "litmus/programs/ticket.c", "-D", "BROKEN", "--format"];
    let run = |format| stdout(&litmus_in(root, &[&words[..], &[format]].concat()).assert().code(1));
    let sarif: Value = serde_json::from_str(&run("sarif")).unwrap();
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "data-race");
    assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startLine"], 23);
    assert!(
        result["codeFlows"][0]["threadFlows"][0]["locations"].as_array().is_some_and(|steps| steps.len() > 3)
    );
    let junit = run("junit");
    assert!(junit.contains("tests=\"1\" failures=\"1\""), "{junit}");
    assert!(junit.contains("<failure message=\"data race\">"), "{junit}");
}
