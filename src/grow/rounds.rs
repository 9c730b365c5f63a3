//! Runs that come back to a state: may one of them go on like that for ever, though every thread that can go on does?
//!
//! States that lead to each other make a component. A run that stays in one for ever leaves it after all if some thread can go on in each of its states, and always leads out of it: that thread
//! cannot be passed over for ever. Where there is no such thread, nothing is said here.

/// What leads from state to state.
#[derive(Default)]
pub(super) struct Rounds {
    /// By state: the threads that may go on there, as bits.
    ready: Vec<u64>,
    /// By state: which threads lead to which.
    next: Vec<Vec<(u16, u32)>>,
    /// Did a run come back to a state?
    come_back: bool,
}

/// A state on the way of the walk that looks for components.
struct Open {
    state: u32,
    /// How many of those that come next have been looked at.
    looked: usize,
}

impl Rounds {
    /// A new state, with the next number.
    pub fn state(&mut self) {
        self.ready.push(0);
        self.next.push(Vec::new());
    }

    /// A thread may go on in a state.
    pub fn may_go_on(&mut self, state: u32, thread: usize) {
        self.ready[state as usize] |= 1u64.checked_shl(thread as u32).unwrap_or(0);
    }

    /// A state that nothing is asked of: every run leaves it.
    pub fn leave(&mut self, state: u32) {
        self.ready[state as usize] = u64::MAX;
    }

    /// A thread leads from one state to another, which the run had been at if it comes `back` to it.
    pub fn step(&mut self, from: u32, thread: u16, to: u32, back: bool) {
        self.next[from as usize].push((thread, to));
        self.come_back |= back;
    }

    /// Does every run come to an end, if no thread is passed over for ever? If not, or that is not known, no.
    pub fn end(&self) -> bool {
        !self.come_back || self.components().iter().all(|component| self.is_left(component))
    }

    /// Is a component left by every run that passes over no thread?
    fn is_left(&self, component: &[u32]) -> bool {
        let is_inside = |to: u32| component.binary_search(&to).is_ok();
        let always = component.iter().fold(u64::MAX, |all, state| all & self.ready[*state as usize]);
        let inside =
            component.iter().flat_map(|state| &self.next[*state as usize]).filter(|(_, to)| is_inside(*to));
        let mut stay = 0;
        for (thread, _) in inside {
            stay |= 1u64.checked_shl(u32::from(*thread)).unwrap_or(0);
        }
        stay == 0 || always & !stay != 0
    }

    /// The components, each sorted (Tarjan's algorithm).
    fn components(&self) -> Vec<Vec<u32>> {
        const NEW: u32 = u32::MAX;
        let n = self.next.len();
        // When a state was come to first, and the earliest of those on the stack that it leads to.
        let (mut come, mut low) = (vec![NEW; n], vec![NEW; n]);
        let (mut stack, mut is_open): (Vec<u32>, Vec<bool>) = (Vec::new(), vec![false; n]);
        let (mut time, mut all) = (0, Vec::new());
        for first in 0..n as u32 {
            let mut way = Vec::new();
            if come[first as usize] == NEW {
                way.push(Open { state: first, looked: 0 });
            }
            while let Some(Open { state, looked }) = way.last_mut() {
                let at = *state as usize;
                if *looked == 0 && come[at] == NEW {
                    (come[at], low[at], is_open[at]) = (time, time, true);
                    time += 1;
                    stack.push(*state);
                }
                if let Some((_, to)) = self.next[at].get(*looked) {
                    *looked += 1;
                    match come[*to as usize] {
                        NEW => way.push(Open { state: *to, looked: 0 }),
                        then if is_open[*to as usize] => low[at] = low[at].min(then),
                        _ => {}
                    }
                    continue;
                }
                if low[at] == come[at] {
                    let begin = stack.iter().rposition(|state| *state as usize == at).unwrap_or(0);
                    let mut component = stack.split_off(begin);
                    component.iter().for_each(|state| is_open[*state as usize] = false);
                    component.sort_unstable();
                    all.push(component);
                }
                way.pop();
                if let Some(before) = way.last() {
                    let before = before.state as usize;
                    low[before] = low[before].min(low[at]);
                }
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::Rounds;

    /// Three states: from the first a thread goes round through the second; another may leave for the third.
    fn rounds(leaves_from: &[u32]) -> Rounds {
        let mut rounds = Rounds::default();
        for _ in 0..3 {
            rounds.state();
        }
        for state in [0, 1] {
            rounds.may_go_on(state, 0);
            rounds.step(state, 0, 1 - state, state == 1);
        }
        for state in leaves_from {
            rounds.may_go_on(*state, 1);
            rounds.step(*state, 1, 2, false);
        }
        rounds
    }

    #[test]
    fn a_round_is_left_by_who_can_go_on_all_the_time() {
        assert!(rounds(&[0, 1]).end());
        assert!(!rounds(&[0]).end() && !rounds(&[]).end());
        // Who leads back as well may stay.
        let mut stays = rounds(&[0, 1]);
        stays.step(0, 1, 0, true);
        assert!(!stays.end());
        stays.leave(0);
        stays.leave(1);
        assert!(stays.end() && Rounds::default().end());
    }
}
