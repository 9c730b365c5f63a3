//! Integers of any value: the values that matter.
//!
//! `__VERIFIER_nondet_int()` may be any number. Where the program only compares it with constants, numbers between two of these constants all do
//! the same: one of each kind is tried. Where the program first assumes a range, the whole range is. Anywhere else a few values are tried: what they
//! violate is violated, but saying `Safe` would be an answer about another program.

use std::collections::{BTreeSet, HashMap};

use crate::arch::c::unit::tree::{Expr, ExprKind, Operator, Stmt, StmtKind, Unit};
use crate::arch::c::unit::types::{IntTy, Ty};
use crate::diag::Diagnostic;
use crate::program::{BinOp, Op};
use crate::source::Span;

use super::Lowering;
use super::code::Ops;
use super::value::Rv;

/// As many values as are always tried.
const FEW: i128 = 8;

/// The most values that are tried.
const MOST: i128 = 4096;

impl Lowering<'_> {
    /// A number of any value, or of those between two.
    pub(super) fn nondet(
        &mut self,
        name: &str,
        args: &[Expr],
        ty: &Ty,
        span: Span,
    ) -> Result<Rv, Diagnostic> {
        let values: Vec<i128> = match name {
            "nondet" => {
                let (low, high) = (self.known_int(&args[0])?, self.known_int(&args[1])?);
                return self.choose(low, high, span);
            }
            // Of addresses: none, or one that leads nowhere.
            "nondet_bool" => return self.choose(0, 1, span),
            _ => match (self.nondet.get(&span), ty.as_int()) {
                (Some(values), _) => values.clone(),
                (None, Some(int)) if int.bytes == 1 => Domain::of(int).all(),
                (None, int) => {
                    let domain = within(args, int).unwrap_or(Domain { low: 0, high: 1 });
                    if domain.high - domain.low < FEW {
                        return self.choose(domain.low, domain.high, span);
                    }
                    let place = self.place_of_call(span);
                    if !self.options.samples {
                        return Err(not_all(place));
                    }
                    if !self.program.samples.contains(&place) {
                        self.program.samples.push(place);
                    }
                    domain.samples()
                }
            },
        };
        let in_row = values.windows(2).all(|pair| pair[0] + 1 == pair[1]);
        if in_row && let (Some(low), Some(high)) = (values.first(), values.last()) {
            return self.choose(*low, *high, span);
        }
        let index = self.choose(0, values.len() as i128 - 1, span)?;
        let reg = self.code.reg(span)?;
        self.write(reg, &Rv::int(values[0]), span);
        for (n, value) in values.iter().enumerate().skip(1) {
            let chosen = Rv::binary(BinOp::Eq, index.clone(), Rv::int(n as i128));
            let moved = Rv::binary(BinOp::Mul, chosen, Rv::int(value - values[0]));
            self.write(reg, &Rv::binary(BinOp::Add, Rv::Reg(reg), moved), span);
        }
        Ok(Rv::Reg(reg))
    }

    /// Where a number of any value comes from, as the program knows it: not in our headers.
    fn place_of_call(&self, span: Span) -> Span {
        let ours = |span: &Span| self.sources.get(span.source).name.starts_with('<');
        let sites = self.frames.iter().rev().map(|frame| frame.site);
        std::iter::once(span).chain(sites).find(|span| !ours(span)).unwrap_or(span)
    }

    fn choose(&mut self, low: i128, high: i128, span: Span) -> Result<Rv, Diagnostic> {
        let reg = self.code.reg(span)?;
        let mut ops = Ops::default();
        let dst = ops.tmp();
        ops.push(Op::Nondet { dst, low, high });
        ops.write(reg, dst);
        self.emit(ops, span);
        Ok(Rv::Reg(reg))
    }
}

/// Numbers of any value of which only some were tried: nothing is known of the others.
pub fn not_all(span: Span) -> Diagnostic {
    Diagnostic::unsupported(
        "c::nondet",
        "an integer of any value is only compared with constants, or kept in a range by `__VERIFIER_assume`",
    )
    .at(span, "this one is used otherwise")
    .help("`__litmus_nondet(low, high)` is any value from `low` to `high`")
}

/// The numbers that a number of any value may be.
#[derive(Clone, Copy)]
struct Domain {
    low: i128,
    high: i128,
}

impl Domain {
    /// Those of a type.
    fn of(int: IntTy) -> Domain {
        let bits = 8 * int.bytes;
        match int.signed {
            true => Domain { low: -(1i128 << (bits - 1)), high: (1i128 << (bits - 1)) - 1 },
            false => Domain { low: 0, high: (1i128 << bits) - 1 },
        }
    }

    fn has(self, n: i128) -> bool {
        (self.low..=self.high).contains(&n)
    }

    fn all(self) -> Vec<i128> {
        (self.low..=self.high).collect()
    }

    /// A few numbers that find what is wrong, where there are too many to try.
    fn samples(self) -> Vec<i128> {
        let all = BTreeSet::from([self.low, -1, 0, 1, 2, 3, self.high]);
        all.into_iter().filter(|n| self.has(*n)).collect()
    }
}

/// The numbers that a call gives: those of its type, or those between its arguments.
fn within(args: &[Expr], int: Option<IntTy>) -> Option<Domain> {
    match args {
        [low, high] => Some(Domain { low: constant(low)?, high: constant(high)? }),
        _ => int.map(Domain::of),
    }
}

/// How a number is looked at.
#[derive(Clone, Default)]
struct Looks {
    /// Constants that it is compared with.
    points: BTreeSet<i128>,
    /// By `<` and its kind, and not only by `==`.
    ordered: bool,
    /// Only what is left of it after a division by that counts; 0: it is not divided.
    modulus: i128,
    /// In any other way.
    otherwise: bool,
}

impl Looks {
    /// Is it looked at in a way that says which numbers do the same?
    fn is_known(&self) -> bool {
        !self.otherwise && (self.modulus == 0 || self.points.is_empty())
    }

    /// One value of each kind.
    fn values(&self, domain: Domain) -> Vec<i128> {
        let Domain { low, high } = domain;
        if self.modulus > 0 {
            let low = if low < 0 { 1 - self.modulus } else { 0 };
            return (low..self.modulus).filter(|n| domain.has(*n)).collect();
        }
        let mut values: BTreeSet<i128> = self.points.iter().copied().filter(|n| domain.has(*n)).collect();
        let fits = |n: &i128| domain.has(*n) && !self.points.contains(n);
        match self.ordered {
            true => {
                let between = self.points.iter().flat_map(|n| [n - 1, n + 1]);
                values.extend(between.chain([low, high]).filter(fits));
            }
            // One that is none of them.
            false => values.extend((low.max(0)..=high).chain(low..0.min(high + 1)).find(fits)),
        }
        values.into_iter().collect()
    }
}

/// The values to try, by the place of the call.
pub(super) fn choices(unit: &Unit) -> HashMap<Span, Vec<i128>> {
    let mut found = HashMap::new();
    for function in &unit.functions {
        let Some(body) = &function.body else { continue };
        let mut direct: HashMap<Span, Looks> = HashMap::new();
        let mut held: Vec<(Span, usize, Domain)> = Vec::new();
        let mut uses: HashMap<usize, Looks> = HashMap::new();
        let mut ranges: HashMap<usize, (i128, i128)> = HashMap::new();
        let mut types: HashMap<Span, Domain> = HashMap::new();
        let mut walk = Walk {
            unit,
            direct: &mut direct,
            held: &mut held,
            uses: &mut uses,
            ranges: &mut ranges,
            types: &mut types,
            just: None,
        };
        body.iter().for_each(|stmt| walk.stmt(stmt));
        for (span, looks) in &direct {
            if looks.is_known()
                && let Some(int) = types.get(span)
            {
                found.insert(*span, looks.values(*int));
            }
        }
        for (span, variable, int) in held {
            // What others may look at is known only where the whole range is tried.
            let shared = unit.variables[variable].addressed;
            let looks = uses.get(&variable).cloned().unwrap_or_default();
            match ranges.get(&variable) {
                Some((low, high)) if high - low < MOST && low <= high => {
                    found.insert(span, (*low..=*high).collect());
                }
                _ if looks.is_known() && !shared => {
                    found.insert(span, looks.values(int));
                }
                _ => {}
            }
        }
    }
    found
}

/// Through a function.
struct Walk<'a> {
    unit: &'a Unit,
    /// Calls whose value is looked at where they stand.
    direct: &'a mut HashMap<Span, Looks>,
    /// Calls whose value goes into a variable.
    held: &'a mut Vec<(Span, usize, Domain)>,
    /// How variables are looked at.
    uses: &'a mut HashMap<usize, Looks>,
    /// Ranges that are assumed before anything else is done with a variable.
    ranges: &'a mut HashMap<usize, (i128, i128)>,
    types: &'a mut HashMap<Span, Domain>,
    /// The variable that the last statement gave such a number.
    just: Option<usize>,
}

/// What is looked at.
enum Subject {
    Call(Span),
    Variable(usize),
}

impl Walk<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        let before = self.just.take();
        match &stmt.kind {
            StmtKind::Declare(id) => {
                let parts = self.unit.variables[*id].init.clone().unwrap_or_default();
                match &parts[..] {
                    [part] if call(&part.value, self.unit).is_some() => self.hold(*id, &part.value),
                    _ => parts.iter().for_each(|part| self.value(&part.value)),
                }
            }
            StmtKind::Expr(e) => match (assumption(e, self.unit), &e.kind) {
                (Some(assumed), _) => {
                    self.just = before;
                    if !self.range(assumed) {
                        self.just = None;
                        self.truth(assumed);
                    }
                }
                (None, ExprKind::Assign(target, value)) => match (&target.kind, call(value, self.unit)) {
                    (ExprKind::Var(id), Some(_)) => self.hold(*id, value),
                    _ => self.value(e),
                },
                _ => self.value(e),
            },
            StmtKind::Cleanup(e) => self.value(e),
            StmtKind::Block(all) => all.iter().for_each(|s| self.stmt(s)),
            StmtKind::If(e, then, otherwise) => {
                self.truth(e);
                self.stmt(then);
                otherwise.iter().for_each(|s| self.stmt(s));
            }
            StmtKind::While(e, body) => {
                self.truth(e);
                self.stmt(body);
            }
            StmtKind::DoWhile(body, e) => {
                self.stmt(body);
                self.truth(e);
            }
            StmtKind::For(first, condition, step, body) => {
                first.iter().for_each(|s| self.stmt(s));
                condition.iter().for_each(|e| self.truth(e));
                step.iter().for_each(|e| self.value(e));
                self.stmt(body);
            }
            StmtKind::Switch(e, body) => {
                match self.subject(e) {
                    Some(subject) => {
                        let mut points = BTreeSet::new();
                        let mut ordered = false;
                        cases(body, &mut points, &mut ordered);
                        let looks = self.looks(&subject);
                        looks.points.extend(points);
                        looks.ordered |= ordered;
                    }
                    None => self.value(e),
                }
                self.stmt(body);
            }
            StmtKind::Return(Some(e)) => self.value(e),
            _ => {}
        }
    }

    fn hold(&mut self, variable: usize, value: &Expr) {
        if let Some((span, int)) = call(value, self.unit) {
            let Some(own) = self.unit.variables[variable].ty.as_int() else { return };
            let own = Domain::of(own);
            let int = if own.low <= int.low && int.high <= own.high { int } else { own };
            self.just = Some(variable);
            // What was assumed of the value before says nothing about this one.
            self.held.push((span, variable, int));
        }
    }

    fn subject(&mut self, e: &Expr) -> Option<Subject> {
        let mut inner = e;
        while let ExprKind::Cast(next) = &inner.kind {
            let wide = |ty: &Ty| ty.as_int().map(|int| int.bytes);
            if wide(&inner.ty)? < wide(&next.ty)? {
                return None;
            }
            inner = next;
        }
        match &inner.kind {
            ExprKind::Var(id) => Some(Subject::Variable(*id)),
            _ => {
                let (span, domain) = call(inner, self.unit)?;
                self.types.insert(span, domain);
                Some(Subject::Call(span))
            }
        }
    }

    fn looks(&mut self, subject: &Subject) -> &mut Looks {
        match subject {
            Subject::Call(span) => self.direct.entry(*span).or_default(),
            Subject::Variable(id) => self.uses.entry(*id).or_default(),
        }
    }

    /// Only whether it is zero counts.
    fn truth(&mut self, e: &Expr) {
        if let Some(subject) = self.subject(e) {
            self.looks(&subject).points.insert(0);
            return;
        }
        match &e.kind {
            ExprKind::Not(a) => self.truth(a),
            ExprKind::Logical(_, a, b) => {
                self.truth(a);
                self.truth(b);
            }
            ExprKind::Cast(a) if e.ty.as_int().is_some_and(|int| int.boolean) => self.truth(a),
            _ => self.value(e),
        }
    }

    fn value(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Binary(op, a, b) if op.compares() => {
                let one = |walk: &mut Self, side: &Expr, other: &Expr| match (
                    walk.subject(side),
                    constant(other),
                ) {
                    (Some(subject), Some(point)) => {
                        let unsigned = side.ty.as_int().is_some_and(|int| !int.signed);
                        let looks = walk.looks(&subject);
                        looks.points.insert(point);
                        if !matches!(op, Operator::Eq | Operator::Ne) {
                            looks.ordered = true;
                            if unsigned {
                                looks.points.extend([0, -1]);
                            }
                        }
                        true
                    }
                    _ => false,
                };
                if !one(self, a, b) && !one(self, b, a) {
                    self.value(a);
                    self.value(b);
                }
            }
            ExprKind::Binary(Operator::Rem, a, b) => match (self.subject(a), constant(b)) {
                (Some(subject), Some(modulus @ 1..=64)) => {
                    let looks = self.looks(&subject);
                    looks.otherwise |= looks.modulus != 0 && looks.modulus != modulus;
                    looks.modulus = modulus;
                }
                _ => {
                    self.value(a);
                    self.value(b);
                }
            },
            ExprKind::Not(_) | ExprKind::Logical(..) => self.truth(e),
            ExprKind::Conditional(c, a, b) => {
                self.truth(c);
                self.value(a);
                self.value(b);
            }
            ExprKind::Assign(target, value) => match (&target.kind, call(value, self.unit)) {
                (ExprKind::Var(id), Some(_)) => self.hold(*id, value),
                (ExprKind::Var(_), None) => self.value(value),
                _ => {
                    self.value(target);
                    self.value(value);
                }
            },
            ExprKind::Builtin("assume" | "assert" | "await", args) => {
                args.first().into_iter().for_each(|e| self.truth(e));
            }
            ExprKind::Statements(stmts) => stmts.iter().for_each(|s| self.stmt(s)),
            _ => {
                if let Some(subject) = self.subject(e) {
                    self.looks(&subject).otherwise = true;
                    return;
                }
                match &e.kind {
                    ExprKind::Deref(a)
                    | ExprKind::AddressOf(a)
                    | ExprKind::Member(a, ..)
                    | ExprKind::Neg(a)
                    | ExprKind::Complement(a)
                    | ExprKind::Cast(a) => self.value(a),
                    ExprKind::Binary(_, a, b) | ExprKind::Comma(a, b) => {
                        self.value(a);
                        self.value(b);
                    }
                    ExprKind::Update { target, value, .. } => {
                        self.value(target);
                        self.value(value);
                    }
                    ExprKind::Call(callee, args) => {
                        self.value(callee);
                        args.iter().for_each(|e| self.value(e));
                    }
                    ExprKind::Builtin(_, args) => args.iter().for_each(|e| self.value(e)),
                    _ => {}
                }
            }
        }
    }

    /// A range that is assumed of a variable that nobody has looked at yet.
    fn range(&mut self, e: &Expr) -> bool {
        let mut bounds: HashMap<usize, (i128, i128)> = HashMap::new();
        if !self.bounds(e, &mut bounds) {
            return false;
        }
        for (id, (low, high)) in bounds {
            let fresh = self.uses.get(&id).is_none_or(|looks| looks.points.is_empty() && !looks.otherwise);
            let own = !self.unit.variables[id].addressed || self.just == Some(id);
            let once = own && self.held.iter().filter(|(_, variable, _)| *variable == id).count() == 1;
            if fresh && once && low > i128::MIN && high < i128::MAX {
                self.ranges.entry(id).or_insert((low, high));
            } else {
                let looks = self.uses.entry(id).or_default();
                looks.ordered = true;
                looks.points.extend([low, high].into_iter().filter(|n| *n > i128::MIN && *n < i128::MAX));
            }
        }
        true
    }

    fn bounds(&mut self, e: &Expr, bounds: &mut HashMap<usize, (i128, i128)>) -> bool {
        match &e.kind {
            ExprKind::Logical(true, a, b) => self.bounds(a, bounds) && self.bounds(b, bounds),
            ExprKind::Cast(a) => self.bounds(a, bounds),
            ExprKind::Binary(op, a, b) if op.compares() && *op != Operator::Ne => {
                let turned = |op: Operator| match op {
                    Operator::Lt => Operator::Gt,
                    Operator::Gt => Operator::Lt,
                    Operator::Le => Operator::Ge,
                    Operator::Ge => Operator::Le,
                    other => other,
                };
                let (subject, point, op) = match (self.subject(a), constant(b), self.subject(b), constant(a))
                {
                    (Some(Subject::Variable(id)), Some(point), ..) => (id, point, *op),
                    (_, _, Some(Subject::Variable(id)), Some(point)) => (id, point, turned(*op)),
                    _ => return false,
                };
                let least = self.unit.variables[subject]
                    .ty
                    .as_int()
                    .map_or(i128::MIN, |int| if int.signed { i128::MIN } else { 0 });
                let (low, high) = bounds.entry(subject).or_insert((least, i128::MAX));
                match op {
                    Operator::Lt => *high = (*high).min(point - 1),
                    Operator::Le => *high = (*high).min(point),
                    Operator::Gt => *low = (*low).max(point + 1),
                    Operator::Ge => *low = (*low).max(point),
                    _ => (*low, *high) = ((*low).max(point), (*high).min(point)),
                }
                true
            }
            _ => false,
        }
    }
}

/// What a statement assumes: `__VERIFIER_assume(e)`, or a function of the program that goes on only where its argument holds.
fn assumption<'e>(e: &'e Expr, unit: &Unit) -> Option<&'e Expr> {
    match &e.kind {
        ExprKind::Builtin("assume", args) => args.first(),
        ExprKind::Call(callee, args) => match (&callee.kind, &args[..]) {
            (ExprKind::Function(id), [assumed]) if goes_on_where(*id, unit) => Some(assumed),
            _ => None,
        },
        _ => None,
    }
}

/// `void f(int c) { if (!c) abort(); }`
fn goes_on_where(function: usize, unit: &Unit) -> bool {
    let function = &unit.functions[function];
    let ends = |e: &Expr| match &e.kind {
        ExprKind::Builtin("abort" | "stop" | "assume", _) => true,
        ExprKind::Call(callee, _) => match callee.kind {
            ExprKind::Function(id) => unit.functions[id].name == "abort",
            _ => false,
        },
        _ => false,
    };
    fn only(stmt: &Stmt) -> Option<&Expr> {
        match &stmt.kind {
            StmtKind::Expr(e) => Some(e),
            StmtKind::Block(all) => match &all[..] {
                [one] => only(one),
                _ => None,
            },
            _ => None,
        }
    }
    fn variable(e: &Expr) -> Option<usize> {
        match &e.kind {
            ExprKind::Var(id) => Some(*id),
            ExprKind::Cast(inner) => variable(inner),
            _ => None,
        }
    }
    let body = function.body.as_deref().unwrap_or(&[]);
    let parts: Vec<&Stmt> = body.iter().filter(|s| !matches!(s.kind, StmtKind::Return(None))).collect();
    match (&function.params[..], &parts[..]) {
        ([param], [Stmt { kind: StmtKind::If(condition, then, None), .. }]) => match &condition.kind {
            ExprKind::Not(e) => variable(e) == Some(*param) && only(then).is_some_and(ends),
            _ => false,
        },
        _ => false,
    }
}

/// A call whose value comes through casts that keep it.
fn call(e: &Expr, unit: &Unit) -> Option<(Span, Domain)> {
    match &e.kind {
        ExprKind::Cast(inner) => call(inner, unit),
        ExprKind::Builtin("nondet_int", args) => Some((e.span, within(args, e.ty.as_int())?)),
        // What is only declared gives any number.
        ExprKind::Call(callee, _) => match callee.kind {
            ExprKind::Function(id) if unit.functions[id].body.is_none() => {
                Some((e.span, Domain::of(e.ty.as_int()?)))
            }
            _ => None,
        },
        _ => None,
    }
}

fn constant(e: &Expr) -> Option<i128> {
    match &e.kind {
        ExprKind::Int(n) => Some(*n),
        ExprKind::Cast(inner) => constant(inner),
        ExprKind::Neg(inner) => constant(inner).map(|n| -n),
        _ => None,
    }
}

fn cases(stmt: &Stmt, points: &mut BTreeSet<i128>, ordered: &mut bool) {
    match &stmt.kind {
        StmtKind::Case(Some((low, high))) => {
            points.extend([*low, *high]);
            *ordered |= low != high;
        }
        StmtKind::Block(all) => all.iter().for_each(|s| cases(s, points, ordered)),
        StmtKind::If(_, then, otherwise) => {
            cases(then, points, ordered);
            otherwise.iter().for_each(|s| cases(s, points, ordered));
        }
        _ => {}
    }
}
