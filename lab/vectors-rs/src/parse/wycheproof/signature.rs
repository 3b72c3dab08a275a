//! Signatures to verify: Ed25519 and ECDSA.

use serde::Deserialize;

use super::{About, Expected, File, Hex, read};
use crate::parse::source::{self, SourceText};
use crate::{Algorithm, Case, CaseKind, Error, Interface};

/// Signatures to be verified.
pub(crate) fn signature(place: &SourceText<'_>, algorithm: Algorithm) -> Result<Vec<Case>, Error> {
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
                message: source::signed(test.message.0, of_digest),
                signature: test.signature.0,
                valid: about.result == Expected::Valid,
            };
            cases.push(about.case(place, algorithm, "", kind));
        }
    }
    Ok(cases)
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
