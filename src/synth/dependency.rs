//! Dependencies that are made: an access is to rest on a register that an earlier read has filled.

use super::patch::What;
use super::vocabulary::Dependency;
use crate::source::Span;

/// What the letters of a pattern stand for in a text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Parts(Vec<(char, String)>);

impl Parts {
    fn get(&self, letter: char) -> Option<&str> {
        self.0.iter().find(|(known, _)| *known == letter).map(|(_, text)| text.as_str())
    }

    /// A text with the letters filled in; those that stand for nothing stay.
    pub fn filled(&self, text: &str) -> String {
        self.0.iter().fold(text.to_string(), |text, (letter, part)| text.replace(&format!("%{letter}"), part))
    }
}

/// Does an instruction match a pattern? A `%` and a letter match a register (`%_`: any, not noted); white space matters only after the name.
pub(super) fn matched(pattern: &str, text: &str) -> Option<Parts> {
    let split = |text: &str| {
        let (name, rest) = text.trim().split_once(char::is_whitespace)?;
        let rest: String = rest.chars().filter(|c| !c.is_whitespace()).collect();
        Some((name.to_string(), rest))
    };
    let (name, operands) = split(pattern)?;
    let (own, mut left) = split(text).map(|(own, rest)| (own, rest.chars().collect::<Vec<_>>()))?;
    if !own.eq_ignore_ascii_case(&name) {
        return None;
    }
    let mut parts = Parts::default();
    let mut pattern = operands.chars();
    left.reverse();
    while let Some(sign) = pattern.next() {
        if sign != '%' {
            if left.pop() != Some(sign) {
                return None;
            }
            continue;
        }
        let letter = pattern.next()?;
        let mut word = String::new();
        while left.last().is_some_and(|c| c.is_ascii_alphanumeric()) {
            word.extend(left.pop());
        }
        if word.is_empty() {
            return None;
        }
        if letter != '_' {
            parts.0.push((letter, word));
        }
    }
    left.is_empty().then_some(parts)
}

/// An access made to depend on a read before it (of that number in its thread), if both are such that this can be done.
pub(super) fn made(
    dependency: &Dependency,
    (read, earlier): (Span, usize),
    access: Span,
    label: &str,
    text: &str,
) -> Option<What> {
    let own = |span: Span| text.get(span.start as usize..span.end as usize);
    let mut parts = matched(dependency.read, own(read)?)?;
    let it = own(access)?;
    dependency.accesses.iter().find_map(|pattern| matched(pattern, it))?;
    let source = parts.get('s')?.to_string();
    parts.0.push(('S', format!("X{}", source.get(1..)?)));
    parts.0.push(('l', label.to_string()));
    if !dependency.free.is_empty() {
        // Each read has one of its own: an access may depend on several.
        let used = |name: &str| {
            let number = name.trim_start_matches(char::is_alphabetic);
            text.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| {
                word.trim_start_matches(char::is_alphabetic) == number && word.len() > number.len()
            })
        };
        let free = dependency.free.iter().filter(|name| !used(name)).nth(earlier)?;
        parts.0.push(('f', (*free).to_string()));
    }
    Some(What::Depend {
        lines: parts.filled(dependency.lines),
        base: dependency.base.map(|base| parts.filled(base)),
        label: dependency.label.then(|| label.to_string()),
        at: access.start as usize,
    })
}

/// An access, whatever stands before it, with a dependency.
pub(super) fn rest_on(own: &str, lines: &str, base: Option<&str>, label: Option<&str>) -> String {
    let (before, access) = match own.rsplit_once('\n') {
        Some((before, access)) => (format!("{before}\n"), access),
        None => (String::new(), own),
    };
    let inside = |open: char, close: char| {
        let start = access.rfind(open)? + 1;
        Some((start, start + access[start..].find(close)?))
    };
    let brackets = inside('[', ']').or_else(|| inside('(', ')'));
    let old = brackets.map_or("", |(start, end)| &access[start..end]);
    let mut access = access.to_string();
    if let (Some(new), Some((start, end))) = (base, brackets) {
        access.replace_range(start..end, new);
    }
    let label = label.map(|label| format!("{label}: ")).unwrap_or_default();
    format!("{before}{}\n{label}{access}", lines.replace("%a", old))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_instructions() {
        let parts = matched("LDR %s,[%a]", "ldr W0, [X1]").expect("a load");
        assert_eq!((parts.get('s'), parts.get('a')), (Some("W0"), Some("X1")));
        assert_eq!(parts.filled("EOR %s,%s,%f"), "EOR W0,W0,%f");
        assert_eq!(matched("LDR %s,[%a]", "LDR W0,[X1,#4]"), None);
        assert_eq!(matched("LDR %s,[%a]", "LDRB W0,[X1]"), None);
        assert_eq!(matched("lw %_,0(%a)", "lw x5,0(x12)"), Some(Parts(vec![('a', "x12".to_string())])));
        assert_eq!(matched("lw %_,0(%a)", "lw x5,4(x12)"), None);
        assert_eq!(matched("lw %_,0(%a)", "lw"), None);
    }

    #[test]
    fn an_access_may_rest_on_several_reads() {
        let once = rest_on("LDR W2,[X1]", "EOR X19,X0,X0\nADD X19,%a,X19", Some("X19"), None);
        assert_eq!(once, "EOR X19,X0,X0\nADD X19,X1,X19\nLDR W2,[X19]");
        let twice = rest_on(&once, "EOR X20,X3,X3\nADD X20,%a,X20", Some("X20"), None);
        assert!(twice.ends_with("ADD X20,X19,X20\nLDR W2,[X20]"), "{twice}");
        let jump = rest_on("stw r1,0(r2)", "cmpw r3,r3\nbeq L", None, Some("L"));
        assert_eq!(jump, "cmpw r3,r3\nbeq L\nL: stw r1,0(r2)");
    }
}
