//! Other names, kinds and conditions for tests than their files have: herd7's `-rename`, `-kinds` and `-conds`.

use std::collections::BTreeMap;

use crate::condition::Quantifier;
use crate::diag::Diagnostic;
use crate::source::Sources;

use super::ast::Test;
use super::finals::fin;

/// What to put in the place of what tests say of themselves, by the name in their header.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Overrides {
    /// Their names in the output.
    pub names: BTreeMap<String, String>,
    /// The shapes of their conditions.
    pub kinds: BTreeMap<String, Quantifier>,
    /// Their conditions.
    pub conditions: BTreeMap<String, String>,
}

impl Overrides {
    /// Changes a test as asked. Its hash stays that of the file, so that logs still match.
    pub(crate) fn apply(&self, test: &mut Test, sources: &mut Sources) -> Result<(), Diagnostic> {
        let name = test.name.clone();
        if let Some(text) = self.conditions.get(&name) {
            let source = sources.add(format!("condition of {name}"), text.as_str());
            let new = fin(text, 0, text.len(), source).map_err(|error| *error)?;
            let own = std::mem::replace(&mut test.fin.prop, new.prop);
            test.own_prop.get_or_insert(own);
            test.fin.quantifier = new.quantifier;
            test.fin.condition_span = new.condition_span;
        }
        if let Some(quantifier) = self.kinds.get(&name) {
            test.fin.quantifier = *quantifier;
        }
        if let Some(name) = self.names.get(&name) {
            test.name.clone_from(name);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::litmus::{LowerOptions, lower, parse};

    const SB: &str = "X86 SB\n{}\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n";

    fn changed(overrides: &Overrides) -> Result<(Test, Vec<String>, String), String> {
        let mut sources = Sources::new();
        let source = sources.add("SB.litmus".to_string(), SB);
        let mut test = parse(&sources, source).unwrap();
        overrides.apply(&mut test, &mut sources).map_err(|d| d.message)?;
        let lowered = lower(&test, &LowerOptions::default()).unwrap();
        Ok((test, lowered.hashes, lowered.condition_text))
    }

    fn one<T>(value: T) -> BTreeMap<String, T> {
        BTreeMap::from([("SB".to_string(), value)])
    }

    #[test]
    fn a_test_gets_another_name_kind_and_condition_and_keeps_its_hash() {
        let (plain, hash, _) = changed(&Overrides::default()).unwrap();
        assert_eq!(plain.name, "SB");
        let overrides = Overrides {
            names: one("Dekker".to_string()),
            kinds: one(Quantifier::NotExists),
            conditions: one("forall ([x]=1)".to_string()),
        };
        let (test, hash_after, condition) = changed(&overrides).unwrap();
        assert_eq!(test.name, "Dekker");
        assert_eq!(condition, "~exists ([x]=1)");
        assert_eq!(hash_after, hash);
    }

    #[test]
    fn others_are_left_alone() {
        let kinds = BTreeMap::from([("MP".to_string(), Quantifier::Forall)]);
        let (_, _, condition) = changed(&Overrides { kinds, ..Overrides::default() }).unwrap();
        assert_eq!(condition, "exists (0:EAX=0 /\\ 1:EAX=0)");
    }

    #[test]
    fn a_condition_that_is_none_is_an_error() {
        let overrides = Overrides { conditions: one("exists (0:EAX=".to_string()), ..Overrides::default() };
        assert!(changed(&overrides).is_err());
    }
}
