//! Is a model sound for what hardware does? Only what was observed and the model forbids matters.

use std::io::{self, Write};

use super::{Side, several};
use crate::outcome::{Count, Difference, Relation};

/// What a comparison of observations with a model comes to.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Soundness {
    /// Tests on both sides.
    pub compared: usize,
    /// Tests with an outcome that was observed and is forbidden.
    pub unsound: usize,
    /// Tests with an outcome that was observed and that a cut loop of the model's side may have hidden.
    pub undecided: usize,
}

/// Writes, of `hardware` (the left side of each difference) and `model`, what was observed though it is forbidden, and how often; everything
/// else in a line.
///
/// # Errors
/// Those of `out`.
pub fn write_soundness(
    out: &mut dyn Write,
    differences: &[Difference],
    hardware: &Side,
    model: &Side,
) -> io::Result<Soundness> {
    let mut found = Soundness::default();
    let (mut silent, mut unpredicted, mut mismatched) = (0, 0, 0);
    let (mut never, mut never_in) = (0, 0);
    for difference in differences {
        match difference.relation {
            Relation::OnlyLeft => unpredicted += 1,
            Relation::OnlyRight => silent += 1,
            Relation::HashMismatch => mismatched += 1,
            _ => found.compared += 1,
        }
        let (Some(left), Some(right)) = (difference.left, difference.right) else { continue };
        if difference.relation == Relation::HashMismatch {
            continue;
        }
        never += difference.only_right.len();
        never_in += usize::from(!difference.only_right.is_empty());
        if difference.only_left.is_empty() {
            continue;
        }
        // What a cut loop hides is not forbidden.
        let word = if right.cut { "undecided" } else { "unsound" };
        if right.cut {
            found.undecided += 1;
        } else {
            found.unsound += 1;
        }
        writeln!(out, "{word:13} {}", difference.name)?;
        for state in &difference.only_left {
            let seen = left.states.get(*state).cloned().unwrap_or_default();
            let all: Count = left.states.values().sum();
            let why = if right.cut { "perhaps in a loop that was cut" } else { "forbidden" };
            writeln!(out, "              {state} seen {} of {all}, {why}", times(seen))?;
        }
    }
    let mut line = |count: usize, text: String| match count {
        0 => Ok(()),
        _ => writeln!(out, "{text}"),
    };
    let (hw, model) = (&hardware.name, &model.name);
    line(
        never,
        format!(
            "{} of {} allowed, never observed",
            several(never as u64, "outcome"),
            several(never_in as u64, "test")
        ),
    )?;
    line(silent, format!("{} not in {hw}", several(silent as u64, "test")))?;
    line(unpredicted, format!("{} without an answer of {model}", several(unpredicted as u64, "test")))?;
    line(mismatched, format!("{} of one name and different hashes", several(mismatched as u64, "pair")))?;
    let tests = several(found.compared as u64, "test");
    writeln!(out, "{} of {tests} with an outcome that was observed and is forbidden", found.unsound)?;
    Ok(found)
}

fn times(n: Count) -> String {
    several(n, "time")
}
