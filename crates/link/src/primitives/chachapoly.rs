//! ChaCha20-Poly1305 [RFC8439, 2.8] with Noise's nonce [NOISE, 12.3].

use chacha20::cipher::{Block, KeyIvInit, StreamCipherCore};
use chacha20::variants::Ietf;
use chacha20::{ChaChaCore, R20};
use orion::hazardous::mac::poly1305::{OneTimeKey, Poly1305};
use zeroize::Zeroize;

use super::TAG_MAX;

type ChaCha20 = ChaChaCore<R20, Ietf>;

/// Blocks of key stream made at a time. The cipher makes four as fast as one; the first is
/// Poly1305's, and the others are more than a packet of the link can need.
const BATCH: usize = 4;

pub(super) fn seal(key: &[u8; 32], n: u64, ad: &[u8], text: &mut [u8]) -> [u8; TAG_MAX] {
    let mut state = ChaChaPoly::new(key, n);
    state.apply_key_stream(text);
    state.tag(ad, text)
}

/// Decrypts, and returns the tag that the ciphertext should have had.
pub(super) fn open(key: &[u8; 32], n: u64, ad: &[u8], text: &mut [u8]) -> [u8; TAG_MAX] {
    let mut state = ChaChaPoly::new(key, n);
    let tag = state.tag(ad, text);
    state.apply_key_stream(text);
    tag
}

struct ChaChaPoly {
    cipher: ChaCha20,
    /// Under the first half of block 0 [RFC8439, 2.6].
    poly1305: Poly1305,
    /// Block 0, and the first key stream; later, key stream.
    blocks: [Block<ChaCha20>; BATCH],
}

impl ChaChaPoly {
    fn new(key: &[u8; 32], n: u64) -> Self {
        let mut nonce = [0; 12];
        nonce[4..].copy_from_slice(&n.to_le_bytes());
        let mut cipher = ChaCha20::new(key.into(), &nonce.into());
        let mut blocks = [Block::<ChaCha20>::default(); BATCH];
        cipher.write_keystream_blocks(&mut blocks);
        let key = OneTimeKey::from_slice(&blocks[0][..32]).expect("a key has 32 bytes");
        ChaChaPoly {
            cipher,
            poly1305: Poly1305::new(&key),
            blocks,
        }
    }

    fn apply_key_stream(&mut self, text: &mut [u8]) {
        let (start, rest) = text.split_at_mut(text.len().min(64 * (BATCH - 1)));
        xor(start, &self.blocks[1..]);
        for chunk in rest.chunks_mut(64 * BATCH) {
            self.cipher.write_keystream_blocks(&mut self.blocks);
            xor(chunk, &self.blocks);
        }
    }

    fn tag(&mut self, ad: &[u8], ciphertext: &[u8]) -> [u8; TAG_MAX] {
        let mut update = |bytes: &[u8]| self.poly1305.update(bytes).expect("it is not finalized");
        for part in [ad, ciphertext] {
            update(part);
            update(&[0; 15][..part.len().wrapping_neg() % 16]);
        }
        let mut lengths = [0; 16];
        lengths[..8].copy_from_slice(&(ad.len() as u64).to_le_bytes());
        lengths[8..].copy_from_slice(&(ciphertext.len() as u64).to_le_bytes());
        update(&lengths);
        let tag = self.poly1305.finalize().expect("it is finalized once");
        let mut bytes = [0; TAG_MAX];
        bytes.copy_from_slice(tag.unprotected_as_bytes());
        bytes
    }
}

fn xor(text: &mut [u8], stream: &[Block<ChaCha20>]) {
    for (text, stream) in text.iter_mut().zip(stream.iter().flatten()) {
        *text ^= stream;
    }
}

impl Drop for ChaChaPoly {
    fn drop(&mut self) {
        for block in &mut self.blocks {
            block.as_mut_slice().zeroize();
        }
    }
}
