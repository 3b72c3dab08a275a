//! The second experiment with the TLS library of an embedded system in the client's place.

use std::net::TcpStream;
use std::time::{Duration, SystemTime};

use rustls::pki_types::CertificateDer;
use selo_lab::project::Project;

use super::client::{Done, Url};
use super::{Group, Suite};
use crate::embedded::{Embedded, ends};
use crate::error::{Error, Result};
use crate::net;

/// What a client has room for: authorities, request, a few words (tls.c).
const JOB_BYTES: usize = 3072;

/// The libraries that there is a client of: a file NAME.c and its list NAME.toml.
pub const LIBRARIES: [&str; 2] = ["wolfssl", "mbedtls"];

/// What is sent, and what it has to be.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    pub url: &'a Url,
    pub authorities: &'a [CertificateDer<'static>],
    pub suite: Suite,
    pub group: Group,
    /// The whole request.
    pub request: &'a str,
    pub timeout: Duration,
}

/// Builds `LIBRARY` or `LIBRARY@BOARD`.
pub fn build(project: &Project, spec: &str, say: fn(&str)) -> Result<Embedded> {
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
    Embedded::build(project, name, board, &[], say)
}

/// One exchange, with a full handshake.
pub fn exchange(client: &Embedded, ask: &Ask<'_>) -> Result<Done> {
    let connect = || {
        let stream = net::connect(&ask.url.address(), "serve-tls", ask.timeout)?;
        ends(stream, TcpStream::try_clone)
    };
    client.exchange(&job(ask)?, connect, ask.timeout)
}

/// What the client reads first (tls.c).
fn job(ask: &Ask<'_>) -> Result<Vec<u8>> {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let authorities: usize = ask.authorities.iter().map(|der| der.len()).sum();
    let head = format!(
        "host={}\nsuite={}\ngroup={}\ntime={}\nauthorities={authorities}\nrequest={}\n\n",
        ask.url.host.trim_matches(['[', ']']),
        ask.suite.name(),
        ask.group.name(),
        now.unwrap_or_default().as_secs(),
        ask.request.len(),
    );
    let mut job = head.into_bytes();
    for der in ask.authorities {
        job.extend_from_slice(der);
    }
    job.extend_from_slice(ask.request.as_bytes());
    if job.len() > JOB_BYTES {
        return Err(Error::usage(
            format!(
                "authorities and request are {} bytes; this client has room for {JOB_BYTES}",
                job.len()
            ),
            "--ca FILE with one authority",
        ));
    }
    Ok(job)
}
