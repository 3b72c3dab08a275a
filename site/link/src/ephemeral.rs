//! Secrets that live for one handshake, and the operating system's randomness.

use std::fmt;

use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use crate::x25519;

/// An X25519 secret for one handshake. Wiped when dropped; never printed.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct EphemeralSecret([u8; 32]);

/// The operating system gave no random bytes.
#[derive(Debug, Clone, thiserror::Error)]
#[error(
    "the operating system gave no random bytes: {0}\nhint: without them no key is drawn; start again when it does"
)]
pub struct RandomError(getrandom::Error);

impl EphemeralSecret {
    /// A secret from the operating system.
    pub fn random() -> Result<Self, RandomError> {
        random_bytes().map(EphemeralSecret)
    }

    /// The secret with these bytes, which must be fresh and random outside of tests.
    pub const fn new(bytes: [u8; 32]) -> Self {
        EphemeralSecret(bytes)
    }

    /// The public key [RFC7748, 6.1]: one multiplication of the base point.
    pub fn public_key(&self) -> [u8; 32] {
        x25519::public_key(&self.0)
    }

    /// The secret shared with a peer's public key; `None` if it is all-zero [RFC7748, 6.1].
    pub fn shared_secret(&self, peer: &[u8; 32]) -> Option<Zeroizing<[u8; 32]>> {
        x25519::shared_secret(&self.0, peer)
    }
}

impl fmt::Debug for EphemeralSecret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("EphemeralSecret(..)")
    }
}

/// Random bytes from the operating system: for device keys, session ids and the `r` of a pairing.
pub fn random_bytes<const N: usize>() -> Result<[u8; N], RandomError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(RandomError)?;
    Ok(bytes)
}
