//! `litmus serve`: the page as a playground, for this machine only.
//!
//! A small server: each request is a computation, so a thread that does it from start to end is all that is wanted, and the budgets of
//! [`crate::limits`] are those of a thread. Nothing of the machine's disk is read: tests and models are what was typed, models include files of
//! the library and nothing else.

mod api;
mod page;

use std::io::{self, Read};
use std::net::{Ipv4Addr, SocketAddr};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tiny_http::{Header, Method, Request, Response, Server};

use crate::session::STACK;

/// What a request may take.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Time, for everything that one request asks for.
    pub time: Duration,
    /// Memory of the process.
    pub memory: u64,
    /// Bytes of a request.
    pub size: u64,
    /// Requests that are answered at the same time.
    pub workers: usize,
}

/// A server that listens.
pub struct Playground {
    server: Server,
    limits: Limits,
    stop: Arc<AtomicBool>,
}

impl Playground {
    /// Listens on a port of the loopback interface, where only this machine reaches it; 0: any that is free.
    ///
    /// # Errors
    /// The port is taken, or must not be listened on.
    pub fn new(port: u16, limits: Limits, stop: Arc<AtomicBool>) -> io::Result<Playground> {
        let server = Server::http(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).map_err(io::Error::other)?;
        Ok(Playground { server, limits, stop })
    }

    /// Where it listens.
    pub fn port(&self) -> u16 {
        self.server.server_addr().to_ip().map_or(0, |address| address.port())
    }

    /// Answers requests until someone stops it.
    pub fn run(&self) {
        std::thread::scope(|scope| {
            for number in 0..self.limits.workers {
                let builder = std::thread::Builder::new().name(format!("request-{number}")).stack_size(STACK);
                // Fewer workers than wished for still answer.
                let _ = builder.spawn_scoped(scope, || self.work());
            }
        });
    }

    fn work(&self) {
        while !self.stop.load(Ordering::Relaxed) {
            match self.server.recv_timeout(Duration::from_millis(200)) {
                Ok(Some(request)) => self.answer(request),
                Ok(None) => {}
                Err(_) => return,
            }
        }
    }

    fn answer(&self, mut request: Request) {
        let reply = catch_unwind(AssertUnwindSafe(|| self.reply(&mut request)))
            .unwrap_or_else(|_| Reply::wrong(500, "internal error"));
        let mut response = Response::from_data(reply.body).with_status_code(reply.status);
        let policy = format!("Content-Security-Policy: {}; frame-ancestors 'none'", page::POLICY);
        let headers = [
            reply.kind,
            &policy,
            "X-Content-Type-Options: nosniff",
            "Referrer-Policy: no-referrer",
            "Cache-Control: no-store",
            "X-Frame-Options: DENY",
        ];
        for header in headers.iter().filter_map(|header| header.parse::<Header>().ok()) {
            response.add_header(header);
        }
        // Whoever has gone needs no answer.
        let _ = request.respond(response);
    }

    fn reply(&self, request: &mut Request) -> Reply {
        if !self.is_from_here(request) {
            return Reply::wrong(403, "this server answers its own page only");
        }
        let path = request.url().split(['?', '#']).next().unwrap_or_default().to_string();
        match (request.method(), path.as_str()) {
            (Method::Get, "/") => Reply::page(page::page()),
            (Method::Post, "/api/check" | "/api/run" | "/api/explain" | "/api/model") => {
                let asked = match self.body(request) {
                    Ok(asked) => asked,
                    Err(reply) => return reply,
                };
                match api::answer(&path["/api/".len()..], asked, &self.limits, &self.stop) {
                    Ok(answer) => Reply::json(200, &answer),
                    Err(message) => Reply::wrong(400, &message),
                }
            }
            (_, "/" | "/api/check" | "/api/run" | "/api/explain" | "/api/model") => {
                Reply::wrong(405, "not like that")
            }
            _ => Reply::wrong(404, "there is no such page"),
        }
    }

    /// Does a request come from a page of this server? Pages of others, whatever name they give this machine, have no business here.
    fn is_from_here(&self, request: &Request) -> bool {
        let header = |name: &'static str| {
            request
                .headers()
                .iter()
                .find(|header| header.field.equiv(name))
                .map(|header| header.value.as_str())
        };
        let port = self.port();
        let own = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{port}"));
        let host = header("Host").is_some_and(|host| own.iter().any(|name| name == host));
        let origin =
            header("Origin").is_none_or(|origin| own.iter().any(|name| format!("http://{name}") == origin));
        host && origin
    }

    /// The JSON of a request.
    fn body(&self, request: &mut Request) -> Result<Value, Reply> {
        let is_json = |header: &Header| {
            header.field.equiv("Content-Type") && header.value.as_str().starts_with("application/json")
        };
        if !request.headers().iter().any(is_json) {
            return Err(Reply::wrong(415, "JSON, please"));
        }
        let large = || Reply::wrong(413, &format!("a request has at most {} bytes", self.limits.size));
        if request.body_length().is_some_and(|length| length as u64 > self.limits.size) {
            return Err(large());
        }
        let mut text = Vec::new();
        let read = request.as_reader().take(self.limits.size + 1).read_to_end(&mut text);
        if read.is_err() {
            return Err(Reply::wrong(400, "the request could not be read"));
        }
        if text.len() as u64 > self.limits.size {
            return Err(large());
        }
        serde_json::from_slice(&text).map_err(|error| Reply::wrong(400, &error.to_string()))
    }
}

/// What is sent back.
struct Reply {
    status: u16,
    kind: &'static str,
    body: Vec<u8>,
}

impl Reply {
    fn page(text: String) -> Reply {
        Reply { status: 200, kind: "Content-Type: text/html; charset=utf-8", body: text.into_bytes() }
    }

    fn json(status: u16, value: &Value) -> Reply {
        Reply { status, kind: "Content-Type: application/json", body: value.to_string().into_bytes() }
    }

    fn wrong(status: u16, message: &str) -> Reply {
        Reply::json(status, &json!({ "error": message }))
    }
}
