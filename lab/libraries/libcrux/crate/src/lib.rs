//! Functions for C over the crates libcrux-ml-kem and libcrux-ml-dsa.
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

use message::Message;

/// An array that C handed over.
///
/// # Safety
/// `data` is valid for its bytes.
unsafe fn array<const N: usize>(data: *const u8) -> [u8; N] {
    // SAFETY: the caller's; bytes have no alignment.
    unsafe { *data.cast() }
}

/// Exports the functions of a parameter set of ML-KEM.
macro_rules! kem {
    ($set:ident, $keygen:ident, $encapsulate:ident, $decapsulate:ident) => {
        export_kem!(
            $keygen: |public, private, seed| {
                let pair = libcrux_ml_kem::$set::generate_key_pair(unsafe { array(seed) });
                unsafe {
                    *public.cast() = *pair.pk();
                    *private.cast() = *pair.sk();
                }
                0
            },
            $encapsulate: |ciphertext, secret, public, random| {
                let key = unsafe { array(public) }.into();
                // The library leaves this check to its caller [FIPS203, 7.2].
                if !libcrux_ml_kem::$set::validate_public_key(&key) {
                    return 1;
                }
                let random = unsafe { array(random) };
                let (made, shared) = libcrux_ml_kem::$set::encapsulate(&key, random);
                unsafe {
                    *ciphertext.cast() = *made.as_slice();
                    *secret.cast() = shared;
                }
                0
            },
            $decapsulate: |secret, private, ciphertext| {
                let (key, sealed) = unsafe { (array(private).into(), array(ciphertext).into()) };
                unsafe { *secret.cast() = libcrux_ml_kem::$set::decapsulate(&key, &sealed) };
                0
            },
        );
    };
}

kem!(
    mlkem512,
    libcrux_512_keygen,
    libcrux_512_encapsulate,
    libcrux_512_decapsulate
);
kem!(
    mlkem768,
    libcrux_768_keygen,
    libcrux_768_encapsulate,
    libcrux_768_decapsulate
);
kem!(
    mlkem1024,
    libcrux_1024_keygen,
    libcrux_1024_encapsulate,
    libcrux_1024_decapsulate
);

/// Exports the functions of a parameter set of ML-DSA.
macro_rules! dsa {
    ($set:ident, $public:ident, $private:ident, $signature:ident, $size:literal, $keygen:ident, $sign:ident, $verify:ident) => {
        export_signature!(
            $keygen: |public, private, seed| {
                let pair = libcrux_ml_dsa::$set::generate_key_pair(unsafe { array(seed) });
                unsafe {
                    *public.cast() = *pair.verification_key.as_ref();
                    *private.cast() = *pair.signing_key.as_ref();
                }
                0
            },
            $sign: |signature, message, private, random| {
                let [message, context] = unsafe { (*message).parts() };
                let key = libcrux_ml_dsa::$set::$private::new(unsafe { array(private) });
                let random = unsafe { array(random) };
                let Ok(made) = libcrux_ml_dsa::$set::sign(&key, message, context, random) else {
                    return 1;
                };
                unsafe { *signature.cast() = *made.as_ref() };
                0
            },
            $verify: |signature, size, message, public| {
                if size != $size {
                    return 1;
                }
                let [message, context] = unsafe { (*message).parts() };
                let key = libcrux_ml_dsa::$set::$public::new(unsafe { array(public) });
                let made = libcrux_ml_dsa::$set::$signature::new(unsafe { array(signature) });
                i32::from(libcrux_ml_dsa::$set::verify(&key, message, context, &made).is_err())
            },
        );
    };
}

dsa!(
    ml_dsa_44,
    MLDSA44VerificationKey,
    MLDSA44SigningKey,
    MLDSA44Signature,
    2420,
    libcrux_44_keygen,
    libcrux_44_sign,
    libcrux_44_verify
);
dsa!(
    ml_dsa_65,
    MLDSA65VerificationKey,
    MLDSA65SigningKey,
    MLDSA65Signature,
    3309,
    libcrux_65_keygen,
    libcrux_65_sign,
    libcrux_65_verify
);
dsa!(
    ml_dsa_87,
    MLDSA87VerificationKey,
    MLDSA87SigningKey,
    MLDSA87Signature,
    4627,
    libcrux_87_keygen,
    libcrux_87_sign,
    libcrux_87_verify
);
