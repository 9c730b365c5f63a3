//! The solver, behind a trait of ours: variables, clauses, an answer under assumptions.

use std::cell::Cell;
use std::fmt::Write;
use std::ops::Not;

use batsat::{Callbacks, SolverInterface, lbool};

use super::order::{Order, Place};
use crate::limits;

/// A variable or its negation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Lit(u32);

impl Lit {
    /// The number of its variable.
    pub fn var(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Is it the variable itself?
    pub fn is_positive(self) -> bool {
        self.0 & 1 == 0
    }

    /// As DIMACS writes it.
    pub fn dimacs(self) -> i64 {
        let number = self.var() as i64 + 1;
        if self.is_positive() { number } else { -number }
    }
}

impl Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// What a solver can do for us.
pub trait Solver {
    /// A new variable; where nothing else decides, it is tried with that value first.
    fn variable(&mut self, first: bool) -> Lit;
    /// One of these must be true.
    fn clause(&mut self, literals: &[Lit]);
    /// Is there an assignment in which all of these are true? `None`: a limit was hit first.
    fn solve(&mut self, assumed: &[Lit]) -> Option<bool>;
    /// The value in the assignment found last.
    fn is_true(&self, literal: Lit) -> bool;
    /// A new place in an order without cycles.
    fn place(&mut self) -> Place;
    /// Where all of these literals are true, the first place is before the second.
    fn step(&mut self, from: Place, to: Place, literals: &[Lit]);
}

/// A solver in Rust: no other compiler is needed.
pub struct Batsat {
    solver: batsat::Solver<Limits>,
    variables: Vec<batsat::Var>,
    order: Order,
}

impl Batsat {
    /// Without variables.
    pub fn new() -> Batsat {
        let limits = Limits::default();
        Batsat {
            solver: batsat::Solver::new(batsat::SolverOpts::default(), limits),
            variables: Vec::new(),
            order: Order::default(),
        }
    }

    fn literal(&self, literal: Lit) -> batsat::Lit {
        batsat::Lit::new(self.variables[literal.var()], literal.is_positive())
    }
}

impl Default for Batsat {
    fn default() -> Batsat {
        Batsat::new()
    }
}

impl Solver for Batsat {
    fn variable(&mut self, first: bool) -> Lit {
        self.variables.push(self.solver.new_var(lbool::new(first), true));
        Lit((self.variables.len() as u32 - 1) << 1)
    }

    fn clause(&mut self, literals: &[Lit]) {
        let mut clause: Vec<batsat::Lit> = literals.iter().map(|literal| self.literal(*literal)).collect();
        self.solver.add_clause_reuse(&mut clause);
    }

    fn solve(&mut self, assumed: &[Lit]) -> Option<bool> {
        let assumed: Vec<batsat::Lit> = assumed.iter().map(|literal| self.literal(*literal)).collect();
        if !self.order.line_up() {
            return Some(false);
        }
        match self.solver.solve_limited_th(&mut self.order, &assumed) {
            answer if answer == lbool::TRUE => Some(true),
            answer if answer == lbool::FALSE => Some(false),
            _ => None,
        }
    }

    fn is_true(&self, literal: Lit) -> bool {
        self.solver.value_lit(self.literal(literal)) == lbool::TRUE
    }

    fn place(&mut self) -> Place {
        self.order.place()
    }

    fn step(&mut self, from: Place, to: Place, literals: &[Lit]) {
        let literals = literals.iter().map(|literal| self.literal(*literal)).collect();
        self.order.step(from, to, literals);
    }
}

/// Stops the solver when the work that it is a part of must stop.
#[derive(Default)]
struct Limits {
    asked: Cell<u32>,
    stopped: Cell<bool>,
}

impl Callbacks for Limits {
    fn stop(&self) -> bool {
        // The solver asks again whether it was meant: the answer is the same.
        if self.stopped.get() {
            return true;
        }
        self.asked.set(self.asked.get().wrapping_add(1));
        self.stopped.set(self.asked.get().is_multiple_of(16) && limits::look().is_some());
        self.stopped.get()
    }
}

/// Any solver, with the clauses that it was given kept for others to read.
#[derive(Default)]
pub struct Recorded<S> {
    solver: S,
    variables: usize,
    clauses: Option<Vec<Vec<Lit>>>,
}

impl<S: Solver> Recorded<S> {
    /// `keep`: are the clauses asked for?
    pub fn new(solver: S, keep: bool) -> Recorded<S> {
        Recorded { solver, variables: 0, clauses: keep.then(Vec::new) }
    }

    /// How many variables there are.
    pub fn n_variables(&self) -> usize {
        self.variables
    }

    /// The clauses so far and what is assumed, in the format of DIMACS.
    pub fn dimacs(&self, assumed: &[Lit]) -> String {
        let kept = self.clauses.as_deref().unwrap_or_default();
        let mut text = format!("p cnf {} {}\n", self.variables, kept.len() + assumed.len());
        let units = assumed.iter().map(std::slice::from_ref);
        for clause in kept.iter().map(Vec::as_slice).chain(units) {
            for literal in clause {
                let _ = write!(text, "{} ", literal.dimacs());
            }
            text.push_str("0\n");
        }
        text
    }
}

impl<S: Solver> Solver for Recorded<S> {
    fn variable(&mut self, first: bool) -> Lit {
        self.variables += 1;
        self.solver.variable(first)
    }

    fn clause(&mut self, literals: &[Lit]) {
        if let Some(clauses) = &mut self.clauses {
            clauses.push(literals.to_vec());
        }
        self.solver.clause(literals);
    }

    fn solve(&mut self, assumed: &[Lit]) -> Option<bool> {
        self.solver.solve(assumed)
    }

    fn is_true(&self, literal: Lit) -> bool {
        self.solver.is_true(literal)
    }

    fn place(&mut self) -> Place {
        self.solver.place()
    }

    fn step(&mut self, from: Place, to: Place, literals: &[Lit]) {
        self.solver.step(from, to, literals);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_and_assumptions_decide() {
        let mut solver = Recorded::new(Batsat::new(), true);
        let (a, b) = (solver.variable(false), solver.variable(false));
        solver.clause(&[a, b]);
        assert_eq!(solver.solve(&[!a]), Some(true));
        assert!(solver.is_true(b) && !solver.is_true(a));
        solver.clause(&[!b]);
        assert_eq!(solver.solve(&[!a]), Some(false));
        assert_eq!(solver.solve(&[]), Some(true));
        assert!(solver.is_true(a));
        assert_eq!(solver.dimacs(&[!a]), "p cnf 2 3\n1 2 0\n-2 0\n-1 0\n");
    }
}
