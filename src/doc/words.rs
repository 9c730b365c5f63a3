//! Words of an answer: verdicts, observations, how far they can be trusted.

use crate::variant::Variant;

use super::machine::MACHINE;

/// A word that logs, tables and JSON use, or tests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Word {
    /// As it is written.
    pub word: &'static str,
    /// Where it stands.
    pub place: &'static str,
    /// What it says.
    pub text: &'static str,
}

const KIND: &str = "first line of a log: the question, not the answer";
const VERDICT: &str = "verdict: the answer";
const OBSERVATION: &str = "observation line of a log";
const QUALIFIER: &str = "qualifier: how far the verdict can be trusted";

/// All of them.
const WORDS: [Word; 20] = [
    Word {
        word: "Allowed",
        place: KIND,
        text: "The condition is `exists (P)`. The test asks whether some execution ends with P: `Ok` if one does.",
    },
    Word {
        word: "Forbidden",
        place: KIND,
        text: "The condition is `~exists (P)`. The test asks whether no execution ends with P: `Ok` if none does.",
    },
    Word {
        word: "Required",
        place: KIND,
        text: "The condition is `forall (P)`. The test asks whether all executions end with P: `Ok` if they do.",
    },
    Word {
        word: "Ok",
        place: VERDICT,
        text: "The condition holds, with its quantifier: `exists` found a witness, `~exists` found none, `forall` found no exception.",
    },
    Word {
        word: "No",
        place: VERDICT,
        text: "The condition does not hold. For `exists` that is no fault: the model forbids what the test asks for.",
    },
    Word {
        word: "Undef",
        place: VERDICT,
        text: "An execution that the model accepts has undefined behaviour: nothing is promised, whatever the condition says.",
    },
    Word {
        word: "Never",
        place: OBSERVATION,
        text: "No execution has the proposition of the condition, whatever its quantifier.",
    },
    Word {
        word: "Sometimes",
        place: OBSERVATION,
        text: "Some executions have the proposition of the condition, and some do not.",
    },
    Word {
        word: "Always",
        place: OBSERVATION,
        text: "Every execution has the proposition of the condition.",
    },
    Word {
        word: "Positive",
        place: "witnesses of a log",
        text: "How many executions have the proposition of the condition.",
    },
    Word {
        word: "Negative",
        place: "witnesses of a log",
        text: "How many executions do not have the proposition of the condition.",
    },
    Word {
        word: "Flag",
        place: "line of a log",
        text: "A `flag` of the model was raised by some execution: `Flag data-race`. The execution counts all the same. `litmus explain` says which accesses, `--show flagged` draws it.",
    },
    Word { word: "complete", place: QUALIFIER, text: "Everything was explored." },
    Word {
        word: "bounded",
        place: QUALIFIER,
        text: "Loops were cut at `--unroll`; which ones is said. What was seen is certain, more may exist.",
    },
    Word {
        word: "timeout",
        place: QUALIFIER,
        text: "`--timeout` was reached: what was seen is certain, more may exist.",
    },
    Word {
        word: "execution-limit",
        place: QUALIFIER,
        text: "`--max-executions` was reached: what was seen is certain, more may exist.",
    },
    Word {
        word: "memory-limit",
        place: QUALIFIER,
        text: "`--max-memory` was reached: what was seen is certain, more may exist.",
    },
    Word {
        word: "interrupted",
        place: QUALIFIER,
        text: "Ctrl-C came before the end: what was seen is certain, more may exist.",
    },
    Word {
        word: "decided",
        place: QUALIFIER,
        text: "`--mode check` stopped as soon as the condition was decided.",
    },
    Word {
        word: "unsupported",
        place: QUALIFIER,
        text: "The test or the model uses something that is not supported: there is no answer, and the message says why.",
    },
];

/// All words: those of answers, and those of tests about the machine.
pub fn words() -> impl Iterator<Item = &'static Word> {
    WORDS.iter().chain(&MACHINE)
}

/// What a word says. Variants go by each of their names.
pub fn word(word: &str) -> Option<&'static Word> {
    let variant = Variant::parse(word).map(Variant::name);
    words().find(|own| own.word == word).or_else(|| words().find(|own| Some(own.word) == variant))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variant::Support;

    #[test]
    fn no_word_is_explained_twice() {
        let mut seen = std::collections::BTreeSet::new();
        assert!(words().all(|own| seen.insert(own.word)));
    }

    #[test]
    fn variants_of_the_machine_go_by_each_of_their_names() {
        for name in ["kvm", "self", "mte", "tagmem", "precise", "imprecise", "skip", "NV2"] {
            assert!(word(name).is_some(), "{name}");
        }
        for refused in ["neon", "sve", "sme", "morello", "asl"] {
            let variant = Variant::parse(refused).map(Variant::support);
            assert_eq!(variant, Some(Support::Missing), "{refused}");
            assert!(word(refused).is_some_and(|own| own.text.contains("Not supported")), "{refused}");
        }
    }
}
