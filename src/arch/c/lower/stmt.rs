//! Statements.

use super::analysis::never_falls_through;
use super::code::{Code, Label};
use super::scope::Variable;
use super::{Global, Lowering, Origin};
use crate::arch::c::ast::{Declarator, Expr, ExprKind, Init, Stmt, StmtKind};
use crate::arch::c::types::CType;
use crate::diag::Diagnostic;
use crate::program::{BinOp, Op, Port, Tmp, Value};
use crate::source::Span;

/// What `break` and `continue` lead to, and the cases of a `switch`.
#[derive(Clone, Copy)]
pub(super) struct Targets {
    on_break: Label,
    on_continue: Option<Label>,
}

/// Which passes through a loop count against the unrolling bound.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bound {
    /// All: herd7 bounds `while` so.
    Always,
    /// Those that depend on what was read. Loops that herd7 does not have may count by themselves.
    IfUnknown,
}

impl Lowering<'_> {
    /// The body of a function. Problems are reported statement by statement.
    pub(super) fn function_body(&mut self, body: &[Stmt]) {
        self.block(body, None);
    }

    /// Statements one after the other, with the labels among them.
    fn block(&mut self, body: &[Stmt], targets: Option<Targets>) {
        let labelled = body.iter().any(|stmt| matches!(stmt.kind, StmtKind::Label(_)));
        let control = match body.first() {
            Some(first) if labelled => {
                let id = self.fresh();
                self.code.silent(vec![Op::ControlSave { id }], first.span);
                Some(id)
            }
            _ => None,
        };
        for stmt in body {
            let result = match (&stmt.kind, control) {
                (StmtKind::Label(name), Some(id)) => self.label(name, id, stmt.span),
                _ => self.statement_in(stmt, targets),
            };
            if let Err(diagnostic) = result {
                self.code.abandon();
                self.report(diagnostic);
            }
        }
    }

    pub(super) fn statement(&mut self, stmt: &Stmt) -> Result<(), Diagnostic> {
        crate::limits::poll();
        self.statement_in(stmt, None)
    }

    fn statement_in(&mut self, stmt: &Stmt, targets: Option<Targets>) -> Result<(), Diagnostic> {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Empty => Ok(()),
            StmtKind::Decl(list) => list.iter().try_for_each(|declarator| self.declaration(declarator)),
            StmtKind::Expr(e) => self.expression_statement(e, span),
            StmtKind::Block(body) => {
                self.scopes.enter_block();
                self.block(body, targets);
                self.scopes.leave_block();
                Ok(())
            }
            StmtKind::If(cond, then, otherwise) => {
                self.if_statement(cond, then, otherwise.as_deref(), targets, span)
            }
            StmtKind::While(cond, body) => self.loop_statement(Some(cond), None, body, Bound::Always, span),
            StmtKind::DoWhile(body, cond) => self.do_while(body, cond, span),
            StmtKind::For(init, cond, step, body) => {
                self.scopes.enter_block();
                let init = init.as_ref().map_or(Ok(()), |init| self.statement(init));
                let result = init.and_then(|()| {
                    self.loop_statement(cond.as_ref(), step.as_ref(), body, Bound::IfUnknown, span)
                });
                self.scopes.leave_block();
                result
            }
            StmtKind::Switch(value, body) => self.switch(value, body, targets, span),
            StmtKind::Case(_) => {
                Err(Diagnostic::error("c::case", "`case` outside the block of a `switch`").at(span, "here"))
            }
            StmtKind::Label(name) => {
                let id = self.fresh();
                self.code.silent(vec![Op::ControlSave { id }], span);
                self.label(name, id, span)
            }
            StmtKind::Goto(name) => {
                let label = self.code.named_label(&self.scopes.register_name(name));
                if !self.has_label(name) {
                    return Err(Diagnostic::error("c::label", format!("there is no label `{name}`"))
                        .at(span, "this `goto`"));
                }
                self.code.silent(vec![Code::jump(label)], span);
                Ok(())
            }
            StmtKind::Break | StmtKind::Continue => self.leave(stmt, targets),
            StmtKind::Return(value) => self.return_statement(value.as_ref(), span),
        }
    }

    fn leave(&mut self, stmt: &Stmt, targets: Option<Targets>) -> Result<(), Diagnostic> {
        let is_break = matches!(stmt.kind, StmtKind::Break);
        let label = match targets {
            Some(targets) if is_break => Some(targets.on_break),
            Some(targets) => targets.on_continue,
            None => None,
        };
        match label {
            Some(label) => {
                self.code.silent(vec![Code::goto(label)], stmt.span);
                Ok(())
            }
            None => {
                let word = if is_break { "break" } else { "continue" };
                Err(Diagnostic::error("c::jump", format!("`{word}` outside a loop")).at(stmt.span, "here"))
            }
        }
    }

    /// Does the function at hand have that label?
    fn has_label(&self, name: &str) -> bool {
        self.scopes.facts().labels.contains(name)
    }

    /// A label joins all ways that lead to it: conditions of its block are over.
    fn label(&mut self, name: &str, control: u32, span: Span) -> Result<(), Diagnostic> {
        let label = self.code.named_label(&self.scopes.register_name(name));
        if self.code.is_placed(label) {
            return Err(
                Diagnostic::error("c::label", format!("the label `{name}` is there twice")).at(span, "again")
            );
        }
        self.code.place(label);
        self.code.silent(vec![Op::ControlRestore { id: control }], span);
        Ok(())
    }

    fn end_instr(&mut self, span: Span) {
        let text = self.text_of(span);
        self.code.end_instr(|| text, span);
    }

    fn expression_statement(&mut self, e: &Expr, span: Span) -> Result<(), Diagnostic> {
        if let Some(result) = self.call_statement(e) {
            return result;
        }
        // `a, b;` is `a; b;`.
        if let ExprKind::Comma(left, right) = &e.kind {
            self.expression_statement(left, left.span)?;
            return self.expression_statement(right, right.span);
        }
        // `(void)f(x);`
        if let ExprKind::Cast(CType::Void, inner) = &e.kind {
            return self.expression_statement(inner, span);
        }
        let e = self.hoist(e)?;
        if let ExprKind::Int { .. } = e.kind {
            return Ok(());
        }
        self.expr(&e, Port::None)?;
        self.code.drop_unused();
        self.end_instr(span);
        Ok(())
    }

    fn declaration(&mut self, declarator: &Declarator) -> Result<(), Diagnostic> {
        let Declarator { name, ty, init, span, .. } = declarator;
        if declarator.is_static {
            return self.static_local(declarator);
        }
        if let Some(first) = self.scopes.declared_here(name) {
            // herd7 takes the two as one; so do we, as long as they agree.
            let same = matches!(self.scopes.find(name), Some(Variable::Register { .. }));
            if !same {
                return Err(Diagnostic::error("c::duplicate", format!("`{name}` is declared twice"))
                    .at(*span, "again here")
                    .at(first, "first here"));
            }
        } else {
            let variable = self.new_variable(declarator);
            self.scopes.declare(name, variable, *span);
        }
        match init {
            None => Ok(()),
            Some(Init::Value(value)) if matches!(ty, CType::Array(..)) => {
                Err(Diagnostic::error("c::array", "an array takes a list of values")
                    .at(value.span, "not a list"))
            }
            Some(init) => self.initialise(declarator, init),
        }
    }

    /// A local that outlives its block: one cell for all calls, by all threads, with its value from the start.
    fn static_local(&mut self, declarator: &Declarator) -> Result<(), Diagnostic> {
        let Declarator { name, ty, span, .. } = declarator;
        let symbol = match self.inlined.last() {
            Some(inlined) => format!("{}.{name}", inlined.name),
            None => format!("P{}.{name}", self.thread),
        };
        // Two of one name in one function are two.
        let place = |global: &&Global| global.name.split('#').next() == Some(symbol.as_str());
        let known = self.result.globals.iter().filter(place).find(|global| global.span == *span);
        let symbol = match known {
            Some(global) => global.name.clone(),
            None => match self.result.globals.iter().filter(place).count() {
                0 => symbol,
                n => format!("{symbol}#{n}"),
            },
        };
        let init = self.constant_init(declarator)?;
        let sym = self.global(&symbol, ty, Origin::Declared, *span);
        if let Some(global) = self.result.globals.iter_mut().find(|global| global.sym == sym) {
            global.init = init;
        }
        self.scopes.declare(name, Variable::Memory { sym, ty: ty.clone() }, *span);
        Ok(())
    }

    fn new_variable(&mut self, declarator: &Declarator) -> Variable {
        let Declarator { name, ty, span, .. } = declarator;
        let hidden = self.scopes.declared_outside(name);
        let mut own = self.scopes.register_name(name);
        if let Some(outer) = hidden {
            own = format!("{own}#{}", self.fresh());
            self.diags.warn(
                Diagnostic::warning("c::hidden-name", format!("this `{name}` hides another one"))
                    .at(*span, "a variable of its own, as C has it; herd7 takes the two as one")
                    .at(outer, "hidden; conditions name this one"),
            );
        }
        let in_memory = matches!(ty, CType::Array(..)) || self.scopes.facts().address_taken.contains(name);
        if in_memory {
            let symbol = format!("{}:{own}", self.thread);
            let origin = Origin::Local { thread: self.thread, name: own };
            let sym = self.global(&symbol, ty, origin, *span);
            return Variable::Memory { sym, ty: ty.clone() };
        }
        let reg = self.tables.regs.intern(&own);
        Variable::Register { reg, ty: ty.clone() }
    }

    /// Gives a new variable its value. One that lives in memory and starts with constants has them from the start.
    fn initialise(&mut self, declarator: &Declarator, init: &Init) -> Result<(), Diagnostic> {
        let Declarator { name, ty, span, .. } = declarator;
        let variable = self.variable(name, *span);
        if let (Variable::Memory { sym, .. }, true) = (&variable, self.scopes.at_thread_level())
            && let Ok(values) = self.constant_init(declarator)
            && let Some(global) = self.result.globals.iter_mut().find(|global| global.sym == *sym)
        {
            global.init = values;
            return Ok(());
        }
        let target = Expr { kind: ExprKind::Name(name.clone()), span: *span };
        match init {
            Init::Value(value) => {
                let assign = ExprKind::Assign(None, Box::new(target), Box::new(value.clone()));
                let e = Expr { kind: assign, span: span.to(value.span) };
                self.expression_statement(&e, e.span)
            }
            Init::List(values, list) => {
                super::fits(ty, values.len(), *list)?;
                let CType::Array(_, length) = ty else {
                    let assign = ExprKind::Assign(None, Box::new(target), Box::new(values[0].clone()));
                    return self.expression_statement(&Expr { kind: assign, span: *list }, *list);
                };
                let int = |value: usize| ExprKind::Int { value: value as i128, ty: CType::INT };
                let mut values = values.clone();
                // What is not given is zero, also when a loop comes by again.
                if !self.scopes.at_thread_level() {
                    values.resize(*length, Expr { kind: int(0), span: *list });
                }
                for (index, value) in values.iter().enumerate() {
                    let index = Expr { kind: int(index), span: value.span };
                    let element = ExprKind::Index(Box::new(target.clone()), Box::new(index));
                    let element = Expr { kind: element, span: *span };
                    let assign = ExprKind::Assign(None, Box::new(element), Box::new(value.clone()));
                    let e = Expr { kind: assign, span: value.span };
                    self.expression_statement(&e, e.span)?;
                }
                Ok(())
            }
        }
    }

    /// Evaluates the condition of a statement; what follows is under its control.
    fn condition(&mut self, cond: &Expr) -> Result<Tmp, Diagnostic> {
        self.code.push(Op::CondBegin);
        let value = self.expr(cond, Port::None)?;
        if value.ty == CType::Void {
            return Err(Diagnostic::error("c::void", "this condition has no value").at(cond.span, "here"));
        }
        self.code.push(Op::CondEnd);
        Ok(value.tmp)
    }

    fn if_statement(
        &mut self,
        cond: &Expr,
        then: &Stmt,
        otherwise: Option<&Stmt>,
        targets: Option<Targets>,
        span: Span,
    ) -> Result<(), Diagnostic> {
        let cond = self.hoist(cond)?;
        let id = self.fresh();
        let (on_else, end) = (self.code.new_label(), self.code.new_label());
        self.code.push(Op::ControlSave { id });
        let value = self.condition(&cond)?;
        self.code.push(Op::If { cond: value, then: Vec::new(), otherwise: vec![Code::goto(on_else)] });
        self.end_instr(cond.span);
        self.branch(then, targets);
        if let Some(otherwise) = otherwise {
            self.code.silent(vec![Code::goto(end)], span);
            self.code.place(on_else);
            self.branch(otherwise, targets);
        } else {
            self.code.place(on_else);
        }
        self.code.place(end);
        // If one branch goes elsewhere, what follows is what the condition let through: still under its control.
        let escapes = never_falls_through(then) || otherwise.is_some_and(never_falls_through);
        let ops = if escapes { Vec::new() } else { vec![Op::ControlRestore { id }] };
        self.code.silent(ops, span);
        Ok(())
    }

    /// A statement under a condition: a block of its own, whose problems are reported here.
    fn branch(&mut self, stmt: &Stmt, targets: Option<Targets>) {
        self.scopes.enter_block();
        match &stmt.kind {
            StmtKind::Block(body) => self.block(body, targets),
            _ => self.block(std::slice::from_ref(stmt), targets),
        }
        self.scopes.leave_block();
    }

    /// `while` and `for`: the body runs as often as the bound allows.
    fn loop_statement(
        &mut self,
        cond: Option<&Expr>,
        step: Option<&Expr>,
        body: &Stmt,
        bound: Bound,
        span: Span,
    ) -> Result<(), Diagnostic> {
        let (id, control) = (self.fresh(), self.fresh());
        let (top, next, end) = (self.code.new_label(), self.code.new_label(), self.code.new_label());
        self.code.silent(vec![Op::LoopEnter { id }, Op::ControlSave { id: control }], span);
        self.code.place(top);
        // A condition that is a constant bounds nothing.
        let open = cond.is_none_or(|cond| self.constant(cond).is_some());
        let head = vec![Op::LoopHead { id }];
        let (inside, after) = match bound {
            Bound::IfUnknown if !open => (head, Vec::new()),
            _ => (Vec::new(), head),
        };
        if let Some(cond) = cond {
            let cond = self.hoist(cond)?;
            let value = self.condition(&cond)?;
            self.code.push(Op::If { cond: value, then: inside, otherwise: vec![Code::goto(end)] });
            self.end_instr(cond.span);
        }
        if !after.is_empty() {
            self.code.silent(after, span);
        }
        self.branch(body, Some(Targets { on_break: end, on_continue: Some(next) }));
        self.code.place(next);
        if let Some(step) = step {
            self.expression_statement(step, step.span)?;
        }
        self.code.silent(vec![Code::goto(top)], span);
        self.code.place(end);
        self.code.silent(vec![Op::ControlRestore { id: control }], span);
        Ok(())
    }

    fn do_while(&mut self, body: &Stmt, cond: &Expr, span: Span) -> Result<(), Diagnostic> {
        // `do { … } while (0)` is no loop, only a block that `break` leaves.
        let once = self.constant(cond) == Some(Value::ZERO);
        let (id, control) = (self.fresh(), self.fresh());
        let (top, next, end) = (self.code.new_label(), self.code.new_label(), self.code.new_label());
        self.code.silent(vec![Op::LoopEnter { id }, Op::ControlSave { id: control }], span);
        self.code.place(top);
        self.branch(body, Some(Targets { on_break: end, on_continue: Some(next) }));
        self.code.place(next);
        if !once {
            let cond = self.hoist(cond)?;
            let value = self.condition(&cond)?;
            let (mut then, mut before) = (vec![Code::goto(top)], Vec::new());
            let head = Op::LoopHead { id };
            if self.constant(&cond).is_some() {
                before.push(head)
            } else {
                then.push(head)
            }
            for op in before {
                self.code.push(op);
            }
            self.code.push(Op::If { cond: value, then, otherwise: Vec::new() });
            self.end_instr(cond.span);
        }
        self.code.place(end);
        self.code.silent(vec![Op::ControlRestore { id: control }], span);
        Ok(())
    }

    fn switch(
        &mut self,
        value: &Expr,
        body: &Stmt,
        targets: Option<Targets>,
        span: Span,
    ) -> Result<(), Diagnostic> {
        let StmtKind::Block(stmts) = &body.kind else {
            return Err(Diagnostic::unsupported("c::switch", "the body of a `switch` must be a block")
                .at(body.span, "here"));
        };
        let value = self.hoist(value)?;
        let control = self.fresh();
        let end = self.code.new_label();
        self.code.push(Op::ControlSave { id: control });
        let selector = self.condition(&value)?;
        // One comparison after the other, then `default` or the end.
        let mut cases = Vec::new();
        let mut default = None;
        for stmt in stmts {
            if let StmtKind::Case(case) = &stmt.kind {
                let label = self.code.new_label();
                match case {
                    Some(e) => {
                        let Some(constant) = self.constant(e) else {
                            return Err(
                                Diagnostic::error("c::case", "`case` needs a constant").at(e.span, "not one")
                            );
                        };
                        cases.push((constant, label));
                    }
                    None if default.is_some() => {
                        return Err(
                            Diagnostic::error("c::case", "`default` is there twice").at(stmt.span, "again")
                        );
                    }
                    None => default = Some(label),
                }
            }
        }
        let mut rest = vec![Code::goto(default.unwrap_or(end))];
        for (constant, label) in cases.iter().rev() {
            let (expected, equal) = (self.code.tmp(), self.code.tmp());
            rest = vec![
                Op::Const { dst: expected, value: *constant },
                Op::Binary { dst: equal, op: BinOp::Eq, a: selector, b: expected },
                Op::If { cond: equal, then: vec![Code::goto(*label)], otherwise: rest },
            ];
        }
        for op in rest {
            self.code.push(op);
        }
        self.end_instr(value.span);
        let inner = Targets { on_break: end, on_continue: targets.and_then(|targets| targets.on_continue) };
        let mut labels = cases.into_iter();
        self.scopes.enter_block();
        for stmt in stmts {
            let result = match &stmt.kind {
                StmtKind::Case(case) => {
                    let label = if case.is_some() { labels.next().map(|(_, label)| label) } else { default };
                    if let Some(label) = label {
                        self.code.place(label);
                    }
                    Ok(())
                }
                _ => self.statement_in(stmt, Some(inner)),
            };
            if let Err(diagnostic) = result {
                self.code.abandon();
                self.report(diagnostic);
            }
        }
        self.scopes.leave_block();
        self.code.place(end);
        self.code.silent(vec![Op::ControlRestore { id: control }], span);
        Ok(())
    }

    fn return_statement(&mut self, value: Option<&Expr>, span: Span) -> Result<(), Diagnostic> {
        let Some(inlined) = self.inlined.last() else {
            // The end of the thread; a value goes nowhere.
            if let Some(value) = value {
                self.expression_statement(value, span)?;
            }
            self.code.silent(vec![Op::Stop], span);
            return Ok(());
        };
        let (end, result) = (inlined.end, inlined.result.clone());
        if let Some(value) = value {
            match result {
                Some(target) => {
                    let assign = ExprKind::Assign(None, Box::new(target), Box::new(value.clone()));
                    self.expression_statement(&Expr { kind: assign, span: value.span }, span)?;
                }
                None => {
                    return Err(Diagnostic::error("c::void", "a function without a result returns a value")
                        .at(value.span, "this value"));
                }
            }
        }
        self.code.silent(vec![Code::goto(end)], span);
        Ok(())
    }
}
