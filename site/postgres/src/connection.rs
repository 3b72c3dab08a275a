//! A connection to PostgreSQL that is replaced when it breaks, with limits on the time that a
//! server can hold its client up.

use std::time::{Duration, Instant};

use postgres::error::SqlState;
use postgres::{Client, Config, NoTls};
use selo_base::report::chain;
use selo_gateway::{Error, Result};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::tls::{self, Security};

/// Time without use after which a connection is checked before it is used.
const IDLE: Duration = Duration::from_secs(1);
/// Timeout of that check.
const ANSWER: Duration = Duration::from_secs(2);
/// Timeout of a new connection.
const CONNECT: Duration = Duration::from_secs(5);

/// Settings of each session. A client that was paused within a transaction must not hold its
/// locks: others wait for them. A commit must be on disk, whatever the server's default is.
const SESSION: &str = "
    SET statement_timeout = '5s';
    SET lock_timeout = '3s';
    SET idle_in_transaction_session_timeout = '3s';
    SELECT set_config('synchronous_commit', 'on', false)
        WHERE current_setting('synchronous_commit') IN ('off', 'local');";

/// See the [module](self).
pub struct Connection {
    config: Config,
    /// `None`: without TLS.
    tls: Option<MakeRustlsConnect>,
    client: Option<Client>,
    used: Instant,
    place: String,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Connection({})", self.place)
    }
}

impl Connection {
    /// Reads the connection string. Connects with the first use.
    ///
    /// # Errors
    /// [`Error::Invalid`] if it is not a connection string, or a certificate cannot be read.
    pub fn new(url: &str) -> Result<Connection> {
        let place = without_password(url);
        let invalid = |error: tls::Error| Error::Invalid(error.to_string());
        let (url, security) = Security::of_url(url).map_err(invalid)?;
        let mut config: Config = url.parse().map_err(|_| {
            Error::Invalid(format!(
                "'{place}' is not a PostgreSQL connection string (postgresql://USER@HOST/DATABASE)"
            ))
        })?;
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT);
        }
        config.tcp_user_timeout(CONNECT);
        config.application_name("selo registry");
        let tls = security.connector(&mut config).map_err(invalid)?;
        Ok(Connection {
            config,
            tls,
            client: None,
            used: Instant::now(),
            place,
        })
    }

    /// The server, without the password.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Runs `work`, on a new connection if the last one is broken. After an error the work may
    /// have come into force.
    ///
    /// # Errors
    /// [`Error::RegistryAway`], [`Error::RegistryReadOnly`] or [`Error::RegistryRefused`].
    pub fn run<T>(
        &mut self,
        work: impl FnOnce(&mut Client) -> std::result::Result<T, Problem>,
    ) -> Result<T> {
        let client = self.ready()?;
        let done = work(client);
        self.used = Instant::now();
        match done {
            Ok(done) => Ok(done),
            Err(Problem::Ours(error)) => Err(error),
            Err(Problem::Server(error)) => {
                let meaning = self.meaning(&error);
                // An unknown state of a transaction is not carried on.
                if !matches!(meaning, Error::RegistryRefused { .. }) {
                    self.client = None;
                }
                Err(meaning)
            }
        }
    }

    fn ready(&mut self) -> Result<&mut Client> {
        let idle = self.used.elapsed() >= IDLE;
        // A connection that broke while idle looks healthy until it is used.
        let broken =
            |client: &mut Client| client.is_closed() || (idle && client.is_valid(ANSWER).is_err());
        if self.client.as_mut().is_some_and(broken) {
            self.client = None;
        }
        if self.client.is_none() {
            let connected = match &self.tls {
                Some(tls) => self.config.connect(tls.clone()),
                None => self.config.connect(NoTls),
            };
            let client = connected.and_then(|mut client| {
                client.simple_query(SESSION)?;
                Ok(client)
            });
            self.client = Some(client.map_err(|error| match self.meaning(&error) {
                Error::RegistryRefused { place, reason } => Error::RegistryAway { place, reason },
                other => other,
            })?);
        }
        self.client.as_mut().ok_or_else(|| Error::RegistryAway {
            place: self.place.clone(),
            reason: "the connection is lost".into(),
        })
    }

    fn meaning(&self, error: &postgres::Error) -> Error {
        let place = self.place.clone();
        let reason = match error.as_db_error() {
            Some(answer) => format!("{} ({})", answer.message(), answer.code().code()),
            None => tls::why(error).unwrap_or_else(|| chain(error)),
        };
        match error.code() {
            // Not an answer of the server: the connection failed.
            None => Error::RegistryAway { place, reason },
            Some(code) if *code == SqlState::READ_ONLY_SQL_TRANSACTION => {
                Error::RegistryReadOnly { place, reason }
            }
            // SQLSTATE classes: connection, transaction state, rollback, resources, objects in
            // use, operator, system, authorisation [POSTGRESQL, Appendix A].
            Some(code)
                if ["08", "25", "28", "40", "53", "55", "57", "58"]
                    .contains(&&code.code()[..2]) =>
            {
                Error::RegistryAway { place, reason }
            }
            Some(_) => Error::RegistryRefused { place, reason },
        }
    }
}

/// An error within [`Connection::run`].
#[derive(Debug)]
pub enum Problem {
    Server(postgres::Error),
    /// Of this program: the transaction was rolled back.
    Ours(Error),
}

impl From<postgres::Error> for Problem {
    fn from(error: postgres::Error) -> Problem {
        Problem::Server(error)
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Problem {
        Problem::Ours(error)
    }
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
