//! Keys of the block ciphers, and operations on one block.

use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;

use super::declarations as c;
use super::plain::Plain;

/// A block function of the library and its key.
#[derive(Clone, Copy)]
pub(super) struct Block<'key> {
    pub(super) function: c::BlockFn,
    pub(super) key: *const c_void,
    lives: PhantomData<&'key c_void>,
}

impl Block<'_> {
    /// The encrypting function in the form that the C modes take.
    pub(super) fn cipher(self) -> c::Cipher {
        c::Cipher {
            encrypt: self.function,
            key: self.key,
            encrypt_two: None,
        }
    }

    /// The decrypting function in the form that the C modes take.
    pub(super) fn inverse(self) -> c::InverseCipher {
        c::InverseCipher {
            decrypt: self.function,
            key: self.key,
            decrypt_two: None,
        }
    }

    fn apply(self, out: &mut [u8; 16], block: &[u8; 16]) {
        // SAFETY: function and key belong together, see keys!; both arrays have 16 bytes.
        unsafe { (self.function)(self.key, out, block) }
    }

    fn apply_in_place(self, block: &mut [u8; 16]) {
        let block = &raw mut *block;
        // SAFETY: as above; out == in is allowed.
        unsafe { (self.function)(self.key, block, block) }
    }
}

/// A key in its encrypting direction.
#[derive(Clone, Copy)]
pub struct Encryption<'key>(pub(super) Block<'key>);

/// A key in its decrypting direction.
#[derive(Clone, Copy)]
pub struct Decryption<'key>(pub(super) Block<'key>);

/// A key of a 128-bit block cipher that encrypts.
pub trait Encrypt {
    /// The form that the modes of operation take.
    fn encryption(&self) -> Encryption<'_>;

    /// Encrypts one block.
    fn encrypt_block(&self, out: &mut [u8; 16], block: &[u8; 16]) {
        self.encryption().0.apply(out, block);
    }

    /// Encrypts one block in place.
    fn encrypt_block_in_place(&self, block: &mut [u8; 16]) {
        self.encryption().0.apply_in_place(block);
    }
}

/// A key of a 128-bit block cipher that decrypts.
pub trait Decrypt {
    /// The form that the modes of operation take.
    fn decryption(&self) -> Decryption<'_>;

    /// Decrypts one block.
    fn decrypt_block(&self, out: &mut [u8; 16], block: &[u8; 16]) {
        self.decryption().0.apply(out, block);
    }

    /// Decrypts one block in place.
    fn decrypt_block_in_place(&self, block: &mut [u8; 16]) {
        self.decryption().0.apply_in_place(block);
    }
}

impl fmt::Debug for Encryption<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Encryption(..)")
    }
}

impl fmt::Debug for Decryption<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Decryption(..)")
    }
}

/// Ties each key to its functions. Only this macro does so, which ensures that a key never
/// meets a function of another variant.
macro_rules! keys {
    ($($name:ident, $bytes:literal, $setup:ident, $encrypt:ident $(, $decrypt:ident)?;)+) => {$(
        impl c::$name {
            /// Sets up the key from its raw bytes.
            #[must_use]
            pub fn new(raw: &[u8; $bytes]) -> Self {
                let mut key = Self::zeroed();
                c::$setup(&mut key, raw);
                key
            }
        }

        impl Encrypt for c::$name {
            fn encryption(&self) -> Encryption<'_> {
                Encryption(Block {
                    function: c::$encrypt,
                    key: (&raw const *self).cast(),
                    lives: PhantomData,
                })
            }
        }

        $(impl Decrypt for c::$name {
            fn decryption(&self) -> Decryption<'_> {
                Decryption(Block {
                    function: c::$decrypt,
                    key: (&raw const *self).cast(),
                    lives: PhantomData,
                })
            }
        })?
    )+};
}

keys! {
    Aes128Fast, 16, selo_aes128_fast_setup, selo_aes128_fast_encrypt, selo_aes128_fast_decrypt;
    Aes128Small, 16, selo_aes128_small_setup, selo_aes128_small_encrypt, selo_aes128_small_decrypt;
    Aes128Tiny, 16, selo_aes128_tiny_setup, selo_aes128_tiny_encrypt;
    Aes192Fast, 24, selo_aes192_fast_setup, selo_aes192_fast_encrypt, selo_aes192_fast_decrypt;
    Aes192Small, 24, selo_aes192_small_setup, selo_aes192_small_encrypt, selo_aes192_small_decrypt;
    Aes192Tiny, 24, selo_aes192_tiny_setup, selo_aes192_tiny_encrypt;
    Aes256Fast, 32, selo_aes256_fast_setup, selo_aes256_fast_encrypt, selo_aes256_fast_decrypt;
    Aes256Small, 32, selo_aes256_small_setup, selo_aes256_small_encrypt, selo_aes256_small_decrypt;
    Aes256Tiny, 32, selo_aes256_tiny_setup, selo_aes256_tiny_encrypt;
    Speck128Fast, 16, selo_speck128_fast_setup, selo_speck128_fast_encrypt, selo_speck128_fast_decrypt;
    Speck128Small, 16, selo_speck128_small_setup, selo_speck128_small_encrypt, selo_speck128_small_decrypt;
    Speck128Tiny, 16, selo_speck128_tiny_setup, selo_speck128_tiny_encrypt;
    Speck192Fast, 24, selo_speck192_fast_setup, selo_speck192_fast_encrypt, selo_speck192_fast_decrypt;
    Speck192Small, 24, selo_speck192_small_setup, selo_speck192_small_encrypt, selo_speck192_small_decrypt;
    Speck192Tiny, 24, selo_speck192_tiny_setup, selo_speck192_tiny_encrypt;
    Speck256Fast, 32, selo_speck256_fast_setup, selo_speck256_fast_encrypt, selo_speck256_fast_decrypt;
    Speck256Small, 32, selo_speck256_small_setup, selo_speck256_small_encrypt, selo_speck256_small_decrypt;
    Speck256Tiny, 32, selo_speck256_tiny_setup, selo_speck256_tiny_encrypt;
}
