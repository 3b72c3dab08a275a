//! A node whose packets every gateway hears, as on a radio channel. It keeps all answers, and has
//! the keys to check them.

use std::collections::HashMap;
use std::net::{SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

use selo_link::frame::{Direction, FRAME_MAX, Frame};
use selo_link::join::JoinAttempt;
use selo_link::session::{SealOptions, Session};
use selo_link::{DeviceId, DeviceKey, EphemeralSecret, Suite};

/// Silence after which no more answers are expected.
const SILENCE: Duration = Duration::from_millis(300);

/// An answer to a node, and the gateway that sent it.
pub struct Heard {
    pub from: SocketAddr,
    pub bytes: Vec<u8>,
}

pub struct Node {
    device: DeviceId,
    key: DeviceKey,
    counter: u32,
    socket: UdpSocket,
    session: Option<Session>,
    /// Each session that a gateway has ever answered, to open what comes under its keys.
    sessions: Vec<Session>,
    /// The secrets of all joins, to recognise their answers.
    joins: Vec<EphemeralSecret>,
    pub heard: Vec<Heard>,
}

/// The gateways that answered a JOIN-REQUEST, each with its different answers.
pub type Answers = HashMap<Vec<u8>, SocketAddr>;

impl Node {
    pub fn new((id, key): (u32, [u8; 32])) -> Node {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("a socket");
        Node {
            device: DeviceId(id),
            key: DeviceKey::new(key),
            counter: 0,
            socket,
            session: None,
            sessions: Vec::new(),
            joins: Vec::new(),
            heard: Vec::new(),
        }
    }

    /// Sends a frame to these gateways, and returns what they answer.
    fn exchange(&mut self, gateways: &[SocketAddr], frame: &[u8]) -> std::ops::Range<usize> {
        for gateway in gateways {
            let _ = self.socket.send_to(frame, gateway);
        }
        let before = self.heard.len();
        let mut last = Instant::now();
        let mut buffer = [0; 2048];
        while last.elapsed() < SILENCE {
            let left = SILENCE.saturating_sub(last.elapsed());
            let _ = self
                .socket
                .set_read_timeout(Some(left.max(Duration::from_millis(1))));
            if let Ok((size, from)) = self.socket.recv_from(&mut buffer) {
                let bytes = buffer[..size].to_vec();
                self.heard.push(Heard { from, bytes });
                last = Instant::now();
            }
        }
        before..self.heard.len()
    }

    /// Takes what has arrived meanwhile.
    pub fn listen(&mut self) {
        self.exchange(&[], &[]);
    }

    /// Panics if a join ever got two different answers, also late ones.
    pub fn check_answers(&self) {
        let suite = Suite::ChaChaPolyBlake2s;
        for (counter, secret) in (1..).zip(&self.joins) {
            let mut answers: Vec<_> = self
                .heard
                .iter()
                .filter(|heard| {
                    let Ok(Frame::JoinAccept(accept)) = Frame::parse(&heard.bytes) else {
                        return false;
                    };
                    let (mut attempt, _) =
                        JoinAttempt::start(suite, self.device, &self.key, counter, false, secret);
                    attempt.finish(&accept).is_ok()
                })
                .map(|heard| &heard.bytes)
                .collect();
            answers.sort();
            answers.dedup();
            assert!(answers.len() <= 1, "join {counter} was answered twice");
        }
    }

    /// Joins with a new counter, which it sends `times` times. Returns the different answers, and
    /// takes the first session.
    pub fn join(&mut self, gateways: &[SocketAddr], times: usize) -> Answers {
        self.counter += 1;
        let secret = EphemeralSecret::random().expect("random numbers");
        let suite = Suite::ChaChaPolyBlake2s;
        let (mut attempt, request) =
            JoinAttempt::start(suite, self.device, &self.key, self.counter, false, &secret);
        self.joins.push(secret);
        let mut answers = Answers::new();
        for _ in 0..times {
            for at in self.exchange(gateways, &request) {
                let Heard { from, bytes } = &self.heard[at];
                let Ok(Frame::JoinAccept(accept)) = Frame::parse(bytes) else {
                    continue;
                };
                answers.insert(bytes.clone(), *from);
                if let Ok(keys) = attempt.finish(&accept) {
                    if self.sessions.iter().all(|it| it.id() != keys.session) {
                        self.sessions.push(keys.node_session());
                    }
                    self.session = Some(keys.node_session());
                }
            }
        }
        answers
    }

    /// Joins until a gateway answers.
    pub fn join_patiently(&mut self, gateways: &[SocketAddr]) -> SocketAddr {
        let since = Instant::now();
        loop {
            let answers = self.join(gateways, 2);
            assert!(answers.len() <= 1, "two answers to one join: {answers:?}");
            if let Some(from) = answers.into_values().next() {
                return from;
            }
            assert!(
                since.elapsed() < crate::gateway_support::PATIENCE,
                "no answer"
            );
        }
    }

    /// Sends a reading, and returns the gateways that acknowledged it.
    pub fn send(&mut self, gateways: &[SocketAddr], reading: &[u8]) -> Vec<SocketAddr> {
        let Some(session) = &mut self.session else {
            return Vec::new();
        };
        let mut buffer = [0; FRAME_MAX];
        let options = SealOptions {
            ack_request: true,
            ack: None,
        };
        let sealed = session.seal(reading, options, &mut buffer).expect("room");
        let (frame, low) = (sealed.frame.to_vec(), sealed.counter as u16);
        let answers = self.exchange(gateways, &frame);
        let mut by = Vec::new();
        for at in answers {
            let Heard { from, bytes } = &self.heard[at];
            let Ok(Frame::Down(data)) = Frame::parse(bytes) else {
                continue;
            };
            let mut out = [0; FRAME_MAX];
            let opened = self.session.as_mut().map(|it| it.open(&data, &mut out));
            if let Some(Ok(opened)) = opened
                && opened.ack == Some(low)
            {
                by.push(*from);
            }
        }
        by
    }

    /// Opens every DOWN that was ever heard with the keys of all sessions. Returns the number of
    /// packets under these keys.
    ///
    /// Panics if two different packets have one key and one counter.
    pub fn check_counters(&self) -> usize {
        let mut seen: HashMap<(usize, u64), &[u8]> = HashMap::new();
        let mut packets = 0;
        for Heard { bytes, from } in &self.heard {
            let Ok(Frame::Down(data)) = Frame::parse(bytes) else {
                continue;
            };
            assert_eq!(data.direction, Direction::Down);
            for (index, session) in self.sessions.iter().enumerate() {
                let mut out = [0; FRAME_MAX];
                // A fresh copy each time, which accepts any counter.
                let mut fresh = session.clone();
                let Ok(opened) = fresh.open(&data, &mut out) else {
                    continue;
                };
                packets += 1;
                let first = seen.entry((index, opened.counter)).or_insert(bytes);
                assert_eq!(
                    first, bytes,
                    "a key and counter twice, the second from {from}"
                );
            }
        }
        packets
    }
}
