//! Plays a gateway to a node on a simulated chip: pairs with it, lets it join, exchanges payloads,
//! and measures the cost of each step for the node.
//!
//! The gateway is `selo-link`, which shares no code with the node. A figure counts only if both
//! agree on the digits, the keys and every byte.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use rand::RngCore;
use rand_chacha::ChaCha8Rng;
use selo_link::frame::{Frame, PairKey, PairOpen};
use selo_link::hybrid::{GatewayOpening, steps};
use selo_link::join::JoinOpened;
use selo_link::pair::{Compared, GatewayPairing};
use selo_link::session::{SealOptions, Session, SessionId};
use selo_link::{DeviceId, DeviceKey, EphemeralSecret, FRAME_MAX, Suite};

use crate::node::{Node, eeprom_with, factory_record};
use selo_engine::board::Board;
use selo_engine::build::Builder;
use selo_engine::build::Image;
use selo_engine::error::{Error, Result};
use selo_engine::interface::Interface;
use selo_engine::library::Unit;
use selo_engine::measure::Lab;
use selo_engine::measure::rng_for;
use selo_engine::measure::whole::{self, Role, Seen, Whole};
use selo_engine::row::Metric::{self, CpuShare, Cycles, Flash, Instructions, Ram, Stack, Time};
use selo_engine::runner::Span;

/// The operations, as named in rows. [`ALL`] is the whole firmware: its flash, its static RAM and
/// its deepest stack.
const OPERATIONS: [(&str, &[Metric]); 5] = [
    (ALL, &[Flash, Ram, Stack]),
    ("pair", EACH),
    ("join", EACH),
    ("seal", EACH),
    ("open", EACH),
];
const ALL: &str = "all";
const EACH: &[Metric] = &[Cycles, Instructions, Time, Stack, CpuShare];

/// Number of pairings and joins, and of payloads up and down after each.
const ROUNDS: u64 = 3;
const PAYLOADS: usize = 4;

/// Time limit for an answer, in seconds of the chip's time. A scalar multiplication takes the chip
/// two seconds.
const PATIENCE: u64 = 20;

/// The node's operations, in order.
#[derive(Clone, Debug, Default)]
pub struct Played {
    /// For each operation, the total of the library's calls in each run.
    pub took: BTreeMap<&'static str, Vec<Span>>,
    /// The deepest stack of all operations in bytes, from the end of the RAM.
    pub deepest_stack: u64,
    /// Number of values that were compared and found equal.
    pub agreed: u64,
}

/// A node, and the gateway's state for it.
#[derive(Debug)]
pub struct Play {
    pub node: Node,
    pub suite: Suite,
    pub device: DeviceId,
    /// The highest join counter that the node has used.
    pub counter: u32,
    rng: ChaCha8Rng,
    /// Cycles between two marks without code between them.
    marks: u64,
    played: Played,
    /// The chip's EEPROM. It is deleted with the chip.
    _eeprom: tempfile::NamedTempFile,
}

/// The gateway of a node of the link, for the lab.
#[derive(Debug)]
pub struct Gateway;

impl Whole for Gateway {
    fn interface(&self) -> Interface {
        Interface::Link
    }

    fn source(&self) -> &'static str {
        "gateway"
    }

    fn images(&self, builder: &Builder<'_>, unit: &Unit<'_>, list: &Path) -> Result<Vec<Image>> {
        Ok(vec![builder.program(unit, list)?])
    }

    fn operations(&self, _: &Unit<'_>) -> Vec<Role> {
        let role = |(operation, metrics)| Role {
            operation,
            image: 0,
            metrics,
        };
        OPERATIONS.map(role).into()
    }

    fn play(&self, lab: &Lab<'_>, unit: &Unit<'_>, images: &[Image]) -> Result<whole::Played> {
        let [image] = images else {
            return Err(wrong("must have exactly one image".into()));
        };
        let bytes = unit.algorithm.bytes.first().copied().unwrap_or(16) as usize;
        let played = play(&lab.project.root, lab.board, image, unit.variant, bytes)?;
        let seen = |spans: Vec<Span>| Seen {
            spans,
            ..Seen::default()
        };
        let took = played.took.into_iter();
        let mut operations: BTreeMap<_, _> =
            took.map(|(name, spans)| (name, seen(spans))).collect();
        let all = Seen {
            stack: Some(played.deepest_stack),
            ..Seen::default()
        };
        operations.insert(ALL, all);
        Ok(whole::Played {
            agreed: played.agreed,
            operations,
        })
    }
}

/// Suffixes of a variant's name after the suite: without the assembly kernels, and with hybrid
/// pairing.
const PORTABLE: &str = "-portable";
const HYBRID: &str = "-hybrid";

/// Runs the firmware, which was built for the suite in `variant`, and plays its gateway. Payloads
/// have `bytes` bytes.
pub fn play(
    root: &Path,
    board: &Board,
    image: &Image,
    variant: &str,
    bytes: usize,
) -> Result<Played> {
    let suite = variant.strip_suffix(PORTABLE).unwrap_or(variant);
    let suite = suite.strip_suffix(HYBRID).unwrap_or(suite);
    let mut play = Play::start(root, board, image, suite)?;
    play.boot()?;
    for _ in 0..ROUNDS {
        let key = play.pair()?;
        let mut session = play.join(&key)?;
        for _ in 0..PAYLOADS {
            play.up(&mut session, bytes)?;
            play.down(&mut session, bytes)?;
        }
    }
    play.played.deepest_stack = play.node.stack;
    Ok(play.played)
}

fn eeprom_file(content: &[u8]) -> Result<tempfile::NamedTempFile> {
    let written = tempfile::NamedTempFile::new().and_then(|mut file| {
        file.write_all(content)?;
        Ok(file)
    });
    written.map_err(|source| Error::Write {
        path: std::env::temp_dir(),
        source,
    })
}

impl Play {
    /// A new node that has not run yet, with the record of the workshop.
    pub fn start(root: &Path, board: &Board, image: &Image, suite: &str) -> Result<Play> {
        let suite: Suite = suite
            .parse()
            .map_err(|error| Error::Node(format!("{error}")))?;
        let mut rng = rng_for("link", u64::from(suite.code()));
        let mut seed = [0; 32];
        rng.fill_bytes(&mut seed);
        let device = DeviceId(rng.next_u32());
        let eeprom = eeprom_with(&factory_record(suite.code(), device.0, &seed));
        let file = eeprom_file(&eeprom)?;
        Ok(Play {
            node: Node::start(root, board, image, file.path())?,
            suite,
            device,
            counter: 0,
            rng,
            marks: 0,
            played: Played::default(),
            _eeprom: file,
        })
    }

    /// Waits for the node to start. Checks the id and the suite that it prints, and measures the
    /// cost of the marks.
    pub fn boot(&mut self) -> Result<()> {
        let id = self.node.next_line("id ", PATIENCE)?;
        self.agree("its id", &id, &self.device.to_string())?;
        let suite = self.node.next_line("suite ", PATIENCE)?;
        self.agree("its suite", &suite, &self.suite.code().to_string())?;
        self.node.next_line("unpaired", PATIENCE)?;
        match self.node.spans.drain(..).as_slice() {
            [empty] => self.marks = empty.cycles,
            spans => {
                return Err(wrong(format!(
                    "marked {} spans at start-up, not 1",
                    spans.len()
                )));
            }
        }
        Ok(())
    }

    /// Pairs the node. Returns the key that both sides have.
    fn pair(&mut self) -> Result<DeviceKey> {
        let compared = self.compare()?;
        self.node.command("confirm")?;
        let spans = self.node.spans.len();
        self.node
            .run_until(PATIENCE, |node| node.spans.len() > spans)?;
        self.node.send_frame(&compared.result(true))?;
        self.node.next_line("paired", PATIENCE)?;
        // The calls: start, PAIR-KEY, the operator's confirmation, PAIR-RESULT. In a hybrid pairing
        // also the answer to each step, and the start of the second part.
        let of_first_part = compared.kem().map_or(0, |kem| usize::from(steps(kem)) + 1);
        self.note("pair", 4 + of_first_part)?;
        self.counter = 0;
        Ok(compared.device_key().clone())
    }

    /// Starts a pairing at the node, and continues it until both sides have the six digits.
    pub fn compare(&mut self) -> Result<Compared> {
        self.node.command("pair")?;
        self.answer_pairing()
    }

    /// The same, for a node that has already started to pair.
    pub fn answer_pairing(&mut self) -> Result<Compared> {
        let (suite, device) = (self.suite, self.device);
        let frame = self.node.next_frame(PATIENCE)?;
        let (pairing, key) = match Frame::parse(&frame) {
            Ok(Frame::PairCommit(commit)) => GatewayPairing::start(&commit, self.secret()),
            Ok(Frame::PairOpen(open)) => self.answer_opening(&open)?,
            _ => return Err(unexpected("PAIR-COMMIT or PAIR-OPEN", &frame)),
        };
        self.agree("the suite of the pairing", &pairing.suite(), &suite)?;
        self.agree("the device of the pairing", &pairing.device(), &device)?;
        self.node.send_frame(&key)?;

        let frame = self.node.next_frame(PATIENCE)?;
        let Ok(Frame::PairReveal(reveal)) = Frame::parse(&frame) else {
            return Err(unexpected("PAIR-REVEAL", &frame));
        };
        let compared = pairing
            .reveal(&reveal)
            .map_err(|refusal| wrong(format!("failed to pair: {refusal}")))?;
        let digits = self.node.next_line("digits ", PATIENCE)?;
        self.agree("the six digits", &digits, &compared.digits().to_string())?;
        Ok(compared)
    }

    /// The first part of a hybrid pairing, up to the answer to PAIR-COMMIT.
    fn answer_opening(
        &mut self,
        open: &PairOpen<'_>,
    ) -> Result<(GatewayPairing, [u8; PairKey::BYTES])> {
        let refused = |refusal| wrong(format!("failed to pair: {refusal}"));
        let mut seed = [0; 64];
        self.rng.fill_bytes(&mut seed);
        let mut opening = GatewayOpening::start(open, &seed);
        loop {
            self.node.send_frame(opening.answer())?;
            let frame = self.node.next_frame(PATIENCE)?;
            match Frame::parse(&frame) {
                Ok(Frame::PairStep(step)) => {
                    opening.step(&step).map_err(refused)?;
                }
                Ok(Frame::HybridCommit(commit)) => {
                    return opening.commit(&commit, self.secret()).map_err(refused);
                }
                _ => return Err(unexpected("PAIR-STEP or PAIR-COMMIT", &frame)),
            }
        }
    }

    /// Lets the node join with this key.
    fn join(&mut self, key: &DeviceKey) -> Result<Session> {
        let session = self.accept(key)?;
        // The calls: the request and the answer.
        self.note("join", 2)?;
        Ok(session)
    }

    /// Accepts the node's request to join with this key. Its counter must be new.
    pub fn accept(&mut self, key: &DeviceKey) -> Result<Session> {
        let device = self.device;
        let frame = self.node.next_frame(PATIENCE)?;
        let Ok(Frame::JoinRequest(request)) = Frame::parse(&frame) else {
            return Err(unexpected("JOIN-REQUEST", &frame));
        };
        self.agree("the device of JOIN-REQUEST", &request.device, &device)?;
        let opened = JoinOpened::open(self.suite, key, &request)
            .map_err(|refusal| wrong(format!("failed to join: {refusal}")))?;
        if opened.counter() <= self.counter {
            return Err(wrong(format!(
                "joined with counter {} again",
                opened.counter()
            )));
        }
        self.counter = opened.counter();
        let session = SessionId(self.rng.next_u32() & 0xffff);
        let (accept, keys) = opened
            .accept(&self.secret(), session, false)
            .map_err(|refusal| wrong(format!("failed to join: {refusal}")))?;
        self.node.send_frame(&accept)?;
        self.node.next_line("joined", PATIENCE)?;
        Ok(keys.gateway_session())
    }

    /// Sends a payload from the node.
    fn up(&mut self, session: &mut Session, bytes: usize) -> Result<()> {
        let payload = self.payload(bytes);
        self.node.reading(&payload, false)?;
        let frame = self.node.next_frame(PATIENCE)?;
        let Ok(Frame::Up(data)) = Frame::parse(&frame) else {
            return Err(unexpected("UP", &frame));
        };
        let mut out = [0; FRAME_MAX];
        let opened = session
            .open(&data, &mut out)
            .map_err(|refusal| wrong(format!("sent an invalid sealed frame: {refusal}")))?;
        self.agree("a sealed payload", &opened.payload, &payload.as_slice())?;
        self.note("seal", 1)
    }

    /// Sends a payload to the node.
    fn down(&mut self, session: &mut Session, bytes: usize) -> Result<()> {
        let payload = self.payload(bytes);
        let mut out = [0; FRAME_MAX];
        let sealed = session
            .seal(&payload, SealOptions::default(), &mut out)
            .map_err(|error| wrong(format!("cannot receive {bytes} bytes: {error}")))?;
        self.node.send_frame(sealed.frame)?;
        let received = self.node.next_payload(PATIENCE)?;
        self.agree("an opened payload", &received, &payload)?;
        self.note("open", 1)
    }

    /// Adds up the spans since the last note. There must be `calls` of them.
    fn note(&mut self, operation: &'static str, calls: usize) -> Result<()> {
        let spans: Vec<Span> = self.node.spans.drain(..).collect();
        if spans.len() != calls {
            let what = format!("marked {} calls of '{operation}', not {calls}", spans.len());
            return Err(wrong(what));
        }
        let sum = |of: fn(&Span) -> u64| spans.iter().map(of).sum::<u64>();
        let took = Span {
            cycles: sum(|span| span.cycles).saturating_sub(self.marks * calls as u64),
            slept: sum(|span| span.slept),
            stack: spans.iter().map(|span| span.stack).max().unwrap_or(0),
        };
        self.played.took.entry(operation).or_default().push(took);
        Ok(())
    }

    fn agree<T: PartialEq + std::fmt::Debug>(
        &mut self,
        what: &str,
        node: &T,
        gateway: &T,
    ) -> Result<()> {
        if node != gateway {
            return Err(wrong(format!(
                "disagrees about {what}: it has {node:?}, the gateway {gateway:?}"
            )));
        }
        self.played.agreed += 1;
        Ok(())
    }

    fn secret(&mut self) -> EphemeralSecret {
        let mut bytes = [0; 32];
        self.rng.fill_bytes(&mut bytes);
        EphemeralSecret::new(bytes)
    }

    fn payload(&mut self, bytes: usize) -> Vec<u8> {
        let mut payload = vec![0; bytes];
        self.rng.fill_bytes(&mut payload);
        payload
    }
}

fn wrong(what: String) -> Error {
    Error::Node(what)
}

fn unexpected(wanted: &str, frame: &[u8]) -> Error {
    wrong(format!("sent {}, not {wanted}", hex::encode(frame)))
}
