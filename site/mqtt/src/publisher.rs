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
mod handed;
mod message;
mod outbox;
mod session;
mod shared;
mod worker;

use selo_gateway::reading::Reading;
use selo_gateway::sink::{Sink, SinkError};

use crate::error::{Error, Result};
use crate::topic::Topics;

pub use codecs::Codecs;
pub use config::{PublisherConfig, Until};
pub use handed::{Handed, Identity, identity};
use outbox::Outbox;
pub use shared::{Command, Progress, Shared};
use worker::Worker;

/// See the module. Dropping it publishes the offline status.
#[derive(Debug)]
pub struct Publisher(Handed);

impl Publisher {
    /// Checks names and files, and starts to connect.
    pub fn new(config: PublisherConfig) -> Result<Publisher> {
        let topics = Topics::new(&config.site, &config.gateway)?;
        // Report an unusable file now, not later in the log.
        config.client.options()?;
        let run =
            selo_link::random_bytes::<8>().map_err(|error| Error::Internal(error.to_string()))?;
        let work = move |commands, shared| {
            let outbox = Outbox::new(config, topics, hex::encode(run), shared);
            Worker { outbox, commands }.run()
        };
        Handed::start("mqtt", work).map(Publisher)
    }

    /// Returns true while the broker is connected.
    pub fn is_connected(&self) -> bool {
        self.0.is_connected()
    }
}

impl Sink for Publisher {
    fn deliver(&mut self, readings: &[Reading]) -> Result<(), SinkError> {
        self.0.deliver(readings)
    }
}
