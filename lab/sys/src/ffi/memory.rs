//! Wiping and comparing memory.

use super::declarations::{selo_equal, selo_wipe};

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
