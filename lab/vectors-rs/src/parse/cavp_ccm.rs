//! CCM response files [CCMVS]: the sizes in bytes, of the file or in sections; Key and
//! Nonce of a section or of a vector; Count, Adata, Payload, CT. In decryption
//! verification a Result stands behind CT, and the payload only if it passes.

use super::response::{Item, decimal, hexadecimal, lines, set};
use super::source::{SourceText, aead};
use crate::{Aead, AeadMessage, Algorithm, Case, CaseKind, Error};

pub(super) fn cases(place: &SourceText<'_>, algorithm: Algorithm) -> Result<Vec<Case>, Error> {
    let mut file = File {
        place,
        algorithm,
        aead: aead(place, algorithm)?,
        sizes: Sizes::default(),
        key: Vec::new(),
        nonce: Vec::new(),
        record: None,
        cases: Vec::new(),
    };
    for line in lines(place) {
        let line = line?;
        match line.item {
            Item::Section(section) => {
                file.finish()?;
                for part in section.split(',') {
                    let (name, value) = part.split_once('=').ok_or_else(|| {
                        place.error(line.number, format!("unknown section [{section}]"))
                    })?;
                    file.size(line.number, name.trim(), value.trim())?;
                }
            }
            Item::Pair(name, value) => file.pair(line.number, name, value)?,
        }
    }
    file.finish()?;
    Ok(file.cases)
}

/// The sizes that hold, in bytes.
#[derive(Default)]
struct Sizes {
    ad: Option<usize>,
    payload: Option<usize>,
    nonce: Option<usize>,
    tag: Option<usize>,
}

/// The fields of one Count, as they stand in the file.
struct Record {
    line: usize,
    ad: Option<Vec<u8>>,
    payload: Option<Vec<u8>>,
    /// Ciphertext and tag.
    sealed: Option<Vec<u8>>,
    passes: Option<bool>,
}

struct File<'a> {
    place: &'a SourceText<'a>,
    algorithm: Algorithm,
    aead: Aead,
    sizes: Sizes,
    key: Vec<u8>,
    nonce: Vec<u8>,
    record: Option<Record>,
    cases: Vec<Case>,
}

impl File<'_> {
    fn size(&mut self, line: usize, name: &str, value: &str) -> Result<(), Error> {
        let size = match name {
            "Alen" => &mut self.sizes.ad,
            "Plen" => &mut self.sizes.payload,
            "Nlen" => &mut self.sizes.nonce,
            "Tlen" => &mut self.sizes.tag,
            _ => return Err(self.place.error(line, format!("unknown size {name}"))),
        };
        *size = Some(decimal(self.place, line, name, value)?);
        Ok(())
    }

    fn pair(&mut self, line: usize, name: &str, value: &str) -> Result<(), Error> {
        let place = self.place;
        let bytes = || hexadecimal(place, line, name, value);
        match name {
            "Alen" | "Plen" | "Nlen" | "Tlen" => return self.size(line, name, value),
            "Key" => self.key = bytes()?,
            "Nonce" => self.nonce = bytes()?,
            "Count" => {
                self.finish()?;
                let (ad, payload, sealed, passes) = (None, None, None, None);
                self.record = Some(Record {
                    line,
                    ad,
                    payload,
                    sealed,
                    passes,
                });
            }
            _ => {
                let record = self
                    .record
                    .as_mut()
                    .ok_or_else(|| place.error(line, format!("{name} before Count")))?;
                let field = match (name, value) {
                    ("Result", "Pass") => {
                        return set(place, line, name, &mut record.passes, true);
                    }
                    ("Result", "Fail") => {
                        return set(place, line, name, &mut record.passes, false);
                    }
                    ("Adata", _) => &mut record.ad,
                    ("Payload", _) => &mut record.payload,
                    ("CT", _) => &mut record.sealed,
                    _ => return Err(place.error(line, format!("unknown field {name} = {value}"))),
                };
                set(place, line, name, field, bytes()?)?;
            }
        }
        Ok(())
    }

    /// Makes the vector that has been read into a case.
    fn finish(&mut self) -> Result<(), Error> {
        let Some(record) = self.record.take() else {
            return Ok(());
        };
        let (line, passes) = (record.line, record.passes);
        let message = self
            .message(record)
            .map_err(|message| self.place.error(line, message))?;
        let (name, aead) = (self.place.name(), self.aead);
        let (class, kind) = match passes {
            None => (name.clone(), CaseKind::AeadSeal { aead, message }),
            Some(true) => (name.clone(), CaseKind::AeadOpen { aead, message }),
            Some(false) => (
                format!("{name}, altered"),
                CaseKind::AeadRefused { aead, message },
            ),
        };
        self.cases.push(Case::new(
            self.algorithm,
            format!("{name}:{line}"),
            class,
            kind,
        ));
        Ok(())
    }

    fn message(&self, record: Record) -> Result<AeadMessage, String> {
        let size = |name: &str, size: Option<usize>| {
            size.ok_or_else(|| format!("the vector stands before any {name}"))
        };
        let (ad_size, payload_size) = (
            size("Alen", self.sizes.ad)?,
            size("Plen", self.sizes.payload)?,
        );
        let (nonce_size, tag_size) = (
            size("Nlen", self.sizes.nonce)?,
            size("Tlen", self.sizes.tag)?,
        );
        // What is empty is printed as one zero byte.
        let sized = |name: &str, field: Option<Vec<u8>>, bytes: usize| {
            let field = field.ok_or_else(|| format!("the vector has no {name}"))?;
            match (bytes, field.len()) {
                (0, 1) => Ok(Vec::new()),
                (wanted, found) if wanted == found => Ok(field),
                (wanted, found) => Err(format!("{name} has {found} bytes instead of {wanted}")),
            }
        };
        let plaintext = match record.passes {
            Some(false) if record.payload.is_some() => {
                return Err("a payload of a vector that fails".into());
            }
            Some(false) => Vec::new(),
            _ => sized("Payload", record.payload, payload_size)?,
        };
        let sealed_size = payload_size
            .checked_add(tag_size)
            .ok_or("Plen and Tlen are too large")?;
        let mut ciphertext = sized("CT", record.sealed, sealed_size)?;
        let tag = ciphertext.split_off(payload_size.min(ciphertext.len()));
        Ok(AeadMessage {
            key: sized("Key", Some(self.key.clone()), self.aead.key_bytes)?,
            nonce: sized("Nonce", Some(self.nonce.clone()), nonce_size)?,
            ad: sized("Adata", record.ad, ad_size)?,
            plaintext,
            ciphertext,
            tag,
        })
    }
}
