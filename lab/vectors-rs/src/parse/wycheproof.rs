//! Wycheproof's JSON: X25519, ECDH, signatures, AES-CBC-PKCS5, HMAC, authenticated ciphers and
//! HKDF.

use serde::{Deserialize, Deserializer};

use super::source::{SourceText, exactly};
use crate::{AeadMessage, Algorithm, Case, CaseKind, Direction, Error, Interface};

/// X25519. "acceptable" tests are decided as RFC 7748 has it: twists and non-canonical
/// public keys are computed, an all-zero secret is refused.
pub(super) fn xdh(place: &SourceText<'_>, algorithm: Algorithm) -> Result<Vec<Case>, Error> {
    let Interface::DiffieHellman = algorithm.interface() else {
        return Err(place.mismatch(algorithm));
    };
    let file: File<XdhGroup> = read(place)?;
    let mut cases = Vec::new();
    for group in file.groups {
        if group.curve != "curve25519" {
            return Err(place.error(1, format!("a group is for {}, not curve25519", group.curve)));
        }
        for test in group.tests {
            if test.about.result == Expected::Invalid {
                // None is published, and what it would ask is not known.
                return Err(place.error(1, format!("tcId {}: an invalid exchange", test.about.id)));
            }
            let kind = CaseKind::SharedSecret {
                secret: test.private.fixed(place, &test.about, "private")?,
                peer: test.public.fixed(place, &test.about, "public")?,
                shared: test.shared.fixed(place, &test.about, "shared")?,
            };
            cases.push(test.about.case(place, algorithm, "", kind));
        }
    }
    Ok(cases)
}

/// AES-CBC-PKCS5. A valid test is two cases, an invalid one must not decrypt.
pub(super) fn cbc(place: &SourceText<'_>, algorithm: Algorithm) -> Result<Vec<Case>, Error> {
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
                    let (direction, key2) = (Direction::Encrypt, key.clone());
                    let (input, output) = (message.clone(), ciphertext.clone());
                    let kind = CaseKind::CbcPadded {
                        direction,
                        key: key2,
                        iv,
                        input,
                        output,
                    };
                    cases.push(about.case(place, algorithm, " encrypt", kind));
                    let (direction, input, output) = (Direction::Decrypt, ciphertext, message);
                    let kind = CaseKind::CbcPadded {
                        direction,
                        key,
                        iv,
                        input,
                        output,
                    };
                    cases.push(about.case(place, algorithm, " decrypt", kind));
                }
                Expected::Invalid => {
                    cases.push(about.case(
                        place,
                        algorithm,
                        "",
                        CaseKind::CbcRefused {
                            key,
                            iv,
                            ciphertext,
                        },
                    ));
                }
                Expected::Acceptable => {
                    return Err(
                        place.error(1, format!("tcId {}: an acceptable ciphertext", about.id))
                    );
                }
            }
        }
    }
    Ok(cases)
}

/// HMAC. An invalid test's tag must not come out.
pub(super) fn mac(place: &SourceText<'_>, algorithm: Algorithm) -> Result<Vec<Case>, Error> {
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

/// Authenticated ciphers. A valid test is two cases, an invalid one must not open; where
/// its sizes are wrong it must not be sealed either.
pub(super) fn aead(place: &SourceText<'_>, algorithm: Algorithm) -> Result<Vec<Case>, Error> {
    let aead = super::source::aead(place, algorithm)?;
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

/// HKDF. An invalid test asks for a longer key than there is.
pub(super) fn hkdf(place: &SourceText<'_>, algorithm: Algorithm) -> Result<Vec<Case>, Error> {
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

/// ECDH on P-256, of uncompressed points. A compressed one, which is "acceptable", is left out;
/// what is no point must be refused.
pub(super) fn ecdh(place: &SourceText<'_>, algorithm: Algorithm) -> Result<Vec<Case>, Error> {
    let Interface::Agreement { public_bytes } = algorithm.interface() else {
        return Err(place.mismatch(algorithm));
    };
    let file: File<XdhGroup> = read(place)?;
    let mut cases = Vec::new();
    for group in file.groups {
        if group.curve != "secp256r1" {
            return Err(place.error(1, format!("a group is for {}, not secp256r1", group.curve)));
        }
        for test in group.tests {
            let about = test.about;
            if about.result == Expected::Acceptable {
                continue;
            }
            // The first byte says that both coordinates follow.
            let peer = match test.public.0.strip_prefix(&[4]) {
                Some(point) if about.result == Expected::Invalid || point.len() == public_bytes => {
                    point.to_vec()
                }
                _ if about.result == Expected::Invalid => test.public.0,
                _ => return Err(place.error(1, format!("tcId {}: no point", about.id))),
            };
            let secret = number(&test.private.0);
            let secret = exactly("private", &secret)
                .map_err(|message| place.error(1, format!("tcId {}: {message}", about.id)))?;
            let kind = if about.result == Expected::Invalid {
                CaseKind::AgreementRefused { secret, peer }
            } else {
                let shared = test.shared.fixed(place, &about, "shared")?;
                CaseKind::Agreement {
                    secret,
                    peer,
                    shared,
                }
            };
            cases.push(about.case(place, algorithm, "", kind));
        }
    }
    Ok(cases)
}

/// A number in 32 bytes: without the zeros before it that it may have, and with those that it
/// lacks.
fn number(bytes: &[u8]) -> Vec<u8> {
    let digits: Vec<u8> = bytes
        .iter()
        .copied()
        .skip_while(|byte| *byte == 0)
        .collect();
    let mut out = vec![0; 32usize.saturating_sub(digits.len())];
    out.extend(digits);
    out
}

/// Signatures to be verified.
pub(super) fn signature(place: &SourceText<'_>, algorithm: Algorithm) -> Result<Vec<Case>, Error> {
    let Interface::Signature {
        public_bytes,
        of_digest,
    } = algorithm.interface()
    else {
        return Err(place.mismatch(algorithm));
    };
    let file: File<SignatureGroup> = read(place)?;
    let mut cases = Vec::new();
    for group in file.groups {
        if group.sha.as_deref() != of_digest.then_some("SHA-256") {
            return Err(place.error(1, "a group is for another hash function"));
        }
        let key = match (group.key.pk, group.key.uncompressed) {
            (Some(key), None) => key.0,
            (None, Some(point)) => point.0.strip_prefix(&[4]).unwrap_or_default().to_vec(),
            _ => return Err(place.error(1, "a group without a public key")),
        };
        if key.len() != public_bytes {
            return Err(place.error(1, format!("a public key of {} bytes", key.len())));
        }
        for test in group.tests {
            let about = test.about;
            if about.result == Expected::Acceptable {
                return Err(place.error(1, format!("tcId {}: an acceptable signature", about.id)));
            }
            let kind = CaseKind::Verify {
                public: key.clone(),
                message: super::source::signed(test.message.0, of_digest),
                signature: test.signature.0,
                valid: about.result == Expected::Valid,
            };
            cases.push(about.case(place, algorithm, "", kind));
        }
    }
    Ok(cases)
}

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

#[derive(Deserialize)]
struct XdhGroup {
    curve: String,
    tests: Vec<XdhTest>,
}

#[derive(Deserialize)]
struct XdhTest {
    #[serde(flatten)]
    about: About,
    public: Hex,
    private: Hex,
    shared: Hex,
}

#[derive(Deserialize)]
struct SignatureGroup {
    #[serde(rename = "publicKey")]
    key: SignatureKey,
    #[serde(default)]
    sha: Option<String>,
    tests: Vec<SignatureTest>,
}

#[derive(Deserialize)]
struct SignatureKey {
    /// Of Ed25519.
    #[serde(default)]
    pk: Option<Hex>,
    /// Of ECDSA: 4 and both coordinates.
    #[serde(default)]
    uncompressed: Option<Hex>,
}

#[derive(Deserialize)]
struct SignatureTest {
    #[serde(flatten)]
    about: About,
    #[serde(rename = "msg")]
    message: Hex,
    #[serde(rename = "sig")]
    signature: Hex,
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
