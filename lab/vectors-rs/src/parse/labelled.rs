//! Labelled vectors of our own transcription, in TOML: `[[vector]]` with `name`, `kind`
//! and the kind's fields in hexadecimal.

use serde::{Deserialize, Deserializer};
use toml::Spanned;

use super::{SourceText, exactly};
use crate::{AeadMessage, Algorithm, Case, CaseKind, Direction, Error, Interface};

/// A message longer than this is an error of the file, not a vector.
const LARGEST_MESSAGE: usize = 1 << 24;

pub(super) fn cases(place: &SourceText<'_>, algorithm: Algorithm) -> Result<Vec<Case>, Error> {
    let file: File = toml::from_str(place.text).map_err(|error| place.toml(&error))?;
    let mut cases = Vec::new();
    for vector in file.vectors {
        let line = place.line_of(vector.span().start);
        let table = vector.into_inner();
        let vector: Labelled = table
            .try_into()
            .map_err(|error| place.error(line, error.message().trim()))?;
        let kinds = kinds(vector.body, algorithm).map_err(|message| place.error(line, message))?;
        for (suffix, kind) in kinds {
            let id = format!("{}:{line} {}{suffix}", place.name(), vector.name);
            cases.push(Case::new(
                algorithm,
                id,
                format!("{}{suffix}", place.name()),
                kind,
            ));
        }
    }
    Ok(cases)
}

/// What a vector asks of an algorithm: nothing when it is for another.
fn kinds(body: Body, algorithm: Algorithm) -> Result<Vec<(&'static str, CaseKind)>, String> {
    match body {
        Body::Block {
            algorithm: name,
            key,
            plaintext,
            ciphertext,
        } => {
            if name != algorithm.cipher() {
                return Ok(Vec::new());
            }
            block(
                algorithm,
                key.0,
                &exactly("plaintext", &plaintext.0)?,
                &exactly("ciphertext", &ciphertext.0)?,
            )
        }
        Body::Words {
            algorithm: name,
            key,
            plaintext,
            ciphertext,
        } => {
            if name != algorithm.cipher() {
                return Ok(Vec::new());
            }
            block(
                algorithm,
                key.0,
                &exactly("plaintext", &plaintext.0)?,
                &exactly("ciphertext", &ciphertext.0)?,
            )
        }
        Body::Ecb {
            algorithm: name,
            key,
            plaintext,
            ciphertext,
        } => {
            if name.strip_suffix("-ecb") != Some(algorithm.cipher()) {
                return Ok(Vec::new());
            }
            let key = sized_key(algorithm, key.0)?;
            whole_blocks(&plaintext.0, &ciphertext.0)?;
            match algorithm.interface() {
                Interface::BlockCipher { .. } | Interface::Ecb { .. } => Ok(both(
                    &plaintext.0,
                    &ciphertext.0,
                    |direction, input, output| CaseKind::Blocks {
                        direction,
                        key: key.clone(),
                        input,
                        output,
                    },
                )),
                _ => Ok(Vec::new()),
            }
        }
        Body::Cbc {
            algorithm: name,
            key,
            iv,
            plaintext,
            ciphertext,
        } => {
            if name != algorithm.name() {
                return Ok(Vec::new());
            }
            let (key, iv) = (sized_key(algorithm, key.0)?, exactly("iv", &iv.0)?);
            whole_blocks(&plaintext.0, &ciphertext.0)?;
            Ok(both(
                &plaintext.0,
                &ciphertext.0,
                |direction, input, output| CaseKind::CbcUnpadded {
                    direction,
                    key: key.clone(),
                    iv,
                    input,
                    output,
                },
            ))
        }
        Body::Ctr {
            algorithm: name,
            key,
            counter,
            plaintext,
            ciphertext,
        } => {
            if name != algorithm.name() {
                return Ok(Vec::new());
            }
            let (key, counter) = (
                sized_key(algorithm, key.0)?,
                exactly("counter", &counter.0)?,
            );
            if plaintext.0.is_empty() || plaintext.0.len() != ciphertext.0.len() {
                return Err("plaintext and ciphertext must be of one size, and not empty".into());
            }
            Ok(both(
                &plaintext.0,
                &ciphertext.0,
                |direction, input, output| CaseKind::Ctr {
                    direction,
                    key: key.clone(),
                    counter,
                    input,
                    output,
                },
            ))
        }
        Body::Iv {
            first,
            second,
            message,
        } => {
            let Interface::Cbc { .. } = algorithm.interface() else {
                return Err(format!("{} draws no IV", algorithm.name()));
            };
            let (first, second) = (exactly("first", &first.0)?, exactly("second", &second.0)?);
            if first == second {
                return Err("the two draws are equal".into());
            }
            Ok(vec![(
                "",
                CaseKind::CbcIv {
                    first,
                    second,
                    message: message.0,
                },
            )])
        }
        Body::Hash {
            algorithm: name,
            message,
            repeat,
            digest,
        } => {
            let Interface::Hash(hash) = algorithm.interface() else {
                return Err(format!("{} is no hash", algorithm.name()));
            };
            if name != algorithm.name() {
                return Ok(Vec::new());
            }
            if message
                .0
                .len()
                .checked_mul(repeat)
                .is_none_or(|bytes| bytes > LARGEST_MESSAGE)
            {
                return Err(format!(
                    "the message is longer than {LARGEST_MESSAGE} bytes"
                ));
            }
            if digest.0.len() != hash.digest_bytes() {
                return Err(format!("the digest has {} bytes", digest.0.len()));
            }
            Ok(vec![(
                "",
                CaseKind::Hash {
                    hash,
                    message: message.0,
                    repeat,
                    digest: digest.0,
                },
            )])
        }
        Body::Mac {
            algorithm: name,
            key,
            message,
            tag,
        } => {
            let Interface::Mac(hash) = algorithm.interface() else {
                return Err(format!("{} is no MAC", algorithm.name()));
            };
            if name != algorithm.name() {
                return Ok(Vec::new());
            }
            if tag.0.is_empty() || tag.0.len() > hash.digest_bytes() {
                return Err(format!("the tag has {} bytes", tag.0.len()));
            }
            let (key, message, tag) = (key.0, message.0, tag.0);
            Ok(vec![(
                "",
                CaseKind::Mac {
                    hash,
                    key,
                    message,
                    tag,
                    valid: true,
                },
            )])
        }
        Body::Aead {
            algorithm: name,
            key,
            nonce,
            ad,
            plaintext,
            ciphertext,
            tag,
        } => {
            let Interface::Aead(aead) = algorithm.interface() else {
                return Err(format!("{} does not authenticate", algorithm.name()));
            };
            if name != algorithm.name() {
                return Ok(Vec::new());
            }
            if key.0.len() != aead.key_bytes {
                return Err(format!("the key has {} bytes", key.0.len()));
            }
            if plaintext.0.len() != ciphertext.0.len() {
                return Err("plaintext and ciphertext differ in size".into());
            }
            if tag.0.is_empty() || tag.0.len() > 16 {
                return Err(format!("the tag has {} bytes", tag.0.len()));
            }
            let message = AeadMessage {
                key: key.0,
                nonce: nonce.0,
                ad: ad.0,
                plaintext: plaintext.0,
                ciphertext: ciphertext.0,
                tag: tag.0,
            };
            let seal = CaseKind::AeadSeal {
                aead,
                message: message.clone(),
            };
            Ok(vec![
                (" seal", seal),
                (" open", CaseKind::AeadOpen { aead, message }),
            ])
        }
        Body::Kdf {
            algorithm: name,
            salt,
            ikm,
            info,
            okm,
        } => {
            let Interface::Kdf(hash) = algorithm.interface() else {
                return Err(format!("{} derives no keys", algorithm.name()));
            };
            if name != algorithm.name() {
                return Ok(Vec::new());
            }
            let (salt, ikm, info, okm) = (salt.0, ikm.0, info.0, okm.0);
            if okm.is_empty() || okm.len() > 255 * hash.digest_bytes() {
                return Err(format!("the key has {} bytes", okm.len()));
            }
            let kind = CaseKind::Kdf {
                hash,
                salt,
                ikm,
                info,
                okm,
            };
            Ok(vec![("", kind)])
        }
        Body::X25519 {
            secret,
            peer,
            shared,
        } => {
            let (secret, peer) = (exactly("secret", &secret.0)?, exactly("peer", &peer.0)?);
            let shared = exactly("shared", &shared.0)?;
            exchange(
                algorithm,
                CaseKind::SharedSecret {
                    secret,
                    peer,
                    shared,
                },
            )
        }
        Body::X25519Iterated {
            secret,
            peer,
            iterations,
            shared,
        } => {
            let (secret, peer) = (exactly("secret", &secret.0)?, exactly("peer", &peer.0)?);
            let shared = exactly("shared", &shared.0)?;
            exchange(
                algorithm,
                CaseKind::SharedSecretIterated {
                    secret,
                    peer,
                    iterations,
                    shared,
                },
            )
        }
        Body::X25519Keygen { secret, public } => {
            let (secret, public) = (exactly("secret", &secret.0)?, exactly("public", &public.0)?);
            exchange(algorithm, CaseKind::PublicKey { secret, public })
        }
        Body::KeyPair { secret, public } => {
            let (Interface::Agreement { public_bytes } | Interface::Signature { public_bytes, .. }) =
                algorithm.interface()
            else {
                return Err(format!("{} has no key pairs", algorithm.name()));
            };
            let (secret, public) = (exactly("secret", &secret.0)?, public.0);
            if public.len() != public_bytes {
                return Err(format!("the public key has {} bytes", public.len()));
            }
            Ok(vec![("", CaseKind::KeyPair { secret, public })])
        }
        Body::Agreement {
            secret,
            peer,
            shared,
        } => {
            let Interface::Agreement { public_bytes } = algorithm.interface() else {
                return Err(format!("{} is not a key agreement", algorithm.name()));
            };
            if peer.0.len() != public_bytes {
                return Err(format!("the public key has {} bytes", peer.0.len()));
            }
            let kind = CaseKind::Agreement {
                secret: exactly("secret", &secret.0)?,
                peer: peer.0,
                shared: exactly("shared", &shared.0)?,
            };
            Ok(vec![("", kind)])
        }
        Body::Signature {
            secret,
            public,
            message,
            signature,
            valid,
        } => {
            let Interface::Signature {
                public_bytes,
                of_digest,
            } = algorithm.interface()
            else {
                return Err(format!("{} does not sign", algorithm.name()));
            };
            let (public, signature) = (public.0, signature.0);
            if public.len() != public_bytes || signature.len() != 64 {
                return Err(format!(
                    "a public key of {} bytes and a signature of {}",
                    public.len(),
                    signature.len()
                ));
            }
            let message = super::signed(message.0, of_digest);
            let mut kinds = Vec::new();
            if let Some(secret) = secret {
                let secret = exactly("secret", &secret.0)?;
                let key = public.clone();
                kinds.push((
                    " keygen",
                    CaseKind::KeyPair {
                        secret,
                        public: key,
                    },
                ));
                let kind = CaseKind::Sign {
                    secret,
                    public: public.clone(),
                    message: message.clone(),
                    signature: signature.clone(),
                    random: of_digest,
                };
                kinds.push((" sign", kind));
            }
            let kind = CaseKind::Verify {
                public,
                message,
                signature,
                valid,
            };
            kinds.push((" verify", kind));
            Ok(kinds)
        }
    }
}

/// One block of the bare cipher, under each mode: in CBC the block after an all-zero IV,
/// in CTR what the block as counter makes of zeros.
fn block(
    algorithm: Algorithm,
    key: Vec<u8>,
    plaintext: &[u8; 16],
    ciphertext: &[u8; 16],
) -> Result<Vec<(&'static str, CaseKind)>, String> {
    let key = sized_key(algorithm, key)?;
    Ok(match algorithm.interface() {
        Interface::Cbc { .. } => both(plaintext, ciphertext, |direction, input, output| {
            CaseKind::CbcUnpadded {
                direction,
                key: key.clone(),
                iv: [0; 16],
                input,
                output,
            }
        }),
        Interface::Ctr { .. } => both(&[0; 16], ciphertext, |direction, input, output| {
            CaseKind::Ctr {
                direction,
                key: key.clone(),
                counter: *plaintext,
                input,
                output,
            }
        }),
        _ => both(plaintext, ciphertext, |direction, input, output| {
            CaseKind::Blocks {
                direction,
                key: key.clone(),
                input,
                output,
            }
        }),
    })
}

/// A vector that is read both ways.
fn both(
    plaintext: &[u8],
    ciphertext: &[u8],
    kind: impl Fn(Direction, Vec<u8>, Vec<u8>) -> CaseKind,
) -> Vec<(&'static str, CaseKind)> {
    vec![
        (
            " encrypt",
            kind(Direction::Encrypt, plaintext.to_vec(), ciphertext.to_vec()),
        ),
        (
            " decrypt",
            kind(Direction::Decrypt, ciphertext.to_vec(), plaintext.to_vec()),
        ),
    ]
}

fn exchange(algorithm: Algorithm, kind: CaseKind) -> Result<Vec<(&'static str, CaseKind)>, String> {
    match algorithm.interface() {
        Interface::DiffieHellman => Ok(vec![("", kind)]),
        _ => Err(format!("{} is not a key exchange", algorithm.name())),
    }
}

fn sized_key(algorithm: Algorithm, key: Vec<u8>) -> Result<Vec<u8>, String> {
    let bytes = match algorithm.interface() {
        Interface::BlockCipher { key_bytes }
        | Interface::Ecb { key_bytes }
        | Interface::Cbc { key_bytes }
        | Interface::Ctr { key_bytes } => key_bytes,
        _ => return Err(format!("{} is no cipher", algorithm.name())),
    };
    if key.len() == bytes {
        Ok(key)
    } else {
        Err(format!(
            "the key has {} bytes instead of {bytes}",
            key.len()
        ))
    }
}

fn whole_blocks(plaintext: &[u8], ciphertext: &[u8]) -> Result<(), String> {
    if plaintext.is_empty()
        || !plaintext.len().is_multiple_of(16)
        || plaintext.len() != ciphertext.len()
    {
        return Err("plaintext and ciphertext must be whole blocks of one size".into());
    }
    Ok(())
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
    Block {
        algorithm: String,
        key: Hex,
        plaintext: Hex,
        ciphertext: Hex,
    },
    /// Speck's own notation, see [`Words`].
    Words {
        algorithm: String,
        key: Words,
        plaintext: Words,
        ciphertext: Words,
    },
    Ecb {
        algorithm: String,
        key: Hex,
        plaintext: Hex,
        ciphertext: Hex,
    },
    Cbc {
        algorithm: String,
        key: Hex,
        iv: Hex,
        plaintext: Hex,
        ciphertext: Hex,
    },
    Ctr {
        algorithm: String,
        key: Hex,
        counter: Hex,
        plaintext: Hex,
        ciphertext: Hex,
    },
    Iv {
        first: Hex,
        second: Hex,
        message: Hex,
    },
    Hash {
        algorithm: String,
        message: Hex,
        #[serde(default = "once")]
        repeat: usize,
        digest: Hex,
    },
    Mac {
        algorithm: String,
        key: Hex,
        message: Hex,
        tag: Hex,
    },
    Aead {
        algorithm: String,
        key: Hex,
        nonce: Hex,
        ad: Hex,
        plaintext: Hex,
        ciphertext: Hex,
        tag: Hex,
    },
    Kdf {
        algorithm: String,
        salt: Hex,
        ikm: Hex,
        info: Hex,
        okm: Hex,
    },
    X25519 {
        secret: Hex,
        peer: Hex,
        shared: Hex,
    },
    #[serde(rename = "x25519-iterated")]
    X25519Iterated {
        secret: Hex,
        peer: Hex,
        iterations: u32,
        shared: Hex,
    },
    #[serde(rename = "x25519-keygen")]
    X25519Keygen {
        secret: Hex,
        public: Hex,
    },
    KeyPair {
        secret: Hex,
        public: Hex,
    },
    Agreement {
        secret: Hex,
        peer: Hex,
        shared: Hex,
    },
    /// Without a secret it is only verified.
    Signature {
        #[serde(default)]
        secret: Option<Hex>,
        public: Hex,
        message: Hex,
        signature: Hex,
        #[serde(default = "yes")]
        valid: bool,
    },
}

fn yes() -> bool {
    true
}

fn once() -> usize {
    1
}

struct Hex(Vec<u8>);

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
struct Words(Vec<u8>);

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
