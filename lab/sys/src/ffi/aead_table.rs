//! Authenticated encryption with an algorithm that is chosen at run time.

use super::aead::header;
use super::declarations as c;
use super::plain::Plain;
use crate::{Error, status};

/// An algorithm of authenticated encryption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Aead {
    /// AES-128-GCM [SP800-38D].
    Aes128Gcm,
    /// AES-192-GCM [SP800-38D].
    Aes192Gcm,
    /// AES-256-GCM [SP800-38D].
    Aes256Gcm,
    /// AES-128-CCM [SP800-38C].
    Aes128Ccm,
    /// AES-192-CCM [SP800-38C].
    Aes192Ccm,
    /// AES-256-CCM [SP800-38C].
    Aes256Ccm,
    /// ChaCha20-Poly1305 [RFC8439].
    ChaCha20Poly1305,
    /// Ascon-AEAD128 [SP800-232].
    AsconAead128,
}

impl Aead {
    /// Every algorithm.
    pub const ALL: [Aead; 8] = [
        Aead::Aes128Gcm,
        Aead::Aes192Gcm,
        Aead::Aes256Gcm,
        Aead::Aes128Ccm,
        Aead::Aes192Ccm,
        Aead::Aes256Ccm,
        Aead::ChaCha20Poly1305,
        Aead::AsconAead128,
    ];

    fn tables(self) -> (&'static c::AeadTable, &'static c::AeadPieces) {
        match self {
            Aead::Aes128Gcm => (&c::selo_aead_aes128_gcm, &c::selo_aead_aes128_gcm_pieces),
            Aead::Aes192Gcm => (&c::selo_aead_aes192_gcm, &c::selo_aead_aes192_gcm_pieces),
            Aead::Aes256Gcm => (&c::selo_aead_aes256_gcm, &c::selo_aead_aes256_gcm_pieces),
            Aead::Aes128Ccm => (&c::selo_aead_aes128_ccm, &c::selo_aead_aes128_ccm_pieces),
            Aead::Aes192Ccm => (&c::selo_aead_aes192_ccm, &c::selo_aead_aes192_ccm_pieces),
            Aead::Aes256Ccm => (&c::selo_aead_aes256_ccm, &c::selo_aead_aes256_ccm_pieces),
            Aead::ChaCha20Poly1305 => (
                &c::selo_aead_chacha20_poly1305,
                &c::selo_aead_chacha20_poly1305_pieces,
            ),
            Aead::AsconAead128 => (
                &c::selo_aead_ascon_aead128,
                &c::selo_aead_ascon_aead128_pieces,
            ),
        }
    }

    /// Bytes of the raw key.
    #[must_use]
    pub fn key_size(self) -> usize {
        self.tables().0.key_size.into()
    }

    /// Recommended bytes of the nonce.
    #[must_use]
    pub fn nonce_size(self) -> usize {
        self.tables().0.nonce_size.into()
    }

    /// Bytes of the longest tag.
    #[must_use]
    pub fn tag_size(self) -> usize {
        self.tables().0.tag_size.into()
    }
}

/// A key with its algorithm, so that both always agree.
#[derive(Debug)]
pub struct AeadKey {
    aead: Aead,
    key: c::AeadTableKey,
}

impl AeadKey {
    /// Sets up the key from its raw bytes. Gives [`Error::Argument`] if they are not as many as
    /// [`Aead::key_size`].
    pub fn new(aead: Aead, raw: &[u8]) -> Result<AeadKey, Error> {
        let mut key = c::AeadTableKey::zeroed();
        // SAFETY: raw has raw.len() bytes, and the table lives as long as the program.
        status(unsafe {
            c::selo_aead_setup(&raw mut key, aead.tables().0, raw.as_ptr(), raw.len())
        })?;
        Ok(AeadKey { aead, key })
    }

    /// The algorithm.
    #[must_use]
    pub fn aead(&self) -> Aead {
        self.aead
    }

    pub(super) fn raw(&self) -> *const c::AeadTableKey {
        &raw const self.key
    }

    pub(super) fn pieces(&self) -> &'static c::AeadPieces {
        self.aead.tables().1
    }

    /// Encrypts `message` to `out` and writes the tag of ciphertext and associated data. A size
    /// that the algorithm does not accept gives [`Error::Argument`] and zeroes `out` and `tag`.
    ///
    /// # Panics
    ///
    /// If `out` and `message` differ in length.
    pub fn seal(
        &self,
        nonce: &[u8],
        ad: &[u8],
        out: &mut [u8],
        message: &[u8],
        tag: &mut [u8],
    ) -> Result<(), Error> {
        assert_eq!(out.len(), message.len(), "the tag stands apart");
        let header = header(nonce, ad, tag.len());
        // SAFETY: the key belongs to the table; out and message cover message.len() bytes each,
        // the other slices theirs.
        status(unsafe {
            (self.aead.tables().0.seal)(
                self.raw(),
                &raw const header,
                out.as_mut_ptr(),
                message.as_ptr(),
                message.len(),
                tag.as_mut_ptr(),
            )
        })
    }

    /// Reverse of [`seal`](Self::seal): [`Error::Tag`], with `out` zeroed, if the tag is not that
    /// of ciphertext and associated data.
    ///
    /// # Panics
    ///
    /// If `out` and `ciphertext` differ in length.
    pub fn open(
        &self,
        nonce: &[u8],
        ad: &[u8],
        out: &mut [u8],
        ciphertext: &[u8],
        tag: &[u8],
    ) -> Result<(), Error> {
        assert_eq!(out.len(), ciphertext.len(), "the tag stands apart");
        let header = header(nonce, ad, tag.len());
        // SAFETY: as above.
        status(unsafe {
            (self.aead.tables().0.open)(
                self.raw(),
                &raw const header,
                out.as_mut_ptr(),
                ciphertext.as_ptr(),
                ciphertext.len(),
                tag.as_ptr(),
            )
        })
    }
}
