//! ChaCha20-Poly1305 [RFC8439, 2.8] with Noise's nonce [NOISE, 12.3].

use chacha20::cipher::{Block, KeyIvInit, StreamCipherCore};
use chacha20::variants::Ietf;
use chacha20::{ChaChaCore, R20};

use super::poly1305::Poly1305;
use super::tag::TAG_MAX;

type ChaCha20 = ChaChaCore<R20, Ietf>;

/// Key stream blocks generated at a time. The cipher generates four blocks as fast as one. The
/// first is for Poly1305, and the other three cover any packet of the link.
const BATCH: usize = 4;

pub(super) fn seal(key: &[u8; 32], n: u64, ad: &[u8], text: &mut [u8]) -> [u8; TAG_MAX] {
    let mut state = ChaChaPoly::new(key, n);
    state.apply_key_stream(text);
    state.tag(ad, text)
}

/// Decrypts `text` and returns the expected tag of the ciphertext.
pub(super) fn open(key: &[u8; 32], n: u64, ad: &[u8], text: &mut [u8]) -> [u8; TAG_MAX] {
    let mut state = ChaChaPoly::new(key, n);
    let tag = state.tag(ad, text);
    state.apply_key_stream(text);
    tag
}

struct ChaChaPoly {
    cipher: ChaCha20,
    /// Keyed with the first half of block 0 [RFC8439, 2.6].
    poly1305: Poly1305,
    /// First block 0 and three key stream blocks; later only key stream.
    blocks: [Block<ChaCha20>; BATCH],
}

impl ChaChaPoly {
    #[inline]
    fn new(key: &[u8; 32], n: u64) -> Self {
        let mut nonce = [0; 12];
        nonce[4..].copy_from_slice(&n.to_le_bytes());
        let mut cipher = ChaCha20::new(key.into(), &nonce.into());
        let mut blocks = [Block::<ChaCha20>::default(); BATCH];
        cipher.write_keystream_blocks(&mut blocks);
        let key = blocks[0].first_chunk().expect("a block has 64 bytes");
        ChaChaPoly {
            cipher,
            poly1305: Poly1305::new(key),
            blocks,
        }
    }

    #[inline]
    fn apply_key_stream(&mut self, text: &mut [u8]) {
        let (start, rest) = text.split_at_mut(text.len().min(64 * (BATCH - 1)));
        xor(start, &self.blocks[1..]);
        for chunk in rest.chunks_mut(64 * BATCH) {
            self.cipher.write_keystream_blocks(&mut self.blocks);
            xor(chunk, &self.blocks);
        }
    }

    #[inline]
    fn tag(&mut self, ad: &[u8], ciphertext: &[u8]) -> [u8; TAG_MAX] {
        self.poly1305.update_padded(ad);
        self.poly1305.update_padded(ciphertext);
        let lengths = (ciphertext.len() as u128) << 64 | ad.len() as u128;
        self.poly1305.block(lengths);
        self.poly1305.tag()
    }
}

#[inline]
fn xor(text: &mut [u8], stream: &[Block<ChaCha20>]) {
    for (text, stream) in text.chunks_mut(64).zip(stream) {
        for (text, stream) in text.iter_mut().zip(stream) {
            *text ^= stream;
        }
    }
}

impl Drop for ChaChaPoly {
    fn drop(&mut self) {
        // Wiped as a whole: wiping byte by byte took as long as the cipher. The barrier
        // prevents the compiler from removing it.
        self.blocks = Default::default();
        zeroize::optimization_barrier(&self.blocks);
    }
}
