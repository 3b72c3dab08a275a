//! Lists the inputs of a case by name, so that a reader can reproduce a failure.

use crate::{AeadMessage, CaseKind, Direction, LargeKey};

impl CaseKind {
    /// The inputs of the implementation: their names in the vectors' documents, and their bytes in
    /// hexadecimal.
    pub fn inputs(&self) -> Vec<(&'static str, String)> {
        let bytes = self.byte_inputs().into_iter();
        let bytes = bytes.map(|(name, value)| (name, hex::encode(value)));
        bytes.chain(self.number_input()).collect()
    }

    // Long because it is one flat match over every kind.
    fn byte_inputs(&self) -> Vec<(&'static str, &[u8])> {
        match self {
            CaseKind::Blocks {
                direction,
                key,
                input,
                ..
            } => vec![("key", key), (direction.input(), input)],
            CaseKind::BlockMonteCarlo {
                direction,
                key,
                input,
                ..
            } => vec![("key", key), (direction.input(), input)],
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
            } => vec![("key", key), ("iv", iv), (direction.input(), input)],
            CaseKind::CbcMonteCarlo {
                direction,
                key,
                iv,
                input,
                ..
            } => vec![("key", key), ("iv", iv), (direction.input(), input)],
            CaseKind::CbcRefused {
                key,
                iv,
                ciphertext,
            } => vec![("key", key), ("iv", iv), ("ciphertext", ciphertext)],
            CaseKind::CbcIv {
                first,
                second,
                message,
            } => vec![
                ("first random bytes", first),
                ("second random bytes", second),
                ("message", message),
            ],
            CaseKind::Ctr {
                direction,
                key,
                counter,
                input,
                ..
            } => vec![
                ("key", key),
                ("counter", counter),
                (direction.input(), input),
            ],
            CaseKind::Hash { message, .. } => vec![("message", message)],
            CaseKind::HashMonteCarlo { seed, .. } => vec![("seed", seed)],
            CaseKind::Mac { key, message, .. } => vec![("key", key), ("message", message)],
            CaseKind::AeadSeal { message, .. } => message.seal_inputs(),
            CaseKind::AeadOpen { message, .. } | CaseKind::AeadRefused { message, .. } => {
                message.open_inputs()
            }
            CaseKind::Kdf {
                salt, ikm, info, ..
            }
            | CaseKind::KdfRefused {
                salt, ikm, info, ..
            } => vec![("salt", salt), ("ikm", ikm), ("info", info)],
            CaseKind::Agreement { secret, peer, .. }
            | CaseKind::AgreementRefused { secret, peer } => {
                vec![("secret", secret), ("peer", peer)]
            }
            CaseKind::SharedSecret { secret, peer, .. }
            | CaseKind::SharedSecretIterated { secret, peer, .. } => {
                vec![("secret", secret), ("peer", peer)]
            }
            CaseKind::KeyPair { secret, .. } | CaseKind::PublicKey { secret, .. } => {
                vec![("secret", secret)]
            }
            CaseKind::Sign {
                secret, message, ..
            } => vec![("secret", secret), ("message", message)],
            CaseKind::Verify {
                public,
                message,
                signature,
                ..
            } => vec![
                ("public key", public),
                ("message", message),
                ("signature", signature),
            ],
            CaseKind::KemKeyPair { seed, .. } => vec![("seed", seed)],
            CaseKind::Encapsulate { public, random, .. }
            | CaseKind::EncapsulateRefused { public, random } => {
                vec![("public key", public), ("random bytes", random)]
            }
            CaseKind::Decapsulate {
                private,
                ciphertext,
                ..
            } => vec![("private key", private), ("ciphertext", ciphertext)],
            CaseKind::DecapsulateSeed {
                seed, ciphertext, ..
            } => vec![("seed", seed), ("ciphertext", ciphertext)],
            CaseKind::PrivateRefused { private } => vec![("private key", private)],
            CaseKind::LargeKeyPair { seed, .. } => vec![("seed", seed)],
            CaseKind::LargeSign {
                key,
                message,
                context,
                random,
                ..
            } => vec![
                match key {
                    LargeKey::Private(private) => ("private key", private),
                    LargeKey::Seed(seed) => ("seed", seed),
                },
                ("message", message),
                ("context", context),
                ("random bytes", random),
            ],
            CaseKind::LargeVerify {
                public,
                message,
                context,
                signature,
                ..
            } => vec![
                ("public key", public),
                ("message", message),
                ("context", context),
                ("signature", signature),
            ],
        }
    }

    fn number_input(&self) -> Option<(&'static str, String)> {
        match self {
            CaseKind::Hash { repeat, .. } if *repeat > 1 => Some(("repeated", repeat.to_string())),
            CaseKind::KdfRefused { bytes, .. } => Some(("bytes", bytes.to_string())),
            CaseKind::SharedSecretIterated { iterations, .. } => {
                Some(("iterations", iterations.to_string()))
            }
            _ => None,
        }
    }
}

impl Direction {
    /// Name of the bytes that go in.
    fn input(self) -> &'static str {
        match self {
            Direction::Encrypt => "plaintext",
            Direction::Decrypt => "ciphertext",
        }
    }
}

impl AeadMessage {
    fn seal_inputs(&self) -> Vec<(&'static str, &[u8])> {
        vec![
            ("key", &self.key),
            ("nonce", &self.nonce),
            ("ad", &self.ad),
            ("plaintext", &self.plaintext),
        ]
    }

    fn open_inputs(&self) -> Vec<(&'static str, &[u8])> {
        vec![
            ("key", &self.key),
            ("nonce", &self.nonce),
            ("ad", &self.ad),
            ("ciphertext", &self.ciphertext),
            ("tag", &self.tag),
        ]
    }
}
