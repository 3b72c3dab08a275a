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

    #[error("the connection was cut while {doing}")]
    Cut { doing: &'static str },

    #[error("nothing came for {seconds} s while {doing}")]
    Timeout { doing: &'static str, seconds: u64 },

    #[error("the server has another key")]
    WrongKey,

    #[error("{who} cannot open the message: its {what} is wrong")]
    Altered {
        who: &'static str,
        what: &'static str,
    },

    #[error("{who} got another message than was sent")]
    Differs { who: &'static str },

    #[error("the server's certificate is not trusted: {why}")]
    WrongCertificate { why: String },

    #[error("the server's certificate has expired, or is not valid yet")]
    ExpiredCertificate,

    #[error("the server does not offer {what}")]
    NotOffered { what: String },

    #[error("the handshake was not resumed: {why}")]
    NotResumed { why: String },

    #[error("the other end does not keep to the protocol: {0}")]
    Protocol(String),

    #[error("the server refused: {0}")]
    Refused(String),

    #[error("the server wants a token that it knows: {0}")]
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

    #[error("no randomness from the system: {0}")]
    Random(getrandom::Error),

    #[error(transparent)]
    Lab(#[from] selo_engine::Error),

    #[error(transparent)]
    Paper(#[from] selo_report::paper::PaperError),

    /// Some exchanges failed; each row has its reason.
    #[error("{failed} of {all} exchanges failed, the first because {first}")]
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

    /// What the user can do about it, in one line, if anything.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Error::Usage { hint, .. } | Error::File { hint, .. } => hint.clone(),
            Error::Failed { hint, .. } => return hint.clone(),
            Error::Lab(error) => return error.hint(),
            Error::Absent { server, .. } => format!(
                "start one there (`selo exchange {server} --listen ADDR:PORT ...`), and see that \
                 no firewall stands between"
            ),
            Error::Cut { .. } => {
                "see what the server says of it; rows so far are kept, and the same command goes on"
                    .into()
            }
            Error::Timeout { .. } => "a slow link needs a longer --timeout".into(),
            Error::WrongKey => {
                "copy the key file to both machines, by a safe way; `selo exchange key --id FILE` \
                 tells them apart"
                    .into()
            }
            Error::Altered { .. } | Error::Differs { .. } => {
                "something between the two ends changes bytes".into()
            }
            Error::WrongCertificate { .. } => {
                "--ca FILE names the authority that signed it, and --to its name as in the \
                 certificate"
                    .into()
            }
            Error::ExpiredCertificate => {
                "renew it on the server (`selo setup DIR` renews its own), and see that both \
                 clocks are right"
                    .into()
            }
            Error::NotOffered { .. } => {
                "`selo exchange list` says which --implementation offers a cipher; of TLS, the \
                 server's --suite and --group say what it offers (of `selo collect` --tls-suite \
                 and --tls-group)"
                    .into()
            }
            Error::NotResumed { .. } => {
                "a server gives tickets unless it has --without-tickets (`selo collect`: \
                 --tls-without-tickets), and takes those that it gave since it was started"
                    .into()
            }
            Error::Protocol(_) => {
                "is it a server of `selo exchange`, or a collector, of the same version?".into()
            }
            Error::Token(_) => {
                "--token-file FILE holds one, mode 0600; the collector makes them for the role \
                 device (docs/operator/collector.md)"
                    .into()
            }
            Error::Implementation { .. } => {
                "`selo lab check --board native --library NAME` holds it to the vectors".into()
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
