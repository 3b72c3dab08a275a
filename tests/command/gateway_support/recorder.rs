//! A node that keeps its keys and every packet from the gateway. It detects a key and a counter
//! that sealed two different packets.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::net::{SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

use selo_link::for_vectors::hash;
use selo_link::frame::{Data, Frame, JoinRequest};
use selo_link::join::{JoinAttempt, SessionKeys};
use selo_link::session::{SealOptions, Session};
use selo_link::{DeviceId, DeviceKey, EphemeralSecret, FRAME_MAX, Suite};

/// Time to wait for an answer before a packet is sent again, if the test says nothing else.
const AGAIN: Duration = Duration::from_millis(200);

/// The packets by their key and counter.
#[derive(Default)]
pub struct Judge {
    sealed: HashMap<([u8; 32], u64), Vec<u8>>,
    /// Each counter that sealed two different packets under one key, with both packets.
    pub twice: Vec<(u64, Vec<u8>, Vec<u8>)>,
    /// Packets of resumed sessions.
    pub resumed: usize,
}

impl Judge {
    /// Number of pairs of key and counter that were used.
    pub fn pairs(&self) -> usize {
        self.sealed.len()
    }

    fn sealed(&mut self, key: [u8; 32], counter: u64, frame: &[u8]) {
        let before = self
            .sealed
            .entry((key, counter))
            .or_insert_with(|| frame.to_vec());
        if before != frame {
            self.twice.push((counter, before.clone(), frame.to_vec()));
        }
    }

    /// Records a genuine DOWN of one of these sessions, the newest last.
    fn down(&mut self, sessions: &[SessionKeys], data: &Data<'_>, frame: &[u8]) {
        for keys in sessions.iter().rev() {
            // Use an empty replay window. In a test every counter is near 0.
            let mut text = [0; FRAME_MAX];
            let opened = keys.node_session().open(data, &mut text);
            let Some(counter) = opened.ok().map(|opened| opened.counter) else {
                continue;
            };
            let key = match data.start {
                None => keys.down,
                Some(start) => hash(keys.suite, &[&keys.down, start]),
            };
            self.resumed += usize::from(data.start.is_some());
            return self.sealed(key, counter, frame);
        }
    }
}

/// The result of sending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sent {
    Acknowledged,
    /// The gateway does not know the session.
    Lost,
    Unheard,
}

/// A packet that awaits its acknowledgement.
pub struct UnderWay {
    low: u16,
    frame: Vec<u8>,
}

pub struct Recorder {
    /// Opened when it is needed.
    socket: OnceCell<UdpSocket>,
    gateway: SocketAddr,
    suite: Suite,
    id: DeviceId,
    key: DeviceKey,
    counter: u32,
    session: Option<Session>,
    /// The keys of all sessions, the newest last.
    pub sessions: Vec<SessionKeys>,
    /// The UP packets and JOIN-REQUESTs sent.
    pub ups: Vec<Vec<u8>>,
    pub judge: Judge,
    /// The secrets of all joins in order, and the different answers to any of them.
    secrets: Vec<EphemeralSecret>,
    accepts: Vec<Vec<u8>>,
    pub joins: u32,
    /// Time to wait for an answer before a packet is sent again.
    pub again: Duration,
}

/// A socket that reaches this gateway.
fn new_socket(gateway: SocketAddr) -> UdpSocket {
    let own = match gateway.ip().is_loopback() {
        true => "127.0.0.1:0",
        false => "0.0.0.0:0",
    };
    UdpSocket::bind(own).expect("binds")
}

impl Recorder {
    pub fn new(suite: selo_sys::node::Suite, gateway: SocketAddr, device: (u32, [u8; 32])) -> Self {
        Recorder {
            socket: OnceCell::new(),
            gateway,
            suite: Suite::from_code(suite as u8).expect("a suite"),
            id: DeviceId(device.0),
            key: DeviceKey::new(device.1),
            counter: 0,
            session: None,
            sessions: Vec::new(),
            ups: Vec::new(),
            judge: Judge::default(),
            secrets: Vec::new(),
            accepts: Vec::new(),
            joins: 0,
            again: AGAIN,
        }
    }

    pub fn move_gateway(&mut self, gateway: SocketAddr) {
        self.gateway = gateway;
    }

    pub fn is_joined(&self) -> bool {
        self.session.is_some()
    }

    /// Gives up the session. The keys stay for the judge.
    pub fn forget_session(&mut self) {
        self.session = None;
    }

    /// Sends any bytes, such as an earlier packet.
    pub fn say(&self, frame: &[u8]) {
        // If the gateway is gone, sending fails. For a node that is a lost packet.
        let _ = self.socket().send_to(frame, self.gateway);
    }

    fn socket(&self) -> &UdpSocket {
        self.socket.get_or_init(|| new_socket(self.gateway))
    }

    /// Judges what has arrived, and closes its socket: a machine has fewer sockets than some tests have
    /// nodes. It has another address afterwards.
    pub fn rest(&mut self) {
        self.listen(Duration::ZERO);
        self.socket.take();
    }

    /// Receives and judges the next packet.
    fn receive(&mut self, until: Instant) -> Option<Vec<u8>> {
        loop {
            let left = until.checked_duration_since(Instant::now())?;
            let wait = left.max(Duration::from_millis(1));
            let socket = self.socket();
            socket.set_read_timeout(Some(wait)).expect("sets");
            let mut buffer = [0; 2048];
            let Ok((size, _)) = socket.recv_from(&mut buffer) else {
                continue;
            };
            let frame = buffer[..size].to_vec();
            match Frame::parse(&frame) {
                Ok(Frame::Down(data)) => self.judge.down(&self.sessions, &data, &frame),
                Ok(Frame::JoinAccept(accept)) => {
                    self.judge.sealed(*accept.ephemeral, 0, &frame);
                    if !self.accepts.contains(&frame) {
                        self.accepts.push(frame.clone());
                    }
                }
                _ => {}
            }
            return Some(frame);
        }
    }

    /// Joins. Returns true if the gateway has answered within `time`.
    pub fn join(&mut self, time: Duration) -> bool {
        let until = Instant::now() + time;
        self.counter += 1;
        let secret = EphemeralSecret::random().expect("random numbers");
        let (mut attempt, request) = self.attempt(self.counter, &secret);
        self.secrets.push(secret);
        self.ups.push(request.to_vec());
        while Instant::now() < until {
            self.say(&request);
            let again = (Instant::now() + self.again).min(until);
            while let Some(frame) = self.receive(again) {
                let Ok(Frame::JoinAccept(accept)) = Frame::parse(&frame) else {
                    continue;
                };
                if let Ok(keys) = attempt.finish(&accept) {
                    self.session = Some(keys.node_session());
                    self.sessions.push(keys);
                    self.joins += 1;
                    return true;
                }
            }
        }
        false
    }

    fn attempt(
        &self,
        counter: u32,
        secret: &EphemeralSecret,
    ) -> (JoinAttempt, [u8; JoinRequest::BYTES]) {
        JoinAttempt::start(self.suite, self.id, &self.key, counter, false, secret)
    }

    /// The counters of joins that got two different answers, also late ones. A fresh attempt takes
    /// any genuine answer.
    pub fn joins_answered_twice(&self) -> Vec<u32> {
        let answers = |counter, secret| {
            let genuine = |frame: &&Vec<u8>| match Frame::parse(frame) {
                Ok(Frame::JoinAccept(accept)) => {
                    let (mut attempt, _) = self.attempt(counter, secret);
                    attempt.finish(&accept).is_ok()
                }
                _ => false,
            };
            self.accepts.iter().filter(genuine).count()
        };
        let joins = (1..).zip(&self.secrets);
        joins
            .filter(|(counter, secret)| answers(*counter, secret) > 1)
            .map(|(counter, _)| counter)
            .collect()
    }

    /// Repeats the join until it succeeds.
    pub fn must_join(&mut self) {
        let since = Instant::now();
        while !self.join(Duration::from_secs(3)) {
            assert!(since.elapsed() < super::PATIENCE, "no answer to a join");
        }
    }

    /// Seals a payload and sends it once.
    pub fn begin(&mut self, payload: &[u8]) -> UnderWay {
        let ask = SealOptions {
            ack_request: true,
            ack: None,
        };
        let mut buffer = [0; FRAME_MAX];
        let session = self.session.as_mut().expect("joined");
        let sealed = session.seal(payload, ask, &mut buffer).expect("fits");
        let under_way = UnderWay {
            low: sealed.counter as u16,
            frame: sealed.frame.to_vec(),
        };
        self.ups.push(under_way.frame.clone());
        self.say(&under_way.frame);
        under_way
    }

    /// Waits at most `time` for the acknowledgement, and repeats the packet meanwhile.
    pub fn finish(&mut self, under_way: &UnderWay, time: Duration) -> Sent {
        let until = Instant::now() + time;
        loop {
            let again = (Instant::now() + self.again).min(until);
            while let Some(heard) = self.receive(again) {
                let session = self.session.as_mut().expect("joined");
                match Frame::parse(&heard) {
                    Ok(Frame::Down(data)) => {
                        let mut text = [0; FRAME_MAX];
                        let opened = session.open(&data, &mut text);
                        if opened.is_ok_and(|opened| opened.ack == Some(under_way.low)) {
                            return Sent::Acknowledged;
                        }
                    }
                    Ok(Frame::Hint(id)) if id == session.id() => return Sent::Lost,
                    _ => {}
                }
            }
            if Instant::now() >= until {
                return Sent::Unheard;
            }
            self.say(&under_way.frame);
        }
    }

    /// Sends a payload, and repeats it until it is acknowledged or `time` has passed.
    pub fn send(&mut self, payload: &[u8], time: Duration) -> Sent {
        let under_way = self.begin(payload);
        self.finish(&under_way, time)
    }

    /// Sends a payload that must be acknowledged. Joins again if the session is lost.
    pub fn deliver(&mut self, payload: &[u8]) {
        let since = Instant::now();
        while since.elapsed() < super::PATIENCE {
            if !self.is_joined() {
                self.must_join();
            }
            match self.send(payload, Duration::from_secs(10)) {
                Sent::Acknowledged => return,
                Sent::Lost | Sent::Unheard => self.forget_session(),
            }
        }
        panic!("no acknowledgement arrived");
    }

    /// Receives packets for `time`.
    pub fn listen(&mut self, time: Duration) {
        let until = Instant::now() + time;
        while self.receive(until).is_some() {}
    }
}
