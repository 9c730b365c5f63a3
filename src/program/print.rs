//! What a program prints: the format of `printf`, taken apart and filled in.

use std::collections::HashMap;

use super::Value;

/// A part of a format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Piece<'f> {
    Text(&'f str),
    /// A place for a value: all of it as written, and the letter that says how the value is shown.
    Place {
        written: &'f str,
        kind: char,
    },
}

/// The parts of a format. `%%` is text; a width that an argument gives (`*`) is a place of its own, of which nothing is shown.
fn pieces(format: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        let (text, place) = rest.split_at(at);
        pieces.push(Piece::Text(text));
        let end = place[1..].find(|c: char| c.is_ascii_alphabetic() && !"hljztL".contains(c) || c == '%');
        let Some(end) = end.map(|end| end + 2) else {
            pieces.push(Piece::Text(place));
            return pieces;
        };
        let written = &place[..end];
        let given = written.matches('*').count();
        pieces.extend(std::iter::repeat_n(Piece::Place { written: "", kind: '*' }, given));
        pieces.push(match written.chars().last() {
            Some('%') | None => Piece::Text("%"),
            Some(kind) => Piece::Place { written, kind },
        });
        rest = &place[end..];
    }
    pieces.push(Piece::Text(rest));
    pieces
}

/// The arguments that are strings, with the most characters that are shown of each (-1: all).
pub fn strings(format: &str) -> HashMap<usize, i128> {
    let places = pieces(format).into_iter().filter_map(|piece| match piece {
        Piece::Place { written, kind } => Some((written, kind)),
        Piece::Text(_) => None,
    });
    let of = |written: &str| {
        let places = written.split('.').nth(1)?.trim_end_matches('s');
        // How many an argument says is not looked at: then one is read.
        Some(if places.contains('*') { 1 } else { places.parse().unwrap_or(0) })
    };
    let strings = places.enumerate().filter(|(_, (written, kind))| *kind == 's' && !written.contains('l'));
    strings.map(|(n, (written, _))| (n, of(written).unwrap_or(-1))).collect()
}

/// The format with strings that the program writes down in their places, by the number of the argument; the arguments that are left.
pub fn with_strings(
    format: &str,
    count: usize,
    string: impl Fn(usize) -> Option<String>,
) -> (String, Vec<usize>) {
    let mut text = String::new();
    let mut left = Vec::new();
    let mut arguments = 0..count;
    for piece in pieces(format) {
        let Piece::Place { written, kind } = piece else {
            let Piece::Text(of) = piece else { continue };
            text.push_str(&of.replace('%', "%%"));
            continue;
        };
        let argument = arguments.next();
        match argument.and_then(&string).filter(|_| kind == 's') {
            Some(of) => text.push_str(&of.replace('%', "%%")),
            None => {
                text.push_str(&if kind == '*' { "%n".to_string() } else { written.replace('*', "") });
                left.extend(argument);
            }
        }
    }
    (text, left)
}

/// The text that a format and its values make; what is no number is shown as the last argument says.
pub fn filled(format: &str, values: &[Option<Value>], show: impl Fn(Value) -> String) -> String {
    let mut text = String::new();
    let mut values = values.iter();
    for piece in pieces(format) {
        match piece {
            Piece::Text(of) => text.push_str(of),
            Piece::Place { written, kind } => match values.next() {
                None => text.push_str(written),
                Some(None) => text.push('?'),
                Some(Some(Value::Int(n))) => text.push_str(&number(*n, written, kind)),
                Some(Some(value)) => text.push_str(&show(*value)),
            },
        }
    }
    text
}

/// A number with a point.
fn floating(bits: i128, written: &str, kind: char) -> String {
    let n = super::floats::from_bits(bits, 8);
    let digits = written.split('.').nth(1).map(|rest| rest.trim_end_matches(|c: char| !c.is_ascii_digit()));
    let digits = digits.map_or(6, |digits| digits.parse().unwrap_or(0)).min(40);
    match kind {
        'f' | 'F' => format!("{n:.digits$}"),
        'e' | 'E' => format!("{n:.digits$e}"),
        _ => n.to_string(),
    }
}

/// A number as a place for it says.
fn number(n: i128, written: &str, kind: char) -> String {
    let bits = match written.matches(['l', 'j', 'z', 't']).count() {
        0 => 32,
        _ => 64,
    };
    // Those without a sign are shown as the type has them.
    let unsigned = n & ((1i128 << bits) - 1);
    let text = match kind {
        'u' => unsigned.to_string(),
        'x' => format!("{unsigned:x}"),
        'X' => format!("{unsigned:X}"),
        'o' => format!("{unsigned:o}"),
        'p' => format!("{n:#x}"),
        'c' => u8::try_from(n & 0xff).map_or('?', char::from).to_string(),
        // `%n` prints nothing.
        'n' => return String::new(),
        'f' | 'F' | 'g' | 'G' | 'e' | 'E' => floating(n, written, kind),
        _ => n.to_string(),
    };
    let width = written.trim_start_matches('%');
    let flags = width.trim_start_matches(['-', '+', ' ', '#', '0']);
    let flags = &width[..width.len() - flags.len()];
    let digits: String = width[flags.len()..].chars().take_while(char::is_ascii_digit).collect();
    let missing = digits.parse::<usize>().unwrap_or(0).min(64).saturating_sub(text.len());
    match (flags.contains('-'), flags.contains('0'), text.strip_prefix('-')) {
        (true, ..) => text + &" ".repeat(missing),
        (_, true, Some(digits)) => format!("-{}{digits}", "0".repeat(missing)),
        (_, true, None) => "0".repeat(missing) + &text,
        _ => " ".repeat(missing) + &text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(format: &str, values: &[i128]) -> String {
        let values: Vec<Option<Value>> = values.iter().map(|n| Some(Value::Int(*n))).collect();
        filled(format, &values, |_| "object".to_string())
    }

    #[test]
    fn numbers_are_shown_as_the_format_says() {
        for (format, values, expected) in [
            ("plain", &[][..], "plain"),
            ("%d and %i\n", &[-1, 2], "-1 and 2\n"),
            ("100%%: %u %lu", &[-1, -1], "100%: 4294967295 18446744073709551615"),
            ("%x %#X %o", &[255, 255, 8], "ff FF 10"),
            ("[%3d|%-3d|%03d|%03d]", &[7, 7, 7, -7], "[  7|7  |007|-07]"),
            ("%c%c", &[104, 105], "hi"),
            ("%hhu%zu%jd", &[1, 2, 3], "123"),
            ("%d %d", &[1], "1 %d"),
            ("%", &[], "%"),
        ] {
            assert_eq!(shown(format, values), expected, "{format}");
        }
        assert_eq!(filled("%p", &[Some(Value::addr(super::super::Sym(0)))], |_| "&x".into()), "&x");
    }

    #[test]
    fn strings_that_are_written_down_take_their_places() {
        let string = |n: usize| (n == 1).then(|| "50%".to_string());
        let (format, left) = with_strings("%d of %s (%d%%)", 3, string);
        assert_eq!((format.as_str(), left.as_slice()), ("%d of 50%% (%d%%)", &[0, 2][..]));
        assert_eq!(shown(&format, &[1, 2]), "1 of 50% (2%)");
        let (format, left) = with_strings("%*d!", 2, |_| None);
        assert_eq!((shown(&format, &[5, 6]), left), ("6!".to_string(), vec![0, 1]));
    }
}
