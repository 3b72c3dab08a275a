//! Bytes and messages that C hands to a library in Rust. A crate takes this file as a module, by its
//! path.

use core::slice;

/// A message to be signed, and its context: `struct glue_message` in C.
#[repr(C)]
pub(crate) struct Message {
    bytes: *const u8,
    size: usize,
    context: *const u8,
    context_size: usize,
}

impl Message {
    /// Message and context.
    ///
    /// # Safety
    /// The pointers are valid for the sizes beside them.
    pub(crate) unsafe fn parts<'a>(&self) -> [&'a [u8]; 2] {
        // SAFETY: the caller's.
        unsafe {
            [
                bytes(self.bytes, self.size),
                bytes(self.context, self.context_size),
            ]
        }
    }
}

/// What C handed over to be read. A null pointer has no bytes.
///
/// # Safety
/// `data` is valid for `size` bytes.
pub(crate) unsafe fn bytes<'a>(data: *const u8, size: usize) -> &'a [u8] {
    if size == 0 {
        return &[];
    }
    // SAFETY: the caller's.
    unsafe { slice::from_raw_parts(data, size) }
}
