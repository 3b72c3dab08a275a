//! A working gateway with one selectable fault.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::Duration;

use selo_attack::target::{Reading, Target};
use selo_link::frame::{Data, Direction, FRAME_MAX, Frame, HybridCommit, JoinRequest};
use selo_link::frame::{PairOpen, PairReveal, PairStep};
use selo_link::hybrid::GatewayOpening;
use selo_link::join::JoinOpened;
use selo_link::pair::GatewayPairing;
use selo_link::session::{OpenError, SealOptions, Session, SessionId};
use selo_link::{DeviceId, DeviceKey, EphemeralSecret, Reason, Suite, random_bytes};

/// The fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    Nothing,
    /// Accepts data whose tag is wrong.
    NoDataTag,
    /// Has no replay window.
    NoWindow,
    /// Accepts its own kind of frames as a node's.
    OwnFrames,
    /// Creates a session although the join's tag is wrong.
    NoJoinTag,
    /// Answers a join counter that it has seen.
    NoJoinCounter,
    /// Multiplies before it checks a join's tag.
    EagerJoin,
    /// Allocates memory for every refused join and never frees it.
    Hoarder,
    /// Refuses the joins of honest nodes while strangers send joins.
    EasilyBusy,
    /// Drops a node's packets from a new port because of packets that others sent from its
    /// address.
    BlamesAddresses,
    /// Answers the paper's frames with a session.
    TakesClassic,
    /// Shows digits although the commitment does not match.
    NoCommitment,
    /// Shows digits derived from a zero secret.
    ZeroKey,
    /// Uses the same key in every pairing.
    OldKey,
    /// Answers pairings while the window is closed.
    AlwaysPairs,
    /// Allows any number of attempts per window.
    EndlessAttempts,
}

struct Device {
    suite: Suite,
    key: DeviceKey,
    joined: u32,
    session: Option<SessionId>,
}

enum Pairing {
    Closed,
    Open,
    /// The steps of a hybrid pairing.
    Opened(Box<GatewayOpening>),
    Keyed(Box<GatewayPairing>),
    /// Device, suite, digits, device key, and the answers for a confirmation and for a rejection.
    Comparing(DeviceId, Suite, u32, DeviceKey, [Vec<u8>; 2]),
}

struct State {
    fault: Fault,
    devices: HashMap<DeviceId, Device>,
    sessions: HashMap<SessionId, (DeviceId, Session)>,
    accepts: HashMap<Vec<u8>, Vec<u8>>,
    peers: HashMap<DeviceId, SocketAddr>,
    false_sessions: u64,
    pairing: Pairing,
    /// The steps before the newest hybrid PAIR-KEY.
    opening: Option<Box<GatewayOpening>>,
    pairing_peer: Option<SocketAddr>,
    attempts: u8,
    results: HashMap<Vec<u8>, Vec<u8>>,
    reveal: Vec<u8>,
    readings: Vec<Reading>,
    packets: u64,
    multiplications: u64,
    dropped: HashMap<&'static str, u64>,
    strangers: u64,
    blame: HashMap<IpAddr, u64>,
    hoard: Vec<[u8; 1024]>,
}

pub struct WeakGateway {
    state: Arc<Mutex<State>>,
    socket: UdpSocket,
    claimed: Option<SocketAddr>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl WeakGateway {
    pub fn start(fault: Fault) -> WeakGateway {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a socket");
        socket
            .set_read_timeout(Some(Duration::from_millis(20)))
            .expect("a limit");
        let state = Arc::new(Mutex::new(State {
            fault,
            devices: HashMap::new(),
            sessions: HashMap::new(),
            accepts: HashMap::new(),
            peers: HashMap::new(),
            false_sessions: 0,
            pairing: Pairing::Closed,
            opening: None,
            pairing_peer: None,
            attempts: 0,
            results: HashMap::new(),
            reveal: Vec::new(),
            readings: Vec::new(),
            packets: 0,
            multiplications: 0,
            dropped: HashMap::new(),
            strangers: 0,
            blame: HashMap::new(),
            hoard: Vec::new(),
        }));
        let stop = Arc::new(AtomicBool::new(false));
        let thread = {
            let (state, stop) = (state.clone(), stop.clone());
            let socket = socket.try_clone().expect("a second handle");
            std::thread::spawn(move || {
                let mut packet = [0; 2048];
                while !stop.load(Ordering::Relaxed) {
                    if let Ok((size, from)) = socket.recv_from(&mut packet) {
                        let mut state = state.lock().expect("no panic");
                        let answer = state.handle(from, &packet[..size]);
                        state.packets += 1;
                        drop(state);
                        if let Some(answer) = answer {
                            let _ = socket.send_to(&answer, from);
                        }
                    }
                }
            })
        };
        WeakGateway {
            state,
            socket,
            claimed: None,
            stop,
            thread: Some(thread),
        }
    }

    /// Makes it report this address.
    pub fn at(mut self, address: &str) -> WeakGateway {
        self.claimed = Some(address.parse().expect("an address"));
        self
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic")
    }
}

impl Drop for WeakGateway {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

type Answer = Result<Option<Vec<u8>>, Reason>;

impl State {
    fn handle(&mut self, from: SocketAddr, bytes: &[u8]) -> Option<Vec<u8>> {
        let answer = match Frame::parse(bytes) {
            Ok(Frame::JoinRequest(request)) => self.join(from, &request),
            Ok(Frame::Up(data)) => self.data(from, &data),
            Ok(Frame::Down(data)) if self.fault == Fault::OwnFrames => self.believe(&data),
            Ok(Frame::PairCommit(commit)) => self.commit(from, &commit),
            Ok(Frame::PairReveal(reveal)) => self.reveal(&reveal),
            Ok(Frame::PairOpen(open)) => self.open(from, &open),
            Ok(Frame::PairStep(step)) => self.step(&step),
            Ok(Frame::HybridCommit(commit)) => self.hybrid_commit(&commit),
            Ok(Frame::PairKey(_)) if self.fault == Fault::OwnFrames => self.forget_key(),
            Ok(Frame::Classic([_])) if self.fault == Fault::TakesClassic => {
                self.multiplications += 1;
                self.false_sessions += 1;
                Ok(None)
            }
            Ok(Frame::Classic(_)) => Err(Reason::ClassicRefused),
            Ok(_) => Err(Reason::UnknownSession),
            Err(_) => Err(Reason::Malformed),
        };
        answer.unwrap_or_else(|reason| {
            *self.dropped.entry(reason.label()).or_default() += 1;
            *self.blame.entry(from.ip()).or_default() += 1;
            None
        })
    }

    fn join(&mut self, from: SocketAddr, request: &JoinRequest<'_>) -> Answer {
        if self.fault == Fault::Hoarder {
            self.hoard.push([7; 1024]);
        }
        let device = self.devices.get_mut(&request.device);
        self.strangers += u64::from(device.is_none());
        let device = device.ok_or(Reason::UnknownDevice)?;
        if let Some(accept) = self.accepts.get(&request.bytes[..])
            && self.fault != Fault::NoJoinCounter
        {
            return match device.session {
                Some(_) => Ok(Some(accept.clone())),
                None => Err(Reason::ReplayedJoin),
            };
        }
        if self.fault == Fault::EagerJoin {
            self.multiplications += 1;
        }
        if self.fault == Fault::EasilyBusy && self.strangers > 0 {
            return Err(Reason::RateLimited);
        }
        let opened = match JoinOpened::open(device.suite, &device.key, request) {
            Ok(opened) => opened,
            Err(refusal) => {
                self.false_sessions += u64::from(self.fault == Fault::NoJoinTag);
                return Err(refusal.reason());
            }
        };
        if opened.counter() <= device.joined && self.fault != Fault::NoJoinCounter {
            return Err(Reason::ReplayedJoin);
        }
        device.joined = opened.counter();
        self.multiplications += 2;
        let secret = EphemeralSecret::random().expect("randomness");
        let id = SessionId(100 + self.accepts.len() as u32);
        let (accept, keys) = opened
            .accept(&secret, id, false)
            .map_err(|refusal| refusal.reason())?;
        device.session = Some(id);
        self.sessions
            .insert(id, (request.device, keys.gateway_session()));
        self.peers.insert(request.device, from);
        self.accepts.insert(request.bytes.to_vec(), accept.to_vec());
        Ok(Some(accept.to_vec()))
    }

    fn data(&mut self, from: SocketAddr, data: &Data<'_>) -> Answer {
        let (id, session) = self
            .sessions
            .get_mut(&data.session)
            .ok_or(Reason::UnknownSession)?;
        let id = *id;
        let blamed = self
            .blame
            .get(&from.ip())
            .is_some_and(|faults| *faults > 100);
        let at_home = self.peers.get(&id) == Some(&from);
        if self.fault == Fault::BlamesAddresses && blamed && !at_home {
            return Err(Reason::RateLimited);
        }
        let mut buffer = [0; FRAME_MAX];
        match session.open(data, &mut buffer) {
            Ok(opened) => {
                let payload = opened.payload.to_vec();
                self.peers.insert(id, from);
                // The first packet ends the previous session and the handshake.
                let live = data.session;
                self.sessions
                    .retain(|other, (device, _)| *device != id || *other == live);
                if let Some(device) = self.devices.get_mut(&id) {
                    device.session = None;
                }
                self.deliver(id, payload);
                Ok(None)
            }
            Err(OpenError::Forged) if self.fault == Fault::NoDataTag => self.believe(data),
            Err(OpenError::Again { .. }) if self.fault == Fault::NoWindow => self.believe(data),
            Err(error) => Err(error.reason()),
        }
    }

    fn believe(&mut self, data: &Data<'_>) -> Answer {
        let id = self.sessions.get(&data.session).map(|(id, _)| *id);
        let own = data.direction == Direction::Down;
        assert!(!own || self.fault == Fault::OwnFrames);
        self.deliver(id.ok_or(Reason::UnknownSession)?, data.ciphertext.to_vec());
        Ok(None)
    }

    fn deliver(&mut self, id: DeviceId, payload: Vec<u8>) {
        self.readings.push(Reading {
            device: Some(id),
            payload,
        });
    }

    /// Takes an attempt of the window.
    fn attempt(&mut self) -> Result<(), Reason> {
        let always = self.fault == Fault::AlwaysPairs;
        let opened = matches!(self.pairing, Pairing::Open | Pairing::Opened(_));
        let may = always || (opened && self.attempts > 0);
        if !may {
            return Err(Reason::NotPairing);
        }
        if self.fault != Fault::EndlessAttempts {
            self.attempts = self.attempts.saturating_sub(1);
        }
        Ok(())
    }

    fn ephemeral(&self) -> EphemeralSecret {
        match self.fault {
            Fault::OldKey => EphemeralSecret::new([7; 32]),
            _ => EphemeralSecret::random().expect("randomness"),
        }
    }

    fn open(&mut self, from: SocketAddr, open: &PairOpen<'_>) -> Answer {
        if let Pairing::Opened(opening) = &self.pairing
            && opening.is_last(open.bytes)
        {
            return Ok(Some(opening.answer().to_vec()));
        }
        self.attempt()?;
        let seed = match self.fault {
            Fault::OldKey => [7; 64],
            _ => random_bytes().expect("randomness"),
        };
        let opening = GatewayOpening::start(open, &seed);
        let answer = opening.answer().to_vec();
        self.pairing = Pairing::Opened(Box::new(opening));
        self.pairing_peer = Some(from);
        Ok(Some(answer))
    }

    fn step(&mut self, step: &PairStep<'_>) -> Answer {
        let Pairing::Opened(opening) = &mut self.pairing else {
            return Err(Reason::NotPairing);
        };
        let stepped = opening.step(step);
        stepped.map_err(|refusal| refusal.reason())?;
        Ok(Some(opening.answer().to_vec()))
    }

    fn hybrid_commit(&mut self, commit: &HybridCommit<'_>) -> Answer {
        if let Pairing::Keyed(pairing) = &self.pairing
            && pairing.commit() == commit.bytes
        {
            return Ok(Some(pairing.key().to_vec()));
        }
        let Pairing::Opened(opening) = &self.pairing else {
            return Err(Reason::NotPairing);
        };
        let made = opening.commit(commit, self.ephemeral());
        let (pairing, key) = made.map_err(|refusal| refusal.reason())?;
        let keyed = Pairing::Keyed(Box::new(pairing));
        if let Pairing::Opened(opening) = std::mem::replace(&mut self.pairing, keyed) {
            self.opening = Some(opening);
        }
        Ok(Some(key.to_vec()))
    }

    /// Takes its own key for a node's frame, and pairs on with another key.
    fn forget_key(&mut self) -> Answer {
        let Pairing::Keyed(pairing) = &self.pairing else {
            return Err(Reason::NotPairing);
        };
        let commit = pairing.commit().to_vec();
        let Ok(Frame::HybridCommit(commit)) = Frame::parse(&commit) else {
            return Ok(None);
        };
        let secret = self.ephemeral();
        let opening = self.opening.as_ref().ok_or(Reason::NotPairing)?;
        let made = opening.commit(&commit, secret);
        let (pairing, _) = made.map_err(|refusal| refusal.reason())?;
        self.pairing = Pairing::Keyed(Box::new(pairing));
        Ok(None)
    }

    fn commit(&mut self, from: SocketAddr, commit: &selo_link::frame::PairCommit<'_>) -> Answer {
        self.attempt()?;
        let secret = self.ephemeral();
        self.multiplications += 1;
        let (pairing, key) = GatewayPairing::start(commit, secret);
        self.pairing = Pairing::Keyed(Box::new(pairing));
        self.pairing_peer = Some(from);
        Ok(Some(key.to_vec()))
    }

    fn reveal(&mut self, reveal: &PairReveal<'_>) -> Answer {
        if let Some(result) = self.results.get(&reveal.bytes[..])
            && self.fault != Fault::OldKey
        {
            return Ok(Some(result.clone()));
        }
        if !matches!(self.pairing, Pairing::Keyed(_)) {
            return Err(Reason::NotPairing);
        }
        let Pairing::Keyed(pairing) = std::mem::replace(&mut self.pairing, Pairing::Open) else {
            return Err(Reason::NotPairing);
        };
        let suite = Suite::from_code(pairing.commit()[5]).expect("parsed before");
        self.multiplications += 1;
        self.reveal = reveal.bytes.to_vec();
        match pairing.reveal(reveal) {
            Ok(compared) => {
                let results = [false, true].map(|word| compared.result(word).to_vec());
                let (digits, key) = (compared.digits().value(), compared.device_key().clone());
                let device = compared.device();
                self.pairing = Pairing::Comparing(device, suite, digits, key, results);
                Ok(None)
            }
            Err(refusal) => {
                let ignored = match refusal.reason() {
                    Reason::Commitment => self.fault == Fault::NoCommitment,
                    Reason::Key => self.fault == Fault::ZeroKey,
                    _ => false,
                };
                if ignored {
                    let key = DeviceKey::new([0; 32]);
                    let results = [Vec::new(), Vec::new()];
                    self.pairing = Pairing::Comparing(reveal.device, suite, 0, key, results);
                }
                Err(refusal.reason())
            }
        }
    }
}

impl Target for WeakGateway {
    fn address(&self) -> SocketAddr {
        self.claimed
            .unwrap_or_else(|| self.socket.local_addr().expect("bound"))
    }

    fn packets(&self) -> u64 {
        self.state().packets
    }

    fn is_settled(&self) -> bool {
        true
    }

    fn dropped(&self, reason: Reason) -> u64 {
        *self.state().dropped.get(reason.label()).unwrap_or(&0)
    }

    fn multiplications(&self) -> u64 {
        self.state().multiplications
    }

    fn sessions(&self) -> u64 {
        let state = self.state();
        state.sessions.len() as u64 + state.false_sessions
    }

    fn readings(&self) -> Vec<Reading> {
        self.state().readings.clone()
    }

    fn add_device(&mut self, id: DeviceId, suite: Suite, key: &DeviceKey) {
        let device = Device {
            suite,
            key: key.clone(),
            joined: 0,
            session: None,
        };
        self.state().devices.insert(id, device);
    }

    fn device_key(&self, id: DeviceId) -> Option<DeviceKey> {
        self.state()
            .devices
            .get(&id)
            .map(|device| device.key.clone())
    }

    fn open_window(&mut self) {
        let mut state = self.state();
        state.pairing = Pairing::Open;
        state.attempts = 3;
    }

    fn close_window(&mut self) {
        self.state().pairing = Pairing::Closed;
    }

    fn comparing(&self) -> Option<(DeviceId, u32)> {
        match &self.state().pairing {
            Pairing::Comparing(id, _, digits, ..) => Some((*id, *digits)),
            _ => None,
        }
    }

    fn enter(&mut self, digits: u32) -> bool {
        let known = self.comparing().is_some_and(|(_, shown)| shown == digits);
        if known {
            self.decide(true);
        }
        known
    }

    fn reject(&mut self) {
        self.decide(false);
    }

    fn decide(&mut self, same: bool) {
        let mut state = self.state();
        let next = if same { Pairing::Closed } else { Pairing::Open };
        match std::mem::replace(&mut state.pairing, next) {
            Pairing::Comparing(id, suite, _, key, results) => {
                let result = results[usize::from(same)].clone();
                let reveal = state.reveal.clone();
                if let Some(peer) = state.pairing_peer {
                    let _ = self.socket.send_to(&result, peer);
                }
                state.results.insert(reveal, result);
                drop(state);
                if same {
                    self.add_device(id, suite, &key);
                }
            }
            other => state.pairing = other,
        }
    }

    fn send(&mut self, id: DeviceId, payload: &[u8]) {
        let mut state = self.state();
        let peer = state.peers.get(&id).copied();
        let session = state
            .sessions
            .values_mut()
            .find(|(device, _)| *device == id);
        let mut frame = [0; FRAME_MAX];
        if let (Some((_, session)), Some(peer)) = (session, peer) {
            let sealed = session.seal(payload, SealOptions::default(), &mut frame);
            let _ = self.socket.send_to(sealed.expect("fits").frame, peer);
        }
    }
}
