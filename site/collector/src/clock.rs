//! The time in Unix milliseconds, from the system or from a test.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Source of the time.
#[derive(Debug, Clone, Default)]
pub enum Clock {
    #[default]
    System,
    /// Set by a test.
    Manual(Arc<AtomicI64>),
}

impl Clock {
    /// The time in Unix milliseconds.
    pub fn now(&self) -> i64 {
        match self {
            Clock::System => SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .ok()
                .and_then(|since| i64::try_from(since.as_millis()).ok())
                .unwrap_or(0),
            Clock::Manual(now) => now.load(Ordering::SeqCst),
        }
    }
}
