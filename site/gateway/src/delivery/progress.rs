//! The positions of writing and delivery, which threads wait for.

use std::path::Path;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use crate::journal::{Position, segment};

#[derive(Debug, Default, Clone, Copy)]
pub(super) struct State {
    /// End of the last record that may be delivered.
    written: Position,
    /// The journal is complete: no more records follow.
    stopping: bool,
    /// End of the last record that was delivered.
    pub(super) delivered: Position,
    /// Delivery has ended for good.
    pub(super) ended: bool,
}

/// Progress shared by the keeper, the worker and the delivery thread.
#[derive(Debug)]
pub struct Progress {
    state: Mutex<State>,
    changed: Condvar,
}

impl Progress {
    pub(super) fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        // A panic while the lock was held can have changed at most one word.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `from`: end of what earlier runs delivered.
    pub fn new(from: Position) -> Progress {
        let state = State {
            delivered: from,
            ..State::default()
        };
        Progress {
            state: Mutex::new(state),
            changed: Condvar::new(),
        }
    }

    /// Allows delivery up to `position`. Never moves back.
    pub fn written(&self, position: Position) {
        let mut state = self.lock();
        state.written = state.written.max(position);
        drop(state);
        self.changed.notify_all();
    }

    /// Declares the journal complete: delivery delivers the rest and ends.
    pub fn stop(&self) {
        self.lock().stopping = true;
        self.changed.notify_all();
    }

    /// End of the last record that was delivered.
    pub fn delivered(&self) -> Position {
        self.lock().delivered
    }

    /// Bytes of the journal in this folder that are not delivered yet, also those of earlier runs.
    pub fn undelivered(&self, journal: &Path) -> u64 {
        let State {
            written, delivered, ..
        } = *self.lock();
        let length = |segment: u64| match segment {
            _ if segment == written.segment => written.offset,
            // Removed segments are delivered.
            _ => std::fs::metadata(segment::path(journal, segment)).map_or(0, |file| file.len()),
        };
        let all: u64 = (delivered.segment..=written.segment).map(length).sum();
        all.saturating_sub(delivered.offset)
    }

    /// True if delivery has ended for good.
    pub fn ended(&self) -> bool {
        self.lock().ended
    }

    /// Waits for records after `position` and returns the end of them. Returns `None` when
    /// delivery should end.
    pub(super) fn wait(&self, position: Position) -> Option<Position> {
        let mut state = self.lock();
        loop {
            if state.written > position {
                return Some(state.written);
            }
            if state.stopping {
                return None;
            }
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits up to `time`. Returns true if the gateway is stopping.
    pub(super) fn pause(&self, time: Duration) -> bool {
        let state = self.lock();
        let waited = self
            .changed
            .wait_timeout_while(state, time, |state| !state.stopping)
            .unwrap_or_else(PoisonError::into_inner);
        waited.0.stopping
    }
}
