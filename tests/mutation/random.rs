//! Random changes to a text. The same seed makes the same changes on every machine.

/// splitmix64.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n.max(1)
    }

    pub fn pick<'a, T: ?Sized>(&mut self, items: &'a [&'a T]) -> &'a T {
        items[self.below(items.len())]
    }
}

/// What breaks readers, whatever they read.
const ODD: &[&str] = &[
    "0",
    "-1",
    "2147483648",
    "9223372036854775808",
    "340282366920938463463374607431768211456",
    "0x",
    "\0",
    "\r\n",
    "\u{feff}",
    "∧",
    "é",
    "\u{1b}[31m",
    "(*",
    "*)",
    "/*",
    "//",
    "\"",
    "'",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ":",
    "|",
    "\\",
    "/\\",
    "#",
    "%",
    "$",
    "\t",
    "\n\n",
    "=",
    ",",
    "+",
    "~",
    "_",
    "P0",
    "P99999999999",
    "1:",
    "65536:",
    "x[1000000000]",
];

/// The words of texts: what is put in place of others.
pub fn words<'t>(texts: &[&'t str]) -> Vec<&'t str> {
    let mut words: Vec<&str> = texts
        .iter()
        .flat_map(|text| text.split(|c: char| !(c.is_alphanumeric() || "_.$#%-".contains(c))))
        .filter(|word| !word.is_empty())
        .collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// One of the texts with a change or two, and now and then with many.
pub fn mutated(random: &mut Random, texts: &[&str], words: &[&str]) -> String {
    let mut text: Vec<char> = random.pick(texts).chars().collect();
    let most = if random.below(8) == 0 { 8 } else { 2 };
    for _ in 0..1 + random.below(most) {
        change(random, &mut text, texts, words);
    }
    text.into_iter().collect()
}

fn change(random: &mut Random, text: &mut Vec<char>, texts: &[&str], words: &[&str]) {
    let at = random.below(text.len() + 1);
    let most = if random.below(4) == 0 { 200 } else { 12 };
    let end = (at + random.below(most)).min(text.len());
    match random.below(10) {
        0 => drop(text.drain(at..end)),
        1 => {
            let copy: Vec<char> = text[at..end].to_vec();
            let times = if random.below(8) == 0 { 1 + random.below(40) } else { 1 };
            (0..times).for_each(|_| drop(text.splice(at..at, copy.iter().copied())));
        }
        2 => {
            let other: Vec<char> = text.drain(at..end).collect();
            let to = random.below(text.len() + 1);
            drop(text.splice(to..to, other));
        }
        3 => text.truncate(at),
        4 => {
            // A piece of another text.
            let other: Vec<char> = random.pick(texts).chars().collect();
            let from = random.below(other.len() + 1);
            let to = (from + random.below(most)).min(other.len());
            drop(text.splice(at..end, other[from..to].iter().copied()));
        }
        5 | 6 => drop(text.splice(at..at, random.pick(ODD).chars())),
        7 => {
            if let Some(c) = text.get_mut(at) {
                *c = char::from_u32(random.below(0x180) as u32).unwrap_or(' ');
            }
        }
        // A word for another.
        _ => {
            let part = |c: &char| c.is_alphanumeric() || *c == '_';
            let start = text[..at].iter().rposition(|c| !part(c)).map_or(0, |before| before + 1);
            let end = text[at..].iter().position(|c| !part(c)).map_or(text.len(), |after| at + after);
            drop(text.splice(start..end, random.pick(words).chars()));
        }
    }
}
