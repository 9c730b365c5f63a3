//! What the form of an expression tells about where its members come from.

use crate::model::{Base, Expr, ExprId, Model};

/// Is a static relation made of relations inside threads, and of sets, only?
pub fn stays_inside(model: &Model, id: ExprId) -> bool {
    match model.pool.expr(id) {
        Expr::Base(base, _) => {
            let others = matches!(
                base,
                Base::Id | Base::Po | Base::Int | Base::SameInstance | Base::SameInstr | Base::Instr
            );
            others || base.is_of_path()
        }
        Expr::Id | Expr::Empty(_) => true,
        Expr::ToId(set) => is_plain_set(model, *set),
        Expr::Union(parts) | Expr::Seq(parts) => parts.iter().all(|part| stays_inside(model, *part)),
        // What is not in the other stays inside, whatever that is: but what it is must be inside, too.
        Expr::Diff(a, b) => stays_inside(model, *a) && (stays_inside(model, *b) || is_of_pairs(model, *b)),
        Expr::Inter(a, b) => {
            let [first, second] = [*a, *b].map(|part| stays_inside(model, part));
            first && (second || is_of_pairs(model, *b)) || second && is_of_pairs(model, *a)
        }
        Expr::Inverse(inner) | Expr::Opt(inner) | Expr::Plus(inner) | Expr::Star(inner) => {
            stays_inside(model, *inner)
        }
        _ => false,
    }
}

/// Do two events tell by themselves whether the relation has them, whatever else happens?
pub fn is_of_pairs(model: &Model, id: ExprId) -> bool {
    match model.pool.expr(id) {
        Expr::Base(base, _) => matches!(
            base,
            Base::Loc
                | Base::Ext
                | Base::Int
                | Base::Id
                | Base::Si
                | Base::Sm
                | Base::SameInstance
                | Base::Named(_)
        ),
        Expr::Id | Expr::Empty(_) | Expr::Universe(_) => true,
        Expr::Product(a, b) => is_plain_set(model, *a) && is_plain_set(model, *b),
        Expr::ToId(set) => is_plain_set(model, *set),
        Expr::Union(parts) => parts.iter().all(|part| is_of_pairs(model, *part)),
        Expr::Inter(a, b) | Expr::Diff(a, b) => is_of_pairs(model, *a) && is_of_pairs(model, *b),
        Expr::Compl(inner) | Expr::Inverse(inner) => is_of_pairs(model, *inner),
        // A sequence with identities only leaves some out.
        Expr::Seq(parts) => {
            let is_identity = |part: &ExprId| matches!(model.pool.expr(*part), Expr::ToId(_));
            parts.iter().all(|part| is_of_pairs(model, *part))
                && parts.iter().filter(|part| !is_identity(part)).count() <= 1
        }
        _ => false,
    }
}

/// Does an event tell by itself whether it is in the set?
pub fn is_plain_set(model: &Model, id: ExprId) -> bool {
    match model.pool.expr(id) {
        Expr::Base(base, _) => !base.is_dynamic(),
        Expr::Universe(_) | Expr::Empty(_) => true,
        Expr::Union(parts) => parts.iter().all(|part| is_plain_set(model, *part)),
        Expr::Inter(a, b) | Expr::Diff(a, b) => is_plain_set(model, *a) && is_plain_set(model, *b),
        Expr::Compl(inner) => is_plain_set(model, *inner),
        _ => false,
    }
}
