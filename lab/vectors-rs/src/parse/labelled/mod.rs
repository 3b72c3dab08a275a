//! Labelled vectors of our own transcription, in TOML: `[[vector]]` with `name`, `kind`
//! and the kind's fields in hexadecimal.
//!
//! Each kind is a struct with the fields of its table and a method `cases`.

mod aead;
mod ciphers;
mod digests;
mod keys;
mod text;

use serde::Deserialize;
use toml::Spanned;

use super::source::{Cases, SourceText};
use crate::{Algorithm, Case, Error};

pub(super) fn cases(place: &SourceText<'_>, algorithm: Algorithm) -> Result<Vec<Case>, Error> {
    let file: File = toml::from_str(place.text).map_err(|error| place.toml(&error))?;
    let mut cases = Vec::new();
    for vector in file.vectors {
        let line = place.line_of(vector.span().start);
        let table = vector.into_inner();
        let vector: Labelled = table
            .try_into()
            .map_err(|error| place.error(line, error.message().trim()))?;
        let kinds = vector
            .body
            .cases(algorithm)
            .map_err(|message| place.error(line, message))?;
        for (suffix, kind) in kinds {
            let id = format!("{}:{line} {}{suffix}", place.name(), vector.name);
            let class = format!("{}{suffix}", place.name());
            cases.push(Case::new(algorithm, id, class, kind));
        }
    }
    Ok(cases)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "vector")]
    vectors: Vec<Spanned<toml::Table>>,
}

#[derive(Deserialize)]
struct Labelled {
    name: String,
    #[serde(flatten)]
    body: Body,
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum Body {
    Block(ciphers::Block<text::Hex>),
    /// A block in Speck's notation.
    Words(ciphers::Block<text::Words>),
    Ecb(ciphers::Ecb),
    Cbc(ciphers::Cbc),
    Ctr(ciphers::Ctr),
    Iv(ciphers::Iv),
    Hash(digests::Hash),
    Mac(digests::Mac),
    Kdf(digests::Kdf),
    Aead(aead::Aead),
    X25519(keys::X25519),
    #[serde(rename = "x25519-iterated")]
    X25519Iterated(keys::X25519Iterated),
    #[serde(rename = "x25519-keygen")]
    X25519Keygen(keys::X25519Keygen),
    KeyPair(keys::KeyPair),
    Agreement(keys::Agreement),
    Signature(keys::Signature),
}

impl Body {
    fn cases(self, algorithm: Algorithm) -> Cases {
        match self {
            Body::Block(vector) => vector.cases(algorithm),
            Body::Words(vector) => vector.cases(algorithm),
            Body::Ecb(vector) => vector.cases(algorithm),
            Body::Cbc(vector) => vector.cases(algorithm),
            Body::Ctr(vector) => vector.cases(algorithm),
            Body::Iv(vector) => vector.cases(algorithm),
            Body::Hash(vector) => vector.cases(algorithm),
            Body::Mac(vector) => vector.cases(algorithm),
            Body::Kdf(vector) => vector.cases(algorithm),
            Body::Aead(vector) => vector.cases(algorithm),
            Body::X25519(vector) => vector.cases(algorithm),
            Body::X25519Iterated(vector) => vector.cases(algorithm),
            Body::X25519Keygen(vector) => vector.cases(algorithm),
            Body::KeyPair(vector) => vector.cases(algorithm),
            Body::Agreement(vector) => vector.cases(algorithm),
            Body::Signature(vector) => vector.cases(algorithm),
        }
    }
}
