//! Ctrl-C: asks everything that runs to stop soon.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::report::{Failure, exit};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Returned by [`check`] after Ctrl-C.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("interrupted")]
pub struct Interrupted;

impl Failure for Interrupted {
    fn exit_code(&self) -> u8 {
        exit::INTERRUPTED
    }
}

/// Asks everything that runs to stop soon. What is done stays done.
pub fn interrupt() {
    INTERRUPTED.store(true, Ordering::Relaxed);
}

/// Whether [`interrupt`] was called.
pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// `Err` once [`interrupt`] was called.
///
/// # Errors
/// [`Interrupted`].
pub fn check() -> Result<(), Interrupted> {
    if is_interrupted() {
        Err(Interrupted)
    } else {
        Ok(())
    }
}
