//! X25519, Ed25519, and P-256's ECDH and ECDSA.

use ed25519_dalek::{Signer, Verifier};
use p256::ecdsa::signature::hazmat::{PrehashSigner, PrehashVerifier};
use p256::elliptic_curve::sec1::ToEncodedPoint;

use crate::{Slot, array, failed, input, output};

#[unsafe(no_mangle)]
unsafe extern "C" fn rc_x25519_keygen(public: *mut u8, secret: *const u8) -> i32 {
    let secret = x25519_dalek::StaticSecret::from(unsafe { array(secret) });
    let made = x25519_dalek::PublicKey::from(&secret);
    unsafe { output(public, 32) }.copy_from_slice(made.as_bytes());
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn rc_x25519_shared(shared: *mut u8, secret: *const u8, peer: *const u8) -> i32 {
    let secret = x25519_dalek::StaticSecret::from(unsafe { array(secret) });
    let peer = x25519_dalek::PublicKey::from(unsafe { array(peer) });
    let made = secret.diffie_hellman(&peer);
    unsafe { output(shared, 32) }.copy_from_slice(made.as_bytes());
    i32::from(!made.was_contributory())
}

mod ed25519 {
    use super::*;
    use ed25519_dalek::{Signature, SigningKey, VerifyingKey};

    static SIGNS: Slot<SigningKey> = Slot::new();
    static VERIFIES: Slot<(VerifyingKey, Signature)> = Slot::new();

    #[unsafe(no_mangle)]
    unsafe extern "C" fn rc_ed25519_keygen(public: *mut u8, secret: *const u8) -> i32 {
        let key = SigningKey::from_bytes(&unsafe { array(secret) });
        unsafe { output(public, 32) }.copy_from_slice(key.verifying_key().as_bytes());
        0
    }

    #[unsafe(no_mangle)]
    unsafe extern "C" fn rc_ed25519_prepare(secret: *const u8, _: *const u8) -> i32 {
        SIGNS.set(SigningKey::from_bytes(&unsafe { array(secret) }));
        0
    }

    #[unsafe(no_mangle)]
    unsafe extern "C" fn rc_ed25519_sign(signature: *mut u8, message: *const u8, size: u16) -> i32 {
        let made = SIGNS.get().try_sign(unsafe { input(message, size) });
        let out = unsafe { output(signature, 64) };
        failed(made.map(|made| out.copy_from_slice(&made.to_bytes())))
    }

    #[unsafe(no_mangle)]
    unsafe extern "C" fn rc_ed25519_prepare_verify(public: *const u8, signature: *const u8) -> i32 {
        let signature = Signature::from_bytes(&unsafe { array(signature) });
        let key = VerifyingKey::from_bytes(&unsafe { array(public) });
        failed(key.map(|key| VERIFIES.set((key, signature))))
    }

    #[unsafe(no_mangle)]
    unsafe extern "C" fn rc_ed25519_verify(_: *const u8, message: *const u8, size: u16) -> i32 {
        let (key, signature) = VERIFIES.get();
        failed(key.verify(unsafe { input(message, size) }, signature))
    }
}

mod p_256 {
    use super::*;
    use p256::ecdsa::{Signature, SigningKey, VerifyingKey};
    use p256::{PublicKey, SecretKey};

    static SIGNS: Slot<SigningKey> = Slot::new();
    static VERIFIES: Slot<(VerifyingKey, Signature)> = Slot::new();

    /// An uncompressed point: 4 and its coordinates.
    ///
    /// # Safety
    /// `coordinates` is valid for 64 bytes.
    unsafe fn point(coordinates: *const u8) -> [u8; 65] {
        let mut point = [4; 65];
        point[1..].copy_from_slice(unsafe { input(coordinates, 64) });
        point
    }

    #[unsafe(no_mangle)]
    unsafe extern "C" fn rc_p256_keygen(public: *mut u8, secret: *const u8) -> i32 {
        let secret = SecretKey::from_slice(unsafe { input(secret, 32) });
        failed(secret.map(|secret| {
            let point = secret.public_key().to_encoded_point(false);
            unsafe { output(public, 64) }.copy_from_slice(&point.as_bytes()[1..]);
        }))
    }

    #[unsafe(no_mangle)]
    unsafe extern "C" fn rc_p256_shared(
        shared: *mut u8,
        secret: *const u8,
        peer: *const u8,
    ) -> i32 {
        let secret = SecretKey::from_slice(unsafe { input(secret, 32) });
        let peer = PublicKey::from_sec1_bytes(&unsafe { point(peer) });
        let (Ok(secret), Ok(peer)) = (secret, peer) else {
            return 1;
        };
        let made = p256::ecdh::diffie_hellman(secret.to_nonzero_scalar(), peer.as_affine());
        unsafe { output(shared, 32) }.copy_from_slice(made.raw_secret_bytes());
        0
    }

    #[unsafe(no_mangle)]
    unsafe extern "C" fn rc_p256_prepare(secret: *const u8, _: *const u8) -> i32 {
        let key = SigningKey::from_slice(unsafe { input(secret, 32) });
        failed(key.map(|key| SIGNS.set(key)))
    }

    #[unsafe(no_mangle)]
    unsafe extern "C" fn rc_p256_sign(signature: *mut u8, digest: *const u8, size: u16) -> i32 {
        let made: Result<Signature, _> = SIGNS.get().sign_prehash(unsafe { input(digest, size) });
        let out = unsafe { output(signature, 64) };
        failed(made.map(|made| out.copy_from_slice(&made.to_bytes())))
    }

    #[unsafe(no_mangle)]
    unsafe extern "C" fn rc_p256_prepare_verify(public: *const u8, signature: *const u8) -> i32 {
        let key = VerifyingKey::from_sec1_bytes(&unsafe { point(public) });
        let signature = Signature::from_slice(unsafe { input(signature, 64) });
        let (Ok(key), Ok(signature)) = (key, signature) else {
            return 1;
        };
        VERIFIES.set((key, signature));
        0
    }

    #[unsafe(no_mangle)]
    unsafe extern "C" fn rc_p256_verify(_: *const u8, digest: *const u8, size: u16) -> i32 {
        let (key, signature) = VERIFIES.get();
        failed(key.verify_prehash(unsafe { input(digest, size) }, signature))
    }
}
