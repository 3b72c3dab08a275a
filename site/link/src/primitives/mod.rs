//! The primitives of a suite, behind four functions: hash, HKDF, seal, open [docs/protocol.md,
//! Suites].
//!
//! Ciphers and hash functions come from crates. The AEADs are assembled here, because packets
//! need 8-byte tags, which the AEAD crates cannot verify. HMAC is assembled here, because one
//! suite needs a 32-byte block. Poly1305 is implemented here, because the crates are slow for
//! the few blocks of a packet.

mod ascon;
mod chachapoly;
mod gcm;
mod hash;
mod poly1305;
mod tag;
#[cfg(test)]
mod tests;

use subtle::ConstantTimeEq;
use zeroize::Zeroize;

use crate::suite::Suite;

pub use hash::{hash, hkdf};
pub use tag::TAG_MAX;

/// Encrypts `text` in place and returns the tag [docs/protocol.md, Suites].
pub fn seal(suite: Suite, key: &[u8; 32], n: u64, ad: &[u8], text: &mut [u8]) -> [u8; TAG_MAX] {
    match suite {
        Suite::AesGcmSha3 | Suite::AesGcmSha256 => gcm::seal(key, n, ad, text),
        Suite::ChaChaPolyBlake2s => chachapoly::seal(key, n, ad, text),
        Suite::Ascon => ascon::seal(key, n, ad, text),
    }
}

/// Decrypts `text` in place if `tag` is right. `tag` is the first 8 or all 16 bytes of the tag
/// from [`seal`]. Otherwise zeroes `text` and returns false.
#[must_use]
pub fn open(suite: Suite, key: &[u8; 32], n: u64, ad: &[u8], text: &mut [u8], tag: &[u8]) -> bool {
    debug_assert!(matches!(tag.len(), 8 | TAG_MAX));
    let expected = match suite {
        Suite::AesGcmSha3 | Suite::AesGcmSha256 => gcm::open(key, n, ad, text),
        Suite::ChaChaPolyBlake2s => chachapoly::open(key, n, ad, text),
        Suite::Ascon => ascon::open(key, n, ad, text),
    };
    let genuine = bool::from(expected[..tag.len()].ct_eq(tag));
    if !genuine {
        text.zeroize();
    }
    genuine
}
