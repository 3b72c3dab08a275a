//! HMAC and HKDF.

use serde::Deserialize;

use super::{About, Expected, File, Hex, read};
use crate::parse::source::SourceText;
use crate::{Algorithm, Case, CaseKind, Error, Interface};

/// HMAC. An invalid test's tag must not come out.
pub(crate) fn mac(place: &SourceText<'_>, algorithm: Algorithm) -> Result<Vec<Case>, Error> {
    let Interface::Mac(hash) = algorithm.interface() else {
        return Err(place.mismatch(algorithm));
    };
    let file: File<MacGroup> = read(place)?;
    let mut cases = Vec::new();
    for group in file.groups {
        for test in group.tests {
            let (about, key, message, tag) = (test.about, test.key.0, test.message.0, test.tag.0);
            if tag.is_empty() || tag.len() > hash.digest_bytes() || tag.len() * 8 != group.tag_bits
            {
                return Err(place.error(
                    1,
                    format!("tcId {}: a tag of {} bytes", about.id, tag.len()),
                ));
            }
            let valid = about.result != Expected::Invalid;
            cases.push(about.case(
                place,
                algorithm,
                "",
                CaseKind::Mac {
                    hash,
                    key,
                    message,
                    tag,
                    valid,
                },
            ));
        }
    }
    Ok(cases)
}

/// HKDF. An invalid test asks for a longer key than there is.
pub(crate) fn hkdf(place: &SourceText<'_>, algorithm: Algorithm) -> Result<Vec<Case>, Error> {
    let Interface::Kdf(hash) = algorithm.interface() else {
        return Err(place.mismatch(algorithm));
    };
    let file: File<HkdfGroup> = read(place)?;
    let mut cases = Vec::new();
    for group in file.groups {
        for test in group.tests {
            let (about, salt, ikm, info) = (test.about, test.salt.0, test.ikm.0, test.info.0);
            let kind = match about.result {
                Expected::Invalid => CaseKind::KdfRefused {
                    hash,
                    salt,
                    ikm,
                    info,
                    bytes: test.size,
                },
                _ if test.okm.0.len() != usize::from(test.size) => {
                    return Err(place.error(
                        1,
                        format!("tcId {}: a key of {} bytes", about.id, test.okm.0.len()),
                    ));
                }
                _ => CaseKind::Kdf {
                    hash,
                    salt,
                    ikm,
                    info,
                    okm: test.okm.0,
                },
            };
            cases.push(about.case(place, algorithm, "", kind));
        }
    }
    Ok(cases)
}

#[derive(Deserialize)]
struct MacGroup {
    #[serde(rename = "tagSize")]
    tag_bits: usize,
    tests: Vec<MacTest>,
}

#[derive(Deserialize)]
struct MacTest {
    #[serde(flatten)]
    about: About,
    key: Hex,
    #[serde(rename = "msg")]
    message: Hex,
    tag: Hex,
}

#[derive(Deserialize)]
struct HkdfGroup {
    tests: Vec<HkdfTest>,
}

#[derive(Deserialize)]
struct HkdfTest {
    #[serde(flatten)]
    about: About,
    ikm: Hex,
    salt: Hex,
    info: Hex,
    size: u16,
    okm: Hex,
}
