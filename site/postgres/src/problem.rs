//! Errors while a connection is used.

use std::time::Duration;

use selo_gateway::Error;

/// An error of the work on a connection ([`crate::connection::Connection::run`]).
#[derive(Debug)]
pub enum Problem {
    Server(tokio_postgres::Error),
    /// The server did not answer within this time.
    Silent(Duration),
    /// The connection was closed before.
    Closed,
    /// Of this program: the transaction was rolled back.
    Ours(Error),
}

impl From<tokio_postgres::Error> for Problem {
    fn from(error: tokio_postgres::Error) -> Problem {
        Problem::Server(error)
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Problem {
        Problem::Ours(error)
    }
}
