//! ML-DSA, by the functions that are given their random bytes: messages get their prefix here
//! [FIPS204, algorithm 2].

use ml_dsa::{
    EncodedVerifyingKey, ExpandedSigningKey, ExpandedSigningKeyBytes, MlDsa44, MlDsa65, MlDsa87,
    MlDsaParams, Signature, VerifyingKey,
};

use crate::{Message, array, bytes, space};

/// Writes to memory of C.
///
/// # Safety
/// `to` is valid for the bytes.
unsafe fn give(to: *mut u8, from: &[u8]) {
    // SAFETY: the caller's.
    unsafe { space(to, from.len()) }.copy_from_slice(from);
}

// The crate discourages expanded private keys, which the lab's vectors have.
#[allow(deprecated)]
unsafe fn keygen<P: MlDsaParams>(public: *mut u8, private: *mut u8, seed: *const u8) -> i32 {
    let key = ExpandedSigningKey::<P>::from_seed(&unsafe { array::<32>(seed) }.into());
    unsafe {
        give(public, &key.verifying_key().encode());
        give(private, &key.to_expanded());
    }
    0
}

#[allow(deprecated)]
unsafe fn sign<P: MlDsaParams>(
    signature: *mut u8,
    message: *const Message,
    private: *const u8,
    random: *const u8,
) -> i32 {
    let [message, context] = unsafe { (*message).parts() };
    let size = ExpandedSigningKeyBytes::<P>::default().len();
    let encoded = ExpandedSigningKeyBytes::<P>::try_from(unsafe { bytes(private, size) });
    let (Ok(encoded), Ok(length)) = (encoded, u8::try_from(context.len())) else {
        return 1;
    };
    let random = unsafe { array::<32>(random) }.into();
    let parts = [&[0, length][..], context, message];
    let made = ExpandedSigningKey::<P>::from_expanded(&encoded).sign_internal(&parts, &random);
    unsafe { give(signature, &made.encode()) };
    0
}

unsafe fn verify<P: MlDsaParams>(
    signature: *const u8,
    size: usize,
    message: *const Message,
    public: *const u8,
) -> i32 {
    let [message, context] = unsafe { (*message).parts() };
    let key_size = EncodedVerifyingKey::<P>::default().len();
    let key = EncodedVerifyingKey::<P>::try_from(unsafe { bytes(public, key_size) });
    let given = Signature::<P>::try_from(unsafe { bytes(signature, size) });
    let (Ok(key), Ok(given)) = (key, given) else {
        return 1;
    };
    let valid = VerifyingKey::<P>::decode(&key).verify_with_context(message, context, &given);
    i32::from(!valid)
}

/// Exports the functions of a parameter set.
macro_rules! set {
    ($set:ident, $keygen:ident, $sign:ident, $verify:ident) => {
        export_signature!(
            $keygen: keygen::<$set>,
            $sign: sign::<$set>,
            $verify: verify::<$set>,
        );
    };
}

set!(MlDsa44, rc_dsa_44_keygen, rc_dsa_44_sign, rc_dsa_44_verify);
set!(MlDsa65, rc_dsa_65_keygen, rc_dsa_65_sign, rc_dsa_65_verify);
set!(MlDsa87, rc_dsa_87_keygen, rc_dsa_87_sign, rc_dsa_87_verify);
