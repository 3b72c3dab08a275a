//! Wiping and comparing memory.

use std::mem::MaybeUninit;

use super::declarations::{selo_equal, selo_wipe};

/// A type for which any bytes are a valid value, so C may fill and wipe it.
///
/// # Safety
///
/// Any bytes, also all zeros, must be a valid value, and the type must own nothing else.
pub(super) unsafe trait Plain: Sized {
    fn zeroed() -> Self {
        // SAFETY: all-zero bytes are a valid value of a Plain type.
        unsafe { MaybeUninit::zeroed().assume_init() }
    }
}

// SAFETY: bytes.
unsafe impl<const N: usize> Plain for [u8; N] {}

/// Overwrites a value with zeros; the compiler cannot remove the write.
pub(super) fn wipe_struct<T: Plain>(value: &mut T) {
    // SAFETY: the reference covers size_of::<T>() writable bytes, and zeros are a value.
    unsafe { selo_wipe((&raw mut *value).cast(), size_of::<T>()) }
}

/// Overwrites bytes with zeros; the compiler cannot remove the write.
pub fn wipe(bytes: &mut [u8]) {
    // SAFETY: the slice covers as many writable bytes.
    unsafe { selo_wipe(bytes.as_mut_ptr().cast(), bytes.len()) }
}

/// Returns true if two secrets are equal. The time depends on their lengths only.
#[must_use]
pub fn equal(a: &[u8], b: &[u8]) -> bool {
    // SAFETY: both slices cover a.len() readable bytes.
    a.len() == b.len() && unsafe { selo_equal(a.as_ptr().cast(), b.as_ptr().cast(), a.len()) } == 1
}
