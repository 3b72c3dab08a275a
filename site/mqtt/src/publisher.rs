//! The publisher: a gateway sink that sends readings to a broker.
//!
//! A separate thread maintains the connection. [`Publisher::deliver`] gives it a batch and waits
//! until every reading is confirmed, by the broker or by the collector. Unconfirmed readings stay
//! in the gateway's journal, which is the only spool: it is bounded, survives a kill, and keeps
//! the order.

mod batch;
mod codecs;
mod config;
mod discovery;
mod message;
mod outbox;
mod session;
mod shared;
mod worker;

use std::sync::{Arc, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use selo_gateway::reading::{Reading, SessionName};
use selo_gateway::sink::{Sink, SinkError};
use selo_link::DeviceId;
use tokio::sync::mpsc;

use crate::error::{Error, Result};
use crate::topic::Topics;

pub use codecs::Codecs;
pub use config::{PublisherConfig, Until};
use outbox::Outbox;
use shared::{Command, Ended, Progress, Shared};
use worker::Worker;

/// Longest wait of one `deliver` call. The next call with the same readings continues to wait, so
/// that the gateway can stop in between.
const PATIENCE: Duration = Duration::from_secs(2);
/// Report a batch as stalled after this long without a confirmation.
const STALLED: Duration = Duration::from_secs(5);

/// Names a reading for ever.
type Identity = (DeviceId, SessionName, u32);

fn identity(reading: &Reading) -> Identity {
    (reading.device, reading.session, reading.counter)
}

/// See the module. Dropping it publishes the offline status.
#[derive(Debug)]
pub struct Publisher {
    commands: mpsc::UnboundedSender<Command>,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    /// The current batch, and its number.
    given: Vec<Identity>,
    batch: u64,
    /// The number of unconfirmed readings when `deliver` last looked, and when that number last
    /// changed.
    seen: (usize, std::time::Instant),
}

impl Publisher {
    /// Checks names and files, and starts to connect.
    pub fn new(config: PublisherConfig) -> Result<Publisher> {
        let topics = Topics::new(&config.site, &config.gateway)?;
        // Report an unusable file now, not later in the log.
        config.client.options()?;
        let run =
            selo_link::random_bytes::<8>().map_err(|error| Error::Internal(error.to_string()))?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Error::Internal(error.to_string()))?;
        let shared = Arc::new(Shared::default());
        let (commands, receiver) = mpsc::unbounded_channel();
        let worker = Worker {
            outbox: Outbox::new(config, topics, hex::encode(run), shared.clone()),
            commands: receiver,
        };
        let ended = Ended(shared.clone());
        let thread = std::thread::Builder::new()
            .name("mqtt".into())
            .spawn(move || {
                let _ended = ended;
                runtime.block_on(worker.run());
            })
            .map_err(|error| Error::Internal(error.to_string()))?;
        Ok(Publisher {
            commands,
            shared,
            thread: Some(thread),
            given: Vec::new(),
            batch: 0,
            seen: (0, std::time::Instant::now()),
        })
    }

    /// Returns true while the broker is connected.
    pub fn is_connected(&self) -> bool {
        self.shared.lock().connected
    }
}

impl Sink for Publisher {
    fn deliver(&mut self, readings: &[Reading]) -> Result<(), SinkError> {
        if readings.is_empty() {
            return Ok(());
        }
        let same = readings.len() == self.given.len()
            && readings.iter().map(identity).eq(self.given.iter().copied());
        if !same {
            self.batch += 1;
            self.given = readings.iter().map(identity).collect();
            self.seen = (readings.len(), std::time::Instant::now());
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
        let now = std::time::Instant::now();
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

impl Drop for Publisher {
    fn drop(&mut self) {
        _ = self.commands.send(Command::Stop);
        if let Some(thread) = self.thread.take() {
            _ = thread.join();
        }
    }
}
