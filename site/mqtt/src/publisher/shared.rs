//! State that the thread and `deliver` share: commands to the thread, its progress to `deliver`.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use selo_gateway::reading::Reading;

#[derive(Debug)]
pub enum Command {
    Batch(u64, Vec<Reading>),
    Stop,
}

/// State that the thread reports to `deliver`.
#[derive(Debug, Default)]
pub struct Shared {
    pub progress: Mutex<Progress>,
    pub changed: Condvar,
}

#[derive(Debug, Default)]
pub struct Progress {
    /// Number of the last fully confirmed batch.
    pub done: u64,
    /// Unconfirmed readings of the current batch.
    pub left: usize,
    /// Reason why the broker is unreachable.
    pub away: Option<String>,
    pub connected: bool,
    pub ended: bool,
}

impl Shared {
    pub fn lock(&self) -> MutexGuard<'_, Progress> {
        // A thread that panicked with the lock held has changed at most one field.
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn change(&self, change: impl FnOnce(&mut Progress)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }
}

/// Records on drop that the thread has ended, for whatever reason.
pub struct Ended(pub Arc<Shared>);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.change(|progress| progress.ended = true);
    }
}
