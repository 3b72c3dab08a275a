//! Functions for C over OpenSSL's ML-KEM, ML-DSA and SLH-DSA.
//!
//! Every pointer that C hands over is valid for the size that stands beside it, or that the
//! parameter set has; inputs and outputs do not overlap.

#[macro_use]
#[path = "../../../common/rust/kem.rs"]
mod kem_functions;
#[path = "../../../common/rust/message.rs"]
mod message;
#[macro_use]
#[path = "../../../common/rust/signature.rs"]
mod signature_functions;
mod evp;

use core::slice;

use evp::{Key, Value};
use message::{Message, bytes};

const SECRET: usize = 32;

/// Space that C handed over to be written.
///
/// # Safety
/// `data` is valid for `size` bytes, which nothing else reads or writes.
unsafe fn space<'a>(data: *mut u8, size: usize) -> &'a mut [u8] {
    // SAFETY: the caller's.
    unsafe { slice::from_raw_parts_mut(data, size) }
}

fn failed(done: Option<()>) -> i32 {
    i32::from(done.is_none())
}

/// Exports the functions of a parameter set of ML-KEM.
macro_rules! kem {
    ($name:literal, $public:literal, $private:literal, $ciphertext:literal, $keygen:ident, $encapsulate:ident, $decapsulate:ident) => {
        export_kem!(
            $keygen: |public, private, seed| unsafe {
                let key = Key::generate($name, bytes(seed, 64));
                let [public, private] = [space(public, $public), space(private, $private)];
                failed(key.and_then(|key| key.write(public, private)))
            },
            $encapsulate: |ciphertext, secret, public, random| unsafe {
                let key = Key::public($name, bytes(public, $public));
                let [sealed, secret] = [space(ciphertext, $ciphertext), space(secret, SECRET)];
                failed(key.and_then(|key| key.encapsulate(sealed, secret, bytes(random, 32))))
            },
            $decapsulate: |secret, private, ciphertext| unsafe {
                let key = Key::private($name, bytes(private, $private));
                let (secret, sealed) = (space(secret, SECRET), bytes(ciphertext, $ciphertext));
                failed(key.and_then(|key| key.decapsulate(secret, sealed)))
            },
        );
    };
}

kem!(
    c"ML-KEM-512",
    800,
    1632,
    768,
    openssl_512_keygen,
    openssl_512_encapsulate,
    openssl_512_decapsulate
);
kem!(
    c"ML-KEM-768",
    1184,
    2400,
    1088,
    openssl_768_keygen,
    openssl_768_encapsulate,
    openssl_768_decapsulate
);
kem!(
    c"ML-KEM-1024",
    1568,
    3168,
    1568,
    openssl_1024_keygen,
    openssl_1024_encapsulate,
    openssl_1024_decapsulate
);

/// Exports the functions of a parameter set of a signature scheme. Sizes: public key, private key,
/// signature, seed of a key pair, randomness of a signature.
macro_rules! signature {
    ($name:literal, $public:literal, $private:literal, $size:literal, $seed:literal, $random:literal, $keygen:ident, $sign:ident, $verify:ident) => {
        export_signature!(
            $keygen: |public, private, seed| unsafe {
                let key = Key::generate($name, bytes(seed, $seed));
                let [public, private] = [space(public, $public), space(private, $private)];
                failed(key.and_then(|key| key.write(public, private)))
            },
            $sign: |signature, message, private, random| unsafe {
                let [message, context] = (*message).parts();
                let key = Key::private($name, bytes(private, $private));
                let values = [
                    Value::Bytes(c"context-string", context),
                    Value::Bytes(c"test-entropy", bytes(random, $random)),
                    Value::Number(c"deterministic", 0),
                ];
                let out = space(signature, $size);
                failed(key.and_then(|key| key.sign($name, out, message, &values)))
            },
            $verify: |signature, size, message, public| unsafe {
                let [message, context] = (*message).parts();
                let key = Key::public($name, bytes(public, $public));
                let values = [Value::Bytes(c"context-string", context)];
                let signature = bytes(signature, size);
                failed(key.and_then(|key| key.verify($name, signature, message, &values)))
            },
        );
    };
}

signature!(
    c"ML-DSA-44",
    1312,
    2560,
    2420,
    32,
    32,
    openssl_44_keygen,
    openssl_44_sign,
    openssl_44_verify
);
signature!(
    c"ML-DSA-65",
    1952,
    4032,
    3309,
    32,
    32,
    openssl_65_keygen,
    openssl_65_sign,
    openssl_65_verify
);
signature!(
    c"ML-DSA-87",
    2592,
    4896,
    4627,
    32,
    32,
    openssl_87_keygen,
    openssl_87_sign,
    openssl_87_verify
);
signature!(
    c"SLH-DSA-SHA2-128s",
    32,
    64,
    7856,
    48,
    16,
    openssl_sha2_128s_keygen,
    openssl_sha2_128s_sign,
    openssl_sha2_128s_verify
);
signature!(
    c"SLH-DSA-SHA2-128f",
    32,
    64,
    17088,
    48,
    16,
    openssl_sha2_128f_keygen,
    openssl_sha2_128f_sign,
    openssl_sha2_128f_verify
);
signature!(
    c"SLH-DSA-SHAKE-128s",
    32,
    64,
    7856,
    48,
    16,
    openssl_shake_128s_keygen,
    openssl_shake_128s_sign,
    openssl_shake_128s_verify
);
signature!(
    c"SLH-DSA-SHAKE-128f",
    32,
    64,
    17088,
    48,
    16,
    openssl_shake_128f_keygen,
    openssl_shake_128f_sign,
    openssl_shake_128f_verify
);
