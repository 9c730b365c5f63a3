//! From a formula to an automaton: generalised Büchi, with acceptance on transitions.
//!
//! A state of the automaton is a set of formulas that must hold from here on. A step unfolds them: what must hold of this
//! state (literals), and what must hold from the next one on. An `a U b` that is put off (its `b` has not come yet) is a promise; there is an
//! acceptance set for each until, holding the steps that do not put it off. A run is accepting if it takes a step of each
//! set infinitely often: no promise is put off for ever. (Couvreur, FM 1999.)

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::formula::Formula;

/// An automaton that accepts the runs of one formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Automaton {
    /// The steps from each state; 0 is the initial one.
    pub states: Vec<Vec<Step>>,
    /// Number of acceptance sets.
    pub n_sets: u32,
}

impl Automaton {
    /// Is every word accepted from that state on?
    pub fn accepts_all_from(&self, state: u32) -> bool {
        let all = (1u64 << self.n_sets) - 1;
        self.states[state as usize].iter().any(|step| {
            step.positive == 0 && step.negative == 0 && step.to == state && step.accepts & all == all
        })
    }
}

/// A step of an automaton.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Step {
    /// Propositions that must hold.
    pub positive: u64,
    /// Propositions that must not.
    pub negative: u64,
    /// Acceptance sets that the step is in.
    pub accepts: u64,
    /// Where it leads.
    pub to: u32,
}

impl Step {
    /// May it be taken where exactly these propositions hold?
    pub fn enabled(&self, holds: u64) -> bool {
        holds & self.positive == self.positive && holds & self.negative == 0
    }
}

/// A formula with too many untils, or one whose automaton grows beyond all bounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TooLarge {
    /// More acceptance sets than a word has bits.
    Untils(usize),
    /// More states than anyone wants to wait for.
    States(usize),
    /// More ways to make it hold than anyone wants to wait for.
    Ways(usize),
}

/// More states than this are refused.
const MAX_STATES: usize = 20_000;

/// More ways to make what a state asks for hold, tried or found, are refused: they are compared with each other.
const MAX_WAYS: usize = 8_000;

/// Acceptance sets that a formula may need; the rest of the word is for whoever adds fairness.
pub const MAX_UNTILS: usize = 32;

/// The formulas that a state asks for, by their numbers in [`Parts`].
type Goals = BTreeSet<u32>;

/// The parts of a formula, each once, in the order of formulas: what a state asks for is copied often, and parts may be large.
struct Parts {
    nodes: Vec<Node>,
    untils: Vec<u32>,
}

/// A part, whose own parts are numbers.
#[derive(Clone, Copy)]
enum Node {
    True,
    False,
    Literal { bit: u64, positive: bool },
    And(u32, u32),
    Or(u32, u32),
    Next(u32),
    Until(u32, u32),
    Release(u32, u32),
}

impl Parts {
    /// With the number of the whole.
    fn of(formula: &Formula) -> (Parts, u32) {
        let mut all = BTreeSet::new();
        collect(formula, &mut all);
        let all: Vec<&Formula> = all.into_iter().collect();
        let number = |part: &Formula| all.binary_search(&part).expect("every part is there") as u32;
        let node = |part: &&Formula| match part {
            Formula::True => Node::True,
            Formula::False => Node::False,
            Formula::Literal(atom, positive) => Node::Literal { bit: 1 << atom.0, positive: *positive },
            Formula::And(a, b) => Node::And(number(a), number(b)),
            Formula::Or(a, b) => Node::Or(number(a), number(b)),
            Formula::Next(a) => Node::Next(number(a)),
            Formula::Until(a, b) => Node::Until(number(a), number(b)),
            Formula::Release(a, b) => Node::Release(number(a), number(b)),
        };
        let nodes: Vec<Node> = all.iter().map(node).collect();
        let is_until = |n: &u32| matches!(nodes[*n as usize], Node::Until(..));
        let untils = (0..nodes.len() as u32).filter(is_until).collect();
        (Parts { nodes, untils }, number(formula))
    }
}

fn collect<'f>(formula: &'f Formula, parts: &mut BTreeSet<&'f Formula>) {
    // What is there already has its parts there, too.
    if !parts.insert(formula) {
        return;
    }
    match formula {
        Formula::True | Formula::False | Formula::Literal(..) => {}
        Formula::Next(a) => collect(a, parts),
        Formula::And(a, b) | Formula::Or(a, b) | Formula::Release(a, b) | Formula::Until(a, b) => {
            collect(a, parts);
            collect(b, parts);
        }
    }
}

/// The automaton of a formula.
///
/// # Errors
/// The formula has too many untils, or the automaton too many states.
pub fn translate(formula: &Formula) -> Result<Automaton, TooLarge> {
    let (parts, whole) = Parts::of(formula);
    let untils = &parts.untils;
    if untils.len() > MAX_UNTILS {
        return Err(TooLarge::Untils(untils.len()));
    }
    let mut numbers: FxHashMap<Goals, u32> = FxHashMap::default();
    let first: Goals = [whole].into_iter().collect();
    numbers.insert(first.clone(), 0);
    let mut waiting = vec![first];
    let mut states = Vec::new();
    while states.len() < waiting.len() {
        let goals = waiting[states.len()].clone();
        crate::limits::poll();
        let mut found = Covers { parts: &parts, list: Vec::new(), tried: 0 };
        Cover::default().unfold(goals.into_iter().collect(), &mut found);
        if found.tried > MAX_WAYS {
            return Err(TooLarge::Ways(MAX_WAYS));
        }
        let mut steps = Vec::new();
        for cover in found.list {
            let accepts = (0..untils.len())
                .filter(|set| !cover.promised.contains(&untils[*set]))
                .fold(0, |accepts, set| accepts | 1 << set);
            let number = numbers.len() as u32;
            let to = *numbers.entry(cover.next.clone()).or_insert_with(|| {
                waiting.push(cover.next);
                number
            });
            steps.push(Step { positive: cover.positive, negative: cover.negative, accepts, to });
        }
        states.push(without_the_weaker(steps));
        if numbers.len() > MAX_STATES {
            return Err(TooLarge::States(numbers.len()));
        }
    }
    Ok(Automaton { states: merged(states), n_sets: untils.len() as u32 })
}

/// One way to make all goals of a state hold.
#[derive(Clone, Default)]
struct Cover {
    positive: u64,
    negative: u64,
    next: Goals,
    promised: Goals,
}

/// The ways found, and how many were tried.
struct Covers<'f> {
    parts: &'f Parts,
    list: Vec<Cover>,
    tried: usize,
}

impl Cover {
    /// Every way to make `goals` hold besides what is in the cover already.
    fn unfold(mut self, mut goals: Vec<u32>, found: &mut Covers) {
        found.tried += 1;
        if found.tried > MAX_WAYS {
            return;
        }
        while let Some(goal) = goals.pop() {
            match found.parts.nodes[goal as usize] {
                Node::True => {}
                Node::False => return,
                Node::Literal { bit, positive } => {
                    let (wanted, other) = match positive {
                        true => (&mut self.positive, self.negative),
                        false => (&mut self.negative, self.positive),
                    };
                    if other & bit != 0 {
                        return;
                    }
                    *wanted |= bit;
                }
                Node::And(a, b) => goals.extend([a, b]),
                Node::Next(a) => {
                    self.next.insert(a);
                }
                Node::Or(a, b) => {
                    self.clone().unfold(with(&goals, b), found);
                    goals.push(a);
                }
                Node::Until(a, b) => {
                    let mut put_off = self.clone();
                    put_off.next.insert(goal);
                    put_off.promised.insert(goal);
                    put_off.unfold(with(&goals, a), found);
                    goals.push(b);
                }
                Node::Release(a, b) => {
                    let mut held = self.clone();
                    held.next.insert(goal);
                    held.unfold(with(&goals, b), found);
                    goals.extend([a, b]);
                }
            }
        }
        // `true` is no goal.
        self.next.retain(|goal| !matches!(found.parts.nodes[*goal as usize], Node::True));
        found.list.push(self);
    }
}

fn with(goals: &[u32], goal: u32) -> Vec<u32> {
    goals.iter().copied().chain([goal]).collect()
}

/// Leaves out steps that another one makes needless: to the same state, under weaker conditions, in more sets.
fn without_the_weaker(mut steps: Vec<Step>) -> Vec<Step> {
    steps.sort_unstable();
    steps.dedup();
    let needless = |step: &Step| {
        steps.iter().any(|other| {
            other != step
                && other.to == step.to
                && other.positive & step.positive == other.positive
                && other.negative & step.negative == other.negative
                && other.accepts & step.accepts == step.accepts
        })
    };
    steps.iter().copied().filter(|step| !needless(step)).collect()
}

/// States with the same steps are one.
fn merged(mut states: Vec<Vec<Step>>) -> Vec<Vec<Step>> {
    loop {
        let mut first: FxHashMap<&[Step], u32> = FxHashMap::default();
        let mut renamed = Vec::with_capacity(states.len());
        let mut kept = Vec::new();
        for steps in &states {
            let number = kept.len() as u32;
            let it = *first.entry(steps).or_insert(number);
            if it == number {
                kept.push(steps.clone());
            }
            renamed.push(it);
        }
        let before = states.len();
        for steps in &mut kept {
            steps.iter_mut().for_each(|step| step.to = renamed[step.to as usize]);
            *steps = without_the_weaker(std::mem::take(steps));
        }
        if kept.len() == before {
            return kept;
        }
        states = kept;
    }
}
