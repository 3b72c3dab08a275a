//! GCM response files [GCMVS]: `[Keylen = bits]` and the other sizes of a group, then
//! Count, Key, IV, PT, AAD, CT, Tag. In decryption PT comes last, or `FAIL` instead.

use super::response::{FAIL, Item, decimal, hexadecimal, lines, set};
use super::source::{SourceText, aead};
use crate::{Aead, AeadMessage, Algorithm, Case, CaseKind, Error};

pub(super) fn cases(place: &SourceText<'_>, algorithm: Algorithm) -> Result<Vec<Case>, Error> {
    let aead = aead(place, algorithm)?;
    let mut cases = Vec::new();
    let mut sizes = Sizes::default();
    let mut record: Option<Record> = None;
    for line in lines(place) {
        let line = line?;
        let number = line.number;
        match line.item {
            Item::Section(section) => {
                cases.extend(finish(place, algorithm, aead, &sizes, record.take())?);
                let (name, value) = section
                    .split_once('=')
                    .ok_or_else(|| place.error(number, format!("unknown section [{section}]")))?;
                let bits = decimal(place, number, name.trim(), value.trim())?;
                sizes
                    .set(name.trim(), bits)
                    .map_err(|m| place.error(number, m))?;
            }
            Item::Pair("Count", _) => {
                cases.extend(finish(place, algorithm, aead, &sizes, record.take())?);
                record = Some(Record::at(number));
            }
            Item::Pair(name, value) => {
                let record = record
                    .as_mut()
                    .ok_or_else(|| place.error(number, format!("{name} before Count")))?;
                if name == FAIL {
                    record.refused = true;
                    continue;
                }
                let bytes = hexadecimal(place, number, name, value)?;
                let field = match name {
                    "Key" => &mut record.key,
                    "IV" => &mut record.iv,
                    "AAD" => &mut record.ad,
                    "CT" => &mut record.ciphertext,
                    "Tag" => &mut record.tag,
                    "PT" => {
                        record.seals = record.ciphertext.is_none();
                        &mut record.plaintext
                    }
                    _ => return Err(place.error(number, format!("unknown field {name}"))),
                };
                set(place, number, name, field, bytes)?;
            }
        }
    }
    cases.extend(finish(place, algorithm, aead, &sizes, record)?);
    Ok(cases)
}

/// The sizes of a group, in bits.
#[derive(Default)]
struct Sizes {
    key: Option<usize>,
    iv: Option<usize>,
    plaintext: Option<usize>,
    ad: Option<usize>,
    tag: Option<usize>,
}

impl Sizes {
    fn set(&mut self, name: &str, bits: usize) -> Result<(), String> {
        let size = match name {
            "Keylen" => &mut self.key,
            "IVlen" => &mut self.iv,
            "PTlen" => &mut self.plaintext,
            "AADlen" => &mut self.ad,
            "Taglen" => &mut self.tag,
            _ => return Err(format!("unknown section [{name}]")),
        };
        *size = Some(bits);
        Ok(())
    }
}

/// The fields of one Count, as they stand in the file.
struct Record {
    line: usize,
    key: Option<Vec<u8>>,
    iv: Option<Vec<u8>>,
    plaintext: Option<Vec<u8>>,
    ad: Option<Vec<u8>>,
    ciphertext: Option<Vec<u8>>,
    tag: Option<Vec<u8>>,
    /// The plaintext stands before the ciphertext.
    seals: bool,
    refused: bool,
}

impl Record {
    fn at(line: usize) -> Record {
        Record {
            line,
            key: None,
            iv: None,
            plaintext: None,
            ad: None,
            ciphertext: None,
            tag: None,
            seals: false,
            refused: false,
        }
    }

    fn check(self, aead: Aead, sizes: &Sizes) -> Result<AeadMessage, String> {
        let sized = |name: &str, field: Option<Vec<u8>>, bits: Option<usize>| {
            let bytes = field.ok_or_else(|| format!("the vector has no {name}"))?;
            match bits {
                Some(bits) if bits != 8 * bytes.len() => Err(format!(
                    "{name} has {} bytes; the group says {bits} bits",
                    bytes.len()
                )),
                _ => Ok(bytes),
            }
        };
        let plaintext = match self.refused {
            true if self.plaintext.is_some() => return Err("a plaintext beside FAIL".into()),
            true => Vec::new(),
            false => sized("PT", self.plaintext, sizes.plaintext)?,
        };
        Ok(AeadMessage {
            key: sized("Key", self.key, Some(8 * aead.key_bytes))?,
            nonce: sized("IV", self.iv, sizes.iv)?,
            ad: sized("AAD", self.ad, sizes.ad)?,
            plaintext,
            ciphertext: sized("CT", self.ciphertext, sizes.plaintext)?,
            tag: sized("Tag", self.tag, sizes.tag)?,
        })
    }
}

fn finish(
    place: &SourceText<'_>,
    algorithm: Algorithm,
    aead: Aead,
    sizes: &Sizes,
    record: Option<Record>,
) -> Result<Option<Case>, Error> {
    let Some(record) = record else {
        return Ok(None);
    };
    let (line, refused, seals) = (record.line, record.refused, record.seals);
    let message = record
        .check(aead, sizes)
        .map_err(|message| place.error(line, message))?;
    let name = place.name();
    let class = format!(
        "{name} IV of {} bytes{}",
        message.nonce.len(),
        if refused { ", altered" } else { "" }
    );
    let kind = match (refused, seals) {
        (true, _) => CaseKind::AeadRefused { aead, message },
        (false, true) => CaseKind::AeadSeal { aead, message },
        (false, false) => CaseKind::AeadOpen { aead, message },
    };
    Ok(Some(Case::new(
        algorithm,
        format!("{name}:{line}"),
        class,
        kind,
    )))
}
