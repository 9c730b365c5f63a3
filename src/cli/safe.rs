//! What a terminal is told: text and colours, and nothing that a test or a file name might have to say to it.

use std::io::{self, Write};

/// Lets text and our own colours through; every other control character is shown as its picture (`␛`).
pub struct Safe<'w> {
    inner: &'w mut (dyn Write + Send),
    colored: bool,
    /// The bytes of a character, or of a colour, that is not complete yet.
    pending: Vec<u8>,
}

impl<'w> Safe<'w> {
    /// Before that writer; `colored`: are there colours of ours?
    pub fn new(inner: &'w mut (dyn Write + Send), colored: bool) -> Safe<'w> {
        Safe { inner, colored, pending: Vec::new() }
    }
}

impl Write for Safe<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let harmless = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
        if self.pending.is_empty() && bytes.iter().all(harmless) {
            self.inner.write_all(bytes)?;
            return Ok(bytes.len());
        }
        self.pending.extend_from_slice(bytes);
        let mut clean = Vec::with_capacity(self.pending.len());
        let mut at = 0;
        while at < self.pending.len() {
            let rest = &self.pending[at..];
            match next(rest, self.colored) {
                Piece::Unfinished => break,
                Piece::Same(len) => {
                    clean.extend_from_slice(&rest[..len]);
                    at += len;
                }
                Piece::Control(len, c) => {
                    let mut buffer = [0; 4];
                    clean.extend_from_slice(picture(c).encode_utf8(&mut buffer).as_bytes());
                    at += len;
                }
            }
        }
        self.pending.drain(..at);
        self.inner.write_all(&clean)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl Drop for Safe<'_> {
    fn drop(&mut self) {
        if !self.pending.is_empty() {
            let _ = self.inner.write_all("\u{fffd}".as_bytes());
        }
        let _ = self.inner.flush();
    }
}

enum Piece {
    /// So many bytes, as they are.
    Same(usize),
    /// So many bytes that are a control character.
    Control(usize, char),
    /// More is to come.
    Unfinished,
}

fn next(bytes: &[u8], colored: bool) -> Piece {
    match bytes[0] {
        b'\n' | b'\t' | b' '..=b'~' => Piece::Same(1),
        0x1b if colored => color(bytes),
        byte if byte < 0x80 => Piece::Control(1, char::from(byte)),
        byte => {
            let len = match byte {
                0xc2..=0xdf => 2,
                0xe0..=0xef => 3,
                0xf0..=0xf4 => 4,
                _ => return Piece::Control(1, char::REPLACEMENT_CHARACTER),
            };
            if bytes.len() < len {
                return Piece::Unfinished;
            }
            match std::str::from_utf8(&bytes[..len]).ok().and_then(|text| text.chars().next()) {
                Some(c) if is_control(c) => Piece::Control(len, c),
                Some(_) => Piece::Same(len),
                None => Piece::Control(1, char::REPLACEMENT_CHARACTER),
            }
        }
    }
}

/// `ESC [ 1 ; 31 m` and the like; not what hides text (8).
fn color(bytes: &[u8]) -> Piece {
    const LONGEST: usize = 32;
    let end = bytes.iter().skip(2).position(|byte| !matches!(byte, b'0'..=b'9' | b';'));
    match (bytes.get(1), end) {
        (Some(b'['), Some(len)) if bytes[2 + len] == b'm' && !bytes[2..].starts_with(b"8") => {
            Piece::Same(len + 3)
        }
        (None, _) => Piece::Unfinished,
        (Some(b'['), None) if bytes.len() < LONGEST => Piece::Unfinished,
        _ => Piece::Control(1, '\u{1b}'),
    }
}

/// Control characters, and those that turn the direction of writing.
fn is_control(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}')
}

fn picture(c: char) -> char {
    match u32::from(c) {
        code @ 0..=0x1f => char::from_u32(0x2400 + code).unwrap_or(char::REPLACEMENT_CHARACTER),
        0x7f => '\u{2421}',
        _ => char::REPLACEMENT_CHARACTER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn through(colored: bool, pieces: &[&[u8]]) -> String {
        let mut out = Vec::new();
        let mut safe = Safe::new(&mut out, colored);
        pieces.iter().for_each(|piece| safe.write_all(piece).unwrap());
        drop(safe);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn text_goes_through_whole_or_in_pieces() {
        assert_eq!(through(false, &["a é → 😀\n\tb".as_bytes()]), "a é → 😀\n\tb");
        assert_eq!(through(false, &[b"\xe2", b"\x86", b"\x92x"]), "→x");
        assert_eq!(through(false, &[b"\xff\xe2"]), "\u{fffd}\u{fffd}");
    }

    #[test]
    fn control_characters_are_shown() {
        assert_eq!(through(false, &[b"\x1b]0;title\x07\x1b[31mred\r\x7f"]), "␛]0;title␇␛[31mred␍␡");
        assert_eq!(through(false, &["\u{9b}31m \u{202e}abc".as_bytes()]), "\u{fffd}31m \u{fffd}abc");
    }

    #[test]
    fn of_escape_sequences_only_colours_go_through() {
        let red = "\u{1b}[1;31mred\u{1b}[0m";
        assert_eq!(through(true, &[red.as_bytes()]), red);
        assert_eq!(through(true, &[b"\x1b[1;3", b"1mred\x1b", b"[0m"]), red);
        assert_eq!(through(true, &[b"\x1b[2J\x1b[8mhidden"]), "␛[2J␛[8mhidden");
    }
}
