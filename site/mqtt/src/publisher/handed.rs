//! Hands the gateway's batches to a thread that delivers them, and waits until each reading is
//! confirmed.

use std::sync::{Arc, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use selo_gateway::reading::{Reading, SessionName};
use selo_gateway::sink::{Sink, SinkError};
use selo_link::DeviceId;
use tokio::sync::mpsc;

use super::shared::{Command, Ended, Progress, Shared};
use crate::error::{Error, Result};

/// Longest wait of one `deliver` call. The next call with the same readings continues to wait, so
/// that the gateway can stop in between.
const PATIENCE: Duration = Duration::from_secs(2);
/// Report a batch as stalled after this long without a confirmation.
const STALLED: Duration = Duration::from_secs(5);

/// Names a reading for ever.
pub type Identity = (DeviceId, SessionName, u32);

/// The identity of a reading.
pub fn identity(reading: &Reading) -> Identity {
    (reading.device, reading.session, reading.counter)
}

/// See the module. Dropping it stops the thread, and waits for its end.
#[derive(Debug)]
pub struct Handed {
    commands: mpsc::UnboundedSender<Command>,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    /// The current batch, and its number.
    given: Vec<Identity>,
    batch: u64,
    /// The number of unconfirmed readings when `deliver` last looked, and when that number last
    /// changed.
    seen: (usize, Instant),
}

impl Handed {
    /// Starts the thread. It runs the future that `work` makes, on a runtime of its own.
    pub fn start<F: Future<Output = ()>>(
        name: &str,
        work: impl FnOnce(mpsc::UnboundedReceiver<Command>, Arc<Shared>) -> F + Send + 'static,
    ) -> Result<Handed> {
        let internal = |error: std::io::Error| Error::Internal(error.to_string());
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(internal)?;
        let shared = Arc::new(Shared::default());
        let (commands, receiver) = mpsc::unbounded_channel();
        let (ended, given) = (Ended(shared.clone()), shared.clone());
        let thread = std::thread::Builder::new()
            .name(name.into())
            .spawn(move || {
                let _ended = ended;
                runtime.block_on(work(receiver, given));
            })
            .map_err(internal)?;
        Ok(Handed {
            commands,
            shared,
            thread: Some(thread),
            given: Vec::new(),
            batch: 0,
            seen: (0, Instant::now()),
        })
    }

    /// Returns true while the thread has a connection.
    pub fn is_connected(&self) -> bool {
        self.shared.lock().connected
    }
}

impl Sink for Handed {
    fn deliver(&mut self, readings: &[Reading]) -> Result<(), SinkError> {
        if readings.is_empty() {
            return Ok(());
        }
        let same = readings.len() == self.given.len()
            && readings.iter().map(identity).eq(self.given.iter().copied());
        if !same {
            self.batch += 1;
            self.given = readings.iter().map(identity).collect();
            self.seen = (readings.len(), Instant::now());
            self.shared
                .change(|progress| progress.left = readings.len());
            let command = Command::Batch(self.batch, readings.to_vec());
            _ = self.commands.send(command);
        }
        let progress = self.shared.lock();
        let waiting = |progress: &mut Progress| {
            progress.done < self.batch && progress.away.is_none() && !progress.ended
        };
        let (progress, _) = self
            .shared
            .changed
            .wait_timeout_while(progress, PATIENCE, waiting)
            .unwrap_or_else(PoisonError::into_inner);
        if progress.done >= self.batch {
            self.given.clear();
            return Ok(());
        }
        if progress.ended {
            return Err(SinkError::Gone("the publisher has ended".into()));
        }
        if let Some(reason) = &progress.away {
            return Err(SinkError::Later(reason.clone()));
        }
        let now = Instant::now();
        if self.seen.0 != progress.left {
            self.seen = (progress.left, now);
        }
        let reason = format!(
            "{} of {} readings are not confirmed yet",
            progress.left,
            readings.len()
        );
        Err(if now - self.seen.1 < STALLED {
            SinkError::UnderWay(reason)
        } else {
            SinkError::Later(reason)
        })
    }
}

impl Drop for Handed {
    fn drop(&mut self) {
        _ = self.commands.send(Command::Stop);
        if let Some(thread) = self.thread.take() {
            _ = thread.join();
        }
    }
}
