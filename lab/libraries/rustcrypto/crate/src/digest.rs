//! Hashes, HMAC and HKDF.

use ascon_hash::AsconHash256;
use blake2::Blake2s256;
use hkdf::{Hkdf, SimpleHkdf};
use hmac::digest::{Digest, FixedOutput, Mac, Update};
use hmac::{Hmac, SimpleHmac};
use sha2::{Sha256, Sha512};
use sha3::{Sha3_256, Sha3_512};

use crate::{Slot, failed, input, output};

/// # Safety
/// `out` is valid for the digest.
unsafe fn finish<D: FixedOutput>(state: &Slot<D>, out: *mut u8) {
    if let Some(state) = state.take() {
        let out = unsafe { output(out, D::output_size() as u16) };
        state.finalize_into(out.into());
    }
}

macro_rules! hash {
    ($name:ident, $type:ty, $start:ident, $update:ident, $finish:ident) => {
        mod $name {
            use super::*;

            static STATE: Slot<$type> = Slot::new();

            #[unsafe(no_mangle)]
            extern "C" fn $start() {
                STATE.set(<$type as Digest>::new());
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn $update(data: *const u8, size: u16) {
                Update::update(STATE.get(), unsafe { input(data, size) });
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn $finish(out: *mut u8) {
                unsafe { finish(&STATE, out) }
            }
        }
    };
}

hash!(
    sha256,
    Sha256,
    rc_sha256_start,
    rc_sha256_update,
    rc_sha256_finish
);
hash!(
    sha512,
    Sha512,
    rc_sha512_start,
    rc_sha512_update,
    rc_sha512_finish
);
hash!(
    sha3_256,
    Sha3_256,
    rc_sha3_256_start,
    rc_sha3_256_update,
    rc_sha3_256_finish
);
hash!(
    sha3_512,
    Sha3_512,
    rc_sha3_512_start,
    rc_sha3_512_update,
    rc_sha3_512_finish
);
hash!(
    blake2s,
    Blake2s256,
    rc_blake2s_start,
    rc_blake2s_update,
    rc_blake2s_finish
);
hash!(
    ascon_hash256,
    AsconHash256,
    rc_ascon_hash256_start,
    rc_ascon_hash256_update,
    rc_ascon_hash256_finish
);

macro_rules! mac {
    ($name:ident, $type:ty, $start:ident, $update:ident, $finish:ident) => {
        mod $name {
            use super::*;

            static STATE: Slot<$type> = Slot::new();

            #[unsafe(no_mangle)]
            unsafe extern "C" fn $start(key: *const u8, size: u16) {
                if let Ok(state) = <$type as Mac>::new_from_slice(unsafe { input(key, size) }) {
                    STATE.set(state);
                }
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn $update(data: *const u8, size: u16) {
                Update::update(STATE.get(), unsafe { input(data, size) });
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn $finish(out: *mut u8) {
                unsafe { finish(&STATE, out) }
            }
        }
    };
}

mac!(
    hmac_sha256,
    Hmac<Sha256>,
    rc_hmac_sha256_start,
    rc_hmac_sha256_update,
    rc_hmac_sha256_finish
);
mac!(
    hmac_sha512,
    Hmac<Sha512>,
    rc_hmac_sha512_start,
    rc_hmac_sha512_update,
    rc_hmac_sha512_finish
);
mac!(
    hmac_sha3_256,
    Hmac<Sha3_256>,
    rc_hmac_sha3_256_start,
    rc_hmac_sha3_256_update,
    rc_hmac_sha3_256_finish
);
mac!(
    hmac_sha3_512,
    Hmac<Sha3_512>,
    rc_hmac_sha3_512_start,
    rc_hmac_sha3_512_update,
    rc_hmac_sha3_512_finish
);
mac!(
    hmac_blake2s,
    SimpleHmac<Blake2s256>,
    rc_hmac_blake2s_start,
    rc_hmac_blake2s_update,
    rc_hmac_blake2s_finish
);

/// A field of the agent: data and size.
#[repr(C)]
pub struct Field {
    data: *const u8,
    size: u16,
}

macro_rules! kdf {
    ($type:ty, $derive:ident) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $derive(
            out: *mut u8,
            size: u16,
            salt: Field,
            key: Field,
            info: Field,
        ) -> i32 {
            let of = |field: Field| unsafe { input(field.data, field.size) };
            let (key, salt, info) = (of(key), of(salt), of(info));
            failed(<$type>::new(Some(salt), key).expand(info, unsafe { output(out, size) }))
        }
    };
}

kdf!(Hkdf<Sha256>, rc_hkdf_sha256_derive);
kdf!(Hkdf<Sha3_256>, rc_hkdf_sha3_256_derive);
kdf!(SimpleHkdf<Blake2s256>, rc_hkdf_blake2s_derive);
