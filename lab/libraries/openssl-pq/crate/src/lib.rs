//! Functions for C over OpenSSL's EVP, for its post-quantum schemes.
//!
//! Every pointer that C hands over is valid for the size that stands beside it, or that the
//! parameter set has; inputs and outputs do not overlap.

#[macro_use]
#[path = "../../../common/rust/kem.rs"]
mod kem_functions;
#[macro_use]
#[path = "../../../common/rust/signature.rs"]
mod signature_functions;

mod evp;
#[path = "../../../common/rust/message.rs"]
mod message;

use core::slice;

use evp::Key;
use message::{Message, bytes};
// Links the library.
use openssl_sys as _;

/// What C handed over to be written.
///
/// # Safety
/// `data` is valid for `size` bytes.
unsafe fn space<'a>(data: *mut u8, size: usize) -> &'a mut [u8] {
    // SAFETY: the caller's; sizes here are never 0.
    unsafe { slice::from_raw_parts_mut(data, size) }
}

fn failed(done: Option<()>) -> i32 {
    done.is_none().into()
}

/// Exports the functions of a key encapsulation, with the sizes of its keys and its ciphertext.
macro_rules! kem {
    ($name:literal, $sizes:expr, $keygen:ident, $encapsulate:ident, $decapsulate:ident) => {
        export_kem!(
            $keygen: |public, private, seed| {
                let [public, private] =
                    unsafe { [space(public, $sizes[0]), space(private, $sizes[1])] };
                let key = Key::generate($name, unsafe { bytes(seed, 64) });
                failed(key.and_then(|key| {
                    key.write(c"pub", public)?;
                    key.write(c"priv", private)
                }))
            },
            $encapsulate: |ciphertext, secret, public, random| {
                let key = Key::public($name, unsafe { bytes(public, $sizes[0]) });
                let random = unsafe { bytes(random, 32) };
                let [sealed, secret] = unsafe { [space(ciphertext, $sizes[2]), space(secret, 32)] };
                failed(key.and_then(|key| key.encapsulate(random, sealed, secret)))
            },
            $decapsulate: |secret, private, ciphertext| {
                let key = Key::private($name, unsafe { bytes(private, $sizes[1]) });
                let sealed = unsafe { bytes(ciphertext, $sizes[2]) };
                let secret = unsafe { space(secret, 32) };
                failed(key.and_then(|key| key.decapsulate(sealed, secret)))
            },
        );
    };
}

kem!(
    c"ML-KEM-512",
    [800, 1632, 768],
    ossl_kem_512_keygen,
    ossl_kem_512_encapsulate,
    ossl_kem_512_decapsulate
);
kem!(
    c"ML-KEM-768",
    [1184, 2400, 1088],
    ossl_kem_768_keygen,
    ossl_kem_768_encapsulate,
    ossl_kem_768_decapsulate
);
kem!(
    c"ML-KEM-1024",
    [1568, 3168, 1568],
    ossl_kem_1024_keygen,
    ossl_kem_1024_encapsulate,
    ossl_kem_1024_decapsulate
);

/// Exports the functions of a signature scheme, with the sizes of seed, random bytes, keys and
/// signature.
macro_rules! sign {
    ($name:literal, $sizes:expr, $keygen:ident, $sign:ident, $verify:ident) => {
        export_signature!(
            $keygen: |public, private, seed| {
                let [public, private] =
                    unsafe { [space(public, $sizes[2]), space(private, $sizes[3])] };
                let key = Key::generate($name, unsafe { bytes(seed, $sizes[0]) });
                failed(key.and_then(|key| {
                    key.write(c"pub", public)?;
                    key.write(c"priv", private)
                }))
            },
            $sign: |signature, message, private, random| {
                let [message, context] = unsafe { (*message).parts() };
                let key = Key::private($name, unsafe { bytes(private, $sizes[3]) });
                let random = unsafe { bytes(random, $sizes[1]) };
                let out = unsafe { space(signature, $sizes[4]) };
                failed(key.and_then(|key| key.sign($name, [message, context, random], out)))
            },
            $verify: |signature, size, message, public| {
                let parts = unsafe { (*message).parts() };
                let key = Key::public($name, unsafe { bytes(public, $sizes[2]) });
                let signature = unsafe { bytes(signature, size) };
                failed(key.and_then(|key| key.verify($name, parts, signature)))
            },
        );
    };
}

sign!(
    c"ML-DSA-44",
    [32, 32, 1312, 2560, 2420],
    ossl_dsa_44_keygen,
    ossl_dsa_44_sign,
    ossl_dsa_44_verify
);
sign!(
    c"ML-DSA-65",
    [32, 32, 1952, 4032, 3309],
    ossl_dsa_65_keygen,
    ossl_dsa_65_sign,
    ossl_dsa_65_verify
);
sign!(
    c"ML-DSA-87",
    [32, 32, 2592, 4896, 4627],
    ossl_dsa_87_keygen,
    ossl_dsa_87_sign,
    ossl_dsa_87_verify
);
sign!(
    c"SLH-DSA-SHA2-128s",
    [48, 16, 32, 64, 7856],
    ossl_slh_sha2_128s_keygen,
    ossl_slh_sha2_128s_sign,
    ossl_slh_sha2_128s_verify
);
sign!(
    c"SLH-DSA-SHA2-128f",
    [48, 16, 32, 64, 17088],
    ossl_slh_sha2_128f_keygen,
    ossl_slh_sha2_128f_sign,
    ossl_slh_sha2_128f_verify
);
sign!(
    c"SLH-DSA-SHAKE-128s",
    [48, 16, 32, 64, 7856],
    ossl_slh_shake_128s_keygen,
    ossl_slh_shake_128s_sign,
    ossl_slh_shake_128s_verify
);
sign!(
    c"SLH-DSA-SHAKE-128f",
    [48, 16, 32, 64, 17088],
    ossl_slh_shake_128f_keygen,
    ossl_slh_shake_128f_sign,
    ossl_slh_shake_128f_verify
);
