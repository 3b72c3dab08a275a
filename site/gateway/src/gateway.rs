//! A whole gateway in this process: [`Gateway::start`] puts the parts together, the
//! [`Handle`] stops them.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock, mpsc};
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

/// How long a sink that does not take readings may delay the end. What it has not taken
/// waits for the next start.
const SINK_PATIENCE: Duration = Duration::from_secs(5);

/// What a gateway is started with.
pub struct Config {
    pub state: PathBuf,
    /// Port 0: any, for tests.
    pub listen: SocketAddr,
    pub metrics: Option<SocketAddr>,
    /// Radio modules on serial ports, beside UDP: the first is `radio:0`, and so on.
    pub radios: Vec<radio::Port>,
    pub sink: Box<dyn Sink>,
    pub sync: Sync,
    pub limits: Limits,
    /// Bytes of a file of the journal.
    pub segment_bytes: u64,
    /// Bytes of the journal that may wait for the sink before no packet is taken any more.
    pub undelivered_max: u64,
}

impl Config {
    /// With the defaults of the command.
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
    /// Starts a gateway: locks the state, reads registry and journal, and listens.
    pub fn start(config: Config) -> Result<Handle> {
        let state = StateDir::open(&config.state)?;
        let lock = state.lock()?;
        // Before the state is touched: a taken port is the commonest mistake.
        let udp = udp::bind(config.listen)?;
        let listen = udp.local_addr().map_err(|source| Error::Listen {
            address: config.listen,
            source,
        })?;
        let radios = config.radios.iter().zip(0..=u8::MAX);
        let (radio_senders, radios): (Vec<_>, Vec<_>) = radios
            .map(|(port, number)| radio::open(number, port))
            .collect::<Result<Vec<_>>>()?
            .into_iter()
            .unzip();
        let carriers = Arc::new(Carriers {
            udp: udp.sender(),
            radios: radio_senders,
        });
        let clock = Clock::start();
        let counters = Arc::new(Shared::default());
        let names = Arc::new(Names::default());
        let mut registry = Registry::open(&state.registry())?;
        let mut engine = new_engine(&config)?;
        load(&registry, &mut engine, &names)?;

        let (mark, delivered) = Mark::open(&state.delivered())?;
        let settings = journal::Settings {
            sync: config.sync,
            anchor: journal::anchor::path(state.path()),
            segment_bytes: config.segment_bytes,
            ..journal::Settings::default()
        };
        let (keys, stored) = KeyFile::open(&state.keys())?;
        engine.begin_restore(stored).map_err(Error::Random)?;
        let (writer, summary) = journal::open(&state.journal(), settings, delivered, &mut engine)?;
        let joined = engine.end_restore();
        // No session that has ended leaves its keys behind, whenever the gateway was killed.
        keys.keep_only(&engine.used_key_slots())?;
        report(&summary, &engine);
        learn_joined(&mut registry, &joined)?;

        let from = first_undelivered(&state, delivered)?;
        let progress = Arc::new(Progress::new(from));
        let first_of_run = writer.segment();
        let (failed, failures) = mpsc::channel::<String>();
        let fail = Arc::new(Fail {
            first: Mutex::new(None),
            remote: RwLock::new(None),
            tell: Mutex::new(failed),
        });
        let report_failure = |fail: &Arc<Fail>| {
            let fail = fail.clone();
            Box::new(move |reason| fail.fail(reason))
        };

        let thread = |source| Error::Write {
            path: state.path().into(),
            source,
        };
        let (keeper, keeper_thread) = Keeper::start(Tools {
            sync: config.sync,
            file: writer.file()?,
            keys: keys.file()?,
            registry,
            carriers: carriers.clone(),
            progress: progress.clone(),
            counters: counters.clone(),
            failed: report_failure(&fail),
        })
        .map_err(thread)?;
        progress.written(writer.position());
        let delivery_thread = Delivery {
            unnoted: false,
            directory: state.journal(),
            mark,
            from,
            first_of_run,
            sink: config.sink,
            names: names.clone(),
            progress: progress.clone(),
            counters: counters.clone(),
            gone: report_failure(&fail),
        }
        .start()
        .map_err(thread)?;
        counters.publish(engine.counters());
        let (remote, worker_thread) = Worker {
            engine,
            clock,
            udp,
            carriers: carriers.clone(),
            journal: writer,
            keys,
            sync: config.sync,
            keeper: keeper.clone(),
            progress: progress.clone(),
            counters: counters.clone(),
            undelivered_max: config.undelivered_max,
            segment_bytes: config.segment_bytes,
            failed: report_failure(&fail),
        }
        .start()
        .map_err(thread)?;
        *fail.remote.write().unwrap_or_else(PoisonError::into_inner) = Some(remote.clone());

        // From here on an error must stop the threads: that is what the handle does.
        let mut handle = Handle {
            listen,
            metrics: None,
            remote: remote.clone(),
            counters: counters.clone(),
            progress,
            worker: Some(worker_thread),
            keeper: Some(keeper_thread),
            delivery: Some(delivery_thread),
            control: None,
            radios: Vec::new(),
            fail,
            failures: Mutex::new(failures),
            _lock: lock,
        };
        for (radio, sender) in radios.into_iter().zip(&carriers.radios) {
            let path = radio.path().to_owned();
            let remote = remote.clone();
            let running = radio
                .start(sender, move |from, frame| remote.packet(from, frame))
                .map_err(|source| Error::Radio { path, source })?;
            handle.radios.push(running);
        }
        if let Some(address) = config.metrics {
            let remote = remote.clone();
            let bound = metrics::serve(address, counters.clone(), move || remote.stopping())?;
            handle.metrics = Some(bound);
        }
        let services = control::Services {
            remote,
            keeper,
            counters,
            names,
            registry_path: state.registry(),
            started: Instant::now(),
            listen: listen.to_string(),
            metrics: handle.metrics.map(|address| address.to_string()),
            pairing_name: Mutex::new(None),
        };
        handle.control = Some(control::Server::start(&state, services)?);
        info!(%listen, state = %state.path().display(), "the gateway listens");
        Ok(handle)
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
        "a check costs this much, and strangers' are budgeted"
    );
    let settings = Settings { limits };
    Engine::new(settings, Box::new(SystemRandom)).map_err(Error::Random)
}

/// All devices of the registry into the engine.
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

/// What the journal knew and the registry did not.
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

/// Says what was found, if it is worth saying.
fn report(summary: &Summary, engine: &Engine) {
    let sessions = engine.counters().get(crate::counters::Count::Sessions);
    let kept = format!(
        "kept {} records with {} accepted packets",
        summary.records, summary.accepted
    );
    for damage in &summary.damage {
        error!(
            file = %damage.path.display(), from = damage.from, to = damage.to, %kept,
            "the journal is damaged: these bytes are left out, and every session ends; nodes join again by themselves"
        );
    }
    match summary.closed {
        None | Some(Closed::Damage) => {}
        Some(Closed::NoAnchor) => warn!(
            %kept, why = Closed::NoAnchor.why(),
            hint = "give the gateway a folder on tmpfs: RuntimeDirectory= in a unit of systemd, or RUNTIME_DIRECTORY in its environment",
            "every session ends at every start; nodes join again by themselves"
        ),
        Some(closed) => warn!(
            %kept, why = closed.why(),
            "every session ends; nodes join again by themselves"
        ),
    }
    if summary.torn {
        info!(%kept, "the last record was cut short; nobody had been told of it");
    }
    if summary.segments > 0 {
        info!(sessions, records = summary.records, "the journal was read");
    }
}

/// Where delivery goes on: where it was, or where the journal begins.
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

/// Where threads say that the gateway cannot go on.
struct Fail {
    first: Mutex<Option<String>>,
    remote: RwLock<Option<Remote>>,
    tell: Mutex<mpsc::Sender<String>>,
}

impl Fail {
    fn fail(&self, reason: String) {
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        if first.is_none() {
            error!(%reason, "the gateway stops");
            *first = Some(reason.clone());
        }
        drop(first);
        let remote = self.remote.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(remote) = &*remote {
            remote.stop();
        }
        let tell = self.tell.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = tell.send(reason);
    }
}

impl std::fmt::Debug for Fail {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Fail")
    }
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
    /// Where it listens.
    pub fn listen(&self) -> SocketAddr {
        self.listen
    }

    /// Where it serves its numbers.
    pub fn metrics(&self) -> Option<SocketAddr> {
        self.metrics
    }

    /// All numbers now.
    pub fn counters(&self) -> Counters {
        self.counters.snapshot()
    }

    /// Numbers and histograms as they change.
    pub fn shared(&self) -> Arc<Shared> {
        self.counters.clone()
    }

    /// Has something done by the engine; `None` if the gateway has stopped. What it changes
    /// of devices is not in the registry.
    pub fn remote(&self) -> &Remote {
        &self.remote
    }

    /// Waits until something goes wrong that the gateway cannot live with, at most so long.
    /// Gives what it was.
    pub fn wait_failure(&self, time: Duration) -> Option<String> {
        let failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        failures.recv_timeout(time).ok()
    }

    /// Takes no more packets, writes and delivers what there is, and ends. An error says
    /// what could not be brought to an end; the journal has it.
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
                delivered =
                    Err("the sink takes no readings; they wait for the next start".to_string());
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
