//! The suites [docs/protocol.md, Suites].

use std::fmt;
use std::str::FromStr;

/// A set of algorithms. A node is compiled for one suite; the gateway stores the suite of each
/// device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Suite {
    /// AES-256-GCM and SHA3-256: the primitives of [albarello2020].
    AesGcmSha3 = 1,
    /// ChaCha20-Poly1305 and BLAKE2s.
    ChaChaPolyBlake2s = 2,
    /// AES-256-GCM and SHA-256.
    AesGcmSha256 = 3,
    /// Ascon-AEAD128 and Ascon-Hash256 [SP800-232].
    Ascon = 4,
}

/// Error: no suite has this code or name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no suite {given:?}\nhint: the suites are {}",
    Suite::ALL.map(Suite::name).join(", ")
)]
pub struct UnknownSuite {
    given: String,
}

impl Suite {
    /// Every suite, by code.
    pub const ALL: [Suite; 4] = [
        Suite::AesGcmSha3,
        Suite::ChaChaPolyBlake2s,
        Suite::AesGcmSha256,
        Suite::Ascon,
    ];

    /// The numeric code, as in PAIR-COMMIT and `SELO_LINK_SUITE`.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The suite with this code, if any.
    pub fn from_code(code: u8) -> Option<Suite> {
        Suite::ALL.into_iter().find(|suite| suite.code() == code)
    }

    /// The short name, as used in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Suite::AesGcmSha3 => "aesgcm-sha3-256",
            Suite::ChaChaPolyBlake2s => "chachapoly-blake2s",
            Suite::AesGcmSha256 => "aesgcm-sha256",
            Suite::Ascon => "ascon",
        }
    }

    /// The cipher and hash part of a Noise protocol name [NOISE, 8].
    pub const fn noise_functions(self) -> &'static str {
        match self {
            Suite::AesGcmSha3 => "AESGCM_SHA3/256",
            Suite::ChaChaPolyBlake2s => "ChaChaPoly_BLAKE2s",
            Suite::AesGcmSha256 => "AESGCM_SHA256",
            Suite::Ascon => "AsconAEAD128_AsconHash256",
        }
    }
}

impl fmt::Display for Suite {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl FromStr for Suite {
    type Err = UnknownSuite;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Suite::ALL
            .into_iter()
            .find(|suite| suite.name() == name)
            .ok_or_else(|| UnknownSuite {
                given: name.to_owned(),
            })
    }
}

impl TryFrom<u8> for Suite {
    type Error = UnknownSuite;

    fn try_from(code: u8) -> Result<Self, Self::Error> {
        Suite::from_code(code).ok_or_else(|| UnknownSuite {
            given: code.to_string(),
        })
    }
}
