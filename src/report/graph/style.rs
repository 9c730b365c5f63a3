//! What a picture shows, and how.

use crate::condition::Quantifier;
use crate::execution::Event;
use crate::explain::events::is_usual;
use crate::litmus::Lowered;

/// Which events are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EventChoice {
    /// All, registers too.
    All,
    /// Memory accesses.
    Memory,
    /// All but registers.
    NoRegisters,
    /// Memory accesses and fences.
    MemoryAndFences,
}

impl EventChoice {
    pub(super) fn shows(self, event: &Event) -> bool {
        match self {
            EventChoice::All => true,
            EventChoice::Memory => event.is_memory(),
            EventChoice::NoRegisters => !event.is_internal(),
            EventChoice::MemoryAndFences => is_usual(event),
        }
    }
}

/// How threads are laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// A box around each thread.
    Cluster,
    /// Each event at a fixed place, a thread a column.
    Columns,
    /// As it comes.
    Free,
}

/// What a picture shows, and how.
#[derive(Clone, Debug)]
pub struct Style {
    /// Which events.
    pub events: EventChoice,
    /// Where they stand (Graphviz only).
    pub layout: Layout,
    /// Draw program order?
    pub program_order: bool,
    /// Draw initial writes, where an edge leaves them?
    pub initial_writes: bool,
    /// Draw `rf` edges that start there?
    pub initial_reads: bool,
    /// Leave out the instructions?
    pub squished: bool,
    /// Label the threads?
    pub threads: bool,
    /// A title?
    pub legend: Option<Legend>,
    /// Mark the reads?
    pub observed: bool,
    /// No colours?
    pub mono: bool,
    /// Numbers in hexadecimal.
    pub hexa: bool,
    /// Globals in brackets.
    pub brackets: bool,
    /// Relations asked for by name.
    pub names: Vec<String>,
    /// Relations not to draw.
    pub unshown: Vec<String>,
    /// Relations to draw with what follows by transitivity.
    pub raw: Vec<String>,
    /// Relations to draw without arrow heads, once per pair.
    pub symmetric: Vec<String>,
    /// One edge for all relations between two events?
    pub merge: bool,
    /// Attributes of a relation's edges: relation, attribute, value (Graphviz only).
    pub edge_attributes: Vec<(String, String, String)>,
    /// Attributes of the whole graph, of its nodes and of its edges (Graphviz only).
    pub attributes: Attributes,
}

/// What the title says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Legend {
    /// `Test SB, x86tso`.
    Full,
    /// `Test SB: Allowed (x86tso)`.
    Kind,
    /// `SB`.
    Short,
}

/// Graphviz attributes, as `name=value` pairs.
#[derive(Clone, Default, Debug)]
pub struct Attributes {
    /// Of the graph.
    pub graph: Vec<(String, String)>,
    /// Of every node.
    pub node: Vec<(String, String)>,
    /// Of every edge.
    pub edge: Vec<(String, String)>,
}

impl Default for Style {
    fn default() -> Style {
        Style {
            events: EventChoice::MemoryAndFences,
            layout: Layout::Cluster,
            program_order: true,
            initial_writes: true,
            initial_reads: true,
            squished: false,
            threads: true,
            legend: Some(Legend::Full),
            observed: false,
            mono: false,
            hexa: false,
            brackets: true,
            names: Vec::new(),
            unshown: Vec::new(),
            raw: Vec::new(),
            symmetric: Vec::new(),
            merge: false,
            edge_attributes: Vec::new(),
            attributes: Attributes::default(),
        }
    }
}

/// Colours that are told apart in print, too.
const PALETTE: [&str; 6] = ["#0072b2", "#7a3e9d", "#00796b", "#b8457e", "#5d6d7e", "#8a6d00"];

impl Style {
    /// The colour of a relation's edges: the usual ones where there are, else one that depends on its name alone.
    pub(super) fn color(&self, name: &str) -> &'static str {
        if self.mono {
            return "black";
        }
        match name {
            "po" => "black",
            "rf" | "rfe" | "rfi" => "#c62828",
            "co" | "coe" | "coi" => "#6d4c41",
            "fr" | "fre" | "fri" => "#e07b00",
            "addr" | "data" | "ctrl" | "ctrlisync" | "ctrlisb" | "ctrlfence" | "dep" => "#283593",
            _ => {
                let sum: usize = name.bytes().map(usize::from).sum();
                PALETTE[sum % PALETTE.len()]
            }
        }
    }

    pub(super) fn legend(&self, test: &Lowered, model: &str) -> String {
        let kind = match test.condition.quantifier {
            Quantifier::Exists => "Allowed",
            Quantifier::NotExists => "Forbidden",
            Quantifier::Forall => "Required",
        };
        match self.legend {
            None => String::new(),
            Some(Legend::Full) => format!("Test {}, {model}", test.name),
            Some(Legend::Kind) => format!("Test {}: {kind} ({model})", test.name),
            Some(Legend::Short) => test.name.clone(),
        }
    }
}
