//! The link in the place of TLS, for comparison: a node (`firmware/client/link.c`) on this machine
//! or on a board's emulator joins and sends one reading; the gateway is played here, by
//! `selo-link`, which shares no code with the node.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use selo_lab::project::Project;
use selo_link::frame::{Frame, JoinRequest};
use selo_link::join::JoinOpened;
use selo_link::session::SessionId;
use selo_link::{DeviceId, DeviceKey, EphemeralSecret, FRAME_MAX, Suite};

use crate::embedded::{Embedded, ends};
use crate::error::{Error, Result};
use crate::tls::client::Done;

/// The list of the node.
const NODE: &str = "link";
/// Bytes of its reading (link.c).
pub const READING: usize = 16;

/// Builds a node with that suite for a board.
pub fn build(project: &Project, suite: Suite, board: &str, say: fn(&str)) -> Result<Embedded> {
    let define = format!("-DSELO_LINK_SUITE={}", suite.code());
    Embedded::build(project, NODE, Some(board), &[define], say)
}

/// One join and one reading.
pub fn exchange(node: &Embedded, suite: Suite, timeout: Duration) -> Result<Done> {
    let mut random = [0; 4 + 32 + 32];
    getrandom::fill(&mut random).map_err(Error::Random)?;
    let (device, rest) = random.split_at(4);
    let (key, ephemeral) = rest.split_at(32);
    let device = u32::from_le_bytes(array(device));
    let job = &random[..4 + 32];
    let machine = |source| Error::Machine {
        doing: "make a connection to the node",
        source,
    };
    let (ours, theirs) = UnixStream::pair().map_err(machine)?;
    ours.set_read_timeout(Some(timeout)).map_err(machine)?;
    let gateway = Gateway {
        suite,
        device: DeviceId(device),
        key: DeviceKey::new(array(key)),
        ephemeral: EphemeralSecret::new(array(ephemeral)),
        stream: ours,
        heard: 0,
        answered: 0,
    };
    std::thread::scope(|scope| {
        let playing = scope.spawn(move || gateway.play(timeout));
        let done = node.exchange(job, || ends(theirs, UnixStream::try_clone), timeout);
        let crashed = || Error::Protocol("the gateway crashed".into());
        let played = playing.join().map_err(|_| crashed())?;
        // What the node says of itself tells more than that it is gone.
        let mut done = done?.done;
        let (join, reading) = played?;
        done.times.handshake_sent = join.0;
        done.times.handshake_received = join.1;
        (done.sent, done.received) = (join.0 + reading, join.1);
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
    heard: u64,
    answered: u64,
}

impl Gateway {
    /// Bytes of the join, from the node and to it, and those of the reading.
    fn play(mut self, timeout: Duration) -> Result<((u64, u64), u64)> {
        let wrong = |what: String| Error::Protocol(format!("the node {what}"));
        let seconds = timeout.as_secs();
        let frame = self.frame(seconds)?;
        let Ok(Frame::JoinRequest(request)) = Frame::parse(&frame) else {
            return Err(wrong("sends no JOIN-REQUEST".into()));
        };
        let session = self.accept(&request).map_err(wrong)?;
        let (mut session, answer) = session;
        let mut out = vec![u8::try_from(answer.len()).unwrap_or(u8::MAX)];
        out.extend_from_slice(&answer);
        self.stream
            .write_all(&out)
            .map_err(|error| Error::network(error, "answering the node", seconds))?;
        self.answered += answer.len() as u64;
        let join = (self.heard, self.answered);
        let frame = self.frame(seconds)?;
        let Ok(Frame::Up(data)) = Frame::parse(&frame) else {
            return Err(wrong("sends no reading".into()));
        };
        let mut out = [0; FRAME_MAX];
        let opened = session
            .open(&data, &mut out)
            .map_err(|refusal| wrong(format!("seals wrongly: {refusal}")))?;
        if opened.payload.len() != READING {
            return Err(wrong("sends another reading".into()));
        }
        Ok((join, self.heard - join.0))
    }

    fn accept(
        &self,
        request: &JoinRequest<'_>,
    ) -> Result<(selo_link::session::Session, Vec<u8>), String> {
        let refused = |refusal| format!("joins wrongly: {refusal}");
        if request.device != self.device {
            return Err("has another name".into());
        }
        let opened = JoinOpened::open(self.suite, &self.key, request).map_err(refused)?;
        let (answer, keys) = opened
            .accept(&self.ephemeral, SessionId(1), false)
            .map_err(refused)?;
        Ok((keys.gateway_session(), answer.to_vec()))
    }

    /// The next frame: its size, then its bytes.
    fn frame(&mut self, seconds: u64) -> Result<Vec<u8>> {
        let lost = |error| Error::network(error, "listening to the node", seconds);
        let mut size = [0];
        self.stream.read_exact(&mut size).map_err(lost)?;
        let mut frame = vec![0; size[0].into()];
        self.stream.read_exact(&mut frame).map_err(lost)?;
        self.heard += frame.len() as u64;
        Ok(frame)
    }
}
