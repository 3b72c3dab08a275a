//! Functions for C over the crates of RustCrypto. Keys and states stand in this library, one of
//! each kind: the lab's glue has one at a time, and what is not called is not linked.
//!
//! Every pointer that C hands over is valid for the size that stands beside it, or that the
//! algorithm has; inputs and outputs do not overlap. The lab's images have one thread that calls.
#![no_std]

extern crate alloc;

#[macro_use]
#[path = "../../../common/rust/kem.rs"]
mod kem_functions;
#[macro_use]
#[path = "../../../common/rust/signature.rs"]
mod signature_functions;

mod cipher;
mod curve;
mod digest;
mod dsa;
mod host;
mod kem;
#[path = "../../../common/rust/message.rs"]
mod message;
mod rsa;
mod slh;

use core::cell::UnsafeCell;
use core::slice;

use message::{Message, bytes};

/// A key or a state between two calls.
struct Slot<T>(UnsafeCell<Option<T>>);

// SAFETY: one thread calls.
unsafe impl<T> Sync for Slot<T> {}

impl<T> Slot<T> {
    const fn new() -> Self {
        Slot(UnsafeCell::new(None))
    }

    fn set(&self, value: T) {
        // SAFETY: one thread calls, and no reference outlives a call.
        unsafe { *self.0.get() = Some(value) }
    }

    fn take(&self) -> Option<T> {
        // SAFETY: as above.
        unsafe { (*self.0.get()).take() }
    }

    /// The value that a call before has set.
    #[allow(clippy::mut_from_ref)]
    fn get(&self) -> &mut T {
        // SAFETY: as above; each function takes one reference.
        match unsafe { &mut *self.0.get() } {
            Some(value) => value,
            None => host::stop(),
        }
    }
}

/// What C handed over to be read. A null pointer has no bytes.
///
/// # Safety
/// `data` is valid for `size` bytes.
unsafe fn input<'a>(data: *const u8, size: u16) -> &'a [u8] {
    // SAFETY: the caller's.
    unsafe { bytes(data, size.into()) }
}

/// What C handed over to be written.
///
/// # Safety
/// `data` is valid for `size` bytes.
unsafe fn output<'a>(data: *mut u8, size: u16) -> &'a mut [u8] {
    if size == 0 {
        return &mut [];
    }
    // SAFETY: the caller's.
    unsafe { slice::from_raw_parts_mut(data, size.into()) }
}

/// The same as [`output`], for what is larger.
///
/// # Safety
/// `data` is valid for `size` bytes.
unsafe fn space<'a>(data: *mut u8, size: usize) -> &'a mut [u8] {
    // SAFETY: the caller's; sizes here are never 0.
    unsafe { slice::from_raw_parts_mut(data, size) }
}

/// 32 bytes, as secrets and most public keys have.
///
/// # Safety
/// `data` is valid for them.
unsafe fn array<const N: usize>(data: *const u8) -> [u8; N] {
    // SAFETY: the caller's; bytes have no alignment.
    unsafe { *data.cast::<[u8; N]>() }
}

/// 0, or 1 for what went wrong.
fn failed<T, E>(result: Result<T, E>) -> i32 {
    result.is_err().into()
}
