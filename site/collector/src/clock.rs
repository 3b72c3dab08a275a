//! The time, Unix milliseconds: the system's, or a test's.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

#[derive(Debug, Clone, Default)]
pub enum Clock {
    #[default]
    System,
    /// What a test sets.
    Manual(Arc<AtomicI64>),
}

impl Clock {
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
