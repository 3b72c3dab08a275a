//! The state directory: its permissions, its files, and the lock that prevents a second gateway
//! from using it.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// A directory of mode 0700 owned by this user. It holds keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateDir {
    path: PathBuf,
}

impl StateDir {
    /// Opens `path`, and creates it if needed. Refuses a directory that others can enter or
    /// own.
    pub fn open(path: &Path) -> Result<StateDir> {
        match fs::metadata(path) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                DirBuilder::new()
                    .recursive(true)
                    .mode(0o700)
                    .create(path)
                    .map_err(|source| Error::Write {
                        path: path.into(),
                        source,
                    })?;
            }
            Err(source) => {
                return Err(Error::Read {
                    path: path.into(),
                    source,
                });
            }
        }
        let read = |source| Error::Read {
            path: path.into(),
            source,
        };
        let metadata = fs::metadata(path).map_err(read)?;
        if !metadata.is_dir() {
            return Err(Error::NotADirectory { path: path.into() });
        }
        let user = rustix::process::geteuid().as_raw();
        if metadata.uid() != user {
            return Err(Error::Owner {
                path: path.into(),
                owner: metadata.uid(),
                user,
            });
        }
        let mode = metadata.mode() & 0o7777;
        if mode & 0o077 != 0 {
            return Err(Error::Permissions {
                path: path.into(),
                mode,
            });
        }
        // Absolute, so that messages show full paths.
        let path = path.canonicalize().map_err(read)?;
        Ok(StateDir { path })
    }

    /// Default state directory: `$XDG_STATE_HOME/selo`, or `~/.local/state/selo`.
    pub fn default_path() -> Result<PathBuf> {
        let absolute = |name| {
            std::env::var_os(name)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        absolute("XDG_STATE_HOME")
            .or_else(|| absolute("HOME").map(|home| home.join(".local/state")))
            .map(|base| base.join("selo"))
            .ok_or(Error::NoStateDirectory)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn registry(&self) -> PathBuf {
        self.path.join("registry.db")
    }

    pub fn journal(&self) -> PathBuf {
        self.path.join("journal")
    }

    pub fn keys(&self) -> PathBuf {
        self.path.join("keys")
    }

    pub fn delivered(&self) -> PathBuf {
        self.path.join("delivered")
    }

    /// The last instance of an engine.
    pub fn engine(&self) -> PathBuf {
        self.path.join("engine")
    }

    pub fn control(&self) -> PathBuf {
        self.path.join("control")
    }

    /// Takes the lock of a running gateway. The lock is released when the value is dropped or
    /// the process ends.
    pub fn lock(&self) -> Result<Lock> {
        let path = self.path.join("lock");
        let write = |source| Error::Write {
            path: path.clone(),
            source,
        };
        let mut file =
            private_file(&path, OpenOptions::new().read(true).create(true)).map_err(write)?;
        match rustix::fs::flock(&file, rustix::fs::FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(rustix::io::Errno::WOULDBLOCK) => {
                let mut text = String::new();
                let _ = file.read_to_string(&mut text);
                return Err(Error::Locked {
                    path: self.path.clone(),
                    pid: text.trim().parse().ok(),
                });
            }
            Err(errno) => return Err(write(errno.into())),
        }
        file.set_len(0).map_err(write)?;
        file.rewind().map_err(write)?;
        writeln!(file, "{}", std::process::id()).map_err(write)?;
        Ok(Lock { _file: file })
    }
}

/// The lock of a running gateway.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// Opens a file for writing. Only its owner can read or write it.
pub(crate) fn private_file(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    options.write(true).mode(0o600).open(path)
}

/// Writes a private file in one step, so that nobody ever reads a part, and so that its name survives a
/// power failure.
///
/// # Errors
/// `AlreadyExists` if there is a file: it stays.
pub(crate) fn create_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    put_private(path, bytes, |new, path| fs::hard_link(new, path))
}

/// The same, in place of the file that is there.
pub(crate) fn replace_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    put_private(path, bytes, |new, path| fs::rename(new, path))
}

fn put_private(
    path: &Path,
    bytes: &[u8],
    place: impl FnOnce(&Path, &Path) -> io::Result<()>,
) -> io::Result<()> {
    // A name of its own: several threads may write the same file at the same time.
    let drawn =
        selo_link::random_bytes::<8>().map_err(|error| io::Error::other(error.to_string()))?;
    let mut new = path.as_os_str().to_owned();
    new.push(format!(".new-{}", hex::encode(drawn)));
    let new = PathBuf::from(new);
    let written = private_file(&new, OpenOptions::new().create_new(true))
        .and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        })
        .and_then(|()| place(&new, path));
    let _ = fs::remove_file(&new);
    written?;
    match path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        Some(folder) => File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}

/// Identifier of a state directory, as hexadecimal digits: drawn once, so that it tells gateways
/// with the same name apart, and stays after a restart.
///
/// # Errors
/// If it can be neither read nor written.
pub fn gateway_id(state: &Path) -> Result<String> {
    let path = state.join("gateway-id");
    let read = || {
        let text = fs::read_to_string(&path).unwrap_or_default();
        let id = text.trim();
        let whole = id.len() == 16 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        whole.then(|| id.to_owned())
    };
    if let Some(id) = read() {
        return Ok(id);
    }
    let drawn = selo_link::random_bytes::<8>().map_err(|error| Error::Random(error.to_string()))?;
    let id = hex::encode(drawn);
    let written = match create_private(&path, id.as_bytes()) {
        // Not an id: what a full disk has left.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && read().is_none() => {
            replace_private(&path, id.as_bytes())
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        other => other,
    };
    written.map_err(|source| Error::Write {
        path: path.clone(),
        source,
    })?;
    Ok(read().unwrap_or(id))
}

/// Identifier of the current boot, if the system provides one. A file written under the same
/// boot id cannot have been truncated by a power failure.
pub(crate) fn boot_id() -> Option<[u8; 16]> {
    let text = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let mut id = [0; 16];
    hex::decode_to_slice(text.trim().replace('-', ""), &mut id).ok()?;
    Some(id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_new_directory_is_private() {
        let parent = tempfile::tempdir().expect("a folder");
        let path = parent.path().join("a/b");
        let state = StateDir::open(&path).expect("opens");
        let mode = |path: &Path| fs::metadata(path).expect("there").mode() & 0o777;
        assert_eq!(mode(state.path()), 0o700);
        assert_eq!(mode(&parent.path().join("a")), 0o700);
        let _lock = state.lock().expect("locks");
        assert_eq!(mode(&state.path().join("lock")), 0o600);
    }

    #[test]
    fn a_directory_open_to_others_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        for mode in [0o750, 0o705, 0o777, 0o710] {
            fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode)).expect("chmod");
            let error = StateDir::open(folder.path()).expect_err("refused");
            assert!(matches!(error, Error::Permissions { mode: m, .. } if m == mode));
            assert!(error.hint().expect("a hint").starts_with("chmod 700"));
        }
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).expect("chmod");
        StateDir::open(folder.path()).expect("opens");
    }

    #[test]
    fn a_file_is_no_directory() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let error = StateDir::open(file.path()).expect_err("refused");
        assert!(matches!(error, Error::NotADirectory { .. }));
    }

    #[test]
    fn the_lock_keeps_a_second_one_out_and_names_the_first() {
        let folder = tempfile::tempdir().expect("a folder");
        let state = StateDir::open(&folder.path().join("state")).expect("opens");
        let lock = state.lock().expect("locks");
        let error = state.lock().expect_err("locked");
        assert!(matches!(error, Error::Locked { pid: Some(pid), .. } if pid == std::process::id()));
        drop(lock);
        state.lock().expect("locks again");
    }
}
