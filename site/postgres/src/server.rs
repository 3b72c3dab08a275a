//! The servers of a connection string. If it names several, they are one cluster of a server and its
//! standbys, and the one that takes writes is wanted. After a failover that is another one.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio_postgres::config::TargetSessionAttrs;
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

/// The same for the server's end of the connection. Without it a server keeps the session of a client
/// whose network was cut for two hours, with its locks, and refuses the client's next session. Names
/// that the server does not know are left out.
const SESSION: &str = "SELECT set_config(name, value, false) FROM (VALUES
    ('tcp_keepalives_idle', '5'), ('tcp_keepalives_interval', '5'),
    ('tcp_keepalives_count', '3'), ('tcp_user_timeout', '20s')) AS wanted(name, value)
    WHERE current_setting(name, true) IS NOT NULL";

/// See the [module](self).
pub struct Server {
    /// The connection string without what concerns TLS.
    url: String,
    application: String,
    security: Security,
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
        let config = configured(&url, application, &security).ok_or_else(|| {
            Error::Invalid(format!(
                "'{place}' is not a PostgreSQL connection string (postgresql://USER@HOST/DATABASE)"
            ))
        })?;
        Ok(Server {
            tls: security.rustls()?,
            application: application.into(),
            url,
            security,
            config,
            place,
        })
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
        let mut client = match &self.tls {
            Some(tls) => Client::connect(runtime, &self.config, tls.clone(), limit),
            None => Client::connect(runtime, &self.config, NoTls, limit),
        }?;
        client.batch_execute(SESSION)?;
        Ok(client)
    }

    /// Why there is no connection, from the reason of the last host.
    pub fn unconnected(&self, reason: String) -> String {
        match self.config.get_hosts().len() {
            0 | 1 => reason,
            hosts => format!("none of its {hosts} hosts takes writes; the last one: {reason}"),
        }
    }

    /// The next connection begins with the next host. A server that was cut off from its standby takes
    /// connections and confirms no transaction, while another one is the right one.
    pub fn was_silent(&mut self) {
        self.url = next_host_first(&self.url);
        if let Some(config) = configured(&self.url, &self.application, &self.security) {
            self.config = config;
        }
    }
}

/// The settings of a connection string. `None` if it is none.
fn configured(url: &str, application: &str, security: &Security) -> Option<Config> {
    let mut config: Config = url.parse().ok()?;
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(CONNECT);
    }
    config.tcp_user_timeout(CONNECT);
    config.keepalives_idle(QUIET);
    config.keepalives_interval(QUIET);
    config.keepalives_retries(3);
    config.application_name(application);
    config.ssl_mode(security.ssl_mode());
    if config.get_hosts().len() > 1 && config.get_target_session_attrs() == TargetSessionAttrs::Any
    {
        config.target_session_attrs(TargetSessionAttrs::ReadWrite);
    }
    Some(config)
}

/// The connection string with its first host behind the others.
pub fn next_host_first(url: &str) -> String {
    let after_scheme = url.find("://").map_or(0, |at| at + 3);
    let end = url[after_scheme..].find(['/', '?']);
    let end = end.map_or(url.len(), |at| after_scheme + at);
    let begin = url[..end].rfind('@').map_or(after_scheme, |at| at + 1);
    match url[begin..end].split_once(',') {
        Some((first, others)) => format!("{}{others},{first}{}", &url[..begin], &url[end..]),
        None => url.into(),
    }
}

/// A runtime for clients, as an error of the connection string.
///
/// # Errors
/// The system gives no more descriptors.
pub fn runtime() -> Result<Arc<Runtime>> {
    client::runtime().map_err(cannot_start)
}

/// The same with a thread of its own ([`client::busy_runtime`]).
///
/// # Errors
/// The system gives no more descriptors or threads.
pub fn busy_runtime() -> Result<Arc<Runtime>> {
    client::busy_runtime().map_err(cannot_start)
}

fn cannot_start(error: std::io::Error) -> Error {
    Error::Invalid(format!("cannot start a PostgreSQL client: {error}"))
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
