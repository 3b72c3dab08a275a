//! Fatal errors of the gateway's threads.

use std::sync::{Arc, Mutex, PoisonError, RwLock, mpsc};

use tracing::error;

use crate::worker::Remote;

/// Collects fatal errors of the threads and stops the gateway.
pub(super) struct Fail {
    pub(super) first: Mutex<Option<String>>,
    remote: RwLock<Option<Remote>>,
    tell: Mutex<mpsc::Sender<String>>,
}

impl Fail {
    /// Returns the collector, and the receiver of the first reason.
    pub(super) fn new() -> (Arc<Fail>, mpsc::Receiver<String>) {
        let (tell, failures) = mpsc::channel();
        let fail = Fail {
            first: Mutex::new(None),
            remote: RwLock::new(None),
            tell: Mutex::new(tell),
        };
        (Arc::new(fail), failures)
    }

    /// From now on, a failure stops this gateway.
    pub(super) fn watch(&self, remote: &Remote) {
        let mut watched = self.remote.write().unwrap_or_else(PoisonError::into_inner);
        *watched = Some(remote.clone());
    }

    pub(super) fn fail(&self, reason: String) {
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        if first.is_none() {
            error!(%reason, "the gateway stops");
            *first = Some(reason.clone());
        }
        drop(first);
        let remote = self.remote.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(remote) = &*remote {
            remote.stop();
        }
        let tell = self.tell.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = tell.send(reason);
    }
}

impl std::fmt::Debug for Fail {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Fail")
    }
}
