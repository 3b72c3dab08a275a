//! Functions for C over the crate pq-mayo.
//!
//! Every pointer that C hands over is valid for the size that stands beside it, or that the
//! parameter set has; inputs and outputs do not overlap.

#[path = "../../../common/rust/message.rs"]
mod message;
#[macro_use]
#[path = "../../../common/rust/signature.rs"]
mod signature_functions;

use std::convert::Infallible;

use message::{Message, bytes};
use pq_mayo::{
    KeyPair, Mayo1, Mayo2, Mayo3, Mayo5, MayoParameter, Signature, SigningKey, VerifyingKey,
};
use signature::Verifier;

/// The random bytes of one signature.
struct Given<'a>(&'a [u8]);

impl rand::TryRng for Given<'_> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        std::process::abort()
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        std::process::abort()
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Infallible> {
        out.copy_from_slice(self.0);
        Ok(())
    }
}

impl rand::TryCryptoRng for Given<'_> {}

/// Writes to memory of C.
///
/// # Safety
/// `to` is valid for the bytes.
unsafe fn give(to: *mut u8, from: &[u8]) {
    // SAFETY: the caller's.
    unsafe { to.copy_from_nonoverlapping(from.as_ptr(), from.len()) };
}

unsafe fn keygen<P: MayoParameter>(public: *mut u8, private: *mut u8, seed: *const u8) -> i32 {
    let Ok(pair) = KeyPair::<P>::from_seed(unsafe { bytes(seed, P::SK_SEED_BYTES) }) else {
        return 1;
    };
    unsafe {
        give(public, pair.verifying_key().as_ref());
        give(private, pair.signing_key().as_ref());
    }
    0
}

unsafe fn sign<P: MayoParameter>(
    signature: *mut u8,
    message: *const Message,
    private: *const u8,
    random: *const u8,
) -> i32 {
    let [message, _] = unsafe { (*message).parts() };
    let mut given = Given(unsafe { bytes(random, P::SALT_BYTES) });
    let made = SigningKey::<P>::try_from(unsafe { bytes(private, P::CSK_BYTES) })
        .and_then(|key| key.sign_with_rng(&mut given, message));
    let Ok(made) = made else { return 1 };
    unsafe { give(signature, made.as_ref()) };
    0
}

unsafe fn verify<P: MayoParameter>(
    signature: *const u8,
    size: usize,
    message: *const Message,
    public: *const u8,
) -> i32 {
    let [message, _] = unsafe { (*message).parts() };
    let key = VerifyingKey::<P>::try_from(unsafe { bytes(public, P::CPK_BYTES) });
    let given = Signature::<P>::try_from(unsafe { bytes(signature, size) });
    let (Ok(key), Ok(given)) = (key, given) else {
        return 1;
    };
    i32::from(key.verify(message, &given).is_err())
}

export_signature!(pq_mayo_1_keygen: keygen::<Mayo1>, pq_mayo_1_sign: sign::<Mayo1>, pq_mayo_1_verify: verify::<Mayo1>);
export_signature!(pq_mayo_2_keygen: keygen::<Mayo2>, pq_mayo_2_sign: sign::<Mayo2>, pq_mayo_2_verify: verify::<Mayo2>);
export_signature!(pq_mayo_3_keygen: keygen::<Mayo3>, pq_mayo_3_sign: sign::<Mayo3>, pq_mayo_3_verify: verify::<Mayo3>);
export_signature!(pq_mayo_5_keygen: keygen::<Mayo5>, pq_mayo_5_sign: sign::<Mayo5>, pq_mayo_5_verify: verify::<Mayo5>);
