//! Work that waits for a disk or another process. It runs on separate threads, with a bounded
//! number at a time. The caller gets an error after a deadline, so no request waits forever and
//! no serving thread blocks.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::error::{Error, Result};

/// A group of threads for one kind of work.
#[derive(Debug, Clone)]
pub struct Pool {
    /// Name of the resource that the work waits for, used in error messages.
    what: &'static str,
    places: Arc<Semaphore>,
    deadline: Duration,
}

impl Pool {
    /// Runs up to `at_once` jobs at a time, each with this deadline.
    pub fn new(what: &'static str, at_once: usize, deadline: Duration) -> Pool {
        Pool {
            what,
            places: Arc::new(Semaphore::new(at_once)),
            deadline,
        }
    }

    fn busy(&self) -> Error {
        Error::Busy {
            what: self.what.into(),
        }
    }

    /// Runs `work`. Returns [`Error::Busy`] if the pool is full or the deadline passes. A job
    /// that hangs keeps its slot until it ends.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T> {
        let place = self.places.clone().try_acquire_owned();
        let place = place.map_err(|_| self.busy())?;
        let running = tokio::task::spawn_blocking(move || {
            let _place = place;
            work()
        });
        match timeout(self.deadline, running).await {
            Ok(done) => done.map_err(|_| Error::Stopping),
            Err(_) => Err(self.busy()),
        }
    }
}

/// Waits for an answer from one of the collector's threads, up to a deadline.
pub async fn within<T>(
    what: &'static str,
    deadline: Duration,
    work: impl Future<Output = Result<T>>,
) -> Result<T> {
    let busy = |_| Error::Busy { what: what.into() };
    timeout(deadline, work).await.map_err(busy)?
}
