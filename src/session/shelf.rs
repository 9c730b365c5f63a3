//! The models of a session, each loaded once.

use std::sync::{Arc, Mutex, OnceLock};

use rustc_hash::FxHashMap;

use super::Settings;
use super::load::{self, Failure, ModelKey, Prepared};
use crate::limits;
use crate::variant::Variants;

/// A prepared model, or why there is none.
type Answer = Result<Arc<Prepared>, Arc<Failure>>;

/// Models by what they depend on.
#[derive(Debug, Default)]
pub(super) struct Shelf {
    slots: Mutex<FxHashMap<ModelKey, Arc<OnceLock<Answer>>>>,
}

impl Shelf {
    /// The model of that key, loaded the first time it is asked for.
    pub(super) fn model(&self, settings: &Settings, key: ModelKey) -> Answer {
        let (slot, alike, other) = {
            let mut slots = self.slots.lock().unwrap_or_else(|poison| poison.into_inner());
            if let Some(answer) = slots.get(&key).and_then(|slot| slot.get()) {
                return answer.clone();
            }
            let alike = slots.iter().find_map(|(other, slot)| {
                let prepared = slot.get()?.as_ref().ok()?;
                same(&key, other, &prepared.asks).then(|| Arc::clone(prepared))
            });
            let other = slots.iter().find_map(|(other, slot)| {
                let prepared = slot.get()?.as_ref().ok()?;
                (other.model == key.model).then(|| Arc::clone(prepared))
            });
            (Arc::clone(slots.entry(key.clone()).or_default()), alike, other)
        };
        let prepare = || {
            if let Some(alike) = alike {
                return Ok(alike);
            }
            // One that takes too long would do so again for the next test.
            let prepared = limits::catch(|| load::prepare_after(other.as_deref(), settings, &key));
            prepared.unwrap_or_else(|why| Err(Failure::stopped(why))).map(Arc::new).map_err(Arc::new)
        };
        slot.get_or_init(prepare).clone()
    }
}

/// Do two keys differ at most in variants that nothing asks about? Tests name variants that only their instructions know.
fn same(one: &ModelKey, other: &ModelKey, asks: &Variants) -> bool {
    one.model == other.model
        && one.arch == other.arch
        && one.single_copy == other.single_copy
        && asks.iter().all(|variant| one.variants.contains(variant) == other.variants.contains(variant))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::ArchId;
    use crate::files::Memory;
    use crate::variant::Variant;

    fn key(variants: &[Variant]) -> ModelKey {
        ModelKey {
            model: Some("m.cat".to_string()),
            arch: ArchId::AArch64,
            variants: variants.iter().copied().collect(),
            single_copy: false,
        }
    }

    #[test]
    fn a_model_is_lowered_again_only_for_variants_that_it_asks_about() {
        let main = "M\ninclude \"part.cat\"\nif \"dic\" include \"never.cat\" end\nempty f(0)";
        let part = "let f(r) = let x = if \"mixed\" then r else 0 in x";
        let files = Arc::new(Memory::new().with("m.cat", main).with("part.cat", part));
        let settings = Settings { files, ..Settings::default() };
        let shelf = Shelf::default();
        let model = |variants: &[Variant]| shelf.model(&settings, key(variants));
        let plain = model(&[]).unwrap();
        assert!(Arc::ptr_eq(&plain, &model(&[]).unwrap()));
        assert!(Arc::ptr_eq(&plain, &model(&[Variant::PAuth1, Variant::Sync]).unwrap()));
        // In a file that is included, in a function, or in what is bound before any of it.
        assert!(!Arc::ptr_eq(&plain, &model(&[Variant::Mixed]).unwrap()));
        assert!(!Arc::ptr_eq(&plain, &model(&[Variant::Ifetch]).unwrap()));
        assert!(model(&[Variant::Dic]).is_err());
        assert!(Arc::ptr_eq(&plain, &model(&[Variant::FPac]).unwrap()));
    }
}
