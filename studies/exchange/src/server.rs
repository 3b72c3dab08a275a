//! The server of the first experiment: opens a message, seals it again, and sends it back. Each
//! client has a thread of its own. A faulty client loses its connection and does not affect the
//! others.

use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};

use crate::cipher::{BuiltIn, Cipher};
use crate::error::{Error, Result};
use crate::implementation::Implementation;
use crate::key::{ID, Key, Sealer};
use crate::net;
use crate::serving::{Counts, Server, bind};
use crate::wire::{Frame, Hello, Kind, OVERHEAD, Refusal, ServerTimes, bound as ad_of};

/// The options of a server.
#[derive(Clone, Debug)]
pub struct Options {
    pub implementation: Implementation,
    pub max_payload: u32,
    /// Time for which a client may stay silent.
    pub timeout: Duration,
    pub max_clients: usize,
    /// Folder for the opened messages.
    pub store: Option<PathBuf>,
    pub emulated: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            implementation: BuiltIn::Selo.into(),
            max_payload: 16 << 20,
            timeout: Duration::from_secs(30),
            max_clients: 16,
            store: None,
            emulated: false,
        }
    }
}

struct Shared {
    key: Key,
    options: Options,
    counts: Arc<Counts>,
    clients: AtomicUsize,
    log: Box<dyn Fn(&str) + Send + Sync>,
}

/// Listens, and serves in threads of its own. `log` gets a line for each error; it never contains
/// keys or payloads.
pub fn start(
    listen: &str,
    key: Key,
    options: Options,
    log: impl Fn(&str) + Send + Sync + 'static,
) -> Result<Server> {
    let bound = bind(listen)?;
    if let Some(folder) = &options.store {
        std::fs::create_dir_all(folder).map_err(|error| Error::File {
            path: folder.clone(),
            why: error.to_string(),
            hint: "check that --store DIR can be created".into(),
        })?;
    }
    let counts = Arc::new(Counts::default());
    let shared = Arc::new(Shared {
        key,
        options,
        counts: counts.clone(),
        clients: AtomicUsize::new(0),
        log: Box::new(log),
    });
    Ok(Server::start(bound, counts, move |stream, peer| {
        shared.clone().take(stream, peer);
    }))
}

impl Shared {
    fn take(self: Arc<Self>, mut stream: TcpStream, peer: SocketAddr) {
        let busy = self.clients.fetch_add(1, Ordering::Relaxed) >= self.options.max_clients;
        let timeout = self.options.timeout;
        let started = std::thread::Builder::new().spawn({
            let shared = self.clone();
            move || {
                let done = net::prepare(&stream, timeout).and_then(|()| {
                    if busy {
                        shared.refuse(&mut stream, Refusal::Busy)
                    } else {
                        shared.converse(&mut stream)
                    }
                });
                if let Err(error) = done {
                    shared.counts.bad.fetch_add(1, Ordering::Relaxed);
                    (shared.log)(&format!("{peer}: {error}"));
                }
                shared.clients.fetch_sub(1, Ordering::Relaxed);
            }
        });
        if started.is_err() {
            self.clients.fetch_sub(1, Ordering::Relaxed);
        }
    }

    fn refuse(&self, stream: &mut TcpStream, why: Refusal) -> Result<()> {
        Frame::new(Kind::Refusal, why as u8, Vec::new()).write(
            stream,
            "refusing",
            self.seconds(),
        )?;
        // Read the rest of the client's request. Otherwise the kernel would discard the refusal
        // together with the connection.
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let until = Instant::now() + Duration::from_secs(2);
        let mut rest = [0; 4096];
        let _ = stream.set_read_timeout(Some(Duration::from_millis(500)));
        while Instant::now() < until
            && std::io::Read::read(stream, &mut rest).is_ok_and(|size| size > 0)
        {}
        Err(Error::Refused(format!("{why:?}")))
    }

    fn seconds(&self) -> u64 {
        self.options.timeout.as_secs()
    }

    /// Serves one connection: exchanges until the client leaves.
    fn converse(&self, stream: &mut TcpStream) -> Result<()> {
        let options = &self.options;
        let hello = Hello {
            max_payload: options.max_payload,
            key: self.key.id(),
            machine: format!(
                "{} {}",
                options.implementation.name(),
                net::machine(options.emulated)
            ),
        };
        let seconds = self.seconds();
        Frame::new(Kind::Hello, 0, hello.encode()).write(stream, "greeting a client", seconds)?;
        let limit = options.max_payload.saturating_add(OVERHEAD);
        loop {
            let request = match Frame::read(stream, limit, "reading a request", seconds) {
                Ok(Some(frame)) => frame,
                Ok(None) => return Ok(()),
                Err(Error::Refused(_)) => return self.refuse(stream, Refusal::TooLarge),
                Err(Error::Protocol(_)) => return self.refuse(stream, Refusal::Malformed),
                Err(error) => return Err(error),
            };
            let t2 = Instant::now();
            self.exchange(stream, &request, t2)?;
        }
    }

    /// Answers a request that arrived at `t2`, and compares the client's digest with its own.
    fn exchange(&self, stream: &mut TcpStream, request: &Frame, t2: Instant) -> Result<()> {
        let options = &self.options;
        let seconds = self.seconds();
        let since = || u64::try_from(t2.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let Some((id, sealed)) = request.body.split_first_chunk::<ID>() else {
            return self.refuse(stream, Refusal::Malformed);
        };
        if request.kind != Kind::Request {
            return self.refuse(stream, Refusal::Malformed);
        }
        let Some(cipher) =
            Cipher::by_code(request.code).filter(|cipher| options.implementation.offers(*cipher))
        else {
            return self.refuse(stream, Refusal::NoSuchCipher);
        };
        if *id != self.key.id() {
            return self.refuse(stream, Refusal::WrongKey);
        }
        let implementation = &options.implementation;
        let theirs = self.key.for_cipher(cipher, Sealer::Client);
        let ours = self.key.for_cipher(cipher, Sealer::Server);
        let t2_less = since();
        let ad = ad_of(Kind::Request, cipher);
        let Some(message) = implementation.open(cipher, &theirs, &ad, sealed)? else {
            return self.refuse(stream, Refusal::DoesNotOpen);
        };
        let opened = since();
        let began = since();
        let ad = ad_of(Kind::Reply, cipher);
        let reply = implementation.seal(cipher, &ours, &ad, &message)?;
        // Deriving the keys does not count as opening, so the stamps begin after it.
        let times = ServerTimes {
            opened: opened - t2_less,
            began: began - t2_less,
            sealed: since() - t2_less,
        };
        let mut body = times.encode().to_vec();
        body.extend(reply);
        Frame::new(Kind::Reply, cipher as u8, body).write(stream, "replying", seconds)?;

        self.store(cipher, &message)?;
        self.confirm(stream, cipher, &theirs, &message)
    }

    /// Compares the digest that the client sends with the digest of the message.
    fn confirm(
        &self,
        stream: &mut TcpStream,
        cipher: Cipher,
        theirs: &[u8],
        message: &[u8],
    ) -> Result<()> {
        let seconds = self.seconds();
        let digest = Sha256::digest(message);
        let confirm = Frame::read(stream, OVERHEAD, "reading the digest", seconds)?
            .filter(|frame| frame.kind == Kind::Confirm)
            .ok_or(Error::Cut {
                doing: "reading the digest",
            })?;
        let ad = ad_of(Kind::Confirm, cipher);
        let told = self
            .options
            .implementation
            .open(cipher, theirs, &ad, &confirm.body)?;
        let same = told.as_deref() == Some(&digest[..]);
        if same {
            self.counts.verified.fetch_add(1, Ordering::Relaxed);
        }
        Frame::new(Kind::Verdict, u8::from(!same), Vec::new()).write(
            stream,
            "sending the verdict",
            seconds,
        )?;
        if !same {
            return Err(Error::Differs { who: "the server" });
        }
        Ok(())
    }

    /// Counts an exchange, and writes its message into the folder if one is given.
    fn store(&self, cipher: Cipher, message: &[u8]) -> Result<()> {
        let options = &self.options;
        let number = self.counts.exchanges.fetch_add(1, Ordering::Relaxed);
        if let Some(folder) = &options.store {
            let path = folder.join(format!("server-{number:06}-{}.bin", cipher.name()));
            std::fs::write(&path, message).map_err(|error| Error::File {
                path,
                why: error.to_string(),
                hint: "check that the disk has free space".into(),
            })?;
        }
        Ok(())
    }
}
