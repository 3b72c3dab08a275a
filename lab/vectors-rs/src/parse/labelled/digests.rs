//! Hashes, message authentication codes and key derivation.

use serde::Deserialize;

use super::text::Hex;
use crate::parse::source::Cases;
use crate::{Algorithm, CaseKind, Interface};

/// Largest message in bytes. A longer one is an error of the file.
const LARGEST_MESSAGE: usize = 1 << 24;

/// The digest of a message that is repeated `repeat` times.
#[derive(Deserialize)]
pub(super) struct Hash {
    algorithm: String,
    message: Hex,
    #[serde(default = "once")]
    repeat: usize,
    digest: Hex,
}

fn once() -> usize {
    1
}

impl Hash {
    pub(super) fn cases(self, algorithm: Algorithm) -> Cases {
        let Interface::Hash(hash) = algorithm.interface() else {
            return Err(format!("{} is not a hash", algorithm.name()));
        };
        if self.algorithm != algorithm.name() {
            return Ok(Vec::new());
        }
        let bytes = self.message.0.len().checked_mul(self.repeat);
        if bytes.is_none_or(|bytes| bytes > LARGEST_MESSAGE) {
            return Err(format!(
                "the message is longer than {LARGEST_MESSAGE} bytes"
            ));
        }
        if self.digest.0.len() != hash.digest_bytes() {
            return Err(format!("the digest has {} bytes", self.digest.0.len()));
        }
        let kind = CaseKind::Hash {
            hash,
            message: self.message.0,
            repeat: self.repeat,
            digest: self.digest.0,
        };
        Ok(vec![("", kind)])
    }
}

/// A tag, which may be truncated.
#[derive(Deserialize)]
pub(super) struct Mac {
    algorithm: String,
    key: Hex,
    message: Hex,
    tag: Hex,
}

impl Mac {
    pub(super) fn cases(self, algorithm: Algorithm) -> Cases {
        let Interface::Mac(hash) = algorithm.interface() else {
            return Err(format!("{} is not a MAC", algorithm.name()));
        };
        if self.algorithm != algorithm.name() {
            return Ok(Vec::new());
        }
        if self.tag.0.is_empty() || self.tag.0.len() > hash.digest_bytes() {
            return Err(format!("the tag has {} bytes", self.tag.0.len()));
        }
        let kind = CaseKind::Mac {
            hash,
            key: self.key.0,
            message: self.message.0,
            tag: self.tag.0,
            valid: true,
        };
        Ok(vec![("", kind)])
    }
}

/// A key of HKDF, as long as `okm`.
#[derive(Deserialize)]
pub(super) struct Kdf {
    algorithm: String,
    salt: Hex,
    ikm: Hex,
    info: Hex,
    okm: Hex,
}

impl Kdf {
    pub(super) fn cases(self, algorithm: Algorithm) -> Cases {
        let Interface::Kdf(hash) = algorithm.interface() else {
            return Err(format!("{} derives no keys", algorithm.name()));
        };
        if self.algorithm != algorithm.name() {
            return Ok(Vec::new());
        }
        let okm = self.okm.0;
        // [RFC5869, 2.3]
        if okm.is_empty() || okm.len() > 255 * hash.digest_bytes() {
            return Err(format!("the key has {} bytes", okm.len()));
        }
        let kind = CaseKind::Kdf {
            hash,
            salt: self.salt.0,
            ikm: self.ikm.0,
            info: self.info.0,
            okm,
        };
        Ok(vec![("", kind)])
    }
}
