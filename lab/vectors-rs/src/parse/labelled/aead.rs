//! Authenticated ciphers.

use serde::Deserialize;

use super::text::Hex;
use crate::parse::source::Cases;
use crate::{AeadMessage, Algorithm, CaseKind, Interface};

/// A message, sealed and opened.
#[derive(Deserialize)]
pub(super) struct Aead {
    algorithm: String,
    key: Hex,
    nonce: Hex,
    ad: Hex,
    plaintext: Hex,
    ciphertext: Hex,
    tag: Hex,
}

impl Aead {
    pub(super) fn cases(self, algorithm: Algorithm) -> Cases {
        let Interface::Aead(aead) = algorithm.interface() else {
            return Err(format!("{} does not authenticate", algorithm.name()));
        };
        if self.algorithm != algorithm.name() {
            return Ok(Vec::new());
        }
        if self.key.0.len() != aead.key_bytes {
            return Err(format!("the key has {} bytes", self.key.0.len()));
        }
        if self.plaintext.0.len() != self.ciphertext.0.len() {
            return Err("plaintext and ciphertext differ in size".into());
        }
        if self.tag.0.is_empty() || self.tag.0.len() > 16 {
            return Err(format!("the tag has {} bytes", self.tag.0.len()));
        }
        let message = AeadMessage {
            key: self.key.0,
            nonce: self.nonce.0,
            ad: self.ad.0,
            plaintext: self.plaintext.0,
            ciphertext: self.ciphertext.0,
            tag: self.tag.0,
        };
        let seal = CaseKind::AeadSeal {
            aead,
            message: message.clone(),
        };
        Ok(vec![
            (" seal", seal),
            (" open", CaseKind::AeadOpen { aead, message }),
        ])
    }
}
