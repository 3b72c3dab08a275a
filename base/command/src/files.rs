//! Files that the user names.

use std::fs::OpenOptions;
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use selo_base::report::{Failure, exit};

/// The reason why a file could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot write {}: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("{} is there already; --force writes over it", path.display())]
    Exists { path: PathBuf },
}

impl Failure for Error {
    fn hint(&self) -> Option<String> {
        match self {
            Error::Read { path, source } if source.kind() == io::ErrorKind::PermissionDenied => {
                Some(format!(
                    "see who may read it with `ls -ld {}`",
                    path.display()
                ))
            }
            Error::Write { source, .. } if source.kind() == io::ErrorKind::StorageFull => {
                Some("free some space".into())
            }
            _ => None,
        }
    }

    fn exit_code(&self) -> u8 {
        match self {
            Error::Exists { .. } => exit::USAGE,
            _ => exit::MACHINE,
        }
    }
}

/// The result of reading or writing.
pub type Result<T> = std::result::Result<T, Error>;

/// Reads a file of at most 64 MB; `-` is standard input.
pub fn read_file(path: &Path) -> Result<Vec<u8>> {
    const MAX: u64 = 64 << 20;
    let read = |source| Error::Read {
        path: path.into(),
        source,
    };
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        io::stdin().take(MAX).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path)
            .map_err(read)?
            .take(MAX)
            .read_to_end(&mut bytes)
    }
    .map_err(read)?;
    Ok(bytes)
}

/// Writes a new file that only its owner may read.
pub fn write_private(path: &Path, bytes: &[u8], overwrite: bool) -> Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).mode(0o600);
    if overwrite {
        // An existing file may be readable by others, so it is removed first.
        match std::fs::remove_file(path) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(source) => {
                return Err(Error::Write {
                    path: path.into(),
                    source,
                });
            }
        }
    }
    options
        .create_new(true)
        .open(path)
        .and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        })
        .map_err(|source| match source.kind() {
            io::ErrorKind::AlreadyExists => Error::Exists { path: path.into() },
            _ => Error::Write {
                path: path.into(),
                source,
            },
        })
}
