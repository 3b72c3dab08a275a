//! X25519 [RFC7748, 5]. All scalar multiplications of the link are in this module.
//!
//! `graviola` needs less than half the time of `curve25519-dalek` and about as long as AWS-LC,
//! without a C compiler (`cargo run --release -p selo-link --example speed`). It requires
//! certain CPU instructions. Without them, and on other architectures, `curve25519-dalek` is
//! used.

use curve25519_dalek::MontgomeryPoint;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// The public key that belongs to a secret.
pub(crate) fn public_key(secret: &[u8; 32]) -> [u8; 32] {
    assembly::public_key(secret).unwrap_or_else(|| portable::public_key(secret))
}

/// The shared secret with a peer. `None` if it is all-zero [RFC7748, 6.1].
pub fn shared_secret(secret: &[u8; 32], peer: &[u8; 32]) -> Option<Zeroizing<[u8; 32]>> {
    let shared = assembly::multiply(secret, peer)
        .unwrap_or_else(|| Zeroizing::new(portable::multiply(secret, peer)));
    let zero: bool = shared.ct_eq(&[0; 32]).into();
    (!zero).then_some(shared)
}

pub(crate) mod portable {
    use super::MontgomeryPoint;

    pub(crate) fn public_key(secret: &[u8; 32]) -> [u8; 32] {
        MontgomeryPoint::mul_base_clamped(*secret).to_bytes()
    }

    pub(crate) fn multiply(secret: &[u8; 32], peer: &[u8; 32]) -> [u8; 32] {
        MontgomeryPoint(*peer).mul_clamped(*secret).to_bytes()
    }
}

/// Functions return `None` if the CPU does not support graviola.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod assembly {
    use graviola::key_agreement::x25519::{PublicKey, StaticPrivateKey};
    use zeroize::Zeroizing;

    pub(super) fn public_key(secret: &[u8; 32]) -> Option<[u8; 32]> {
        runs().then(|| StaticPrivateKey::from_array(secret).public_key().as_bytes())
    }

    /// Returns an all-zero product as such, like the portable code; the caller checks for it.
    pub(super) fn multiply(secret: &[u8; 32], peer: &[u8; 32]) -> Option<Zeroizing<[u8; 32]>> {
        runs().then(|| {
            let peer = PublicKey::from_array(peer);
            match StaticPrivateKey::from_array(secret).diffie_hellman(&peer) {
                Ok(shared) => Zeroizing::new(shared.0),
                Err(_) => Zeroizing::new([0; 32]),
            }
        })
    }

    /// True if the CPU has all instructions that graviola requires. It panics without them.
    #[cfg(target_arch = "x86_64")]
    fn runs() -> bool {
        use std::arch::is_x86_feature_detected as has;
        has!("adx")
            && has!("aes")
            && has!("avx")
            && has!("avx2")
            && has!("bmi1")
            && has!("bmi2")
            && has!("pclmulqdq")
            && has!("ssse3")
    }

    #[cfg(target_arch = "aarch64")]
    fn runs() -> bool {
        use std::arch::is_aarch64_feature_detected as has;
        has!("aes") && has!("neon") && has!("pmull") && has!("sha2")
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod assembly {
    use zeroize::Zeroizing;

    pub(super) fn public_key(_: &[u8; 32]) -> Option<[u8; 32]> {
        None
    }

    pub(super) fn multiply(_: &[u8; 32], _: &[u8; 32]) -> Option<Zeroizing<[u8; 32]>> {
        None
    }
}
