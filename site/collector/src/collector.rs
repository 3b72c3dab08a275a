//! A whole collector: its start, its services, and its end.

mod database;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::sync::{Notify, Semaphore, watch};

use crate::auth::{Auth, Strangers};
use crate::background::Background;
use crate::blocking::Pool;
use crate::channel::Channels;
use crate::db::Database;
use crate::events::Events;
use crate::http::App;
use crate::http::names::Hosts;
use crate::http::permits::Permits;
use crate::http::server::Server;
use crate::http::tls::{Offer, Tls};
use crate::ingest::{Ingest, Writer};
use crate::live::Ears;
use crate::metrics::Metrics;
use crate::outbox::Outbox;
use crate::readers::Readers;
use crate::settings::Settings;
use crate::store::Store;
use crate::stream::lease::{Kept, Lease, Owned, Times};
use crate::{Config, Error, Result, auth, db, http, stream};

/// A running collector.
#[derive(Debug)]
pub struct Collector {
    address: SocketAddr,
    ingest: Ingest,
    events: Arc<Events>,
    metrics: Arc<Metrics>,
    /// File with the first admin's password, if this was the first start.
    first_password: Option<PathBuf>,
    has_tls: bool,
    /// Notified to reload the certificate.
    reload: Arc<Notify>,
    stop: watch::Sender<bool>,
    server: JoinHandle<()>,
    threads: Vec<JoinHandle<()>>,
    owner: Owner,
    /// Dropping it stops the thread that watches the user file, if there is one.
    _watching: Option<Sender<()>>,
}

/// The partitions of the stream that a collector owns.
#[derive(Debug)]
enum Owner {
    /// All, for ever: it is the only collector, and nobody renews its lease.
    Alone { _lease: Lease },
    /// Those that its lease gives it.
    Shares(Kept),
}

/// What the writer shares with the other threads.
struct Common {
    /// Wakes the outbox.
    bell: Arc<Notify>,
    events: Arc<Events>,
    metrics: Arc<Metrics>,
}

impl Common {
    /// The metrics say that the database is open.
    fn new(config: &Config, wake: Option<SyncSender<()>>) -> Common {
        let metrics = Metrics::default();
        metrics
            .database_up
            .store(1, std::sync::atomic::Ordering::Relaxed);
        Common {
            bell: Arc::new(Notify::new()),
            events: Arc::new(Events::waking(format!("{:x}", config.clock.now()), wake)),
            metrics: Arc::new(metrics),
        }
    }

    fn writer(&self, config: &Config, db: Box<dyn Database>, store: Store) -> Writer {
        Writer {
            db,
            store,
            bell: self.bell.clone(),
            events: self.events.clone(),
            metrics: self.metrics.clone(),
            clock: config.clock.clone(),
            batch_max: config.batch_max,
            rejected_max: 1000,
        }
    }

    fn outbox(&self, config: &Config, readers: &Readers, ingest: &Ingest) -> Outbox {
        Outbox {
            ingest: ingest.clone(),
            readers: readers.clone(),
            metrics: self.metrics.clone(),
            clock: config.clock.clone(),
            bell: self.bell.clone(),
            leads: Arc::new(AtomicBool::new(!config.is_shared())),
            is_shared: config.is_shared(),
        }
    }
}

impl Collector {
    /// Starts a collector with its own threads. It is listening when this returns.
    pub fn start(config: Config) -> Result<Collector> {
        let tls = checked(&config)?;
        let users = database::users(&config)?;
        let mut db = database::open(&config)?;
        let (auth, first_password) = database::auth(&config, users, &mut *db)?;
        let secret = Arc::new(auth::secret_file(&config.state.join("webhook-secret"))?);
        let channels = Arc::new(match config.is_shared() {
            true => Channels::shared(&config.state, config.database.clone())?,
            false => Channels::open(&config.state)?,
        });
        let (store, settings) = database::restore(&config, &mut *db, &channels)?;
        let common = live(&config, &mut *db)?;
        let (readers, mut threads) = Readers::start(&config.database)?;
        let writer = common.writer(&config, db, store);
        let (ingest, writing) = writer.start().map_err(Error::Thread)?;
        threads.push(writing);
        let (stop, stopping) = watch::channel(false);
        let outbox = common.outbox(&config, &readers, &ingest);
        let state = Running {
            ingest: ingest.clone(),
            readers,
            channels,
            outbox: outbox.clone(),
            settings,
            events: common.events.clone(),
            metrics: common.metrics.clone(),
            auth: auth.clone(),
            stopping: stopping.clone(),
        };
        let app = Arc::new(app(&config, state));
        let is_shared = config.is_shared();
        let (lease, owned) = lease(&config, &outbox)?;
        let reload = Arc::new(Notify::new());
        let background = Background {
            outbox,
            channels: app.channels.clone(),
            settings: app.settings.clone(),
            follows: is_shared.then(|| app.clone()),
            webhooks: config.webhooks,
            mqtt: config.mqtt,
            stream: config.stream,
            owned,
            home_assistant: config.home_assistant.then_some(config.language),
            silent_after_ms: config.silent_after_ms,
            secret,
            retention: config.retention,
            tls: tls.clone(),
            reload: reload.clone(),
        };
        let server = Server {
            router: http::router(app),
            tls: tls.as_ref().map(Tls::config).transpose()?.map(Into::into),
            limits: config.limits,
            behind_proxy: config.behind_proxy,
            proxies: config.proxies,
            metrics: common.metrics.clone(),
            stopping,
        };
        let watching = match is_shared {
            true => None,
            false => Some(watch_users(auth).map_err(Error::Thread)?),
        };
        let (server, address) = serve(config.http, server, background)?;
        let owner = match is_shared {
            true => Owner::Shares(lease.keep().map_err(Error::Thread)?),
            false => Owner::Alone { _lease: lease },
        };
        Ok(Collector {
            address,
            ingest,
            events: common.events,
            metrics: common.metrics,
            first_password,
            has_tls: tls.is_some(),
            reload,
            stop,
            server,
            threads,
            owner,
            _watching: watching,
        })
    }

    /// Address on which it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// URL for a browser.
    pub fn url(&self) -> String {
        let scheme = if self.has_tls { "https" } else { "http" };
        format!("{scheme}://{}", self.address)
    }

    /// Notify it to reload the certificate immediately.
    pub fn reload(&self) -> Arc<Notify> {
        self.reload.clone()
    }

    /// Handle through which messages are offered.
    pub fn ingest(&self) -> Ingest {
        self.ingest.clone()
    }

    /// The live events.
    pub fn events(&self) -> Arc<Events> {
        self.events.clone()
    }

    /// The counters.
    pub fn metrics(&self) -> Arc<Metrics> {
        self.metrics.clone()
    }

    /// Changes the maximum number of pages of a SQLite file.
    pub fn set_pages_max(&self, pages: u64) {
        let work = move |db: &mut dyn db::Database, _: &mut Store| {
            db.script(&format!("PRAGMA max_page_count = {pages}"))
        };
        // It takes effect before the next batch, so there is no need to wait.
        self.ingest.write_later(work);
    }

    /// The file that holds the first admin's password, if this was the first start.
    pub fn first_password(&self) -> Option<&std::path::Path> {
        self.first_password.as_deref()
    }

    /// Stops the collector. Requests in progress are answered, and offered messages are stored. If the
    /// database does not confirm them in time, nobody is told that they are stored: their sources keep
    /// them, and offer them again.
    pub fn stop(self) {
        let Collector {
            stop,
            server,
            threads,
            ingest,
            owner,
            ..
        } = self;
        let _ = stop.send(true);
        let _ = server.join();
        drop(ingest);
        let until = Instant::now() + LAST;
        if !ended(&threads, until) {
            tracing::warn!(
                "the database has not confirmed the last readings in {} s; their sources keep them; \
                 hint: is its standby there?",
                LAST.as_secs()
            );
        }
        if let Owner::Shares(kept) = owner {
            kept.leave();
        }
    }
}

/// What the threads share. If others write to the database too, a thread hears of what they write.
fn live(config: &Config, db: &mut dyn Database) -> Result<Common> {
    if !config.is_shared() {
        return Ok(Common::new(config, None));
    }
    let (wake, woken) = sync_channel(1);
    let common = Common::new(config, Some(wake));
    let name = stream::random_name()?;
    db.call(&name);
    let ears = Ears {
        database: config.database.clone(),
        name,
        events: Arc::downgrade(&common.events),
    };
    ears.start(woken)?;
    Ok(common)
}

/// The lease of a collector, and the partitions that it owns. Without others it owns all.
fn lease(config: &Config, outbox: &Outbox) -> Result<(Lease, watch::Receiver<Owned>)> {
    let (owning, owned) = watch::channel(match config.is_shared() {
        true => Owned::default(),
        false => stream::all(),
    });
    let site = config.stream.as_ref().map(|stream| stream.site.clone());
    let lease = Lease {
        database: config.database.clone(),
        collector: stream::random_name()?,
        site: site.unwrap_or_default(),
        pulse: outbox.ingest.pulse(),
        leads: outbox.leads.clone(),
        owning,
        times: Times::default(),
    };
    Ok((lease, owned))
}

/// The running parts that requests use.
struct Running {
    ingest: Ingest,
    readers: Readers,
    events: Arc<Events>,
    metrics: Arc<Metrics>,
    auth: Arc<Auth>,
    channels: Arc<Channels>,
    outbox: Outbox,
    settings: Settings,
    stopping: watch::Receiver<bool>,
}

fn app(config: &Config, running: Running) -> App {
    App {
        ingest: running.ingest,
        readers: running.readers,
        events: running.events,
        metrics: running.metrics,
        auth: running.auth,
        channels: running.channels,
        outbox: running.outbox,
        tests: Permits::default(),
        settings: running.settings,
        public: http::made::Made::default(),
        clock: config.clock.clone(),
        silent_after_ms: config.silent_after_ms,
        secure: config.tls.is_some() || config.behind_proxy,
        strict: config.behind_proxy,
        strangers: config.strangers.then(Strangers::default),
        hosts: Hosts {
            names: config.hosts.clone(),
            certified: config.tls.is_some(),
        },
        proxies: config.proxies.clone(),
        listeners_max: (config.limits.listeners, config.limits.listeners_of_one),
        listeners: Permits::default(),
        posts: Permits::default(),
        portions: Semaphore::new(http::readings::PORTIONS),
        files: Pool::new("the disk", 2, FILE_DEADLINE),
        report: config.report.clone(),
        gateway: config.gateway.clone(),
        stopping: running.stopping,
    }
}

/// Refuses a configuration that cannot work or would send passwords in the clear. Returns the TLS
/// that it asks for.
fn checked(config: &Config) -> Result<Option<Arc<Tls>>> {
    config.retention.check()?;
    if !config.http.ip().is_loopback() && config.tls.is_none() && !config.behind_proxy {
        return Err(Error::Clear {
            address: config.http,
        });
    }
    if config.tls.is_none() && config.offer != Offer::default() {
        return Err(Error::Invalid(
            "suites, key exchanges and tickets require TLS, but no certificate is set".into(),
        ));
    }
    for (number, url) in (1..).zip(&config.webhooks) {
        if !url.starts_with("http://") && !url.starts_with("https://") {
            // The URL may contain a key.
            return Err(Error::Invalid(format!(
                "webhook {number} is not a URL: it must begin with https:// or http://"
            )));
        }
    }
    let files = config.tls.clone();
    files
        .map(|files| Tls::load(files, config.offer.clone()))
        .transpose()
}

/// Reloads the users when a command has changed them. Stopping the collector does not wait for
/// this thread, because a disk may block it.
fn watch_users(auth: Arc<Auth>) -> std::io::Result<Sender<()>> {
    let (watching, ended) = channel();
    std::thread::Builder::new()
        .name("collector-users".into())
        .spawn(move || {
            let mut good = true;
            while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(LOOK_AT_USERS) {
                let read = auth.refresh();
                if let (Err(error), true) = (&read, good) {
                    tracing::error!("cannot reload the users, the old ones stay valid: {error}");
                }
                good = read.is_ok();
            }
        })?;
    Ok(watching)
}

/// Waits until all threads have ended. Returns false if they have not until then.
fn ended(threads: &[JoinHandle<()>], until: Instant) -> bool {
    loop {
        if threads.iter().all(JoinHandle::is_finished) {
            return true;
        }
        if Instant::now() >= until {
            return false;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Time that the database gets for the last readings when the collector stops. A commit waits for the
/// standby, which may be away for long.
const LAST: Duration = Duration::from_secs(20);

/// Interval at which the user file is checked.
const LOOK_AT_USERS: Duration = Duration::from_millis(250);

/// Time limit for reading a file that a page shows.
const FILE_DEADLINE: Duration = Duration::from_secs(10);

/// Runs the server on a runtime of its own.
fn serve(
    address: SocketAddr,
    server: Server,
    background: Background,
) -> Result<(JoinHandle<()>, SocketAddr)> {
    let failed = move |source| Error::Listen { address, source };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(server.limits.threads)
        .thread_name("collector-http")
        .enable_all()
        .build()
        .map_err(failed)?;
    let listener = runtime
        .block_on(tokio::net::TcpListener::bind(address))
        .map_err(failed)?;
    let bound = listener.local_addr().map_err(failed)?;
    runtime.block_on(async { background.start() })?;
    let thread = std::thread::Builder::new()
        .name("collector-http".into())
        .spawn(move || {
            runtime.block_on(server.run(listener));
            // Ends downloads that are still running.
            runtime.shutdown_background();
        })
        .map_err(failed)?;
    Ok((thread, bound))
}
