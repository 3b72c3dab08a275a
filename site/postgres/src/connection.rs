//! A connection to PostgreSQL that is replaced when it breaks, with limits on the time that a
//! server can hold its client up.

use std::sync::Arc;
use std::time::{Duration, Instant};

use selo_base::report::chain;
use selo_gateway::{Error, Result};
use tokio::runtime::Runtime;
use tokio_postgres::error::SqlState;

use crate::client::Client;
use crate::problem::Problem;
use crate::server::{self, Server};
use crate::tls;

/// Time without use after which a connection is checked before it is used.
const IDLE: Duration = Duration::from_secs(1);
/// Timeout of that check.
const ANSWER: Duration = Duration::from_secs(2);
/// Maximum wait for the answer to a statement. The server's own limit, `statement_timeout`, is
/// less, so that a busy server says so.
const STATEMENT: Duration = Duration::from_secs(8);

/// Settings of each session. A client that was paused within a transaction must not hold its
/// locks: others wait for them. A commit must be on disk, whatever the server's default is.
const SESSION: &str = "
    SET statement_timeout = '5s';
    SET lock_timeout = '3s';
    SET idle_in_transaction_session_timeout = '3s';
    SELECT set_config('synchronous_commit', 'on', false)
        WHERE current_setting('synchronous_commit') IN ('off', 'local', 'remote_write');";

/// See the [module](self).
pub struct Connection {
    runtime: Arc<Runtime>,
    server: Server,
    client: Option<Client>,
    used: Instant,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Connection({})", self.place())
    }
}

impl Connection {
    /// Reads the connection string. Connects with the first use.
    ///
    /// # Errors
    /// [`Error::Invalid`] if it is not a connection string, or a certificate cannot be read.
    pub fn new(url: &str) -> Result<Connection> {
        let invalid = |error: tls::Error| Error::Invalid(error.to_string());
        Ok(Connection {
            runtime: server::runtime().map_err(invalid)?,
            server: Server::of(url, "selo registry").map_err(invalid)?,
            client: None,
            used: Instant::now(),
        })
    }

    /// The server, without the password.
    pub fn place(&self) -> &str {
        self.server.place()
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
            Err(problem @ (Problem::Silent(_) | Problem::Closed)) => {
                self.client = None;
                self.server.was_silent();
                Err(self.away(&problem))
            }
        }
    }

    fn ready(&mut self) -> Result<&mut Client> {
        let idle = self.used.elapsed() >= IDLE;
        // A connection that broke while idle looks healthy until it is used.
        let broken = |client: &mut Client| client.is_closed() || (idle && !client.answers(ANSWER));
        if self.client.as_mut().is_some_and(broken) {
            self.client = None;
        }
        if self.client.is_none() {
            let connected = self.connect();
            if let Err(Problem::Silent(_)) = connected {
                self.server.was_silent();
            }
            let client = connected.map_err(|problem| match problem {
                Problem::Server(error) => match self.meaning(&error) {
                    Error::RegistryRefused { place, reason }
                    | Error::RegistryAway { place, reason } => Error::RegistryAway {
                        place,
                        reason: self.server.unconnected(reason),
                    },
                    other => other,
                },
                Problem::Ours(error) => error,
                problem => self.away(&problem),
            });
            self.client = Some(client?);
        }
        let lost = Problem::Closed;
        let place = self.server.place();
        self.client.as_mut().ok_or_else(|| away(place, &lost))
    }

    fn connect(&self) -> std::result::Result<Client, Problem> {
        let mut client = self.server.connect(&self.runtime)?;
        client.limit(STATEMENT);
        client.batch_execute(SESSION)?;
        Ok(client)
    }

    fn away(&self, problem: &Problem) -> Error {
        away(self.place(), problem)
    }

    fn meaning(&self, error: &tokio_postgres::Error) -> Error {
        let place = self.place().to_owned();
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
                    .iter()
                    .any(|class| code.code().starts_with(class)) =>
            {
                Error::RegistryAway { place, reason }
            }
            Some(_) => Error::RegistryRefused { place, reason },
        }
    }
}

fn away(place: &str, problem: &Problem) -> Error {
    let reason = match problem {
        Problem::Silent(limit) => format!(
            "it accepts connections, but has not answered within {} s",
            limit.as_secs()
        ),
        _ => "the connection is lost".into(),
    };
    Error::RegistryAway {
        place: place.into(),
        reason,
    }
}
