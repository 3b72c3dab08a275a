//! ML-KEM.

use ::kem::Decapsulate;
use ml_kem::{
    Ciphertext, EncapsulateDeterministic, Encoded, EncodedSizeUser, KemCore, MlKem512, MlKem768,
    MlKem1024,
};

use crate::{array, bytes, space};

/// Writes to memory of C.
///
/// # Safety
/// `to` is valid for the bytes.
unsafe fn give(to: *mut u8, from: &[u8]) {
    // SAFETY: the caller's.
    unsafe { space(to, from.len()) }.copy_from_slice(from);
}

/// A key that C handed over, in its encoded form.
///
/// # Safety
/// `data` is valid for it.
unsafe fn key<T: EncodedSizeUser>(data: *const u8) -> Option<T> {
    let size = Encoded::<T>::default().len();
    // SAFETY: the caller's.
    let encoded = Encoded::<T>::try_from(unsafe { bytes(data, size) });
    Some(T::from_bytes(&encoded.ok()?))
}

unsafe fn keygen<K: KemCore>(public: *mut u8, private: *mut u8, seed: *const u8) -> i32 {
    let [d, z] = [0, 32].map(|place| unsafe { array::<32>(seed.add(place)) });
    let (own, shared) = K::generate_deterministic(&d.into(), &z.into());
    unsafe {
        give(public, &shared.as_bytes());
        give(private, &own.as_bytes());
    }
    0
}

unsafe fn encapsulate<K: KemCore>(
    ciphertext: *mut u8,
    secret: *mut u8,
    public: *const u8,
    random: *const u8,
) -> i32 {
    let random = unsafe { array::<32>(random) }.into();
    let key = unsafe { key::<K::EncapsulationKey>(public) };
    let Some(Ok((made, shared))) = key.map(|key| key.encapsulate_deterministic(&random)) else {
        return 1;
    };
    unsafe {
        give(ciphertext, &made);
        give(secret, &shared);
    }
    0
}

unsafe fn decapsulate<K: KemCore>(
    secret: *mut u8,
    private: *const u8,
    ciphertext: *const u8,
) -> i32 {
    let size = Ciphertext::<K>::default().len();
    let sealed = Ciphertext::<K>::try_from(unsafe { bytes(ciphertext, size) });
    let key = unsafe { key::<K::DecapsulationKey>(private) };
    let (Some(key), Ok(sealed)) = (key, sealed) else {
        return 1;
    };
    let Ok(shared) = key.decapsulate(&sealed) else {
        return 1;
    };
    unsafe { give(secret, &shared) };
    0
}

/// Exports the functions of a parameter set.
macro_rules! set {
    ($set:ident, $keygen:ident, $encapsulate:ident, $decapsulate:ident) => {
        export_kem!(
            $keygen: keygen::<$set>,
            $encapsulate: encapsulate::<$set>,
            $decapsulate: decapsulate::<$set>,
        );
    };
}

set!(
    MlKem512,
    rc_kem_512_keygen,
    rc_kem_512_encapsulate,
    rc_kem_512_decapsulate
);
set!(
    MlKem768,
    rc_kem_768_keygen,
    rc_kem_768_encapsulate,
    rc_kem_768_decapsulate
);
set!(
    MlKem1024,
    rc_kem_1024_keygen,
    rc_kem_1024_encapsulate,
    rc_kem_1024_decapsulate
);
