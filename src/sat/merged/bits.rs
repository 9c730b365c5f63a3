//! Gates over a solver, and numbers made of bits.
//!
//! A number is a list of literals, the lowest bit first. The last one is its sign, and stands for all bits above it: small numbers have few literals,
//! whatever the width of the program is.

use rustc_hash::FxHashMap;

use crate::limits;
use crate::sat::solver::{Batsat, Lit, Recorded, Solver};

/// A number in two's complement.
pub type Bits = Vec<Lit>;

/// A solver, with gates that are there once each.
pub struct Gates {
    pub solver: Recorded<Batsat>,
    /// Always true.
    pub yes: Lit,
    /// Never true.
    pub no: Lit,
    /// The width of the program's registers.
    pub width: usize,
    known: FxHashMap<(Gate, Lit, Lit), Lit>,
    /// What a literal is the conjunction of.
    parts: FxHashMap<Lit, (Lit, Lit)>,
    /// How many clauses there are.
    pub clauses: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Gate {
    And,
    Xor,
}

impl Gates {
    /// Without any.
    pub fn new(width: u32) -> Gates {
        let mut solver = Recorded::new(Batsat::new(), false);
        let yes = solver.variable(true);
        solver.clause(&[yes]);
        Gates {
            solver,
            yes,
            no: !yes,
            width: width as usize,
            known: FxHashMap::default(),
            parts: FxHashMap::default(),
            clauses: 0,
        }
    }

    /// A new variable.
    pub fn fresh(&mut self) -> Lit {
        self.solver.variable(false)
    }

    /// One of these is true.
    pub fn clause(&mut self, literals: &[Lit]) {
        limits::poll();
        if literals.contains(&self.yes) {
            return;
        }
        let mut clause: Vec<Lit> = literals.iter().copied().filter(|literal| *literal != self.no).collect();
        clause.sort_unstable();
        clause.dedup();
        self.clauses += 1;
        self.solver.clause(&clause);
    }

    pub fn literal(&self, is: bool) -> Lit {
        if is { self.yes } else { self.no }
    }

    /// Is it known?
    pub fn known(&self, literal: Lit) -> Option<bool> {
        if literal == self.yes {
            Some(true)
        } else if literal == self.no {
            Some(false)
        } else {
            None
        }
    }

    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        match (self.known(a), self.known(b)) {
            (Some(false), _) | (_, Some(false)) => return self.no,
            (Some(true), _) => return b,
            (_, Some(true)) => return a,
            _ if a == b => return a,
            _ if a == !b => return self.no,
            _ => {}
        }
        let (a, b) = (a.min(b), a.max(b));
        if let Some(known) = self.known.get(&(Gate::And, a, b)) {
            return *known;
        }
        let out = self.fresh();
        self.clause(&[!out, a]);
        self.clause(&[!out, b]);
        self.clause(&[out, !a, !b]);
        self.known.insert((Gate::And, a, b), out);
        self.parts.insert(out, (a, b));
        out
    }

    /// Is the second true wherever the first is, as far as the gates show?
    pub fn implies(&self, a: Lit, b: Lit) -> bool {
        if b == self.yes || a == b || a == self.no {
            return true;
        }
        match self.parts.get(&a) {
            Some((x, y)) => self.implies(*x, b) || self.implies(*y, b),
            None => false,
        }
    }

    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        match (self.known(a), self.known(b)) {
            (Some(a), _) => return if a { !b } else { b },
            (_, Some(b)) => return if b { !a } else { a },
            _ if a == b => return self.no,
            _ if a == !b => return self.yes,
            _ => {}
        }
        // Negations go out.
        let flips = !a.is_positive() ^ !b.is_positive();
        let [a, b] = [a, b].map(|literal| if literal.is_positive() { literal } else { !literal });
        let (a, b) = (a.min(b), a.max(b));
        let out = match self.known.get(&(Gate::Xor, a, b)) {
            Some(known) => *known,
            None => {
                let out = self.fresh();
                self.clause(&[!out, a, b]);
                self.clause(&[!out, !a, !b]);
                self.clause(&[out, !a, b]);
                self.clause(&[out, a, !b]);
                self.known.insert((Gate::Xor, a, b), out);
                out
            }
        };
        if flips { !out } else { out }
    }

    pub fn choose(&mut self, condition: Lit, then: Lit, otherwise: Lit) -> Lit {
        match self.known(condition) {
            Some(true) => return then,
            Some(false) => return otherwise,
            None if then == otherwise => return then,
            None => {}
        }
        match (self.known(then), self.known(otherwise)) {
            (Some(true), _) => self.or(condition, otherwise),
            (Some(false), _) => self.and(!condition, otherwise),
            (_, Some(true)) => self.or(!condition, then),
            (_, Some(false)) => self.and(condition, then),
            _ if then == !otherwise => !self.xor(condition, then),
            _ => {
                let (a, b) = (self.and(condition, then), self.and(!condition, otherwise));
                self.or(a, b)
            }
        }
    }

    pub fn any(&mut self, literals: impl IntoIterator<Item = Lit>) -> Lit {
        let no = self.no;
        literals.into_iter().fold(no, |any, literal| self.or(any, literal))
    }

    /// A constant.
    pub fn number(&self, n: i128) -> Bits {
        let mut bits: Bits = (0..self.width).map(|at| self.literal(n >> at.min(127) & 1 == 1)).collect();
        shorten(&mut bits);
        bits
    }

    /// The constant that it is.
    pub fn constant(&self, bits: &[Lit]) -> Option<i128> {
        let mut n = 0;
        for (at, bit) in bits.iter().enumerate() {
            if self.known(*bit)? {
                n |= 1 << at;
            }
        }
        let negative = self.known(bits[bits.len() - 1])?;
        Some(if negative { n | -1 << bits.len() } else { n })
    }

    /// What it is in the assignment found last.
    pub fn value(&self, bits: &[Lit]) -> i128 {
        let is = |bit: &Lit| self.solver.is_true(*bit);
        let set = bits.iter().enumerate().filter(|(_, bit)| is(bit)).fold(0, |n, (at, _)| n | 1i128 << at);
        if is(&bits[bits.len() - 1]) { set | -1 << bits.len() } else { set }
    }

    fn room(&self, a: &[Lit], b: &[Lit], more: usize) -> usize {
        (a.len().max(b.len()) + more).min(self.width)
    }

    pub fn add(&mut self, a: &[Lit], b: &[Lit], carry: Lit) -> Bits {
        let mut carry = carry;
        let mut sum = Bits::new();
        for at in 0..self.room(a, b, 1) {
            let (x, y) = (bit(a, at), bit(b, at));
            let half = self.xor(x, y);
            sum.push(self.xor(half, carry));
            let (both, through) = (self.and(x, y), self.and(half, carry));
            carry = self.or(both, through);
        }
        shorten(&mut sum);
        sum
    }

    pub fn sub(&mut self, a: &[Lit], b: &[Lit]) -> Bits {
        let yes = self.yes;
        self.add(a, &negated(b), yes)
    }

    pub fn multiply(&mut self, a: &[Lit], b: &[Lit]) -> Bits {
        let n = (a.len() + b.len()).min(self.width);
        // The constant, if there is one, decides which sums there are.
        let (a, b) = if self.constant(a).is_some() { (b, a) } else { (a, b) };
        let mut sum = self.number(0);
        let width = std::mem::replace(&mut self.width, n);
        for at in 0..n {
            let by = bit(b, at);
            if by == self.no {
                continue;
            }
            let mut row: Bits = vec![self.no; at];
            for place in 0..n - at {
                row.push(self.and(by, bit(a, place)));
            }
            let no = self.no;
            sum = self.add(&sum, &row, no);
        }
        self.width = width;
        sum
    }

    /// The quotient and the remainder, signed or not; by zero these are zero and the number itself.
    pub fn divide(&mut self, a: &[Lit], b: &[Lit], signed: bool) -> (Bits, Bits) {
        let (width, no) = (self.width, self.no);
        self.width = width + 2;
        let signs = [a, b].map(|bits| if signed { bits[bits.len() - 1] } else { no });
        let [x, y] = [(a, signs[0]), (b, signs[1])].map(|(bits, negative)| {
            let mut size: Bits = match (signed, self.known(bits[bits.len() - 1])) {
                (_, Some(false)) => bits.to_vec(),
                (false, _) => (0..width).map(|at| bit(bits, at)).collect(),
                (true, _) => {
                    let minus = self.sub(&[no], bits);
                    let size = self.choose_bits(negative, &minus, bits);
                    (0..bits.len()).map(|at| bit(&size, at)).collect()
                }
            };
            size.push(no);
            size
        });
        // As by hand: bit by bit from above, and what is left is less than the divisor.
        let mut left: Bits = vec![no];
        let mut quotient: Bits = vec![no; x.len()];
        for at in (0..x.len() - 1).rev() {
            let mut next: Bits = vec![x[at]];
            next.extend(&left);
            let less = self.less(&next, &y);
            let rest = self.sub(&next, &y);
            left = self.choose_bits(less, &next, &rest);
            left.truncate(y.len() - 1);
            left.push(no);
            quotient[at] = !less;
        }
        let some = self.some_bit(b);
        let opposite = self.xor(signs[0], signs[1]);
        let results =
            [(quotient, opposite, &[no][..]), (left, signs[0], a)].map(|(size, negative, of_zero)| {
                let minus = self.sub(&[no], &size);
                let result = self.choose_bits(negative, &minus, &size);
                let mut result = self.choose_bits(some, &result, of_zero);
                result.truncate(width);
                shorten(&mut result);
                result
            });
        self.width = width;
        let [quotient, remainder] = results;
        (quotient, remainder)
    }

    pub fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let mut same = self.yes;
        for at in 0..a.len().max(b.len()) {
            let differ = self.xor(bit(a, at), bit(b, at));
            same = self.and(same, !differ);
        }
        same
    }

    /// Is the first less, as signed numbers?
    pub fn less(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        // From the lowest bit up: the highest that differs decides; signs count the other way round.
        let n = a.len().max(b.len());
        let mut less = self.no;
        for at in 0..n {
            let (x, y) = (bit(a, at), bit(b, at));
            let (x, y) = if at + 1 == n { (y, x) } else { (x, y) };
            let differ = self.xor(x, y);
            less = self.choose(differ, y, less);
        }
        less
    }

    /// Is the first less, as unsigned numbers of the program's width?
    pub fn less_unsigned(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let (x, y) = (a[a.len() - 1], b[b.len() - 1]);
        let differ = self.xor(x, y);
        let less = self.less(a, b);
        self.choose(differ, y, less)
    }

    pub fn choose_bits(&mut self, condition: Lit, then: &[Lit], otherwise: &[Lit]) -> Bits {
        let n = then.len().max(otherwise.len());
        let mut bits: Bits =
            (0..n).map(|at| self.choose(condition, bit(then, at), bit(otherwise, at))).collect();
        shorten(&mut bits);
        bits
    }

    pub fn each(&mut self, a: &[Lit], b: &[Lit], gate: fn(&mut Gates, Lit, Lit) -> Lit) -> Bits {
        let n = a.len().max(b.len());
        let mut bits: Bits = (0..n).map(|at| gate(self, bit(a, at), bit(b, at))).collect();
        shorten(&mut bits);
        bits
    }

    pub fn some_bit(&mut self, a: &[Lit]) -> Lit {
        self.any(a.to_vec())
    }

    /// Is it from one number to another?
    pub fn within(&mut self, a: &[Lit], low: i128, high: i128) -> Lit {
        let (low, high) = (self.number(low), self.number(high));
        let (under, over) = (self.less(a, &low), self.less(&high, a));
        self.and(!under, !over)
    }

    /// Shifted, by a number of bits that need not be known; `fill` comes in from above, and nothing else is left of what is shifted too far.
    pub fn shifted(&mut self, a: &[Lit], by: &[Lit], left: bool, fill: Option<Lit>) -> Bits {
        let fill = fill.unwrap_or(a[a.len() - 1]);
        let n = self.width;
        let mut bits: Bits = (0..n).map(|at| bit(a, at)).collect();
        let stages = n.next_power_of_two().trailing_zeros() as usize;
        for stage in 0..stages {
            let (step, on) = (1 << stage, bit(by, stage));
            let moved = |at: usize| match left {
                true => at.checked_sub(step).map(|from| bits[from]),
                false => bits.get(at + step).copied(),
            };
            let next: Vec<Option<Lit>> = (0..n).map(moved).collect();
            let out = if left { self.no } else { fill };
            bits = (0..n).map(|at| self.choose(on, next[at].unwrap_or(out), bits[at])).collect();
        }
        // By the width or more, or by a negative number.
        let far = self.any((stages..by.len().max(stages + 1)).map(|at| bit(by, at)).collect::<Vec<_>>());
        let rest = if left { self.no } else { fill };
        bits = bits.into_iter().map(|bit| self.choose(far, rest, bit)).collect();
        shorten(&mut bits);
        bits
    }
}

/// The bit at some place.
pub fn bit(bits: &[Lit], at: usize) -> Lit {
    bits[at.min(bits.len() - 1)]
}

/// Leaves out bits that only repeat the sign.
pub fn shorten(bits: &mut Bits) {
    while bits.len() > 1 && bits[bits.len() - 1] == bits[bits.len() - 2] {
        bits.pop();
    }
}

pub fn negated(bits: &[Lit]) -> Bits {
    bits.iter().map(|bit| !*bit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{BinOp, UnOp, Value, eval_binary, eval_unary};
    use crate::sat::merged::value::{Sv, binary, unary};

    /// Numbers that the solver knows only by what is assumed of them.
    #[test]
    fn gates_compute_what_arithmetic_does() {
        let numbers =
            [0, 1, -1, 2, 5, -7, 12, 63, 64, 100, -128, 127, i128::from(i32::MAX), i128::from(i32::MIN)];
        for width in [8u32, 32, 64] {
            let mut gates = Gates::new(width);
            let lengths = (width as usize).min(33);
            let open = |gates: &mut Gates| Sv::int((0..lengths).map(|_| gates.fresh()).collect(), gates.no);
            let (a, b) = (open(&mut gates), open(&mut gates));
            let results: Vec<(BinOp, Sv)> = BinOp::ON_NUMBERS
                .into_iter()
                .filter(|op| !matches!(op, BinOp::MulHigh | BinOp::MulHighu))
                .map(|op| (op, binary(&mut gates, op, &a, &b).expect("supported")))
                .collect();
            let ones =
                [UnOp::Not, UnOp::Neg, UnOp::IsZero, UnOp::SignExtend(5), UnOp::ZeroExtend(5), UnOp::Bit(3)];
            let singles: Vec<(UnOp, Sv)> =
                ones.into_iter().map(|op| (op, unary(&mut gates, op, &a).expect("supported"))).collect();
            for x in numbers {
                for y in numbers {
                    let short = crate::program::wrap(x, lengths as u32) == x
                        && crate::program::wrap(y, lengths as u32) == y;
                    if !short {
                        continue;
                    }
                    let mut assumed = Vec::new();
                    for (sv, n) in [(&a, x), (&b, y)] {
                        let bits = sv.bits().expect("a number");
                        assumed.extend(
                            bits.iter()
                                .enumerate()
                                .map(|(at, bit)| if n >> at & 1 == 1 { *bit } else { !*bit }),
                        );
                    }
                    assert_eq!(gates.solver.solve(&assumed), Some(true));
                    for (op, result) in &results {
                        let expected =
                            eval_binary(*op, Value::Int(x), Value::Int(y), width).expect("a number");
                        assert_eq!(result.value(&gates), Some(expected), "{op:?} {x} {y} at {width}");
                    }
                    for (op, result) in &singles {
                        let expected = eval_unary(*op, Value::Int(x), width).expect("a number");
                        assert_eq!(result.value(&gates), Some(expected), "{op:?} {x} at {width}");
                    }
                }
            }
        }
    }
}
