//! Known answers as NIST's project on lightweight cryptography has them written: Count,
//! then Key, Nonce, PT, AD, CT of an authenticated cipher, the tag at the end of CT, or
//! Msg, MD of a hash.

use super::response::{Item, hexadecimal, lines, set};
use super::source::{SourceText, aead};
use crate::{AeadMessage, Algorithm, Case, CaseKind, Error, Interface};

/// The tag's size, which the files do not say.
const TAG_BYTES: usize = 16;

/// The fields of one Count by their names, in the order of the algorithm's.
struct Record {
    line: usize,
    fields: [Option<Vec<u8>>; 5],
}

pub(super) fn cases(place: &SourceText<'_>, algorithm: Algorithm) -> Result<Vec<Case>, Error> {
    let names: &[&str] = match algorithm.interface() {
        Interface::Aead(_) => &["Key", "Nonce", "AD", "PT", "CT"],
        Interface::Hash(_) => &["Msg", "MD"],
        _ => return Err(place.mismatch(algorithm)),
    };
    let mut records: Vec<Record> = Vec::new();
    for line in lines(place) {
        let line = line?;
        match line.item {
            Item::Section(section) => {
                return Err(place.error(line.number, format!("unknown section [{section}]")));
            }
            Item::Pair("Count", _) => records.push(Record {
                line: line.number,
                fields: [const { None }; 5],
            }),
            Item::Pair(name, value) => {
                let index = names
                    .iter()
                    .position(|known| *known == name)
                    .ok_or_else(|| place.error(line.number, format!("unknown field {name}")))?;
                let record = records
                    .last_mut()
                    .ok_or_else(|| place.error(line.number, format!("{name} before Count")))?;
                let bytes = hexadecimal(place, line.number, name, value)?;
                set(place, line.number, name, &mut record.fields[index], bytes)?;
            }
        }
    }
    let mut cases = Vec::new();
    for record in records {
        let line = record.line;
        let missing = (names.iter().zip(&record.fields)).find(|(_, field)| field.is_none());
        if let Some((name, _)) = missing {
            return Err(place.error(line, format!("the vector has no {name}")));
        }
        let fields = record.fields.map(Option::unwrap_or_default);
        let kinds = kinds(place, algorithm, fields)?.map_err(|m| place.error(line, m))?;
        for (suffix, kind) in kinds {
            let name = place.name();
            cases.push(Case::new(
                algorithm,
                format!("{name}:{line}{suffix}"),
                format!("{name}{suffix}"),
                kind,
            ));
        }
    }
    Ok(cases)
}

type Kinds = Vec<(&'static str, CaseKind)>;

/// What a vector asks, its fields in the order of the names.
fn kinds(
    place: &SourceText<'_>,
    algorithm: Algorithm,
    fields: [Vec<u8>; 5],
) -> Result<Result<Kinds, String>, Error> {
    let [first, second, ad, plaintext, mut ciphertext] = fields;
    if let Interface::Hash(hash) = algorithm.interface() {
        if second.len() != hash.digest_bytes() {
            return Ok(Err(format!("MD has {} bytes", second.len())));
        }
        let (message, digest) = (first, second);
        let kind = CaseKind::Hash {
            hash,
            message,
            repeat: 1,
            digest,
        };
        return Ok(Ok(vec![("", kind)]));
    }
    let aead = aead(place, algorithm)?;
    if first.len() != aead.key_bytes {
        return Ok(Err(format!("Key has {} bytes", first.len())));
    }
    if ciphertext.len() != plaintext.len() + TAG_BYTES {
        return Ok(Err(format!(
            "CT has {} bytes, PT {}",
            ciphertext.len(),
            plaintext.len()
        )));
    }
    let tag = ciphertext.split_off(plaintext.len());
    let message = AeadMessage {
        key: first,
        nonce: second,
        ad,
        plaintext,
        ciphertext,
        tag,
    };
    let seal = CaseKind::AeadSeal {
        aead,
        message: message.clone(),
    };
    let open = CaseKind::AeadOpen { aead, message };
    Ok(Ok(vec![(" seal", seal), (" open", open)]))
}
