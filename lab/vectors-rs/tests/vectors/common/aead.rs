//! Authenticated ciphers for the reference: GCM and CCM written from their standards over the
//! RustCrypto AES; ChaCha20-Poly1305 and Ascon from the RustCrypto crates.

use ascon_aead::AsconAead128;
use chacha20poly1305::ChaCha20Poly1305;
use chacha20poly1305::aead::{Aead, KeyInit, Payload};

use super::BlockCipher;

/// Ciphertext and tag; `None` for sizes that the algorithm does not define.
pub fn seal(
    algorithm: &str,
    key: &[u8],
    nonce: &[u8],
    ad: &[u8],
    plaintext: &[u8],
    tag_bytes: usize,
) -> Option<Vec<u8>> {
    let mut sealed = match algorithm {
        "chacha20-poly1305" => {
            let nonce = nonce.try_into().ok()?;
            let cipher = ChaCha20Poly1305::new_from_slice(key).ok()?;
            let message = Payload {
                msg: plaintext,
                aad: ad,
            };
            cipher.encrypt(nonce, message).ok()?
        }
        "ascon-aead128" => {
            let nonce = nonce.try_into().ok()?;
            let cipher = AsconAead128::new_from_slice(key).ok()?;
            let message = Payload {
                msg: plaintext,
                aad: ad,
            };
            cipher.encrypt(nonce, message).ok()?
        }
        name if name.ends_with("-gcm") => {
            if nonce.is_empty() || !matches!(tag_bytes, 4 | 8 | 12..=16) {
                return None;
            }
            gcm(&BlockCipher::new(name, key), nonce, ad, plaintext)
        }
        name => {
            let sizes = (7..=13).contains(&nonce.len()) && (4..=16).contains(&tag_bytes);
            if !sizes || tag_bytes % 2 == 1 || ad.len() >= 0xff00 {
                return None;
            }
            let cipher = BlockCipher::new(name, key);
            return Some(ccm(&cipher, nonce, ad, plaintext, tag_bytes));
        }
    };
    sealed.truncate(plaintext.len() + tag_bytes);
    (tag_bytes >= 4).then_some(sealed)
}

/// The plaintext, `Err` for a wrong tag, or `None` for wrong sizes. It only uses sealing: zeros in
/// place of a block seal to its key stream, whose XOR with the ciphertext is the plaintext.
pub fn open(
    algorithm: &str,
    key: &[u8],
    nonce: &[u8],
    ad: &[u8],
    sealed: &[u8],
    tag_bytes: usize,
) -> Option<Result<Vec<u8>, ()>> {
    let ciphertext = &sealed[..sealed.len().checked_sub(tag_bytes)?];
    let again = |plaintext: &[u8]| seal(algorithm, key, nonce, ad, plaintext, tag_bytes);
    let mut plaintext = Vec::new();
    for block in ciphertext.chunks(16) {
        let start = plaintext.len();
        plaintext.resize(start + block.len(), 0);
        let stream = again(&plaintext)?;
        let pairs = plaintext[start..]
            .iter_mut()
            .zip(block)
            .zip(&stream[start..]);
        pairs.for_each(|((plain, sealed), stream)| *plain = sealed ^ stream);
    }
    let same = again(&plaintext)? == sealed;
    Some(if same { Ok(plaintext) } else { Err(()) })
}

/// [SP800-38D, 7.1].
fn gcm(cipher: &BlockCipher, nonce: &[u8], ad: &[u8], plaintext: &[u8]) -> Vec<u8> {
    let subkey = u128::from_be_bytes(cipher.encrypt([0; 16]));
    let ghash = |parts: [&[u8]; 2]| {
        let mut hash = 0;
        for block in parts.iter().flat_map(|part| part.chunks(16)) {
            let mut padded = [0; 16];
            padded[..block.len()].copy_from_slice(block);
            hash = product(hash ^ u128::from_be_bytes(padded), subkey);
        }
        let bits = |part: &[u8]| 8 * part.len() as u128;
        product(hash ^ ((bits(parts[0]) << 64) | bits(parts[1])), subkey)
    };
    let first = match <[u8; 12]>::try_from(nonce) {
        Ok(nonce) => {
            u128::from_be_bytes([&nonce[..], &[0, 0, 0, 1]].concat().try_into().expect("16"))
        }
        Err(_) => ghash([&[], nonce]),
    };
    // Only the low 32 bits are incremented.
    let counter = |n: u32| (first & !0xffff_ffff) | u128::from((first as u32).wrapping_add(n));
    let mut sealed = Vec::new();
    for (index, block) in plaintext.chunks(16).enumerate() {
        let stream = cipher.encrypt(counter(1 + index as u32).to_be_bytes());
        sealed.extend(block.iter().zip(stream).map(|(a, b)| a ^ b));
    }
    let mask = u128::from_be_bytes(cipher.encrypt(first.to_be_bytes()));
    let tag = ghash([ad, &sealed]) ^ mask;
    sealed.extend(tag.to_be_bytes());
    sealed
}

/// [SP800-38D, 6.3].
fn product(x: u128, y: u128) -> u128 {
    let (mut product, mut factor) = (0, y);
    for bit in (0..128).rev() {
        if (x >> bit) & 1 == 1 {
            product ^= factor;
        }
        factor = (factor >> 1) ^ ((factor & 1) * (0xe1 << 120));
    }
    product
}

/// [SP800-38C, 6.1], with the blocks of its appendix A.
fn ccm(
    cipher: &BlockCipher,
    nonce: &[u8],
    ad: &[u8],
    plaintext: &[u8],
    tag_bytes: usize,
) -> Vec<u8> {
    let length_bytes = 15 - nonce.len();
    let block = |flags: usize, number: usize| {
        let mut block = [0; 16];
        block[0] = flags as u8;
        block[1..=nonce.len()].copy_from_slice(nonce);
        let number = (number as u128).to_be_bytes();
        block[16 - length_bytes..].copy_from_slice(&number[16 - length_bytes..]);
        block
    };
    let flags = 64 * usize::from(!ad.is_empty()) + 4 * (tag_bytes - 2) + length_bytes - 1;
    let mut blocks = block(flags, plaintext.len()).to_vec();
    let mut pad = |part: &[u8]| {
        blocks.extend(part);
        blocks.resize(blocks.len().next_multiple_of(16), 0);
    };
    if !ad.is_empty() {
        pad(&[&(ad.len() as u16).to_be_bytes()[..], ad].concat());
    }
    pad(plaintext);
    let mut mac = [0; 16];
    for block in blocks.chunks(16) {
        mac.iter_mut().zip(block).for_each(|(a, b)| *a ^= b);
        mac = cipher.encrypt(mac);
    }
    let stream = |number: usize| cipher.encrypt(block(length_bytes - 1, number));
    let mut sealed = Vec::new();
    for (index, block) in plaintext.chunks(16).enumerate() {
        sealed.extend(block.iter().zip(stream(1 + index)).map(|(a, b)| a ^ b));
    }
    let tag = mac.iter().zip(stream(0)).map(|(a, b)| a ^ b);
    sealed.extend(tag.take(tag_bytes));
    sealed
}
