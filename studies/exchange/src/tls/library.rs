//! The second experiment with the TLS library of an embedded system in the client's place.

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

/// What a client has room for: authorities, request, a few words (tls.c).
const JOB_BYTES: usize = 3072;
/// And for a session, where it resumes.
const SESSION_BYTES: usize = 1024;

/// The libraries that there is a client of: a file NAME.c and its list NAME.toml.
pub const LIBRARIES: [&str; 2] = ["wolfssl", "mbedtls"];

/// What is sent, and what it has to be.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    pub url: &'a Url,
    pub authorities: &'a [CertificateDer<'static>],
    pub suite: Suite,
    pub group: Group,
    /// The handshake is to be a resumed one.
    pub resumed: bool,
    /// The whole request.
    pub request: &'a str,
    pub timeout: Duration,
}

/// What an image has beside what each of them has: without it, it has neither its code nor its
/// variables, so rows tell what it takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Features {
    /// Keeps tickets, and resumes with them.
    pub resumes: bool,
    /// X25519MLKEM768.
    pub hybrid: bool,
}

impl Features {
    /// What an exchange needs.
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

/// Library and board of `LIBRARY` or `LIBRARY@BOARD`.
fn parts(spec: &str) -> Result<(&str, Option<&str>)> {
    let (name, board) = match spec.split_once('@') {
        Some((name, board)) => (name, Some(board)),
        None => (spec, None),
    };
    if !LIBRARIES.contains(&name) {
        return Err(Error::usage(
            format!("there is no client '{name}'"),
            format!("rustls, or {} with or without @BOARD", LIBRARIES.join(", ")),
        ));
    }
    Ok((name, board))
}

/// Refuses key exchanges that the library `spec` does not have.
pub fn check(project: &Project, spec: &str, groups: &[Group]) -> Result<()> {
    let has = Embedded::groups(project, parts(spec)?.0)?;
    match groups
        .iter()
        .find(|group| !has.iter().any(|name| name == group.name()))
    {
        None => Ok(()),
        Some(group) => Err(Error::usage(
            format!("{spec} does not offer {}", group.name()),
            format!("--group {}", has.join(",")),
        )),
    }
}

/// Builds `LIBRARY` or `LIBRARY@BOARD`.
pub fn build(project: &Project, spec: &str, features: Features, say: fn(&str)) -> Result<Embedded> {
    let (name, board) = parts(spec)?;
    Embedded::build(project, name, board, &features.defines(), say)
}

/// A client with what it keeps from one exchange to the next.
#[derive(Debug)]
pub struct Client<'a> {
    embedded: &'a Embedded,
    ask: Ask<'a>,
    session: Option<Session>,
}

impl<'a> Client<'a> {
    /// `embedded` was built with the features that this needs.
    pub fn new(embedded: &'a Embedded, ask: Ask<'a>) -> Client<'a> {
        Client {
            embedded,
            ask,
            session: None,
        }
    }

    /// One exchange. A client that resumes and has no ticket gets one first.
    pub fn exchange(&mut self) -> Result<Delivered> {
        if !self.ask.resumed {
            return Ok(once(self.embedded, &self.ask, None)?.done);
        }
        // A ticket is used once: each exchange leaves one for the next, but the first and one
        // after a failure have none, and a server that was started anew knows none.
        for _ in 0..2 {
            let session = self.session.take();
            let told = once(self.embedded, &self.ask, session.as_ref())?;
            self.session = told.session;
            if told.resumed {
                return Ok(told.done);
            }
            if self.session.is_none() {
                return Err(Error::NotResumed {
                    why: "the server gave no ticket".into(),
                });
            }
        }
        Err(Error::NotResumed {
            why: "the server did not take the ticket that it had just given".into(),
        })
    }
}

/// One connection, which resumes with `session` if the server takes it.
pub fn once(client: &Embedded, ask: &Ask<'_>, session: Option<&Session>) -> Result<Told> {
    let connect = || {
        let stream = net::connect(&ask.url.address(), "serve-tls", ask.timeout)?;
        ends(stream, TcpStream::try_clone)
    };
    client.exchange(&job(ask, session)?, connect, ask.timeout)
}

/// What the client reads first (tls.c).
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
                "authorities and request are {size} bytes; this client has room for {JOB_BYTES}"
            ),
            "--ca FILE with one authority",
        ));
    }
    if session.len() > SESSION_BYTES {
        return Err(Error::NotResumed {
            why: format!(
                "with its ticket a session is {} bytes; this client has room for {SESSION_BYTES}",
                session.len()
            ),
        });
    }
    // Nothing of it stays behind where it would have grown.
    let mut job = Zeroizing::new(Vec::with_capacity(size + session.len()));
    job.extend_from_slice(head.as_bytes());
    for der in ask.authorities {
        job.extend_from_slice(der);
    }
    job.extend_from_slice(ask.request.as_bytes());
    job.extend_from_slice(session);
    Ok(job)
}
