//! A whole gateway in this process. [`Gateway::start`] assembles the parts; the [`Handle`]
//! stops them.

mod config;
mod fail;
mod handle;
mod restored;
mod threads;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use tracing::info;

use crate::carriers::Carriers;
use crate::control;
use crate::counters::Shared;
use crate::delivery::{Names, Progress};
use crate::error::{Error, Result};
use crate::heads::{self, Connected, Store};
use crate::state::StateDir;
use crate::{radio, udp};
use fail::Fail;

use restored::Restored;
use threads::Parts;

pub use config::Config;
pub use handle::Handle;

/// See [`Gateway::start`].
#[derive(Debug)]
pub struct Gateway;

impl Gateway {
    /// Starts a gateway: locks the state directory, reads the registry and the journal, and
    /// listens.
    ///
    /// # Errors
    /// Fails if the state directory is unusable, a port is taken, or the journal or registry
    /// cannot be read.
    pub fn start(config: Config) -> Result<Handle> {
        let state = StateDir::open(&config.state)?;
        let lock = state.lock()?;
        // Bind before touching the state: a port in use is the most common mistake.
        let sockets = Sockets::open(&config)?;
        let counters = Arc::new(Shared::default());
        let names = Arc::new(Names::default());
        let registry = config.registry(&state);
        let restored = Restored::read(&config, &state, registry.as_ref(), &names)?;
        let (fail, failures) = Fail::new();
        let parts = Parts {
            state,
            carriers: sockets.carriers.clone(),
            counters,
            names,
            progress: Arc::new(Progress::new(restored.from)),
            fail,
        };
        let metrics_address = config.metrics;
        let listen = sockets.listen;
        let threads = parts.start_threads(config, sockets.udp, restored)?;

        // From here on, dropping the handle on an error stops the threads.
        let mut handle = Handle {
            listen,
            metrics: None,
            remote: threads.remote.clone(),
            counters: parts.counters.clone(),
            progress: parts.progress.clone(),
            worker: Some(threads.worker),
            keeper: Some(threads.keeper_thread),
            recorder: Some(threads.recorder_thread),
            sharing: threads.sharing,
            delivery: Some(threads.delivery),
            control: None,
            radios: Vec::new(),
            heads: None,
            fail: parts.fail.clone(),
            failures: Mutex::new(failures),
            _lock: lock,
        };
        handle.start_radios(sockets.radios, &parts.carriers)?;
        let connected = parts.carriers.heads.clone();
        if let Some(bound) = sockets.heads {
            let store = Store::new(&parts.state);
            handle.start_heads(bound, store, connected.clone())?;
        }
        if let Some(address) = metrics_address {
            handle.serve_metrics(address)?;
        }
        let services = control::Services {
            remote: threads.remote,
            recorder: threads.recorder,
            counters: parts.counters,
            progress: parts.progress,
            journal: parts.state.journal(),
            names: parts.names,
            registry,
            started: Instant::now(),
            listen: listen.to_string(),
            metrics: handle.metrics.map(|address| address.to_string()),
            heads: handle.heads().map(|address| address.to_string()),
            connected,
            pairing_name: Mutex::new(None),
            relay: Mutex::new(None),
        };
        handle.control = Some(control::Server::start(&parts.state, services)?);
        info!(%listen, state = %parts.state.path().display(), "the gateway listens");
        Ok(handle)
    }
}

/// The opened ports: UDP and the radio modules.
struct Sockets {
    udp: udp::Receiver,
    listen: SocketAddr,
    radios: Vec<radio::Radio>,
    heads: Option<heads::Bound>,
    carriers: Arc<Carriers>,
}

impl Sockets {
    fn open(config: &Config) -> Result<Sockets> {
        let udp = udp::bind(config.listen)?;
        let listen = udp.local_addr().map_err(|source| Error::Listen {
            address: config.listen,
            source,
        })?;
        let radios = config.radios.iter().zip(0..=u8::MAX);
        let (senders, radios): (Vec<_>, Vec<_>) = radios
            .map(|(port, number)| radio::open(number, port))
            .collect::<Result<Vec<_>>>()?
            .into_iter()
            .unzip();
        let carriers = Arc::new(Carriers {
            udp: udp.sender(),
            radios: senders,
            heads: Arc::new(Connected::default()),
        });
        Ok(Sockets {
            udp,
            listen,
            radios,
            heads: config.heads.map(heads::bind).transpose()?,
            carriers,
        })
    }
}
