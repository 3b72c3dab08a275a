//! The ciphers of an exchange, and the implementations that are part of this program. A sealed
//! message is the IV or nonce, drawn anew for each, the ciphertext, and the tag if the cipher has
//! one. Sealing and opening begin with the raw key, so its schedule is in the time, as in the
//! calls of the libraries that are compared.

mod algorithm;
mod built_in;

pub use self::algorithm::Cipher;
pub(crate) use self::algorithm::TAG;
pub use self::built_in::BuiltIn;
