//! The first levels of a search, which every worker walks by itself.
//!
//! What hangs below them is cut into parts, in the same order for all: whoever comes to a part first does it, the others go on. So no worker needs anything that
//! another one made. (Graphs that are handed over share the places that threads are at, and counting who holds these is then slow for both.)

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use super::finish::{Ended, Execution, Found};
use super::graph::Graph;
use super::search::Search;
use super::workers::Shared;
use super::{Setting, Stats, Visitor};
use crate::diag::Diagnostic;

/// So many parts for each worker are enough: they differ in size.
const PARTS: u64 = 64;

/// The first depth that is tried.
const SHALLOW: usize = 4;

/// How many looks at the limits (of a thousand steps each, fewer where graphs are large) the walk of the first levels may take.
const LOOKS: usize = 3;

/// How the first levels are shared.
pub(super) struct Levels {
    /// How many they are.
    depth: usize,
    /// Parts that have been taken: all up to this number.
    taken: AtomicU64,
}

impl Levels {
    fn new(depth: usize, taken: u64) -> Levels {
        Levels { depth, taken: AtomicU64::new(taken) }
    }
}

/// Where a worker is in the first levels.
pub(super) struct Top<'s> {
    levels: &'s Levels,
    /// Parts that it has come to.
    met: u64,
    /// Those of them that are subtrees, and not an execution that ended before.
    deep: u64,
    /// Figures of the parts that it has done; those of the first levels are counted by one worker only.
    figures: Stats,
}

impl<'s> Top<'s> {
    pub fn new(levels: &'s Levels, figures: Stats) -> Top<'s> {
        Top { levels, met: 0, deep: 0, figures }
    }

    /// Takes the part at hand, if nobody has it. Everyone comes to all parts in order, so all before one that is taken are taken.
    fn takes(&mut self) -> bool {
        let number = self.met;
        self.met += 1;
        self.levels.taken.fetch_max(number + 1, Ordering::Relaxed) <= number
    }
}

impl<'p, const W: usize> Search<'_, 'p, W> {
    /// Everything that can come of a graph that is consistent, one level below the one at hand: by someone else, if someone has nothing to do.
    pub fn visit(&mut self, graph: &mut Graph<'p, W>) -> ControlFlow<()> {
        self.depth += 1;
        let flow = match &mut self.top {
            Some(top) if self.depth < top.levels.depth => self.explore(graph),
            Some(top) => {
                top.deep += 1;
                self.part(|search| search.explore(graph))
            }
            None if self.shared.give(graph, self.code, self.ended_at) => ControlFlow::Continue(()),
            None => self.explore(graph),
        };
        self.depth -= 1;
        flow
    }

    /// Does what hangs below the first levels, or ends there, unless another worker does it.
    pub fn part(&mut self, work: impl FnOnce(&mut Self) -> ControlFlow<()>) -> ControlFlow<()> {
        let Some(mut top) = self.top.take() else { return work(self) };
        let mut flow = ControlFlow::Continue(());
        if top.takes() {
            std::mem::swap(&mut self.stats, &mut top.figures);
            flow = work(self);
            std::mem::swap(&mut self.stats, &mut top.figures);
        }
        self.top = Some(top);
        flow
    }

    /// Walks the first levels, does the parts that nobody has, and then what others give away. Its figures: those of the first levels only if it is to `count` them.
    pub fn work_from(mut self, first: &mut Graph<'p, W>, count: bool) -> Stats {
        if self.explore(first).is_break() {
            self.shared.stop();
        }
        let Some(top) = self.top.take() else { return self.work() };
        let mut figures = top.figures;
        if count {
            figures.add(&self.stats);
        }
        self.stats = figures;
        self.work()
    }
}

/// How a search is to be shared.
pub(super) enum Sharing {
    /// It is so small that one worker is enough.
    Small,
    /// Its first levels are walked by all.
    ByLevels(Levels),
    /// It is too broad even for a few levels.
    ByGraphs,
}

impl Setting<'_, '_> {
    /// How several workers are to share a search: by so many levels that there are parts enough, but not more than are soon walked.
    pub fn sharing<const W: usize>(&self, workers: usize) -> Sharing {
        let mut known = Sharing::ByGraphs;
        let mut depth = SHALLOW;
        loop {
            // All parts are taken: nobody does them.
            let levels = Levels::new(depth, u64::MAX);
            let mut passer = Passer { looks: LOOKS * W };
            let shared = Shared::new(1, None);
            let mut search = self.search::<W>(&mut passer, &shared);
            search.top = Some(Top::new(&levels, Stats::default()));
            if search.explore(&mut self.first::<W>()).is_break() {
                return known;
            }
            let (met, deep) = search.top.as_ref().map_or((0, 0), |top| (top.met, top.deep));
            if deep == 0 {
                return Sharing::Small;
            }
            known = Sharing::ByLevels(Levels::new(depth, 0));
            if met >= PARTS * workers as u64 {
                return known;
            }
            depth += depth.div_ceil(2);
        }
    }
}

/// Goes past, and stops when it has taken too long.
struct Passer {
    looks: usize,
}

impl Visitor for Passer {
    fn execution(&mut self, _: Ended, _: &Found, _: &dyn Execution) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn look(&mut self) -> ControlFlow<()> {
        self.looks = self.looks.saturating_sub(1);
        if self.looks == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn fail(&mut self, _: Diagnostic) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
}
