//! Where the library defines a name, and how.

use crate::cat::library;

use super::{Name, Origin};

/// The text of a definition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Definition {
    /// The file of the library.
    pub file: &'static str,
    /// Its line there.
    pub line: usize,
    /// What stands there.
    pub lines: Vec<&'static str>,
}

/// The definition of a name that the library defines.
pub fn definition(name: &Name, word: &str) -> Option<Definition> {
    let file = match name.origin {
        Origin::Stdlib => "stdlib.cat",
        Origin::Cos => "cos.cat",
        Origin::Predefined | Origin::Primitive | Origin::Language => return None,
    };
    let entry = library::entries().iter().find(|entry| entry.name == file)?;
    let lines: Vec<&str> = entry.text.lines().collect();
    let start = lines.iter().rposition(|line| defines(line, word))?;
    // It ends where the next statement, comment or empty line starts.
    let rest = lines[start + 1..].iter().take_while(|line| line.starts_with(' '));
    let lines = std::iter::once(lines[start]).chain(rest.copied()).collect();
    Some(Definition { file, line: start + 1, lines })
}

/// Does a line start the definition of a name?
fn defines(line: &str, word: &str) -> bool {
    const STARTS: [&str; 4] = ["let rec ", "let ", "procedure ", "with "];
    let Some(rest) = STARTS.iter().find_map(|start| line.trim_start().strip_prefix(start)) else {
        return false;
    };
    let Some(after) = rest.trim_start().strip_prefix(word) else { return false };
    !after.starts_with(|c: char| c.is_alphanumeric() || "-_.".contains(c))
}

#[cfg(test)]
mod tests {
    use super::super::{lookup, names};
    use super::*;

    #[test]
    fn what_the_library_defines_is_found_in_it() {
        for name in names().iter().filter(|name| matches!(name.origin, Origin::Stdlib | Origin::Cos)) {
            assert!(definition(name, name.name).is_some(), "{}", name.name);
        }
    }

    #[test]
    fn a_definition_is_shown_whole() {
        let shown = definition(lookup("amo")[0], "amo").unwrap();
        assert_eq!(shown.file, "stdlib.cat");
        assert_eq!(shown.lines[0], "let amo =");
        assert_eq!(shown.lines.len(), 3);
        assert_eq!(definition(lookup("po")[0], "po"), None);
    }
}
