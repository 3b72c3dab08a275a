//! All variants of the block ciphers, with their references.

use proptest::prelude::*;
use selo_sys::{
    Aes128Fast, Aes128Small, Aes128Tiny, Aes192Fast, Aes192Small, Aes192Tiny, Aes256Fast,
    Aes256Small, Aes256Tiny, Decrypt, Encrypt, Speck128Fast, Speck128Small, Speck128Tiny,
    Speck192Fast, Speck192Small, Speck192Tiny, Speck256Fast, Speck256Small, Speck256Tiny,
};

use crate::reference::{self, Reference};

/// A cipher with one key length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cipher {
    Aes128,
    Aes192,
    Aes256,
    Speck128,
    Speck192,
    Speck256,
}

pub const CIPHERS: [Cipher; 6] = [
    Cipher::Aes128,
    Cipher::Aes192,
    Cipher::Aes256,
    Cipher::Speck128,
    Cipher::Speck192,
    Cipher::Speck256,
];

/// The three variants under one key; `tiny` only encrypts.
pub struct Variants {
    pub encrypt: [(&'static str, Box<dyn Encrypt>); 3],
    pub decrypt: [(&'static str, Box<dyn Decrypt>); 2],
}

macro_rules! variants {
    ($raw:expr, $fast:ident, $small:ident, $tiny:ident) => {{
        let raw = $raw.try_into().expect("Cipher::key_bytes of them");
        Variants {
            encrypt: [
                ("fast", Box::new($fast::new(raw))),
                ("small", Box::new($small::new(raw))),
                ("tiny", Box::new($tiny::new(raw))),
            ],
            decrypt: [
                ("fast", Box::new($fast::new(raw))),
                ("small", Box::new($small::new(raw))),
            ],
        }
    }};
}

impl Cipher {
    pub fn key_bytes(self) -> usize {
        match self {
            Self::Aes128 | Self::Speck128 => 16,
            Self::Aes192 | Self::Speck192 => 24,
            Self::Aes256 | Self::Speck256 => 32,
        }
    }

    pub fn variants(self, raw: &[u8]) -> Variants {
        match self {
            Self::Aes128 => variants!(raw, Aes128Fast, Aes128Small, Aes128Tiny),
            Self::Aes192 => variants!(raw, Aes192Fast, Aes192Small, Aes192Tiny),
            Self::Aes256 => variants!(raw, Aes256Fast, Aes256Small, Aes256Tiny),
            Self::Speck128 => variants!(raw, Speck128Fast, Speck128Small, Speck128Tiny),
            Self::Speck192 => variants!(raw, Speck192Fast, Speck192Small, Speck192Tiny),
            Self::Speck256 => variants!(raw, Speck256Fast, Speck256Small, Speck256Tiny),
        }
    }

    /// The reference implementation.
    pub fn reference(self, raw: &[u8]) -> Box<dyn Reference> {
        match self {
            Self::Aes128 => reference::aes::<aes::Aes128>(raw),
            Self::Aes192 => reference::aes::<aes::Aes192>(raw),
            Self::Aes256 => reference::aes::<aes::Aes256>(raw),
            Self::Speck128 => reference::speck::<speck_cipher::Speck128_128>(raw),
            Self::Speck192 => reference::speck::<speck_cipher::Speck128_192>(raw),
            Self::Speck256 => reference::speck::<speck_cipher::Speck128_256>(raw),
        }
    }
}

/// A cipher with a random key of its length.
pub fn keyed() -> impl Strategy<Value = (Cipher, Vec<u8>)> {
    prop::sample::select(&CIPHERS[..]).prop_flat_map(|cipher| {
        let key = prop::collection::vec(any::<u8>(), cipher.key_bytes());
        (Just(cipher), key)
    })
}
