//! The page of the playground: the same style and pictures as a report's, and two places to type in.

use serde_json::json;

use crate::cat::library::{self, Kind};
use crate::report::html;

/// What the page may load and run: what stands in it, and answers of its own server.
pub const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; \
                          base-uri 'none'; form-action 'none'";

const PLAY: &str = include_str!("play.js");

/// Tests to begin with: what they show, and their text.
const EXAMPLES: [(&str, &str); 9] = [
    ("Message passing, Armv8", include_str!("../../litmus/mp-aarch64.litmus")),
    ("Message passing with fences, Armv8", include_str!("../../litmus/mp-fenced-aarch64.litmus")),
    ("Store buffering, x86", include_str!("../../litmus/sb-x86.litmus")),
    ("Store buffering with fences, x86", include_str!("../../litmus/sb-fenced-x86.litmus")),
    ("Independent reads of independent writes, Power", include_str!("../../litmus/iriw-ppc.litmus")),
    ("Load buffering, RISC-V", include_str!("../../litmus/lb-riscv.litmus")),
    ("Coherence, Armv7", include_str!("../../litmus/corr-arm.litmus")),
    ("Message passing, C", include_str!("examples/mp-c.litmus")),
    ("Store buffering, Linux kernel", include_str!("examples/sb-kernel.litmus")),
];

/// A model to begin with.
const MODEL: &str = include_str!("examples/mine.cat");

/// The page.
pub fn page() -> String {
    let models = library::entries().iter().filter(|entry| entry.kind == Kind::Model);
    let models: Vec<_> = models
        .map(|entry| json!({ "name": entry.name.strip_suffix(".cat").unwrap_or(entry.name), "about": entry.summary() }))
        .collect();
    let examples: Vec<_> =
        EXAMPLES.iter().map(|(name, text)| json!({ "name": name, "text": text })).collect();
    let index = json!({ "models": models, "examples": examples, "model": MODEL });
    html::page("litmus playground", POLICY, &[("index", &index)], &[html::CORE, PLAY])
}
