//! Functions for C over the crate fips205.
//!
//! Every pointer that C hands over is valid for the size that stands beside it, or that the
//! parameter set has; inputs and outputs do not overlap.
#![no_std]

#[path = "../../../common/rust/message.rs"]
mod message;
#[macro_use]
#[path = "../../../common/rust/signature.rs"]
mod signature_functions;

use fips205::traits::{KeyGen, SerDes, Signer, Verifier};
use fips205::{slh_dsa_sha2_128f, slh_dsa_sha2_128s, slh_dsa_shake_128f, slh_dsa_shake_128s};
use message::Message;

unsafe extern "C" {
    safe fn abort() -> !;
}

#[panic_handler]
fn panicked(_: &core::panic::PanicInfo<'_>) -> ! {
    abort()
}

/// Named by the core library, which was built to unwind; nothing unwinds here.
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}

/// An array that C handed over.
///
/// # Safety
/// `data` is valid for its bytes.
unsafe fn array<'a, const N: usize>(data: *const u8) -> &'a [u8; N] {
    // SAFETY: the caller's; bytes have no alignment.
    unsafe { &*data.cast() }
}

/// The random bytes of one signature.
struct Given<'a>(&'a [u8]);

impl fips205::RngCore for Given<'_> {
    fn next_u32(&mut self) -> u32 {
        abort()
    }

    fn next_u64(&mut self) -> u64 {
        abort()
    }

    fn fill_bytes(&mut self, out: &mut [u8]) {
        out.copy_from_slice(self.0);
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), fips205::RngError> {
        self.fill_bytes(out);
        Ok(())
    }
}

impl fips205::CryptoRng for Given<'_> {}

/// SHA-256, in DER.
const SHA_256: &[u8] = &[0x06, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 1];

/// Exports the functions of a parameter set: for whole messages, or for digests of a hash function.
macro_rules! set {
    ($set:ident, $keygen:ident, $sign:ident, $verify:ident, $size:literal) => {
        set!($set, $keygen, $sign, $verify, $size, try_sign_with_rng, verify,);
    };
    ($set:ident, $keygen:ident, $sign:ident, $verify:ident, $size:literal, $hash:expr) => {
        set!($set, $keygen, $sign, $verify, $size, try_hash_sign_with_rng, hash_verify, $hash);
    };
    (
        $set:ident,
        $keygen:ident,
        $sign:ident,
        $verify:ident,
        $size:literal,
        $write:ident,
        $check:ident,
        $($hash:expr)?
    ) => {
        export_signature!(
            $keygen: |public, private, seed| {
                let [first, second, third] =
                    [0, 16, 32].map(|place| unsafe { array::<16>(seed.add(place)) });
                let (made, key) = $set::KG::keygen_from_seed::<16>(first, second, third);
                unsafe {
                    *public.cast() = made.into_bytes();
                    *private.cast() = key.into_bytes();
                }
                0
            },
            $sign: |signature, message, private, random| {
                let [message, context] = unsafe { (*message).parts() };
                let mut given = Given(unsafe { array::<16>(random) });
                let Ok(key) = $set::PrivateKey::try_from_bytes(unsafe { *array(private) }) else {
                    return 1;
                };
                let Ok(made) = key.$write(&mut given, message, context, $($hash,)? true) else {
                    return 1;
                };
                unsafe { *signature.cast() = made };
                0
            },
            $verify: |signature, size, message, public| {
                let [message, context] = unsafe { (*message).parts() };
                let Ok(key) = $set::PublicKey::try_from_bytes(unsafe { *array(public) }) else {
                    return 1;
                };
                let valid = size == $size
                    && key.$check(message, unsafe { array::<$size>(signature) }, context $(, $hash)?);
                i32::from(!valid)
            },
        );
    };
}

set!(
    slh_dsa_sha2_128s,
    fips205_sha2_128s_keygen,
    fips205_sha2_128s_sign,
    fips205_sha2_128s_verify,
    7856
);
set!(
    slh_dsa_sha2_128f,
    fips205_sha2_128f_keygen,
    fips205_sha2_128f_sign,
    fips205_sha2_128f_verify,
    17088
);
set!(
    slh_dsa_shake_128s,
    fips205_shake_128s_keygen,
    fips205_shake_128s_sign,
    fips205_shake_128s_verify,
    7856
);
set!(
    slh_dsa_shake_128f,
    fips205_shake_128f_keygen,
    fips205_shake_128f_sign,
    fips205_shake_128f_verify,
    17088
);
set!(
    slh_dsa_sha2_128s,
    fips205_hash_sha2_128s_keygen,
    fips205_hash_sha2_128s_sign,
    fips205_hash_sha2_128s_verify,
    7856,
    SHA_256
);
set!(
    slh_dsa_sha2_128f,
    fips205_hash_sha2_128f_keygen,
    fips205_hash_sha2_128f_sign,
    fips205_hash_sha2_128f_verify,
    17088,
    SHA_256
);
