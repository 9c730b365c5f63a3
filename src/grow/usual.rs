//! Is what a model chooses its coherence order from the usual thing: all orders of the writes to each cell?

use crate::diag::Diagnostic;
use crate::model::{Choices, Expr, ExprId, Model, OrderBase, Sort, Universe, Val};
use crate::relation::Set;

/// Is it the set of all orders of the writes to each cell on top of what is always known of coherence? The model's own function is
/// asked, over events that stand for any.
pub(super) fn is_usual(model: &Model, from: ExprId) -> bool {
    [&[2, 1, 3][..], &[1, 4], &[3, 1, 1, 2, 2]].into_iter().all(|sizes| orders_all(model, from, sizes))
}

fn orders_all(model: &Model, from: ExprId, sizes: &[usize]) -> bool {
    let few = Few::new(sizes);
    let Some(usual) = model.usual_coherence() else { return false };
    let Ok(Some(Val::Choices(Choices::Orders(orders)))) = value(model, from, usual, &few) else {
        return false;
    };
    let is_known = |base: &OrderBase| matches!(base, OrderBase::Node(node) if *node == usual);
    let mut wanted: Vec<Vec<usize>> =
        few.cells.iter().map(|cell| cell.iter().filter(|e| few.is_write(*e)).collect()).collect();
    let mut found: Vec<Vec<usize>> = orders.iter().map(|order| order.over.iter().collect()).collect();
    wanted.sort();
    found.sort();
    orders.iter().all(|order| is_known(&order.base)) && found == wanted
}

/// The value of a leaf: of the writes and of what is known of coherence only.
fn value(model: &Model, id: ExprId, usual: ExprId, few: &Few) -> Result<Option<Val>, Diagnostic> {
    let pool = &model.pool;
    if id == usual {
        return Ok(Some(Val::Unknown(usual)));
    }
    match pool.expr(id) {
        Expr::Base(crate::model::Base::W, Sort::Set) => {
            Ok(Some(Val::Set(Set::of(few.n, (0..few.n).filter(|e| few.is_write(*e))))))
        }
        Expr::Interp(interp, _) => {
            let interp = pool.interp(*interp);
            let mut inputs = Vec::new();
            for input in &interp.inputs {
                match value(model, *input, usual, few)? {
                    Some(value) => inputs.push(value),
                    None => return Ok(None),
                }
            }
            interp.function.eval(&inputs, few).map(Some)
        }
        _ => Ok(None),
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
