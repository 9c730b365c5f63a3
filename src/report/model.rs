//! Models as text: the library as a list, and a lowered model as the tool understood it.

use std::fmt::Write;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::cat::library::{self, Kind};
use crate::model::{CheckKind, Expr, ExprId, FixId, Model, Polarity, Pool, Sort, Step, Test, TestKind};

/// The models that come with the command, a line each.
pub fn list_models() -> String {
    let models: Vec<_> = library::entries().iter().filter(|entry| entry.kind == Kind::Model).collect();
    let name = |entry: &library::Entry| entry.name.strip_suffix(".cat").unwrap_or(entry.name).to_string();
    let width = models.iter().map(|entry| name(entry).len()).max().unwrap_or(0);
    let mut text = String::new();
    for entry in models {
        let _ = writeln!(text, "{:width$}  {}", name(entry), entry.summary());
    }
    text
}

/// A lowered model: its definitions in order, then what it does in order. Of each relation it says whether the program
/// alone fixes it (static) or how it moves with what the search decides.
pub fn show_model(model: &Model) -> String {
    let mut printer = Printer::new(model);
    let mut text = format!("\"{}\"{}\n", model.name, if model.catdep { " catdep" } else { "" });
    let mut body = String::new();
    for definition in &model.definitions {
        printer.definition(&mut body, &definition.name, definition.expr);
    }
    if !body.is_empty() {
        let _ = write!(text, "\n{body}");
    }
    let mut steps = String::new();
    for step in &model.steps {
        printer.step(&mut steps, step);
    }
    if !steps.is_empty() {
        let _ = write!(text, "\n{steps}");
    }
    text
}

/// Binding strength of what is printed: an operand weaker than its place needs parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Union,
    Seq,
    Diff,
    Inter,
    /// Product, closures, complement.
    Unary,
    Atom,
}

struct Printer<'a> {
    model: &'a Model,
    /// Names for nodes, by the definitions printed so far.
    names: FxHashMap<ExprId, String>,
    /// The unions among them, the largest first: a union is flat, so what was written `ppo | rfe` is found again by its parts.
    unions: Vec<(FxHashSet<ExprId>, String)>,
    /// The sequences among them, the longest first, for the same reason.
    sequences: Vec<(Vec<ExprId>, String)>,
    choices: FxHashMap<u32, String>,
    fixes_printed: FxHashSet<FixId>,
}

impl<'a> Printer<'a> {
    fn new(model: &'a Model) -> Printer<'a> {
        let choices = model.steps.iter().filter_map(|step| match step {
            Step::With { choice, name, .. } => Some((choice.0, name.clone())),
            _ => None,
        });
        Printer {
            model,
            names: FxHashMap::default(),
            unions: Vec::new(),
            sequences: Vec::new(),
            choices: choices.collect(),
            fixes_printed: FxHashSet::default(),
        }
    }

    fn pool(&self) -> &'a Pool {
        &self.model.pool
    }

    fn definition(&mut self, text: &mut String, name: &str, expr: ExprId) {
        self.fixes_in(text, expr);
        // Recursive ones were printed with their group; empty sets are mostly what the architecture does not have.
        if let Expr::Fix(..) | Expr::Empty(Sort::Set) = self.pool().expr(expr) {
            return;
        }
        if self.names.get(&expr).is_some_and(|known| known == name) {
            return;
        }
        let value = self.expr(expr, Level::Union);
        if value == name {
            return;
        }
        let _ = writeln!(text, "let {name} = {value}  (* {} *)", self.facts(expr));
        self.remember(name, expr);
    }

    /// From here on the node is printed by this name.
    fn remember(&mut self, name: &str, expr: ExprId) {
        if matches!(
            self.pool().expr(expr),
            Expr::Base(..) | Expr::Choice(..) | Expr::Empty(_) | Expr::Universe(_) | Expr::Id
        ) {
            return;
        }
        // A name that now means something else no longer stands for what it meant.
        self.names.retain(|_, known| known != name);
        self.unions.retain(|(_, known)| known != name);
        self.sequences.retain(|(_, known)| known != name);
        if self.names.contains_key(&expr) {
            return;
        }
        self.names.insert(expr, name.to_string());
        match self.pool().expr(expr) {
            Expr::Union(parts) => {
                self.unions.push((parts.iter().copied().collect(), name.to_string()));
                self.unions.sort_by_key(|(parts, _)| std::cmp::Reverse(parts.len()));
            }
            Expr::Seq(parts) => {
                self.sequences.push((parts.clone(), name.to_string()));
                self.sequences.sort_by_key(|(parts, _)| std::cmp::Reverse(parts.len()));
            }
            _ => {}
        }
    }

    /// Prints the recursive groups that an expression uses and that were not printed yet.
    fn fixes_in(&mut self, text: &mut String, expr: ExprId) {
        let mut groups = Vec::new();
        let mut seen = FxHashSet::default();
        let mut todo = vec![expr];
        while let Some(id) = todo.pop() {
            if !seen.insert(id) {
                continue;
            }
            if let Expr::Fix(fix, ..) = self.pool().expr(id)
                && !self.fixes_printed.contains(fix)
                && !groups.contains(fix)
            {
                groups.push(*fix);
                todo.extend(&self.pool().fix(*fix).bodies);
            }
            children(self.pool(), id, &mut todo);
        }
        for fix in groups.into_iter().rev() {
            self.fixes_printed.insert(fix);
            let group = self.pool().fix(fix);
            for (index, (name, body)) in group.names.iter().zip(&group.bodies).enumerate() {
                let word = if index == 0 { "let rec" } else { "and" };
                let value = self.expr(*body, Level::Union);
                let whole = Expr::Fix(fix, index as u32, self.pool().sort(*body));
                let facts = self.facts(self.pool().find(&whole).unwrap_or(*body));
                let _ = writeln!(text, "{word} {name} = {value}  (* {facts} *)");
            }
            if let Some(test) = &group.when {
                let _ = writeln!(text, "when {}", self.test(test));
            }
        }
    }

    fn step(&mut self, text: &mut String, step: &Step) {
        match step {
            Step::Check { kind, test, name, .. } => {
                self.fixes_in(text, test.expr);
                let kind = match kind {
                    CheckKind::Plain => "",
                    CheckKind::Flag => "flag ",
                    CheckKind::UndefinedUnless => "undefined_unless ",
                    CheckKind::Assert => "assert ",
                };
                let name = name.as_ref().map_or(String::new(), |name| format!(" as {name}"));
                let _ = writeln!(text, "{kind}{}{name}  (* {} *)", self.test(test), self.facts(test.expr));
            }
            Step::With { name, from, .. } => {
                self.fixes_in(text, *from);
                let _ = writeln!(text, "with {name} from {}", self.expr(*from, Level::Union));
            }
            Step::Fail { diagnostic } => {
                let _ = writeln!(text, "fail  (* {} *)", diagnostic.message);
            }
        }
    }

    fn test(&self, test: &Test) -> String {
        let kind = match test.kind {
            TestKind::Acyclic => "acyclic",
            TestKind::Irreflexive => "irreflexive",
            TestKind::Empty => "empty",
        };
        format!("{}{kind} {}", if test.negated { "~" } else { "" }, self.expr(test.expr, Level::Union))
    }

    /// Sort, and how the value moves with what the search decides.
    fn facts(&self, expr: ExprId) -> String {
        let node = self.pool().node(expr);
        let mut facts = match node.sort {
            Sort::Set => "set".to_string(),
            Sort::Rel => "relation".to_string(),
            Sort::Other => "value".to_string(),
        };
        let moves = |wanted: Polarity| {
            let bases = node.dynamics.bases.iter().filter(|(_, polarity)| *polarity == wanted);
            let names: Vec<String> = bases
                .filter(|(base, _)| !matches!(self.pool().expr(*base), Expr::FixVar(..)))
                .map(|(base, _)| self.expr(*base, Level::Atom))
                .collect();
            names.join(", ")
        };
        let parts = [
            (Polarity::Monotone, "grows with"),
            (Polarity::Antitone, "shrinks with"),
            (Polarity::Mixed, "moves either way with"),
        ];
        let mut dynamic = false;
        for (polarity, words) in parts {
            let names = moves(polarity);
            if !names.is_empty() {
                let _ = write!(facts, ", {words} {names}");
                dynamic = true;
            }
        }
        if !dynamic {
            facts.push_str(", static");
        }
        facts
    }

    /// The text of a node as an operand that binds at least as tightly as `level`.
    fn expr(&self, id: ExprId, level: Level) -> String {
        if let Some(name) = self.names.get(&id) {
            return name.clone();
        }
        let (text, own) = self.operator(id);
        if own < level { format!("({text})") } else { text }
    }

    fn operator(&self, id: ExprId) -> (String, Level) {
        let atom = |text: String| (text, Level::Atom);
        match self.pool().expr(id) {
            Expr::Base(name, _) => atom(name.to_string()),
            Expr::Choice(choice, _) => {
                atom(self.choices.get(&choice.0).cloned().unwrap_or_else(|| format!("choice-{}", choice.0)))
            }
            Expr::FixVar(fix, index, _) | Expr::Fix(fix, index, _) => {
                let names = &self.pool().fix(*fix).names;
                atom(names.get(*index as usize).cloned().unwrap_or_else(|| "_".to_string()))
            }
            Expr::Empty(Sort::Rel) => atom("0".to_string()),
            Expr::Empty(_) => atom("{}".to_string()),
            Expr::Universe(Sort::Rel) => (String::from("_ * _"), Level::Unary),
            Expr::Universe(_) => atom("_".to_string()),
            Expr::Id => atom("id".to_string()),
            Expr::Union(parts) => (self.union(parts), Level::Union),
            Expr::Seq(parts) => (self.sequence(parts), Level::Seq),
            Expr::Diff(a, b) => {
                (format!("{} \\ {}", self.expr(*a, Level::Diff), self.expr(*b, Level::Inter)), Level::Diff)
            }
            Expr::Inter(a, b) => {
                (format!("{} & {}", self.expr(*a, Level::Unary), self.expr(*b, Level::Inter)), Level::Inter)
            }
            Expr::Product(a, b) => {
                (format!("{} * {}", self.expr(*a, Level::Atom), self.expr(*b, Level::Atom)), Level::Unary)
            }
            Expr::Compl(a) => (format!("~{}", self.expr(*a, Level::Atom)), Level::Unary),
            Expr::Opt(a) => (format!("{}?", self.expr(*a, Level::Atom)), Level::Unary),
            Expr::Plus(a) => (format!("{}+", self.expr(*a, Level::Atom)), Level::Unary),
            Expr::Star(a) => (format!("{}*", self.expr(*a, Level::Atom)), Level::Unary),
            Expr::Inverse(a) => atom(format!("{}^-1", self.expr(*a, Level::Atom))),
            Expr::ToId(a) => atom(format!("[{}]", self.expr(*a, Level::Union))),
            Expr::Domain(a) => atom(format!("domain({})", self.expr(*a, Level::Union))),
            Expr::Range(a) => atom(format!("range({})", self.expr(*a, Level::Union))),
            Expr::ByValues(test, a) => atom(format!("{}({})", test.name(), self.expr(*a, Level::Union))),
            Expr::Interp(interp, _) => {
                let interp = self.pool().interp(*interp);
                let inputs: Vec<String> =
                    interp.inputs.iter().map(|input| self.expr(*input, Level::Union)).collect();
                atom(format!("<{}>({})", interp.function.describe(), inputs.join(", ")))
            }
        }
    }

    /// A sequence, with the named sequences that it contains put back.
    fn sequence(&self, parts: &[ExprId]) -> String {
        let mut words = Vec::new();
        let mut rest = parts;
        while let Some((first, others)) = rest.split_first() {
            let named = self
                .sequences
                .iter()
                .find(|(members, _)| members.len() < parts.len() && rest.starts_with(members));
            match named {
                Some((members, name)) => {
                    words.push(name.clone());
                    rest = &rest[members.len()..];
                }
                None => {
                    words.push(self.expr(*first, Level::Diff));
                    rest = others;
                }
            }
        }
        words.join("; ")
    }

    /// A union, with the named unions that it contains put back.
    fn union(&self, parts: &[ExprId]) -> String {
        let mut rest: Vec<ExprId> = parts.to_vec();
        let mut words = Vec::new();
        for (members, name) in &self.unions {
            if members.len() < parts.len() && members.iter().all(|member| rest.contains(member)) {
                rest.retain(|part| !members.contains(part));
                words.push(name.clone());
            }
        }
        words.extend(rest.iter().map(|part| self.expr(*part, Level::Seq)));
        words.join(" | ")
    }
}

/// Adds the children of a node.
fn children(pool: &Pool, id: ExprId, into: &mut Vec<ExprId>) {
    match pool.expr(id) {
        Expr::Interp(interp, _) => into.extend(&pool.interp(*interp).inputs),
        expr => into.extend(expr.operands()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::cat::lower::{LowerInput, Predefined, lower};
    use crate::cat::{Loader, parse};
    use crate::diag::{Color, Diagnostics, render_all};
    use crate::source::Sources;

    fn shown(text: &str) -> String {
        let (mut sources, mut diags) = (Sources::new(), Diagnostics::new());
        let source = sources.add("model.cat", text);
        let mut loader = Loader::new(Vec::new());
        let result = parse(&sources, source, &mut diags).and_then(|model| {
            let input = LowerInput::new(&model, "model.cat", Predefined::new(&BTreeSet::new()));
            lower(input, &mut loader, &mut sources, &mut diags)
        });
        match result {
            Ok(lowered) => show_model(&lowered.model),
            Err(_) => render_all(diags.list(), &sources, Color::Never),
        }
    }

    #[test]
    fn definitions_steps_and_facts() {
        let text = r#"
            "a model"
            let ppo = [R]; po; [M] | [W]; po; [W]
            let com = rf | ppo
            let rec hb = com | hb; hb and back = hb^-1 \ ppo
            let unread = W \ domain rf
            let far(r) = r & ext
            acyclic com | far(rf)
            flag ~empty unread as unread
            undefined_unless empty hb \ back as u
            irreflexive ((~ppo)?; [W]; po; [W]; rf+)^-1 & (W * R) as odd
        "#;
        insta::assert_snapshot!(shown(text), @r#"
        "a model"

        let ppo = [R]; po; [M] | [W]; po; [W]  (* relation, static *)
        let com = ppo | rf  (* relation, grows with rf *)
        let rec hb = com | hb; hb  (* relation, grows with rf *)
        and back = hb^-1 \ ppo  (* relation, grows with rf *)
        let unread = W \ domain(rf)  (* set, shrinks with rf *)

        acyclic com | ext & rf  (* relation, grows with rf *)
        flag ~empty unread as unread  (* set, shrinks with rf *)
        undefined_unless empty hb \ back as u  (* relation, moves either way with rf *)
        irreflexive ((~ppo)?; [W]; po; [W]; rf+)^-1 & W * R as odd  (* relation, grows with rf *)
        "#);
    }

    #[test]
    fn a_name_that_is_bound_again_stands_for_the_new_value() {
        insta::assert_snapshot!(shown("let r = po & loc let s = r; r let r = r \\ id acyclic s | r; s"), @r#"
        "model.cat"

        let r = loc & po  (* relation, static *)
        let s = r; r  (* relation, static *)
        let r = r \ id  (* relation, static *)

        acyclic s | r; s  (* relation, static *)
        "#);
    }

    #[test]
    fn the_list_has_a_line_for_every_model() {
        let list = list_models();
        assert!(list.lines().any(|line| line.starts_with("arm-a9 ") && line.contains("read-read hazard")));
        assert!(list.lines().all(|line| line.len() < 120), "{list}");
        assert!(!list.contains("stdlib"));
    }
}
