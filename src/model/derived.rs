//! What engines have made of a model: a test of one event more asks the same questions again.

use std::any::{Any, TypeId};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

/// More than this is forgotten, all at once.
const MOST: usize = 256;

type Known = FxHashMap<(TypeId, String), Arc<dyn Any + Send + Sync>>;

/// What was made of a model, by its type and by what else it depends on. A copy of a model starts anew: it may be changed.
#[derive(Default)]
pub struct Derived(Mutex<Known>);

impl Clone for Derived {
    fn clone(&self) -> Derived {
        Derived::default()
    }
}

impl fmt::Debug for Derived {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Derived")
    }
}

impl Derived {
    /// What was made under that key, or what is made now.
    pub fn get<T: Send + Sync + 'static>(&self, key: String, make: impl FnOnce() -> T) -> Arc<T> {
        let key = (TypeId::of::<T>(), key);
        let before = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(known) = before.and_then(|known| known.downcast::<T>().ok()) {
            return known;
        }
        let made = Arc::new(make());
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(key, Arc::clone(&made) as Arc<dyn Any + Send + Sync>);
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_made_once_for_each_key_and_type() {
        let derived = Derived::default();
        let get = |key: &str, value: u32| *derived.get(key.to_string(), || value);
        assert_eq!((get("a", 1), get("a", 2), get("b", 3)), (1, 1, 3));
        assert_eq!(*derived.get("a".to_string(), || "other"), "other");
        assert_eq!(*derived.clone().get("a".to_string(), || 4_u32), 4);
    }

    #[test]
    fn forgets_where_there_is_too_much() {
        let derived = Derived::default();
        for n in 0..=MOST {
            derived.get(n.to_string(), || n);
        }
        assert_eq!(*derived.get("0".to_string(), || MOST), MOST);
    }
}
