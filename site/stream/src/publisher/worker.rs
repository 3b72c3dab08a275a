//! What the publisher's thread has, whatever connections it has had.

use std::sync::Arc;

use selo_mqtt::publisher::{Codecs, Command, Shared};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tracing::info;

use super::batch::Batch;
use crate::client::StreamConfig;
use crate::tries::Tries;

/// What the thread has. It outlives a connection.
pub(super) struct Worker {
    pub stream: StreamConfig,
    pub gateway: String,
    pub codecs: Box<dyn Codecs>,
    /// A random name of this run.
    pub run: u32,
    pub commands: mpsc::UnboundedReceiver<Command>,
    pub shared: Arc<Shared>,
    pub batch: Option<Batch>,
}

impl Worker {
    /// Returns false if the publisher stops.
    pub fn obey(&mut self, command: Option<Command>) -> bool {
        match command {
            Some(Command::Batch(id, readings)) => {
                self.batch = Some(Batch::new(id, readings));
                true
            }
            Some(Command::Stop) | None => false,
        }
    }

    /// Reports the progress of the batch to `deliver`.
    pub fn tell(&mut self) {
        let Some(batch) = &self.batch else { return };
        let (id, left) = (batch.id, batch.left());
        if left == 0 {
            self.batch = None;
            self.shared.change(|progress| progress.done = id);
        } else {
            self.shared.lock().left = left;
        }
    }

    /// The server has taken a reading, so it works again.
    pub fn works(&self, tries: &mut Tries) {
        if !std::mem::replace(&mut self.shared.lock().connected, true) {
            self.shared.change(|progress| progress.away = None);
            tries.works(Instant::now());
            info!(server = %self.stream.server(), "the stream takes readings");
        }
    }
}
