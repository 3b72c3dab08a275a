//! The anchor: a file in memory, outside of the state directory. It stores how far the journal
//! has come since this machine booted.
//!
//! A state directory restored from a copy contains an old journal. Continuing its sessions
//! would reuse counters under the same key and accept packets twice. A copy does not include
//! the anchor:
//!
//! - The file is on tmpfs, so it does not survive a reboot.
//! - Its name contains device and inode of the state directory, so another directory has no
//!   anchor.
//! - It holds a random token, which the journal repeats, and the number of the last record. A
//!   journal with another token, or with a lower number, is not the newest one.
//!
//! The number is updated after a record is written and before any packet that depends on it
//! leaves the gateway.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Size of a token, bytes.
pub const TOKEN_BYTES: usize = 16;
/// Random identifier of one history of a journal.
pub type Token = [u8; TOKEN_BYTES];

/// Content of an anchor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Says {
    pub token: Token,
    /// Number of the last record; 0 before the first.
    pub record: u64,
}

/// An open anchor.
#[derive(Debug)]
pub struct Anchor {
    file: File,
    path: PathBuf,
}

/// Directories in memory that outlive a gateway process, in order of preference.
fn candidates() -> impl Iterator<Item = PathBuf> {
    let named = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    // systemd separates several directories with colons. The first is the service's own.
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

/// Path of the anchor of a state directory: in the first usable directory. `None` if no
/// directory in memory is usable.
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
        // The field's type depends on the platform; the values fit 32 bits.
        [TMPFS, RAMFS].contains(&(system.f_type as u32))
    })
}

#[cfg(not(target_os = "linux"))]
fn is_in_memory(_: &Path) -> bool {
    false
}

impl Anchor {
    /// Opens or creates the file.
    ///
    /// # Errors
    /// `PermissionDenied` if others own the file, can access it, or have linked it.
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

    /// Reads the content; `None` if nothing has been written.
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

    /// Writes the content.
    pub fn write(&self, says: Says) -> io::Result<()> {
        let mut bytes = [0; TOKEN_BYTES + 8];
        bytes[..TOKEN_BYTES].copy_from_slice(&says.token);
        bytes[TOKEN_BYTES..].copy_from_slice(&says.record.to_le_bytes());
        self.file.write_all_at(&bytes, 0)
    }

    /// Stores the number of the last written record. If that fails, clears the anchor, so that
    /// sessions end at the next start.
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
