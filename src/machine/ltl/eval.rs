//! The meaning of formulas, by their definition: what automata and runs are checked against.

use super::formula::Formula;

/// Where does a formula hold on a word that goes on, after its last position, at position `back`?
pub fn holds_on(formula: &Formula, word: &[u64], back: usize) -> Vec<bool> {
    let n = word.len();
    let next = |at: usize| if at + 1 < n { at + 1 } else { back };
    let fixed = |start: bool, step: &dyn Fn(usize, bool) -> bool| {
        let mut value = vec![start; n];
        loop {
            let mut changed = false;
            for at in (0..n).rev() {
                let new = step(at, value[next(at)]);
                changed |= new != value[at];
                value[at] = new;
            }
            if !changed {
                return value;
            }
        }
    };
    match formula {
        Formula::True => vec![true; n],
        Formula::False => vec![false; n],
        Formula::Literal(atom, positive) => {
            word.iter().map(|w| (w >> atom.0 & 1 == 1) == *positive).collect()
        }
        Formula::And(a, b) => {
            holds_on(a, word, back).iter().zip(holds_on(b, word, back)).map(|(a, b)| *a && b).collect()
        }
        Formula::Or(a, b) => {
            holds_on(a, word, back).iter().zip(holds_on(b, word, back)).map(|(a, b)| *a || b).collect()
        }
        Formula::Next(a) => {
            let a = holds_on(a, word, back);
            (0..n).map(|at| a[next(at)]).collect()
        }
        Formula::Until(a, b) => {
            let (a, b) = (holds_on(a, word, back), holds_on(b, word, back));
            fixed(false, &|at, later| b[at] || (a[at] && later))
        }
        Formula::Release(a, b) => {
            let (a, b) = (holds_on(a, word, back), holds_on(b, word, back));
            fixed(true, &|at, later| b[at] && (a[at] || later))
        }
    }
}
