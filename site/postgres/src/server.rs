//! The servers of a connection string. If it names several, they are one cluster of a server and its
//! standbys, and the one that takes writes is wanted. After a failover that is another one.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio_postgres::config::{LoadBalanceHosts, TargetSessionAttrs};
use tokio_postgres::{Config, NoTls};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::client::{self, Client};
use crate::problem::Problem;
use crate::tls::{Error, Result, Security};

/// Timeout of a new connection, for each host.
const CONNECT: Duration = Duration::from_secs(5);
/// Timeout of the first answer.
const ANSWER: Duration = Duration::from_secs(2);
/// A server whose machine is gone sends nothing. After this silence the system asks it, and after
/// three questions without an answer the connection ends.
const QUIET: Duration = Duration::from_secs(5);

/// See the [module](self).
pub struct Server {
    config: Config,
    /// `None`: without TLS.
    tls: Option<MakeRustlsConnect>,
    place: String,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Server({})", self.place)
    }
}

impl Server {
    /// Reads a connection string. `application` is the name that the server shows.
    ///
    /// # Errors
    /// It is not a connection string, or a certificate cannot be read.
    pub fn of(url: &str, application: &str) -> Result<Server> {
        let place = without_password(url);
        let (url, security) = Security::of_url(url)?;
        let mut config: Config = url.parse().map_err(|_| {
            Error::Invalid(format!(
                "'{place}' is not a PostgreSQL connection string (postgresql://USER@HOST/DATABASE)"
            ))
        })?;
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT);
        }
        config.tcp_user_timeout(CONNECT);
        config.keepalives_idle(QUIET);
        config.keepalives_interval(QUIET);
        config.keepalives_retries(3);
        config.application_name(application);
        config.ssl_mode(security.ssl_mode());
        if config.get_hosts().len() > 1
            && config.get_target_session_attrs() == TargetSessionAttrs::Any
        {
            config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        }
        let tls = security.rustls()?;
        Ok(Server { config, tls, place })
    }

    /// The connection string without its password.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Connects.
    ///
    /// # Errors
    /// No host accepts the connection, or none of several takes writes.
    pub fn connect(&self, runtime: &Arc<Runtime>) -> std::result::Result<Client, Problem> {
        let hosts = self.config.get_hosts().len().max(1) as u32;
        let limit = self.config.get_connect_timeout().unwrap_or(&CONNECT);
        let limit = limit.saturating_mul(hosts).saturating_add(ANSWER);
        match &self.tls {
            Some(tls) => Client::connect(runtime, &self.config, tls.clone(), limit),
            None => Client::connect(runtime, &self.config, NoTls, limit),
        }
    }

    /// Why there is no connection, from the reason of the last host.
    pub fn unconnected(&self, reason: String) -> String {
        match self.config.get_hosts().len() {
            0 | 1 => reason,
            hosts => format!("none of its {hosts} hosts takes writes; the last one: {reason}"),
        }
    }

    /// From now on the hosts are tried in random order. A server that was cut off from its standby
    /// takes connections and confirms no transaction, while another one is the right one.
    pub fn was_silent(&mut self) {
        self.config.load_balance_hosts(LoadBalanceHosts::Random);
    }
}

/// A runtime for clients, as an error of the connection string.
///
/// # Errors
/// The system gives no more descriptors.
pub fn runtime() -> Result<Arc<Runtime>> {
    client::runtime()
        .map_err(|error| Error::Invalid(format!("cannot start a PostgreSQL client: {error}")))
}

/// The connection string without its password and parameters.
pub fn without_password(url: &str) -> String {
    let after_scheme = url.find("://").map_or(0, |at| at + 3);
    let (scheme, rest) = url.split_at(after_scheme);
    let rest = match rest.rsplit_once('@') {
        Some((user, host)) => {
            let name = user.split(':').next().unwrap_or("");
            format!("{name}@{host}")
        }
        None => rest.to_string(),
    };
    // Query parameters may contain a password too.
    let rest = rest.split('?').next().unwrap_or("");
    format!("{scheme}{rest}")
}
