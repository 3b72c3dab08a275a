//! Block ciphers alone and in the modes ECB, CBC and CTR.

use serde::Deserialize;

use super::text::{Hex, Words};
use crate::parse::source::{Cases, exactly};
use crate::{Algorithm, CaseKind, Direction, Interface};

/// One block, in the notation `Bytes`.
#[derive(Deserialize)]
pub(super) struct Block<Bytes> {
    algorithm: String,
    key: Bytes,
    plaintext: Bytes,
    ciphertext: Bytes,
}

impl Block<Words> {
    pub(super) fn cases(self, algorithm: Algorithm) -> Cases {
        Block {
            algorithm: self.algorithm,
            key: Hex(self.key.0),
            plaintext: Hex(self.plaintext.0),
            ciphertext: Hex(self.ciphertext.0),
        }
        .cases(algorithm)
    }
}

impl Block<Hex> {
    /// One block of the bare cipher, under each mode. In CBC it follows an all-zero IV. In CTR
    /// the block is the counter, and the message is zeros.
    pub(super) fn cases(self, algorithm: Algorithm) -> Cases {
        if self.algorithm != algorithm.cipher() {
            return Ok(Vec::new());
        }
        let plaintext: [u8; 16] = exactly("plaintext", &self.plaintext.0)?;
        let ciphertext: [u8; 16] = exactly("ciphertext", &self.ciphertext.0)?;
        let key = sized_key(algorithm, self.key.0)?;
        Ok(match algorithm.interface() {
            Interface::Cbc { .. } => both(&plaintext, &ciphertext, |direction, input, output| {
                CaseKind::CbcUnpadded {
                    direction,
                    key: key.clone(),
                    iv: [0; 16],
                    input,
                    output,
                }
            }),
            Interface::Ctr { .. } => both(&[0; 16], &ciphertext, |direction, input, output| {
                CaseKind::Ctr {
                    direction,
                    key: key.clone(),
                    counter: plaintext,
                    input,
                    output,
                }
            }),
            _ => blocks(&key, &plaintext, &ciphertext),
        })
    }
}

/// Whole blocks in ECB.
#[derive(Deserialize)]
pub(super) struct Ecb {
    algorithm: String,
    key: Hex,
    plaintext: Hex,
    ciphertext: Hex,
}

impl Ecb {
    pub(super) fn cases(self, algorithm: Algorithm) -> Cases {
        if self.algorithm.strip_suffix("-ecb") != Some(algorithm.cipher()) {
            return Ok(Vec::new());
        }
        let key = sized_key(algorithm, self.key.0)?;
        whole_blocks(&self.plaintext.0, &self.ciphertext.0)?;
        match algorithm.interface() {
            Interface::BlockCipher { .. } | Interface::Ecb { .. } => {
                Ok(blocks(&key, &self.plaintext.0, &self.ciphertext.0))
            }
            _ => Ok(Vec::new()),
        }
    }
}

/// Whole blocks in CBC, without padding.
#[derive(Deserialize)]
pub(super) struct Cbc {
    algorithm: String,
    key: Hex,
    iv: Hex,
    plaintext: Hex,
    ciphertext: Hex,
}

impl Cbc {
    pub(super) fn cases(self, algorithm: Algorithm) -> Cases {
        if self.algorithm != algorithm.name() {
            return Ok(Vec::new());
        }
        let (key, iv) = (
            sized_key(algorithm, self.key.0)?,
            exactly("iv", &self.iv.0)?,
        );
        whole_blocks(&self.plaintext.0, &self.ciphertext.0)?;
        Ok(both(
            &self.plaintext.0,
            &self.ciphertext.0,
            |direction, input, output| CaseKind::CbcUnpadded {
                direction,
                key: key.clone(),
                iv,
                input,
                output,
            },
        ))
    }
}

/// CTR from a counter block.
#[derive(Deserialize)]
pub(super) struct Ctr {
    algorithm: String,
    key: Hex,
    counter: Hex,
    plaintext: Hex,
    ciphertext: Hex,
}

impl Ctr {
    pub(super) fn cases(self, algorithm: Algorithm) -> Cases {
        if self.algorithm != algorithm.name() {
            return Ok(Vec::new());
        }
        let key = sized_key(algorithm, self.key.0)?;
        let counter = exactly("counter", &self.counter.0)?;
        if self.plaintext.0.is_empty() || self.plaintext.0.len() != self.ciphertext.0.len() {
            return Err("plaintext and ciphertext must be of one size, and not empty".into());
        }
        Ok(both(
            &self.plaintext.0,
            &self.ciphertext.0,
            |direction, input, output| CaseKind::Ctr {
                direction,
                key: key.clone(),
                counter,
                input,
                output,
            },
        ))
    }
}

/// Two draws of a CBC IV, which the random source determines.
#[derive(Deserialize)]
pub(super) struct Iv {
    first: Hex,
    second: Hex,
    message: Hex,
}

impl Iv {
    pub(super) fn cases(self, algorithm: Algorithm) -> Cases {
        let Interface::Cbc { .. } = algorithm.interface() else {
            return Err(format!("{} draws no IV", algorithm.name()));
        };
        let first = exactly("first", &self.first.0)?;
        let second = exactly("second", &self.second.0)?;
        if first == second {
            return Err("the two draws are equal".into());
        }
        let message = self.message.0;
        Ok(vec![(
            "",
            CaseKind::CbcIv {
                first,
                second,
                message,
            },
        )])
    }
}

fn blocks(key: &[u8], plaintext: &[u8], ciphertext: &[u8]) -> Vec<(&'static str, CaseKind)> {
    both(plaintext, ciphertext, |direction, input, output| {
        CaseKind::Blocks {
            direction,
            key: key.to_vec(),
            input,
            output,
        }
    })
}

/// The vector as an encryption and as a decryption.
fn both(
    plaintext: &[u8],
    ciphertext: &[u8],
    kind: impl Fn(Direction, Vec<u8>, Vec<u8>) -> CaseKind,
) -> Vec<(&'static str, CaseKind)> {
    vec![
        (
            " encrypt",
            kind(Direction::Encrypt, plaintext.to_vec(), ciphertext.to_vec()),
        ),
        (
            " decrypt",
            kind(Direction::Decrypt, ciphertext.to_vec(), plaintext.to_vec()),
        ),
    ]
}

fn sized_key(algorithm: Algorithm, key: Vec<u8>) -> Result<Vec<u8>, String> {
    let bytes = match algorithm.interface() {
        Interface::BlockCipher { key_bytes }
        | Interface::Ecb { key_bytes }
        | Interface::Cbc { key_bytes }
        | Interface::Ctr { key_bytes } => key_bytes,
        _ => return Err(format!("{} is not a cipher", algorithm.name())),
    };
    if key.len() == bytes {
        Ok(key)
    } else {
        Err(format!(
            "the key has {} bytes instead of {bytes}",
            key.len()
        ))
    }
}

fn whole_blocks(plaintext: &[u8], ciphertext: &[u8]) -> Result<(), String> {
    if plaintext.is_empty()
        || !plaintext.len().is_multiple_of(16)
        || plaintext.len() != ciphertext.len()
    {
        return Err("plaintext and ciphertext must be whole blocks of one size".into());
    }
    Ok(())
}
