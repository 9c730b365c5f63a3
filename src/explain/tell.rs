//! From derivations to explanations: events get letters, nodes get places, edges get words.

use std::collections::BTreeMap;

use super::data::{Check, Edge, Event, Link, Named, Near, Place, Shape, Way, Witness};
use super::derive::{Derivation, Step};
use super::events::{Look, action, instruction, letters, place};
use super::refute::{Offence, Reason};
use super::surface::{At, Surface};
use super::{Question, close, events};
use crate::diag::Diagnostic;
use crate::execution::Execution;
use crate::execution::{EventKind, View, World};
use crate::explore::Candidate;
use crate::litmus::Lowered;
use crate::model::{Expr, Plain, Step as ModelStep, TestKind};
use crate::source::Span;

/// The outcome that a test's condition speaks of, without its quantifier.
pub fn outcome(test: &Lowered) -> String {
    let text = test.condition_text.trim();
    let text =
        ["exists", "~exists", "forall"].iter().find_map(|word| text.strip_prefix(word)).unwrap_or(text);
    let text = text.trim();
    let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(text);
    let inner = if balanced(inner) { inner } else { text };
    match test.condition_text.trim_start().starts_with("forall") {
        true => format!("not ({inner})"),
        false => inner.to_string(),
    }
}

/// Are the brackets of a text closed in order?
fn balanced(text: &str) -> bool {
    let mut depth = 0i32;
    for c in text.chars() {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

/// Puts one execution into words.
pub struct Teller<'t, 'm> {
    question: &'t Question<'t>,
    surface: &'t Surface<'m>,
    world: &'t World,
    letters: BTreeMap<usize, String>,
}

impl<'t, 'm> Teller<'t, 'm> {
    /// For the events of a world.
    pub fn new(question: &'t Question<'t>, surface: &'t Surface<'m>, world: &'t World) -> Teller<'t, 'm> {
        Teller { question, surface, world, letters: letters(&world.events) }
    }

    /// What reasons that are the same have in common.
    pub fn key(&self, reason: &Reason) -> String {
        let event = |number: usize| {
            let event = &self.world.events[number];
            format!("{:?}.{}.{:?}.{:?}", event.thread, event.instance, event.kind, event.loc)
        };
        let mut key = format!("{}", reason.step);
        match &reason.offence {
            Offence::Event(number) => key += &event(*number),
            Offence::Nothing => key += "nothing",
            Offence::When => key += "when",
            Offence::Cycle(derivation) | Offence::Pair(_, _, derivation) => {
                for step in &derivation.steps {
                    key += &format!("|{} {} {}", event(step.from), self.relation(step.node), event(step.to));
                }
            }
        }
        key
    }

    /// The way of a reason; it counts no candidate yet.
    pub fn way(&self, view: &View, candidate: &Candidate, reason: &Reason) -> Result<Way, Diagnostic> {
        let mut plain = candidate.evaluation(self.question.model, view);
        reason.bind(self.question.model, &mut plain);
        let execution =
            candidate.execution(self.question.test, self.question.model, view, &mut plain, &[])?;
        let (shape, links) = self.shape(&reason.offence, &execution);
        let given = reason.chosen.iter().map(|(choice, a, b)| {
            let name = self.choice_name(choice.0);
            self.plain_edge(*a, *b, &name)
        });
        Ok(Way {
            candidates: 0,
            check: self.check(reason.step),
            shape,
            links,
            given: given.collect(),
            reads: self.reads(candidate),
            events: self.events(&execution),
            execution,
        })
    }

    /// An accepted execution.
    pub fn witness(
        &self,
        view: &View,
        candidate: &Candidate,
        plain: &mut Plain,
        flags: &[usize],
    ) -> Result<Witness, Diagnostic> {
        let execution = candidate.execution(self.question.test, self.question.model, view, plain, &[])?;
        let flags = flags.iter().map(|step| self.check(*step)).collect();
        Ok(Witness { reads: self.reads(candidate), events: self.events(&execution), flags, execution })
    }

    /// How an offence looks.
    pub fn shape(&self, offence: &Offence, execution: &Execution) -> (Shape, Vec<Link>) {
        match offence {
            Offence::Cycle(derivation) => (Shape::Cycle, self.links(derivation, execution)),
            Offence::Pair(_, _, derivation) => (Shape::Pair, self.links(derivation, execution)),
            Offence::Event(_) => (Shape::Event, Vec::new()),
            Offence::Nothing | Offence::When => (Shape::Missing, Vec::new()),
        }
    }

    /// How close an execution comes to being refused.
    pub fn near(&self, near: &close::Near) -> Near {
        Near {
            check: self.check(near.step),
            missing: near.missing.iter().map(|(a, b)| (self.id(*a), self.id(*b))).collect(),
            cycle: near.cycle.iter().map(|event| self.id(*event)).collect(),
            lacking: near.lacking.map(|part| self.part(part)),
        }
    }

    fn reads(&self, candidate: &Candidate) -> Vec<Edge> {
        let pairs = self.world.reads.iter().zip(candidate.sources);
        pairs.map(|((read, _), source)| self.plain_edge(*source, *read, "rf")).collect()
    }

    fn plain_edge(&self, a: usize, b: usize, relation: &str) -> Edge {
        Edge {
            from: self.id(a),
            to: self.id(b),
            relation: relation.to_string(),
            backwards: false,
            strand: 0,
            model: None,
            pair: (a, b),
        }
    }

    /// The id of an event.
    pub fn id(&self, number: usize) -> String {
        match self.letters.get(&number) {
            Some(letter) => letter.clone(),
            None => format!("init:{}", place(&self.world.events[number], self.question.test, false)),
        }
    }

    /// The events of an execution, but for those of registers: initial writes first.
    pub fn events(&self, execution: &Execution) -> Vec<Event> {
        let test = self.question.test;
        let mut order: Vec<usize> =
            (0..execution.events.len()).filter(|e| !execution.events[*e].is_internal()).collect();
        order.sort_by_key(|e| events::order(&execution.events[*e], *e));
        let tell = |number: usize| {
            let event = &execution.events[number];
            let values = execution.values.get(number).copied().unwrap_or_default();
            Event {
                id: self.id(number),
                thread: event.thread,
                action: action(event, &values, test, Look::default()),
                place: event.place(&test.program).map(|span| {
                    let own = self.place(span);
                    Place { text: instruction(event, test), ..own }
                }),
                number,
            }
        };
        order.into_iter().map(tell).collect()
    }

    /// A check of the model.
    pub fn check(&self, step: usize) -> Check {
        match &self.question.model.steps[step] {
            ModelStep::Check { test, name, span, .. } => {
                let asks = match test.kind {
                    TestKind::Acyclic => "acyclic",
                    TestKind::Irreflexive => "irreflexive",
                    TestKind::Empty => "empty",
                };
                let not = if test.negated { "~" } else { "" };
                Check { name: name.clone(), asks: format!("{not}{asks}"), place: Some(self.place(*span)) }
            }
            ModelStep::With { name, span, .. } => {
                Check { name: Some(name.clone()), asks: "with".to_string(), place: Some(self.place(*span)) }
            }
            ModelStep::Fail { .. } => Check { name: None, asks: "fail".to_string(), place: None },
        }
    }

    fn links(&self, derivation: &Derivation, execution: &Execution) -> Vec<Link> {
        let told = derivation.links.iter().enumerate().map(|(index, link)| {
            let steps: Vec<&Step> = derivation.steps.iter().filter(|step| step.link == index).collect();
            let edges: Vec<Edge> = steps.iter().map(|step| self.edge(step)).collect();
            // A derivation through one base edge says more by the name around it than by the edge itself.
            let within = match steps.as_slice() {
                [step] => &step.within,
                _ => &link.within,
            };
            let words = self.words(&edges, execution);
            Link {
                from: self.id(link.from),
                to: self.id(link.to),
                names: self.names(within),
                model: self.surface.span(link.node).map(|span| self.place(span)),
                edges,
                words,
            }
        });
        told.collect()
    }

    fn names(&self, within: &[At]) -> Vec<Named> {
        let mut names: Vec<Named> = Vec::new();
        for at in within {
            let node = &self.surface.nodes[*at];
            let Some(name) = &node.name else { continue };
            let bound = node.span.and_then(|span| self.question.model.origins.definition(span));
            let named = Named { name: name.to_string(), place: bound.map(|span| self.place(span)) };
            if names.last().is_none_or(|last| last.name != named.name) {
                names.push(named);
            }
        }
        names
    }

    fn edge(&self, step: &Step) -> Edge {
        Edge {
            from: self.id(step.from),
            to: self.id(step.to),
            relation: self.relation(step.node),
            backwards: step.backwards,
            strand: step.strand,
            model: self.surface.span(step.node).map(|span| self.place(span)),
            pair: step.pair(),
        }
    }

    /// What a leaf is called.
    fn relation(&self, at: At) -> String {
        let node = &self.surface.nodes[at];
        if let Some(name) = &node.name {
            return name.to_string();
        }
        match self.question.model.pool.expr(node.id) {
            Expr::Base(name, _) => name.to_string(),
            Expr::Choice(choice, _) => self.choice_name(choice.0),
            _ => match node.span {
                Some(span) => clip(self.question.sources.text(span)),
                None => "relation".to_string(),
            },
        }
    }

    fn choice_name(&self, number: u32) -> String {
        let named = self.question.model.steps.iter().find_map(|step| match step {
            ModelStep::With { choice, name, .. } if choice.0 == number => Some(name.clone()),
            _ => None,
        });
        named.unwrap_or_else(|| "choice".to_string())
    }

    /// A line for each base edge; one for a fence with what is before and after it.
    fn words(&self, edges: &[Edge], execution: &Execution) -> Vec<String> {
        let mut words = Vec::new();
        let mut at = 0;
        while let Some(edge) = edges.get(at) {
            let fence = execution.events.get(edge.pair.1).filter(|event| event.kind == EventKind::Fence);
            let next = edges.get(at + 1).filter(|next| next.relation == "po" && edge.relation == "po");
            at += 1;
            words.push(match (fence, next) {
                (Some(fence), Some(next)) => {
                    at += 1;
                    let code = instruction(fence, self.question.test);
                    format!("the fence {} ({code}) stands between {} and {}", edge.to, edge.from, next.to)
                }
                _ => self.edge_words(edge, execution),
            });
        }
        words
    }

    fn edge_words(&self, edge: &Edge, execution: &Execution) -> String {
        let (from, to) = edge.pair;
        let (a, b) = (self.id(from), self.id(to));
        let cell = place(&execution.events[to], self.question.test, false);
        match edge.relation.as_str() {
            "po" => format!("{a} comes before {b} in program order"),
            "rf" => format!("{b} reads the value that {a} wrote"),
            "co" => format!("{b} overwrites the value that {a} wrote to {cell}"),
            "fr" => {
                let source =
                    execution.rf.iter().find(|(_, read)| *read == from).map(|(write, _)| self.id(write));
                match source {
                    Some(source) => format!("{a} reads what {source} wrote to {cell}, which {b} overwrites"),
                    None => format!("{a} reads a value of {cell} that {b} overwrites"),
                }
            }
            "addr" => format!("the address of {b} depends on what {a} reads"),
            "data" => format!("the value that {b} writes depends on what {a} reads"),
            "ctrl" => format!("whether {b} runs depends on what {a} reads"),
            "rmw" | "amo" | "lxsx" => format!("{a} and {b} are the read and the write of one atomic update"),
            other => format!("{a} and {b} are a pair of `{other}`"),
        }
    }

    /// A part of a relation, as the model has it.
    fn part(&self, at: At) -> String {
        let node = &self.surface.nodes[at];
        match (&node.name, node.span) {
            (Some(name), _) => name.to_string(),
            (None, Some(span)) => self.place(span).text,
            (None, None) => "the rest of it".to_string(),
        }
    }

    fn place(&self, span: Span) -> Place {
        let sources = self.question.sources;
        let (line, column) = sources.line_column(span);
        Place { file: sources.get(span.source).name.clone(), line, column, text: clip(sources.text(span)) }
    }
}

/// A text on one line, not too long.
fn clip(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(100) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}
