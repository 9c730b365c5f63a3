//! Logs cut into the blocks of their tests, each as it stands there.

/// One test's part of a log.
#[derive(Clone, Debug)]
pub struct Block<'t> {
    /// The test's name.
    pub name: &'t str,
    /// Its hashes.
    pub hashes: Vec<&'t str>,
    /// From its `Test` line to the empty line after it.
    pub text: &'t str,
}

/// The complete blocks of a log, and the name of the first test whose block is not complete.
///
/// A block is complete when the empty line after its figures is there; there may be others before (a state with nothing to show, and
/// litmus7's logs after the verdict).
pub fn blocks(text: &str) -> (Vec<Block<'_>>, Option<&str>) {
    let mut blocks = Vec::new();
    let (mut at, mut start, mut counted) = (0, None, false);
    let name_at = |from: usize| text[from..].split_whitespace().nth(1).unwrap_or_default();
    let mut torn = None;
    for line in text.split_inclusive('\n') {
        let begin = at;
        at += line.len();
        if line.starts_with("Test ") {
            torn = torn.or(start.map(name_at));
            (start, counted) = (Some(begin), false);
        }
        if let Some(rest) = line.strip_prefix("Observation ") {
            counted = is_whole(rest);
            // Half a line: what comes after it is nobody's.
            if !counted {
                torn = torn.or(start.take().map(name_at));
            }
        }
        let (Some(from), true, "\n" | "\r\n") = (start, counted, line) else { continue };
        start = None;
        let block = &text[from..at];
        blocks.push(Block {
            name: block.split_whitespace().nth(1).unwrap_or_default(),
            hashes: block.lines().filter_map(|line| line.strip_prefix("Hash=")).collect(),
            text: block,
        });
    }
    (blocks, torn.or(start.map(name_at)))
}

/// Is this all of an observation: a name, a word, and two numbers?
fn is_whole(observation: &str) -> bool {
    let mut words = observation.split_whitespace().rev();
    let numbers = [words.next(), words.next()];
    let said = words.next();
    observation.ends_with('\n')
        && numbers.iter().all(|number| number.is_some_and(|n| n.parse::<u128>().is_ok()))
        && matches!(said, Some("Never" | "Sometimes" | "Always"))
        && words.next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_lines_inside_a_block() {
        let nothing_to_show = "Test A Allowed\nStates 1\n\nOk\nObservation A Always 1 0\nHash=1\n\n";
        let hardware = "Test B Allowed\nHistogram (1 states)\n5 :>0:EAX=0;\nNo\n\nWitnesses\nHash=2\nObservation B Never 0 5\nTime B 1\n\n";
        let text = format!("Some header\n\n{nothing_to_show}{hardware}Test C Allowed\nStates 3\n0:EAX=");
        let (blocks, cut) = blocks(&text);
        let found: Vec<_> =
            blocks.iter().map(|block| (block.name, block.hashes.as_slice(), block.text)).collect();
        assert_eq!(found, [("A", &["1"][..], nothing_to_show), ("B", &["2"][..], hardware)]);
        assert_eq!(cut, Some("C"));
    }

    #[test]
    fn half_an_observation_is_none() {
        let whole = "Test A Allowed\nStates 1\n\nOk\nObservation A Always 1 0\nHash=1\n\n";
        for torn in ["Observation A Alw", "Observation A Always 1", "Observation A Always 1 0"] {
            let text = format!("Test B Allowed\nStates 1\n\nOk\n{torn}\n\n{whole}");
            let (blocks, cut) = blocks(&text);
            let expected = if torn.ends_with(" 0") { (2, None) } else { (1, Some("B")) };
            assert_eq!((blocks.len(), cut), expected, "{torn}");
        }
    }
}
