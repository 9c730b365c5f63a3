//! Which members of a list are still open, in one word.

use crate::relation::rows;

/// A set of positions of a list. Those that do not fit share the last bit, which is never taken away: what cannot be told apart stays open.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Mask(u64);

/// From this position on, all share one bit.
const SHARED: usize = 63;

impl Mask {
    pub const ALL: Mask = Mask(!0);

    /// One position.
    pub fn of(position: usize) -> Mask {
        Mask(1 << position.min(SHARED))
    }

    /// The positions of a list of that length.
    pub fn first(n: usize) -> Mask {
        Mask(rows::first(n.min(SHARED + 1)))
    }

    /// What stands for positions that do not fit, and for whatever is always open.
    pub fn always() -> Mask {
        Mask::of(SHARED)
    }

    pub fn has(self, position: usize) -> bool {
        self.meets(Mask::of(position))
    }

    /// Can this position be taken away?
    pub fn can_close(position: usize) -> bool {
        position < SHARED
    }

    /// Takes a position away, if it has a bit of its own.
    pub fn close(&mut self, position: usize) {
        if Mask::can_close(position) {
            self.0 &= !(1 << position);
        }
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn meets(self, other: Mask) -> bool {
        self.0 & other.0 != 0
    }

    pub fn is_within(self, other: Mask) -> bool {
        self.0 & !other.0 == 0
    }

    /// Those of the one that are not in the other.
    pub fn without(self, other: Mask) -> impl Iterator<Item = usize> {
        rows::bits([self.0 & !other.0])
    }
}

impl std::ops::BitOr for Mask {
    type Output = Mask;

    fn bitor(self, other: Mask) -> Mask {
        Mask(self.0 | other.0)
    }
}

impl std::ops::BitOrAssign for Mask {
    fn bitor_assign(&mut self, other: Mask) {
        self.0 |= other.0;
    }
}

#[cfg(test)]
mod tests {
    use super::Mask;

    #[test]
    fn what_does_not_fit_stays_open() {
        for n in [0, 1, 62, 63, 64, 65, 200] {
            let mut mask = Mask::first(n);
            assert!((0..n).all(|position| mask.has(position)), "{n}");
            (0..n).for_each(|position| mask.close(position));
            assert_eq!(mask.is_empty(), n <= 63, "{n}");
            assert_eq!(mask.has(n), n > 63, "{n}");
            assert!((0..n).all(|position| mask.has(position) != Mask::can_close(position)), "{n}");
        }
        assert!(Mask::ALL.meets(Mask::always()) && !Mask::first(63).meets(Mask::always()));
        assert_eq!(Mask::first(5).without(Mask::first(3)).collect::<Vec<_>>(), [3, 4]);
    }
}
