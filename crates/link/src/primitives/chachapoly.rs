//! ChaCha20-Poly1305 [RFC8439, 2.8] with Noise's nonce [NOISE, 12.3].

use chacha20::ChaCha20;
use chacha20::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
use poly1305::Poly1305;
use poly1305::universal_hash::{KeyInit, UniversalHash};
use zeroize::Zeroizing;

use super::TAG_MAX;

pub(super) fn seal(key: &[u8; 32], n: u64, ad: &[u8], text: &mut [u8]) -> [u8; TAG_MAX] {
    let (mut cipher, poly1305) = set_up(key, n);
    cipher.apply_keystream(text);
    tag(poly1305, ad, text)
}

/// Decrypts, and returns the tag that the ciphertext should have had.
pub(super) fn open(key: &[u8; 32], n: u64, ad: &[u8], text: &mut [u8]) -> [u8; TAG_MAX] {
    let (mut cipher, poly1305) = set_up(key, n);
    let tag = tag(poly1305, ad, text);
    cipher.apply_keystream(text);
    tag
}

/// The cipher at its block 1, and Poly1305 under the first half of block 0 [RFC8439, 2.6].
fn set_up(key: &[u8; 32], n: u64) -> (ChaCha20, Poly1305) {
    let mut nonce = [0; 12];
    nonce[4..].copy_from_slice(&n.to_le_bytes());
    let mut cipher = ChaCha20::new(key.into(), &nonce.into());
    let mut one_time_key = Zeroizing::new([0; 32]);
    cipher.apply_keystream(one_time_key.as_mut());
    cipher.seek(64u32);
    (cipher, Poly1305::new((&*one_time_key).into()))
}

fn tag(mut poly1305: Poly1305, ad: &[u8], ciphertext: &[u8]) -> [u8; TAG_MAX] {
    poly1305.update_padded(ad);
    poly1305.update_padded(ciphertext);
    let mut lengths = poly1305::Block::default();
    lengths[..8].copy_from_slice(&(ad.len() as u64).to_le_bytes());
    lengths[8..].copy_from_slice(&(ciphertext.len() as u64).to_le_bytes());
    poly1305.update(&[lengths]);
    poly1305.finalize().into()
}
