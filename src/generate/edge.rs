//! The edges of a cycle, and the accesses that they connect.

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Dir {
    /// It writes.
    W,
    /// It reads.
    R,
}

impl Dir {
    /// As edges write it.
    pub fn letter(self) -> char {
        match self {
            Dir::W => 'W',
            Dir::R => 'R',
        }
    }
}

/// Communication through a location.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Com {
    /// A read sees a write.
    Rf,
    /// A read sees something older than a write.
    Fr,
    /// A write comes before another.
    Co,
}

impl Com {
    /// All of them.
    pub const ALL: [Com; 3] = [Com::Rf, Com::Fr, Com::Co];

    /// What it connects.
    pub fn ends(self) -> (Dir, Dir) {
        match self {
            Com::Rf => (Dir::W, Dir::R),
            Com::Fr => (Dir::R, Dir::W),
            Com::Co => (Dir::W, Dir::W),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Com::Rf => "Rf",
            Com::Fr => "Fr",
            Com::Co => "Co",
        }
    }
}

/// What stands between two accesses of a thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum How {
    /// Nothing.
    Plain,
    /// A fence, by its place in the list of its dialect; the first one is a full fence.
    Fence(u8),
    /// The second one's address is computed from what the first read.
    Addr,
    /// Its value is.
    Data,
    /// A branch on what the first read stands between.
    Ctrl,
    /// Likewise, and the fence that makes reads wait for branches.
    CtrlFence,
}

/// An edge of a cycle.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Edge {
    /// Communication with another thread.
    External(Com),
    /// Communication inside a thread, forward in program order.
    Internal(Com),
    /// The read and the write of an atomic instruction.
    Rmw,
    /// A read that reserves its location, and a write that succeeds if nobody has written there since.
    LxSx,
    /// Backwards, from the write of either to its read: what the cycle asks for comes between the two.
    Torn {
        /// Is it a pair that reserves?
        pair: bool,
    },
    /// Program order.
    Po {
        /// What stands between.
        how: How,
        /// Do both go to one location?
        same: bool,
        /// The first access.
        from: Dir,
        /// The second.
        to: Dir,
    },
}

impl Edge {
    /// What it connects.
    pub fn ends(self) -> (Dir, Dir) {
        match self {
            Edge::External(com) | Edge::Internal(com) => com.ends(),
            Edge::Rmw | Edge::LxSx => (Dir::R, Dir::W),
            Edge::Torn { .. } => (Dir::W, Dir::R),
            Edge::Po { from, to, .. } => (from, to),
        }
    }

    /// Does it lead to another thread?
    pub fn external(self) -> bool {
        matches!(self, Edge::External(_))
    }

    /// Does it lead to another location?
    pub fn moves(self) -> bool {
        matches!(self, Edge::Po { same: false, .. })
    }

    /// Does what it connects communicate?
    pub fn com(self) -> Option<Com> {
        match self {
            Edge::External(com) | Edge::Internal(com) => Some(com),
            _ => None,
        }
    }

    /// Does it make one access of two?
    pub fn is_atomic(self) -> bool {
        matches!(self, Edge::Rmw | Edge::LxSx)
    }

    /// What it costs a reader to look at: nothing, where it is plain.
    pub fn cost(self) -> usize {
        match self {
            Edge::External(_) | Edge::Po { how: How::Plain, .. } => 0,
            Edge::Internal(_) | Edge::Po { .. } => 1,
            Edge::Rmw | Edge::Torn { pair: false } => 2,
            Edge::LxSx | Edge::Torn { pair: true } => 3,
        }
    }

    /// As people write it (`Rfe`, `PodWR`, `DMB.SYdWW`), given the names of the dialect's fences.
    pub fn text(self, fences: &[&str], branch_fence: &str) -> String {
        let Edge::Po { how, same, from, to } = self else {
            return match self {
                Edge::External(com) => format!("{}e", com.name()),
                Edge::Internal(com) => format!("{}i", com.name()),
                Edge::LxSx => "LxSx".to_string(),
                Edge::Torn { pair: true } => "LxSx^-1".to_string(),
                Edge::Torn { pair: false } => "Rmw^-1".to_string(),
                _ => "Rmw".to_string(),
            };
        };
        let place = if same { 's' } else { 'd' };
        let (from, to) = (from.letter(), to.letter());
        match how {
            How::Plain => format!("Po{place}{from}{to}"),
            How::Fence(index) => {
                let name = fences.get(usize::from(index)).copied().unwrap_or("Fence");
                format!("{}{place}{from}{to}", capital(name))
            }
            How::Addr => format!("DpAddr{place}{to}"),
            How::Data => format!("DpData{place}{to}"),
            How::Ctrl => format!("DpCtrl{place}{to}"),
            How::CtrlFence => format!("DpCtrl{}{place}{to}", capital(branch_fence)),
        }
    }
}

fn capital(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or(String::new(), |first| first.to_ascii_uppercase().to_string() + letters.as_str())
}
