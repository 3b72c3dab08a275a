//! Modes of operation over any encrypting or decrypting key.

use std::ffi::c_void;
use std::slice;

use super::block::{Block, Decrypt, Encrypt};
use super::declarations::{Status, selo_cbc_decrypt, selo_cbc_encrypt, selo_ctr, selo_ecb_encrypt};
use crate::{Error, status};

/// Encrypts every block separately. A size that is not a multiple of 16 gives
/// [`Error::Argument`] and zeroes `out`.
///
/// # Panics
///
/// If `out` and `data` differ in length. This holds for every function here that takes both.
pub fn ecb_encrypt(key: &dyn Encrypt, out: &mut [u8], data: &[u8]) -> Result<(), Error> {
    ecb(key.encryption().0, out, data)
}

/// [`ecb_encrypt`] in place.
pub fn ecb_encrypt_in_place(key: &dyn Encrypt, data: &mut [u8]) -> Result<(), Error> {
    ecb_in_place(key.encryption().0, data)
}

/// Reverse of [`ecb_encrypt`].
///
/// # Panics
///
/// If `out` and `data` differ in length.
pub fn ecb_decrypt(key: &dyn Decrypt, out: &mut [u8], data: &[u8]) -> Result<(), Error> {
    ecb(key.decryption().0, out, data)
}

/// [`ecb_decrypt`] in place.
pub fn ecb_decrypt_in_place(key: &dyn Decrypt, data: &mut [u8]) -> Result<(), Error> {
    ecb_in_place(key.decryption().0, data)
}

/// Both directions: applies the block function to each block, as `selo_ecb_decrypt` in the
/// header does.
fn ecb(block: Block<'_>, out: &mut [u8], data: &[u8]) -> Result<(), Error> {
    assert_eq!(out.len(), data.len(), "ECB keeps the length");
    // SAFETY: out and data cover data.len() bytes each; a Block holds a function and its key.
    status(unsafe { selo_ecb_encrypt(block.cipher(), out.as_mut_ptr(), data.as_ptr(), data.len()) })
}

fn ecb_in_place(block: Block<'_>, data: &mut [u8]) -> Result<(), Error> {
    let start = data.as_mut_ptr();
    // SAFETY: as above; out == in is allowed.
    status(unsafe { selo_ecb_encrypt(block.cipher(), start, start, data.len()) })
}

/// Output size of [`cbc_encrypt`] in bytes for a message of `size` bytes: IV, message, padding.
///
/// # Panics
///
/// If the result does not fit a `usize`.
#[must_use]
pub const fn cbc_size(size: usize) -> usize {
    assert!(size <= usize::MAX - 32, "no buffer is that large");
    16 + (size / 16 + 1) * 16
}

/// Encrypts with PKCS#7 padding and an IV from `random`, which fills its slice or returns an
/// error. Writes [`cbc_size`] bytes and returns their number. Any error zeroes all of `out`.
///
/// A panic of `random` aborts the process, because it cannot unwind through C.
pub fn cbc_encrypt<R>(
    key: &dyn Encrypt,
    mut random: R,
    out: &mut [u8],
    message: &[u8],
) -> Result<usize, Error>
where
    R: FnMut(&mut [u8]) -> Result<(), Error>,
{
    /// # Safety
    ///
    /// `source` must point to an `R`, and `out` to `size` initialised bytes. Nothing else may use
    /// them during the call.
    unsafe extern "C" fn draw<R>(source: *mut c_void, out: *mut u8, size: usize) -> Status
    where
        R: FnMut(&mut [u8]) -> Result<(), Error>,
    {
        // SAFETY: the caller guarantees it, see above.
        let (random, out) = unsafe {
            (
                &mut *source.cast::<R>(),
                slice::from_raw_parts_mut(out, size),
            )
        };
        match random(out) {
            Ok(()) => 0,
            Err(_) => Error::Random.number(),
        }
    }

    let block = key.encryption().0;
    let mut size = 0;
    // SAFETY: the slices cover their bytes and, one being borrowed mutably, do not overlap;
    // `draw` gets `random` as its source and a part of `out`, whose bytes Rust has initialised.
    status(unsafe {
        selo_cbc_encrypt(
            block.cipher(),
            draw::<R>,
            (&raw mut random).cast(),
            out.as_mut_ptr(),
            out.len(),
            &raw mut size,
            message.as_ptr(),
            message.len(),
        )
    })
    .map(|()| size)
}

/// Reverse of [`cbc_encrypt`]: `sealed` is IV and ciphertext. `out` must have room for
/// `sealed.len() - 16` bytes. Returns the size of the message. Any error zeroes all of `out`.
///
/// Revealing an [`Error::Padding`] creates a padding oracle: authenticate first.
pub fn cbc_decrypt(key: &dyn Decrypt, out: &mut [u8], sealed: &[u8]) -> Result<usize, Error> {
    // SAFETY: the slices cover their bytes and do not overlap.
    unsafe {
        decrypt(
            key,
            out.as_mut_ptr(),
            out.len(),
            sealed.as_ptr(),
            sealed.len(),
        )
    }
}

/// [`cbc_decrypt`] over its input: the message is then at the start of `buffer`. Any error
/// zeroes all of it.
pub fn cbc_decrypt_in_place(key: &dyn Decrypt, buffer: &mut [u8]) -> Result<usize, Error> {
    let start = buffer.as_mut_ptr();
    // SAFETY: out == in is allowed, and both cover the buffer.
    unsafe { decrypt(key, start, buffer.len(), start, buffer.len()) }
}

/// [`cbc_decrypt`] over the ciphertext: the message is then behind the IV, from byte 16 of
/// `buffer`. Any error zeroes everything from there.
pub fn cbc_decrypt_behind_iv(key: &dyn Decrypt, buffer: &mut [u8]) -> Result<usize, Error> {
    let size = buffer.len();
    let start = buffer.as_mut_ptr();
    // SAFETY: the header allows out == in + 16. A buffer without an IV gives no room; the
    // pointer is then its end, and no byte is accessed.
    unsafe {
        decrypt(
            key,
            start.add(size.min(16)),
            size.saturating_sub(16),
            start,
            size,
        )
    }
}

/// # Safety
///
/// `out` must cover `capacity` writable bytes and `sealed` `sealed_size` readable ones. They
/// must not overlap, unless `out` is `sealed` or 16 bytes behind it.
unsafe fn decrypt(
    key: &dyn Decrypt,
    out: *mut u8,
    capacity: usize,
    sealed: *const u8,
    sealed_size: usize,
) -> Result<usize, Error> {
    let block = key.decryption().0;
    let mut size = 0;
    // SAFETY: the caller guarantees it, see above; a Block holds a function and its key.
    status(unsafe {
        selo_cbc_decrypt(
            block.inverse(),
            out,
            capacity,
            &raw mut size,
            sealed,
            sealed_size,
        )
    })
    .map(|()| size)
}

/// Encrypts or decrypts, and advances the big-endian `counter` by the number of blocks used.
///
/// # Panics
///
/// If `out` and `data` differ in length.
pub fn ctr(key: &dyn Encrypt, counter: &mut [u8; 16], out: &mut [u8], data: &[u8]) {
    assert_eq!(out.len(), data.len(), "CTR keeps the length");
    let block = key.encryption().0;
    // SAFETY: out and data cover data.len() bytes each.
    unsafe {
        selo_ctr(
            block.cipher(),
            counter,
            out.as_mut_ptr(),
            data.as_ptr(),
            data.len(),
        );
    }
}

/// [`ctr`] in place.
pub fn ctr_in_place(key: &dyn Encrypt, counter: &mut [u8; 16], data: &mut [u8]) {
    let block = key.encryption().0;
    let start = data.as_mut_ptr();
    // SAFETY: out == in is allowed.
    unsafe { selo_ctr(block.cipher(), counter, start, start, data.len()) }
}
