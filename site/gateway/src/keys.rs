//! Session keys at rest: a file of fixed-size slots, one per session.
//!
//! The journal names a slot but holds no key. A slot is written when its session begins, and
//! overwritten in place when the session ends, so no file keeps the keys of ended sessions.
//! Each start overwrites all unused slots, in case the gateway was killed after a session ended
//! and before its slot was overwritten.
//!
//! A slot names its owner and has a CRC. If the journal names a slot that has a new owner or is
//! incomplete after a power failure, the session gets no key, and the node rejoins.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use selo_link::session::KEY_BYTES;
use zeroize::Zeroizing;

use crate::error::{Error, Result};
use crate::state::private_file;

/// Size of a slot: session id, join counter, tag (4 bytes each), keys, CRC (4 bytes).
pub const SLOT_BYTES: usize = 12 + KEY_BYTES + 4;

const BLANK: [u8; SLOT_BYTES] = [0; SLOT_BYTES];

/// The session that owns a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner {
    pub id: u32,
    pub join: u32,
    pub tag: u32,
}

impl Owner {
    fn to_bytes(self) -> [u8; 12] {
        let mut bytes = [0; 12];
        for (at, word) in [self.id, self.join, self.tag].into_iter().enumerate() {
            bytes[4 * at..4 * at + 4].copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }
}

/// A change of a slot.
#[derive(Clone)]
pub struct Change {
    pub slot: u32,
    /// New content of the slot; `None` if its session has ended.
    record: Option<Zeroizing<[u8; SLOT_BYTES]>>,
}

impl std::fmt::Debug for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Change({}, {})", self.slot, self.is_forgotten())
    }
}

impl Change {
    fn keep(slot: u32, owner: Owner, keys: &[u8; KEY_BYTES]) -> Change {
        let mut record = Zeroizing::new(BLANK);
        record[..12].copy_from_slice(&owner.to_bytes());
        record[12..12 + KEY_BYTES].copy_from_slice(keys);
        let crc = crc32fast::hash(&record[..12 + KEY_BYTES]);
        record[12 + KEY_BYTES..].copy_from_slice(&crc.to_le_bytes());
        Change {
            slot,
            record: Some(record),
        }
    }

    /// True if the change erases the slot.
    pub fn is_forgotten(&self) -> bool {
        self.record.is_none()
    }

    fn bytes(&self) -> &[u8; SLOT_BYTES] {
        self.record.as_deref().unwrap_or(&BLANK)
    }
}

/// Allocation of slots to sessions, and pending changes to the file.
#[derive(Debug, Default)]
pub struct Slots {
    free: Vec<u32>,
    /// Freed since the last [`Slots::take`]. Not reused before the changes are written.
    freed: Vec<u32>,
    /// No slot from here on has been allocated.
    end: u32,
    changes: Vec<Change>,
}

impl Slots {
    /// Allocates a slot for a new session.
    pub fn keep(&mut self, owner: Owner, keys: &[u8; KEY_BYTES]) -> u32 {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.end += 1;
            self.end - 1
        });
        self.changes.push(Change::keep(slot, owner, keys));
        slot
    }

    /// Frees the slot of an ended session.
    pub fn forget(&mut self, slot: u32) {
        self.changes.push(Change { slot, record: None });
        self.freed.push(slot);
    }

    /// Takes the pending changes. Write kept slots before the journal names them, and forgotten
    /// slots after the journal records the end of their sessions.
    pub fn take(&mut self) -> Vec<Change> {
        self.free.append(&mut self.freed);
        std::mem::take(&mut self.changes)
    }

    /// Starts with these slots in use; `used` must be sorted.
    pub fn of(used: &[u32]) -> Slots {
        let mut slots = Slots::default();
        for slot in used {
            slots.free.extend(slots.end..*slot);
            slots.end = slot + 1;
        }
        slots
    }
}

/// Content of all slots, as read from the file.
#[derive(Default)]
pub struct Stored {
    bytes: Zeroizing<Vec<u8>>,
}

impl std::fmt::Debug for Stored {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Stored({} slots)", self.bytes.len() / SLOT_BYTES)
    }
}

impl Stored {
    /// The keys in a slot, if `owner` owns it and the CRC is right.
    pub fn keys(&self, slot: u32, owner: Owner) -> Option<Zeroizing<[u8; KEY_BYTES]>> {
        let from = (slot as usize).checked_mul(SLOT_BYTES)?;
        let record = self.bytes.get(from..from.checked_add(SLOT_BYTES)?)?;
        let (body, crc) = record.split_at(12 + KEY_BYTES);
        let whole = crc32fast::hash(body).to_le_bytes() == *crc;
        if !whole || body[..12] != owner.to_bytes() {
            return None;
        }
        let mut keys = Zeroizing::new([0; KEY_BYTES]);
        keys.copy_from_slice(&body[12..]);
        Some(keys)
    }

    /// Applies a change in memory, as if it had been written to the file.
    pub fn apply(&mut self, change: &Change) {
        let from = change.slot as usize * SLOT_BYTES;
        if self.bytes.len() < from + SLOT_BYTES {
            let mut grown = Zeroizing::new(vec![0; from + SLOT_BYTES]);
            grown[..self.bytes.len()].copy_from_slice(&self.bytes);
            self.bytes = grown;
        }
        self.bytes[from..from + SLOT_BYTES].copy_from_slice(change.bytes());
    }
}

/// The file of session keys.
#[derive(Debug)]
pub struct KeyFile {
    file: File,
    path: PathBuf,
}

impl KeyFile {
    /// Opens or creates the file, and reads it.
    pub fn open(path: &Path) -> Result<(KeyFile, Stored)> {
        let read = |source| Error::Read {
            path: path.into(),
            source,
        };
        let mut file =
            private_file(path, OpenOptions::new().read(true).create(true)).map_err(read)?;
        // Allocated in full, because a growing vector would leave copies of keys in memory.
        let length = file.metadata().map_err(read)?.len() as usize;
        let mut bytes = Zeroizing::new(Vec::with_capacity(length + 1));
        file.read_to_end(&mut bytes).map_err(read)?;
        let path = path.into();
        Ok((KeyFile { file, path }, Stored { bytes }))
    }

    /// Overwrites every slot except `used`, which must be sorted, and synchronises the file.
    pub fn keep_only(&self, used: &[u32]) -> Result<()> {
        let length = self.at(self.file.metadata())?.len();
        let slots = length.div_ceil(SLOT_BYTES as u64);
        let slots = (0..slots as u32).filter(|slot| used.binary_search(slot).is_err());
        for slot in slots {
            let from = u64::from(slot) * SLOT_BYTES as u64;
            let bytes = (length - from).min(SLOT_BYTES as u64) as usize;
            self.at(self.file.write_all_at(&BLANK[..bytes], from))?;
        }
        self.sync()
    }

    /// Writes the kept slots of these changes.
    pub fn write_kept(&self, changes: &[Change]) -> Result<()> {
        self.write(changes.iter().filter(|change| !change.is_forgotten()))
    }

    /// Overwrites the forgotten slots of these changes.
    pub fn write_forgotten(&self, changes: &[Change]) -> Result<()> {
        self.write(changes.iter().filter(|change| change.is_forgotten()))
    }

    fn write<'a>(&self, changes: impl Iterator<Item = &'a Change>) -> Result<()> {
        for change in changes {
            let from = u64::from(change.slot) * SLOT_BYTES as u64;
            self.at(self.file.write_all_at(change.bytes(), from))?;
        }
        Ok(())
    }

    /// Synchronises the file to disk.
    pub fn sync(&self) -> Result<()> {
        self.at(self.file.sync_data())
    }

    /// A handle of the file, for synchronisation by another thread.
    pub fn file(&self) -> Result<File> {
        self.at(self.file.try_clone())
    }

    fn at<T>(&self, result: io::Result<T>) -> Result<T> {
        result.map_err(|source| Error::Write {
            path: self.path.clone(),
            source,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    const OWNER: Owner = Owner {
        id: 1,
        join: 2,
        tag: 3,
    };

    fn file() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("keys");
        (folder, path)
    }

    #[test]
    fn keys_are_found_by_their_owner_and_gone_when_forgotten() {
        let (_folder, path) = file();
        let (keys, _) = KeyFile::open(&path).expect("opens");
        let mode = std::fs::metadata(&path)
            .expect("there")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
        let mut slots = Slots::default();
        let slot = slots.keep(OWNER, &[7; KEY_BYTES]);
        let changes = slots.take();
        keys.write_kept(&changes).expect("writes");
        keys.write_forgotten(&changes).expect("writes");
        let (keys, stored) = KeyFile::open(&path).expect("opens");
        assert_eq!(stored.keys(slot, OWNER).as_deref(), Some(&[7; KEY_BYTES]));
        for other in [
            Owner { id: 9, ..OWNER },
            Owner { join: 9, ..OWNER },
            Owner { tag: 9, ..OWNER },
        ] {
            assert!(stored.keys(slot, other).is_none());
        }
        assert!(stored.keys(slot + 1, OWNER).is_none());
        assert!(stored.keys(u32::MAX, OWNER).is_none());

        slots.forget(slot);
        let changes = slots.take();
        keys.write_kept(&changes).expect("writes");
        keys.write_forgotten(&changes).expect("writes");
        assert!(std::fs::read(&path).expect("there").iter().all(|b| *b == 0));
    }

    #[test]
    fn a_slot_is_not_given_again_before_it_is_overwritten() {
        let mut slots = Slots::default();
        let first = slots.keep(OWNER, &[1; KEY_BYTES]);
        slots.forget(first);
        assert_ne!(slots.keep(OWNER, &[2; KEY_BYTES]), first);
        slots.take();
        assert_eq!(slots.keep(OWNER, &[3; KEY_BYTES]), first);
    }

    #[test]
    fn a_start_overwrites_what_no_session_has() {
        let (_folder, path) = file();
        let (keys, mut stored) = KeyFile::open(&path).expect("opens");
        let mut slots = Slots::default();
        for _ in 0..5 {
            slots.keep(OWNER, &[7; KEY_BYTES]);
        }
        for change in &slots.take() {
            keys.write_kept(std::slice::from_ref(change))
                .expect("writes");
            stored.apply(change);
        }
        // An incomplete slot, as after a power failure, is overwritten as well.
        keys.file
            .write_all_at(&[7; 40], 5 * SLOT_BYTES as u64)
            .expect("writes");
        let (keys, _) = KeyFile::open(&path).expect("opens");
        keys.keep_only(&[1, 3]).expect("writes");
        let bytes = std::fs::read(&path).expect("there");
        let left = bytes
            .chunks(SLOT_BYTES)
            .map(|slot| slot.iter().any(|b| *b != 0));
        assert!(left.eq([false, true, false, true, false, false]));
        let mut slots = Slots::of(&[1, 3]);
        let mut given: Vec<_> = (0..3).map(|_| slots.keep(OWNER, &[1; KEY_BYTES])).collect();
        given.sort_unstable();
        assert_eq!(given, [0, 2, 4]);
    }

    #[test]
    fn a_damaged_slot_gives_no_key() {
        let mut slots = Slots::default();
        let slot = slots.keep(OWNER, &[7; KEY_BYTES]);
        let mut stored = Stored::default();
        slots.take().iter().for_each(|change| stored.apply(change));
        for byte in 0..SLOT_BYTES {
            stored.bytes[byte] ^= 1;
            assert!(stored.keys(slot, OWNER).is_none(), "byte {byte}");
            stored.bytes[byte] ^= 1;
        }
        assert!(stored.keys(slot, OWNER).is_some());
    }
}
