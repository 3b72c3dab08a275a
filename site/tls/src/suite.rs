//! Suites and key exchanges of TLS 1.3, by their registered names.

use std::sync::Arc;

use rustls::crypto::ring::{self, cipher_suite, kx_group};
use rustls::crypto::{CryptoProvider, SupportedKxGroup};
use rustls::{CipherSuite, NamedGroup, SupportedCipherSuite};

use crate::hybrid;

/// A TLS 1.3 cipher suite, by its registered name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Suite {
    Aes128Gcm,
    Aes256Gcm,
    ChaCha20Poly1305,
}

impl Suite {
    pub const ALL: [Suite; 3] = [Suite::Aes128Gcm, Suite::Aes256Gcm, Suite::ChaCha20Poly1305];

    /// The registered name [RFC8446, B.4].
    pub fn name(self) -> &'static str {
        match self {
            Suite::Aes128Gcm => "TLS_AES_128_GCM_SHA256",
            Suite::Aes256Gcm => "TLS_AES_256_GCM_SHA384",
            Suite::ChaCha20Poly1305 => "TLS_CHACHA20_POLY1305_SHA256",
        }
    }

    /// The suite with this name; case is ignored.
    pub fn by_name(name: &str) -> Option<Suite> {
        let mut all = Suite::ALL.into_iter();
        all.find(|suite| suite.name().eq_ignore_ascii_case(name))
    }

    /// Parses a name. The error lists the known names.
    pub fn parse(name: &str) -> Result<Suite, String> {
        Suite::by_name(name).ok_or_else(|| unknown(name, Suite::ALL.map(Suite::name)))
    }

    /// The rustls equivalents.
    pub fn of_rustls(self) -> (SupportedCipherSuite, CipherSuite) {
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
    /// X25519 and ML-KEM-768 combined: secure as long as one of them is.
    X25519MlKem768,
}

impl Group {
    pub const ALL: [Group; 3] = [Group::X25519, Group::Secp256r1, Group::X25519MlKem768];

    /// The registered name, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Group::X25519 => "x25519",
            Group::Secp256r1 => "secp256r1",
            Group::X25519MlKem768 => "x25519mlkem768",
        }
    }

    /// The key exchange with this name; case is ignored.
    pub fn by_name(name: &str) -> Option<Group> {
        let mut all = Group::ALL.into_iter();
        all.find(|group| group.name().eq_ignore_ascii_case(name))
    }

    /// Parses a name. The error lists the known names.
    pub fn parse(name: &str) -> Result<Group, String> {
        Group::by_name(name).ok_or_else(|| unknown(name, Group::ALL.map(Group::name)))
    }

    /// The rustls equivalents.
    pub fn of_rustls(self) -> (&'static dyn SupportedKxGroup, NamedGroup) {
        match self {
            Group::X25519 => (kx_group::X25519, NamedGroup::X25519),
            Group::Secp256r1 => (kx_group::SECP256R1, NamedGroup::secp256r1),
            Group::X25519MlKem768 => (&hybrid::X25519MlKem768, NamedGroup::X25519MLKEM768),
        }
    }
}

fn unknown(name: &str, known: [&str; 3]) -> String {
    let name: String = name.chars().filter(|c| !c.is_control()).take(40).collect();
    format!("'{name}' is not one of: {}", known.join(", "))
}

/// ring's provider with these suites and key exchanges, in order of preference.
pub fn provider(suites: &[Suite], groups: &[Group]) -> Arc<CryptoProvider> {
    Arc::new(CryptoProvider {
        cipher_suites: suites.iter().map(|suite| suite.of_rustls().0).collect(),
        kx_groups: groups.iter().map(|group| group.of_rustls().0).collect(),
        ..ring::default_provider()
    })
}
