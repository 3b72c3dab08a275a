//! The nodes' stored records in one file. A rerun therefore corresponds to a restart of every
//! board.
//!
//! The file is written to a temporary name and renamed. A node's record is durable when
//! [`Records::commit`] has returned. The driver commits before it sends the nodes' frames, so no
//! frame leaves whose counters are not on the disk.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// Length of a record in bytes, as `SELO_LINK_RECORD_BYTES`.
pub const RECORD_BYTES: usize = 76;

/// A node's stored record. It contains keys.
pub type Record = [u8; RECORD_BYTES];

const MAGIC: [u8; 16] = *b"selo nodes, v. 1";
/// 1 if there is a record, then the record.
const SLOT_BYTES: usize = 1 + RECORD_BYTES;

/// The records of a number of nodes, in a directory or in memory only.
#[derive(Default)]
pub struct Records {
    slots: Vec<Option<Record>>,
    place: Option<LockedDirectory>,
    changed: bool,
}

struct LockedDirectory {
    directory: PathBuf,
    /// Lock held while this process lives: two processes with one record would use a counter
    /// twice.
    _lock: File,
}

impl Records {
    /// Records that are not stored.
    pub fn in_memory() -> Records {
        Records::default()
    }

    /// Opens the records in `directory`. Creates the directory if it does not exist.
    pub fn open(directory: &Path) -> Result<Records> {
        let write = |source| Error::Write {
            path: directory.into(),
            source,
        };
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(directory)
            .map_err(write)?;
        let mode = fs::metadata(directory).map_err(write)?.mode() & 0o777;
        if mode & 0o077 != 0 {
            return Err(Error::Permissions {
                path: directory.into(),
                mode,
            });
        }
        let lock = private(
            &directory.join("lock"),
            OpenOptions::new().create(true).write(true),
        )
        .map_err(write)?;
        match rustix::fs::flock(&lock, rustix::fs::FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(rustix::io::Errno::WOULDBLOCK) => {
                return Err(Error::Locked {
                    path: directory.into(),
                });
            }
            Err(errno) => return Err(write(errno.into())),
        }
        let place = LockedDirectory {
            directory: directory.into(),
            _lock: lock,
        };
        let path = place.file();
        let slots = match File::open(&path) {
            Ok(mut file) => {
                let mut bytes = Vec::new();
                file.read_to_end(&mut bytes).map_err(|source| Error::Read {
                    path: path.clone(),
                    source,
                })?;
                parse(&bytes).ok_or(Error::NotRecords { path })?
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(source) => return Err(Error::Read { path, source }),
        };
        Ok(Records {
            slots,
            place: Some(place),
            changed: false,
        })
    }

    /// Number of nodes that there is room for. Not all need have a record.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Returns true if there is room for no node.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The node's latest record.
    pub fn get(&self, node: usize) -> Option<&Record> {
        self.slots.get(node)?.as_ref()
    }

    /// Sets the record of a node. It is durable after the next [`Records::commit`].
    pub fn set(&mut self, node: usize, record: Record) {
        if self.slots.len() <= node {
            self.slots.resize(node + 1, None);
        }
        self.slots[node] = Some(record);
        self.changed = true;
    }

    /// Writes changed records to the disk.
    pub fn commit(&mut self) -> Result<()> {
        if !self.changed {
            return Ok(());
        }
        if let Some(place) = &self.place {
            let path = place.file();
            place
                .write(&encode(&self.slots))
                .map_err(|source| Error::Write { path, source })?;
        }
        self.changed = false;
        Ok(())
    }
}

impl std::fmt::Debug for Records {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Records({} nodes, ..)", self.slots.len())
    }
}

impl LockedDirectory {
    fn file(&self) -> PathBuf {
        self.directory.join("records")
    }

    fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let (path, new) = (self.file(), self.directory.join("records.new"));
        let mut options = OpenOptions::new();
        let mut file = private(&new, options.create(true).truncate(true).write(true))?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&new, &path)?;
        File::open(&self.directory)?.sync_all()
    }
}

/// Opens a file that only its owner may read or write.
fn private(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    options.mode(0o600).open(path)
}

fn encode(slots: &[Option<Record>]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(MAGIC.len() + slots.len() * SLOT_BYTES);
    bytes.extend(MAGIC);
    for slot in slots {
        bytes.push(u8::from(slot.is_some()));
        bytes.extend(slot.unwrap_or([0; RECORD_BYTES]));
    }
    bytes
}

fn parse(bytes: &[u8]) -> Option<Vec<Option<Record>>> {
    let slots = bytes.strip_prefix(&MAGIC)?;
    if slots.len() % SLOT_BYTES != 0 {
        return None;
    }
    slots
        .chunks_exact(SLOT_BYTES)
        .map(|slot| match slot.split_first() {
            Some((0, _)) => Some(None),
            Some((1, record)) => Some(Some(record.try_into().ok()?)),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn records_come_back_after_a_commit_and_only_then() {
        let folder = tempfile::tempdir().expect("a folder");
        let directory = folder.path().join("nodes");
        let mut records = Records::open(&directory).expect("opens");
        assert!(records.is_empty());
        records.set(2, [7; RECORD_BYTES]);
        records.commit().expect("writes");
        records.set(0, [9; RECORD_BYTES]);
        drop(records);
        let records = Records::open(&directory).expect("opens");
        assert_eq!(records.len(), 3);
        assert_eq!(records.get(2), Some(&[7; RECORD_BYTES]));
        assert_eq!(
            (records.get(0), records.get(1), records.get(9)),
            (None, None, None)
        );
        let mode = |name| {
            let metadata = fs::metadata(directory.join(name)).expect("there");
            metadata.permissions().mode() & 0o777
        };
        assert_eq!(
            (mode("records"), mode("lock"), mode(".")),
            (0o600, 0o600, 0o700)
        );
    }

    #[test]
    fn one_process_at_a_time_and_nobody_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let directory = folder.path().join("nodes");
        let records = Records::open(&directory).expect("opens");
        assert!(matches!(
            Records::open(&directory),
            Err(Error::Locked { .. })
        ));
        drop(records);
        fs::set_permissions(&directory, fs::Permissions::from_mode(0o750)).expect("chmod");
        assert!(matches!(
            Records::open(&directory),
            Err(Error::Permissions { mode: 0o750, .. })
        ));
    }

    #[test]
    fn what_is_no_record_file_is_refused_and_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let directory = folder.path().join("nodes");
        drop(Records::open(&directory).expect("opens"));
        let good = encode(&[Some([1; RECORD_BYTES]), None]);
        let mut odd = good.clone();
        odd[MAGIC.len()] = 2;
        for bad in [&b""[..], b"x", &good[..good.len() - 1], &odd] {
            fs::write(directory.join("records"), bad).expect("writes");
            let error = Records::open(&directory).expect_err("refused");
            assert!(matches!(error, Error::NotRecords { .. }), "{bad:?}");
            assert_eq!(fs::read(directory.join("records")).expect("there"), bad);
        }
        fs::write(directory.join("records"), &good).expect("writes");
        assert_eq!(Records::open(&directory).expect("opens").len(), 2);
    }
}
