//! HMAC: a key of any length, then the same calls as a hash.

use super::block::Encrypt;
use super::declarations as c;
use super::memory::{equal, wipe};
use super::plain::Plain;

macro_rules! macs {
    ($($name:ident, $tag:literal, $start:ident, $update:ident, $finish:ident;)+) => {$(
        impl c::$name {
            /// Starts a tag under a key of any length. A message may have up to 2^32 - 1 bytes
            /// minus one block of the hash.
            #[must_use]
            pub fn new(key: &[u8]) -> Self {
                let mut mac = Self::zeroed();
                // SAFETY: mac is writable, the slice covers its bytes.
                unsafe { c::$start(&raw mut mac, key.as_ptr(), key.len()) };
                mac
            }

            /// Adds bytes to the message.
            pub fn update(&mut self, data: &[u8]) {
                // SAFETY: the state was started by new() and is used up by finish(); the
                // slice covers its bytes.
                unsafe { c::$update(self, data.as_ptr().cast(), data.len()) }
            }

            /// Returns the tag of the message. Use `verify` to check a received tag.
            #[must_use]
            pub fn finish(mut self) -> [u8; $tag] {
                let mut tag = [0; $tag];
                // SAFETY: as above.
                unsafe { c::$finish(&raw mut self, &raw mut tag) };
                tag
            }

            /// True if `tag` is the tag of the message. The time does not depend on the tag.
            #[must_use]
            pub fn verify(self, tag: &[u8; $tag]) -> bool {
                let mut own = self.finish();
                let same = equal(&own, tag);
                wipe(&mut own);
                same
            }
        }
    )+};
}

macs! {
    HmacSha256, 32, selo_hmac_sha256_start, selo_hmac_sha256_update, selo_hmac_sha256_finish;
    HmacSha512, 64, selo_hmac_sha512_start, selo_hmac_sha512_update, selo_hmac_sha512_finish;
    HmacSha3_256, 32, selo_hmac_sha3_256_start, selo_hmac_sha3_256_update, selo_hmac_sha3_256_finish;
    HmacSha3_512, 64, selo_hmac_sha3_512_start, selo_hmac_sha3_512_update, selo_hmac_sha3_512_finish;
    HmacBlake2s, 32, selo_hmac_blake2s_start, selo_hmac_blake2s_update, selo_hmac_blake2s_finish;
    HmacAsconHash256, 32, selo_hmac_ascon_hash256_start, selo_hmac_ascon_hash256_update,
        selo_hmac_ascon_hash256_finish;
}

/// The tag of a message by CMAC [SP800-38B] with any encrypting key. Compare it with [`equal`].
#[must_use]
pub fn cmac(key: &dyn Encrypt, message: &[u8]) -> [u8; 16] {
    let mut mac = c::Cmac::zeroed();
    let mut tag = [0; 16];
    // SAFETY: a Block holds a function and its key, which lives until the end; the slice covers its
    // bytes.
    unsafe {
        c::selo_cmac_start(&raw mut mac, key.encryption().0.cipher());
        c::selo_cmac_update(&raw mut mac, message.as_ptr().cast(), message.len());
        c::selo_cmac_finish(&raw mut mac, &raw mut tag);
    }
    tag
}
