//! The second experiment: a reading goes to a web server by TLS 1.3, by each suite and key
//! exchange, with a full handshake and a resumed one.

pub mod client;
mod http;
mod hybrid;
pub mod library;
pub mod server;

use std::path::Path;
use std::sync::Arc;

use rustls::crypto::ring::{self, cipher_suite, kx_group};
use rustls::crypto::{CryptoProvider, SupportedKxGroup};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{CipherSuite, NamedGroup, SupportedCipherSuite};

use crate::error::{Error, Result};

/// A suite of TLS 1.3, by its registered name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Suite {
    Aes128Gcm,
    Aes256Gcm,
    ChaCha20Poly1305,
}

impl Suite {
    pub const ALL: [Suite; 3] = [Suite::Aes128Gcm, Suite::Aes256Gcm, Suite::ChaCha20Poly1305];

    pub fn name(self) -> &'static str {
        match self {
            Suite::Aes128Gcm => "TLS_AES_128_GCM_SHA256",
            Suite::Aes256Gcm => "TLS_AES_256_GCM_SHA384",
            Suite::ChaCha20Poly1305 => "TLS_CHACHA20_POLY1305_SHA256",
        }
    }

    pub fn by_name(name: &str) -> Option<Suite> {
        let mut all = Suite::ALL.into_iter();
        all.find(|suite| suite.name().eq_ignore_ascii_case(name))
    }

    fn of_rustls(self) -> (SupportedCipherSuite, CipherSuite) {
        match self {
            Suite::Aes128Gcm => (
                cipher_suite::TLS13_AES_128_GCM_SHA256,
                CipherSuite::TLS13_AES_128_GCM_SHA256,
            ),
            Suite::Aes256Gcm => (
                cipher_suite::TLS13_AES_256_GCM_SHA384,
                CipherSuite::TLS13_AES_256_GCM_SHA384,
            ),
            Suite::ChaCha20Poly1305 => (
                cipher_suite::TLS13_CHACHA20_POLY1305_SHA256,
                CipherSuite::TLS13_CHACHA20_POLY1305_SHA256,
            ),
        }
    }
}

/// A key exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Group {
    X25519,
    Secp256r1,
    /// X25519 and ML-KEM-768 together: safe as long as one of them is.
    X25519MlKem768,
}

impl Group {
    pub const ALL: [Group; 3] = [Group::X25519, Group::Secp256r1, Group::X25519MlKem768];

    pub fn name(self) -> &'static str {
        match self {
            Group::X25519 => "x25519",
            Group::Secp256r1 => "secp256r1",
            Group::X25519MlKem768 => "x25519mlkem768",
        }
    }

    pub fn by_name(name: &str) -> Option<Group> {
        let mut all = Group::ALL.into_iter();
        all.find(|group| group.name().eq_ignore_ascii_case(name))
    }

    fn of_rustls(self) -> (&'static dyn SupportedKxGroup, NamedGroup) {
        match self {
            Group::X25519 => (kx_group::X25519, NamedGroup::X25519),
            Group::Secp256r1 => (kx_group::SECP256R1, NamedGroup::secp256r1),
            Group::X25519MlKem768 => (&hybrid::X25519MlKem768, NamedGroup::X25519MLKEM768),
        }
    }
}

/// ring, with these suites and key exchanges in this order of preference.
pub fn provider(suites: &[Suite], groups: &[Group]) -> Arc<CryptoProvider> {
    Arc::new(CryptoProvider {
        cipher_suites: suites.iter().map(|suite| suite.of_rustls().0).collect(),
        kx_groups: groups.iter().map(|group| group.of_rustls().0).collect(),
        ..ring::default_provider()
    })
}

fn pem(path: &Path, why: String, hint: &str) -> Error {
    Error::File {
        path: path.to_owned(),
        why,
        hint: hint.into(),
    }
}

/// The certificates of a PEM file.
pub fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let hint = "certificates in PEM form; `selo setup DIR` makes some";
    let bad = |error: rustls::pki_types::pem::Error| pem(path, error.to_string(), hint);
    let found: Vec<_> = CertificateDer::pem_file_iter(path)
        .map_err(bad)?
        .collect::<std::result::Result<_, _>>()
        .map_err(bad)?;
    if found.is_empty() {
        return Err(pem(path, "there is no certificate in it".into(), hint));
    }
    Ok(found)
}

/// The private key of a PEM file that nobody else can read.
pub fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>> {
    use std::os::unix::fs::MetadataExt;
    let hint = "a private key in PEM form, mode 0600";
    let mode = std::fs::metadata(path)
        .map_err(|error| pem(path, error.to_string(), hint))?
        .mode();
    if mode & 0o077 != 0 {
        let hint = format!("chmod 600 {}", path.display());
        return Err(pem(path, "others can read this key".into(), &hint));
    }
    PrivateKeyDer::from_pem_file(path).map_err(|error| pem(path, error.to_string(), hint))
}
