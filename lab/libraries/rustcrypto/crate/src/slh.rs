//! SLH-DSA.

use slh_dsa::{Signature, SigningKey, VerifyingKey};

use crate::{Message, bytes, failed, space};

/// Exports the functions of a parameter set.
macro_rules! set {
    ($set:ident, $keygen:ident, $sign:ident, $verify:ident, $size:literal) => {
        export_signature!(
            $keygen: |public, private, seed| {
                let seed = unsafe { bytes(seed, 48) };
                let key = SigningKey::<slh_dsa::$set>::slh_keygen_internal(
                    &seed[..16],
                    &seed[16..32],
                    &seed[32..],
                );
                let made = key.to_bytes();
                unsafe { space(private, 64) }.copy_from_slice(&made);
                unsafe { space(public, 32) }.copy_from_slice(&made[32..]);
                0
            },
            $sign: |signature, message, private, random| {
                let [message, context] = unsafe { (*message).parts() };
                let random = unsafe { bytes(random, 16) };
                let key = SigningKey::<slh_dsa::$set>::try_from(unsafe { bytes(private, 64) });
                let made =
                    key.and_then(|key| key.try_sign_with_context(message, context, Some(random)));
                let out = unsafe { space(signature, $size) };
                failed(made.map(|made| out.copy_from_slice(&made.to_bytes())))
            },
            $verify: |signature, size, message, public| {
                let [message, context] = unsafe { (*message).parts() };
                let signature = Signature::<slh_dsa::$set>::try_from(unsafe { bytes(signature, size) });
                let key = VerifyingKey::<slh_dsa::$set>::try_from(unsafe { bytes(public, 32) });
                let (Ok(signature), Ok(key)) = (signature, key) else {
                    return 1;
                };
                failed(key.try_verify_with_context(message, context, &signature))
            },
        );
    };
}

set!(
    Sha2_128s,
    rc_slh_sha2_128s_keygen,
    rc_slh_sha2_128s_sign,
    rc_slh_sha2_128s_verify,
    7856
);
set!(
    Sha2_128f,
    rc_slh_sha2_128f_keygen,
    rc_slh_sha2_128f_sign,
    rc_slh_sha2_128f_verify,
    17088
);
set!(
    Shake128s,
    rc_slh_shake_128s_keygen,
    rc_slh_shake_128s_sign,
    rc_slh_shake_128s_verify,
    7856
);
set!(
    Shake128f,
    rc_slh_shake_128f_keygen,
    rc_slh_shake_128f_sign,
    rc_slh_shake_128f_verify,
    17088
);
