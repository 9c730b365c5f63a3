//! Executions as data for machines: events, and the pairs of each relation.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::execution::Execution;
use crate::execution::{Event, EventKind};
use crate::litmus::Lowered;
use crate::outcome::{StateStyle, format_state};
use crate::program::Value;
use crate::relation::Rel;

use super::graph::{instruction, letters, location};

/// One execution that the model allows.
#[derive(Serialize, Debug)]
pub struct Witness {
    /// Its final state, as a log shows it.
    pub state: String,
    /// Does it satisfy the proposition of the condition?
    pub satisfies: bool,
    /// The flags it raises.
    pub flags: Vec<String>,
    /// Its events, but for those of registers: initial writes first, then thread by thread in program order.
    pub events: Vec<WitnessEvent>,
    /// `po`, `rf`, `co`, `fr`, what the model shows, and what was asked for: pairs of events by their ids, nothing left out.
    pub relations: BTreeMap<String, Vec<(String, String)>>,
}

/// One event.
#[derive(Serialize, Debug)]
pub struct WitnessEvent {
    /// The letter that graphs give it; `init:x` for the initial write of `x`.
    pub id: String,
    /// Its thread; `null` for initial writes.
    pub thread: Option<u16>,
    /// `R`, `W`, `RMW`, `F`, `B`, or `other`.
    pub kind: &'static str,
    /// The location, where it has one.
    pub location: Option<String>,
    /// The value read.
    pub read: Option<String>,
    /// The value written.
    pub written: Option<String>,
    /// The instruction.
    pub instruction: Option<String>,
}

impl Witness {
    /// The record of an execution.
    pub fn new(execution: &Execution, test: &Lowered) -> Witness {
        let shown: Vec<usize> =
            (0..execution.events.len()).filter(|e| !execution.events[*e].is_internal()).collect();
        let letters = letters(&execution.events);
        let location = |event: &Event| location(event, test).map(str::to_string);
        let id = |number: usize| match letters.get(&number) {
            Some(letter) => letter.clone(),
            None => format!("init:{}", location(&execution.events[number]).unwrap_or_default()),
        };
        let value = |value: Option<Value>| value.map(|value| test.program.show(value));
        let mut order = shown.clone();
        order.sort_by_key(|e| (execution.events[*e].thread, execution.events[*e].instance, *e));
        let events = order.iter().map(|number| {
            let event = &execution.events[*number];
            let (read, written) = execution.values[*number];
            WitnessEvent {
                id: id(*number),
                thread: event.thread,
                kind: match event.kind {
                    EventKind::Init | EventKind::Write => "W",
                    EventKind::Read => "R",
                    EventKind::Rmw => "RMW",
                    EventKind::Fence => "F",
                    EventKind::Branch(_) => "B",
                    EventKind::Other | EventKind::RegRead(..) | EventKind::RegWrite(_) => "other",
                },
                location: location(event),
                read: value(read),
                written: value(written),
                instruction: Some(instruction(event, test)).filter(|text| !text.is_empty()),
            }
        });
        let pairs = |rel: &Rel| {
            let seen = |e: usize| !execution.events[e].is_internal();
            let pairs = rel.iter().filter(|(a, b)| seen(*a) && seen(*b));
            pairs.map(|(a, b)| (id(a), id(b))).collect::<Vec<_>>()
        };
        let mut relations = BTreeMap::new();
        for (name, rel) in &execution.shown {
            relations.insert(name.clone(), pairs(rel));
        }
        for (name, rel) in
            [("po", &execution.po), ("rf", &execution.rf), ("co", &execution.co), ("fr", &execution.fr)]
        {
            relations.insert(name.to_string(), pairs(rel));
        }
        Witness {
            state: format_state(&execution.state, test, &StateStyle::default()),
            satisfies: execution.positive,
            flags: execution.flags.clone(),
            events: events.collect(),
            relations,
        }
    }
}
