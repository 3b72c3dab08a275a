//! Authenticated encryption in pieces: messages that do not fit into memory, or that arrive in
//! pieces. Any division gives the same result as sealing or opening the whole message.

use std::marker::PhantomData;

use super::aead::header;
use super::aead_table::AeadKey;
use super::block::Encrypt;
use super::declarations as c;
use super::plain::Plain;
use crate::{Error, status};

/// Makes the type of a message that is sealed and that of one that is opened. `$given` are the
/// arguments of the C function between the state and the header, and `$size` those after it.
macro_rules! pieces {
    ($(
        $(#[$attribute:meta])*
        $sealing:ident, $opening:ident, $c_sealing:ident, $c_opening:ident,
        $seal_start:ident, $seal_update:ident, $seal_finish:ident,
        $open_start:ident, $open_update:ident, $open_finish:ident,
        ($key:ident: $key_type:ty $(, $size:ident: u32)?), ($($given:expr),+);
    )+) => {$(
        $(#[$attribute])*
        ///
        /// Seals a message. A message that is dropped before [`finish`](Self::finish) is abandoned;
        /// its nonce is used up all the same.
        #[derive(Debug)]
        pub struct $sealing<'key> {
            state: c::$c_sealing,
            tag_size: usize,
            key: PhantomData<&'key ()>,
        }

        impl<'key> $sealing<'key> {
            /// Begins a message. Gives [`Error::Argument`] for a size that the algorithm does not
            /// accept.
            pub fn start(
                $key: &'key $key_type,
                nonce: &[u8],
                ad: &[u8],
                tag_size: usize,
                $($size: u32,)?
            ) -> Result<Self, Error> {
                let mut message = Self {
                    state: c::$c_sealing::zeroed(),
                    tag_size,
                    key: PhantomData,
                };
                let header = header(nonce, ad, tag_size);
                // SAFETY: the slices live during the call. The state points to the key, which
                // 'key keeps alive and in its place.
                status(unsafe {
                    c::$seal_start(&raw mut message.state, $($given,)+ &raw const header $(, $size)?)
                })?;
                Ok(message)
            }

            /// Encrypts a piece of any size. After an error the message has ended.
            ///
            /// # Panics
            ///
            /// If `out` and `piece` differ in length.
            pub fn update(&mut self, out: &mut [u8], piece: &[u8]) -> Result<(), Error> {
                assert_eq!(out.len(), piece.len(), "a piece keeps its size");
                // SAFETY: both buffers have piece.len() bytes, and the state was started.
                status(unsafe {
                    c::$seal_update(&raw mut self.state, out.as_mut_ptr(), piece.as_ptr(), piece.len())
                })
            }

            /// [`update`](Self::update) where the piece stands.
            pub fn update_in_place(&mut self, data: &mut [u8]) -> Result<(), Error> {
                let start = data.as_mut_ptr();
                // SAFETY: as above; out == in is allowed.
                status(unsafe { c::$seal_update(&raw mut self.state, start, start, data.len()) })
            }

            /// Ends the message and writes its tag.
            ///
            /// # Panics
            ///
            /// If `tag` has another size than [`start`](Self::start) was given.
            pub fn finish(mut self, tag: &mut [u8]) -> Result<(), Error> {
                assert_eq!(tag.len(), self.tag_size, "the size of the tag is that of start");
                // C does not write a tag if the message has ended.
                tag.fill(0);
                // SAFETY: tag has the size that the state was started with.
                status(unsafe { c::$seal_finish(&raw mut self.state, tag.as_mut_ptr()) })
            }
        }

        $(#[$attribute])*
        ///
        /// Opens a message. **Do not use opened bytes before [`finish`](Self::finish) has returned
        /// `Ok`**: until then nobody has verified them. If it fails, erase all of them.
        #[derive(Debug)]
        pub struct $opening<'key> {
            state: c::$c_opening,
            tag_size: usize,
            key: PhantomData<&'key ()>,
        }

        impl<'key> $opening<'key> {
            /// Begins a message. Gives [`Error::Argument`] for a size that the algorithm does not
            /// accept.
            pub fn start(
                $key: &'key $key_type,
                nonce: &[u8],
                ad: &[u8],
                tag_size: usize,
                $($size: u32,)?
            ) -> Result<Self, Error> {
                let mut message = Self {
                    state: c::$c_opening::zeroed(),
                    tag_size,
                    key: PhantomData,
                };
                let header = header(nonce, ad, tag_size);
                // SAFETY: as for sealing.
                status(unsafe {
                    c::$open_start(&raw mut message.state, $($given,)+ &raw const header $(, $size)?)
                })?;
                Ok(message)
            }

            /// Decrypts a piece of any size. After an error the message has ended.
            ///
            /// # Panics
            ///
            /// If `out` and `piece` differ in length.
            pub fn update(&mut self, out: &mut [u8], piece: &[u8]) -> Result<(), Error> {
                assert_eq!(out.len(), piece.len(), "a piece keeps its size");
                // SAFETY: as for sealing.
                status(unsafe {
                    c::$open_update(&raw mut self.state, out.as_mut_ptr(), piece.as_ptr(), piece.len())
                })
            }

            /// [`update`](Self::update) where the piece stands.
            pub fn update_in_place(&mut self, data: &mut [u8]) -> Result<(), Error> {
                let start = data.as_mut_ptr();
                // SAFETY: as for sealing; out == in is allowed.
                status(unsafe { c::$open_update(&raw mut self.state, start, start, data.len()) })
            }

            /// Ends the message and verifies its tag. Gives [`Error::Tag`] if it does not verify.
            ///
            /// # Panics
            ///
            /// If `tag` has another size than [`start`](Self::start) was given.
            pub fn finish(mut self, tag: &[u8]) -> Result<(), Error> {
                assert_eq!(tag.len(), self.tag_size, "the size of the tag is that of start");
                // SAFETY: as for sealing.
                status(unsafe { c::$open_finish(&raw mut self.state, tag.as_ptr()) })
            }
        }
    )+};
}

pieces! {
    /// A message in pieces with GCM [SP800-38D] and any encrypting key. Sizes as for
    /// [`gcm_seal`](super::gcm_seal).
    GcmSealing, GcmOpening, GcmSealing, GcmOpening,
    selo_gcm_seal_start, selo_gcm_seal_update, selo_gcm_seal_finish,
    selo_gcm_open_start, selo_gcm_open_update, selo_gcm_open_finish,
    (key: dyn Encrypt), (key.encryption().0.cipher());

    /// A message in pieces with CCM [SP800-38C] and any encrypting key. Sizes as for
    /// [`ccm_seal`](super::ccm_seal). CCM needs the size of the whole message at its start.
    CcmSealing, CcmOpening, CcmSealing, CcmOpening,
    selo_ccm_seal_start, selo_ccm_seal_update, selo_ccm_seal_finish,
    selo_ccm_open_start, selo_ccm_open_update, selo_ccm_open_finish,
    (key: dyn Encrypt, size: u32), (key.encryption().0.cipher());

    /// A message in pieces with ChaCha20-Poly1305 [RFC8439]: nonces of 12 bytes, tags of 8 to 16.
    ChaCha20Poly1305Sealing, ChaCha20Poly1305Opening,
    ChaCha20Poly1305Sealing, ChaCha20Poly1305Opening,
    selo_chacha20_poly1305_seal_start, selo_chacha20_poly1305_seal_update,
    selo_chacha20_poly1305_seal_finish, selo_chacha20_poly1305_open_start,
    selo_chacha20_poly1305_open_update, selo_chacha20_poly1305_open_finish,
    (key: c::ChaCha20Poly1305Key), (&raw const *key);

    /// A message in pieces with Ascon-AEAD128 [SP800-232]: nonces of 16 bytes, tags of 4 to 16.
    AsconAead128Sealing, AsconAead128Opening, AsconAead128Sealing, AsconAead128Opening,
    selo_ascon_aead128_seal_start, selo_ascon_aead128_seal_update,
    selo_ascon_aead128_seal_finish, selo_ascon_aead128_open_start,
    selo_ascon_aead128_open_update, selo_ascon_aead128_open_finish,
    (key: c::AsconAead128Key), (&raw const *key);

    /// A message in pieces with an algorithm chosen at run time. Every algorithm needs the size of
    /// the whole message at its start, so that a program which works with one works with all.
    AeadSealing, AeadOpening, AeadTableSealing, AeadTableOpening,
    selo_aead_seal_start, selo_aead_seal_update, selo_aead_seal_finish,
    selo_aead_open_start, selo_aead_open_update, selo_aead_open_finish,
    (key: AeadKey, size: u32), (&raw const *key.pieces(), key.raw());
}
