//! What the handlers share, and what they know of a connection.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::Request;
use axum::response::Response;
use tokio::sync::Semaphore;

use super::made::Made;
use super::names::{Hosts, Network};
use super::permits::Permits;
use crate::auth::{Auth, Proof, Strangers};
use crate::blocking::Pool;
use crate::channel::Channels;
use crate::clock::Clock;
use crate::events::Events;
use crate::ingest::Ingest;
use crate::metrics::Metrics;
use crate::outbox::Outbox;
use crate::readers::Readers;
use crate::settings::Settings;

/// State shared by the handlers.
pub struct App {
    pub ingest: Ingest,
    pub readers: Readers,
    pub events: Arc<Events>,
    pub metrics: Arc<Metrics>,
    pub auth: Arc<Auth>,
    /// Channels that tell people of alarms, and what waits for them.
    pub channels: Arc<Channels>,
    pub outbox: Outbox,
    /// Tests of channels in progress.
    pub tests: Permits<i64>,
    pub settings: Settings,
    pub public: Made,
    pub clock: Clock,
    /// A station is silent after this long without a reading, if no rule says otherwise.
    pub silent_after_ms: i64,
    /// Mark cookies as `Secure` (TLS only).
    pub secure: bool,
    /// Send Strict-Transport-Security for the whole host, whatever its port. Set where a proxy
    /// has the host's name.
    pub strict: bool,
    /// Host names by which browsers may reach this server.
    pub hosts: Hosts,
    /// Proxies whose forwarding headers are trusted.
    pub proxies: Vec<Network>,
    /// Maximum live listeners: in total, and per user or token.
    pub listeners_max: (usize, usize),
    pub listeners: Permits<String>,
    /// Requests with readings in progress.
    pub posts: Permits<Proof>,
    /// Portions of readings that are being stored.
    pub portions: Semaphore,
    /// Pool for files that are read on request.
    pub files: Pool,
    /// Posts of addresses without a token. `None`: only known stations may post.
    pub strangers: Option<Strangers>,
    /// The lab's report page, served at `/report`.
    pub report: Option<std::path::PathBuf>,
    /// The gateway on this machine, if there is one.
    pub gateway: Option<Arc<dyn Gateway>>,
    /// Becomes true when the collector stops, which disconnects the live listeners.
    pub stopping: tokio::sync::watch::Receiver<bool>,
}

impl std::fmt::Debug for App {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("App")
    }
}

/// Answers the requests that only a gateway can: `/pairing`, `/devices`, `/devices/{id}/qr.svg`,
/// below `/api/v1`. The caller has been checked to be an admin.
pub trait Gateway: Send + Sync {
    fn answer(
        &self,
        request: Request,
    ) -> std::pin::Pin<Box<dyn std::future::Future<Output = Response> + Send + '_>>;
}

/// Address of the other end of a connection.
#[derive(Debug, Clone, Copy)]
pub struct Peer(pub SocketAddr);
