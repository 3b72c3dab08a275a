//! Ctrl-C: asks all running work to stop soon.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use crate::report::{Failure, exit};

static INTERRUPTED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Returned by [`check`] after Ctrl-C.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("interrupted")]
pub struct Interrupted;

impl Failure for Interrupted {
    fn exit_code(&self) -> u8 {
        exit::INTERRUPTED
    }
}

/// The flag that Ctrl-C sets. It asks all running work to stop soon. Finished work is kept.
pub fn flag() -> Arc<AtomicBool> {
    Arc::clone(&INTERRUPTED)
}

/// Whether the [`flag`] is set.
pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// `Err` if the [`flag`] is set.
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
