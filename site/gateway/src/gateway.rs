//! A whole gateway in this process. [`Gateway::start`] assembles the parts; the [`Handle`]
//! stops them.

mod fail;

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tracing::{debug, error, info, warn};

use crate::carriers::Carriers;
use crate::clock::Clock;
use crate::control;
use crate::counters::{Counters, Shared};
use crate::delivery::{Delivery, Mark, Names, Progress};
use crate::engine::{Costs, Engine, Limits, Settings, SystemRandom};
use crate::error::{Error, Result};
use crate::journal::{self, Closed, Position, Summary, Sync};
use crate::keeper::{Keeper, Tools};
use crate::keys::KeyFile;
use crate::metrics;
use crate::registry::{Learnt, Registry};
use crate::sink::Sink;
use crate::state::{Lock, StateDir};
use crate::worker::{Remote, Worker};
use crate::{radio, udp};
use fail::Fail;

/// Maximum time that a blocked sink can delay shutdown. Undelivered readings wait in the
/// journal for the next start.
const SINK_PATIENCE: Duration = Duration::from_secs(5);

/// Configuration of a gateway.
pub struct Config {
    pub state: PathBuf,
    /// Port 0 selects any free port, for tests.
    pub listen: SocketAddr,
    pub metrics: Option<SocketAddr>,
    /// Radio modules on serial ports, in addition to UDP. The first is `radio:0`, and so on.
    pub radios: Vec<radio::Port>,
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
            listen,
            metrics: None,
            radios: Vec::new(),
            sink: Box::new(sink),
            sync: journal.sync,
            limits: Limits::default(),
            segment_bytes: journal.segment_bytes,
            undelivered_max: 1 << 30,
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
        let restored = Restored::read(&config, &state, &names)?;
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
            delivery: Some(threads.delivery),
            control: None,
            radios: Vec::new(),
            fail: parts.fail.clone(),
            failures: Mutex::new(failures),
            _lock: lock,
        };
        handle.start_radios(sockets.radios, &parts.carriers)?;
        if let Some(address) = metrics_address {
            let remote = threads.remote.clone();
            let counters = parts.counters.clone();
            let bound = metrics::serve(address, counters, move || remote.stopping())?;
            handle.metrics = Some(bound);
        }
        let services = control::Services {
            remote: threads.remote,
            keeper: threads.keeper,
            counters: parts.counters,
            names: parts.names,
            registry_path: parts.state.registry(),
            started: Instant::now(),
            listen: listen.to_string(),
            metrics: handle.metrics.map(|address| address.to_string()),
            pairing_name: Mutex::new(None),
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
        });
        Ok(Sockets {
            udp,
            listen,
            radios,
            carriers,
        })
    }
}

/// What the state directory holds of earlier runs.
struct Restored {
    registry: Registry,
    engine: Engine,
    mark: Mark,
    keys: KeyFile,
    journal: journal::Writer,
    /// Where delivery continues.
    from: Position,
}

impl Restored {
    fn read(config: &Config, state: &StateDir, names: &Names) -> Result<Restored> {
        let mut registry = Registry::open(&state.registry())?;
        let mut engine = new_engine(config)?;
        load(&registry, &mut engine, names)?;
        let (mark, delivered) = Mark::open(&state.delivered())?;
        let settings = journal::Settings {
            sync: config.sync,
            anchor: journal::anchor::path(state.path()),
            segment_bytes: config.segment_bytes,
            ..journal::Settings::default()
        };
        let (keys, stored) = KeyFile::open(&state.keys())?;
        engine.begin_restore(stored).map_err(Error::Random)?;
        let (journal, summary) = journal::open(&state.journal(), settings, delivered, &mut engine)?;
        let joined = engine.end_restore();
        // Overwrite the keys of ended sessions, even if the gateway was killed before it could
        // do so.
        keys.keep_only(&engine.used_key_slots())?;
        report(&summary, &engine);
        learn_joined(&mut registry, &joined)?;
        let from = first_undelivered(state, delivered)?;
        Ok(Restored {
            registry,
            engine,
            mark,
            keys,
            journal,
            from,
        })
    }
}

/// What the threads of a gateway share.
struct Parts {
    state: StateDir,
    carriers: Arc<Carriers>,
    counters: Arc<Shared>,
    names: Arc<Names>,
    progress: Arc<Progress>,
    fail: Arc<Fail>,
}

/// The running threads, and the handles to two of them.
struct Threads {
    keeper: Keeper,
    keeper_thread: JoinHandle<()>,
    delivery: JoinHandle<()>,
    remote: Remote,
    worker: JoinHandle<std::result::Result<(), String>>,
}

impl Parts {
    /// Tells the gateway that a thread failed.
    fn failed(&self) -> Box<dyn Fn(String) + Send> {
        let fail = self.fail.clone();
        Box::new(move |reason| fail.fail(reason))
    }

    fn start_threads(
        &self,
        config: Config,
        udp: udp::Receiver,
        restored: Restored,
    ) -> Result<Threads> {
        let Restored { journal, keys, .. } = restored;
        let thread = |source| Error::Write {
            path: self.state.path().into(),
            source,
        };
        let tools = Tools {
            sync: config.sync,
            file: journal.file()?,
            keys: keys.file()?,
            registry: restored.registry,
            carriers: self.carriers.clone(),
            progress: self.progress.clone(),
            counters: self.counters.clone(),
            failed: self.failed(),
        };
        let (keeper, keeper_thread) = Keeper::start(tools).map_err(thread)?;
        self.progress.written(journal.position());
        let delivery = Delivery {
            unnoted: false,
            directory: self.state.journal(),
            mark: restored.mark,
            from: restored.from,
            first_of_run: journal.segment(),
            sink: config.sink,
            names: self.names.clone(),
            progress: self.progress.clone(),
            counters: self.counters.clone(),
            gone: self.failed(),
        };
        let delivery = delivery.start().map_err(thread)?;
        self.counters.publish(restored.engine.counters());
        let worker = Worker {
            engine: restored.engine,
            clock: Clock::start(),
            udp,
            carriers: self.carriers.clone(),
            journal,
            keys,
            sync: config.sync,
            keeper: keeper.clone(),
            progress: self.progress.clone(),
            counters: self.counters.clone(),
            undelivered_max: config.undelivered_max,
            segment_bytes: config.segment_bytes,
            failed: self.failed(),
        };
        let (remote, worker) = worker.start().map_err(thread)?;
        self.fail.watch(&remote);
        Ok(Threads {
            keeper,
            keeper_thread,
            delivery,
            remote,
            worker,
        })
    }
}

fn new_engine(config: &Config) -> Result<Engine> {
    let costs = Costs::measured();
    let mut limits = config.limits;
    limits.checks = limits.checks.for_costs(costs);
    debug!(
        join = ?costs.join,
        packet = ?costs.packet,
        joins_a_second = limits.checks.strangers.per_second(),
        "measured the cost of tag checks; checks for unknown senders are limited"
    );
    let settings = Settings { limits };
    Engine::new(settings, Box::new(SystemRandom)).map_err(Error::Random)
}

/// Loads all devices of the registry into the engine.
fn load(registry: &Registry, engine: &mut Engine, names: &Names) -> Result<()> {
    engine.reserve(registry.count()? as usize);
    let mut out = crate::engine::Output::default();
    let mut names = names.write().unwrap_or_else(PoisonError::into_inner);
    registry.for_each(|record| {
        engine.set_device(record.device(), &mut out);
        if let Some(name) = record.name {
            names.insert(record.id, name.into());
        }
    })
}

/// Writes join counters that the journal holds and the registry lacks.
fn learn_joined(registry: &mut Registry, joined: &[(u32, u32)]) -> Result<()> {
    let learnt: HashMap<u32, Learnt> = joined
        .iter()
        .map(|(row, counter)| {
            let new = Learnt {
                join_counter: Some(*counter),
                seen: None,
            };
            (*row, new)
        })
        .collect();
    registry.learn(&learnt)
}

/// Logs the result of reading the journal.
fn report(summary: &Summary, engine: &Engine) {
    let sessions = engine.counters().get(crate::counters::Count::Sessions);
    let kept = format!(
        "kept {} records with {} accepted packets",
        summary.records, summary.accepted
    );
    for damage in &summary.damage {
        error!(
            file = %damage.path.display(), from = damage.from, to = damage.to, %kept,
            "the journal is damaged: these bytes are skipped and all sessions end; nodes rejoin automatically"
        );
    }
    match summary.closed {
        None | Some(Closed::Damage) => {}
        Some(Closed::NoAnchor) => warn!(
            %kept, why = Closed::NoAnchor.why(),
            hint = "give the gateway a directory on tmpfs: RuntimeDirectory= in a systemd unit, or RUNTIME_DIRECTORY in its environment",
            "all sessions end at every start; nodes rejoin automatically"
        ),
        Some(closed) => warn!(
            %kept, why = closed.why(),
            "all sessions end; nodes rejoin automatically"
        ),
    }
    if summary.torn {
        info!(%kept, "the last record is incomplete and was discarded; nothing depended on it");
    }
    if summary.segments > 0 {
        info!(sessions, records = summary.records, "journal read");
    }
}

/// The position where delivery continues: the stored position, or the first record that the
/// journal still holds.
fn first_undelivered(state: &StateDir, delivered: Position) -> Result<Position> {
    let path = state.journal();
    let numbers = journal::segment::list(&path).map_err(|source| Error::Read { path, source })?;
    let first = numbers
        .into_iter()
        .find(|number| *number >= delivered.segment);
    Ok(match first {
        Some(number) if number == delivered.segment => delivered,
        Some(segment) => Position { segment, offset: 0 },
        None => delivered,
    })
}

/// A running gateway. Dropping it stops it.
#[derive(Debug)]
pub struct Handle {
    listen: SocketAddr,
    metrics: Option<SocketAddr>,
    remote: Remote,
    counters: Arc<Shared>,
    progress: Arc<Progress>,
    worker: Option<JoinHandle<Result<(), String>>>,
    keeper: Option<JoinHandle<()>>,
    delivery: Option<JoinHandle<()>>,
    control: Option<control::Server>,
    radios: Vec<radio::Running>,
    fail: Arc<Fail>,
    failures: Mutex<mpsc::Receiver<String>>,
    _lock: Lock,
}

impl Handle {
    /// Starts the modules. Each passes its packets to the gateway.
    fn start_radios(&mut self, radios: Vec<radio::Radio>, carriers: &Carriers) -> Result<()> {
        for (radio, sender) in radios.into_iter().zip(&carriers.radios) {
            let path = radio.path().to_owned();
            let remote = self.remote.clone();
            let running = radio
                .start(sender, move |from, frame| remote.packet(from, frame))
                .map_err(|source| Error::Radio { path, source })?;
            self.radios.push(running);
        }
        Ok(())
    }

    /// The UDP address that the gateway listens on.
    pub fn listen(&self) -> SocketAddr {
        self.listen
    }

    /// The address that serves metrics, if enabled.
    pub fn metrics(&self) -> Option<SocketAddr> {
        self.metrics
    }

    /// A snapshot of all counters.
    pub fn counters(&self) -> Counters {
        self.counters.snapshot()
    }

    /// The live counters and histograms.
    pub fn shared(&self) -> Arc<Shared> {
        self.counters.clone()
    }

    /// Runs functions on the engine's thread; they return `None` once the gateway has stopped.
    /// Changes to devices made this way are not written to the registry.
    pub fn remote(&self) -> &Remote {
        &self.remote
    }

    /// Waits up to `time` for a fatal error and returns its reason.
    pub fn wait_failure(&self, time: Duration) -> Option<String> {
        let failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        failures.recv_timeout(time).ok()
    }

    /// Stops receiving, writes and delivers all accepted readings, and ends.
    ///
    /// # Errors
    /// The reason of a fatal error or of an incomplete delivery. The journal keeps undelivered
    /// readings.
    pub fn stop(mut self) -> Result<(), String> {
        self.end()
    }

    fn end(&mut self) -> Result<(), String> {
        self.radios.clear();
        self.remote.stop();
        let worker = match self.worker.take().map(JoinHandle::join) {
            Some(Ok(result)) => result,
            Some(Err(_)) => Err("the worker has panicked".into()),
            None => return Ok(()),
        };
        self.control = None;
        if let Some(address) = self.metrics {
            metrics::wake(address);
        }
        if let Some(keeper) = self.keeper.take() {
            let _ = keeper.join();
        }
        self.progress.stop();
        let mut delivered = Ok(());
        if let Some(delivery) = self.delivery.take() {
            let patience = Instant::now() + SINK_PATIENCE;
            while !delivery.is_finished() && Instant::now() < patience {
                std::thread::sleep(Duration::from_millis(5));
            }
            if delivery.is_finished() {
                let _ = delivery.join();
            } else {
                delivered = Err(
                    "the sink accepts no readings; they wait in the journal for the next start"
                        .to_string(),
                );
            }
        }
        let failed = self
            .fail
            .first
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        match failed {
            Some(reason) => Err(reason),
            None => worker.and(delivered),
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        let _ = self.end();
    }
}
