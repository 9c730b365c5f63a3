//! Reads logs: ours, herd7's and litmus7's.

use std::collections::{BTreeMap, BTreeSet};

use crate::condition::Quantifier;

use super::Count;

/// A log: its tests, in the order of the file.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Log {
    /// The tests; a later block of the same name and hash adds to the first.
    pub tests: Vec<LogTest>,
    /// Tests whose block breaks off, with the line where it starts: what is missing says nothing, so they are not among the others.
    pub broken: Vec<(String, usize)>,
}

/// One test of a log.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct LogTest {
    /// Its name.
    pub name: String,
    /// The line of the log where it starts, from 1.
    pub line: usize,
    /// The condition's shape, if the log names it.
    pub kind: Option<Quantifier>,
    /// Final states with how often each was seen (1 in a simulator's log).
    pub states: BTreeMap<State, Count>,
    /// What the verdict line says.
    pub verdict: LogVerdict,
    /// Were loops cut?
    pub cut: bool,
    /// `Positive:` and `Negative:` as printed.
    pub witnesses: Option<(Count, Count)>,
    /// `Flag` lines.
    pub flags: BTreeSet<String>,
    /// The condition's text.
    pub condition: Option<String>,
    /// `Always`, `Sometimes` or `Never`, with the two numbers.
    pub observation: Option<(String, Count, Count)>,
    /// The first `Hash=` line.
    pub hash: Option<String>,
    /// Does it come from a run on hardware (`Histogram`)?
    pub hardware: bool,
}

/// A verdict in a log.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug)]
pub enum LogVerdict {
    /// `Ok`.
    Ok,
    /// `No`.
    No,
    /// Undefined, or none at all.
    #[default]
    Unknown,
}

impl LogVerdict {
    /// As comparisons show it.
    pub fn word(self) -> &'static str {
        match self {
            LogVerdict::Ok => "Ok",
            LogVerdict::No => "No",
            LogVerdict::Unknown => "??",
        }
    }
}

/// A final state in a form that can be compared: its bindings by location, in one spelling.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct State {
    bindings: Vec<(String, String)>,
}

impl std::fmt::Display for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (index, (place, value)) in self.bindings.iter().enumerate() {
            let blank = if index > 0 { " " } else { "" };
            if value.is_empty() {
                write!(f, "{blank}{place};")?;
            } else {
                write!(f, "{blank}{place}={value};")?;
            }
        }
        Ok(())
    }
}

/// How wide numbers are when they are compared: a register may be printed by one tool as -1, by another as 4294967295.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum Width {
    /// 32 bits, as the tools of the field have it.
    #[default]
    Int32,
    /// 64 bits.
    Int64,
}

impl State {
    /// From a state line.
    pub fn parse(line: &str, width: Width) -> State {
        let mut bindings: Vec<(String, String)> = line
            .split(';')
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .map(|part| match part.split_once('=') {
                Some((place, value)) => (place_name(place.trim()), one_spelling(value.trim(), width)),
                None => (part.to_string(), String::new()),
            })
            .collect();
        bindings.sort_by_cached_key(|(place, _)| place_order(place));
        State { bindings }
    }

    /// The state with other names for its places, or without some of them.
    pub(super) fn renamed(&self, called: &dyn Fn(&str) -> Option<String>) -> State {
        let kept = self.bindings.iter().filter_map(|(place, value)| Some((called(place)?, value.clone())));
        let mut bindings: Vec<(String, String)> = kept.collect();
        bindings.sort_by_cached_key(|(place, _)| place_order(place));
        State { bindings }
    }

    /// The bindings, by location.
    pub fn bindings(&self) -> &[(String, String)] {
        &self.bindings
    }
}

/// Registers by thread and number first, then the rest by name.
fn place_order(place: &str) -> (bool, usize, String, usize, String) {
    let (thread, name) = match place.split_once(':') {
        Some((thread, name)) if thread.parse::<usize>().is_ok() => (thread.parse().ok(), name),
        _ => (None, place),
    };
    let letters: String = name.chars().take_while(|c| !c.is_ascii_digit()).collect();
    let number = name[letters.len()..].parse().unwrap_or(usize::MAX);
    (thread.is_none(), thread.unwrap_or(0), letters, number, name.to_string())
}

/// `[x]` is `x`, `pte_x` is `PTE(x)`.
fn place_name(place: &str) -> String {
    let bare = place.strip_prefix('[').and_then(|p| p.strip_suffix(']')).unwrap_or(place);
    match bare.strip_prefix("pte_") {
        Some(name) => format!("PTE({name})"),
        None => bare.to_string(),
    }
}

/// Numbers in decimal, at one width; everything else without blanks around it.
fn one_spelling(value: &str, width: Width) -> String {
    if let Some(list) = value.strip_prefix('{').and_then(|v| v.strip_suffix('}')) {
        let parts: Vec<String> = list.split(',').map(|part| one_spelling(part.trim(), width)).collect();
        return format!("{{{}}}", parts.join(","));
    }
    let number = match value.strip_prefix("0x").or_else(|| value.strip_prefix("0X")) {
        Some(hex) => u128::from_str_radix(hex, 16).ok().map(|n| n as i128),
        None => value.parse::<i128>().ok(),
    };
    match (number, width) {
        (Some(n), Width::Int32) => (n as i32).to_string(),
        (Some(n), Width::Int64) => (n as i64).to_string(),
        (None, _) => place_name(value),
    }
}

impl Log {
    /// Reads a log. Lines that mean nothing are passed over: logs come with banners, warnings and machine data.
    pub fn read(text: &str, width: Width) -> Log {
        let mut log = Log::default();
        let mut reader = Reader { width, current: None, states_left: 0, judged: false };
        for (index, line) in text.lines().enumerate() {
            let judged = reader.judged;
            if let Some(done) = reader.line(index + 1, line.trim_end()) {
                log.close(done, judged);
            }
        }
        if let Some(last) = reader.current {
            log.close(last, reader.judged);
        }
        log
    }

    /// The test of that name.
    pub fn get(&self, name: &str) -> Option<&LogTest> {
        self.tests.iter().find(|test| test.name == name)
    }

    /// A block is at its end: is it whole?
    fn close(&mut self, test: LogTest, judged: bool) {
        if judged { self.add(test) } else { self.broken.push((test.name, test.line)) }
    }

    /// Adds a test; another block of one already there is summed up with it, as repeated runs on hardware are.
    fn add(&mut self, test: LogTest) {
        let same = |old: &LogTest| old.name == test.name && old.hash == test.hash;
        let known =
            if test.hardware { self.tests.iter_mut().find(|old| old.hardware && same(old)) } else { None };
        match known {
            None => self.tests.push(test),
            Some(old) => {
                for (state, count) in test.states {
                    *old.states.entry(state).or_default() += count;
                }
                if let (Some(old), Some(new)) = (&mut old.witnesses, test.witnesses) {
                    old.0 += new.0;
                    old.1 += new.1;
                }
                if old.verdict != test.verdict {
                    old.verdict = LogVerdict::Unknown;
                }
            }
        }
    }
}

struct Reader {
    width: Width,
    current: Option<LogTest>,
    states_left: usize,
    /// Has something been read that comes after the states?
    judged: bool,
}

impl Reader {
    /// Takes a line; hands back the test before if this one starts another.
    fn line(&mut self, number: usize, line: &str) -> Option<LogTest> {
        if let Some(rest) = line.strip_prefix("Test ") {
            let mut words = rest.split_whitespace();
            let name = words.next()?.to_string();
            let kind = words.next().and_then(kind);
            self.states_left = 0;
            self.judged = false;
            return self.current.replace(LogTest { name, line: number, kind, ..LogTest::default() });
        }
        let test = self.current.as_mut()?;
        if self.states_left > 0 {
            self.states_left -= 1;
            let (state, count) = counted(line);
            *test.states.entry(State::parse(state, self.width)).or_default() += count;
            return None;
        }
        let mut words = line.split_whitespace();
        let first = words.next().unwrap_or("");
        let closes = [
            "Ok",
            "No",
            "Undef",
            "Succeeded",
            "Failed",
            "??",
            "Loop",
            "Witnesses",
            "Positive:",
            "Condition",
            "Observation",
        ];
        self.judged |= closes.contains(&first) || first.starts_with("Hash=");
        match first {
            "States" => self.states_left = words.next().and_then(|n| n.parse().ok()).unwrap_or(0),
            "Histogram" => {
                test.hardware = true;
                let count = words.next().unwrap_or("").trim_start_matches('(');
                self.states_left = count.parse().unwrap_or(0);
            }
            "Loop" => {
                test.cut = true;
                test.verdict = words.next().map_or(LogVerdict::Unknown, verdict);
            }
            word @ ("Ok" | "No" | "Undef" | "Succeeded" | "Failed" | "??") if words.next().is_none() => {
                test.verdict = verdict(word);
            }
            "Positive:" => {
                let mut numbers = line.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok());
                test.witnesses = numbers.next().zip(numbers.next());
            }
            "Flag" => {
                let flag = line["Flag".len()..].trim();
                test.flags.insert(flag.split(": ").next().unwrap_or(flag).to_string());
            }
            "Condition" => {
                let text = line["Condition".len()..].trim();
                let text = text.trim_end_matches(" is validated").trim_end_matches(" is NOT validated");
                test.condition = Some(text.trim_end_matches(" is not validated").to_string());
            }
            "Observation" => {
                let fields: Vec<&str> = words.collect();
                if let [_, word, positive, negative] = fields[..] {
                    let numbers = positive.parse().ok().zip(negative.parse().ok());
                    test.observation = numbers.map(|(p, n)| (word.to_string(), p, n));
                }
            }
            word => {
                if let Some(hash) = word.strip_prefix("Hash=").filter(|_| test.hash.is_none()) {
                    test.hash = Some(hash.to_string());
                }
            }
        }
        None
    }
}

/// `500 :> 0:EAX=0;`, `2 *> …`, or a bare state.
fn counted(line: &str) -> (&str, Count) {
    let split = line.split_once(":>").or_else(|| line.split_once("*>"));
    match split.and_then(|(count, state)| Some((state, count.trim().parse().ok()?))) {
        Some((state, count)) => (state, count),
        None => (line, Count::ONE),
    }
}

fn kind(word: &str) -> Option<Quantifier> {
    match word {
        "Allowed" | "Allow" => Some(Quantifier::Exists),
        "Forbidden" | "Forbid" => Some(Quantifier::NotExists),
        "Required" | "Require" => Some(Quantifier::Forall),
        _ => None,
    }
}

fn verdict(word: &str) -> LogVerdict {
    match word {
        "Ok" | "Succeeded" => LogVerdict::Ok,
        "No" | "Failed" => LogVerdict::No,
        _ => LogVerdict::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERD: &str = "\
Test SB Allowed
States 2
0:EAX=0; 1:EAX=0; [x]=0x1;
0:EAX=0; 1:EAX=-1; [x]=1;
Loop Ok
Witnesses
Positive: 1 Negative: 3
Flag *undef*
Flag race
Condition exists (0:EAX=0 /\\ 1:EAX=0)
Observation SB Sometimes 1 3
Time SB 0.00
Hash=edd4722437d708675ed921e7607e77f0

Test None Required
States 1

Ok
";

    #[test]
    fn reads_a_simulators_log() {
        let log = Log::read(HERD, Width::Int32);
        let [sb, none] = &log.tests[..] else { panic!("two tests: {log:?}") };
        let states: Vec<String> = sb.states.keys().map(State::to_string).collect();
        assert_eq!(states, ["0:EAX=0; 1:EAX=-1; x=1;", "0:EAX=0; 1:EAX=0; x=1;"]);
        assert_eq!((sb.kind, sb.verdict, sb.cut), (Some(Quantifier::Exists), LogVerdict::Ok, true));
        assert_eq!(sb.witnesses, Some((Count::ONE, Count::from(3u64))));
        assert_eq!(sb.flags.iter().map(String::as_str).collect::<Vec<_>>(), ["*undef*", "race"]);
        assert_eq!(sb.condition.as_deref(), Some("exists (0:EAX=0 /\\ 1:EAX=0)"));
        assert_eq!(sb.observation, Some(("Sometimes".to_string(), Count::ONE, Count::from(3u64))));
        assert_eq!(sb.hash.as_deref(), Some("edd4722437d708675ed921e7607e77f0"));
        assert_eq!((none.line, none.states.len(), none.verdict), (15, 1, LogVerdict::Ok));
    }

    #[test]
    fn numbers_may_be_of_any_size() {
        let all = "2417851639229258349412352";
        let text = format!(
            "Test A Allowed\nStates 1\nx=1;\nOk\nPositive: {all} Negative: 0\nObservation A Always {all} 0\n"
        );
        let log = Log::read(&text, Width::Int32);
        let all: Count = all.parse().expect("a number");
        assert_eq!(log.tests[0].witnesses, Some((all.clone(), Count::ZERO)));
        assert_eq!(log.tests[0].observation, Some(("Always".to_string(), all, Count::ZERO)));
    }

    #[test]
    fn reads_and_sums_logs_of_hardware() {
        let block = "banner\nTest SB Allowed\nHistogram (2 states)\n3     *>0:EAX=0; x=4294967295;\n497   :>x=2; 0:EAX=1;\nOk\n\
                     Condition exists (0:EAX=0) is validated\nHash=aa\n";
        let log = Log::read(&block.repeat(2), Width::Int32);
        let [sb] = &log.tests[..] else { panic!("one test: {log:?}") };
        let states: Vec<String> = sb.states.iter().map(|(state, n)| format!("{n} {state}")).collect();
        assert_eq!(states, ["6 0:EAX=0; x=-1;", "994 0:EAX=1; x=2;"]);
        assert_eq!(sb.condition.as_deref(), Some("exists (0:EAX=0)"));
    }

    #[test]
    fn states_have_one_spelling() {
        let same = |a: &str, b: &str| State::parse(a, Width::Int32) == State::parse(b, Width::Int32);
        assert!(same("0:X1=0xffffffff; [pte_x]=y;", "PTE(x)=y; 0:X1=-1;"));
        assert!(same("v={1,0x2};", "v={1,2}; "));
        assert!(!same("0:X1=1;", "0:X2=1;"));
        assert_ne!(State::parse("x=4294967295;", Width::Int64), State::parse("x=-1;", Width::Int64));
        assert_eq!(
            State::parse("0:X10=1; 0:X2=3; ~Fault(P0,x);", Width::Int32).to_string(),
            "0:X2=3; 0:X10=1; ~Fault(P0,x);"
        );
    }

    #[test]
    fn broken_logs_do_no_harm() {
        for text in [
            "",
            "Test",
            "Test A\nStates",
            "Test A\nStates 9999\nx=1;",
            "Hash=1\nStates 3",
            "Test A\nPositive: x",
        ] {
            Log::read(text, Width::Int32);
        }
    }
}
