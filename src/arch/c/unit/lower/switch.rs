//! `switch`.

use crate::arch::c::unit::tree::{Expr, Stmt, StmtKind};
use crate::diag::Diagnostic;
use crate::program::{BinOp, Op, Value};
use crate::source::Span;

use super::Lowering;
use super::code::{Code, Label, Ops};
use super::value::Rv;

impl Lowering<'_> {
    pub(super) fn switch(&mut self, value: &Expr, body: &Stmt, span: Span) -> Result<(), Diagnostic> {
        let control = self.control_begins(span);
        let selector = self.expr(value)?;
        let selector = self.kept(selector, span)?;
        let mut found = Vec::new();
        collect(body, &mut found);
        no_twins(&found)?;
        let cases: Vec<Option<(i128, i128)>> = found.into_iter().map(|(case, _)| case).collect();
        let end = self.code.label();
        let labels: Vec<Label> = cases.iter().map(|_| self.code.label()).collect();
        let mut default = end;
        for (case, label) in cases.iter().zip(&labels) {
            match case {
                None => default = *label,
                Some((low, high)) => self.compare(&selector, *low, *high, *label, value.span),
            }
        }
        self.goto(default, span);
        let frame = self.frame();
        frame.breaks.push((end, frame.cleanups.len()));
        frame.cases.push(labels.into_iter().rev().collect());
        let result = self.stmt(body);
        let frame = self.frame();
        frame.breaks.pop();
        frame.cases.pop();
        result?;
        self.code.place(end);
        self.control_ends(control, span);
        Ok(())
    }

    fn compare(&mut self, selector: &Rv, low: i128, high: i128, label: Label, span: Span) {
        let test = match low == high {
            true => Rv::binary(BinOp::Eq, selector.clone(), Rv::int(low)),
            false => Rv::binary(
                BinOp::And,
                Rv::binary(BinOp::Ge, selector.clone(), Rv::int(low)),
                Rv::binary(BinOp::Le, selector.clone(), Rv::int(high)),
            ),
        };
        match test.known() {
            Some(Value::ZERO) => {}
            Some(_) => self.goto(label, span),
            None => {
                let mut ops = Ops::default();
                let cond = self.condition(&mut ops, &test);
                ops.push(Op::If { cond, then: vec![Code::goto(label)], otherwise: Vec::new() });
                self.emit(ops, span);
            }
        }
    }

    /// The next `case` of the `switch` around it.
    pub(super) fn case(&mut self, span: Span) -> Result<(), Diagnostic> {
        match self.frame().cases.last_mut().and_then(Vec::pop) {
            Some(label) => {
                self.code.place(label);
                Ok(())
            }
            None => Err(Diagnostic::error("c::case", "`case` outside every `switch`").at(span, "here")),
        }
    }
}

/// No value may have two cases.
fn no_twins(cases: &[(Option<(i128, i128)>, Span)]) -> Result<(), Diagnostic> {
    for (at, (case, span)) in cases.iter().enumerate() {
        let same = |other: &&(Option<(i128, i128)>, Span)| match (case, &other.0) {
            (None, None) => true,
            (Some((low, high)), Some((from, to))) => low <= to && from <= high,
            _ => false,
        };
        if let Some((_, first)) = cases[..at].iter().find(same) {
            let what = match case {
                Some((low, _)) => format!("`case {low}` stands there twice"),
                None => "`default` stands there twice".to_string(),
            };
            return Err(Diagnostic::error("c::case", what).at(*span, "again here").at(*first, "and before"));
        }
    }
    Ok(())
}

/// The cases of a `switch` in the order of the text; those of one inside it are its own.
fn collect(stmt: &Stmt, cases: &mut Vec<(Option<(i128, i128)>, Span)>) {
    match &stmt.kind {
        StmtKind::Case(case) => cases.push((*case, stmt.span)),
        StmtKind::Block(all) => all.iter().for_each(|s| collect(s, cases)),
        StmtKind::If(_, then, otherwise) => {
            collect(then, cases);
            if let Some(otherwise) = otherwise {
                collect(otherwise, cases);
            }
        }
        StmtKind::While(_, body) | StmtKind::DoWhile(body, _) | StmtKind::For(_, _, _, body) => {
            collect(body, cases)
        }
        _ => {}
    }
}
