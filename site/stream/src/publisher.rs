//! The publisher: a gateway sink that publishes readings into the stream of the site.
//!
//! A reading counts as delivered when a collector says that it is stored. The server's own
//! acknowledgement promises nothing: it says where in the stream the reading is. If a confirmation
//! is late, the publisher looks there. A reading that is still in the stream waits for a collector.
//! One that is not was stored, and the confirmation is lost, or the server has lost it: it is
//! published again, under a name that the stream does not take for a repetition.

mod batch;
mod session;
mod worker;

use selo_gateway::reading::Reading;
use selo_gateway::sink::{Sink, SinkError};
use selo_mqtt::error::{Error, Result};
use selo_mqtt::publisher::{Codecs, Handed};
use selo_mqtt::topic::check_name;
use tokio::time::Instant;
use tracing::warn;

use crate::client::StreamConfig;
use crate::tries::Tries;
use worker::Worker;

/// Configuration of a publisher.
pub struct PublisherConfig {
    pub stream: StreamConfig,
    pub gateway: String,
    pub codecs: Box<dyn Codecs>,
}

impl std::fmt::Debug for PublisherConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PublisherConfig")
            .field("stream", &self.stream)
            .field("gateway", &self.gateway)
            .finish_non_exhaustive()
    }
}

/// See the module.
#[derive(Debug)]
pub struct Publisher(Handed);

impl Publisher {
    /// Checks names and files, and starts to connect.
    pub fn new(config: PublisherConfig) -> Result<Publisher> {
        check_name(&config.gateway)?;
        config.stream.check()?;
        let run =
            selo_link::random_bytes::<4>().map_err(|error| Error::Internal(error.to_string()))?;
        let run = u32::from_be_bytes(run);
        let work = move |commands, shared| {
            let worker = Worker {
                stream: config.stream,
                gateway: config.gateway,
                codecs: config.codecs,
                run,
                commands,
                shared,
                batch: None,
            };
            keep(worker)
        };
        Handed::start("stream", work).map(Publisher)
    }
}

impl Sink for Publisher {
    fn deliver(&mut self, readings: &[Reading]) -> Result<(), SinkError> {
        self.0.deliver(readings)
    }
}

/// Connects, again and again, until the publisher stops.
async fn keep(mut worker: Worker) {
    let mut tries = Tries::default();
    loop {
        let Err(failure) = session::serve(&mut worker, &mut tries).await else {
            return;
        };
        worker.shared.change(|progress| {
            progress.away = Some(failure.to_string());
            progress.connected = false;
        });
        let next = tries.failed(&mut worker.stream, &failure, Instant::now());
        if next.is_new {
            warn!(reason = %failure.what, hint = %failure.hint, "the stream takes no readings; they wait in the journal");
        }
        let again = Instant::now() + next.pause;
        loop {
            tokio::select! {
                () = tokio::time::sleep_until(again) => break,
                command = worker.commands.recv() => if !worker.obey(command) {
                    return;
                },
            }
        }
    }
}
