//! What readers of a model stumble over: definitions that nothing uses, operators that bind otherwise than they look.

use std::collections::BTreeSet;

use super::ast::{Expr, ExprKind, File, Ins, InsKind, Pattern};
use crate::diag::Diagnostic;
use crate::source::Sources;

/// Definitions of the files that none of them uses. A name that is defined twice counts as used if either is.
pub fn unused(files: &[&File]) -> Vec<Diagnostic> {
    let mut uses = Uses::default();
    files.iter().flat_map(|file| &file.body).for_each(|ins| uses.of_ins(ins));
    let mut found = Vec::new();
    for ins in files.iter().flat_map(|file| &file.body) {
        let (InsKind::Let { bindings } | InsKind::LetRec { bindings, .. }) = &ins.kind else { continue };
        for binding in bindings {
            let name = match &binding.pattern {
                Pattern::Name(Some(name)) | Pattern::Function { name, .. } => name,
                _ => continue,
            };
            if !uses.names.contains(&*name.name) {
                let message = format!("nothing uses `{}`", name.name);
                found.push(Diagnostic::warning("lint::unused", message).at(name.span, "defined here"));
            }
        }
    }
    found
}

/// Unions one of whose members is a sequence that looks as if the union were inside it: `a | b ; c` is `a | (b ; c)`.
pub fn misread(files: &[&File], sources: &Sources) -> Vec<Diagnostic> {
    let mut uses = Uses::default();
    files.iter().flat_map(|file| &file.body).for_each(|ins| uses.of_ins(ins));
    let mut found = Vec::new();
    for union in &uses.unions {
        let ExprKind::Union(members) = &*union.kind else { continue };
        for member in members {
            let ExprKind::Seq(parts) = &*member.kind else { continue };
            let text = sources.text(member.span);
            let around = &sources.get(member.span.source).text;
            let closed = is_in_parentheses(text)
                || around[member.span.end as usize..].trim_start().starts_with(')')
                    && around[..member.span.start as usize].trim_end().ends_with('(');
            // With blanks on both sides a `;` is as loose as the `|` beside it.
            let (first, _) = sources.line_column(members[0].span);
            let (line, _) = sources.line_column(member.span);
            let one_line = first == line && !text.contains('\n') && members.len() > 1;
            if parts.len() > 1 && !closed && one_line && text.contains(" ; ") {
                let message = "`;` binds tighter than `|`: only this much is the sequence";
                found.push(
                    Diagnostic::warning("lint::precedence", message)
                        .at(member.span, "one member of the union")
                        .help("parentheses, or `a; b` without the blank before `;`, show it"),
                );
            }
        }
    }
    found
}

/// Does one pair of parentheses stand around all of a text?
fn is_in_parentheses(text: &str) -> bool {
    let mut depth = 0;
    let closes = |(at, letter): (usize, char)| {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        (depth == 0).then_some(at + 1)
    };
    text.char_indices().find_map(closes) == Some(text.len()) && text.starts_with('(')
}

#[derive(Default)]
struct Uses {
    names: BTreeSet<String>,
    unions: Vec<Expr>,
}

impl Uses {
    fn of_ins(&mut self, ins: &Ins) {
        match &ins.kind {
            InsKind::Let { bindings } => bindings.iter().for_each(|binding| self.expr(&binding.expr)),
            InsKind::LetRec { bindings, when } => {
                bindings.iter().for_each(|binding| self.expr(&binding.expr));
                if let Some(test) = when {
                    self.expr(&test.expr);
                }
            }
            InsKind::Match { scrutinee, clauses } => {
                self.expr(scrutinee);
                clauses.iter().flat_map(|(_, body)| body).for_each(|ins| self.of_ins(ins));
            }
            InsKind::Check { test, .. } => self.expr(&test.expr),
            InsKind::Show { names } | InsKind::Unshow { names } => {
                self.names.extend(names.iter().map(|name| name.name.to_string()));
            }
            InsKind::ShowAs { expr, .. } | InsKind::Debug { expr } => self.expr(expr),
            InsKind::Procedure { body, .. } => body.iter().for_each(|ins| self.of_ins(ins)),
            InsKind::Call { name, arg, .. } => {
                self.names.insert(name.name.to_string());
                self.expr(arg);
            }
            InsKind::Forall { set, body, .. } => {
                self.expr(set);
                body.iter().for_each(|ins| self.of_ins(ins));
            }
            InsKind::With { set, .. } => self.expr(set),
            InsKind::If { then, otherwise, .. } => {
                then.iter().chain(otherwise).for_each(|ins| self.of_ins(ins));
            }
            InsKind::Instructions { args, .. } | InsKind::Default { args, .. } => {
                args.iter().for_each(|arg| self.expr(arg));
            }
            InsKind::Enum { .. } | InsKind::Include { .. } => {}
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &*expr.kind {
            ExprKind::Var(name) => {
                self.names.insert(name.to_string());
            }
            ExprKind::App(name, _) => {
                self.names.insert(name.name.to_string());
            }
            ExprKind::Union(_) => self.unions.push(expr.clone()),
            _ => {}
        }
        expr.each_part(|part| self.expr(part));
    }
}
