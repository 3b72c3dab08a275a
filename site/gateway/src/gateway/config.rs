//! The settings of a gateway.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::engine::Limits;
use crate::journal::{self, Sync};
use crate::radio;
use crate::registry::{InState, Place};
use crate::sink::Sink;
use crate::state::StateDir;

/// Configuration of a gateway.
pub struct Config {
    pub state: PathBuf,
    /// Where the registry is. `None`: a SQLite file in the state directory.
    pub registry: Option<Arc<dyn Place>>,
    /// Makes this an engine that answers only the shards which it owns under a lease of this
    /// length. Needs a shared registry.
    pub lease: Option<Duration>,
    /// Port 0 selects any free port, for tests.
    pub listen: SocketAddr,
    pub metrics: Option<SocketAddr>,
    /// Radio modules on serial ports, in addition to UDP. The first is `radio:0`, and so on.
    pub radios: Vec<radio::Port>,
    /// Address on which radio heads connect.
    pub heads: Option<SocketAddr>,
    pub sink: Box<dyn Sink>,
    pub sync: Sync,
    pub limits: Limits,
    /// Bytes of a file of the journal.
    pub segment_bytes: u64,
    /// Maximum undelivered bytes in the journal. Above this, the gateway accepts no packets.
    pub undelivered_max: u64,
}

impl Config {
    /// The defaults of the command line.
    pub fn new(state: impl Into<PathBuf>, listen: SocketAddr, sink: impl Sink + 'static) -> Config {
        let journal = journal::Settings::default();
        Config {
            state: state.into(),
            registry: None,
            lease: None,
            listen,
            metrics: None,
            radios: Vec::new(),
            heads: None,
            sink: Box::new(sink),
            sync: journal.sync,
            limits: Limits::default(),
            segment_bytes: journal.segment_bytes,
            undelivered_max: 1 << 30,
        }
    }

    pub(super) fn registry(&self, state: &StateDir) -> Arc<dyn Place> {
        match &self.registry {
            Some(place) => place.clone(),
            None => Arc::new(InState(state.registry())),
        }
    }
}

impl std::fmt::Debug for Config {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Config")
            .field("state", &self.state)
            .field("listen", &self.listen)
            .finish_non_exhaustive()
    }
}
