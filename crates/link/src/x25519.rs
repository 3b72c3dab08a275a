//! X25519 [RFC7748, 5]: the one place that multiplies.

use curve25519_dalek::MontgomeryPoint;
use subtle::ConstantTimeEq;

/// The public key of a secret.
pub(crate) fn public_key(secret: &[u8; 32]) -> [u8; 32] {
    MontgomeryPoint::mul_base_clamped(*secret).to_bytes()
}

/// The secret shared with a peer; `None` if it is all-zero [RFC7748, 6.1].
pub(crate) fn shared_secret(secret: &[u8; 32], peer: &[u8; 32]) -> Option<[u8; 32]> {
    let shared = MontgomeryPoint(*peer).mul_clamped(*secret).to_bytes();
    let zero: bool = shared.ct_eq(&[0; 32]).into();
    (!zero).then_some(shared)
}
