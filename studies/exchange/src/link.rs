//! The link in place of TLS, for comparison. A node (`studies/firmware/client/link.c`) on this machine
//! or on a board's emulator joins, or pairs and joins, and sends one reading. A node of the
//! published protocol (`classic.c`) does the same. This module plays the gateway with `selo-link`
//! and `selo-classic`, which share no code with the nodes.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use selo_classic::{ClassicKey, Frame as ClassicFrame};
use selo_engine::project::Project;
use selo_link::frame::{Frame, JoinRequest};
use selo_link::join::JoinOpened;
use selo_link::pair::GatewayPairing;
use selo_link::session::{Session, SessionId};
use selo_link::{DeviceId, DeviceKey, EphemeralSecret, FRAME_MAX, Suite};

use crate::embedded::{Embedded, ends};
use crate::error::{Error, Result};
use crate::row::Delivered;

/// Bytes of the reading (link.c).
pub const READING: usize = 16;

/// The steps before the reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handshake {
    /// A join with an existing key.
    Join,
    /// A pairing, then a join and a reading with its key.
    Pair,
    /// The published protocol's key exchange, which has no authentication.
    Classic,
}

impl Handshake {
    pub const ALL: [Handshake; 3] = [Handshake::Join, Handshake::Pair, Handshake::Classic];

    /// The name on the command line and in rows.
    pub fn name(self) -> &'static str {
        match self {
            Handshake::Join => "join",
            Handshake::Pair => "pair",
            Handshake::Classic => "classic",
        }
    }

    pub fn by_name(name: &str) -> Option<Handshake> {
        Handshake::ALL.into_iter().find(|one| one.name() == name)
    }
}

/// Builds a node with `suite` for a board. The published protocol has a node of its own.
pub fn build(
    project: &Project,
    handshake: Handshake,
    suite: Suite,
    board: &str,
    say: fn(&str),
) -> Result<Embedded> {
    let pairs = u8::from(handshake == Handshake::Pair);
    let defines = [
        format!("-DSELO_LINK_SUITE={}", suite.code()),
        format!("-DCLIENT_PAIRS={pairs}"),
    ];
    match handshake {
        Handshake::Classic => Embedded::build(project, "classic", Some(board), &[], say),
        _ => Embedded::build(project, "link", Some(board), &defines, say),
    }
}

/// Runs one handshake and sends one reading.
pub fn exchange(
    node: &Embedded,
    handshake: Handshake,
    suite: Suite,
    timeout: Duration,
) -> Result<Delivered> {
    let mut random = [0; 4 + 32 + 32 + 32];
    getrandom::fill(&mut random).map_err(Error::Random)?;
    let (job, ephemerals) = random.split_at(4 + 32);
    let (device, key) = job.split_at(4);
    let (first, second) = ephemerals.split_at(32);
    let machine = |source| Error::Machine {
        doing: "make a connection to the node",
        source,
    };
    let (ours, theirs) = UnixStream::pair().map_err(machine)?;
    ours.set_read_timeout(Some(timeout)).map_err(machine)?;
    let gateway = Gateway {
        suite,
        device: DeviceId(u32::from_le_bytes(array(device))),
        key: DeviceKey::new(array(key)),
        ephemeral: EphemeralSecret::new(array(first)),
        stream: ours,
        seconds: timeout.as_secs(),
        heard: 0,
        answered: 0,
    };
    let pairing = EphemeralSecret::new(array(second));
    std::thread::scope(|scope| {
        let playing = scope.spawn(move || gateway.play(handshake, pairing));
        let done = node.exchange(job, || ends(theirs, UnixStream::try_clone), timeout);
        let crashed = || Error::Protocol("the gateway crashed".into());
        let played = playing.join().map_err(|_| crashed())?;
        // The node's own error is more precise than a closed connection.
        let mut done = done?.done;
        let played = played?;
        (done.times.handshake_sent, done.times.handshake_received) = played.handshake;
        (done.sent, done.received) = played.all;
        Ok(done)
    })
}

fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut array = [0; N];
    array.copy_from_slice(bytes);
    array
}

struct Gateway {
    suite: Suite,
    device: DeviceId,
    key: DeviceKey,
    ephemeral: EphemeralSecret,
    stream: UnixStream,
    seconds: u64,
    heard: u64,
    answered: u64,
}

/// Counts bytes from the node and to it.
struct Played {
    handshake: (u64, u64),
    all: (u64, u64),
}

fn wrong(what: impl std::fmt::Display) -> Error {
    Error::Protocol(format!("the node {what}"))
}

impl Gateway {
    fn play(mut self, handshake: Handshake, pairing: EphemeralSecret) -> Result<Played> {
        let after = match handshake {
            Handshake::Classic => {
                let key = self.agree()?;
                let after = (self.heard, self.answered);
                self.blocks(&key)?;
                after
            }
            Handshake::Pair => {
                self.pair(pairing)?;
                let after = (self.heard, self.answered);
                let mut session = self.join()?;
                self.reading(&mut session)?;
                after
            }
            Handshake::Join => {
                let mut session = self.join()?;
                let after = (self.heard, self.answered);
                self.reading(&mut session)?;
                after
            }
        };
        Ok(Played {
            handshake: after,
            all: (self.heard, self.answered),
        })
    }

    fn pair(&mut self, ephemeral: EphemeralSecret) -> Result<()> {
        let frame = self.frame()?;
        let Ok(Frame::PairCommit(commit)) = Frame::parse(&frame) else {
            return Err(wrong("did not send PAIR-COMMIT"));
        };
        let (pairing, key) = GatewayPairing::start(&commit, ephemeral);
        self.answer(&key)?;
        let frame = self.frame()?;
        let Ok(Frame::PairReveal(reveal)) = Frame::parse(&frame) else {
            return Err(wrong("did not send PAIR-REVEAL"));
        };
        let refused = |refusal| wrong(format!("failed to pair: {refusal}"));
        let compared = pairing.reveal(&reveal).map_err(refused)?;
        (self.device, self.key) = (compared.device(), compared.device_key().clone());
        self.answer(&compared.result(true))
    }

    fn join(&mut self) -> Result<Session> {
        let frame = self.frame()?;
        let Ok(Frame::JoinRequest(request)) = Frame::parse(&frame) else {
            return Err(wrong("did not send JOIN-REQUEST"));
        };
        let (session, answer) = self.accept(&request).map_err(wrong)?;
        self.answer(&answer)?;
        Ok(session)
    }

    fn accept(&self, request: &JoinRequest<'_>) -> Result<(Session, Vec<u8>), String> {
        let refused = |refusal| format!("failed to join: {refusal}");
        if request.device != self.device {
            return Err("sent another device id".into());
        }
        let opened = JoinOpened::open(self.suite, &self.key, request).map_err(refused)?;
        let (answer, keys) = opened
            .accept(&self.ephemeral, SessionId(1), false)
            .map_err(refused)?;
        Ok((keys.gateway_session(), answer.to_vec()))
    }

    fn reading(&mut self, session: &mut Session) -> Result<()> {
        let frame = self.frame()?;
        let Ok(Frame::Up(data)) = Frame::parse(&frame) else {
            return Err(wrong("did not send a reading"));
        };
        let mut out = [0; FRAME_MAX];
        let opened = session
            .open(&data, &mut out)
            .map_err(|refusal| wrong(format!("sent an invalid sealed frame: {refusal}")))?;
        sized(opened.payload)
    }

    fn agree(&mut self) -> Result<ClassicKey> {
        let frame = self.frame()?;
        let Some(ClassicFrame::Request) = ClassicFrame::parse(&frame) else {
            return Err(wrong("did not send a request"));
        };
        let key = ClassicFrame::encode_gateway_key(&self.ephemeral.public_key());
        self.answer(&key)?;
        let frame = self.frame()?;
        let Some(ClassicFrame::NodeKey(key)) = ClassicFrame::parse(&frame) else {
            return Err(wrong("did not send a key"));
        };
        ClassicKey::agree(&self.ephemeral, key).map_err(wrong)
    }

    fn blocks(&mut self, key: &ClassicKey) -> Result<()> {
        let frame = self.frame()?;
        let Some(ClassicFrame::Blocks(blocks)) = ClassicFrame::parse(&frame) else {
            return Err(wrong("did not send a reading"));
        };
        let mut out = [0; FRAME_MAX];
        let text = key.open(blocks, &mut out);
        sized(text.map_err(|error| wrong(format!("encrypted incorrectly: {error}")))?)
    }

    fn answer(&mut self, frame: &[u8]) -> Result<()> {
        let mut out = vec![u8::try_from(frame.len()).unwrap_or(u8::MAX)];
        out.extend_from_slice(frame);
        self.stream
            .write_all(&out)
            .map_err(|error| Error::network(error, "answering the node", self.seconds))?;
        self.answered += frame.len() as u64;
        Ok(())
    }

    /// The next frame: its size, then its bytes.
    fn frame(&mut self) -> Result<Vec<u8>> {
        let seconds = self.seconds;
        let lost = |error| Error::network(error, "reading from the node", seconds);
        let mut size = [0];
        self.stream.read_exact(&mut size).map_err(lost)?;
        let mut frame = vec![0; size[0].into()];
        self.stream.read_exact(&mut frame).map_err(lost)?;
        self.heard += frame.len() as u64;
        Ok(frame)
    }
}

fn sized(reading: &[u8]) -> Result<()> {
    match reading.len() {
        READING => Ok(()),
        _ => Err(wrong("sent a reading of the wrong size")),
    }
}
