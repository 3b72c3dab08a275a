//! Ctrl-C: asks all running work to stop soon.

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

/// Asks all running work to stop soon. Finished work is kept.
pub fn interrupt() {
    INTERRUPTED.store(true, Ordering::Relaxed);
}

/// Whether [`interrupt`] was called.
pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// `Err` after [`interrupt`] was called.
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
