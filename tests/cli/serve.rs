//! `litmus serve`: what it answers, and what it must not. How it looks and behaves in a browser is the business of `.ci/browser`.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use super::folder;

/// A playground, for the time of a test.
struct Playground {
    child: Child,
    port: u16,
}

impl Drop for Playground {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Playground {
    fn start(folder: &Path, args: &[&str]) -> Playground {
        let mut command = Command::new(env!("CARGO_BIN_EXE_litmus"));
        command.args(["serve", "--port", "0", "--quiet"]).args(args).current_dir(folder);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let port = line.trim().trim_end_matches('/').rsplit(':').next().unwrap().parse().unwrap();
        Playground { child, port }
    }

    /// Status and body of the answer to a request; `headers` replace the usual ones.
    fn send(&self, method: &str, path: &str, headers: &[&str], body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let mut head =
            format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        let usual = [format!("Host: 127.0.0.1:{}", self.port), "Content-Type: application/json".to_string()];
        for line in usual.iter().map(String::as_str).filter(|line| {
            let name = line.split(':').next().unwrap();
            !headers.iter().any(|header| header.starts_with(name))
        }) {
            head += &format!("{line}\r\n");
        }
        for header in headers {
            head += &format!("{header}\r\n");
        }
        stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
        // A server that has seen enough need not read the rest.
        let _ = stream.write_all(body.as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
        let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        (status, body.to_string())
    }

    fn ask(&self, what: &str, question: &Value) -> (u16, Value) {
        let (status, body) = self.send("POST", &format!("/api/{what}"), &[], &question.to_string());
        // Long answers come in chunks.
        let json = body.find('{').map_or("null", |at| &body[at..]);
        let json = serde_json::from_str(json).or_else(|_| serde_json::from_str(&unchunked(&body)));
        (status, json.unwrap_or(Value::Null))
    }
}

/// A body without the lengths of its chunks.
fn unchunked(body: &str) -> String {
    let mut rest = body;
    let mut text = String::new();
    while let Some((length, after)) = rest.split_once("\r\n") {
        let Ok(length) = usize::from_str_radix(length.trim(), 16) else { break };
        let Some(chunk) = after.get(..length) else { break };
        text += chunk;
        rest = after.get(length + 2..).unwrap_or("");
    }
    text
}

const SB: &str = include_str!("../../litmus/sb-x86.litmus");

#[test]
fn a_test_under_models_of_the_library_and_of_ones_own() {
    let playground = Playground::start(Path::new("."), &[]);
    let (status, page) = playground.send("GET", "/", &[], "");
    assert_eq!(status, 200);
    assert!(page.contains("litmus playground"), "{page}");
    let mine = "\"mine\"\ninclude \"cos.cat\"\nacyclic po | rf | co | fr as strong";
    let question = json!({ "test": SB, "model": mine, "models": ["x86tso", "mine"] });
    let (status, answer) = playground.ask("run", &question);
    assert_eq!(status, 200, "{answer}");
    let observed: Vec<&Value> =
        answer["results"].as_array().unwrap().iter().map(|r| &r["observation"]).collect();
    assert_eq!(observed, ["Sometimes", "Never"]);
    assert_eq!(answer["results"][1]["why"]["ways"][0]["check"]["name"], "strong");
    assert!(answer["results"][1]["why"]["pictures"][0]["edges"].as_array().unwrap().len() > 3);

    let wrong = json!({ "test": SB.replace("MOV [x]", "MOVE [x]"), "model": "acyclic pox" });
    let (_, said) = playground.ask("check", &wrong);
    assert_eq!(said["test"][0]["place"]["line"], 5, "{said}");
    let place = &said["model"][0]["place"];
    assert_eq!(
        (&place["line"], &place["column"], &place["to_column"]),
        (&json!(1), &json!(9), &json!(12)),
        "{said}"
    );
    let (_, said) = playground.ask("check", &json!({ "test": SB, "model": mine }));
    assert_eq!(said, json!({ "test": [], "model": [] }));

    let (_, why) = playground.ask("explain", &json!({ "test": SB, "models": ["x86tso"], "fix": true }));
    assert_eq!(why["why"]["answer"], "allowed");
    assert!(why["patched"].as_str().unwrap().contains("XCHG"), "{why}");
    let (_, model) = playground.ask("model", &json!({ "models": ["sc"] }));
    assert!(model["text"].as_str().unwrap().contains("acyclic"));
}

/// Whatever is asked for by name, nothing of the disk is read, and nobody learns what is there.
#[test]
fn no_file_of_the_machine_can_be_read() {
    let secret = "\"secret\"\nlet hidden = po\nacyclic rf as password";
    let files = [
        ("secret.cat", secret),
        ("secret.bell", "enum hush = 'password"),
        ("mine.bell", ""),
        ("mine.cfg", ""),
    ];
    let folder = folder(&files);
    let playground = Playground::start(folder.path(), &[]);
    let absolute = folder.path().join("secret.cat").display().to_string();
    let bell = folder.path().join("secret.bell").display().to_string();
    let names = [
        "secret.cat",
        "secret",
        "./secret.cat",
        "secret.bell",
        absolute.as_str(),
        bell.as_str(),
        "/etc/passwd",
    ];
    for name in names {
        // Every way to name a file: as a model, and as something that a model includes.
        let including = format!("\"mine\"\ninclude \"{name}\"\nacyclic po as fine");
        for (what, question) in [
            ("run", json!({ "test": SB, "models": [name] })),
            ("run", json!({ "test": SB, "model": including, "models": ["mine"] })),
            ("check", json!({ "test": SB, "model": including })),
            ("explain", json!({ "test": SB, "models": [name] })),
            ("explain", json!({ "test": SB, "model": including, "models": ["mine"] })),
            ("model", json!({ "models": [name] })),
        ] {
            let (status, answer) = playground.ask(what, &question);
            let text = answer.to_string();
            assert!(status == 200 || status == 400, "{what} {name}: {status}");
            for leak in ["password", "hidden", "root:", "hush"] {
                assert!(!text.contains(leak), "{what} {name}: {text}");
            }
            // A file that is not there gets the same answer, but for its name.
            let renamed = |text: &str| text.replace("secret", "absent").replace("passwd", "absent");
            let absent: Value = serde_json::from_str(&renamed(&question.to_string())).unwrap();
            let (_, absent) = playground.ask(what, &absent);
            let without_times = |text: &str| {
                let parts = text.split(',').filter(|part| !part.contains("seconds"));
                parts.map(str::to_string).collect::<Vec<_>>()
            };
            assert_eq!(without_times(&renamed(&text)), without_times(&absent.to_string()), "{what} {name}");
        }
        let (status, _) = playground.send("GET", &format!("/{name}"), &[], "");
        assert_eq!(status, 404);
        let (status, _) = playground.send("GET", &format!("/../{name}"), &[], "");
        assert_eq!(status, 404);
    }
    // Not even that a bell file stands beside where the model would be.
    let (_, said) = playground.ask("check", &json!({ "model": "acyclic unknown" }));
    assert!(!said.to_string().contains("bell"), "{said}");
}

#[test]
fn only_its_own_page_is_answered() {
    let playground = Playground::start(Path::new("."), &[]);
    let question = json!({ "test": SB, "models": ["sc"] }).to_string();
    let post = |headers: &[&str], body: &str| playground.send("POST", "/api/run", headers, body).0;
    assert_eq!(post(&[], &question), 200);
    assert_eq!(post(&["Host: evil.example"], &question), 403);
    assert_eq!(post(&["Origin: http://evil.example"], &question), 403);
    assert_eq!(post(&["Content-Type: text/plain"], &question), 415);
    assert_eq!(post(&[], "{"), 400);
    assert_eq!(post(&[], "{\"test\": \"\", \"files\": []}"), 400);
    assert_eq!(post(&[], &json!({ "models": vec!["sc"; 9] }).to_string()), 400);
    assert_eq!(playground.send("GET", "/api/run", &[], "").0, 405);
    assert_eq!(playground.send("GET", "/nothing", &[], "").0, 404);
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(post(&[], &deep), 400);
}

#[test]
fn requests_have_limits() {
    let playground = Playground::start(Path::new("."), &["--timeout", "1", "--max-memory", "256M"]);
    let large = json!({ "test": "x".repeat(300 << 10), "models": ["sc"] });
    assert_eq!(playground.send("POST", "/api/run", &[], &large.to_string()).0, 413);
    // Five threads that read and write one location: more executions than there is time for.
    let row = |cell: &str| format!("{} ;\n", [cell; 5].join(" | "));
    let code: String =
        (1..6).map(|n| row(&format!("MOV [x],${n}")) + &row("MOV EAX,[x]") + &row("MOV [y],EAX")).collect();
    let threads: Vec<String> = (0..5).map(|n| format!("P{n}")).collect();
    let test =
        format!("X86 long\n{{}}\n {} ;\n{code}exists (x=1 /\\ 0:EAX=3 /\\ 1:EAX=2)", threads.join(" | "));
    let (status, answer) = playground.ask("run", &json!({ "test": test, "models": ["sc", "x86tso"] }));
    assert_eq!(status, 200);
    for result in answer["results"].as_array().unwrap() {
        assert_eq!(result["qualifier"]["complete"], false, "{}", result["qualifier"]);
        let kind = result["qualifier"]["kind"].as_str().unwrap();
        assert!(["timeout", "memory-limit"].contains(&kind), "{kind}");
    }
    let (status, _) = playground.ask("explain", &json!({ "test": test, "models": ["sc"], "fix": true }));
    assert!(status == 200 || status == 400, "{status}");
    // A model that never comes to an end.
    let endless = "let rec f x = f (x | po)\nacyclic f po";
    let (status, said) = playground.ask("check", &json!({ "model": endless }));
    assert!(status == 400 || said["model"].as_array().is_some_and(|list| !list.is_empty()), "{said}");
    assert_eq!(playground.send("GET", "/", &[], "").0, 200);
}
