//! Key exchanges: X25519 and ECDH.

use serde::Deserialize;

use super::{About, Expected, File, Hex, read};
use crate::parse::source::{SourceText, exactly};
use crate::{Algorithm, Case, CaseKind, Error, Interface};

/// X25519. "acceptable" tests are decided as RFC 7748 has it: twists and non-canonical
/// public keys are computed, an all-zero secret is refused.
pub(crate) fn xdh(place: &SourceText<'_>, algorithm: Algorithm) -> Result<Vec<Case>, Error> {
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

/// ECDH on P-256, of uncompressed points. A compressed one, which is "acceptable", is left out;
/// what is no point must be refused.
pub(crate) fn ecdh(place: &SourceText<'_>, algorithm: Algorithm) -> Result<Vec<Case>, Error> {
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
