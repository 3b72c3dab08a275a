//! The server of the second experiment, without a database. It accepts readings and the times that
//! stations report, and stores them as lines of JSON. The collector does the same with its
//! database.

use std::fs::File;
use std::io::{self, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection};
use selo_tls::station::{BASE, Post};

use super::http::Message;
use super::{Group, Suite, provider};
use crate::error::{Error, Result};
use crate::net;
use crate::serving::{Counts, Server, bind};

/// The options of a server.
#[derive(Debug)]
pub struct Options {
    pub chain: Vec<CertificateDer<'static>>,
    pub key: PrivateKeyDer<'static>,
    pub suites: Vec<Suite>,
    pub groups: Vec<Group>,
    pub timeout: Duration,
    pub max_clients: usize,
    /// Send a ticket after each handshake, so that clients can resume.
    pub tickets: bool,
}

struct Shared {
    config: Arc<ServerConfig>,
    timeout: Duration,
    max_clients: usize,
    clients: AtomicUsize,
    counts: Arc<Counts>,
    store: Option<Mutex<File>>,
    log: Box<dyn Fn(&str) + Send + Sync>,
}

/// Listens, and serves in threads of its own. Appends the received lines to `store`.
pub fn start(
    listen: &str,
    options: Options,
    store: Option<&Path>,
    log: impl Fn(&str) + Send + Sync + 'static,
) -> Result<Server> {
    let mut config =
        ServerConfig::builder_with_provider(provider(&options.suites, &options.groups))
            .with_protocol_versions(&[&rustls::version::TLS13])
            .map_err(|error| Error::Protocol(error.to_string()))?
            .with_no_client_auth()
            .with_single_cert(options.chain, options.key)
            .map_err(|error| {
                Error::usage(
                    format!("the certificate and the key cannot be used: {error}"),
                    "check that --cert and --cert-key belong together",
                )
            })?;
    // A returning client needs one ticket only.
    config.send_tls13_tickets = usize::from(options.tickets);
    // A key of this process seals the tickets, so the server keeps no sessions.
    config.ticketer = rustls::crypto::ring::Ticketer::new()
        .map_err(|error| Error::Protocol(error.to_string()))?;
    let store = store
        .map(|path| {
            File::options()
                .append(true)
                .create(true)
                .open(path)
                .map(Mutex::new)
                .map_err(|error| Error::File {
                    path: path.to_owned(),
                    why: error.to_string(),
                    hint: "check that --store FILE can be created".into(),
                })
        })
        .transpose()?;
    let bound = bind(listen)?;
    let counts = Arc::new(Counts::default());
    let shared = Arc::new(Shared {
        config: Arc::new(config),
        timeout: options.timeout,
        max_clients: options.max_clients,
        clients: AtomicUsize::new(0),
        counts: counts.clone(),
        store,
        log: Box::new(log),
    });
    Ok(Server::start(bound, counts, move |stream, peer| {
        shared.clone().take(stream, peer);
    }))
}

impl Shared {
    fn take(self: Arc<Self>, stream: TcpStream, peer: SocketAddr) {
        if self.clients.fetch_add(1, Ordering::Relaxed) >= self.max_clients {
            self.clients.fetch_sub(1, Ordering::Relaxed);
            (self.log)(&format!("{peer}: too many clients"));
            return;
        }
        let shared = self.clone();
        let started = std::thread::Builder::new().spawn(move || {
            if let Err(error) = shared.converse(stream) {
                shared.counts.bad.fetch_add(1, Ordering::Relaxed);
                (shared.log)(&format!("{peer}: {error}"));
            }
            shared.clients.fetch_sub(1, Ordering::Relaxed);
        });
        if started.is_err() {
            self.clients.fetch_sub(1, Ordering::Relaxed);
        }
    }

    fn converse(&self, mut stream: TcpStream) -> io::Result<()> {
        net::prepare(&stream, self.timeout).map_err(io::Error::other)?;
        let mut tls = ServerConnection::new(self.config.clone()).map_err(io::Error::other)?;
        let mut stream = rustls::Stream::new(&mut tls, &mut stream);
        while let Some(request) = Message::read(&mut stream)? {
            let answer = self.answer(&request)?;
            stream.write_all(answer.as_bytes())?;
            stream.flush()?;
            if request.close {
                break;
            }
        }
        stream.conn.send_close_notify();
        stream.flush()
    }

    fn answer(&self, request: &Message) -> io::Result<String> {
        let mut words = request.first.split(' ');
        let (method, path) = (words.next(), words.next().unwrap_or_default());
        let posted = path
            .strip_prefix(BASE)
            .and_then(|route| Some((route, Post::parse(route, &request.body)?)));
        let Some((route, posted)) = posted else {
            return Ok("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".into());
        };
        if method != Some("POST") {
            return Ok("HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n".into());
        }
        if let Err(why) = posted {
            let head = "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nContent-Length:";
            return Ok(format!("{head} {}\r\n\r\n{why}", why.len()));
        }
        if let Some(store) = &self.store {
            let text = String::from_utf8_lossy(&request.body);
            let line = format!("{{\"route\":\"{route}\",\"body\":{}}}\n", text.trim());
            let mut file = store.lock().unwrap_or_else(PoisonError::into_inner);
            file.write_all(line.as_bytes())?;
        }
        self.counts.exchanges.fetch_add(1, Ordering::Relaxed);
        Ok("HTTP/1.1 204 No Content\r\n\r\n".into())
    }
}
