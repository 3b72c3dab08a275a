//! AES-CBC-PKCS5 and authenticated ciphers.

use serde::Deserialize;

use super::{About, Expected, File, Hex, read};
use crate::parse::source::{self, SourceText};
use crate::{AeadMessage, Algorithm, Case, CaseKind, Direction, Error, Interface};

/// AES-CBC-PKCS5. A valid test is two cases, an invalid one must not decrypt.
pub(crate) fn cbc(place: &SourceText<'_>, algorithm: Algorithm) -> Result<Vec<Case>, Error> {
    let Interface::Cbc { key_bytes } = algorithm.interface() else {
        return Err(place.mismatch(algorithm));
    };
    let file: File<CbcGroup> = read(place)?;
    let mut cases = Vec::new();
    for group in file
        .groups
        .into_iter()
        .filter(|group| group.key_bits == 8 * key_bytes)
    {
        for test in group.tests {
            cbc_cases(place, algorithm, key_bytes, test, &mut cases)?;
        }
    }
    Ok(cases)
}

fn cbc_cases(
    place: &SourceText<'_>,
    algorithm: Algorithm,
    key_bytes: usize,
    test: CbcTest,
    cases: &mut Vec<Case>,
) -> Result<(), Error> {
    let (about, key, message, ciphertext) =
        (test.about, test.key.0, test.message.0, test.ciphertext.0);
    let iv = test.iv.fixed(place, &about, "iv")?;
    if key.len() != key_bytes {
        return Err(place.error(
            1,
            format!("tcId {}: a key of {} bytes", about.id, key.len()),
        ));
    }
    match about.result {
        Expected::Valid => {
            let encrypt = CaseKind::CbcPadded {
                direction: Direction::Encrypt,
                key: key.clone(),
                iv,
                input: message.clone(),
                output: ciphertext.clone(),
            };
            cases.push(about.case(place, algorithm, " encrypt", encrypt));
            let decrypt = CaseKind::CbcPadded {
                direction: Direction::Decrypt,
                key,
                iv,
                input: ciphertext,
                output: message,
            };
            cases.push(about.case(place, algorithm, " decrypt", decrypt));
        }
        Expected::Invalid => {
            let refused = CaseKind::CbcRefused {
                key,
                iv,
                ciphertext,
            };
            cases.push(about.case(place, algorithm, "", refused));
        }
        Expected::Acceptable => {
            return Err(place.error(1, format!("tcId {}: an acceptable ciphertext", about.id)));
        }
    }
    Ok(())
}

/// Authenticated ciphers. A valid test is two cases, an invalid one must not open; where
/// its sizes are wrong it must not be sealed either.
pub(crate) fn aead(place: &SourceText<'_>, algorithm: Algorithm) -> Result<Vec<Case>, Error> {
    let aead = source::aead(place, algorithm)?;
    let file: File<AeadGroup> = read(place)?;
    let mut cases = Vec::new();
    for group in file
        .groups
        .into_iter()
        .filter(|group| group.key_bits == 8 * aead.key_bytes)
    {
        for test in group.tests {
            let about = test.about;
            let message = AeadMessage {
                key: test.key.0,
                nonce: test.iv.0,
                ad: test.ad.0,
                plaintext: test.message.0,
                ciphertext: test.ciphertext.0,
                tag: test.tag.0,
            };
            let fits = message.key.len() == aead.key_bytes
                && message.plaintext.len() == message.ciphertext.len()
                && message.nonce.len() * 8 == group.iv_bits
                && message.tag.len() * 8 == group.tag_bits
                && message.tag.len() <= usize::from(u8::MAX);
            // What is refused for its sizes may come without a ciphertext.
            if about.result != Expected::Invalid && !fits {
                return Err(place.error(1, format!("tcId {}: sizes do not fit", about.id)));
            }
            match about.result {
                Expected::Valid => {
                    let seal = CaseKind::AeadSeal {
                        aead,
                        message: message.clone(),
                    };
                    cases.push(about.case(place, algorithm, " seal", seal));
                    let open = CaseKind::AeadOpen { aead, message };
                    cases.push(about.case(place, algorithm, " open", open));
                }
                Expected::Invalid => {
                    let kind = CaseKind::AeadRefused { aead, message };
                    cases.push(about.case(place, algorithm, "", kind));
                }
                Expected::Acceptable => {
                    return Err(place.error(1, format!("tcId {}: an acceptable message", about.id)));
                }
            }
        }
    }
    Ok(cases)
}

#[derive(Deserialize)]
struct CbcGroup {
    #[serde(rename = "keySize")]
    key_bits: usize,
    tests: Vec<CbcTest>,
}

#[derive(Deserialize)]
struct CbcTest {
    #[serde(flatten)]
    about: About,
    key: Hex,
    iv: Hex,
    #[serde(rename = "msg")]
    message: Hex,
    #[serde(rename = "ct")]
    ciphertext: Hex,
}

#[derive(Deserialize)]
struct AeadGroup {
    #[serde(rename = "keySize")]
    key_bits: usize,
    #[serde(rename = "ivSize")]
    iv_bits: usize,
    #[serde(rename = "tagSize")]
    tag_bits: usize,
    tests: Vec<AeadTest>,
}

#[derive(Deserialize)]
struct AeadTest {
    #[serde(flatten)]
    about: About,
    key: Hex,
    iv: Hex,
    #[serde(rename = "aad")]
    ad: Hex,
    #[serde(rename = "msg")]
    message: Hex,
    #[serde(rename = "ct")]
    ciphertext: Hex,
    tag: Hex,
}
