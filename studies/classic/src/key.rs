//! The shared key of a node and a gateway, and the messages under it.

use std::fmt;

use aes::Aes256;
use aes::cipher::{Block, BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use sha3::{Digest, Sha3_256};
use zeroize::{Zeroize, ZeroizeOnDrop};

use selo_link::{EphemeralSecret, FRAME_MAX, Refusal};

use crate::frame::BLOCKS;

/// Maximum payload, bytes: three blocks with at least one byte of padding.
pub const PAYLOAD_MAX: usize = 47;

/// The key that both sides derive from the two public keys: AES-256, SHA3-256 of the secret.
#[derive(Zeroize, ZeroizeOnDrop)]
pub struct ClassicKey([u8; 32]);

/// The error of [`ClassicKey::seal`]: the message is longer than [`PAYLOAD_MAX`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a classic message has {bytes} bytes; the maximum is {PAYLOAD_MAX}")]
pub struct TooLong {
    /// Size of the message, bytes.
    pub bytes: usize,
}

/// The error of [`ClassicKey::open`]: the blocks do not end in padding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a classic message with wrong padding")]
pub struct WrongPadding;

impl ClassicKey {
    /// Derives the key from our secret and the peer's public key. Fails with [`Refusal::Key`] if
    /// the shared secret is zero.
    pub fn agree(ephemeral: &EphemeralSecret, peer: &[u8; 32]) -> Result<Self, Refusal> {
        let shared = ephemeral.shared_secret(peer).ok_or(Refusal::Key)?;
        Ok(ClassicKey(Sha3_256::digest(*shared).into()))
    }

    /// The AES-256 key. Test vectors and attacks read it.
    pub const fn expose(&self) -> &[u8; 32] {
        &self.0
    }

    /// Encrypts a message of at most [`PAYLOAD_MAX`] bytes. Returns the whole frame, within `out`.
    pub fn seal<'o>(
        &self,
        payload: &[u8],
        out: &'o mut [u8; FRAME_MAX],
    ) -> Result<&'o [u8], TooLong> {
        if payload.len() > PAYLOAD_MAX {
            return Err(TooLong {
                bytes: payload.len(),
            });
        }
        let bytes = (payload.len() / 16 + 1) * 16;
        let frame = &mut out[..1 + bytes];
        frame[0] = BLOCKS;
        let blocks = &mut frame[1..];
        blocks.fill((bytes - payload.len()) as u8); // PKCS#7 [RFC5652, 6.3]
        blocks[..payload.len()].copy_from_slice(payload);
        let cipher = Aes256::new(&self.0.into());
        for block in blocks.chunks_exact_mut(16) {
            cipher.encrypt_block(as_block(block));
        }
        Ok(frame)
    }

    /// Decrypts the blocks of a [`Frame::Blocks`](crate::Frame::Blocks). The message lies within
    /// `out`. Only wrong padding is an error; any other change goes unnoticed.
    pub fn open<'o>(
        &self,
        blocks: &[u8],
        out: &'o mut [u8; FRAME_MAX],
    ) -> Result<&'o [u8], WrongPadding> {
        let wrong = WrongPadding;
        let text = out
            .get_mut(..blocks.len())
            .filter(|text| text.len() % 16 == 0)
            .ok_or(wrong)?;
        text.copy_from_slice(blocks);
        let cipher = Aes256::new(&self.0.into());
        for block in text.chunks_exact_mut(16) {
            cipher.decrypt_block(as_block(block));
        }
        let padding = *text.last().ok_or(wrong)?;
        let end = text.len().checked_sub(padding.into()).ok_or(wrong)?;
        let padded = (1..=16).contains(&padding) && text[end..].iter().all(|&b| b == padding);
        if padded { Ok(&text[..end]) } else { Err(wrong) }
    }
}

fn as_block(bytes: &mut [u8]) -> &mut Block<Aes256> {
    bytes.try_into().expect("a chunk of 16 bytes")
}

impl fmt::Debug for ClassicKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ClassicKey(..)")
    }
}
