//! The client of the second experiment: connects, shakes hands, sends one reading, and waits for
//! the answer. It measures the time of each step and counts the bytes on the wire.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::client::Resumption;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{
    AlertDescription, CertificateError, ClientConfig, ClientConnection, HandshakeKind,
    RootCertStore,
};

use selo_tls::station::{Phase, Reading, Time};

use super::http::Message;
use super::url::{Url, request};
use super::{Group, Suite, provider};
use crate::error::{Error, Result};
use crate::net;
use crate::row::{Delivered, TlsTimes};

/// The server, and the one combination that the client measures.
pub struct Options<'a> {
    pub url: Url,
    /// The authorities that may sign the server's certificate.
    pub authorities: &'a [CertificateDer<'static>],
    pub suite: Suite,
    pub group: Group,
    /// Resume sessions; otherwise every handshake is full.
    pub resumed: bool,
    pub timeout: Duration,
    pub token: Option<zeroize::Zeroizing<String>>,
}

impl std::fmt::Debug for Options<'_> {
    /// Omits the token, which is a secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Options({:?}, {:?})", self.suite, self.group)
    }
}

/// A client for one suite and one key exchange, with or without resumption.
pub struct Client {
    url: Url,
    name: ServerName<'static>,
    config: Arc<ClientConfig>,
    suite: Suite,
    group: Group,
    resumed: bool,
    timeout: Duration,
    token: Option<zeroize::Zeroizing<String>>,
}

impl std::fmt::Debug for Client {
    /// Omits the token, which is a secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Client({:?}, {:?})", self.suite, self.group)
    }
}

/// Carries bytes, and counts them. It also counts how often the client waited for an answer.
struct Counted {
    stream: TcpStream,
    sent: u64,
    received: u64,
    trips: u64,
    asked: bool,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = self.stream.read(buffer)?;
        self.received += size as u64;
        if std::mem::take(&mut self.asked) {
            self.trips += 1;
        }
        Ok(size)
    }
}

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let size = self.stream.write(bytes)?;
        self.sent += size as u64;
        self.asked = true;
        Ok(size)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

fn cpu() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    (time.tv_sec as u64) * 1_000_000_000 + time.tv_nsec as u64
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

impl Client {
    pub fn new(options: Options<'_>) -> Result<Client> {
        let Options {
            url,
            authorities,
            suite,
            group,
            resumed,
            timeout,
            token,
        } = options;
        let internal = |error: rustls::Error| Error::Protocol(error.to_string());
        let mut roots = RootCertStore::empty();
        for authority in authorities {
            roots
                .add(authority.clone())
                .map_err(|error| Error::WrongCertificate {
                    why: error.to_string(),
                })?;
        }
        let host = url.host.trim_start_matches('[').trim_end_matches(']');
        let name = ServerName::try_from(host.to_owned()).map_err(|_| {
            Error::usage(
                format!("'{host}' is not a valid name of a server"),
                "https://HOST:PORT",
            )
        })?;
        let mut config = ClientConfig::builder_with_provider(provider(&[suite], &[group]))
            .with_protocol_versions(&[&rustls::version::TLS13])
            .map_err(internal)?
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.resumption = if resumed {
            Resumption::in_memory_sessions(8)
        } else {
            Resumption::disabled()
        };
        Ok(Client {
            url,
            name,
            config: Arc::new(config),
            suite,
            group,
            resumed,
            timeout,
            token,
        })
    }

    /// Sends one reading. A client that resumes and has no ticket gets one first.
    pub fn exchange(&self, reading: &Reading, report: bool) -> Result<Delivered> {
        if self.resumed {
            // A ticket is used once. Each measured exchange leaves a ticket for the next one, but
            // the first exchange and one after a failure have none.
            let (done, kind) = self.once(reading, report)?;
            if kind == HandshakeKind::Resumed {
                return Ok(done);
            }
        }
        let (done, kind) = self.once(reading, report)?;
        let expected = if self.resumed {
            HandshakeKind::Resumed
        } else {
            HandshakeKind::Full
        };
        if kind != expected {
            return Err(Error::NotResumed {
                why: format!("the handshake was {kind:?}, not {expected:?}"),
            });
        }
        Ok(done)
    }

    fn once(&self, reading: &Reading, report: bool) -> Result<(Delivered, HandshakeKind)> {
        let (mut tls, mut wire, mut times) = self.shake_hands()?;
        let kind = self.check_negotiated(&tls)?;

        let request = self.request("reading", &reading.body(), !report);
        let (start, start_cpu) = (Instant::now(), cpu());
        let answer = self.ask(&mut tls, &mut wire, &request, "sending a reading")?;
        times.exchange = nanoseconds(start.elapsed());
        times.exchange_cpu = cpu() - start_cpu;
        times.exchange_trips = wire.trips - times.handshake_trips;
        let (sent, received) = (wire.sent, wire.received);
        accept(&answer)?;

        if report {
            self.report(&mut tls, &mut wire, &times, kind)?;
        }
        tls.send_close_notify();
        let _ = tls.write_tls(&mut wire);
        let done = Delivered {
            times,
            sent,
            received,
        };
        Ok((done, kind))
    }

    /// Connects and shakes hands. Fills in the times of both.
    fn shake_hands(&self) -> Result<(ClientConnection, Counted, TlsTimes)> {
        let start = Instant::now();
        let stream = net::connect(&self.url.address(), "serve-tls", self.timeout)?;
        let connect = nanoseconds(start.elapsed());
        let mut wire = Counted {
            stream,
            sent: 0,
            received: 0,
            trips: 0,
            asked: false,
        };
        let seconds = self.timeout.as_secs();

        let (start, start_cpu) = (Instant::now(), cpu());
        let mut tls = ClientConnection::new(self.config.clone(), self.name.clone())
            .map_err(|error| Error::Protocol(error.to_string()))?;
        while tls.is_handshaking() {
            tls.complete_io(&mut wire)
                .map_err(|error| self.failed(error, "in the handshake", seconds))?;
        }
        // The client's last message belongs to the handshake, so send it within the timed step.
        while tls.wants_write() {
            tls.write_tls(&mut wire)
                .map_err(|error| self.failed(error, "in the handshake", seconds))?;
        }
        let times = TlsTimes {
            connect,
            handshake: nanoseconds(start.elapsed()),
            handshake_cpu: cpu() - start_cpu,
            handshake_sent: wire.sent,
            handshake_received: wire.received,
            handshake_trips: wire.trips,
            ..TlsTimes::default()
        };
        Ok((tls, wire, times))
    }

    /// Checks that the negotiated suite and key exchange are the measured ones. Returns the kind of
    /// the handshake.
    fn check_negotiated(&self, tls: &ClientConnection) -> Result<HandshakeKind> {
        let kind = tls
            .handshake_kind()
            .ok_or_else(|| Error::Protocol("the handshake did not complete".into()))?;
        let suite = tls.negotiated_cipher_suite().map(|suite| suite.suite());
        if suite != Some(self.suite.of_rustls().1) {
            return Err(Error::Protocol("another suite was negotiated".into()));
        }
        let group = tls.negotiated_key_exchange_group();
        if group.map(|group| group.name()) != Some(self.group.of_rustls().1) {
            return Err(Error::Protocol(
                "another key exchange was negotiated".into(),
            ));
        }
        Ok(kind)
    }

    /// Sends the measured times to the server, as the station of the publication does.
    fn report(
        &self,
        tls: &mut ClientConnection,
        wire: &mut Counted,
        times: &TlsTimes,
        kind: HandshakeKind,
    ) -> Result<()> {
        for (phase, time, close) in [
            (Phase::Handshake, times.handshake, false),
            (Phase::Exchange, times.exchange, true),
        ] {
            let time = Time {
                suite: self.suite,
                group: self.group,
                // The negotiated kind, which may differ from the requested one.
                resumed: kind == HandshakeKind::Resumed,
                seconds: time as f64 / 1e9,
            };
            let request = self.request(phase.name(), &time.body(), close);
            accept(&self.ask(tls, wire, &request, "reporting a time")?)?;
        }
        Ok(())
    }

    fn request(&self, route: &str, body: &str, close: bool) -> zeroize::Zeroizing<String> {
        request(
            &self.url,
            self.token.as_ref().map(|token| token.as_str()),
            route,
            body,
            close,
        )
    }

    fn ask(
        &self,
        tls: &mut ClientConnection,
        wire: &mut Counted,
        request: &str,
        doing: &'static str,
    ) -> Result<Message> {
        let seconds = self.timeout.as_secs();
        let mut stream = rustls::Stream::new(tls, wire);
        stream
            .write_all(request.as_bytes())
            .and_then(|()| stream.flush())
            .and_then(|()| Message::read(&mut stream))
            .map_err(|error| self.failed(error, doing, seconds))?
            .ok_or(Error::Cut { doing })
    }

    /// Interprets the TLS library's error.
    fn failed(&self, error: io::Error, doing: &'static str, seconds: u64) -> Error {
        let inner = error
            .get_ref()
            .and_then(|e| e.downcast_ref::<rustls::Error>());
        let offered = || Error::NotOffered {
            what: format!("{} with {}", self.suite.name(), self.group.name()),
        };
        match inner {
            None if error.kind() == io::ErrorKind::InvalidData => {
                Error::Protocol(error.to_string())
            }
            None => Error::network(error, doing, seconds),
            Some(rustls::Error::InvalidCertificate(why)) => match why {
                CertificateError::Expired
                | CertificateError::ExpiredContext { .. }
                | CertificateError::NotValidYet
                | CertificateError::NotValidYetContext { .. } => Error::ExpiredCertificate,
                why => Error::WrongCertificate {
                    why: why.to_string(),
                },
            },
            Some(
                rustls::Error::AlertReceived(
                    AlertDescription::HandshakeFailure
                    | AlertDescription::ProtocolVersion
                    | AlertDescription::InsufficientSecurity,
                )
                | rustls::Error::PeerIncompatible(_),
            ) => offered(),
            Some(rustls::Error::DecryptError)
            | Some(rustls::Error::AlertReceived(AlertDescription::BadRecordMac)) => {
                Error::Altered {
                    who: "one end",
                    what: "tag",
                }
            }
            Some(other) => Error::Protocol(other.to_string()),
        }
    }
}

/// Fails unless the server accepted the request.
fn accept(answer: &Message) -> Result<()> {
    let status = answer.first.split(' ').nth(1).unwrap_or_default();
    if status.starts_with('2') && status.len() == 3 {
        return Ok(());
    }
    let body = String::from_utf8_lossy(&answer.body);
    let body: String = body.chars().filter(|c| !c.is_control()).take(200).collect();
    let said = format!("{} {body}", answer.first);
    Err(match status {
        "401" | "403" => Error::Token(said),
        _ => Error::Refused(said),
    })
}
