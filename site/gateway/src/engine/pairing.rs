//! The pairing window [docs/protocol.md, Pair, State machines]. It holds several parallel
//! attempts, each with its own digits. The operator types the digits that the node shows. They
//! select the attempt, and no device is stored before that.
//!
//! A man in the middle knows the node's digits and can start attempts at the gateway until one
//! has the same digits. Each PAIR-KEY is therefore one guess, and this module limits the number
//! of PAIR-KEYs per window. A lottery among the waiting sources decides who gets the next one.

use std::fmt;

use selo_link::frame::{Frame, PairCommit, PairResult, PairReveal};
use selo_link::pair::{Compared, Digits, GatewayPairing};
use selo_link::{DeviceId, DeviceKey, EphemeralSecret, Reason, Refusal, Suite};

use super::{Engine, Event, HANDSHAKE_COST, Handled, Output};
use crate::clock::Now;
use crate::counters::{Count, Kind};
use crate::peer::Peer;

/// Maximum duration of a window, milliseconds. The operator may choose less.
pub const WINDOW_MAX_MS: u64 = 10 * 60 * 1000;
/// Maximum number of different wrong entries per window.
const ENTRIES: usize = 3;
/// Maximum parallel attempts.
const ATTEMPTS: usize = 8;
/// Maximum parallel attempts per source.
const ATTEMPTS_OF_SOURCE: usize = 4;
/// Number of PAIR-KEYs available at once. After that, one per [`KEY_EACH_MS`].
const KEYS_AT_ONCE: u64 = 8;
const KEY_EACH_MS: u64 = 10 * 1000;
/// Maximum number of PAIR-COMMITs that wait for a PAIR-KEY (one per source), and the time they
/// wait. A node repeats its PAIR-COMMIT every 4 seconds.
const WAITING_MAX: usize = 32;
const WAITING_MS: u64 = 15 * 1000;
/// Time limit from PAIR-KEY to PAIR-REVEAL. An Uno computes for seconds.
const REVEAL_MS: u64 = 30 * 1000;
/// Time limit for typing the digits of an attempt.
const COMPARE_MS: u64 = 2 * 60 * 1000;
/// Time during which a PAIR-RESULT is repeated, and the maximum number stored.
const RESULT_MS: u64 = 10 * 60 * 1000;
const RESULTS_MAX: usize = 128;

/// Identifier of an attempt.
pub type Attempt = u64;

/// Identifier of a window. It separates events of this window from those of an earlier one.
pub type Window = u64;

/// State of the window, for display.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WindowState {
    /// The window has closed for the reason `why`.
    Closed { why: &'static str },
    /// The window accepts attempts. `entries_left` wrong entries remain.
    Open { entries_left: u8 },
    /// An attempt has started: the node has received a PAIR-KEY.
    Keyed {
        attempt: Attempt,
        device: DeviceId,
        suite: Suite,
    },
    /// The node shows its digits. The operator can type them.
    Comparing {
        attempt: Attempt,
        device: DeviceId,
        suite: Suite,
        /// A device with this id exists; its key would be replaced.
        replaces: bool,
    },
    /// The attempt has failed for the reason `why`.
    Failed {
        attempt: Attempt,
        device: DeviceId,
        why: &'static str,
    },
    /// The operator has typed the digits, and the node has been told.
    Paired { attempt: Attempt, device: DeviceId },
}

/// The device of an attempt whose digits were typed.
#[derive(Debug, Clone)]
pub struct Matched {
    pub attempt: Attempt,
    pub device: DeviceId,
    pub suite: Suite,
    pub key: DeviceKey,
}

/// Reasons why a request of the operator has no effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PairError {
    #[error("a pairing window is already open")]
    Open,
    #[error("no pairing window is open")]
    Closed,
    #[error("no node is waiting for its digits to be entered")]
    NotComparing,
    #[error(
        "no attempt at this gateway has these digits: a typing error, or a man in the middle; \
         do not confirm on the node (no long press). Entries left: {entries_left}"
    )]
    NoSuchDigits { entries_left: usize },
    #[error("two attempts have these digits, and both were rejected: restart pairing on the node")]
    Ambiguous,
}

#[derive(Default)]
pub(super) struct Pairing {
    open: Option<Open>,
    /// Number of windows so far, which is the id of the last one.
    windows: Window,
    attempts: Attempt,
    /// Decisions of the operator, kept for repetition. At most [`RESULTS_MAX`].
    results: Vec<Given>,
}

struct Open {
    until_ms: u64,
    /// Wrong entries: digits that no attempt had.
    wrong: Vec<u32>,
    /// At most [`ATTEMPTS`]. A new attempt never displaces an older one.
    attempts: Vec<Underway>,
    /// At most [`WAITING_MAX`].
    waiting: Vec<Waiting>,
    /// Time at which all [`KEYS_AT_ONCE`] PAIR-KEYs are available again, milliseconds.
    keys_full_ms: u64,
}

struct Underway {
    attempt: Attempt,
    peer: Peer,
    commit: [u8; PairCommit::BYTES],
    stage: Stage,
    until_ms: u64,
}

enum Stage {
    Keyed(Box<GatewayPairing>),
    Comparing {
        compared: Box<Compared>,
        reveal: [u8; PairReveal::BYTES],
    },
}

/// A PAIR-COMMIT that waits for a PAIR-KEY.
struct Waiting {
    commit: [u8; PairCommit::BYTES],
    peer: Peer,
    until_ms: u64,
}

/// A PAIR-RESULT, kept for nodes that repeat their PAIR-REVEAL.
struct Given {
    reveal: [u8; PairReveal::BYTES],
    result: [u8; PairResult::BYTES],
    until_ms: u64,
}

impl fmt::Debug for Pairing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match &self.open {
            None => "Pairing(closed)",
            Some(_) => "Pairing(open)",
        })
    }
}

impl Pairing {
    pub(super) fn deadline(&self) -> Option<u64> {
        let open = self.open.as_ref()?;
        let ends = open.attempts.iter().map(|underway| underway.until_ms);
        let waits = open.waiting.iter().map(|waiting| waiting.until_ms);
        let draw = open.next_draw();
        [open.until_ms]
            .into_iter()
            .chain(ends)
            .chain(waits)
            .chain(draw)
            .min()
    }
}

impl Open {
    /// Earliest time of the next PAIR-KEY.
    fn next_key(&self) -> u64 {
        self.keys_full_ms
            .saturating_sub((KEYS_AT_ONCE - 1) * KEY_EACH_MS)
    }

    fn spend_key(&mut self, now: Now) {
        self.keys_full_ms = self.keys_full_ms.max(now.steady_ms) + KEY_EACH_MS;
    }

    fn has_room(&self, peer: Peer) -> bool {
        let source = peer.limit_key();
        let of_source = self.attempts.iter();
        let of_source = of_source.filter(|underway| underway.peer.limit_key() == source);
        self.attempts.len() < ATTEMPTS && of_source.count() < ATTEMPTS_OF_SOURCE
    }

    /// Time at which a waiting PAIR-COMMIT can get a PAIR-KEY. `None` if all must wait for the
    /// end of an attempt.
    fn next_draw(&self) -> Option<u64> {
        let one_can = self
            .waiting
            .iter()
            .any(|waiting| self.has_room(waiting.peer));
        one_can.then(|| self.next_key())
    }

    fn entries_left(&self) -> u8 {
        ENTRIES.saturating_sub(self.wrong.len()) as u8
    }

    fn find(&self, commit: &[u8; PairCommit::BYTES]) -> Option<&Underway> {
        self.attempts
            .iter()
            .find(|underway| underway.commit == *commit)
    }

    /// Adds a waiting PAIR-COMMIT. Each source has one place, so sending many packets gives no
    /// advantage.
    fn wait(&mut self, new: Waiting, lot: u32) {
        let source = new.peer.limit_key();
        let same = |waiting: &Waiting| waiting.commit == new.commit;
        let at = self.waiting.iter().position(same).or_else(|| {
            let of_source = |waiting: &Waiting| waiting.peer.limit_key() == source;
            self.waiting.iter().position(of_source)
        });
        match at {
            Some(at) if same(&self.waiting[at]) => self.waiting[at] = new,
            // Nodes behind one address take turns.
            Some(at) if lot.is_multiple_of(2) => self.waiting[at] = new,
            Some(_) => {}
            None if self.waiting.len() < WAITING_MAX => self.waiting.push(new),
            None => self.waiting[lot as usize % WAITING_MAX] = new,
        }
    }
}

impl Underway {
    fn device(&self) -> DeviceId {
        match &self.stage {
            Stage::Keyed(pairing) => pairing.device(),
            Stage::Comparing { compared, .. } => compared.device(),
        }
    }

    fn compared(&self) -> Option<&Compared> {
        match &self.stage {
            Stage::Keyed(_) => None,
            Stage::Comparing { compared, .. } => Some(compared),
        }
    }

    fn is_late(&self, now: Now) -> Option<&'static str> {
        (self.until_ms <= now.steady_ms).then_some(match &self.stage {
            Stage::Keyed(_) => "the node stopped responding",
            Stage::Comparing { .. } => "its digits were not typed in time",
        })
    }
}

impl Engine {
    /// Opens a window for `ms` milliseconds, at most [`WINDOW_MAX_MS`].
    pub fn pairing_open(
        &mut self,
        now: Now,
        ms: u64,
        out: &mut Output,
    ) -> Result<Window, PairError> {
        if self.pairing.open.is_some() {
            return Err(PairError::Open);
        }
        self.pairing.windows += 1;
        let open = Open {
            until_ms: now.steady_ms + ms.min(WINDOW_MAX_MS),
            wrong: Vec::new(),
            attempts: Vec::new(),
            waiting: Vec::new(),
            keys_full_ms: 0,
        };
        let entries_left = open.entries_left();
        self.pairing.open = Some(open);
        self.pairing_news(WindowState::Open { entries_left }, out);
        Ok(self.pairing.windows)
    }

    /// Closes this window when its operator leaves. Has no effect if another window has been
    /// opened since.
    pub fn pairing_leave(&mut self, now: Now, window: Window, why: &'static str, out: &mut Output) {
        if self.pairing.windows == window {
            self.pairing_close(now, why, out);
        }
    }

    /// The id of the open window, or of the last one.
    pub fn pairing_window(&self) -> Window {
        self.pairing.windows
    }

    fn pairing_news(&mut self, state: WindowState, out: &mut Output) {
        out.events.push(Event::Pairing(self.pairing.windows, state));
    }

    /// Closes the window and rejects its attempts.
    pub fn pairing_close(&mut self, now: Now, why: &'static str, out: &mut Output) {
        if self.pairing.open.is_none() {
            return;
        }
        self.fail_attempts(now, |_| Some(why), out);
        self.pairing.open = None;
        self.pairing_news(WindowState::Closed { why }, out);
    }

    /// States of the open window and its attempts. Empty if no window is open.
    pub fn pairing_states(&self) -> Vec<WindowState> {
        let Some(open) = &self.pairing.open else {
            return Vec::new();
        };
        let entries_left = open.entries_left();
        let attempts = open.attempts.iter().map(|underway| self.state_of(underway));
        std::iter::once(WindowState::Open { entries_left })
            .chain(attempts)
            .collect()
    }

    fn state_of(&self, underway: &Underway) -> WindowState {
        let (attempt, device) = (underway.attempt, underway.device());
        match &underway.stage {
            Stage::Keyed(pairing) => WindowState::Keyed {
                attempt,
                device,
                suite: pairing.suite(),
            },
            Stage::Comparing { compared, .. } => WindowState::Comparing {
                attempt,
                device,
                suite: compared.suite(),
                replaces: self.devices.find(device.0).is_some(),
            },
        }
    }

    /// The digits of an attempt, for experiments. No program of the gateway shows them, so that
    /// nobody can type them without seeing the node.
    pub fn pairing_digits(&self, attempt: Attempt) -> Option<Digits> {
        let open = self.pairing.open.as_ref()?;
        let of = |underway: &&Underway| underway.attempt == attempt;
        let compared = open.attempts.iter().find(of)?.compared()?;
        Some(compared.digits())
    }

    /// Finds the attempt with the digits that the operator typed. The caller stores the device,
    /// then calls [`Engine::pairing_confirm`].
    ///
    /// The last permitted wrong entry closes the window. Repeating the same wrong digits does
    /// not count again.
    pub fn pairing_enter(
        &mut self,
        now: Now,
        digits: u32,
        out: &mut Output,
    ) -> Result<Matched, PairError> {
        let open = self.pairing.open.as_mut().ok_or(PairError::Closed)?;
        let matching = matching(&open.attempts, digits);
        if let [one] = matching[..] {
            return self.matched(one);
        }
        if !matching.is_empty() {
            let why = |underway: &Underway| {
                let is_one = matching.contains(&underway.attempt);
                is_one.then_some("another attempt has the same digits")
            };
            self.fail_attempts(now, why, out);
            return Err(PairError::Ambiguous);
        }
        if open.attempts.iter().all(|it| it.compared().is_none()) {
            return Err(PairError::NotComparing);
        }
        if !open.wrong.contains(&digits) {
            open.wrong.push(digits);
        }
        let entries_left = open.entries_left();
        if entries_left == 0 {
            self.pairing_close(now, "too many wrong entries", out);
        } else {
            self.pairing_news(WindowState::Open { entries_left }, out);
        }
        Err(PairError::NoSuchDigits {
            entries_left: entries_left.into(),
        })
    }

    fn matched(&self, attempt: Attempt) -> Result<Matched, PairError> {
        let open = self.pairing.open.as_ref().ok_or(PairError::Closed)?;
        let mut attempts = open.attempts.iter();
        let compared = attempts
            .find(|underway| underway.attempt == attempt)
            .and_then(Underway::compared)
            .ok_or(PairError::NotComparing)?;
        Ok(Matched {
            attempt,
            device: compared.device(),
            suite: compared.suite(),
            key: compared.device_key().clone(),
        })
    }

    /// Confirms a [`Matched`] device after the caller has stored it: tells the node, and closes
    /// the window.
    pub fn pairing_confirm(
        &mut self,
        now: Now,
        attempt: Attempt,
        out: &mut Output,
    ) -> Result<(), PairError> {
        let device = self.matched(attempt)?.device;
        if let Some(open) = &mut self.pairing.open {
            let at = open.attempts.iter().position(|it| it.attempt == attempt);
            if let Some(at) = at {
                let underway = open.attempts.swap_remove(at);
                self.give_result(now, &underway, true, out);
            }
        }
        self.counters.add(Count::Pairings, 1);
        self.pairing_news(WindowState::Paired { attempt, device }, out);
        self.pairing_close(now, "a device was paired", out);
        Ok(())
    }

    /// Rejects the attempts whose digits are shown. Their nodes are told, and the window stays
    /// open.
    pub fn pairing_reject(&mut self, now: Now, out: &mut Output) -> Result<(), PairError> {
        let open = self.pairing.open.as_ref().ok_or(PairError::Closed)?;
        if open.attempts.iter().all(|it| it.compared().is_none()) {
            return Err(PairError::NotComparing);
        }
        let why = |underway: &Underway| underway.compared().map(|_| "the operator rejected it");
        self.fail_attempts(now, why, out);
        Ok(())
    }

    pub(super) fn pair_commit(
        &mut self,
        now: Now,
        from: Peer,
        commit: &PairCommit<'_>,
        out: &mut Output,
    ) -> Handled {
        let open = self.pairing.open.as_ref().ok_or(Reason::NotPairing)?;
        if let Some(underway) = open.find(commit.bytes) {
            // A repetition: the answer was lost, unless the node has already gone on.
            let Stage::Keyed(pairing) = &underway.stage else {
                return Err(Reason::NotPairing);
            };
            let key = *pairing.key();
            if !self.source_may(now, from, 1) {
                return Err(Reason::RateLimited);
            }
            self.charge(now, from, 1);
            self.answer(from, Kind::PairKey, &key, out);
            return Ok(());
        }
        let at_once = open.waiting.is_empty() && open.has_room(from);
        if at_once && open.next_key() <= now.steady_ms {
            if !self.source_may(now, from, HANDSHAKE_COST) {
                return Err(Reason::RateLimited);
            }
            self.charge(now, from, HANDSHAKE_COST);
            self.begin_attempt(now, from, commit, out);
            return Ok(());
        }
        let waiting = Waiting {
            commit: *commit.bytes,
            peer: from,
            until_ms: now.steady_ms + WAITING_MS,
        };
        if let Some(lot) = self.random::<4>(out).map(u32::from_le_bytes)
            && let Some(open) = &mut self.pairing.open
        {
            open.wait(waiting, lot);
        }
        Ok(())
    }

    /// Answers a PAIR-COMMIT with a fresh key. A commitment must not depend on a key shown in
    /// an earlier attempt, so each attempt has its own.
    fn begin_attempt(&mut self, now: Now, from: Peer, commit: &PairCommit<'_>, out: &mut Output) {
        let Some(secret) = self.random::<32>(out) else {
            return;
        };
        self.counters.add(Count::Multiplications, 1);
        let (pairing, key) = GatewayPairing::start(commit, EphemeralSecret::new(secret));
        self.pairing.attempts += 1;
        let underway = Underway {
            attempt: self.pairing.attempts,
            peer: from,
            commit: *commit.bytes,
            stage: Stage::Keyed(Box::new(pairing)),
            until_ms: now.steady_ms + REVEAL_MS,
        };
        let news = self.state_of(&underway);
        if let Some(open) = &mut self.pairing.open {
            open.spend_key(now);
            open.attempts.push(underway);
        }
        self.answer(from, Kind::PairKey, &key, out);
        self.pairing_news(news, out);
    }

    pub(super) fn pair_reveal(
        &mut self,
        now: Now,
        from: Peer,
        reveal: &PairReveal<'_>,
        out: &mut Output,
    ) -> Handled {
        let given = self
            .pairing
            .results
            .iter()
            .find(|given| given.reveal == *reveal.bytes && given.until_ms > now.steady_ms);
        if let Some(given) = given {
            let result = given.result;
            if !self.source_may(now, from, 1) {
                return Err(Reason::RateLimited);
            }
            self.charge(now, from, 1);
            self.answer(from, Kind::PairResult, &result, out);
            return Ok(());
        }
        let open = self.pairing.open.as_ref().ok_or(Reason::NotPairing)?;
        let of_device = |it: &&Underway| it.device() == reveal.device;
        let mut refused = Reason::NotPairing;
        let mut opened = None;
        for underway in open.attempts.iter().filter(of_device) {
            match &underway.stage {
                // Do not answer until the operator has decided.
                Stage::Comparing { reveal: taken, .. } if taken == reveal.bytes => return Ok(()),
                Stage::Comparing { .. } => {}
                Stage::Keyed(pairing) => match pairing.reveal(reveal) {
                    Ok(compared) => opened = Some((underway.attempt, Ok(compared))),
                    // The opened commitment proves that this attempt sent the bad key.
                    Err(Refusal::Key) => opened = Some((underway.attempt, Err(Reason::Key))),
                    // The reveal may belong to another attempt of this id; this attempt keeps
                    // waiting.
                    Err(refusal) => refused = refusal.reason(),
                },
            }
        }
        let Some((attempt, compared)) = opened else {
            return Err(refused);
        };
        match compared {
            Ok(compared) => self.compare(now, from, attempt, compared, *reveal.bytes, out),
            Err(reason) => {
                let why = |underway: &Underway| {
                    (underway.attempt == attempt).then_some("the node's public key is invalid")
                };
                self.fail_attempts(now, why, out);
                return Err(reason);
            }
        }
        Ok(())
    }

    /// The commitment is opened: the digits of this attempt can be typed from now on.
    fn compare(
        &mut self,
        now: Now,
        from: Peer,
        attempt: Attempt,
        compared: Compared,
        reveal: [u8; PairReveal::BYTES],
        out: &mut Output,
    ) {
        self.counters.add(Count::Multiplications, 1);
        let Some(open) = &mut self.pairing.open else {
            return;
        };
        let Some(underway) = open.attempts.iter_mut().find(|it| it.attempt == attempt) else {
            return;
        };
        underway.peer = from;
        underway.until_ms = now.steady_ms + COMPARE_MS;
        let compared = Box::new(compared);
        underway.stage = Stage::Comparing { compared, reveal };
        let news = self
            .pairing
            .open
            .iter()
            .flat_map(|open| &open.attempts)
            .find(|it| it.attempt == attempt)
            .map(|underway| self.state_of(underway));
        if let Some(news) = news {
            self.pairing_news(news, out);
        }
    }

    pub(super) fn pairing_tick(&mut self, now: Now, out: &mut Output) {
        self.pairing
            .results
            .retain(|given| given.until_ms > now.steady_ms);
        let Some(open) = &mut self.pairing.open else {
            return;
        };
        open.waiting
            .retain(|waiting| waiting.until_ms > now.steady_ms);
        if open.until_ms <= now.steady_ms {
            self.pairing_close(now, "it timed out", out);
            return;
        }
        self.fail_attempts(now, |underway| underway.is_late(now), out);
        self.draw_waiting(now, out);
    }

    /// Gives available PAIR-KEYs to waiting sources by lot. Each source has the same chance,
    /// however many packets it sends.
    fn draw_waiting(&mut self, now: Now, out: &mut Output) {
        loop {
            let Some(open) = &self.pairing.open else {
                return;
            };
            if open.next_draw().is_none_or(|due| due > now.steady_ms) {
                return;
            }
            let Some(lot) = self.random::<4>(out).map(u32::from_le_bytes) else {
                return;
            };
            let Some(open) = &mut self.pairing.open else {
                return;
            };
            let can: Vec<usize> = (0..open.waiting.len())
                .filter(|at| open.has_room(open.waiting[*at].peer))
                .collect();
            // `next_draw` guarantees a candidate.
            let Some(at) = can.get(lot as usize % can.len().max(1)) else {
                return;
            };
            let drawn = open.waiting.swap_remove(*at);
            let Ok(Frame::PairCommit(commit)) = Frame::parse(&drawn.commit) else {
                continue;
            };
            self.begin_attempt(now, drawn.peer, &commit, out);
            let has_begun = self.pairing.open.as_ref();
            if has_begun.is_none_or(|open| open.find(commit.bytes).is_none()) {
                // No random numbers were available; retry later.
                return;
            }
        }
    }

    /// Ends the attempts for which `why` returns a reason.
    fn fail_attempts(
        &mut self,
        now: Now,
        why: impl Fn(&Underway) -> Option<&'static str>,
        out: &mut Output,
    ) {
        let Some(open) = &mut self.pairing.open else {
            return;
        };
        let mut failed = Vec::new();
        for underway in std::mem::take(&mut open.attempts) {
            match why(&underway) {
                Some(why) => failed.push((underway, why)),
                None => open.attempts.push(underway),
            }
        }
        for (underway, why) in failed {
            self.give_result(now, &underway, false, out);
            self.counters.add(Count::PairingsRejected, 1);
            let (attempt, device) = (underway.attempt, underway.device());
            let news = WindowState::Failed {
                attempt,
                device,
                why,
            };
            self.pairing_news(news, out);
        }
    }

    /// Tells the node the decision, if its digits were shown, and stores the answer for
    /// repetition.
    fn give_result(&mut self, now: Now, underway: &Underway, confirmed: bool, out: &mut Output) {
        let Stage::Comparing { compared, reveal } = &underway.stage else {
            return;
        };
        let result = compared.result(confirmed);
        let results = &mut self.pairing.results;
        results.retain(|given| given.until_ms > now.steady_ms);
        if results.len() >= RESULTS_MAX {
            results.remove(0);
        }
        results.push(Given {
            reveal: *reveal,
            result,
            until_ms: now.steady_ms + RESULT_MS,
        });
        self.answer(underway.peer, Kind::PairResult, &result, out);
    }
}

/// The attempts with these digits. Compares all of them, each in constant time.
fn matching(attempts: &[Underway], digits: u32) -> Vec<Attempt> {
    let compared = |underway: &Underway| {
        let same = underway
            .compared()
            .is_some_and(|compared| compared.digits().are(digits));
        same.then_some(underway.attempt)
    };
    attempts.iter().filter_map(compared).collect()
}
