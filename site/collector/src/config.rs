//! Configuration of a collector.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use selo_codec::Language;

use crate::clock::Clock;
use crate::db::Location;
use crate::http::Gateway;
use crate::http::names::Network;
use crate::http::server::Limits;
use crate::http::tls::{Offer, TlsFiles};
use crate::retention::Retention;
use crate::titles::Titles;

/// Configuration of a collector.
#[derive(Clone)]
pub struct Config {
    /// Directory of the user file. Created with mode 0700.
    pub state: PathBuf,
    pub database: Location,
    pub http: SocketAddr,
    /// Certificate and key, if the collector itself serves TLS.
    pub tls: Option<TlsFiles>,
    /// TLS parameters that it offers.
    pub offer: Offer,
    /// Accepts posts that stations make about themselves from anyone, without a token.
    pub strangers: bool,
    /// A TLS proxy is in front of the collector.
    pub behind_proxy: bool,
    /// Proxies whose forwarding headers are trusted.
    pub proxies: Vec<Network>,
    /// Host names by which browsers reach it, in addition to addresses and `localhost`. May be
    /// empty if the collector has its own certificate.
    pub hosts: Vec<String>,
    pub limits: Limits,
    pub clock: Clock,
    /// Maximum readings of one transaction.
    pub batch_max: usize,
    /// Maximum pages of a SQLite file. For tests of a full disk.
    pub pages_max: Option<u64>,
    /// A station is silent after this long without a reading.
    pub silent_after_ms: i64,
    /// The lab's report page, served at `/report`.
    pub report: Option<PathBuf>,
    pub retention: Retention,
    /// Webhook URLs that receive alarm notices.
    pub webhooks: Vec<String>,
    /// The broker that delivers readings and receives alarm notices.
    pub mqtt: Option<selo_mqtt::ClientConfig>,
    /// The NATS server whose stream delivers the readings of a site.
    pub stream: Option<selo_stream::StreamConfig>,
    /// Tell Home Assistant about alarms, over the broker.
    pub home_assistant: bool,
    /// Titles of values on pages and in messages.
    pub titles: Titles,
    /// Language of the names in Home Assistant.
    pub language: Language,
    /// The gateway on this machine.
    pub gateway: Option<Arc<dyn Gateway>>,
}

impl std::fmt::Debug for Config {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Config")
            .field("state", &self.state)
            .field("database", &self.database.to_string())
            .field("http", &self.http)
            .finish_non_exhaustive()
    }
}

impl Config {
    /// A configuration that keeps everything in `state` and listens on this machine only.
    pub fn new(state: PathBuf) -> Config {
        Config {
            database: Location::Sqlite(state.join("readings.db")),
            state,
            http: SocketAddr::from(([127, 0, 0, 1], 7380)),
            tls: None,
            offer: Offer::default(),
            strangers: false,
            behind_proxy: false,
            proxies: Vec::new(),
            hosts: Vec::new(),
            limits: Limits::default(),
            clock: Clock::System,
            batch_max: 4096,
            pages_max: None,
            silent_after_ms: 3_600_000,
            report: None,
            retention: Retention::default(),
            webhooks: Vec::new(),
            mqtt: None,
            stream: None,
            home_assistant: true,
            titles: Titles::default(),
            language: Language::default(),
            gateway: None,
        }
    }

    /// Returns true if several collectors may write to the database, each in its turn.
    pub(crate) fn is_shared(&self) -> bool {
        self.stream.is_some() && matches!(self.database, Location::Postgres(_))
    }
}
