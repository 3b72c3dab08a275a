//! Ephemeral secrets for handshakes, and random bytes from the operating system.

use std::fmt;

use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use crate::x25519;

/// An X25519 secret for one handshake. Wiped on drop; `Debug` hides it.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct EphemeralSecret([u8; 32]);

/// Error: the operating system returned no random bytes.
#[derive(Debug, Clone, thiserror::Error)]
#[error(
    "the operating system returned no random bytes: {0}\nhint: keys cannot be generated without them; try again later"
)]
pub struct RandomError(getrandom::Error);

impl EphemeralSecret {
    /// Draws a secret from the operating system.
    pub fn random() -> Result<Self, RandomError> {
        random_bytes().map(EphemeralSecret)
    }

    /// Makes a secret from its bytes. They must be fresh and random, except in tests.
    pub const fn new(bytes: [u8; 32]) -> Self {
        EphemeralSecret(bytes)
    }

    /// The public key [RFC7748, 6.1]. Costs one multiplication of the base point.
    pub fn public_key(&self) -> [u8; 32] {
        x25519::public_key(&self.0)
    }

    /// The shared secret with a peer's public key. `None` if it is all-zero [RFC7748, 6.1].
    pub fn shared_secret(&self, peer: &[u8; 32]) -> Option<Zeroizing<[u8; 32]>> {
        x25519::shared_secret(&self.0, peer)
    }
}

impl fmt::Debug for EphemeralSecret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("EphemeralSecret(..)")
    }
}

/// Random bytes from the operating system, for device keys, session ids and the `r` of a
/// pairing.
pub fn random_bytes<const N: usize>() -> Result<[u8; N], RandomError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(RandomError)?;
    Ok(bytes)
}
