//! What a model says of single threads, remembered from world to world.
//!
//! Program order, dependencies, fences and all that is made of them relate events of one thread, and hang on nothing but this thread. Worlds of one test, and
//! tests of one family, put the same threads together again and again. An [`Apart`] says which expressions of a model are of that kind, and keeps their
//! values for each [`Group`] of events that it has seen.

use std::sync::{Arc, Mutex, PoisonError, RwLock};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::{Base, Expr, ExprId, FixId, Model, Pool, Sort, Step};
use crate::relation::flat::{Shape, bits};

/// More groups than this are forgotten, all at once.
const MOST: usize = 1024;

/// Groups of more events than this are not remembered: a row is one word.
pub const LARGEST: usize = 64;

/// Events that belong together: those of one thread, or those of none.
#[derive(Clone, Debug)]
pub struct Group {
    /// All that predefined sets and relations can say of them among themselves: groups with the same key are alike in order.
    pub key: Vec<u64>,
    /// Those that are looked at, in increasing order; at most [`LARGEST`].
    pub members: Vec<u32>,
}

/// What is certain of the value of an expression, whatever the events are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Scope {
    /// Nothing.
    Any,
    /// Its pairs inside one group follow from that group; so do the members of a set.
    Local,
    /// Likewise, and all of its pairs are inside one group.
    Inside,
}

/// The values of expressions in groups, for all models that share them: those of one file under several variants are alike but for a few expressions.
#[derive(Clone, Default, Debug)]
pub struct Shared(Arc<Mutex<Store>>);

#[derive(Default, Debug)]
struct Store {
    /// Expressions over the numbers of others.
    numbers: FxHashMap<Expr, ExprId>,
    n_numbers: u32,
    /// Where the values of an expression are kept.
    slots: FxHashMap<ExprId, u32>,
    groups: FxHashMap<Vec<u64>, Arc<Known>>,
}

/// The values in one group, by slot: a row for each member, or one for a set; no row at all if there is nothing.
type Known = RwLock<Vec<Option<Box<[u64]>>>>;

impl Store {
    /// The number that stands for an expression, in whichever model it is.
    fn number(&mut self, pool: &Pool, id: ExprId, known: &mut FxHashMap<ExprId, ExprId>) -> ExprId {
        if let Some(number) = known.get(&id) {
            return *number;
        }
        let closed = match pool.expr(id) {
            Expr::Fix(fix, ..) => pool.closure_of(*fix),
            _ => None,
        };
        let expr = match (pool.expr(id), closed) {
            (_, Some(parts)) => {
                let mut parts: Vec<ExprId> =
                    parts.iter().map(|part| self.number(pool, *part, known)).collect();
                parts.sort_unstable();
                let all = self.intern(Expr::Union(parts));
                Some(Expr::Plus(all))
            }
            // What such a definition is has no name outside of its model.
            (Expr::Fix(..) | Expr::FixVar(..) | Expr::Interp(..), None) => None,
            (other, None) => {
                let mut expr = other.with_operands(|operand| self.number(pool, operand, known));
                match &mut expr {
                    Expr::Union(parts) => parts.sort_unstable(),
                    Expr::Inter(a, b) => (*a, *b) = ((*a).min(*b), (*a).max(*b)),
                    _ => {}
                }
                Some(expr)
            }
        };
        let number = match expr {
            Some(expr) => self.intern(expr),
            None => self.fresh(),
        };
        known.insert(id, number);
        number
    }

    fn intern(&mut self, expr: Expr) -> ExprId {
        if let Some(number) = self.numbers.get(&expr) {
            return *number;
        }
        let number = self.fresh();
        self.numbers.insert(expr, number);
        number
    }

    fn fresh(&mut self) -> ExprId {
        self.n_numbers += 1;
        ExprId(self.n_numbers - 1)
    }
}

/// Which expressions of a model are remembered.
#[derive(Debug)]
pub struct Apart {
    /// By node.
    slots: Vec<Option<u32>>,
    shared: Shared,
}

impl Apart {
    /// Looks at a model.
    pub fn new(model: &Model) -> Apart {
        let pool = &model.pool;
        let scopes = scopes(pool);
        let mut kept = vec![false; pool.len()];
        let mut keep = |id: ExprId| kept[id.0 as usize] = is_kept(pool, &scopes, id);
        for step in &model.steps {
            match step {
                Step::Check { test, .. } => keep(test.normalised(pool).expr),
                Step::With { from, .. } => keep(*from),
                Step::Fail { .. } => {}
            }
        }
        // What goes into others that are kept is not asked for by itself.
        for id in (0..pool.len()).map(|id| ExprId(id as u32)) {
            if matches!(pool.expr(id), Expr::Fix(..)) || !is_kept(pool, &scopes, id) {
                pool.parts(id).for_each(&mut keep);
            }
        }
        let mut store = model.shared.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known = FxHashMap::default();
        let slot = |(id, _): (usize, &bool)| {
            let number = store.number(pool, ExprId(id as u32), &mut known);
            let next = store.slots.len() as u32;
            (id, *store.slots.entry(number).or_insert(next))
        };
        let found: Vec<(usize, u32)> = kept.iter().enumerate().filter(|(_, kept)| **kept).map(slot).collect();
        let mut slots = vec![None; pool.len()];
        found.into_iter().for_each(|(id, slot)| slots[id] = Some(slot));
        Apart { slots, shared: model.shared.clone() }
    }

    /// What is known of these groups.
    pub fn recall(self: &Arc<Apart>, groups: Vec<Group>) -> Remembered {
        let mut store = self.shared.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of = |Group { key, members }| {
            if store.groups.len() >= MOST {
                store.groups.clear();
            }
            (members, Arc::clone(store.groups.entry(key).or_default()))
        };
        let groups = groups.into_iter().map(of).collect();
        Remembered { apart: Arc::clone(self), groups }
    }
}

/// What is remembered of the groups of one world.
#[derive(Debug)]
pub struct Remembered {
    apart: Arc<Apart>,
    groups: SmallVec<[(Vec<u32>, Arc<Known>); 4]>,
}

/// The place of an expression among those remembered.
#[derive(Clone, Copy, Debug)]
pub struct Kept(usize);

impl Remembered {
    /// Is the value of this expression remembered?
    pub fn kept(&self, id: ExprId) -> Option<Kept> {
        self.apart.slots[id.0 as usize].map(|slot| Kept(slot as usize))
    }

    /// Does any group have something there? `None`: the values are not known of all groups.
    pub fn has_any(&self, Kept(slot): Kept) -> Option<bool> {
        let mut any = false;
        for (_, known) in &self.groups {
            let known = known.read().unwrap_or_else(PoisonError::into_inner);
            any |= !known.get(slot)?.as_ref()?.is_empty();
        }
        Some(any)
    }

    /// Adds what is remembered to an empty value.
    pub fn put(&self, Kept(slot): Kept, sort: Sort, shape: Shape, out: &mut [u64]) {
        for (members, known) in &self.groups {
            let known = known.read().unwrap_or_else(PoisonError::into_inner);
            let Some(Some(rows)) = known.get(slot) else { continue };
            let world = |local: usize| members[local] as usize;
            if sort == Sort::Set {
                bits(rows).map(world).for_each(|event| out[event / 64] |= 1 << (event % 64));
                continue;
            }
            for (from, row) in rows.iter().enumerate().filter(|(_, row)| **row != 0) {
                bits(std::slice::from_ref(row)).for_each(|to| shape.put(out, world(from), world(to)));
            }
        }
    }

    /// Remembers a value that was found otherwise.
    pub fn note(&self, Kept(slot): Kept, sort: Sort, shape: Shape, value: &[u64]) {
        for (members, known) in &self.groups {
            let mut known = known.write().unwrap_or_else(PoisonError::into_inner);
            if known.len() <= slot {
                known.resize(slot + 1, None);
            }
            if known[slot].is_some() {
                continue;
            }
            let has = |row: &[u64], to: u32| row[to as usize / 64] >> (to % 64) & 1;
            // Most rows are empty.
            let local = |row: &[u64]| match row.iter().all(|word| *word == 0) {
                true => 0,
                false => members.iter().rev().fold(0, |all, to| all << 1 | has(row, *to)),
            };
            let row = |from: &u32| local(&value[*from as usize * shape.words..][..shape.words]);
            let rows: SmallVec<[u64; LARGEST]> = match sort {
                Sort::Set => std::iter::once(local(value)).collect(),
                _ => members.iter().map(row).collect(),
            };
            let nothing = rows.iter().all(|row| *row == 0);
            known[slot] = Some(if nothing { Box::default() } else { Box::from(&rows[..]) });
        }
    }
}

fn is_kept(pool: &Pool, scopes: &[Scope], id: ExprId) -> bool {
    let scope = scopes[id.0 as usize];
    let plain = !matches!(pool.expr(id), Expr::Empty(_) | Expr::Universe(_) | Expr::Id);
    let enough = if pool.sort(id) == Sort::Set { Scope::Local } else { Scope::Inside };
    plain && scope >= enough && !pool.mentions_fix_var(id)
}

/// The scopes of every node.
fn scopes(pool: &Pool) -> Vec<Scope> {
    pool.certain(Scope::Inside, Scope::min, |id, scopes, of_variables| {
        scope_of(pool, id, scopes, of_variables)
    })
}

fn scope_of(
    pool: &Pool,
    id: ExprId,
    scopes: &[Scope],
    of_variables: &FxHashMap<(FixId, u32), Scope>,
) -> Scope {
    let of = |id: &ExprId| scopes[id.0 as usize];
    let inside = |id: &ExprId| of(id) == Scope::Inside;
    let if_inside = |id: &ExprId, then: Scope| if inside(id) { then } else { Scope::Any };
    match pool.expr(id) {
        Expr::Base(base, sort) => scope_of_base(base, *sort),
        Expr::Empty(_) | Expr::Id => Scope::Inside,
        Expr::Universe(_) => Scope::Local,
        Expr::Choice(..) | Expr::ByValues(..) | Expr::Interp(..) => Scope::Any,
        Expr::FixVar(fix, index, _) => of_variables.get(&(*fix, *index)).copied().unwrap_or(Scope::Inside),
        Expr::Fix(fix, index, _) => {
            // One that may fail, or hangs on the rounds that it is computed in, is not to be skipped.
            let group = pool.fix(*fix);
            let simple = group.when.is_none() && pool.fix_is_monotone(*fix);
            let supposed = || of_variables.get(&(*fix, *index)).copied().unwrap_or(Scope::Inside);
            let all = |scope: Scope, position: usize| {
                scope.min(of_variables.get(&(*fix, position as u32)).copied().unwrap_or(Scope::Inside))
            };
            let least = (0..group.bodies.len()).fold(Scope::Inside, all);
            if simple && least > Scope::Any { supposed() } else { Scope::Any }
        }
        Expr::Union(parts) => parts.iter().map(of).min().unwrap_or(Scope::Inside),
        Expr::Inter(a, b) => {
            if of(a).min(of(b)) == Scope::Any {
                Scope::Any
            } else {
                of(a).max(of(b))
            }
        }
        Expr::Diff(a, b) => {
            if of(b) == Scope::Any {
                Scope::Any
            } else {
                of(a)
            }
        }
        Expr::Compl(a) => of(a).min(Scope::Local),
        // What comes back to a group has left it, unless all steps but one stay inside.
        Expr::Seq(parts) => match parts.iter().filter(|part| !inside(part)).count() {
            0 => Scope::Inside,
            1 => parts.iter().map(of).min().unwrap_or(Scope::Any),
            _ => Scope::Any,
        },
        Expr::Inverse(a) => of(a),
        Expr::Product(a, b) => of(a).min(of(b)).min(Scope::Local),
        Expr::ToId(a) => {
            if of(a) == Scope::Any {
                Scope::Any
            } else {
                Scope::Inside
            }
        }
        Expr::Domain(a) | Expr::Range(a) => if_inside(a, Scope::Local),
        Expr::Opt(a) => of(a),
        Expr::Plus(a) | Expr::Star(a) => if_inside(a, Scope::Inside),
    }
}

/// Every name is in this list: a new one is of some kind, too. What is not [`Scope::Any`] must follow from a [`Group`]'s key.
#[rustfmt::skip]
fn scope_of_base(base: &Base, sort: Sort) -> Scope {
    use Base::*;
    match base {
        // The search decides them; or they hang on values, which other threads may write; or they say what threads have to do with each other.
        Rf | Fw | Pco | PteToPa | RestrictedCmodx | NextLevel => Scope::Any,
        Named(_) => if sort == Sort::Set { Scope::Local } else { Scope::Any },
        Loc | Ext | SameLowOrderBits | InvDomain => Scope::Local,
        M | R | W | Iw | Exp | NExp | Spec | Exec | Spurious | F | B | Bcc | Pred | RegReads | RegWrites | AddrReads | DataReads
        | InstrAccesses => Scope::Local,
        Id | Po | Int | Addr | Data | Ctrl | Depend | Control | Success | Tst | IicoData | IicoCtrl | IicoOrder | RfReg
        | SameInstance | SameInstr | SameStatic | Si | Sm | Aligned | PartialPo | EquivSpec | Instr | Alias => Scope::Inside,
    }
}
