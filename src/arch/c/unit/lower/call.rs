//! Calls: inlined where the function is known, one comparison after the other where it is a pointer.

use std::collections::HashMap;

use crate::arch::c::unit::tree::{Expr, ExprKind, Life, Stmt, StmtKind, Unit};
use crate::arch::c::unit::types::Ty;
use crate::diag::Diagnostic;
use crate::program::threads::{SECTION_BEGIN, SECTION_END};
use crate::program::{AccessSize, BinOp, Content, Extra, LOOP_CUT, Op, Port, Property, Reg, Storage, Value};
use crate::source::Span;

use super::code::{Code, Label, Ops};
use super::place::Place;
use super::value::Rv;
use super::{Frame, Lowering, MAX_INSTRUCTIONS, Slot};
use crate::arch::c::orders::Mark;

/// Functions that nobody may call, though a program says what they do.
const ERRORS: [&str; 2] = ["reach_error", "__VERIFIER_error"];

/// Functions that begin and end parts that nothing comes between.
const PARTS: [(&str, &str); 2] =
    [("__VERIFIER_atomic_begin", SECTION_BEGIN), ("__VERIFIER_atomic_end", SECTION_END)];

impl Lowering<'_> {
    pub(super) fn call(&mut self, callee: &Expr, args: &[Expr], span: Span) -> Result<Rv, Diagnostic> {
        let direct = match &callee.kind {
            ExprKind::Function(id) => Some(*id),
            _ => None,
        };
        let target = match direct {
            Some(_) => Rv::ZERO,
            None => {
                let value = self.expr(callee)?;
                self.kept(value, span)?
            }
        };
        let mut values = Vec::new();
        for arg in args {
            let value = match arg.ty.is_scalar() {
                true => self.expr(arg)?,
                false => self.record(arg)?,
            };
            // What later arguments change does not change this one.
            values.push(self.kept_if_variable(value, arg.span)?);
        }
        match direct {
            Some(id) => self.inline(id, values, span),
            None => self.call_through(&target, callee, values, span),
        }
    }

    fn kept_if_variable(&mut self, value: Rv, span: Span) -> Result<Rv, Diagnostic> {
        match value {
            Rv::Const(_) => Ok(value),
            other => self.kept(other, span),
        }
    }

    /// Through a pointer: every function of that type whose address is used somewhere.
    fn call_through(
        &mut self,
        target: &Rv,
        callee: &Expr,
        args: Vec<Rv>,
        span: Span,
    ) -> Result<Rv, Diagnostic> {
        let wanted = match callee.ty.target().map(Ty::plain) {
            Some(Ty::Function(function)) => function.clone(),
            _ => return Err(Diagnostic::internal("a call of what is no function").at(span, "here")),
        };
        if let Some(Value::Addr { sym, .. }) = target.known()
            && let Some((id, _)) = self.functions.iter().find(|(_, s)| **s == sym)
        {
            return self.inline(*id, args, span);
        }
        let mut candidates: Vec<usize> = addressed(self.unit);
        candidates.retain(|id| {
            let f = &self.unit.functions[*id];
            f.body.is_some()
                && f.params.len() == args.len()
                && f.result.is_scalar() == wanted.result.is_scalar()
        });
        let result = self.code.reg(span)?;
        let end = self.code.label();
        for id in candidates {
            let next = self.unless_function(target, id, span)?;
            let depth = self.code.depth;
            let value = self.inline(id, args.clone(), span)?;
            if wanted.result.plain() != &Ty::Void {
                self.write(result, &value, span);
            }
            self.code.depth = depth;
            self.goto(end, span);
            self.code.place(next);
        }
        self.no_function(target, span);
        self.code.place(end);
        Ok(Rv::Reg(result))
    }

    /// What is called is no function.
    pub(super) fn no_function(&mut self, target: &Rv, span: Span) {
        let is_some = Rv::binary(BinOp::Ne, target.clone(), Rv::ZERO);
        self.with_condition(&is_some, span, |cond| Op::Assert { cond, property: Property::Null });
        self.with_condition(&Rv::ZERO, span, |cond| Op::Assert { cond, property: Property::OutOfBounds });
    }

    /// The body of a function, here.
    pub(super) fn inline(&mut self, id: usize, args: Vec<Rv>, span: Span) -> Result<Rv, Diagnostic> {
        let unit = self.unit;
        let function = &unit.functions[id];
        let Some(body) = &function.body else { return self.without_body(id, span) };
        // Whatever a program says they do (as often as not, it takes a lock of its own).
        if let Some(set) = PARTS.iter().find(|(name, _)| *name == function.name).map(|(_, set)| *set) {
            self.section(set, span);
            return Ok(Rv::ZERO);
        }
        // Whatever it does: that it is called is the error.
        if ERRORS.contains(&function.name.as_str()) {
            let property = Property::Assertion("the call of an error function".to_string());
            self.with_condition(&Rv::ZERO, span, |cond| Op::Assert { cond, property });
        }
        if self.code.instrs.len() > MAX_INSTRUCTIONS {
            return Err(Diagnostic::unsupported(
                "c::too-large",
                "this program is too large once its functions are inlined",
            )
            .at(span, "calls here and elsewhere"));
        }
        let active = self.frames.iter().filter(|frame| frame.function == id).count();
        if active > self.options.recursion {
            self.cut_recursion(span);
            return Ok(Rv::ZERO);
        }
        let result = match function.result.plain() {
            Ty::Void => None,
            _ => Some(self.code.reg(span)?),
        };
        if let (Some(reg), false) = (result, function.result.is_scalar() || function.result == Ty::Void) {
            let size = self.size(&function.result);
            self.allocate(reg, &Rv::int(i128::from(size)), Storage::Private, Content::Nothing, span);
        }
        let depth = self.code.depth;
        let mut slots = HashMap::new();
        for (param, arg) in function.params.iter().zip(&args) {
            let slot = self.new_slot(*param)?;
            let ty = unit.variables[*param].ty.clone();
            match slot {
                Slot::Register(reg) => self.write(reg, arg, span),
                Slot::Memory(reg) => {
                    let escapes = unit.variables[*param].escapes;
                    let storage = if escapes { Storage::Stack } else { Storage::Private };
                    let size = self.size(&ty);
                    self.allocate(reg, &Rv::int(i128::from(size)), storage, Content::Nothing, span);
                    match ty.is_scalar() {
                        true => {
                            let place = Place::Memory(Rv::Reg(reg), ty.plain().clone(), None);
                            self.store(&place, arg.clone(), Mark::Plain, span)?;
                        }
                        false => self.copy(&Rv::Reg(reg), arg, &ty, span)?,
                    }
                }
            }
            slots.insert(*param, slot);
        }
        let varargs = self.further(args.get(function.params.len()..).unwrap_or(&[]), span)?;
        let ends = self.objects_of(id, &slots, span)?;
        let end = self.code.label();
        self.frames.push(Frame {
            function: id,
            slots,
            end,
            result,
            labels: HashMap::new(),
            gotos: Vec::new(),
            breaks: Vec::new(),
            continues: Vec::new(),
            cleanups: Vec::new(),
            depths: super::stmt::depths_of_labels(body),
            cases: Vec::new(),
            site: span,
            varargs,
            ends: ends.clone(),
        });
        let section = function.name.starts_with("__VERIFIER_atomic_");
        if section {
            self.section(SECTION_BEGIN, span);
        }
        let control = self.control_begins(span);
        let lowered = self.block(body, false);
        self.code.place(end);
        self.control_ends(control, span);
        if section {
            self.section(SECTION_END, span);
        }
        self.end_objects(&ends, span);
        let frame = self.frames.pop();
        self.code.depth = depth;
        lowered?;
        for (name, span) in frame.iter().flat_map(|frame| &frame.gotos) {
            let label = frame.iter().find_map(|frame| frame.labels.get(name));
            if !label.is_some_and(|label| self.code.is_placed(*label)) {
                let message = format!("there is no label `{name}` in this function");
                return Err(Diagnostic::error("c::label", message).at(*span, "goes there"));
            }
        }
        Ok(result.map_or(Rv::ZERO, Rv::Reg))
    }

    /// Arguments beyond the parameters, one after the other in an object of their own.
    fn further(&mut self, args: &[Rv], span: Span) -> Result<Option<Reg>, Diagnostic> {
        if args.is_empty() {
            return Ok(None);
        }
        let reg = self.code.reg(span)?;
        let size = Rv::int(8 * args.len() as i128);
        self.allocate(reg, &size, Storage::Private, Content::Nothing, span);
        for (n, arg) in args.iter().enumerate() {
            let mut ops = Ops::default();
            let address = Rv::binary(BinOp::Add, Rv::Reg(reg), Rv::int(8 * n as i128));
            let addr = ops.value(&address, Port::Addr);
            let value = ops.value(arg, Port::Data);
            let (sets, extra) = (Mark::Plain.access_sets(), Extra::default());
            // Of the size in which it will be asked for.
            ops.push(Op::Store { addr, value, size: AccessSize(0), sets, extra });
            self.emit(ops, span);
        }
        Ok(Some(reg))
    }

    /// The objects that live as long as the function and that others may know: each gets a register, which is 0 until it comes to life. Those of
    /// `main` live as long as the program.
    fn objects_of(
        &mut self,
        id: usize,
        params: &HashMap<usize, Slot>,
        span: Span,
    ) -> Result<HashMap<usize, Reg>, Diagnostic> {
        let unit = self.unit;
        let mut ends = HashMap::new();
        if unit.functions[id].name == "main" {
            return Ok(ends);
        }
        let known = |id: usize| unit.variables[id].escapes && unit.variables[id].life == Life::Block;
        for (param, slot) in params {
            if let (Slot::Memory(reg), true) = (slot, known(*param)) {
                ends.insert(*param, *reg);
            }
        }
        let mut declared = Vec::new();
        unit.functions[id].body.iter().flatten().for_each(|stmt| declarations(stmt, &mut declared));
        for variable in declared.into_iter().filter(|id| known(*id)) {
            let reg = self.code.reg(span)?;
            self.write(reg, &Rv::ZERO, span);
            ends.insert(variable, reg);
        }
        Ok(ends)
    }

    pub(super) fn end_objects(&mut self, ends: &HashMap<usize, Reg>, span: Span) {
        let mut registers: Vec<Reg> = ends.values().copied().collect();
        registers.sort_unstable();
        for reg in registers {
            let mut ops = Ops::default();
            let addr = ops.value(&Rv::Reg(reg), Port::None);
            ops.push(Op::Free { addr, kind: Storage::Stack });
            self.emit(ops, span);
        }
    }

    /// Goes on at the label that comes back, unless a pointer is to that function.
    pub(super) fn unless_function(
        &mut self,
        target: &Rv,
        id: usize,
        span: Span,
    ) -> Result<Label, Diagnostic> {
        let next = self.code.label();
        let sym = self.function_symbol(id)?;
        let mut ops = Ops::default();
        let same = Rv::binary(BinOp::Eq, target.clone(), Rv::Const(Value::addr(sym)));
        let cond = ops.value(&same, Port::None);
        ops.push(Op::If { cond, then: Vec::new(), otherwise: vec![Code::goto(next)] });
        self.emit(ops, span);
        Ok(next)
    }

    /// Too deep: a loop that never ends, which the bound cuts.
    fn cut_recursion(&mut self, span: Span) {
        let id = LOOP_CUT;
        let top = self.code.label();
        self.code.place(top);
        self.op(Op::LoopHead { id }, span);
        self.goto(top, span);
    }
}

/// The variables that a statement declares.
fn declarations(stmt: &Stmt, found: &mut Vec<usize>) {
    match &stmt.kind {
        StmtKind::Declare(id) => found.push(*id),
        StmtKind::Block(all) => all.iter().for_each(|s| declarations(s, found)),
        StmtKind::If(_, then, otherwise) => {
            declarations(then, found);
            otherwise.iter().for_each(|s| declarations(s, found));
        }
        StmtKind::While(_, body) | StmtKind::DoWhile(body, _) | StmtKind::Switch(_, body) => {
            declarations(body, found);
        }
        StmtKind::For(first, _, _, body) => {
            first.iter().for_each(|s| declarations(s, found));
            declarations(body, found);
        }
        _ => {}
    }
}

/// Is a function of that name called anywhere that `main` may come to? Headers have functions that nobody calls.
pub(super) fn calls(unit: &Unit, name: &str) -> bool {
    if unit.has_kinds && name == "pthread_mutexattr_settype" {
        return true;
    }
    let mut used = vec![false; unit.functions.len()];
    let mut next: Vec<usize> = (0..used.len()).filter(|id| unit.functions[*id].name == "main").collect();
    for part in unit.variables.iter().flat_map(|variable| variable.init.iter().flatten()) {
        named(&part.value, &mut next);
    }
    while let Some(id) = next.pop() {
        if std::mem::replace(&mut used[id], true) {
            continue;
        }
        for stmt in unit.functions[id].body.iter().flatten() {
            super::escape::expressions(stmt, &mut |e| named(e, &mut next));
        }
    }
    (0..used.len()).any(|id| used[id] && unit.functions[id].name == name)
}

/// Functions inside an expression, called or not.
fn named(e: &Expr, found: &mut Vec<usize>) {
    super::escape::visit(e, &mut |e| match &e.kind {
        ExprKind::Function(id) => found.push(*id),
        ExprKind::Call(callee, _) => {
            if let ExprKind::Function(id) = &callee.kind {
                found.push(*id);
            }
        }
        _ => {}
    });
}

/// Functions used as values, anywhere.
pub(super) fn addressed(unit: &crate::arch::c::unit::tree::Unit) -> Vec<usize> {
    let mut found = Vec::new();
    let text = |e: &Expr, found: &mut Vec<usize>| walk(e, found);
    for function in &unit.functions {
        for stmt in function.body.iter().flatten() {
            super::escape::expressions(stmt, &mut |e| text(e, &mut found));
        }
    }
    for variable in &unit.variables {
        for part in variable.init.iter().flatten() {
            text(&part.value, &mut found);
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Functions inside an expression, but for those that are called by name.
fn walk(e: &Expr, found: &mut Vec<usize>) {
    super::escape::visit(e, &mut |e| {
        if let ExprKind::Function(id) = &e.kind {
            found.push(*id);
        }
    });
}
