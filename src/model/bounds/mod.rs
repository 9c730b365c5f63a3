//! Interval evaluation: what is certainly in a node's value, and what can be in it at most.
//!
//! Each dynamic base has bounds `[must, may]`; those of a compound expression follow from its
//! parts. Where both bounds meet the value is *exact*, and stays so below this point of the search.
//!
//! All bounds lie one after the other in one buffer of words; a node knows where its own begin. Every world of every test
//! is evaluated here once, so that this is where small tests spend their time.

mod recursion;

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::diag::Diagnostic;
use crate::limits;
use crate::model::apart::{Apart, Kept, Remembered};
use crate::model::base::no_value;
use crate::model::buffer::Buffer;
use crate::model::narrow::Narrow;
use crate::model::{Base, Expr, ExprId, FixId, Model, Pool, Sort, Test, Universe, Val};
use crate::relation::flat::{Shape, bits};
use crate::relation::{Rel, Set};

/// The bounds of a value. Exact bounds share one allocation.
#[derive(Clone, Debug)]
pub struct Bound {
    /// In every completion.
    pub must: Arc<Val>,
    /// In some completion, at most.
    pub may: Arc<Val>,
}

impl Bound {
    /// A known value.
    pub fn exact(value: Val) -> Bound {
        let must = Arc::new(value);
        Bound { may: must.clone(), must }
    }

    /// Two bounds; exact if they are equal.
    pub fn new(must: Val, may: Val) -> Bound {
        let equal = match (&must, &may) {
            (Val::Set(a), Val::Set(b)) => a == b,
            (Val::Rel(a), Val::Rel(b)) => a == b,
            _ => false,
        };
        if equal { Bound::exact(must) } else { Bound { must: Arc::new(must), may: Arc::new(may) } }
    }

    /// Do the bounds meet?
    pub fn is_exact(&self) -> bool {
        Arc::ptr_eq(&self.must, &self.may)
    }
}

/// Where the bounds of a set or relation begin. Exact ones begin at the same place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Place {
    must: usize,
    may: usize,
}

impl Place {
    fn exact(at: usize) -> Place {
        Place { must: at, may: at }
    }

    fn is_exact(self) -> bool {
        self.must == self.may
    }
}

/// What is known of a node.
#[derive(Clone, Copy, Debug)]
enum Cell {
    /// Nothing yet.
    Open,
    /// The bounds of a set or relation.
    Rows(Place),
    /// A value of another sort, by position.
    Other(usize),
}

/// Two bounds, as words: one row for a set, one per event for a relation.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'b> {
    /// In every completion.
    pub must: &'b [u64],
    /// In some completion, at most.
    pub may: &'b [u64],
    /// Do they meet?
    pub exact: bool,
}

/// An interval evaluation in progress.
pub struct Bounds<'a> {
    pool: &'a Pool,
    universe: &'a dyn Universe,
    shape: Shape,
    visible: Set,
    words: Buffer,
    cells: Vec<Cell>,
    others: Vec<Val>,
    /// For nodes that mention a recursion variable: for which values of the variables they were computed.
    round_of: Vec<u32>,
    /// Counts changes of recursion variables.
    round: u32,
    variables: FxHashMap<(FixId, u32), Place>,
    /// Nodes whose value cannot be bounded before everything they depend on is known.
    opaque: FxHashSet<ExprId>,
    /// Where the empty relation begins, once it has been asked for.
    nothing: Option<usize>,
    /// Where only some of the events are looked at: what must be evaluated among all of them.
    whole: Option<Whole<'a>>,
    /// What is known of single threads from other worlds.
    remembered: Option<Arc<Remembered>>,
}

/// The evaluation among all events that one among some of them falls back on.
struct Whole<'a> {
    narrow: Arc<Narrow>,
    model: &'a Model,
    universe: &'a dyn Universe,
    bounds: Option<Box<Bounds<'a>>>,
}

impl<'a> Whole<'a> {
    fn bounds(&mut self) -> &mut Bounds<'a> {
        self.bounds.get_or_insert_with(|| Box::new(Bounds::new(self.model, self.universe)))
    }
}

impl<'a> Bounds<'a> {
    /// An evaluation over the events of `universe`.
    pub fn new(model: &'a Model, universe: &'a dyn Universe) -> Bounds<'a> {
        let shape = Shape::new(universe.n_events());
        Bounds {
            pool: &model.pool,
            universe,
            shape,
            visible: universe.visible(),
            words: Buffer::with_capacity((shape.rel() * model.pool.len()).min(1 << 14)),
            cells: vec![Cell::Open; model.pool.len()],
            others: Vec::new(),
            round_of: Vec::new(),
            round: 1,
            variables: FxHashMap::default(),
            opaque: FxHashSet::default(),
            nothing: None,
            whole: None,
            remembered: None,
        }
    }

    /// Likewise, with what is known of single threads, where that is of use.
    pub fn remembering(self, apart: &Arc<Apart>) -> Bounds<'a> {
        let remembered = self.universe.groups().map(|groups| Arc::new(apart.recall(groups)));
        Bounds { remembered, ..self }
    }

    /// An evaluation over the first events of `all`, those of `universe`; `narrow` says what must be evaluated over all of them.
    pub fn narrowed(
        model: &'a Model,
        universe: &'a dyn Universe,
        all: &'a dyn Universe,
        narrow: Arc<Narrow>,
    ) -> Bounds<'a> {
        let whole = Whole { narrow, model, universe: all, bounds: None };
        Bounds { whole: Some(whole), ..Bounds::new(model, universe) }
    }

    /// Is the value of an expression put together from what is known of single threads?
    #[cfg(test)]
    pub fn remembers(&self, id: ExprId) -> bool {
        self.remembered.as_ref().is_some_and(|remembered| remembered.kept(id).is_some())
    }

    /// Which expressions are evaluated over some of the events, where not all are.
    pub fn narrow(&self) -> Option<&Narrow> {
        self.whole.as_ref().map(|whole| &*whole.narrow)
    }

    /// The bounds of what a test asks about, with how they lie: among all events, where only these decide it.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub fn eval_test(&mut self, test: &Test) -> Result<(Shape, Rows<'_>), Diagnostic> {
        if self.narrow().is_none_or(|narrow| narrow.decides(test)) {
            return Ok((self.shape, self.eval_rows(test.expr)?));
        }
        match &mut self.whole {
            Some(whole) => whole.bounds().eval_test(test),
            None => Err(Diagnostic::internal("there are no other events")),
        }
    }

    /// Number of events.
    pub fn n_events(&self) -> usize {
        self.shape.n
    }

    /// How the rows of relations lie.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The visible events.
    pub fn visible(&self) -> &Set {
        &self.visible
    }

    /// Gives a dynamic base its bounds.
    pub fn set(&mut self, id: ExprId, bound: &Bound) {
        let must = self.push_val(&bound.must);
        let may = if bound.is_exact() { must } else { self.push_val(&bound.may) };
        self.cells[id.0 as usize] = match (must, may) {
            (Cell::Rows(must), Cell::Rows(may)) => Cell::Rows(Place { must: must.must, may: may.may }),
            (other, _) => other,
        };
    }

    /// Can the node's value not be bounded before everything it depends on is known?
    pub fn is_opaque(&self, id: ExprId) -> bool {
        self.opaque.contains(&id)
    }

    /// Bounds of a set or relation already computed (for nodes inside a recursive definition: at its fixpoint).
    pub fn known(&self, id: ExprId) -> Option<Rows<'_>> {
        match self.cells[id.0 as usize] {
            Cell::Rows(place) => Some(self.rows(place, self.pool.sort(id))),
            Cell::Open | Cell::Other(_) => None,
        }
    }

    /// The bounds of a node that is a set or a relation.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub fn eval_rows(&mut self, id: ExprId) -> Result<Rows<'_>, Diagnostic> {
        let place = self.place(id)?;
        Ok(self.rows(place, self.pool.sort(id)))
    }

    /// The bounds of a node, as values.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub fn eval(&mut self, id: ExprId) -> Result<Bound, Diagnostic> {
        match self.cell(id)? {
            Cell::Other(other) => Ok(Bound::exact(self.others[other].clone())),
            Cell::Rows(place) => {
                let must = Arc::new(self.val(place.must, self.pool.sort(id)));
                let may = if place.is_exact() {
                    must.clone()
                } else {
                    Arc::new(self.val(place.may, self.pool.sort(id)))
                };
                Ok(Bound { must, may })
            }
            Cell::Open => Ok(Bound::exact(self.val_of_nothing(self.pool.sort(id)))),
        }
    }

    /// The value of a node, where its bounds meet.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub fn eval_exact(&mut self, id: ExprId) -> Result<Option<Val>, Diagnostic> {
        Ok(match self.cell(id)? {
            Cell::Rows(place) if place.is_exact() => Some(self.val(place.must, self.pool.sort(id))),
            Cell::Other(other) if !self.opaque.contains(&id) => Some(self.others[other].clone()),
            _ => None,
        })
    }

    /// The lower bound of a relation.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub fn must_rel(&mut self, id: ExprId) -> Result<Option<Rel>, Diagnostic> {
        if self.pool.sort(id) != Sort::Rel {
            return Ok(None);
        }
        let n = self.shape.n;
        Ok(Some(Rel::from_words(n, self.eval_rows(id)?.must)))
    }

    fn rows(&self, place: Place, sort: Sort) -> Rows<'_> {
        let size = self.size(sort);
        Rows {
            must: &self.words[place.must..place.must + size],
            may: &self.words[place.may..place.may + size],
            exact: place.is_exact(),
        }
    }

    fn size(&self, sort: Sort) -> usize {
        if sort == Sort::Set { self.shape.words } else { self.shape.rel() }
    }

    fn val(&self, at: usize, sort: Sort) -> Val {
        let words = &self.words[at..at + self.size(sort)];
        match sort {
            Sort::Set => Val::Set(Set::from_words(self.shape.n, words)),
            _ => Val::Rel(Rel::from_words(self.shape.n, words)),
        }
    }

    fn val_of_nothing(&self, sort: Sort) -> Val {
        match sort {
            Sort::Set => Val::Set(Set::empty(self.shape.n)),
            _ => Val::Rel(Rel::empty(self.shape.n)),
        }
    }

    fn push_val(&mut self, value: &Val) -> Cell {
        let nothing = self.nothing();
        let at = self.words.len();
        match value {
            Val::Set(set) if set.is_empty() => return Cell::Rows(Place::exact(nothing)),
            Val::Rel(rel) if rel.is_empty() => return Cell::Rows(Place::exact(nothing)),
            Val::Set(set) => self.words.extend_from_slice(set.words()),
            Val::Rel(rel) => self.words.extend_from_slice(rel.all_words()),
            Val::Choices(_) | Val::Opaque(_) | Val::Unknown(_) => {
                self.others.push(value.clone());
                return Cell::Other(self.others.len() - 1);
            }
        }
        Cell::Rows(Place::exact(at))
    }

    fn cell(&mut self, id: ExprId) -> Result<Cell, Diagnostic> {
        let index = id.0 as usize;
        let inside = self.pool.mentions_fix_var(id);
        match self.cells[index] {
            Cell::Open => {}
            known if !inside || self.round_of.get(index) == Some(&self.round) => return Ok(known),
            _ => {}
        }
        limits::poll();
        let kept = self.remembered.as_ref().and_then(|remembered| remembered.kept(id));
        let cell = match kept {
            Some(kept) => self.recall(id, kept)?,
            None => self.compute(id)?,
        };
        self.cells[index] = cell;
        if inside {
            if self.round_of.is_empty() {
                self.round_of = vec![0; self.cells.len()];
            }
            self.round_of[index] = self.round;
        }
        Ok(cell)
    }

    /// The value of an expression that is remembered: put together from those of the threads, or computed and noted down.
    fn recall(&mut self, id: ExprId, kept: Kept) -> Result<Cell, Diagnostic> {
        let (shape, sort) = (self.shape, self.pool.sort(id));
        let Some(remembered) = self.remembered.clone() else { return self.compute(id) };
        match remembered.has_any(kept) {
            Some(false) => Ok(Cell::Rows(Place::exact(self.nothing()))),
            Some(true) => {
                let at = self.make(sort, |_, out| remembered.put(kept, sort, shape, out));
                debug_assert!({
                    let again = self.compute(id)?;
                    let size = self.size(sort);
                    matches!(again, Cell::Rows(place) if place.is_exact()
                        && self.words[place.must..place.must + size] == self.words[at..at + size])
                });
                Ok(Cell::Rows(Place::exact(at)))
            }
            None => {
                let cell = self.compute(id)?;
                if let Cell::Rows(place) = cell
                    && place.is_exact()
                {
                    remembered.note(kept, sort, shape, self.rows(place, sort).must);
                }
                Ok(cell)
            }
        }
    }

    fn place(&mut self, id: ExprId) -> Result<Place, Diagnostic> {
        match self.cell(id)? {
            Cell::Rows(place) => Ok(place),
            // Lowering checks sorts; an ill-sorted node cannot be built.
            Cell::Open | Cell::Other(_) => Ok(Place::exact(self.nothing())),
        }
    }

    fn nothing(&mut self) -> usize {
        let size = self.shape.rel().max(self.shape.words);
        *self.nothing.get_or_insert_with(|| {
            let at = self.words.len();
            self.words.resize(at + size, 0);
            at
        })
    }

    /// Nothing is known of the value but its sort.
    fn opaque(&mut self, id: ExprId) -> Cell {
        self.opaque.insert(id);
        let sort = self.pool.sort(id);
        let must = self.nothing();
        let full = match sort {
            Sort::Set => Val::Set(Set::full(self.shape.n)),
            _ => Val::Rel(Rel::full(self.shape.n)),
        };
        match self.push_val(&full) {
            Cell::Rows(may) => Cell::Rows(Place { must, may: may.may }),
            other => other,
        }
    }

    /// Makes a new value: `f` is given the words before it and a place filled with zeros.
    fn make(&mut self, sort: Sort, f: impl FnOnce(&[u64], &mut [u64])) -> usize {
        let at = self.words.len();
        let size = self.size(sort);
        self.words.resize(at + size, 0);
        let (before, out) = self.words.split_at_mut(at);
        f(before, out);
        at
    }

    /// Is a value known to be empty, and kept as such? Most of a model is: the fences that a test does not have, the accesses
    /// of another kind.
    fn is_nothing(&self, place: Place) -> bool {
        place.is_exact() && self.nothing == Some(place.may)
    }

    /// Need an operand that does not matter not be evaluated? What may be in error must be. Inside a recursion it may matter in a later
    /// round, which leaves no values behind but those of the variables.
    fn can_wait(&self, id: ExprId, operand: ExprId) -> bool {
        !self.pool.node(id).recursive && !self.pool.node(operand).fallible
    }

    /// Makes both bounds of a new value, one if the operands are exact; drops the second where it equals the first, and both
    /// where they are empty.
    fn make_bounds(&mut self, sort: Sort, exact: bool, f: impl Fn(&[u64], &mut [u64], Side)) -> Place {
        let nothing = self.nothing();
        let must = self.make(sort, |before, out| f(before, out, Side::Must));
        if exact {
            if self.words[must..].iter().all(|word| *word == 0) {
                self.words.truncate(must);
                return Place::exact(nothing);
            }
            return Place::exact(must);
        }
        let may = self.make(sort, |before, out| f(before, out, Side::May));
        if self.words[may..].iter().all(|word| *word == 0) {
            self.words.truncate(must);
            return Place::exact(nothing);
        }
        if self.words[must..may] == self.words[may..] {
            self.words.truncate(may);
            return Place::exact(must);
        }
        Place { must, may }
    }

    fn map(
        &mut self,
        sort: Sort,
        (a, size): (ExprId, usize),
        f: impl Fn(&[u64], &mut [u64]),
    ) -> Result<Cell, Diagnostic> {
        let a = self.place(a)?;
        Ok(Cell::Rows(self.make_bounds(sort, a.is_exact(), |before, out, side| {
            let at = side.of(a);
            f(&before[at..at + size], out);
        })))
    }

    /// Likewise, of an operator that makes nothing of nothing.
    fn strict(
        &mut self,
        sort: Sort,
        (a, size): (ExprId, usize),
        f: impl Fn(&[u64], &mut [u64]),
    ) -> Result<Cell, Diagnostic> {
        let place = self.place(a)?;
        if self.is_nothing(place) { Ok(Cell::Rows(place)) } else { self.map(sort, (a, size), f) }
    }

    /// An operator that makes nothing of nothing on either side.
    fn map2(
        &mut self,
        id: ExprId,
        (a, b, size): (ExprId, ExprId, usize),
        f: impl Fn(&[u64], &[u64], &mut [u64]),
    ) -> Result<Cell, Diagnostic> {
        let sort = self.pool.sort(id);
        let a = self.place(a)?;
        if self.is_nothing(a) && self.can_wait(id, b) {
            return Ok(Cell::Rows(a));
        }
        let b = self.place(b)?;
        if let Some(nothing) = [a, b].into_iter().find(|place| self.is_nothing(*place)) {
            return Ok(Cell::Rows(nothing));
        }
        Ok(Cell::Rows(self.make_bounds(sort, a.is_exact() && b.is_exact(), |before, out, side| {
            let (a, b) = (side.of(a), side.of(b));
            f(&before[a..a + size], &before[b..b + size], out);
        })))
    }

    fn compute(&mut self, id: ExprId) -> Result<Cell, Diagnostic> {
        let pool = self.pool;
        let shape = self.shape;
        let sort = pool.sort(id);
        let (rel, set) = (self.size(Sort::Rel), self.size(Sort::Set));
        if self.whole.as_ref().is_some_and(|whole| whole.narrow.is_whole(id)) {
            return self.cut_down(id);
        }
        match pool.expr(id) {
            Expr::Base(base, _) if self.universe.lacks(base) => Ok(Cell::Rows(Place::exact(self.nothing()))),
            Expr::Base(base, _) => match self.universe.base(base) {
                Some(value) => Ok(self.push_val(&value)),
                None => match base {
                    // Nobody carries the name.
                    Base::Named(_) => Ok(Cell::Rows(Place::exact(self.nothing()))),
                    _ => Err(no_value(base)),
                },
            },
            // Choices are given their bounds when their `with` is met; before that nothing is known.
            Expr::Choice(..) => Ok(self.opaque(id)),
            Expr::FixVar(fix, index, _) => {
                let nothing = self.nothing();
                let now = self.variables.get(&(*fix, *index)).copied();
                Ok(Cell::Rows(now.unwrap_or(Place::exact(nothing))))
            }
            Expr::Fix(fix, index, _) => self.fixpoint(id, *fix, *index),
            Expr::Empty(_) => Ok(Cell::Rows(Place::exact(self.nothing()))),
            Expr::Universe(_) => Ok(Cell::Rows(Place::exact(self.universe_of(sort)))),
            Expr::Id => {
                let visible = self.visible.clone();
                let at = self.make(Sort::Rel, |_, out| shape.add_identity(out, visible.words()));
                Ok(Cell::Rows(Place::exact(at)))
            }
            Expr::Union(children) => {
                let mut places: SmallVec<[Place; 8]> = SmallVec::new();
                for child in children {
                    let place = self.place(*child)?;
                    if !self.is_nothing(place) {
                        places.push(place);
                    }
                }
                match places[..] {
                    [] => return Ok(Cell::Rows(Place::exact(self.nothing()))),
                    [only] => return Ok(Cell::Rows(only)),
                    _ => {}
                }
                let exact = places.iter().all(|place| place.is_exact());
                let size = self.size(sort);
                Ok(Cell::Rows(self.make_bounds(sort, exact, |before, out, side| {
                    for place in &places {
                        let at = side.of(*place);
                        out.iter_mut().zip(&before[at..at + size]).for_each(|(a, b)| *a |= b);
                    }
                })))
            }
            Expr::Seq(children) => self.sequence(id, children),
            Expr::Inter(a, b) => self.map2(id, (*a, *b, self.size(sort)), |a, b, out| {
                out.iter_mut().zip(a.iter().zip(b)).for_each(|(out, (a, b))| *out = a & b);
            }),
            Expr::Product(a, b) => self.map2(id, (*a, *b, set), |a, b, out| shape.product(out, a, b)),
            Expr::Diff(a, b) => {
                let a = self.place(*a)?;
                if self.is_nothing(a) && self.can_wait(id, *b) {
                    return Ok(Cell::Rows(a));
                }
                let b = self.place(*b)?;
                let same = self.is_nothing(a) || self.is_nothing(b);
                Ok(Cell::Rows(if same { a } else { self.difference(sort, a, b) }))
            }
            Expr::Compl(a) => {
                let a = self.place(*a)?;
                let all = Place::exact(self.universe_of(sort));
                Ok(Cell::Rows(self.difference(sort, all, a)))
            }
            Expr::Inverse(a) => self.strict(sort, (*a, rel), |a, out| shape.inverse(out, a)),
            Expr::ToId(a) => self.strict(sort, (*a, set), |a, out| shape.add_identity(out, a)),
            Expr::Domain(a) => self.strict(sort, (*a, rel), |a, out| shape.add_domain(out, a)),
            Expr::Range(a) => self.strict(sort, (*a, rel), |a, out| shape.add_range(out, a)),
            Expr::Opt(a) => {
                let visible = self.visible.clone();
                self.map(sort, (*a, rel), |a, out| {
                    out.copy_from_slice(a);
                    shape.add_identity(out, visible.words());
                })
            }
            Expr::Plus(a) => self.strict(sort, (*a, rel), |a, out| {
                out.copy_from_slice(a);
                shape.close(out);
            }),
            Expr::Star(a) => {
                let visible = self.visible.clone();
                self.map(sort, (*a, rel), |a, out| {
                    out.copy_from_slice(a);
                    shape.close(out);
                    shape.add_identity(out, visible.words());
                })
            }
            Expr::ByValues(test, a) => {
                let a = self.place(*a)?;
                if self.is_nothing(a) {
                    return Ok(Cell::Rows(a));
                }
                // Each pair is asked about once, for both bounds.
                let (mut sure, mut open) = (vec![0; rel], vec![0; rel]);
                for (row, words) in self.words[a.may..a.may + rel].chunks_exact(shape.words).enumerate() {
                    for column in bits(words) {
                        match self.universe.test_values(*test, row, column) {
                            Some(true) => shape.put(&mut sure, row, column),
                            None => shape.put(&mut open, row, column),
                            Some(false) => {}
                        }
                    }
                }
                Ok(Cell::Rows(self.make_bounds(sort, false, |before, out, side| {
                    let at = side.of(a);
                    let fits = sure.iter().zip(&open).map(|(sure, open)| match side {
                        Side::Must => *sure,
                        Side::May => sure | open,
                    });
                    out.iter_mut()
                        .zip(before[at..at + rel].iter().zip(fits))
                        .for_each(|(out, (a, b))| *out = a & b);
                })))
            }
            Expr::Interp(interp, _) => {
                let interp = pool.interp(*interp);
                let mut values = Vec::with_capacity(interp.inputs.len());
                for input in &interp.inputs {
                    match self.eval_exact(*input)? {
                        Some(value) => values.push(value),
                        None => return Ok(self.opaque(id)),
                    }
                }
                let value = interp.function.eval(&values, self.universe)?;
                Ok(self.push_val(&value))
            }
        }
    }

    /// A value computed among all events, cut down to those that are looked at here.
    fn cut_down(&mut self, id: ExprId) -> Result<Cell, Diagnostic> {
        let (sort, shape) = (self.pool.sort(id), self.shape);
        let Some(mut whole) = self.whole.take() else { return Ok(self.opaque(id)) };
        let all = whole.bounds();
        let from = all.shape;
        let place = all.eval_rows(id).map(|rows| {
            let copied = |value: &[u64], out: &mut [u64]| {
                let rows =
                    value.chunks_exact(from.words.max(1)).zip(out.chunks_exact_mut(shape.words.max(1)));
                rows.for_each(|(value, out)| shape.copy_row(out, value));
            };
            self.make_bounds(sort, rows.exact, |_, out, side| match side {
                Side::Must => copied(rows.must, out),
                Side::May => copied(rows.may, out),
            })
        });
        self.whole = Some(whole);
        Ok(Cell::Rows(place?))
    }

    /// All visible events, or all pairs of them.
    fn universe_of(&mut self, sort: Sort) -> usize {
        let (visible, shape) = (self.visible.clone(), self.shape);
        self.make(sort, |_, out| match sort {
            Sort::Set => out.copy_from_slice(visible.words()),
            _ => shape.product(out, visible.words(), visible.words()),
        })
    }

    fn difference(&mut self, sort: Sort, a: Place, b: Place) -> Place {
        let size = self.size(sort);
        self.make_bounds(sort, a.is_exact() && b.is_exact(), |before, out, side| {
            let (a, b) = (side.of(a), side.other().of(b));
            let pairs = before[a..a + size].iter().zip(&before[b..b + size]);
            out.iter_mut().zip(pairs).for_each(|(out, (a, b))| *out = a & !b);
        })
    }

    fn sequence(&mut self, id: ExprId, children: &[ExprId]) -> Result<Cell, Diagnostic> {
        let size = self.size(Sort::Rel);
        let shape = self.shape;
        let mut result = self.place(children[0])?;
        // Sets that the test has nothing of decide most of them, wherever they stand.
        for child in &children[1..] {
            if matches!(self.pool.expr(*child), Expr::ToId(_)) && !self.is_nothing(result) {
                let filter = self.place(*child)?;
                result = if self.is_nothing(filter) { filter } else { result };
            }
        }
        for child in &children[1..] {
            if self.is_nothing(result) && self.can_wait(id, *child) {
                continue;
            }
            let next = self.place(*child)?;
            if self.is_nothing(result) {
                continue;
            }
            if self.is_nothing(next) {
                result = next;
                continue;
            }
            result =
                self.make_bounds(Sort::Rel, result.is_exact() && next.is_exact(), |before, out, side| {
                    let (a, b) = (side.of(result), side.of(next));
                    shape.seq(out, &before[a..a + size], &before[b..b + size]);
                });
        }
        Ok(Cell::Rows(result))
    }
}

/// A lower or an upper bound.
#[derive(Clone, Copy)]
enum Side {
    Must,
    May,
}

impl Side {
    fn of(self, place: Place) -> usize {
        match self {
            Side::Must => place.must,
            Side::May => place.may,
        }
    }

    fn other(self) -> Side {
        match self {
            Side::Must => Side::May,
            Side::May => Side::Must,
        }
    }
}
