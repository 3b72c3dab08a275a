//! Wycheproof's JSON: X25519, ECDH, signatures, AES-CBC-PKCS5, HMAC, authenticated ciphers and
//! HKDF.

mod cipher;
mod exchange;
mod keyed_hash;
mod signature;

use serde::{Deserialize, Deserializer};

use super::source::{SourceText, exactly};
use crate::{Algorithm, Case, CaseKind, Error};

pub(super) use cipher::{aead, cbc};
pub(super) use exchange::{ecdh, xdh};
pub(super) use keyed_hash::{hkdf, mac};
pub(super) use signature::signature;

fn read<'a, T: Deserialize<'a>>(place: &SourceText<'a>) -> Result<T, Error> {
    serde_json::from_str(place.text).map_err(|error| {
        let message = error.to_string();
        // The line stands before the message already.
        let message = message
            .rsplit_once(" at line ")
            .map_or(message.as_str(), |(message, _)| message);
        place.error(error.line().max(1), message)
    })
}

#[derive(Deserialize)]
struct File<Group> {
    #[serde(rename = "testGroups")]
    groups: Vec<Group>,
}

/// What every test says about itself.
#[derive(Deserialize)]
struct About {
    #[serde(rename = "tcId")]
    id: u32,
    flags: Vec<String>,
    result: Expected,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Expected {
    Valid,
    Acceptable,
    Invalid,
}

impl About {
    fn case(
        &self,
        place: &SourceText<'_>,
        algorithm: Algorithm,
        suffix: &str,
        kind: CaseKind,
    ) -> Case {
        let mut flags = self.flags.clone();
        flags.sort_unstable();
        let result = match self.result {
            Expected::Valid => "valid",
            Expected::Acceptable => "acceptable",
            Expected::Invalid => "invalid",
        };
        let class = format!("{result} {}{suffix}", flags.join(" "));
        Case::new(
            algorithm,
            format!("{}:tcId {}{suffix}", place.name(), self.id),
            class,
            kind,
        )
    }
}

/// Bytes, decoded while the JSON parser still knows the line.
struct Hex(Vec<u8>);

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        hex::decode(&text)
            .map(Hex)
            .map_err(|error| serde::de::Error::custom(format!("not hexadecimal: {error}")))
    }
}

impl Hex {
    fn fixed<const N: usize>(
        &self,
        place: &SourceText<'_>,
        about: &About,
        what: &str,
    ) -> Result<[u8; N], Error> {
        exactly(what, &self.0)
            .map_err(|message| place.error(1, format!("tcId {}: {message}", about.id)))
    }
}
