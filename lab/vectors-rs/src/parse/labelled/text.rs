//! The notations of bytes in labelled vectors.

use serde::{Deserialize, Deserializer};

/// Bytes in hexadecimal.
pub(super) struct Hex(pub(super) Vec<u8>);

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        hex::decode(&text)
            .map(Hex)
            .map_err(|error| serde::de::Error::custom(format!("not hexadecimal: {error}")))
    }
}

/// 64-bit words as [SPECK2013] prints them, the most significant first, in the bytes of
/// [SPECKGUIDE, 2]: the last word first, each little-endian.
pub(super) struct Words(pub(super) Vec<u8>);

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let mut bytes = Vec::new();
        for word in text.split_ascii_whitespace().rev() {
            let value = (word.len() == 16)
                .then(|| u64::from_str_radix(word, 16).ok())
                .flatten();
            let value = value.ok_or_else(|| {
                serde::de::Error::custom(format!("`{word}` is not a 64-bit word"))
            })?;
            bytes.extend(value.to_le_bytes());
        }
        Ok(Words(bytes))
    }
}
