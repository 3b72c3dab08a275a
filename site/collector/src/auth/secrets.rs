//! Secrets: random bytes, their hashes, and files that nobody else may read.

use std::io::Write;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use crate::error::{Error, Result};

/// Returns an error if other users may read the file.
pub(crate) fn private(path: &Path) -> Result<()> {
    let metadata = std::fs::metadata(path).map_err(|source| Error::Read {
        path: path.into(),
        source,
    })?;
    let mode = metadata.mode() & 0o7777;
    if mode & 0o077 != 0 {
        return Err(Error::Permissions {
            path: path.into(),
            mode,
        });
    }
    Ok(())
}

/// Replaces a file atomically, with mode 0600.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> Result<()> {
    let new = path.with_extension("new");
    let write = || -> std::io::Result<()> {
        let _ = std::fs::remove_file(&new);
        let mut file = std::fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&new)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        std::fs::rename(&new, path)
    };
    write().map_err(|source| Error::Write {
        path: path.into(),
        source,
    })
}

/// Reads a secret from a file. Creates the file (mode 0600) with a random secret if it does not
/// exist.
pub fn secret_file(path: &Path) -> Result<Zeroizing<String>> {
    if !path.exists() {
        let secret = Zeroizing::new(hex::encode(&random::<32>()?[..]));
        write_private(path, format!("{}\n", *secret).as_bytes())?;
        return Ok(secret);
    }
    let text = read_private(path)?;
    Ok(Zeroizing::new(text.trim().to_string()))
}

/// Reads a file with secrets, which only its owner may read.
pub fn read_private(path: &Path) -> Result<Zeroizing<String>> {
    private(path)?;
    let text = std::fs::read_to_string(path).map_err(|source| Error::Read {
        path: path.into(),
        source,
    })?;
    Ok(Zeroizing::new(text))
}

/// Random bytes from the operating system.
pub fn random<const N: usize>() -> Result<Zeroizing<[u8; N]>> {
    let mut bytes = Zeroizing::new([0; N]);
    getrandom::fill(&mut *bytes).map_err(|error| Error::Random(error.to_string()))?;
    Ok(bytes)
}

pub(super) fn sha256(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}
