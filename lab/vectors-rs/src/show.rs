//! Lists the inputs of a case by name, so that a reader can reproduce a failure.

use crate::{AeadMessage, CaseKind, Direction};

impl CaseKind {
    /// The inputs of the implementation: their names in the vectors' documents, and their bytes in
    /// hexadecimal.
    pub fn inputs(&self) -> Vec<(&'static str, String)> {
        let text = |direction: &Direction| match direction {
            Direction::Encrypt => "plaintext",
            Direction::Decrypt => "ciphertext",
        };
        let mut shown: Vec<(&'static str, &[u8])> = Vec::new();
        let mut numbers: Vec<(&'static str, String)> = Vec::new();
        match self {
            CaseKind::Blocks {
                direction,
                key,
                input,
                ..
            } => shown.extend([("key", &key[..]), (text(direction), input)]),
            CaseKind::BlockMonteCarlo {
                direction,
                key,
                input,
                ..
            } => shown.extend([("key", &key[..]), (text(direction), input)]),
            CaseKind::CbcUnpadded {
                direction,
                key,
                iv,
                input,
                ..
            }
            | CaseKind::CbcPadded {
                direction,
                key,
                iv,
                input,
                ..
            } => shown.extend([("key", &key[..]), ("iv", iv), (text(direction), input)]),
            CaseKind::CbcMonteCarlo {
                direction,
                key,
                iv,
                input,
                ..
            } => shown.extend([("key", &key[..]), ("iv", iv), (text(direction), input)]),
            CaseKind::CbcRefused {
                key,
                iv,
                ciphertext,
            } => shown.extend([("key", &key[..]), ("iv", iv), ("ciphertext", ciphertext)]),
            CaseKind::CbcIv {
                first,
                second,
                message,
            } => shown.extend([
                ("first random bytes", &first[..]),
                ("second random bytes", second),
                ("message", message),
            ]),
            CaseKind::Ctr {
                direction,
                key,
                counter,
                input,
                ..
            } => shown.extend([
                ("key", &key[..]),
                ("counter", counter),
                (text(direction), input),
            ]),
            CaseKind::Hash {
                message, repeat, ..
            } => {
                shown.push(("message", message));
                if *repeat > 1 {
                    numbers.push(("repeated", repeat.to_string()));
                }
            }
            CaseKind::HashMonteCarlo { seed, .. } => shown.push(("seed", seed)),
            CaseKind::Mac { key, message, .. } => {
                shown.extend([("key", &key[..]), ("message", message)]);
            }
            CaseKind::AeadSeal { message, .. } => {
                shown.extend(sealed(message));
                shown.push(("plaintext", &message.plaintext));
            }
            CaseKind::AeadOpen { message, .. } | CaseKind::AeadRefused { message, .. } => {
                shown.extend(sealed(message));
                shown.extend([
                    ("ciphertext", &message.ciphertext[..]),
                    ("tag", &message.tag),
                ]);
            }
            CaseKind::Kdf {
                salt, ikm, info, ..
            } => shown.extend([("salt", &salt[..]), ("ikm", ikm), ("info", info)]),
            CaseKind::KdfRefused {
                salt,
                ikm,
                info,
                bytes,
                ..
            } => {
                shown.extend([("salt", &salt[..]), ("ikm", ikm), ("info", info)]);
                numbers.push(("bytes", bytes.to_string()));
            }
            CaseKind::Agreement { secret, peer, .. }
            | CaseKind::AgreementRefused { secret, peer } => {
                shown.extend([("secret", &secret[..]), ("peer", peer)]);
            }
            CaseKind::KeyPair { secret, .. } => shown.push(("secret", secret)),
            CaseKind::Sign {
                secret, message, ..
            } => shown.extend([("secret", &secret[..]), ("message", message)]),
            CaseKind::Verify {
                public,
                message,
                signature,
                ..
            } => shown.extend([
                ("public key", &public[..]),
                ("message", message),
                ("signature", signature),
            ]),
            CaseKind::SharedSecret { secret, peer, .. } => {
                shown.extend([("secret", &secret[..]), ("peer", peer)]);
            }
            CaseKind::SharedSecretIterated {
                secret,
                peer,
                iterations,
                ..
            } => {
                shown.extend([("secret", &secret[..]), ("peer", peer)]);
                numbers.push(("iterations", iterations.to_string()));
            }
            CaseKind::PublicKey { secret, .. } => shown.push(("secret", secret)),
        }
        let bytes = shown.into_iter();
        let bytes = bytes.map(|(name, value)| (name, hex::encode(value)));
        bytes.chain(numbers).collect()
    }
}

fn sealed(message: &AeadMessage) -> [(&'static str, &[u8]); 3] {
    [
        ("key", &message.key),
        ("nonce", &message.nonce),
        ("ad", &message.ad),
    ]
}
