//! Counted slots for limited resources: connections of an address, live events and requests of a
//! caller.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

/// Number of slots that each owner has taken.
#[derive(Debug)]
pub struct Permits<K>(Arc<Mutex<HashMap<K, usize>>>);

impl<K> Default for Permits<K> {
    fn default() -> Self {
        Permits(Arc::default())
    }
}

/// A taken slot. Dropping it frees the slot.
#[derive(Debug)]
pub struct Permit<K: Eq + Hash> {
    counts: Arc<Mutex<HashMap<K, usize>>>,
    whose: K,
}

impl<K: Eq + Hash + Clone> Permits<K> {
    /// Takes a slot. Returns `None` if `whose` already has `max` slots.
    pub fn take(&self, whose: K, max: usize) -> Option<Permit<K>> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.get(&whose).copied().unwrap_or(0) >= max {
            return None;
        }
        *all.entry(whose.clone()).or_default() += 1;
        Some(Permit {
            counts: self.0.clone(),
            whose,
        })
    }
}

impl<K: Eq + Hash> Drop for Permit<K> {
    fn drop(&mut self) {
        let mut all = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = all.get_mut(&self.whose) {
            *count -= 1;
            if *count == 0 {
                all.remove(&self.whose);
            }
        }
    }
}
