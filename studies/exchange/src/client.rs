//! The client of the first experiment: one exchange, with its eight stamps.
//!
//! ```text
//! client   t0 seal t1 ----------------------------> t6 open t7
//!                     \                          /
//! server               t2 open t3  ...  t4 seal t5
//! ```
//!
//! The client stamps t0, t1, t6 and t7; the server stamps t2 to t5. Each uses its own clock, so
//! only stamps of the same clock are subtracted [ferreira2020].

use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};

use crate::cipher::Cipher;
use crate::error::{Error, Result};
use crate::implementation::Implementation;
use crate::key::{ID, Key, Sealer};
use crate::net;
use crate::wire::{Frame, Hello, Kind, OVERHEAD, Refusal, ServerTimes, bound};

/// The parameters of an exchange.
#[derive(Clone, Copy, Debug)]
pub struct Exchange<'a> {
    pub to: &'a str,
    pub key: &'a Key,
    pub cipher: Cipher,
    pub implementation: &'a Implementation,
    pub payload: &'a [u8],
    pub timeout: Duration,
    /// Folder for the opened reply.
    pub store: Option<&'a Path>,
}

/// A successful exchange: both ends received the message unchanged.
#[derive(Clone, Debug)]
pub struct Done {
    /// From the first packet to the server's greeting. No equation uses it.
    pub connect: u64,
    /// t1, t6 and t7 after t0, in nanoseconds.
    pub sealed: u64,
    pub came: u64,
    pub opened: u64,
    pub server: ServerTimes,
    /// The server's implementation and machine, as the server reports them.
    pub machine: String,
    /// Bytes of the request and of the reply, including their heads.
    pub sent: u64,
    pub received: u64,
}

impl Exchange<'_> {
    /// Connects, exchanges one message, compares it, and closes.
    pub fn run(&self) -> Result<Done> {
        let start = Instant::now();
        let mut stream = net::connect(self.to, "serve", self.timeout)?;
        let (hello, connect) = self.greeting(&mut stream, start)?;
        let ours = self.key.for_cipher(self.cipher, Sealer::Client);
        let theirs = self.key.for_cipher(self.cipher, Sealer::Server);
        let bind = |kind| bound(kind, self.cipher);

        let t0 = Instant::now();
        let sealed =
            self.implementation
                .seal(self.cipher, &ours, &bind(Kind::Request), self.payload)?;
        let t1 = t0.elapsed();

        let (reply, sent) = self.ask(&mut stream, &sealed, hello.max_payload)?;
        let t6 = t0.elapsed();
        if reply.code != self.cipher as u8 {
            return Err(Error::Protocol("the reply uses another cipher".into()));
        }
        let (times, answer) = reply
            .body
            .split_first_chunk()
            .ok_or_else(|| Error::Protocol("the reply contains no times".into()))?;

        let before = Instant::now();
        let opened = self
            .implementation
            .open(self.cipher, &theirs, &bind(Kind::Reply), answer)?;
        // Parsing the reply does not count as opening it.
        let t7 = t6 + before.elapsed();

        let server = ServerTimes::decode(times)?;
        if Duration::from_nanos(server.sealed) > t6 - t1 {
            return Err(Error::Protocol(
                "the server's times are longer than the client waited".into(),
            ));
        }
        let opened = opened.ok_or(Error::Altered {
            who: "the client",
            what: self.cipher.proof(),
        })?;
        self.confirm(&mut stream, &ours, &opened)?;
        Ok(Done {
            connect,
            sealed: nanoseconds(t1),
            came: nanoseconds(t6),
            opened: nanoseconds(t7),
            server,
            machine: hello.machine,
            sent,
            received: reply.wire_size(),
        })
    }

    /// Reads the server's greeting. Returns it with the nanoseconds since `start`, when the
    /// connection began.
    fn greeting(&self, stream: &mut TcpStream, start: Instant) -> Result<(Hello, u64)> {
        let seconds = self.timeout.as_secs();
        let hello = expect(
            stream,
            Kind::Hello,
            300,
            "waiting for the greeting",
            seconds,
        )?;
        let connect = nanoseconds(start.elapsed());
        let hello = Hello::decode(&hello.body)?;
        if hello.key != self.key.id() {
            return Err(Error::WrongKey);
        }
        if self.payload.len() > hello.max_payload as usize {
            return Err(Error::Refused(format!(
                "it accepts payloads of up to {} bytes",
                hello.max_payload
            )));
        }
        Ok((hello, connect))
    }

    /// Sends the sealed message. Returns the reply and the number of bytes sent.
    fn ask(&self, stream: &mut TcpStream, sealed: &[u8], max_payload: u32) -> Result<(Frame, u64)> {
        let seconds = self.timeout.as_secs();
        let mut body = self.key.id().to_vec();
        debug_assert_eq!(body.len(), ID);
        body.extend(sealed);
        let request = Frame::new(Kind::Request, self.cipher as u8, body);
        // A server may refuse while the client is still sending the request.
        let sent = request.write(stream, "sending", seconds);
        let limit = max_payload.saturating_add(OVERHEAD);
        let reply = expect(stream, Kind::Reply, limit, "waiting for the reply", seconds);
        let reply = match (sent, reply) {
            (Ok(()), reply) => reply?,
            (Err(_), Err(said @ (Error::Refused(_) | Error::Altered { .. }))) => return Err(said),
            (Err(error), _) => return Err(error),
        };
        Ok((reply, request.wire_size()))
    }

    /// Compares the opened reply with the message. Sends its digest so that the server can compare
    /// too.
    fn confirm(&self, stream: &mut TcpStream, ours: &[u8], opened: &[u8]) -> Result<()> {
        let seconds = self.timeout.as_secs();
        if let Some(path) = self.store {
            std::fs::write(path, opened).map_err(|error| Error::File {
                path: path.to_owned(),
                why: error.to_string(),
                hint: "check that the folder of --store exists and has free space".into(),
            })?;
        }
        let digest = Sha256::digest(self.payload);
        if Sha256::digest(opened) != digest {
            return Err(Error::Differs { who: "the client" });
        }
        let confirm = self.implementation.seal(
            self.cipher,
            ours,
            &bound(Kind::Confirm, self.cipher),
            &digest,
        )?;
        Frame::new(Kind::Confirm, self.cipher as u8, confirm).write(
            stream,
            "sending the digest",
            seconds,
        )?;
        let verdict = expect(stream, Kind::Verdict, 0, "waiting for the verdict", seconds)?;
        if verdict.code != 0 {
            return Err(Error::Differs { who: "the server" });
        }
        Ok(())
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

fn expect(
    stream: &mut TcpStream,
    kind: Kind,
    limit: u32,
    doing: &'static str,
    seconds: u64,
) -> Result<Frame> {
    let frame = Frame::read(stream, limit, doing, seconds)?.ok_or(Error::Cut { doing })?;
    if frame.kind == kind {
        return Ok(frame);
    }
    if frame.kind != Kind::Refusal {
        return Err(Error::Protocol("it sent an unexpected frame".into()));
    }
    Err(match Refusal::by_code(frame.code) {
        Some(Refusal::WrongKey) => Error::WrongKey,
        Some(Refusal::DoesNotOpen) => Error::Altered {
            who: "the server",
            what: "tag or padding",
        },
        Some(Refusal::TooLarge) => Error::Refused("the payload is too large".into()),
        Some(Refusal::NoSuchCipher) => Error::NotOffered {
            what: "this cipher".into(),
        },
        Some(Refusal::Busy) => {
            Error::Refused("it already has its maximum number of clients".into())
        }
        Some(Refusal::Malformed) | None => {
            Error::Refused("it did not understand the request".into())
        }
    })
}
