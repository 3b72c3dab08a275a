//! The second experiment: a reading goes to a web server by TLS 1.3, by each suite and key
//! exchange, with a full handshake and a resumed one.

pub mod client;
pub mod http;
pub mod library;
pub mod server;
pub mod url;

use std::path::Path;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
pub use selo_tls::{Group, Suite, provider};

use crate::error::{Error, Result};

fn pem(path: &Path, why: String, hint: &str) -> Error {
    Error::File {
        path: path.to_owned(),
        why,
        hint: hint.into(),
    }
}

/// Reads the certificates of a PEM file.
pub fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let hint = "give certificates in PEM format; `selo setup DIR` creates some";
    let bad = |error: rustls::pki_types::pem::Error| pem(path, error.to_string(), hint);
    let found: Vec<_> = CertificateDer::pem_file_iter(path)
        .map_err(bad)?
        .collect::<std::result::Result<_, _>>()
        .map_err(bad)?;
    if found.is_empty() {
        return Err(pem(path, "the file contains no certificate".into(), hint));
    }
    Ok(found)
}

/// Reads the private key of a PEM file. Fails if others can read the file.
pub fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>> {
    use std::os::unix::fs::MetadataExt;
    let hint = "give a private key in PEM format, mode 0600";
    let mode = std::fs::metadata(path)
        .map_err(|error| pem(path, error.to_string(), hint))?
        .mode();
    if mode & 0o077 != 0 {
        let hint = format!("chmod 600 {}", path.display());
        return Err(pem(path, "other users can read this key".into(), &hint));
    }
    PrivateKeyDer::from_pem_file(path).map_err(|error| pem(path, error.to_string(), hint))
}
