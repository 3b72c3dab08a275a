//! The collector: takes readings from wherever they come, keeps them in a database, and
//! answers questions about them.
//!
//! ```text
//! MQTT, HTTP -> ingest -> writer (one thread, one transaction a batch) -> database
//!                                   |                                       |
//!                                events -> live listeners               readers -> API
//! ```
//!
//! A message is confirmed after its transaction has been committed, and named by
//! (device, session, counter): one that comes again changes nothing.

mod alarm;
pub mod auth;
pub mod clock;
pub mod db;
mod error;
pub mod events;
pub mod http;
pub mod ingest;
pub mod message;
pub mod metrics;
pub mod query;
pub mod readers;
pub mod rollup;
mod schema;
mod sql;
pub mod store;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;

use tokio::sync::watch;

use crate::auth::{Auth, Role, Users};
use crate::clock::Clock;
use crate::db::Place;
use crate::events::Events;
use crate::http::{App, Peer};
use crate::ingest::{Ingest, Writer};
use crate::metrics::Metrics;
use crate::readers::Readers;
use crate::store::Store;

pub use crate::error::{Error, Result};

/// How a collector is set up.
#[derive(Debug, Clone)]
pub struct Config {
    /// Directory of the users; made with mode 0700.
    pub state: PathBuf,
    pub database: Place,
    pub http: SocketAddr,
    pub clock: Clock,
    /// Readings in one transaction.
    pub batch_max: usize,
    /// Pages of a SQLite file, for tests of a full disk.
    pub pages_max: Option<u64>,
    /// A station that has been quiet for so long is silent.
    pub silent_after_ms: i64,
    /// A page of the lab, served at `/report`.
    pub report: Option<PathBuf>,
}

impl Config {
    /// A collector that keeps everything in `state`, for this machine alone.
    pub fn new(state: PathBuf) -> Config {
        Config {
            database: Place::Sqlite(state.join("readings.db")),
            state,
            http: SocketAddr::from(([127, 0, 0, 1], 7380)),
            clock: Clock::System,
            batch_max: 1000,
            pages_max: None,
            silent_after_ms: 3_600_000,
            report: None,
        }
    }
}

/// A running collector.
#[derive(Debug)]
pub struct Collector {
    address: SocketAddr,
    ingest: Ingest,
    events: Arc<Events>,
    metrics: Arc<Metrics>,
    /// Where the first admin's password is, if this was the first start.
    first_password: Option<PathBuf>,
    stop: watch::Sender<bool>,
    server: JoinHandle<()>,
    threads: Vec<JoinHandle<()>>,
}

impl Collector {
    /// Starts it, with threads of its own; it listens when this returns.
    pub fn start(config: Config) -> Result<Collector> {
        let users = Users::open(&config.state)?;
        let first_password = users.first()?;
        let auth = Arc::new(Auth::new(users)?);
        let mut db = config.database.open_writer(config.pages_max)?;
        schema::migrate(&mut *db)?;
        for row in db.query(sql::TOKENS, &[])? {
            if let (Ok(hash), Some(role)) = (row.blob(3).try_into(), Role::parse(row.text(2))) {
                auth.remember_token(hash, row.int(0), row.text(1), role);
            }
        }
        let events = Arc::new(Events::new(format!("{:x}", config.clock.now())));
        let metrics = Arc::new(Metrics::default());
        metrics
            .database_up
            .store(1, std::sync::atomic::Ordering::Relaxed);
        let (readers, mut threads) = Readers::start(&config.database)?;
        let writer = Writer {
            db,
            store: Store::default(),
            events: events.clone(),
            metrics: metrics.clone(),
            clock: config.clock.clone(),
            batch_max: config.batch_max,
            rejected_max: 1000,
        };
        let threads_failed = |source: std::io::Error| Error::Unavailable {
            place: "of threads".into(),
            reason: source.to_string(),
        };
        let (ingest, writing) = writer.start().map_err(threads_failed)?;
        threads.push(writing);
        let (stop, stopping) = watch::channel(false);
        let app = Arc::new(App {
            ingest: ingest.clone(),
            readers,
            events: events.clone(),
            metrics: metrics.clone(),
            auth,
            clock: config.clock,
            silent_after_ms: config.silent_after_ms,
            secure: false,
            report: config.report,
            stopping: stopping.clone(),
        });
        let (server, address) = serve(config.http, app, stopping)?;
        Ok(Collector {
            address,
            ingest,
            events,
            metrics,
            first_password,
            stop,
            server,
            threads,
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where messages are offered, by whatever brings them.
    pub fn ingest(&self) -> Ingest {
        self.ingest.clone()
    }

    pub fn events(&self) -> Arc<Events> {
        self.events.clone()
    }

    pub fn metrics(&self) -> Arc<Metrics> {
        self.metrics.clone()
    }

    pub fn first_password(&self) -> Option<&std::path::Path> {
        self.first_password.as_deref()
    }

    /// Stops: requests under way are answered, offered messages are stored.
    pub fn stop(self) {
        let Collector {
            stop,
            server,
            threads,
            ingest,
            ..
        } = self;
        let _ = stop.send(true);
        let _ = server.join();
        drop(ingest);
        for thread in threads {
            let _ = thread.join();
        }
    }
}

/// The server, on a runtime of its own.
fn serve(
    address: SocketAddr,
    app: Arc<App>,
    mut stopping: watch::Receiver<bool>,
) -> Result<(JoinHandle<()>, SocketAddr)> {
    let failed = move |source| Error::Listen { address, source };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("collector-http")
        .enable_all()
        .build()
        .map_err(failed)?;
    let listener = runtime
        .block_on(tokio::net::TcpListener::bind(address))
        .map_err(failed)?;
    let bound = listener.local_addr().map_err(failed)?;
    let thread = std::thread::Builder::new()
        .name("collector-http".into())
        .spawn(move || {
            runtime.block_on(async move {
                let service = http::router(app).into_make_service_with_connect_info::<Peer>();
                let mut graceful = stopping.clone();
                let server = axum::serve(listener, service).with_graceful_shutdown(async move {
                    let _ = graceful.wait_for(|stopping| *stopping).await;
                });
                let patience = async {
                    let _ = stopping.wait_for(|stopping| *stopping).await;
                    tokio::time::sleep(std::time::Duration::from_secs(5)).await;
                };
                tokio::select! {
                    done = server => {
                        if let Err(error) = done {
                            tracing::error!("the HTTP server ended: {error}");
                        }
                    }
                    () = patience => {}
                }
            });
            // Whoever still downloads is let go.
            runtime.shutdown_background();
        })
        .map_err(failed)?;
    Ok((thread, bound))
}
