//! C tests as assembly tests.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::table::{Mapping, Operation, Order};
use super::target;
use crate::arch::ArchId;
use crate::arch::c::ast::{
    BinaryOp, Declarator, Expr, ExprKind, Init, Logical, Stmt, StmtKind, ThreadFn, UnaryOp,
};
use crate::arch::c::parse;
use crate::condition::Quantifier;
use crate::diag::Diagnostic;
use crate::litmus::ast::{Atom, Code, Const, Loc, Prop, Side, Test};
use crate::source::Span;

/// A C test as an assembly test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Compiled {
    /// The assembly test.
    pub text: String,
    /// Where each variable of a thread is: thread, variable, register as conditions name it.
    pub names: Vec<(usize, String, String)>,
}

/// Compiles a C test. What is written is compiled as it stands: nothing is optimised, dependencies stay.
///
/// # Errors
/// Something that cannot be compiled: where it stands.
pub fn compile(test: &Test, mapping: &Mapping) -> Result<Compiled, Diagnostic> {
    let Code::C(region) = &test.code else {
        return Err(Diagnostic::error("compile::not-c", "only C tests can be compiled")
            .at(test.name_span, "this is none"));
    };
    let unit = parse::unit(&region.text, region.span)?;
    if let Some(helper) = unit.helpers.first() {
        return Err(unsupported("a function that threads call", helper.span));
    }
    let mut threads = Vec::new();
    for function in &unit.threads {
        threads.push(Thread::new(function, mapping)?.compiled(function)?);
    }
    let arch = mapping.target;
    let mut init = String::new();
    for entry in &test.init {
        match (&entry.loc, entry.values.as_slice()) {
            (Loc::Global(name), []) => {
                let _ = writeln!(init, " {name}=0;");
            }
            (Loc::Global(name), [Const::Int { text, .. }]) => {
                let _ = writeln!(init, " {name}={text};");
            }
            _ => return Err(unsupported("this initial value", entry.span)),
        }
    }
    let mut names = Vec::new();
    for (number, thread) in threads.iter().enumerate() {
        for (at, location) in thread.locations.iter().enumerate() {
            if let (true, Some(register)) =
                (target::addresses_in_registers(arch), target::address(arch, at, location))
            {
                let _ = writeln!(init, " {number}:{register}={location};");
            }
        }
        for (local, register) in &thread.locals {
            names.push((number, local.clone(), target::shown(arch, register)));
        }
    }
    let lookup = |thread: usize, name: &str| {
        let found = names.iter().find(|(t, local, _)| *t == thread && local == name);
        found.map(|(_, _, register)| register.clone())
    };
    let condition = proposition(&test.fin.prop, &lookup)?;
    let word = match test.fin.quantifier {
        Quantifier::Exists => "exists",
        Quantifier::NotExists => "~exists",
        Quantifier::Forall => "forall",
    };
    let mut seen: Vec<String> =
        names.iter().map(|(thread, _, register)| format!("{thread}:{register}")).collect();
    let mut globals: Vec<&String> = threads.iter().flat_map(|thread| &thread.locations).collect();
    globals.sort();
    globals.dedup();
    seen.extend(globals.into_iter().cloned());
    let locations: String = seen.iter().map(|place| format!("{place};")).collect();
    let text = format!(
        "{} {}\n{{\n{init}}}\n{}locations [{locations}]\n{word} ({condition})\n",
        arch.name(),
        test.name,
        table(&threads)
    );
    Ok(Compiled { text, names })
}

fn unsupported(what: &str, span: Span) -> Diagnostic {
    Diagnostic::unsupported("compile::unsupported", format!("{what} cannot be compiled yet"))
        .at(span, "to be compiled")
}

fn table(threads: &[Thread]) -> String {
    let widths: Vec<usize> =
        threads.iter().map(|thread| thread.lines.iter().map(String::len).max().unwrap_or(0).max(2)).collect();
    let row = |cells: Vec<String>| {
        let cells: Vec<String> =
            cells.iter().zip(&widths).map(|(cell, width)| format!(" {cell:width$} ")).collect();
        format!("{};\n", cells.join("|"))
    };
    let mut text = row((0..threads.len()).map(|number| format!("P{number}")).collect());
    let rows = threads.iter().map(|thread| thread.lines.len()).max().unwrap_or(0).max(1);
    for at in 0..rows {
        text +=
            &row(threads.iter().map(|thread| thread.lines.get(at).cloned().unwrap_or_default()).collect());
    }
    text
}

/// A condition over registers.
fn proposition(prop: &Prop, lookup: &dyn Fn(usize, &str) -> Option<String>) -> Result<String, Diagnostic> {
    let joined = |parts: &[Prop], word: &str| -> Result<String, Diagnostic> {
        let parts: Result<Vec<String>, Diagnostic> =
            parts.iter().map(|part| proposition(part, lookup)).collect();
        Ok(format!("({})", parts?.join(word)))
    };
    Ok(match prop {
        Prop::True => "true".to_string(),
        Prop::False => "false".to_string(),
        Prop::Not(inner) => format!("~({})", proposition(inner, lookup)?),
        Prop::And(parts) => joined(parts, " /\\ ")?,
        Prop::Or(parts) => joined(parts, " \\/ ")?,
        Prop::Implies(a, b) => format!("({} => {})", proposition(a, lookup)?, proposition(b, lookup)?),
        Prop::Atom(atom) => equation(atom, lookup)?,
        Prop::Fault(_, span) => return Err(unsupported("a fault", *span)),
    })
}

fn equation(atom: &Atom, lookup: &dyn Fn(usize, &str) -> Option<String>) -> Result<String, Diagnostic> {
    let place = |loc: &Loc, span: Span| match loc {
        Loc::Reg { thread, name } => match lookup(*thread, name) {
            Some(register) => Ok(format!("{thread}:{register}")),
            None => Err(unsupported("a variable that its thread does not set", span)),
        },
        Loc::Global(name) => Ok(format!("[{name}]")),
        _ => Err(unsupported("this place", span)),
    };
    let left = place(&atom.left, atom.left_span)?;
    let right = match &atom.right {
        Side::Const(Const::Int { text, .. }) => text.clone(),
        Side::Loc(loc) => place(loc, atom.right_span)?,
        _ => return Err(unsupported("this value", atom.right_span)),
    };
    Ok(format!("{left}={right}"))
}

/// A thread being compiled.
struct Thread<'m> {
    mapping: &'m Mapping,
    arch: ArchId,
    number: usize,
    locations: Vec<String>,
    locals: BTreeMap<String, String>,
    lines: Vec<String>,
    used: usize,
    labels: usize,
}

type Done<T> = Result<T, Diagnostic>;

impl<'m> Thread<'m> {
    fn new(function: &ThreadFn, mapping: &'m Mapping) -> Done<Thread<'m>> {
        let thread = Thread {
            mapping,
            arch: mapping.target,
            number: function.index,
            locations: function.params.iter().map(|param| param.name.clone()).collect(),
            locals: BTreeMap::new(),
            lines: Vec::new(),
            used: 0,
            labels: 0,
        };
        match thread.locations.last() {
            Some(last) if target::address(thread.arch, thread.locations.len() - 1, last).is_none() => {
                Err(unsupported("a thread with so many parameters", function.span))
            }
            _ => Ok(thread),
        }
    }

    fn compiled(mut self, function: &ThreadFn) -> Done<Thread<'m>> {
        function.body.iter().try_for_each(|stmt| self.stmt(stmt))?;
        // A label needs something after it in some syntaxes, and nothing in others: none ends with one.
        Ok(self)
    }

    fn line(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }

    fn fresh(&mut self, span: Span) -> Done<String> {
        let register = target::register(self.arch, self.used).ok_or_else(|| {
            unsupported(&format!("a thread with so many variables for {}", self.arch.name()), span)
        })?;
        self.used += 1;
        Ok(register)
    }

    fn label(&mut self) -> String {
        self.labels += 1;
        format!("L{}{}", self.number, self.labels - 1)
    }

    /// The register of a variable.
    fn local(&mut self, name: &str, span: Span) -> Done<String> {
        if let Some(register) = self.locals.get(name) {
            return Ok(register.clone());
        }
        let register = self.fresh(span)?;
        self.locals.insert(name.to_string(), register.clone());
        Ok(register)
    }

    fn stmt(&mut self, stmt: &Stmt) -> Done<()> {
        match &stmt.kind {
            StmtKind::Empty => Ok(()),
            StmtKind::Block(body) => body.iter().try_for_each(|stmt| self.stmt(stmt)),
            StmtKind::Decl(declarators) => declarators.iter().try_for_each(|one| self.declare(one)),
            StmtKind::Expr(expr) => self.effect(expr),
            StmtKind::If(condition, then, otherwise) => {
                let other = self.label();
                self.unless(condition, &other)?;
                self.stmt(then)?;
                match otherwise {
                    None => self.line(format!("{other}:")),
                    Some(otherwise) => {
                        let end = self.label();
                        self.line(target::jump(self.arch, &end));
                        self.line(format!("{other}:"));
                        self.stmt(otherwise)?;
                        self.line(format!("{end}:"));
                    }
                }
                Ok(())
            }
            StmtKind::While(condition, body) => {
                let (begin, end) = (self.label(), self.label());
                self.line(format!("{begin}:"));
                self.unless(condition, &end)?;
                self.stmt(body)?;
                self.line(target::jump(self.arch, &begin));
                self.line(format!("{end}:"));
                Ok(())
            }
            _ => Err(unsupported("this statement", stmt.span)),
        }
    }

    fn declare(&mut self, declarator: &Declarator) -> Done<()> {
        match &declarator.init {
            None => Ok(()),
            Some(Init::Value(value)) => {
                let to = self.local(&declarator.name, declarator.span)?;
                self.value_into(value, &to)
            }
            Some(Init::List(_, span)) => Err(unsupported("a list", *span)),
        }
    }

    /// An expression for what it does.
    fn effect(&mut self, expr: &Expr) -> Done<()> {
        match &expr.kind {
            ExprKind::Assign(None, place, value) => match &place.kind {
                ExprKind::Name(name) if !self.locations.contains(name) => {
                    let to = self.local(name, place.span)?;
                    self.value_into(value, &to)
                }
                ExprKind::Unary(UnaryOp::Deref, address) => {
                    let at = self.address(address)?;
                    let value = self.operand(value)?;
                    self.operation(Operation::Store, Order::Na, expr.span, &[("%a", &at), ("%v", &value)])
                }
                _ => Err(unsupported("this assignment", expr.span)),
            },
            ExprKind::Call { name, args, .. } if self.without_result(name, args, expr.span)? => Ok(()),
            ExprKind::Call { .. } => {
                let unused = self.fresh(expr.span)?;
                self.value_into(expr, &unused)
            }
            _ => Err(unsupported("this expression", expr.span)),
        }
    }

    /// Calls that give no value.
    fn without_result(&mut self, name: &str, args: &[Expr], span: Span) -> Done<bool> {
        let fence = match name {
            "smp_mb" => Some(Order::Sc),
            "smp_rmb" => Some(Order::Rmb),
            "smp_wmb" => Some(Order::Wmb),
            "atomic_thread_fence" => Some(self.order(args.first(), span)?),
            _ => None,
        };
        if let Some(order) = fence {
            // A relaxed fence is none.
            if order != Order::Rlx {
                self.operation(Operation::Fence, order, span, &[])?;
            }
            return Ok(true);
        }
        let order = match (name, args) {
            ("atomic_store_explicit", [_, _, order]) => self.order(Some(order), span)?,
            ("atomic_store", [_, _]) => Order::Sc,
            ("smp_store_release", [_, _]) => Order::Rel,
            ("WRITE_ONCE", [_, _]) => Order::Rlx,
            ("atomic_init", [_, _]) => Order::Na,
            _ => return Ok(false),
        };
        let at = self.address_of_call(name, &args[0])?;
        let value = self.operand(&args[1])?;
        self.operation(Operation::Store, order, span, &[("%a", &at), ("%v", &value)])?;
        Ok(true)
    }

    /// The kernel's macros name the place, C's functions its address.
    fn address_of_call(&mut self, name: &str, arg: &Expr) -> Done<String> {
        match (name, &arg.kind) {
            ("READ_ONCE" | "WRITE_ONCE", ExprKind::Unary(UnaryOp::Deref, address)) => self.address(address),
            ("READ_ONCE" | "WRITE_ONCE", _) => Err(unsupported("this place", arg.span)),
            _ => self.address(arg),
        }
    }

    fn order(&self, arg: Option<&Expr>, span: Span) -> Done<Order> {
        let order = arg.and_then(|arg| match &arg.kind {
            ExprKind::Name(name) => Order::of_c(name),
            _ => None,
        });
        order.ok_or_else(|| unsupported("an order that is not written out", arg.map_or(span, |arg| arg.span)))
    }

    fn address(&mut self, expr: &Expr) -> Done<String> {
        if let ExprKind::Name(name) = &expr.kind
            && let Some(at) = self.locations.iter().position(|location| location == name)
            && let Some(operand) = target::address(self.arch, at, name)
        {
            return Ok(operand);
        }
        Err(unsupported("an address that is no parameter", expr.span))
    }

    /// An expression, its value in a given register.
    fn value_into(&mut self, expr: &Expr, to: &str) -> Done<()> {
        match &expr.kind {
            ExprKind::Int { value, .. } => {
                self.line(target::constant(self.arch, to, *value));
                Ok(())
            }
            ExprKind::Name(name) if self.locals.contains_key(name) => {
                let from = self.locals[name].clone();
                if from != to {
                    self.line(target::copy(self.arch, to, &from));
                }
                Ok(())
            }
            ExprKind::Cast(_, inner) => self.value_into(inner, to),
            ExprKind::Unary(UnaryOp::Deref, address) => {
                let at = self.address(address)?;
                self.operation(Operation::Load, Order::Na, expr.span, &[("%a", &at), ("%r", to)])
            }
            ExprKind::Binary(op, a, b) if !op.is_comparison() => {
                let (a, b) = (self.in_register(a)?, self.in_register(b)?);
                // Where the result is one of the operands, x86 would lose it.
                let result = if to == b { self.fresh(expr.span)? } else { to.to_string() };
                let lines = target::arithmetic(self.arch, *op, &result, &a, &b)
                    .ok_or_else(|| unsupported("this operator", expr.span))?;
                self.lines.extend(lines);
                if result != to {
                    self.line(target::copy(self.arch, to, &result));
                }
                Ok(())
            }
            ExprKind::Call { name, args, .. } => self.call(name, args, expr.span, to),
            _ => Err(unsupported("this expression", expr.span)),
        }
    }

    /// C11's compare-and-exchange: what was there goes to the variable that said what is expected, and whether it was that is the result.
    fn compare_exchange(&mut self, name: &str, args: &[Expr], span: Span, to: &str) -> Done<()> {
        let order = match args {
            [_, _, _, success, failure] => {
                let (success, failure) = (self.order(Some(success), span)?, self.order(Some(failure), span)?);
                success.and(failure)
            }
            [_, _, _] => Order::Sc,
            _ => return Err(unsupported(&format!("a call of `{name}`"), span)),
        };
        let expected = match &args[1].kind {
            ExprKind::Unary(UnaryOp::AddressOf, place) => match &place.kind {
                ExprKind::Name(name) if self.locals.contains_key(name) => self.locals[name].clone(),
                _ => {
                    return Err(unsupported(
                        "an expected value that is no variable of the thread",
                        args[1].span,
                    ));
                }
            },
            _ => {
                return Err(unsupported("an expected value that is no variable of the thread", args[1].span));
            }
        };
        let at = self.address(&args[0])?;
        let new = self.in_register(&args[2])?;
        let found = self.fresh(span)?;
        let holes = [("%a", at.as_str()), ("%r", &found), ("%v", &new), ("%e", &expected)];
        self.operation(Operation::Cas, order, span, &holes)?;
        let (other, end) = (self.label(), self.label());
        self.compare(BinaryOp::Eq, &found, &expected, &other, span)?;
        self.line(target::constant(self.arch, to, 1));
        self.line(target::jump(self.arch, &end));
        self.line(format!("{other}:"));
        self.line(target::copy(self.arch, &expected, &found));
        self.line(target::constant(self.arch, to, 0));
        self.line(format!("{end}:"));
        Ok(())
    }

    fn call(&mut self, name: &str, args: &[Expr], span: Span, to: &str) -> Done<()> {
        if name.starts_with("atomic_compare_exchange_") {
            return self.compare_exchange(name, args, span, to);
        }
        let kernel = |suffix: &str| match suffix {
            "" => Some(Order::Full),
            "_relaxed" => Some(Order::Rlx),
            "_acquire" => Some(Order::Acq),
            "_release" => Some(Order::Rel),
            _ => None,
        };
        let (operation, order, value, expected) = match (name, args) {
            ("atomic_load_explicit", [_, order]) => {
                (Operation::Load, self.order(Some(order), span)?, None, None)
            }
            ("atomic_load", [_]) => (Operation::Load, Order::Sc, None, None),
            ("READ_ONCE", [_]) => (Operation::Load, Order::Rlx, None, None),
            ("smp_load_acquire", [_]) => (Operation::Load, Order::Acq, None, None),
            ("atomic_exchange_explicit", [_, value, order]) => {
                (Operation::Swap, self.order(Some(order), span)?, Some(value), None)
            }
            ("atomic_exchange", [_, value]) => (Operation::Swap, Order::Sc, Some(value), None),
            ("atomic_fetch_add_explicit", [_, value, order]) => {
                (Operation::Add, self.order(Some(order), span)?, Some(value), None)
            }
            ("atomic_fetch_add", [_, value]) => (Operation::Add, Order::Sc, Some(value), None),
            (name, [_, value]) if name.starts_with("xchg") => match kernel(&name[4..]) {
                Some(order) => (Operation::Swap, order, Some(value), None),
                None => return Err(unsupported("this call", span)),
            },
            (name, [_, old, new]) if name.starts_with("cmpxchg") => match kernel(&name[7..]) {
                Some(order) => (Operation::Cas, order, Some(new), Some(old)),
                None => return Err(unsupported("this call", span)),
            },
            _ => return Err(unsupported(&format!("a call of `{name}`"), span)),
        };
        let at = self.address_of_call(name, &args[0])?;
        let mut holes = vec![("%a", at), ("%r", to.to_string())];
        if let Some(value) = value {
            holes.push(("%v", self.in_register(value)?));
        }
        if let Some(expected) = expected {
            holes.push(("%e", self.in_register(expected)?));
        }
        let holes: Vec<(&str, &str)> = holes.iter().map(|(hole, text)| (*hole, text.as_str())).collect();
        self.operation(operation, order, span, &holes)
    }

    /// An expression as an operand of a store.
    fn operand(&mut self, expr: &Expr) -> Done<String> {
        match (&expr.kind, self.arch) {
            (ExprKind::Int { value, .. }, ArchId::X86) => Ok(format!("${value}")),
            _ => self.in_register(expr),
        }
    }

    fn in_register(&mut self, expr: &Expr) -> Done<String> {
        match &expr.kind {
            ExprKind::Name(name) if self.locals.contains_key(name) => Ok(self.locals[name].clone()),
            _ => {
                let to = self.fresh(expr.span)?;
                self.value_into(expr, &to)?;
                Ok(to)
            }
        }
    }

    /// The instructions of an operation.
    fn operation(
        &mut self,
        operation: Operation,
        order: Order,
        span: Span,
        holes: &[(&str, &str)],
    ) -> Done<()> {
        let rule = self.mapping.rule(operation, order).ok_or_else(|| {
            let message =
                format!("the mapping `{}` has no `{} {}`", self.mapping.name, operation.name(), order.name());
            Diagnostic::unsupported("compile::no-rule", message).at(span, "to be compiled")
        })?;
        let uses = |hole: &str| rule.iter().any(|line| line.contains(hole));
        let mut own: Vec<(&str, String)> = Vec::new();
        for hole in ["%t", "%u"] {
            if uses(hole) {
                own.push((hole, self.fresh(span)?));
            }
        }
        for hole in ["%L", "%M"] {
            if uses(hole) {
                own.push((hole, self.label()));
            }
        }
        for line in rule {
            let mut line = line.clone();
            for (hole, text) in holes {
                line = line.replace(hole, text);
            }
            for (hole, text) in &own {
                line = line.replace(hole, text);
            }
            self.lines.push(line);
        }
        Ok(())
    }

    /// Goes to a label unless a condition holds.
    fn unless(&mut self, condition: &Expr, label: &str) -> Done<()> {
        match &condition.kind {
            ExprKind::Binary(op, a, b) if op.is_comparison() => {
                let (a, b) = (self.in_register(a)?, self.in_register(b)?);
                self.compare(*op, &a, &b, label, condition.span)
            }
            ExprKind::Logical(Logical::And, a, b) => {
                self.unless(a, label)?;
                self.unless(b, label)
            }
            ExprKind::Unary(UnaryOp::Not, inner) => {
                let a = self.in_register(inner)?;
                let zero = self.zero(condition.span)?;
                self.compare(BinaryOp::Eq, &a, &zero, label, condition.span)
            }
            ExprKind::Logical(Logical::Or, ..) => Err(unsupported("`||`", condition.span)),
            _ => {
                let a = self.in_register(condition)?;
                let zero = self.zero(condition.span)?;
                self.compare(BinaryOp::Ne, &a, &zero, label, condition.span)
            }
        }
    }

    fn zero(&mut self, span: Span) -> Done<String> {
        let to = self.fresh(span)?;
        self.line(target::constant(self.arch, &to, 0));
        Ok(to)
    }

    fn compare(&mut self, op: BinaryOp, a: &str, b: &str, label: &str, span: Span) -> Done<()> {
        let lines =
            target::unless(self.arch, op, a, b, label).ok_or_else(|| unsupported("this comparison", span))?;
        self.lines.extend(lines);
        Ok(())
    }
}
