//! Drives both roles with arbitrary bytes, for fuzz targets. Accepts any input and asserts the
//! invariants.
//!
//! An input is a script. Its first byte selects suite and session options. Each instruction is
//! one byte, with arguments in the following bytes. Instructions make, repeat, alter and answer
//! genuine frames, so that the fuzzer gets past the tags.

use crate::frame::Frame;
use crate::hybrid::GatewayOpening;
use crate::join::{JoinAttempt, JoinOpened, SessionKeys};
use crate::pair::{GatewayPairing, NodePairing};
use crate::session::{OpenError, SealOptions, Session, SessionId};
use crate::{DeviceId, DeviceKey, EphemeralSecret, FRAME_MAX, Suite};

const DEVICE: DeviceId = DeviceId(0x5e10_5e10);
const NODE_SECRET: EphemeralSecret = EphemeralSecret::new([1; 32]);
const GATEWAY_SECRET: EphemeralSecret = EphemeralSecret::new([2; 32]);

/// Parses arbitrary bytes. Must not panic.
pub fn parse(packet: &[u8]) {
    let _ = Frame::parse(packet);
}

/// A session and its peer. Asserts that no packet opens twice, and that only sealed packets
/// open.
pub fn session(script: &[u8]) {
    let mut script = Script(script);
    let keys = keys(&mut script);
    let (mut node, mut gateway) = (keys.node_session(), keys.gateway_session());
    let mut last = Vec::new();
    while let Some(instruction) = script.byte() {
        match instruction % 6 {
            0 => {
                let skip = u64::from(script.byte().unwrap_or(0)) << (instruction >> 4);
                node.skip_sent(node.next_sent() + skip);
            }
            1 => last = seal(&mut node, &mut script, instruction),
            2 => deliver(&mut gateway, &last, true),
            3 => {
                let mut altered = last.clone();
                let at = usize::from(script.byte().unwrap_or(0));
                if let Some(byte) = altered.get_mut(at) {
                    *byte ^= 1 << (instruction >> 5);
                    deliver(&mut gateway, &altered, false);
                }
            }
            4 => deliver(&mut gateway, script.packet(), false),
            _ => {
                let keys = gateway.keys().expect("it never resumed");
                gateway =
                    Session::from_stored(&gateway.state(), &keys).expect("it has just been stored");
            }
        }
    }
}

/// A gateway and a node in a handshake. Asserts that no message from anyone else is accepted.
pub fn handshakes(script: &[u8]) {
    let mut script = Script(script);
    let suite = Suite::ALL[usize::from(script.byte().unwrap_or(0) % 4)];
    let key = DeviceKey::new([3; 32]);
    let (mut attempt, request) = JoinAttempt::start(suite, DEVICE, &key, 1, false, &NODE_SECRET);
    let (pairing, commit) = NodePairing::start(suite, DEVICE, NODE_SECRET, [4; 16]);
    let Ok(Frame::PairCommit(commit)) = Frame::parse(&commit) else {
        panic!("a PAIR-COMMIT was made");
    };
    let (at_gateway, pair_key) = GatewayPairing::start(&commit, GATEWAY_SECRET);
    let Ok(Frame::PairKey(pair_key)) = Frame::parse(&pair_key) else {
        panic!("a PAIR-KEY was made");
    };
    let (at_node, reveal) = pairing
        .key(&pair_key)
        .map_err(|(_, why)| why)
        .expect("a good key");

    let mut opening: Option<GatewayOpening> = None;
    while let Some(packet) = script.next_packet() {
        match Frame::parse(packet) {
            Ok(Frame::PairOpen(frame)) => {
                opening = Some(GatewayOpening::start(&frame, &[6; 64]));
            }
            Ok(Frame::PairStep(frame)) => {
                if let Some(opening) = &mut opening {
                    let before = opening.answer().to_vec();
                    let stepped = opening.step(&frame);
                    assert!(opening.answer().len() <= FRAME_MAX);
                    assert!(stepped.is_ok() || opening.answer() == before);
                }
            }
            Ok(Frame::HybridCommit(frame)) => {
                let answer = opening.as_ref().map(|it| it.commit(&frame, GATEWAY_SECRET));
                assert!(!matches!(answer, Some(Ok(_))), "its check was guessed");
            }
            Ok(Frame::JoinRequest(frame)) => {
                let opened = JoinOpened::open(suite, &key, &frame);
                assert!(opened.is_err() || packet == request, "a request was forged");
            }
            Ok(Frame::JoinAccept(frame)) => {
                assert!(attempt.finish(&frame).is_err(), "an answer was forged");
            }
            Ok(Frame::PairReveal(frame)) => {
                let opened = at_gateway.reveal(&frame);
                assert!(opened.is_err() || packet == reveal, "another key opened it");
            }
            Ok(Frame::PairResult(frame)) => {
                assert!(at_node.verdict(&frame).is_err(), "a result was forged");
            }
            _ => (),
        }
    }
}

fn keys(script: &mut Script<'_>) -> SessionKeys {
    let options = script.byte().unwrap_or(0);
    let wide = options >> 3 & 1 == 1;
    SessionKeys {
        suite: Suite::ALL[usize::from(options % 4)],
        session: SessionId(if wide { 0x0002_0001 } else { 0x0201 }),
        long_tags: options >> 2 & 1 == 1,
        up: [5; 32],
        down: [6; 32],
    }
}

fn seal(node: &mut Session, script: &mut Script<'_>, instruction: u8) -> Vec<u8> {
    let options = SealOptions {
        ack_request: instruction >> 5 & 1 == 1,
        ack: (instruction >> 6 & 1 == 1).then_some(0x0708),
    };
    let mut out = [0; FRAME_MAX];
    let sealed = node.seal(script.packet(), options, &mut out);
    sealed.map_or_else(|_| Vec::new(), |sealed| sealed.frame.to_vec())
}

/// Delivers a packet, and delivers it again if it opens. The repetition must not open.
fn deliver(gateway: &mut Session, packet: &[u8], genuine: bool) {
    let Ok(Frame::Up(data)) = Frame::parse(packet) else {
        return;
    };
    let mut out = [0; FRAME_MAX];
    let Ok(opened) = gateway.open(&data, &mut out) else {
        return;
    };
    assert!(genuine, "a packet that nobody sealed was opened");
    assert!(opened.payload.len() <= data.ciphertext.len());
    let counter = opened.counter;
    let again = gateway.open(&data, &mut out);
    assert!(matches!(again, Err(OpenError::Again { counter: seen, .. }) if seen == counter));
}

/// The unread rest of an input.
struct Script<'a>(&'a [u8]);

impl<'a> Script<'a> {
    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    /// Reads a length byte and that many bytes, or fewer at the end.
    fn packet(&mut self) -> &'a [u8] {
        let bytes = usize::from(self.byte().unwrap_or(0)).min(self.0.len());
        let (packet, rest) = self.0.split_at(bytes);
        self.0 = rest;
        packet
    }

    fn next_packet(&mut self) -> Option<&'a [u8]> {
        (!self.0.is_empty()).then(|| self.packet())
    }
}
