//! Errors of an exchange. The message says what happened, [`Error::hint`] what to do next, and
//! [`Error::fault`] is the word for it in a row.

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use thiserror::Error;

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The cause of a failed exchange, as stored in rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// No server listens at the address.
    ServerAbsent,
    /// The connection closed before the exchange was complete.
    Cut,
    /// Nothing arrived within the time limit.
    Timeout,
    /// The two ends have different keys.
    WrongKey,
    /// A message does not open: its tag or its padding is wrong.
    Altered,
    /// A message opens, but differs from the one that was sent.
    Differs,
    /// The certificate has another name, or no trusted authority signed it.
    WrongCertificate,
    ExpiredCertificate,
    /// The server does not offer the suite, the key exchange or resumption.
    NotOffered,
    /// The other end violates the protocol.
    Protocol,
    /// The server refused: message too large, too many clients, or an unknown cipher.
    Refused,
    /// An error of this machine.
    Machine,
}

#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    #[error("{message}")]
    Usage { message: String, hint: String },

    #[error("{}: {why}", path.display())]
    File {
        path: PathBuf,
        why: String,
        hint: String,
    },

    #[error("no server at {to}: {source}")]
    Absent {
        to: String,
        /// The subcommand that starts the server.
        server: &'static str,
        source: io::Error,
    },

    #[error("the connection was closed while {doing}")]
    Cut { doing: &'static str },

    #[error("no data for {seconds} s while {doing}")]
    Timeout { doing: &'static str, seconds: u64 },

    #[error("the server has another key")]
    WrongKey,

    #[error("{who} cannot decrypt the message: its {what} is wrong")]
    Altered {
        who: &'static str,
        what: &'static str,
    },

    #[error("{who} received a different message than was sent")]
    Differs { who: &'static str },

    #[error("the server's certificate is not trusted: {why}")]
    WrongCertificate { why: String },

    #[error("the server's certificate has expired, or is not valid yet")]
    ExpiredCertificate,

    #[error("the server does not offer {what}")]
    NotOffered { what: String },

    #[error("the handshake was not resumed: {why}")]
    NotResumed { why: String },

    #[error("the other end violates the protocol: {0}")]
    Protocol(String),

    #[error("the server refused: {0}")]
    Refused(String),

    #[error("the server requires a valid token: {0}")]
    Token(String),

    /// A client with another library, on a board or on this machine.
    #[error("the client failed: {why}")]
    Embedded { why: String },

    /// A library that computes in this process.
    #[error("{name} failed: {why}")]
    Implementation { name: String, why: String },

    #[error("cannot {doing}: {source}")]
    Machine {
        doing: &'static str,
        source: io::Error,
    },

    #[error("cannot get random bytes from the system: {0}")]
    Random(getrandom::Error),

    #[error(transparent)]
    Lab(#[from] selo_engine::Error),

    #[error(transparent)]
    Paper(#[from] selo_report::paper::PaperError),

    /// Some exchanges failed; each row has its reason.
    #[error("{failed} of {all} exchanges failed; the first error: {first}")]
    Failed {
        failed: usize,
        all: usize,
        first: String,
        hint: Option<String>,
    },
}

impl Error {
    /// Makes the error of a failed read from the peer or write to it.
    pub(crate) fn network(source: io::Error, doing: &'static str, seconds: u64) -> Error {
        use io::ErrorKind as Kind;
        match source.kind() {
            Kind::WouldBlock | Kind::TimedOut => Error::Timeout { doing, seconds },
            Kind::UnexpectedEof
            | Kind::ConnectionReset
            | Kind::ConnectionAborted
            | Kind::BrokenPipe => Error::Cut { doing },
            _ => Error::Machine { doing, source },
        }
    }

    pub(crate) fn usage(message: impl Into<String>, hint: impl Into<String>) -> Error {
        Error::Usage {
            message: message.into(),
            hint: hint.into(),
        }
    }

    /// The word for this error in a row.
    pub fn fault(&self) -> Fault {
        match self {
            Error::Absent { .. } => Fault::ServerAbsent,
            Error::Cut { .. } => Fault::Cut,
            Error::Timeout { .. } => Fault::Timeout,
            Error::WrongKey => Fault::WrongKey,
            Error::Altered { .. } => Fault::Altered,
            Error::Differs { .. } => Fault::Differs,
            Error::WrongCertificate { .. } => Fault::WrongCertificate,
            Error::ExpiredCertificate => Fault::ExpiredCertificate,
            Error::NotOffered { .. } | Error::NotResumed { .. } => Fault::NotOffered,
            Error::Protocol(_) => Fault::Protocol,
            Error::Refused(_) | Error::Token(_) => Fault::Refused,
            _ => Fault::Machine,
        }
    }

    /// A one-line hint that says what the user can do, if there is anything.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Error::Usage { hint, .. } | Error::File { hint, .. } => hint.clone(),
            Error::Failed { hint, .. } => return hint.clone(),
            Error::Lab(error) => return error.hint(),
            Error::Absent { server, .. } => format!(
                "start one there (`selo exchange {server} --listen ADDR:PORT ...`), and check that no firewall blocks it"
            ),
            Error::Cut { .. } => {
                "read the server's output; the rows are kept, and the same command continues"
                    .into()
            }
            Error::Timeout { .. } => "use a longer --timeout for a slow link".into(),
            Error::WrongKey => {
                "copy the key file to both machines over a secure channel; `selo exchange key --id FILE` compares them"
                    .into()
            }
            Error::Altered { .. } | Error::Differs { .. } => {
                "something between the two ends alters the bytes".into()
            }
            Error::WrongCertificate { .. } => {
                "give the authority that signed it with --ca FILE, and use the server's name from the certificate in --to"
                    .into()
            }
            Error::ExpiredCertificate => {
                "renew it on the server (`selo setup DIR` renews its own), and check that both clocks are right"
                    .into()
            }
            Error::NotOffered { .. } => {
                "for ciphers, `selo exchange list` shows which --implementation offers them; for TLS, check the server's --suite and --group (of `selo collect`: --tls-suite and --tls-group)"
                    .into()
            }
            Error::NotResumed { .. } => {
                "start the server without --without-tickets (`selo collect`: --tls-without-tickets); a server accepts only tickets that it issued since its start"
                    .into()
            }
            Error::Protocol(_) => {
                "check that the other end is `selo exchange` or a collector, of the same version".into()
            }
            Error::Token(_) => {
                "give one with --token-file FILE, mode 0600; the collector issues them for the role device (docs/operator/collector.md)"
                    .into()
            }
            Error::Implementation { .. } => {
                "test it with: selo lab check --board native --library NAME".into()
            }
            _ => return None,
        })
    }

    /// Exit code of the command line for this error (docs/researcher/exchange.md).
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::Usage { .. } | Error::File { .. } | Error::Paper(_) => 2,
            Error::Machine { .. } | Error::Random(_) | Error::Implementation { .. } => 4,
            Error::Lab(error) => error.exit_code(),
            _ => 1,
        }
    }
}

impl selo_base::report::Failure for Error {
    fn hint(&self) -> Option<String> {
        Error::hint(self)
    }

    fn exit_code(&self) -> u8 {
        Error::exit_code(self)
    }
}

/// Makes the error of an operating-system call. `doing` completes "cannot ...".
pub(crate) fn machine(doing: &'static str) -> impl Fn(std::io::Error) -> Error {
    move |source| Error::Machine { doing, source }
}
