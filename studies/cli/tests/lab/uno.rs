//! The firmware on a simulated Arduino Uno, over UDP, with the real `selo gateway`: pairing,
//! joining, a hundred readings, and power cuts at any cycle of these.

use std::collections::{BTreeSet, HashMap};
use std::net::UdpSocket;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::common::everything;
use crate::gateway_support::{Gateway, Running, Site, compare_digits};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use selo_firmware::node::{Node, eeprom_with, factory_record};
use selo_link::FRAME_MAX;
use selo_link::frame::Frame;
use selo_nodes::board::build;
use selo_nodes::node::provisioned;
use selo_sys::node::Suite;

const SUITE: Suite = Suite::ChaChaPolyBlake2s;

/// Cycles between two polls of the line: 2 ms.
const STEP: u64 = 32_000;

/// A start, a join and some readings take at most this many cycles.
const ALL_OF_IT: u64 = 75_000_000;

/// Time that the gateway may take for an answer before the chip continues. The chip is simulated as
/// fast as possible.
const ANSWER: Duration = Duration::from_millis(100);
/// Cycles (200 ms) during which the node takes no line, because it writes its EEPROM.
const AFTER_SETTLING: u64 = 3_200_000;
/// Time for a step of the chip while both clocks must keep together.
const PACE: Duration = Duration::from_micros(500);

/// Seconds of the chip within which an undisturbed node must have a session again. It repeats a
/// lost packet after seconds, and rests for at most a minute.
const PATIENCE: u64 = 180;
/// The limit by the gateway's clock. An interrupted pairing attempt occupies its window there for a
/// minute, and on a busy machine the chip may use up its own limit in that time.
const GATEWAYS_PATIENCE: Duration = Duration::from_secs(100);

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the repository")
}

#[test]
fn pair_join_and_a_hundred_readings() {
    let site = Site::new();
    let gateway = site.gateway(&[]);
    let mut operator = Running::start(&site, &["device", "pair", "--name", "uno"]);
    operator.err.wait("Start pairing");
    let (root, to) = (root(), gateway.address.to_string());
    let mut arguments = vec!["node", "--project", root.to_str().expect("text")];
    arguments.extend(["--board", "uno", "--fast", "--to", &to, "--json"]);
    arguments.extend(["--every", "100ms", "--readings", "100"]);
    let mut node = Running::start(&site, &arguments);

    compare_digits(&mut node, &mut operator);

    let (code, out, err) = operator.wait();
    assert_eq!(code, Some(0), "{err}");
    let id = out.trim().to_owned();
    let (code, tally, err) = node.wait();
    assert_eq!(code, Some(0), "{err}");
    let tally: serde_json::Value = serde_json::from_str(&tally).expect("JSON");
    assert_eq!(tally["sent"], 100, "{tally}");

    let lines: Vec<_> = (0..100).map(|_| gateway.readings.next_json()).collect();
    for (counter, line) in lines.iter().enumerate() {
        assert_eq!(line["counter"], counter, "{line}");
        assert_eq!(
            (&line["name"], &line["device"]),
            (&"uno".into(), &id.as_str().into())
        );
        assert_eq!(line["session"], lines[0]["session"]);
        assert_eq!(line["payload"].as_str().map(str::len), Some(32), "{line}");
    }
    assert_eq!(gateway.stop().1, Vec::<String>::new(), "more than was sent");
}

/// The answer to a join, the direction, the session and the counter, which together determine a key
/// and a nonce.
type Nonce = (Vec<u8>, u8, u32, u16);

/// All frames between a node and its gateway. The ledger knows only which handshake the keys came
/// from, and that suffices: two frames with the same handshake, direction and counter must be
/// identical.
#[derive(Default)]
struct Ledger {
    /// Each ephemeral key, and the frame in which it was sent.
    ephemeral: HashMap<[u8; 32], Vec<u8>>,
    /// The last answer to a join that the node received. It determines the session's keys.
    accepted: Vec<u8>,
    sealed: HashMap<Nonce, Vec<u8>>,
}

impl Ledger {
    fn note(&mut self, frame: &[u8]) {
        let seen = match Frame::parse(frame).expect("a frame") {
            Frame::JoinRequest(request) => self.ephemeral.insert(*request.ephemeral, frame.into()),
            Frame::PairReveal(reveal) => self.ephemeral.insert(*reveal.ephemeral, frame.into()),
            Frame::PairKey(key) => self.ephemeral.insert(*key.ephemeral, frame.into()),
            Frame::JoinAccept(accept) => {
                self.accepted = frame.into();
                self.ephemeral.insert(*accept.ephemeral, frame.into())
            }
            Frame::Up(data) | Frame::Down(data) => {
                let session = data.session.0;
                let nonce = (
                    self.accepted.clone(),
                    frame[0] & 0xf0,
                    session,
                    data.counter,
                );
                self.sealed.insert(nonce, frame.into())
            }
            _ => None,
        };
        assert!(
            seen.as_deref().is_none_or(|seen| seen == frame),
            "the same key and nonce in two frames:\n{}\n{}",
            hex::encode(seen.unwrap_or_default()),
            hex::encode(frame)
        );
    }
}

#[test]
#[should_panic(expected = "the same key and nonce in two frames")]
fn the_ledger_sees_a_nonce_used_twice() {
    let mut ledger = Ledger::default();
    let frame = |last: u8| [&[0x70, 1, 0, 7, 0][..], &[0x5a; 15], &[last]].concat();
    // An identical frame is a repetition, which is allowed.
    ledger.note(&frame(1));
    ledger.note(&frame(1));
    ledger.note(&frame(2));
}

/// A node on a simulated Uno, with its line.
struct Uno {
    node: Node,
    socket: UdpSocket,
    ledger: Ledger,
    rng: ChaCha8Rng,
    joined: bool,
    digits: Option<String>,
    /// The cycle at which to start pairing on the node.
    pair_at: Option<u64>,
    said: Vec<String>,
    /// Payloads that the test gave to the node.
    given: BTreeSet<String>,
    delivered: bool,
    _eeprom: tempfile::NamedTempFile,
}

impl Uno {
    fn new(gateway: &Gateway, record: &[u8; 76], seed: u64) -> Uno {
        let eeprom = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(eeprom.path(), eeprom_with(record)).expect("writes");
        let suite = crate::gateway_support::suite_name(SUITE);
        let (board, image) = build(&root(), "uno", suite).expect("an image");
        let socket = UdpSocket::bind("127.0.0.1:0").expect("binds");
        socket.connect(gateway.address).expect("connects");
        socket.set_nonblocking(true).expect("sets");
        Uno {
            node: Node::start(&root(), &board, &image, eeprom.path()).expect("a chip"),
            socket,
            ledger: Ledger::default(),
            rng: ChaCha8Rng::seed_from_u64(seed),
            joined: false,
            digits: None,
            pair_at: None,
            said: Vec::new(),
            given: BTreeSet::new(),
            delivered: false,
            _eeprom: eeprom,
        }
    }

    /// Advances the chip by at most `cycles`.
    fn step(&mut self, cycles: u64) {
        self.node.advance(cycles.min(STEP)).expect("it runs");
        if self.pair_at.is_some_and(|at| at <= self.node.cycle) {
            self.pair_at = None;
            self.node.command("pair").expect("a line");
        }
        self.node.spans.clear();
        for line in std::mem::take(&mut self.node.console) {
            match (line.as_str(), line.strip_prefix("digits ")) {
                ("joined", _) => self.joined = true,
                ("session lost", _) => self.joined = false,
                ("delivered", _) => self.delivered = true,
                ("forgotten" | "pairing failed" | "unpaired", _) => {
                    self.pair_at = Some(self.node.cycle + AFTER_SETTLING);
                }
                (_, Some(digits)) => self.digits = Some(digits.into()),
                _ => {}
            }
            // The tests cut the power many times, and each start after the eighth would wait.
            if line.starts_with("suite ") {
                self.node.command("settle").expect("a line");
            }
            self.said.push(line);
        }
        for frame in std::mem::take(&mut self.node.link) {
            self.ledger.note(&frame);
            self.socket.send(&frame).expect("a gateway");
            if matches!(frame[0], 0x10 | 0x50) || frame[0] & 0xf4 == 0x74 {
                self.wait();
            }
        }
        let mut frame = [0; FRAME_MAX];
        while let Ok(size) = self.socket.recv(&mut frame) {
            self.ledger.note(&frame[..size]);
            self.node.send_frame(&frame[..size]).expect("a line");
        }
    }

    /// Lets the chip wait for the gateway, which has another clock.
    fn wait(&self) {
        self.socket.set_nonblocking(false).expect("sets");
        self.socket.set_read_timeout(Some(ANSWER)).expect("sets");
        _ = self.socket.peek(&mut [0; FRAME_MAX]);
        self.socket.set_nonblocking(true).expect("sets");
    }

    /// Advances the chip until `happened`.
    fn until(&mut self, what: &str, mut happened: impl FnMut(&mut Uno) -> bool) {
        let end = self.node.cycle + PATIENCE * 16_000_000;
        let since = Instant::now();
        while !happened(self) {
            assert!(
                self.node.cycle < end || since.elapsed() < GATEWAYS_PATIENCE,
                "{what}: not within {PATIENCE} s; it said {:?}",
                &self.said[self.said.len().saturating_sub(12)..]
            );
            self.step(STEP);
        }
    }

    fn give_reading(&mut self, confirmed: bool) {
        let mut payload = [0; 16];
        self.rng.fill_bytes(&mut payload);
        self.given.insert(hex::encode(payload));
        self.delivered = false;
        self.node.reading(&payload, confirmed).expect("a line");
    }

    /// Runs a start, a join and readings up to this cycle, and cuts the power there.
    fn cut_after(&mut self, cycles: u64) {
        let mut left = cycles;
        while left > 0 {
            let step = left.min(STEP);
            self.step(step);
            left -= step;
            // One reading every eighth of a second.
            if self.joined && left / 2_000_000 != (left + step) / 2_000_000 {
                let confirmed = self.rng.next_u32().is_multiple_of(2);
                self.give_reading(confirmed);
            }
        }
        self.cut_power();
    }

    fn cut_power(&mut self) {
        self.node.cut_power().expect("a line");
        self.node.link.clear();
        self.node.console.clear();
        (self.joined, self.digits, self.pair_at) = (false, None, None);
        // Bytes on the line are lost too.
        while self.socket.recv(&mut [0; FRAME_MAX]).is_ok() {}
    }

    /// Without disturbance the node must have a session and deliver a reading.
    fn recovers(&mut self) {
        self.until("a session", |uno| uno.joined);
        self.give_reading(true);
        self.until("an acknowledgement", |uno| uno.delivered);
    }

    /// Checks the readings: none was accepted twice, each was given by the test, and every
    /// confirmed one has arrived.
    fn check(self, gateway: Gateway) {
        let (code, lines, log) = gateway.stop();
        assert_eq!(code, Some(0), "{log}");
        let mut names = BTreeSet::new();
        for line in &lines {
            let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
            assert!(
                names.insert(format!("{} {}", line["session"], line["counter"])),
                "{line}"
            );
            assert!(
                self.given.contains(line["payload"].as_str().expect("text")),
                "{line}"
            );
        }
        let confirmed = self.said.iter().filter(|line| *line == "delivered").count();
        assert!(
            lines.len() >= confirmed && confirmed > 0,
            "{confirmed} of {}",
            lines.len()
        );
    }
}

/// The cycle of a power cut: any cycle, often one in which the EEPROM is written.
fn moment(rng: &mut ChaCha8Rng, cut: u64) -> u64 {
    let end = if cut.is_multiple_of(4) {
        5_000_000
    } else {
        ALL_OF_IT
    };
    1 + rng.next_u64() % end
}

#[test]
fn power_cuts_while_joining_and_sending() {
    let site = Site::new();
    let gateway = site.gateway(&[]);
    let (id, key) = site.device(SUITE, "uno");
    let mut uno = Uno::new(&gateway, &provisioned(SUITE, id, &key, &[5; 32], 1), 1);
    let mut rng = ChaCha8Rng::seed_from_u64(130);
    let cuts = if everything() { 130 } else { 10 };
    for cut in 0..cuts {
        uno.cut_after(moment(&mut rng, cut));
        if cut % 10 == 9 {
            uno.recovers();
        }
    }
    uno.recovers();
    let sealed = uno.ledger.sealed.len();
    assert!(sealed as u64 > cuts, "only {sealed} frames were compared");
    uno.check(gateway);
}

#[test]
fn power_cuts_while_pairing() {
    let site = Site::new();
    let gateway = site.gateway(&[]);
    let record = factory_record(SUITE as u8, 0x5e10_0001, &[6; 32]);
    let mut uno = Uno::new(&gateway, &record, 2);
    let mut rng = ChaCha8Rng::seed_from_u64(70);
    let mut operator = Operator::new(&site);
    let cuts = if everything() { 70 } else { 10 };
    for cut in 0..cuts {
        let mut left = moment(&mut rng, cut);
        let mut asked = false;
        while left > 0 {
            let step = left.min(STEP);
            uno.step(step);
            left -= step;
            // A node with a key must forget it and pair again.
            if !asked && uno.joined {
                uno.node.command("forget").expect("a line");
                asked = true;
            }
            operator.attend(&mut uno);
        }
        uno.cut_power();
        // The power cut ended the pairing that the gateway compares, so its operator starts again.
        operator.goes();
        if cut % 10 == 9 {
            uno.until("a pairing or a session", |uno| {
                operator.attend(uno);
                // The gateway gives one key every ten seconds of its own clock, and the chip's
                // pairing ends after ten minutes of the chip's clock. Keep both clocks together.
                std::thread::sleep(PACE);
                uno.joined
            });
        }
    }
    uno.recovers();
    let keys = uno.ledger.ephemeral.len();
    assert!(
        keys as u64 > cuts * 4 / 7,
        "only {keys} ephemeral keys were compared"
    );
    uno.check(gateway);
}

/// Keeps a pairing window open, compares the digits, and confirms on both sides.
struct Operator<'s> {
    site: &'s Site,
    window: Option<Running>,
}

impl Operator<'_> {
    fn new(site: &Site) -> Operator<'_> {
        Operator { site, window: None }
    }

    fn goes(&mut self) {
        if let Some(window) = self.window.take() {
            window.kill();
        }
    }

    fn attend(&mut self, uno: &mut Uno) {
        if self.window.as_mut().is_some_and(Running::has_ended) {
            self.window = None;
        }
        let site = self.site;
        // The gateway may not have noticed yet that the previous operator has gone.
        let window = self.window.get_or_insert_with(|| {
            loop {
                let window = Running::start(site, &["device", "pair"]);
                if window.err.has("Start pairing") {
                    return window;
                }
            }
        });
        if let Some(digits) = uno.digits.take() {
            window.type_line(&digits);
            uno.node.command("confirm").expect("a line");
        }
    }
}
