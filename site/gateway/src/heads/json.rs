//! JSON files that only their owner may read.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::error::{Error, Result};

/// Maximum bytes of a file that is read.
const FILE_MAX: u64 = 64 << 10;

/// Reads a file.
///
/// # Errors
/// [`Error::HeadFileMode`] if others can read it.
pub(super) fn read<T: for<'a> Deserialize<'a>>(path: &Path) -> Result<T> {
    let failed = |source| Error::Read {
        path: path.into(),
        source,
    };
    let file = fs::File::open(path).map_err(failed)?;
    let mode = file.metadata().map_err(failed)?.mode() & 0o777;
    // systemd has set the rights of a credential.
    let credentials = std::env::var_os("CREDENTIALS_DIRECTORY");
    let private = credentials.is_none_or(|folder| !path.starts_with(folder));
    if private && mode & 0o077 != 0 {
        return Err(Error::HeadFileMode {
            path: path.into(),
            mode,
        });
    }
    let mut text = Zeroizing::new(String::new());
    io::Read::read_to_string(&mut io::Read::take(file, FILE_MAX), &mut text).map_err(failed)?;
    serde_json::from_str(&text)
        .map_err(|error| Error::Invalid(format!("{} is damaged: {error}", path.display())))
}

/// The text of a file.
pub(super) fn text(value: &impl Serialize) -> io::Result<Zeroizing<Vec<u8>>> {
    let mut text = serde_json::to_vec_pretty(value).map(Zeroizing::new)?;
    text.push(b'\n');
    Ok(text)
}

/// Failure to write a file.
pub(super) fn wrote(path: &Path) -> impl Fn(io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::Write {
        path: path.clone(),
        source,
    }
}
