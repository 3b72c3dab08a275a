//! Structs that C fills and wipes.

use std::mem::MaybeUninit;

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
