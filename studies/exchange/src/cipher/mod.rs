//! The ciphers of an exchange, and the implementations that are part of this program.
//!
//! A sealed message is a fresh IV or nonce, the ciphertext, and the tag if the cipher has one.
//! Sealing and opening start from the raw key, so the time includes the key schedule, as it does in
//! the calls of the compared libraries.

mod algorithm;
mod built_in;

pub use self::algorithm::Cipher;
pub(crate) use self::algorithm::TAG;
pub use self::built_in::BuiltIn;
