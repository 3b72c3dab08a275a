//! The second experiment with an embedded TLS library as the client.

use std::net::TcpStream;
use std::time::{Duration, SystemTime};

use rustls::pki_types::CertificateDer;
use selo_engine::project::Project;
use zeroize::Zeroizing;

use super::url::Url;
use super::{Group, Suite};
use crate::embedded::{Embedded, Session, Told, ends};
use crate::error::{Error, Result};
use crate::net;
use crate::row::Delivered;

/// Bytes that a client has for its job: authorities, request, a few words (tls.c).
const JOB_BYTES: usize = 3072;
/// Further bytes for a session, if the client resumes.
const SESSION_BYTES: usize = 1024;

/// The libraries with a client: a file NAME.c and its description NAME.toml.
pub const LIBRARIES: [&str; 2] = ["wolfssl", "mbedtls"];

/// The request, and the required properties of the exchange.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    pub url: &'a Url,
    pub authorities: &'a [CertificateDer<'static>],
    pub suite: Suite,
    pub group: Group,
    /// The handshake must be a resumed one.
    pub resumed: bool,
    /// The whole request.
    pub request: &'a str,
    pub timeout: Duration,
}

/// Optional features of an image. An image without a feature contains neither its code nor its
/// variables, so rows show what the feature costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Features {
    /// Keeps tickets, and resumes with them.
    pub resumes: bool,
    /// X25519MLKEM768.
    pub hybrid: bool,
}

impl Features {
    /// The features that an exchange needs.
    pub fn of(group: Group, resumed: bool) -> Features {
        Features {
            resumes: resumed,
            hybrid: group == Group::X25519MlKem768,
        }
    }

    fn defines(self) -> Vec<String> {
        let all = [
            (self.resumes, "-DCLIENT_RESUMES=1"),
            (self.hybrid, "-DCLIENT_HYBRID=1"),
        ];
        let wanted = all.into_iter().filter(|(wanted, _)| *wanted);
        wanted.map(|(_, define)| define.to_owned()).collect()
    }
}

/// Splits `LIBRARY` or `LIBRARY@BOARD` into library and board.
fn parts(spec: &str) -> Result<(&str, Option<&str>)> {
    let (name, board) = match spec.split_once('@') {
        Some((name, board)) => (name, Some(board)),
        None => (spec, None),
    };
    if !LIBRARIES.contains(&name) {
        return Err(Error::usage(
            format!("unknown client '{name}'"),
            format!(
                "use rustls, or {} with or without @BOARD",
                LIBRARIES.join(", ")
            ),
        ));
    }
    Ok((name, board))
}

/// Refuses key exchanges that the library of `spec` lacks.
pub fn check(project: &Project, spec: &str, groups: &[Group]) -> Result<()> {
    let has = Embedded::groups(project, parts(spec)?.0)?;
    match groups
        .iter()
        .find(|group| !has.iter().any(|name| name == group.name()))
    {
        None => Ok(()),
        Some(group) => Err(Error::usage(
            format!("{spec} does not offer {}", group.name()),
            format!("use --group {}", has.join(",")),
        )),
    }
}

/// Builds `LIBRARY` or `LIBRARY@BOARD`.
pub fn build(project: &Project, spec: &str, features: Features, say: fn(&str)) -> Result<Embedded> {
    let (name, board) = parts(spec)?;
    Embedded::build(project, name, board, &features.defines(), say)
}

/// A client, with the state that it keeps between exchanges.
#[derive(Debug)]
pub struct Client<'a> {
    embedded: &'a Embedded,
    ask: Ask<'a>,
    session: Option<Session>,
}

impl<'a> Client<'a> {
    /// Makes a client. `embedded` must have the features that `ask` needs.
    pub fn new(embedded: &'a Embedded, ask: Ask<'a>) -> Client<'a> {
        Client {
            embedded,
            ask,
            session: None,
        }
    }

    /// Runs one exchange. A client that resumes and has no ticket gets one first.
    pub fn exchange(&mut self) -> Result<Delivered> {
        if !self.ask.resumed {
            return Ok(once(self.embedded, &self.ask, None)?.done);
        }
        // A ticket is used once. Each exchange leaves a ticket for the next one, but the first
        // exchange and one after a failure have none, and a restarted server knows none.
        for _ in 0..2 {
            let session = self.session.take();
            let told = once(self.embedded, &self.ask, session.as_ref())?;
            self.session = told.session;
            if told.resumed {
                return Ok(told.done);
            }
            if self.session.is_none() {
                return Err(Error::NotResumed {
                    why: "the server issued no ticket".into(),
                });
            }
        }
        Err(Error::NotResumed {
            why: "the server did not accept the ticket that it had just issued".into(),
        })
    }
}

/// Runs one connection. It resumes with `session` if the server accepts it.
pub fn once(client: &Embedded, ask: &Ask<'_>, session: Option<&Session>) -> Result<Told> {
    let connect = || {
        let stream = net::connect(&ask.url.address(), "serve-tls", ask.timeout)?;
        ends(stream, TcpStream::try_clone)
    };
    client.exchange(&job(ask, session)?, connect, ask.timeout)
}

/// The input that the client reads first (tls.c).
fn job(ask: &Ask<'_>, session: Option<&Session>) -> Result<Zeroizing<Vec<u8>>> {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let authorities: usize = ask.authorities.iter().map(|der| der.len()).sum();
    let session = session.map_or(&[][..], |session| &session.0);
    let head = format!(
        "host={}\nsuite={}\ngroup={}\ntime={}\nauthorities={authorities}\nrequest={}\nsession={}\n\n",
        ask.url.host.trim_matches(['[', ']']),
        ask.suite.name(),
        ask.group.name(),
        now.unwrap_or_default().as_secs(),
        ask.request.len(),
        session.len(),
    );
    let size = head.len() + authorities + ask.request.len();
    if size > JOB_BYTES {
        return Err(Error::usage(
            format!(
                "authorities and request take {size} bytes; the limit of this client is {JOB_BYTES}"
            ),
            "use a --ca FILE with a single authority",
        ));
    }
    if session.len() > SESSION_BYTES {
        return Err(Error::NotResumed {
            why: format!(
                "the session and its ticket take {} bytes; the limit of this client is {SESSION_BYTES}",
                session.len()
            ),
        });
    }
    // Reserve the whole size: growing would leave copies of the secret in memory.
    let mut job = Zeroizing::new(Vec::with_capacity(size + session.len()));
    job.extend_from_slice(head.as_bytes());
    for der in ask.authorities {
        job.extend_from_slice(der);
    }
    job.extend_from_slice(ask.request.as_bytes());
    job.extend_from_slice(session);
    Ok(job)
}
