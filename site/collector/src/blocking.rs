//! Work that waits for a disk or another process. It runs on threads of its own, so many at
//! once, and who asked for it hears after a deadline that it is not done: no request waits
//! for ever, and the threads that serve the others wait for nothing.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::error::{Error, Result};

/// Some threads for one kind of work.
#[derive(Debug, Clone)]
pub struct Pool {
    /// Of whom one waits, for the message.
    what: &'static str,
    places: Arc<Semaphore>,
    deadline: Duration,
}

impl Pool {
    /// `at_once` pieces of work, each with this deadline.
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

    /// Runs `work`; [`Error::Busy`] if there is no place for it, or it takes too long. Work
    /// that hangs keeps its place until it ends.
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

/// Waits for an answer from a thread of the collector, but not for ever.
pub async fn within<T>(
    what: &'static str,
    deadline: Duration,
    work: impl Future<Output = Result<T>>,
) -> Result<T> {
    let busy = |_| Error::Busy { what: what.into() };
    timeout(deadline, work).await.map_err(busy)?
}
