//! Formulas as a user writes them: `G !(P0@cs && P1@cs)`, `G (x == 1 -> F 0:r0 != 0)`.

use super::code::threads;
use super::ltl::formula::{Atom, Formula, MAX_ATOMS};
use super::proposition::{Comparison, Property, Proposition, Propositions, Term};
use crate::program::Program;

/// What is wrong with a formula, and where in its text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wrong {
    /// Byte offset.
    pub at: usize,
    /// What.
    pub message: String,
}

impl Wrong {
    /// What is wrong, and the place in the formula, as far as a line holds it.
    pub fn shown(&self, formula: &str) -> String {
        const AROUND: usize = 50;
        let before: Vec<char> = formula[..self.at].chars().collect();
        let from = before.len().saturating_sub(AROUND);
        let cut = if from > 0 { "…" } else { "" };
        let start: String = before[from..].iter().collect();
        let after: String = formula[self.at..].chars().take(AROUND).collect();
        let more = if formula[self.at..].chars().count() > AROUND { "…" } else { "" };
        let place = cut.chars().count() + before.len() - from;
        format!("{}\n  {cut}{start}{after}{more}\n  {}^", self.message, " ".repeat(place))
    }
}

/// Reads a formula about a program.
///
/// # Errors
/// It is not a formula, or names what the program does not have.
pub fn parse(text: &str, program: &Program) -> Result<Property, Wrong> {
    let mut parser = Parser {
        tokens: lex(text)?,
        at: 0,
        program,
        threads: threads(program),
        propositions: Propositions::default(),
        depth: 0,
    };
    let formula = parser.equivalence()?;
    match parser.peek() {
        Token::End => Ok(Property { formula, propositions: parser.propositions }),
        other => Err(parser.wrong(format!("expected an operator, found {}", other.words()))),
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Token {
    Word(String),
    Number(i128),
    Sign(&'static str),
    End,
}

impl Token {
    fn words(&self) -> String {
        match self {
            Token::Word(word) => format!("`{word}`"),
            Token::Number(n) => format!("`{n}`"),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::End => "the end".to_string(),
        }
    }
}

/// Signs, longest first; each with the one it is another spelling of.
const SIGNS: [(&str, &str); 38] = [
    ("<->", "<->"),
    ("<=>", "<->"),
    ("->", "->"),
    ("=>", "->"),
    ("&&", "&&"),
    ("/\\", "&&"),
    ("||", "||"),
    ("\\/", "||"),
    ("==", "=="),
    ("!=", "!="),
    ("<=", "<="),
    (">=", ">="),
    ("<>", "F"),
    ("[]", "G"),
    ("()", "X"),
    ("(", "("),
    (")", ")"),
    ("[", "["),
    ("]", "]"),
    ("@", "@"),
    (":", ":"),
    ("!", "!"),
    ("~", "!"),
    ("&", "&&"),
    ("|", "||"),
    ("=", "=="),
    ("<", "<"),
    (">", ">"),
    ("∧", "&&"),
    ("∨", "||"),
    ("¬", "!"),
    ("→", "->"),
    ("⇒", "->"),
    ("◇", "F"),
    ("□", "G"),
    ("○", "X"),
    ("≠", "!="),
    ("-", "-"),
];

fn lex(text: &str) -> Result<Vec<(usize, Token)>, Wrong> {
    let mut tokens = Vec::new();
    let mut rest = text;
    'next: loop {
        rest = rest.trim_start();
        let at = text.len() - rest.len();
        let Some(first) = rest.chars().next() else { break };
        if first.is_alphabetic() || first == '_' {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            let word = match &rest[..end] {
                "and" => Token::Sign("&&"),
                "or" => Token::Sign("||"),
                "not" => Token::Sign("!"),
                "X" => Token::Sign("X"),
                "F" => Token::Sign("F"),
                "G" => Token::Sign("G"),
                "U" => Token::Sign("U"),
                "R" | "V" => Token::Sign("R"),
                "W" => Token::Sign("W"),
                "M" => Token::Sign("M"),
                word => Token::Word(word.to_string()),
            };
            tokens.push((at, word));
            rest = &rest[end..];
            continue;
        }
        if first.is_ascii_digit() {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
            let digits = &rest[..end];
            let number = match digits.strip_prefix("0x") {
                Some(hexa) => i128::from_str_radix(hexa, 16),
                None => digits.parse(),
            };
            let Ok(number) = number else {
                return Err(Wrong { at, message: format!("`{digits}` is not a number") });
            };
            tokens.push((at, Token::Number(number)));
            rest = &rest[end..];
            continue;
        }
        for (sign, meaning) in SIGNS {
            if let Some(after) = rest.strip_prefix(sign) {
                tokens.push((at, Token::Sign(meaning)));
                rest = after;
                continue 'next;
            }
        }
        return Err(Wrong { at, message: format!("`{first}` is not part of a formula") });
    }
    tokens.push((text.len(), Token::End));
    Ok(tokens)
}

struct Parser<'p> {
    tokens: Vec<(usize, Token)>,
    at: usize,
    program: &'p Program,
    /// Which thread of the program each thread of the machine runs.
    threads: Vec<usize>,
    propositions: Propositions,
    depth: usize,
}

/// Sides of an equivalence larger than this are refused.
const MAX_SIZE: usize = 10_000;

/// Formulas nested deeper than this are refused.
const MAX_DEPTH: usize = 500;

impl Parser<'_> {
    fn peek(&self) -> Token {
        self.tokens[self.at].1.clone()
    }

    fn next(&mut self) -> Token {
        let token = self.peek();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn takes(&mut self, sign: &'static str) -> bool {
        let is_it = self.peek() == Token::Sign(sign);
        if is_it {
            self.next();
        }
        is_it
    }

    fn wrong(&self, message: String) -> Wrong {
        Wrong { at: self.tokens[self.at].0, message }
    }

    /// Operands of that size stand twice in what an operator means: chains of them double with each.
    fn comes_twice(&self, size: usize, operator: &str) -> Result<(), Wrong> {
        match size > MAX_SIZE {
            true => Err(self.wrong(format!("the formula is too large, with each `{operator}` written out"))),
            false => Ok(()),
        }
    }

    fn equivalence(&mut self) -> Result<Formula, Wrong> {
        let mut left = self.implication()?;
        while self.takes("<->") {
            let right = self.implication()?;
            self.comes_twice(left.size() + right.size(), "<->")?;
            let both = left.clone().and(right.clone());
            left = both.or(left.negated().and(right.negated()));
        }
        Ok(left)
    }

    fn implication(&mut self) -> Result<Formula, Wrong> {
        let left = self.disjunction()?;
        if self.takes("->") {
            let right = self.deeper(Parser::implication)?;
            return Ok(left.negated().or(right));
        }
        Ok(left)
    }

    fn disjunction(&mut self) -> Result<Formula, Wrong> {
        let mut left = self.conjunction()?;
        while self.takes("||") {
            left = left.or(self.conjunction()?);
        }
        Ok(left)
    }

    fn conjunction(&mut self) -> Result<Formula, Wrong> {
        let mut left = self.binary()?;
        while self.takes("&&") {
            left = left.and(self.binary()?);
        }
        Ok(left)
    }

    fn binary(&mut self) -> Result<Formula, Wrong> {
        let left = self.unary()?;
        if self.takes("U") {
            return Ok(left.until(self.deeper(Parser::binary)?));
        }
        if self.takes("R") {
            return Ok(left.release(self.deeper(Parser::binary)?));
        }
        if self.takes("W") {
            // a W b = b R (a || b)
            let right = self.deeper(Parser::binary)?;
            self.comes_twice(right.size(), "W")?;
            return Ok(right.clone().release(left.or(right)));
        }
        if self.takes("M") {
            // a M b = b U (a && b)
            let right = self.deeper(Parser::binary)?;
            self.comes_twice(right.size(), "M")?;
            return Ok(right.clone().until(left.and(right)));
        }
        Ok(left)
    }

    /// What stands to the right of an operator, or under it.
    fn deeper(&mut self, parse: fn(&mut Self) -> Result<Formula, Wrong>) -> Result<Formula, Wrong> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.wrong("the formula is nested too deeply".to_string()));
        }
        let formula = parse(self)?;
        self.depth -= 1;
        Ok(formula)
    }

    fn unary(&mut self) -> Result<Formula, Wrong> {
        self.deeper(Parser::operand)
    }

    fn operand(&mut self) -> Result<Formula, Wrong> {
        if self.takes("!") {
            return Ok(self.unary()?.negated());
        }
        if self.takes("X") {
            return Ok(self.unary()?.next());
        }
        if self.takes("F") {
            return Ok(self.unary()?.eventually());
        }
        if self.takes("G") {
            return Ok(self.unary()?.always());
        }
        if !self.takes("(") {
            return self.proposition();
        }
        let inside = self.equivalence()?;
        match self.takes(")") {
            true => Ok(inside),
            false => Err(self.wrong(format!("expected `)`, found {}", self.peek().words()))),
        }
    }

    fn proposition(&mut self) -> Result<Formula, Wrong> {
        let start = self.at;
        if let Token::Word(word) = self.peek() {
            match word.as_str() {
                "true" => {
                    self.next();
                    return Ok(Formula::True);
                }
                "false" => {
                    self.next();
                    return Ok(Formula::False);
                }
                "empty" | "ended" => {
                    self.next();
                    return self.about_thread(&word);
                }
                _ => {}
            }
            if let Some(thread) = thread_name(&word) {
                self.next();
                if self.takes("@") {
                    return self.at_label(start, thread);
                }
                self.at = start;
            }
        }
        let left = self.term()?;
        let comparison = match self.peek() {
            Token::Sign("==") => Some(Comparison::Eq),
            Token::Sign("!=") => Some(Comparison::Ne),
            Token::Sign("<") => Some(Comparison::Lt),
            Token::Sign("<=") => Some(Comparison::Le),
            Token::Sign(">") => Some(Comparison::Gt),
            Token::Sign(">=") => Some(Comparison::Ge),
            _ => None,
        };
        let Some(comparison) = comparison else {
            return self.atom(Proposition::Compare(left, Comparison::Ne, Term::Number(0)));
        };
        self.next();
        let right = self.term()?;
        self.atom(Proposition::Compare(left, comparison, right))
    }

    fn about_thread(&mut self, word: &str) -> Result<Formula, Wrong> {
        if !self.takes("(") {
            return Err(self.wrong(format!("expected `{word}(P0)`")));
        }
        let Token::Word(name) = self.peek() else {
            return Err(self.wrong(format!("expected the name of a thread, found {}", self.peek().words())));
        };
        let Some(thread) = thread_name(&name) else {
            return Err(self.wrong(format!("`{name}` is not a thread: threads are P0, P1, …")));
        };
        self.known_thread(thread)?;
        self.next();
        if !self.takes(")") {
            return Err(self.wrong(format!("expected `)`, found {}", self.peek().words())));
        }
        self.atom(if word == "empty" { Proposition::Empty(thread) } else { Proposition::Ended(thread) })
    }

    fn known_thread(&self, thread: usize) -> Result<(), Wrong> {
        match thread < self.threads.len() {
            true => Ok(()),
            false => Err(self.wrong(format!("there is no thread P{thread}"))),
        }
    }

    fn at_label(&mut self, start: usize, thread: usize) -> Result<Formula, Wrong> {
        let at = self.at;
        self.at = start;
        self.known_thread(thread)?;
        self.at = at;
        let Token::Word(label) = self.peek() else {
            return Err(self.wrong(format!("expected a label, found {}", self.peek().words())));
        };
        let labels = &self.program.threads[self.threads[thread]].labels;
        let Some((_, instruction)) = labels.iter().find(|(name, _)| *name == label) else {
            let mut known: Vec<&str> = labels.iter().map(|(name, _)| name.as_str()).collect();
            known.sort_unstable();
            let known = if known.is_empty() { "it has none".to_string() } else { known.join(", ") };
            return Err(self.wrong(format!("thread P{thread} has no label `{label}` ({known})")));
        };
        let instruction = *instruction;
        self.next();
        self.atom(Proposition::At(thread, instruction))
    }

    /// A number that a register can hold, with a sign or without one.
    fn number(&self, n: i128) -> Result<Term, Wrong> {
        let bits = self.program.bits;
        let fits = bits >= 127 || (-(1 << (bits - 1))..1 << bits).contains(&n);
        match fits {
            true => Ok(Term::Number(n)),
            false => Err(self.wrong(format!("`{n}` does not fit the {bits}-bit values of the program"))),
        }
    }

    fn term(&mut self) -> Result<Term, Wrong> {
        if self.takes("-") {
            return match self.peek() {
                Token::Number(n) => {
                    let number = self.number(-n)?;
                    self.next();
                    Ok(number)
                }
                other => Err(self.wrong(format!("expected a number, found {}", other.words()))),
            };
        }
        match self.peek() {
            Token::Number(n) => {
                let number = self.number(n);
                self.next();
                if !self.takes(":") {
                    return number;
                }
                let thread = usize::try_from(n).unwrap_or(usize::MAX);
                self.known_thread(thread)?;
                let Token::Word(name) = self.peek() else {
                    return Err(self.wrong(format!("expected a register, found {}", self.peek().words())));
                };
                let Some(register) = self.program.regs.find(&name) else {
                    return Err(self.wrong(format!("no thread has a register `{name}`")));
                };
                self.next();
                Ok(Term::Register(thread, register))
            }
            Token::Word(name) => {
                let mut name = name;
                let start = self.at;
                self.next();
                if self.takes("[") {
                    let Token::Number(index) = self.next() else {
                        return Err(self.wrong("expected an index".to_string()));
                    };
                    if !self.takes("]") {
                        return Err(self.wrong(format!("expected `]`, found {}", self.peek().words())));
                    }
                    name = format!("{name}[{index}]");
                }
                match self.program.locations.iter().position(|cell| cell.name == name) {
                    Some(cell) => Ok(Term::Cell(cell)),
                    None => {
                        self.at = start;
                        Err(self.wrong(format!("there is no location `{name}`")))
                    }
                }
            }
            other => Err(self.wrong(format!("expected a proposition, found {}", other.words()))),
        }
    }

    fn atom(&mut self, proposition: Proposition) -> Result<Formula, Wrong> {
        let list = &mut self.propositions.list;
        let number = match list.iter().position(|known| *known == proposition) {
            Some(number) => number,
            None => {
                list.push(proposition);
                list.len() - 1
            }
        };
        if number >= MAX_ATOMS {
            return Err(self.wrong(format!("more than {MAX_ATOMS} different propositions")));
        }
        Ok(Formula::atom(Atom(number as u8)))
    }
}

/// The number in `P0`.
fn thread_name(word: &str) -> Option<usize> {
    word.strip_prefix('P').filter(|digits| !digits.is_empty())?.parse().ok()
}
