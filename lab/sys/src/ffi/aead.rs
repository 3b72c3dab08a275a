//! Authenticated encryption, with separate buffers and in place.

use super::block::Encrypt;
use super::declarations as c;
use super::plain::Plain;
use crate::{Error, status};

impl c::ChaCha20Poly1305Key {
    /// Sets up the key from its raw bytes.
    #[must_use]
    pub fn new(raw: &[u8; 32]) -> Self {
        let mut key = Self::zeroed();
        c::selo_chacha20_poly1305_setup(&mut key, raw);
        key
    }
}

impl c::XChaCha20Poly1305Key {
    /// Sets up the key from its raw bytes.
    #[must_use]
    pub fn new(raw: &[u8; 32]) -> Self {
        let mut key = Self::zeroed();
        c::selo_xchacha20_poly1305_setup(&mut key, raw);
        key
    }
}

impl c::AsconAead128Key {
    /// Sets up the key from its raw bytes.
    #[must_use]
    pub fn new(raw: &[u8; 16]) -> Self {
        let mut key = Self::zeroed();
        c::selo_ascon_aead128_setup(&mut key, raw);
        key
    }
}

/// The C header of a message. Its pointers are only valid while the slices live.
pub(super) fn header(nonce: &[u8], ad: &[u8], tag_size: usize) -> c::Header {
    c::Header {
        nonce: nonce.as_ptr(),
        nonce_size: nonce.len(),
        ad: ad.as_ptr().cast(),
        ad_size: ad.len(),
        tag_size,
    }
}

/// Makes four functions per algorithm. `$key` and `nonce` are the Rust arguments before the
/// associated data; `$given` is the first argument of the C function.
macro_rules! aeads {
    ($(
        $(#[$attribute:meta])*
        $seal:ident, $seal_in_place:ident, $open:ident, $open_in_place:ident,
        $c_seal:ident, $c_open:ident,
        ($key:ident: $key_type:ty, nonce: $nonce_type:ty), $given:expr;
    )+) => {$(
        $(#[$attribute])*
        ///
        /// Encrypts `message` to `out` and writes the tag of ciphertext and associated data. The
        /// length of `tag` sets the tag size. A size that the algorithm does not accept gives
        /// [`Error::Argument`] and zeroes `out` and `tag`.
        ///
        /// # Panics
        ///
        /// If `out` and `message` differ in length.
        pub fn $seal(
            $key: $key_type,
            nonce: $nonce_type,
            ad: &[u8],
            out: &mut [u8],
            message: &[u8],
            tag: &mut [u8],
        ) -> Result<(), Error> {
            assert_eq!(out.len(), message.len(), "the tag stands apart");
            let header = header(nonce, ad, tag.len());
            // SAFETY: out and message cover message.len() bytes each, the other slices theirs;
            // a Block holds a function and its key.
            status(unsafe {
                c::$c_seal($given, &raw const header, out.as_mut_ptr(), message.as_ptr(), message.len(), tag.as_mut_ptr())
            })
        }

        #[doc = concat!("[`", stringify!($seal), "`] where the message stands.")]
        pub fn $seal_in_place(
            $key: $key_type,
            nonce: $nonce_type,
            ad: &[u8],
            data: &mut [u8],
            tag: &mut [u8],
        ) -> Result<(), Error> {
            let header = header(nonce, ad, tag.len());
            let start = data.as_mut_ptr();
            // SAFETY: as above; out == in is allowed.
            status(unsafe {
                c::$c_seal($given, &raw const header, start, start, data.len(), tag.as_mut_ptr())
            })
        }

        #[doc = concat!("Reverse of [`", stringify!($seal), "`]: [`Error::Tag`], with `out` ")]
        /// zeroed, if the tag is not that of ciphertext and associated data.
        ///
        /// # Panics
        ///
        /// If `out` and `ciphertext` differ in length.
        pub fn $open(
            $key: $key_type,
            nonce: $nonce_type,
            ad: &[u8],
            out: &mut [u8],
            ciphertext: &[u8],
            tag: &[u8],
        ) -> Result<(), Error> {
            assert_eq!(out.len(), ciphertext.len(), "the tag stands apart");
            let header = header(nonce, ad, tag.len());
            // SAFETY: as above.
            status(unsafe {
                c::$c_open($given, &raw const header, out.as_mut_ptr(), ciphertext.as_ptr(), ciphertext.len(), tag.as_ptr())
            })
        }

        #[doc = concat!("[`", stringify!($open), "`] where the ciphertext stands.")]
        pub fn $open_in_place(
            $key: $key_type,
            nonce: $nonce_type,
            ad: &[u8],
            data: &mut [u8],
            tag: &[u8],
        ) -> Result<(), Error> {
            let header = header(nonce, ad, tag.len());
            let start = data.as_mut_ptr();
            // SAFETY: as above; out == in is allowed.
            status(unsafe {
                c::$c_open($given, &raw const header, start, start, data.len(), tag.as_ptr())
            })
        }
    )+};
}

aeads! {
    /// GCM [SP800-38D] with any encrypting key: nonces of at least 1 byte, 12 recommended; tags of
    /// 4, 8 or 12 to 16 bytes.
    gcm_seal, gcm_seal_in_place, gcm_open, gcm_open_in_place, selo_gcm_seal, selo_gcm_open,
    (key: &dyn Encrypt, nonce: &[u8]),
    key.encryption().0.cipher();

    /// CCM [SP800-38C] with any encrypting key: nonces of 7 to 13 bytes, where a shorter nonce
    /// allows longer messages; tags of 4, 6, ... 16 bytes; up to 65,279 bytes of associated data.
    ccm_seal, ccm_seal_in_place, ccm_open, ccm_open_in_place, selo_ccm_seal, selo_ccm_open,
    (key: &dyn Encrypt, nonce: &[u8]),
    key.encryption().0.cipher();

    /// ChaCha20-Poly1305 [RFC8439]: tags of 8 to 16 bytes.
    chacha20_poly1305_seal, chacha20_poly1305_seal_in_place, chacha20_poly1305_open,
    chacha20_poly1305_open_in_place, selo_chacha20_poly1305_seal, selo_chacha20_poly1305_open,
    (key: &[u8; 32], nonce: &[u8; 12]), &c::ChaCha20Poly1305Key::new(key);

    /// XChaCha20-Poly1305 [XCHACHA]: tags of 8 to 16 bytes.
    xchacha20_poly1305_seal, xchacha20_poly1305_seal_in_place, xchacha20_poly1305_open,
    xchacha20_poly1305_open_in_place, selo_xchacha20_poly1305_seal, selo_xchacha20_poly1305_open,
    (key: &[u8; 32], nonce: &[u8; 24]), &c::XChaCha20Poly1305Key::new(key);

    /// Ascon-AEAD128 [SP800-232]: tags of 4 to 16 bytes.
    ascon_aead128_seal, ascon_aead128_seal_in_place, ascon_aead128_open,
    ascon_aead128_open_in_place, selo_ascon_aead128_seal, selo_ascon_aead128_open,
    (key: &[u8; 16], nonce: &[u8; 16]), &c::AsconAead128Key::new(key);
}
