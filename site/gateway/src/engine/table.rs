//! Compact tables for a million rows: rows in one vector, found through a hash index of row
//! numbers.

use hashbrown::HashTable;

/// Row number; stable while the row exists.
pub type Slot = u32;

/// Marks the absence of a row.
pub const NO_SLOT: Slot = Slot::MAX;

/// A row with an id, by which it is found.
pub trait Row {
    fn id(&self) -> u32;
}

/// Rows and their index.
#[derive(Debug)]
pub struct Table<T> {
    rows: Vec<Option<T>>,
    free: Vec<Slot>,
    /// Ids with their slots. Storing the id costs four bytes, but a search then touches no row
    /// except the right one.
    index: HashTable<(u32, Slot)>,
    /// Random, so that nobody who chooses ids can cause collisions.
    seed: u64,
}

impl<T: Row> Table<T> {
    /// Makes an empty table. `seed` should be random.
    pub fn new(seed: u64) -> Self {
        Table {
            rows: Vec::new(),
            free: Vec::new(),
            index: HashTable::new(),
            seed: seed | 1,
        }
    }

    /// Multiply and fold. Ids are random or come from the registry, so the hash only has to
    /// spread them.
    #[inline]
    fn hash(seed: u64, id: u32) -> u64 {
        let product = (u128::from(id) + 1) * u128::from(seed);
        (product as u64) ^ (product >> 64) as u64 ^ (product as u64) << 32
    }

    #[inline]
    pub fn find(&self, id: u32) -> Option<Slot> {
        let hash = Self::hash(self.seed, id);
        let found = self.index.find(hash, |(other, _)| *other == id);
        found.map(|(_, slot)| *slot)
    }

    /// Adds a row. Its id must not be in the table.
    pub fn insert(&mut self, row: T) -> Slot {
        debug_assert!(self.find(row.id()).is_none());
        let id = row.id();
        let slot = match self.free.pop() {
            Some(slot) => {
                self.rows[slot as usize] = Some(row);
                slot
            }
            None => {
                self.rows.push(Some(row));
                (self.rows.len() - 1) as Slot
            }
        };
        let seed = self.seed;
        let rehash = |(id, _): &(u32, Slot)| Self::hash(seed, *id);
        self.index
            .insert_unique(Self::hash(seed, id), (id, slot), rehash);
        slot
    }

    pub fn remove(&mut self, slot: Slot) -> Option<T> {
        let row = self.rows.get_mut(slot as usize)?.take()?;
        let hash = Self::hash(self.seed, row.id());
        if let Ok(entry) = self.index.find_entry(hash, |(_, found)| *found == slot) {
            entry.remove();
        }
        self.free.push(slot);
        Some(row)
    }

    #[inline]
    pub fn get(&self, slot: Slot) -> Option<&T> {
        self.rows.get(slot as usize)?.as_ref()
    }

    #[inline]
    pub fn get_mut(&mut self, slot: Slot) -> Option<&mut T> {
        self.rows.get_mut(slot as usize)?.as_mut()
    }

    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// One more than the highest slot used so far.
    pub fn slots(&self) -> Slot {
        self.rows.len() as Slot
    }

    pub fn iter(&self) -> impl Iterator<Item = (Slot, &T)> {
        self.rows
            .iter()
            .enumerate()
            .filter_map(|(slot, row)| Some((slot as Slot, row.as_ref()?)))
    }

    /// Reserves memory for this number of rows.
    pub fn reserve(&mut self, rows: usize) {
        self.rows.reserve(rows.saturating_sub(self.rows.len()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    impl Row for u32 {
        fn id(&self) -> u32 {
            *self
        }
    }

    proptest! {
        #[test]
        fn it_is_a_map(
            seed: u64,
            steps in prop::collection::vec((0u32..50, any::<bool>()), 0..400),
        ) {
            let mut table = Table::new(seed);
            let mut model = HashMap::new();
            for (id, add) in steps {
                match (model.get(&id).copied(), add) {
                    (None, true) => {
                        model.insert(id, table.insert(id));
                    }
                    (Some(slot), false) => {
                        prop_assert_eq!(table.remove(slot), Some(id));
                        prop_assert_eq!(table.remove(slot), None);
                        model.remove(&id);
                    }
                    _ => {}
                }
                prop_assert_eq!(table.len(), model.len());
                for id in 0..50 {
                    prop_assert_eq!(table.find(id), model.get(&id).copied());
                }
            }
            prop_assert_eq!(table.iter().count(), model.len());
        }
    }
}
