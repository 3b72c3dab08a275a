//! X25519 [RFC7748]: secrets that are wiped when dropped.

use std::fmt;

use super::declarations::{selo_x25519_keygen, selo_x25519_shared_secret};
use super::memory::wipe;
use crate::{Error, status};

/// A secret of 32 random bytes; clamped on use.
pub struct X25519Secret([u8; 32]);

/// The shared secret of two parties. Hash it before use as a key.
pub struct SharedSecret([u8; 32]);

impl X25519Secret {
    /// Takes the bytes unchanged.
    #[must_use]
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The public key.
    #[must_use]
    pub fn public_key(&self) -> [u8; 32] {
        let mut public_key = [0; 32];
        selo_x25519_keygen(&mut public_key, &self.0);
        public_key
    }

    /// The secret shared with a peer; [`Error::Key`] if it is all zero.
    pub fn shared_secret(&self, peer_public_key: &[u8; 32]) -> Result<SharedSecret, Error> {
        let mut shared = SharedSecret([0; 32]);
        status(selo_x25519_shared_secret(
            &mut shared.0,
            &self.0,
            peer_public_key,
        ))?;
        Ok(shared)
    }
}

impl SharedSecret {
    /// The bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl Drop for X25519Secret {
    fn drop(&mut self) {
        wipe(&mut self.0);
    }
}

impl Drop for SharedSecret {
    fn drop(&mut self) {
        wipe(&mut self.0);
    }
}

impl fmt::Debug for X25519Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("X25519Secret(..)")
    }
}

impl fmt::Debug for SharedSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedSecret(..)")
    }
}
