//! AES-256-GCM [SP800-38D, 7] with Noise's nonce [NOISE, 12.4].

use aes::Aes256Enc;
use aes::cipher::{Block, BlockCipherEncrypt, KeyInit};
use ghash::GHash;
use ghash::universal_hash::UniversalHash;

use super::tag::TAG_MAX;

/// Key stream blocks generated at a time: enough for any packet of the link.
const BATCH: usize = 4;

pub(super) fn seal(key: &[u8; 32], n: u64, ad: &[u8], text: &mut [u8]) -> [u8; TAG_MAX] {
    let mut gcm = Gcm::new(key, n, text.len());
    gcm.apply_key_stream(text);
    gcm.tag(ad, text)
}

/// Decrypts `text` and returns the expected tag of the ciphertext.
pub(super) fn open(key: &[u8; 32], n: u64, ad: &[u8], text: &mut [u8]) -> [u8; TAG_MAX] {
    let mut gcm = Gcm::new(key, n, text.len());
    let tag = gcm.tag(ad, text);
    gcm.apply_key_stream(text);
    tag
}

struct Gcm {
    cipher: Aes256Enc,
    n: u64,
    /// E(0), the key of GHASH; E(J0), which masks the tag; then key stream blocks.
    blocks: [Block<Aes256Enc>; 2 + BATCH],
}

impl Gcm {
    /// Generates the key stream for the first bytes of a text of this size. One call encrypts
    /// all blocks, because the cipher processes several in parallel.
    fn new(key: &[u8; 32], n: u64, bytes: usize) -> Self {
        let cipher = Aes256Enc::new(key.into());
        let mut blocks = [Block::<Aes256Enc>::default(); 2 + BATCH];
        for (counter, block) in (1..).zip(&mut blocks[1..]) {
            *block = counter_block(n, counter);
        }
        let needed = 2 + bytes.div_ceil(16).min(BATCH);
        cipher.encrypt_blocks(&mut blocks[..needed]);
        Gcm { cipher, n, blocks }
    }

    fn apply_key_stream(&mut self, text: &mut [u8]) {
        for (batch, chunk) in (0..).zip(text.chunks_mut(16 * BATCH)) {
            let stream = &mut self.blocks[2..];
            if batch > 0 {
                let first = 2 + batch * BATCH as u32;
                for (counter, block) in (first..).zip(&mut *stream) {
                    *block = counter_block(self.n, counter);
                }
                self.cipher.encrypt_blocks(stream);
            }
            for (text, stream) in chunk.chunks_mut(16).zip(stream) {
                for (text, stream) in text.iter_mut().zip(stream) {
                    *text ^= *stream;
                }
            }
        }
    }

    fn tag(&self, ad: &[u8], ciphertext: &[u8]) -> [u8; TAG_MAX] {
        let mut ghash = GHash::new(&self.blocks[0]);
        ghash.update_padded(ad);
        ghash.update_padded(ciphertext);
        let mut lengths = ghash::Block::default();
        lengths[..8].copy_from_slice(&(8 * ad.len() as u64).to_be_bytes());
        lengths[8..].copy_from_slice(&(8 * ciphertext.len() as u64).to_be_bytes());
        ghash.update(&[lengths]);
        let mut tag = <[u8; TAG_MAX]>::from(ghash.finalize());
        for (tag, mask) in tag.iter_mut().zip(&self.blocks[1]) {
            *tag ^= mask;
        }
        tag
    }
}

impl Drop for Gcm {
    fn drop(&mut self) {
        // Wiped as a whole, not byte by byte, for speed. The barrier prevents the compiler from
        // removing it.
        self.blocks = Default::default();
        zeroize::optimization_barrier(&self.blocks);
    }
}

fn counter_block(n: u64, counter: u32) -> Block<Aes256Enc> {
    let mut block = Block::<Aes256Enc>::default();
    block[4..12].copy_from_slice(&n.to_be_bytes());
    block[12..].copy_from_slice(&counter.to_be_bytes());
    block
}
