//! Is what a model chooses its coherence order from the usual thing: all orders of the writes to each cell?

use crate::diag::Diagnostic;
use crate::model::{Choices, Expr, ExprId, Model, OrderBase, Sort, Universe, Val};
use crate::relation::{Rel, Set};

/// Is it the set of all orders of the writes to each cell on top of what is always known of coherence? The model's own function is
/// asked, over events that stand for any.
pub(super) fn is_usual(model: &Model, from: ExprId) -> bool {
    model.usual_coherence().is_some_and(|usual| base(model, from) == Some(usual))
}

/// If it is the set of all orders of the writes to each cell that contain a relation: which.
pub(super) fn base(model: &Model, from: ExprId) -> Option<ExprId> {
    let sizes: [&[usize]; 3] = [&[2, 1, 3], &[1, 4], &[3, 1, 1, 2, 2]];
    let mut bases = sizes.into_iter().map(|sizes| ordered(model, from, sizes));
    let first = bases.next()??;
    bases.all(|base| base == Some(first)).then_some(first)
}

/// Is there but one way to choose, and that is the empty relation?
pub(super) fn is_nothing(model: &Model, from: ExprId) -> bool {
    let few = Few::new(&[3, 1, 2]);
    let is_none = |rel: &Rel| rel.is_empty();
    match value(model, from, &few) {
        Ok(Some(Val::Choices(Choices::List(list)))) => {
            matches!(&list[..], [Val::Rel(rel)] if is_none(rel))
        }
        Ok(Some(Val::Choices(Choices::Cross(lists)))) => {
            lists.iter().all(|list| matches!(&list[..], [rel] if is_none(rel)))
        }
        Ok(Some(Val::Choices(Choices::Orders(orders)))) => orders.is_empty(),
        _ => false,
    }
}

fn ordered(model: &Model, from: ExprId, sizes: &[usize]) -> Option<ExprId> {
    let few = Few::new(sizes);
    let Ok(Some(Val::Choices(Choices::Orders(orders)))) = value(model, from, &few) else {
        return None;
    };
    let mut bases = orders.iter().map(|order| match order.base {
        OrderBase::Node(node) => Some(node),
        OrderBase::Rel(_) => None,
    });
    let first = bases.next()??;
    let mut wanted: Vec<Vec<usize>> =
        few.cells.iter().map(|cell| cell.iter().filter(|e| few.is_write(*e)).collect()).collect();
    let mut found: Vec<Vec<usize>> = orders.iter().map(|order| order.over.iter().collect()).collect();
    wanted.sort();
    found.sort();
    (bases.all(|base| base == Some(first)) && found == wanted).then_some(first)
}

/// The value of a leaf: of the writes, of what is empty, and of what is not known.
fn value(model: &Model, id: ExprId, few: &Few) -> Result<Option<Val>, Diagnostic> {
    let pool = &model.pool;
    match pool.expr(id) {
        Expr::Base(crate::model::Base::W, Sort::Set) => {
            Ok(Some(Val::Set(Set::of(few.n, (0..few.n).filter(|e| few.is_write(*e))))))
        }
        Expr::Empty(Sort::Set) => Ok(Some(Val::Set(Set::empty(few.n)))),
        Expr::Empty(_) => Ok(Some(Val::Rel(Rel::empty(few.n)))),
        Expr::Interp(interp, _) => {
            let interp = pool.interp(*interp);
            let mut inputs = Vec::new();
            for input in &interp.inputs {
                match value(model, *input, few)? {
                    Some(value) => inputs.push(value),
                    None => return Ok(None),
                }
            }
            interp.function.eval(&inputs, few).map(Some)
        }
        _ => Ok(Some(Val::Unknown(id))),
    }
}

/// A few events: every second one is a write, the first of each cell always.
struct Few {
    n: usize,
    cells: Vec<Set>,
}

impl Few {
    fn new(sizes: &[usize]) -> Few {
        let n = sizes.iter().sum();
        let mut first = 0;
        let cells = sizes.iter().map(|size| {
            first += size;
            Set::of(n, first - size..first)
        });
        Few { n, cells: cells.collect() }
    }

    fn is_write(&self, event: usize) -> bool {
        event.is_multiple_of(2) || self.cells.iter().any(|cell| cell.first() == Some(event))
    }
}

impl Universe for Few {
    fn n_events(&self) -> usize {
        self.n
    }

    fn visible(&self) -> Set {
        Set::full(self.n)
    }

    fn base(&self, _: &crate::model::Base) -> Option<Val> {
        None
    }

    fn location_classes(&self) -> Vec<Set> {
        self.cells.clone()
    }

    fn events_of_location(&self, _: &str) -> Option<Set> {
        None
    }
}
