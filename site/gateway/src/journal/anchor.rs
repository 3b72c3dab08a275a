//! The anchor: a file outside of the state directory, in memory, that says how far the
//! journal has come on this start of this machine.
//!
//! Whoever puts a state directory back from a copy puts an old journal back. To go on with
//! its sessions would use a counter twice under one key, and accept packets twice. A copy does
//! not carry the anchor: the file lies on tmpfs, so it ends with the machine; its name holds
//! device and inode of the state directory, so another directory has none; and it holds a
//! random token, which the journal repeats, and the number of the last record. A journal with
//! another token, or behind that number, is not the newest one.
//!
//! The number is moved after a record is written and before anything that depends on the
//! record leaves the gateway.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Bytes of a token.
pub const TOKEN_BYTES: usize = 16;
/// Random, of one history of the journal.
pub type Token = [u8; TOKEN_BYTES];

/// What an anchor says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Says {
    pub token: Token,
    /// The number of the last record, 0 before the first.
    pub record: u64,
}

/// An open anchor.
#[derive(Debug)]
pub struct Anchor {
    file: File,
    path: PathBuf,
}

/// Folders in memory that outlive a gateway, in the order in which they are tried.
fn candidates() -> impl Iterator<Item = PathBuf> {
    let named = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    // systemd separates several with colons; the first one is the service's own.
    let service =
        named("RUNTIME_DIRECTORY").and_then(|folders| std::env::split_paths(&folders).next());
    let user = named("XDG_RUNTIME_DIR").map(PathBuf::from);
    service
        .into_iter()
        .chain([PathBuf::from("/run/selo")])
        .chain(user)
        .chain([PathBuf::from("/dev/shm")])
        .filter(|folder| folder.is_absolute())
}

/// The anchor's path for a state directory: in the first folder that takes it. `None` if no
/// folder in memory does.
pub fn path(state: &Path) -> Option<PathBuf> {
    let identity = fs::metadata(state).ok()?;
    let name = format!("selo-anchor-{:x}-{:x}", identity.dev(), identity.ino());
    candidates()
        .filter(|folder| is_in_memory(folder))
        .map(|folder| folder.join(&name))
        .find(|path| Anchor::open(path).is_ok())
}

#[cfg(target_os = "linux")]
fn is_in_memory(folder: &Path) -> bool {
    const TMPFS: u32 = 0x0102_1994;
    const RAMFS: u32 = 0x8584_58f6;
    rustix::fs::statfs(folder).is_ok_and(|system| {
        // Its type differs from platform to platform; the numbers have 32 bits.
        [TMPFS, RAMFS].contains(&(system.f_type as u32))
    })
}

#[cfg(not(target_os = "linux"))]
fn is_in_memory(_: &Path) -> bool {
    false
}

impl Anchor {
    /// Opens or makes the file. Refuses one that somebody else has put there.
    pub fn open(path: &Path) -> io::Result<Anchor> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(rustix::fs::OFlags::NOFOLLOW.bits() as i32)
            .open(path)?;
        let found = file.metadata()?;
        let ours = found.is_file()
            && found.nlink() == 1
            && found.uid() == rustix::process::geteuid().as_raw()
            && found.mode() & 0o077 == 0;
        if !ours {
            return Err(io::Error::from(io::ErrorKind::PermissionDenied));
        }
        let path = path.into();
        Ok(Anchor { file, path })
    }

    /// What it says; `None` if nothing was written so far.
    pub fn read(&self) -> Option<Says> {
        let mut bytes = [0; TOKEN_BYTES + 8];
        self.file.read_exact_at(&mut bytes, 0).ok()?;
        let (token, record) = bytes.split_first_chunk()?;
        let record = u64::from_le_bytes(record.try_into().ok()?);
        (*token != [0; TOKEN_BYTES]).then_some(Says {
            token: *token,
            record,
        })
    }

    /// Says this from now on.
    pub fn write(&self, says: Says) -> io::Result<()> {
        let mut bytes = [0; TOKEN_BYTES + 8];
        bytes[..TOKEN_BYTES].copy_from_slice(&says.token);
        bytes[TOKEN_BYTES..].copy_from_slice(&says.record.to_le_bytes());
        self.file.write_all_at(&bytes, 0)
    }

    /// The record with this number was written. An anchor that cannot say so says nothing any
    /// more: sessions then end at the next start.
    pub fn advance(&self, record: u64) -> io::Result<()> {
        let written = self
            .file
            .write_all_at(&record.to_le_bytes(), TOKEN_BYTES as u64);
        if written.is_err() {
            self.file.set_len(0)?;
        }
        written
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_what_was_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("anchor");
        let anchor = Anchor::open(&path).expect("opens");
        assert_eq!(anchor.read(), None);
        let says = Says {
            token: [3; TOKEN_BYTES],
            record: 7,
        };
        anchor.write(says).expect("writes");
        anchor.advance(8).expect("writes");
        let again = Anchor::open(&path).expect("opens").read();
        assert_eq!(again, Some(Says { record: 8, ..says }));
        assert_eq!(fs::metadata(&path).expect("there").mode() & 0o777, 0o600);
    }

    #[test]
    fn what_others_may_have_put_there_is_refused() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("anchor");
        fs::write(&path, [1; 24]).expect("writes");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).expect("chmod");
        assert!(Anchor::open(&path).is_err(), "others may read it");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("chmod");
        assert!(Anchor::open(&path).is_ok());
        symlink(&path, folder.path().join("link")).expect("links");
        assert!(Anchor::open(&folder.path().join("link")).is_err());
        fs::hard_link(&path, folder.path().join("second")).expect("links");
        assert!(Anchor::open(&path).is_err(), "it has another name");
    }
}
