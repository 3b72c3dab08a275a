//! Key pairs, key agreement and signatures.

use serde::Deserialize;

use super::text::Hex;
use crate::parse::source::{Cases, exactly, signed};
use crate::{Algorithm, CaseKind, Interface};

/// A shared secret of X25519.
#[derive(Deserialize)]
pub(super) struct X25519 {
    secret: Hex,
    peer: Hex,
    shared: Hex,
}

impl X25519 {
    pub(super) fn cases(self, algorithm: Algorithm) -> Cases {
        let kind = CaseKind::SharedSecret {
            secret: exactly("secret", &self.secret.0)?,
            peer: exactly("peer", &self.peer.0)?,
            shared: exactly("shared", &self.shared.0)?,
        };
        of_x25519(algorithm, kind)
    }
}

/// The iterated test of [RFC7748, 5.2].
#[derive(Deserialize)]
pub(super) struct X25519Iterated {
    secret: Hex,
    peer: Hex,
    iterations: u32,
    shared: Hex,
}

impl X25519Iterated {
    pub(super) fn cases(self, algorithm: Algorithm) -> Cases {
        let kind = CaseKind::SharedSecretIterated {
            secret: exactly("secret", &self.secret.0)?,
            peer: exactly("peer", &self.peer.0)?,
            iterations: self.iterations,
            shared: exactly("shared", &self.shared.0)?,
        };
        of_x25519(algorithm, kind)
    }
}

/// The public key of a secret of X25519.
#[derive(Deserialize)]
pub(super) struct X25519Keygen {
    secret: Hex,
    public: Hex,
}

impl X25519Keygen {
    pub(super) fn cases(self, algorithm: Algorithm) -> Cases {
        let kind = CaseKind::PublicKey {
            secret: exactly("secret", &self.secret.0)?,
            public: exactly("public", &self.public.0)?,
        };
        of_x25519(algorithm, kind)
    }
}

fn of_x25519(algorithm: Algorithm, kind: CaseKind) -> Cases {
    match algorithm.interface() {
        Interface::DiffieHellman => Ok(vec![("", kind)]),
        _ => Err(format!("{} is not a key exchange", algorithm.name())),
    }
}

/// The public key of a secret, of a signature or another key agreement.
#[derive(Deserialize)]
pub(super) struct KeyPair {
    secret: Hex,
    public: Hex,
}

impl KeyPair {
    pub(super) fn cases(self, algorithm: Algorithm) -> Cases {
        let (Interface::Agreement { public_bytes } | Interface::Signature { public_bytes, .. }) =
            algorithm.interface()
        else {
            return Err(format!("{} has no key pairs", algorithm.name()));
        };
        let secret = exactly("secret", &self.secret.0)?;
        let public = self.public.0;
        if public.len() != public_bytes {
            return Err(format!("the public key has {} bytes", public.len()));
        }
        Ok(vec![("", CaseKind::KeyPair { secret, public })])
    }
}

/// The shared secret of a key agreement.
#[derive(Deserialize)]
pub(super) struct Agreement {
    secret: Hex,
    peer: Hex,
    shared: Hex,
}

impl Agreement {
    pub(super) fn cases(self, algorithm: Algorithm) -> Cases {
        let Interface::Agreement { public_bytes } = algorithm.interface() else {
            return Err(format!("{} is not a key agreement", algorithm.name()));
        };
        if self.peer.0.len() != public_bytes {
            return Err(format!("the public key has {} bytes", self.peer.0.len()));
        }
        let kind = CaseKind::Agreement {
            secret: exactly("secret", &self.secret.0)?,
            peer: self.peer.0,
            shared: exactly("shared", &self.shared.0)?,
        };
        Ok(vec![("", kind)])
    }
}

/// A signature. Without a secret it is only verified.
#[derive(Deserialize)]
pub(super) struct Signature {
    #[serde(default)]
    secret: Option<Hex>,
    public: Hex,
    message: Hex,
    signature: Hex,
    #[serde(default = "yes")]
    valid: bool,
}

fn yes() -> bool {
    true
}

impl Signature {
    pub(super) fn cases(self, algorithm: Algorithm) -> Cases {
        let Interface::Signature {
            public_bytes,
            of_digest,
        } = algorithm.interface()
        else {
            return Err(format!("{} does not sign", algorithm.name()));
        };
        let (public, signature) = (self.public.0, self.signature.0);
        if public.len() != public_bytes || signature.len() != 64 {
            return Err(format!(
                "a public key of {} bytes and a signature of {}",
                public.len(),
                signature.len()
            ));
        }
        let message = signed(self.message.0, of_digest);
        let mut cases = Vec::new();
        if let Some(secret) = self.secret {
            let secret = exactly("secret", &secret.0)?;
            let pair = CaseKind::KeyPair {
                secret,
                public: public.clone(),
            };
            let sign = CaseKind::Sign {
                secret,
                public: public.clone(),
                message: message.clone(),
                signature: signature.clone(),
                random: of_digest,
            };
            cases.extend([(" keygen", pair), (" sign", sign)]);
        }
        let verify = CaseKind::Verify {
            public,
            message,
            signature,
            valid: self.valid,
        };
        cases.push((" verify", verify));
        Ok(cases)
    }
}
