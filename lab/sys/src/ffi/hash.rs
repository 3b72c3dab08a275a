//! Hashes: start, update any number of times, finish.

use super::declarations::{
    AsconHash256, Blake2s, Sha3, Sha256, Sha384, Sha512, Shake, selo_ascon_hash256_finish,
    selo_ascon_hash256_start, selo_ascon_hash256_update, selo_blake2s_finish, selo_blake2s_start,
    selo_blake2s_update, selo_sha3_256_start, selo_sha3_512_start, selo_sha3_finish,
    selo_sha3_update, selo_sha256_finish, selo_sha256_start, selo_sha256_update,
    selo_sha384_finish, selo_sha384_start, selo_sha384_update, selo_sha512_finish,
    selo_sha512_start, selo_sha512_update, selo_shake_read, selo_shake_update, selo_shake128_start,
    selo_shake256_start,
};
use super::plain::Plain;

/// SHA3-256 [FIPS202]; wiped when dropped.
#[derive(Debug)]
pub struct Sha3_256(Sha3);

/// SHA3-512 [FIPS202]; wiped when dropped.
#[derive(Debug)]
pub struct Sha3_512(Sha3);

/// `$state` is the expression for the C struct inside `$self`.
macro_rules! hashes {
    ($($name:ident, $digest:literal, $start:ident, $update:ident, $finish:ident,
        |$self:ident| $state:expr, |$new:ident| $wrap:expr;)+) => {$(
        impl $name {
            /// Starts a hash. A message may have up to 2^32 - 1 bytes.
            #[must_use]
            pub fn new() -> Self {
                let mut $new = Plain::zeroed();
                $start(&mut $new);
                $wrap
            }

            /// Adds bytes to the message.
            pub fn update(&mut self, data: &[u8]) {
                let $self = self;
                // SAFETY: the state was started by new() and is used up by finish(); the
                // slice covers its bytes.
                unsafe { $update(&raw mut $state, data.as_ptr().cast(), data.len()) }
            }

            /// Returns the digest of the message.
            #[must_use]
            pub fn finish(mut self) -> [u8; $digest] {
                let mut digest = [0; $digest];
                let $self = &mut self;
                // SAFETY: as above, and digest has the size of this hash.
                unsafe { $finish(&raw mut $state, (&raw mut digest).cast()) };
                digest
            }

            /// Returns the digest of `message` in one call.
            #[must_use]
            pub fn digest(message: &[u8]) -> [u8; $digest] {
                let mut hash = Self::new();
                hash.update(message);
                hash.finish()
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::new()
            }
        }
    )+};
}

hashes! {
    Sha256, 32, selo_sha256_start, selo_sha256_update, selo_sha256_finish, |it| *it, |new| new;
    Sha512, 64, selo_sha512_start, selo_sha512_update, selo_sha512_finish, |it| *it, |new| new;
    Sha384, 48, selo_sha384_start, selo_sha384_update, selo_sha384_finish, |it| *it, |new| new;
    Sha3_256, 32, selo_sha3_256_start, selo_sha3_update, selo_sha3_finish, |it| it.0, |new| Self(new);
    Sha3_512, 64, selo_sha3_512_start, selo_sha3_update, selo_sha3_finish, |it| it.0, |new| Self(new);
    Blake2s, 32, selo_blake2s_start, selo_blake2s_update, selo_blake2s_finish, |it| *it, |new| new;
    AsconHash256, 32, selo_ascon_hash256_start, selo_ascon_hash256_update, selo_ascon_hash256_finish,
        |it| *it, |new| new;
}

/// Fills `out` with SHAKE128 of `message` [FIPS202].
pub fn shake128(message: &[u8], out: &mut [u8]) {
    shake(selo_shake128_start, message, out);
}

/// Fills `out` with SHAKE256 of `message` [FIPS202].
pub fn shake256(message: &[u8], out: &mut [u8]) {
    shake(selo_shake256_start, message, out);
}

fn shake(start: extern "C" fn(&mut Shake), message: &[u8], out: &mut [u8]) {
    let mut xof = Shake::zeroed();
    start(&mut xof);
    // SAFETY: the state was started; the slices cover their bytes. Both calls are in turn, so they
    // cannot fail.
    unsafe {
        selo_shake_update(&raw mut xof, message.as_ptr().cast(), message.len());
        selo_shake_read(&raw mut xof, out.as_mut_ptr(), out.len());
    }
}
