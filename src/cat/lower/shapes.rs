//! Functions of herd's library that are recognised by their shape, whatever their names.
//!
//! `cross` combines coherence orders of all locations; run by its text it would build every combination. `map`
//! recurses once per element of a set. Both are run by us instead (`prims.rs`), with the same result.

use std::sync::Arc;

use crate::cat::ast::{Binding, Expr, ExprKind, Ident, Params, Pattern};

/// A recognised function.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    /// All unions of one relation from each set of a set of sets of relations.
    Cross,
    /// Applies the named function to each member of a set.
    Map(Ident),
}

/// Recognises the expression that evaluates to such a function.
pub(super) fn recognise(expr: &Expr) -> Option<Shape> {
    let ExprKind::Let { rec: true, bindings, body } = &*expr.kind else { return None };
    let [binding] = bindings.as_slice() else { return None };
    let (name, params, definition) = function(binding)?;
    if is_cross(name, params, definition, body) {
        return Some(Shape::Cross);
    }
    map_of(name, params, definition, body).map(Shape::Map)
}

fn function(binding: &Binding) -> Option<(&Arc<str>, &Params, &Expr)> {
    match &binding.pattern {
        Pattern::Function { name, params } => Some((&name.name, params, &binding.expr)),
        Pattern::Name(Some(name)) => match &*binding.expr.kind {
            ExprKind::Fun { params, body } => Some((&name.name, params, body)),
            _ => None,
        },
        _ => None,
    }
}

fn names<const N: usize>(params: &Params) -> Option<[&Arc<str>; N]> {
    let found: Vec<&Arc<str>> = match params {
        Params::One(Some(name)) => vec![&name.name],
        Params::Tuple(list) => list.iter().map(|n| n.as_ref().map(|n| &n.name)).collect::<Option<_>>()?,
        Params::One(None) => return None,
    };
    let found: [&Arc<str>; N] = found.try_into().ok()?;
    // Two parameters of one name: not a shape we know.
    let distinct = found.iter().enumerate().all(|(i, a)| found[..i].iter().all(|b| a != b));
    distinct.then_some(found)
}

fn is_var(expr: &Expr, name: &Arc<str>) -> bool {
    matches!(&*expr.kind, ExprKind::Var(n) if n == name)
}

/// `(a, b, …)` as the argument of `name`, or the bare argument if there is one.
fn call<'e, const N: usize>(expr: &'e Expr, name: &Arc<str>) -> Option<[&'e Expr; N]> {
    let arg = match &*expr.kind {
        ExprKind::App(f, arg) if f.name == *name => arg,
        ExprKind::AppExpr(f, arg) if is_var(f, name) => arg,
        _ => return None,
    };
    let parts: Vec<&Expr> = match &*arg.kind {
        ExprKind::Tuple(items) if N > 1 => items.iter().collect(),
        _ => vec![arg],
    };
    parts.try_into().ok()
}

/// `match S with || {} -> empty || e ++ rest -> body end`, on the variable `set`.
fn set_match<'e>(expr: &'e Expr, set: &Arc<str>) -> Option<(&'e Expr, &'e Arc<str>, &'e Arc<str>, &'e Expr)> {
    match &*expr.kind {
        ExprKind::MatchSet { scrutinee, empty, before: None, element: Some(e), rest: Some(rest), body } => {
            (is_var(scrutinee, set) && e.name != rest.name).then_some((empty, &e.name, &rest.name, body))
        }
        _ => None,
    }
}

/// ```text
/// let rec F (k,ys,oss) = match oss with
/// || {} -> ys ++ k
/// || os ++ oss -> let rec G (k,os) = match os with || {} -> k || o ++ os -> G (F (k,o | ys,oss),os) end in G (k,os)
/// end in fun x -> F ({},0,x)
/// ```
fn is_cross(f: &Arc<str>, params: &Params, definition: &Expr, body: &Expr) -> bool {
    let check = || -> Option<()> {
        let [k, ys, oss] = names::<3>(params)?;
        let ExprKind::Fun { params: Params::One(Some(x)), body: start } = &*body.kind else { return None };
        let [k0, ys0, oss0] = call::<3>(start, f)?;
        let starts = matches!(&*k0.kind, ExprKind::EmptySet)
            && matches!(&*ys0.kind, ExprKind::Zero)
            && is_var(oss0, &x.name)
            && x.name != *f;
        let (none, os, rest, some) = set_match(definition, oss)?;
        let adds = matches!(&*none.kind, ExprKind::Add(a, b) if is_var(a, ys) && is_var(b, k));
        // The matched names may hide `oss` only.
        let hides = [os, rest].iter().any(|n| [k, ys, f].contains(n));
        let ExprKind::Let { rec: true, bindings, body: inner_body } = &*some.kind else { return None };
        let [binding] = bindings.as_slice() else { return None };
        let (g, inner_params, inner) = function(binding)?;
        let [k2, os2] = names::<2>(inner_params)?;
        let [k_start, os_start] = call::<2>(inner_body, g)?;
        let (inner_none, o, os3, inner_some) = set_match(inner, os2)?;
        let [step, os_next] = call::<2>(inner_some, g)?;
        let [k_step, union, oss_step] = call::<3>(step, f)?;
        let ExprKind::Union(parts) = &*union.kind else { return None };
        let unites = matches!(parts.as_slice(), [a, b] if (is_var(a, o) && is_var(b, ys)) || (is_var(a, ys) && is_var(b, o)));
        let inner_hides = [g, k2, os2, o, os3].iter().any(|n| [ys, rest, f].contains(n))
            || [o, os3, g].contains(&k2)
            || [o, os3].contains(&g)
            || g == k
            || g == os;
        (starts
            && adds
            && !hides
            && !inner_hides
            && unites
            && is_var(k_start, k)
            && is_var(os_start, os)
            && is_var(inner_none, k2)
            && is_var(os_next, os3)
            && is_var(k_step, k2)
            && is_var(oss_step, rest))
        .then_some(())
    };
    check().is_some()
}

/// `let rec F S = match S with || {} -> {} || e ++ S -> f e ++ F S end in F`: the function `f`.
fn map_of(f: &Arc<str>, params: &Params, definition: &Expr, body: &Expr) -> Option<Ident> {
    let [set] = names::<1>(params)?;
    if !is_var(body, f) {
        return None;
    }
    let (none, e, rest, some) = set_match(definition, set)?;
    let ExprKind::Add(first, others) = &*some.kind else { return None };
    let ExprKind::App(mapped, arg) = &*first.kind else { return None };
    let [next] = call::<1>(others, f)?;
    let free = [f, set, e, rest].iter().all(|n| **n != mapped.name);
    let right = matches!(&*none.kind, ExprKind::EmptySet)
        && is_var(arg, e)
        && is_var(next, rest)
        && free
        && f != set
        && f != e
        && f != rest;
    right.then(|| mapped.clone())
}
