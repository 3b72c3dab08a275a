//! HKDF [RFC5869]: extract and expand in one call. PBKDF2 [RFC8018].

use super::declarations as c;
use crate::{Error, status};

macro_rules! hkdfs {
    ($($(#[$attribute:meta])* $name:ident, $function:ident;)+) => {$(
        $(#[$attribute])*
        ///
        /// Fills `out` with a key derived from input keying material, a salt (may be empty) and
        /// `info`. More than 8,160 bytes give [`Error::Argument`] and a zeroed `out`.
        pub fn $name(out: &mut [u8], salt: &[u8], ikm: &[u8], info: &[u8]) -> Result<(), Error> {
            // SAFETY: the slices cover their bytes. `out` is borrowed mutably, so the others do not
            // overlap it.
            status(unsafe {
                c::$function(
                    out.as_mut_ptr(),
                    out.len(),
                    salt.as_ptr(),
                    salt.len(),
                    ikm.as_ptr(),
                    ikm.len(),
                    info.as_ptr(),
                    info.len(),
                )
            })
        }
    )+};
}

hkdfs! {
    /// HKDF over HMAC-SHA-256.
    hkdf_sha256, selo_hkdf_sha256;
    /// HKDF over HMAC-SHA3-256.
    hkdf_sha3_256, selo_hkdf_sha3_256;
    /// HKDF over HMAC-BLAKE2s.
    hkdf_blake2s, selo_hkdf_blake2s;
    /// HKDF over the library's HMAC of Ascon-Hash256.
    hkdf_ascon_hash256, selo_hkdf_ascon_hash256;
}

/// Fills `out` with a key derived from a password by PBKDF2-HMAC-SHA-256. No iterations give
/// [`Error::Argument`] and a zeroed `out`.
pub fn pbkdf2_sha256(
    out: &mut [u8],
    password: &[u8],
    salt: &[u8],
    iterations: u32,
) -> Result<(), Error> {
    // SAFETY: the slices cover their bytes. `out` is borrowed mutably, so the others do not overlap it.
    status(unsafe {
        c::selo_pbkdf2_sha256(
            out.as_mut_ptr(),
            out.len(),
            password.as_ptr(),
            password.len(),
            salt.as_ptr(),
            salt.len(),
            iterations,
        )
    })
}
