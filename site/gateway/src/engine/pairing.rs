//! The pairing window [docs/protocol.md, Pair, State machines]: several attempts side by side,
//! each with its own digits. The operator types the digits that the node shows, so the gateway
//! knows which attempt is meant, and nothing becomes a device before that.
//!
//! Somebody in the middle knows the node's digits and tries attempts at the gateway until one
//! has the same. So the number of PAIR-KEYs in a window is the number of guesses, and it is
//! bounded here. Who gets one of them is drawn by lot among the sources that wait.

use std::fmt;

use selo_link::frame::{Frame, PairCommit, PairResult, PairReveal};
use selo_link::pair::{Compared, Digits, GatewayPairing};
use selo_link::{DeviceId, DeviceKey, EphemeralSecret, Reason, Refusal, Suite};

use super::{Engine, Event, HANDSHAKE_COST, Handled, Output};
use crate::clock::Now;
use crate::counters::{Count, Kind};
use crate::peer::Peer;

/// A window closes by itself after this, milliseconds, or earlier if the operator says so.
pub const WINDOW_MAX_MS: u64 = 10 * 60 * 1000;
/// Different digits without an attempt that the operator may type in one window.
const ENTRIES: usize = 3;
/// Attempts side by side.
const ATTEMPTS: usize = 8;
/// Attempts of one source among them.
const ATTEMPTS_OF_SOURCE: usize = 4;
/// PAIR-KEYs that a window gives at once, and one more each [`KEY_EACH_MS`] after that.
const KEYS_AT_ONCE: u64 = 8;
const KEY_EACH_MS: u64 = 10 * 1000;
/// PAIR-COMMITs that wait for a PAIR-KEY, one for each source, and for how long. A node
/// repeats its own every 4 seconds.
const WAITING_MAX: usize = 32;
const WAITING_MS: u64 = 15 * 1000;
/// Time from PAIR-KEY to PAIR-REVEAL. An Uno computes for seconds.
const REVEAL_MS: u64 = 30 * 1000;
/// Time for the operator to type the digits of an attempt.
const COMPARE_MS: u64 = 2 * 60 * 1000;
/// How long a PAIR-RESULT is repeated, and how many of them are kept.
const RESULT_MS: u64 = 10 * 60 * 1000;
const RESULTS_MAX: usize = 128;

/// Names an attempt.
pub type Attempt = u64;

/// Names a window, so that what happened in the one before is not taken for news of this one.
pub type Window = u64;

/// News of the window, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WindowState {
    /// `why` says what closed it.
    Closed { why: &'static str },
    /// Takes attempts; the operator may be wrong so many times.
    Open { entries_left: u8 },
    /// A node has begun.
    Keyed {
        attempt: Attempt,
        device: DeviceId,
        suite: Suite,
    },
    /// The node shows its digits, and the operator may type them.
    Comparing {
        attempt: Attempt,
        device: DeviceId,
        suite: Suite,
        /// The id belongs to a device already; its key would be replaced.
        replaces: bool,
    },
    /// The attempt came to nothing.
    Failed {
        attempt: Attempt,
        device: DeviceId,
        why: &'static str,
    },
    /// The operator has typed its digits, and the node is told.
    Paired { attempt: Attempt, device: DeviceId },
}

/// An attempt whose digits were typed: what becomes a device.
#[derive(Debug, Clone)]
pub struct Matched {
    pub attempt: Attempt,
    pub device: DeviceId,
    pub suite: Suite,
    pub key: DeviceKey,
}

/// Why a call of the operator changes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PairError {
    #[error("the pairing window is open already")]
    Open,
    #[error("no pairing window is open")]
    Closed,
    #[error("no node waits for its digits")]
    NotComparing,
    #[error(
        "no attempt at this gateway has these digits: a typing error, or somebody stands \
         between; do not confirm on the node (no long press). Entries left: {entries_left}"
    )]
    NoSuchDigits { entries_left: usize },
    #[error(
        "two attempts have these digits, and both were rejected: start pairing again on the node"
    )]
    Ambiguous,
}

#[derive(Default)]
pub(super) struct Pairing {
    open: Option<Open>,
    /// The windows so far: the name of the last.
    windows: Window,
    attempts: Attempt,
    /// The operator's words, to be repeated. Never more than [`RESULTS_MAX`].
    results: Vec<Given>,
}

struct Open {
    until_ms: u64,
    /// Digits that the operator typed and no attempt had.
    wrong: Vec<u32>,
    /// Never more than [`ATTEMPTS`]. None makes room for a newer one before its time is up.
    attempts: Vec<Underway>,
    /// Never more than [`WAITING_MAX`].
    waiting: Vec<Waiting>,
    /// When all of [`KEYS_AT_ONCE`] are there again, milliseconds.
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

/// A PAIR-COMMIT for which there is no PAIR-KEY yet.
struct Waiting {
    commit: [u8; PairCommit::BYTES],
    peer: Peer,
    until_ms: u64,
}

/// A PAIR-RESULT, for whoever repeats the PAIR-REVEAL.
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
    /// The earliest time of the next PAIR-KEY.
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

    /// When a PAIR-COMMIT that waits can get its PAIR-KEY, if an attempt's end is not what it
    /// waits for.
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

    /// Lets a PAIR-COMMIT wait. One source has one place, so that many packets of one are no
    /// more than few of another.
    fn wait(&mut self, new: Waiting, lot: u32) {
        let source = new.peer.limit_key();
        let same = |waiting: &Waiting| waiting.commit == new.commit;
        let at = self.waiting.iter().position(same).or_else(|| {
            let of_source = |waiting: &Waiting| waiting.peer.limit_key() == source;
            self.waiting.iter().position(of_source)
        });
        match at {
            Some(at) if same(&self.waiting[at]) => self.waiting[at] = new,
            // Two nodes behind one address take turns.
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
            Stage::Keyed(_) => "the node has fallen silent",
            Stage::Comparing { .. } => "nobody has typed its digits",
        })
    }
}

impl Engine {
    /// Opens a window for so long.
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

    /// Closes this window, if it is still the open one: its operator has gone, and another may
    /// have opened the next.
    pub fn pairing_leave(&mut self, now: Now, window: Window, why: &'static str, out: &mut Output) {
        if self.pairing.windows == window {
            self.pairing_close(now, why, out);
        }
    }

    /// The open window, or the last.
    pub fn pairing_window(&self) -> Window {
        self.pairing.windows
    }

    fn pairing_news(&mut self, state: WindowState, out: &mut Output) {
        out.events.push(Event::Pairing(self.pairing.windows, state));
    }

    /// Closes the window; the attempts under way are rejected.
    pub fn pairing_close(&mut self, now: Now, why: &'static str, out: &mut Output) {
        if self.pairing.open.is_none() {
            return;
        }
        self.fail_attempts(now, |_| Some(why), out);
        self.pairing.open = None;
        self.pairing_news(WindowState::Closed { why }, out);
    }

    /// What there is to say of the open window: that it is open, and each attempt. Nothing if
    /// none is.
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

    /// The digits of an attempt. No program of the gateway shows them, so that nobody can type
    /// them without the node; experiments need them.
    pub fn pairing_digits(&self, attempt: Attempt) -> Option<Digits> {
        let open = self.pairing.open.as_ref()?;
        let of = |underway: &&Underway| underway.attempt == attempt;
        let compared = open.attempts.iter().find(of)?.compared()?;
        Some(compared.digits())
    }

    /// The operator types the digits that the node shows: the attempt that has them. Store it,
    /// then say so with [`Engine::pairing_confirm`].
    ///
    /// The last wrong entry closes the window. The same digits again are no further entry.
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
            self.pairing_close(now, "too many entries of digits that no attempt has", out);
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

    /// The device of a [`Matched`] is stored: tells the node, and closes the window.
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

    /// The operator rejects what has got so far: the nodes are told, and the window stays open.
    pub fn pairing_reject(&mut self, now: Now, out: &mut Output) -> Result<(), PairError> {
        let open = self.pairing.open.as_ref().ok_or(PairError::Closed)?;
        if open.attempts.iter().all(|it| it.compared().is_none()) {
            return Err(PairError::NotComparing);
        }
        let why = |underway: &Underway| underway.compared().map(|_| "the operator has rejected it");
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
            // The same again: the answer was lost, unless the node has gone on already.
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

    /// Answers a PAIR-COMMIT with a key of its own. What somebody has committed to must not
    /// depend on a key that an earlier attempt has shown, so no two share one.
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
                // Silence, until the operator has spoken.
                Stage::Comparing { reveal: taken, .. } if taken == reveal.bytes => return Ok(()),
                Stage::Comparing { .. } => {}
                Stage::Keyed(pairing) => match pairing.reveal(reveal) {
                    Ok(compared) => opened = Some((underway.attempt, Ok(compared))),
                    // Committed to, and bad: whose it is, is clear.
                    Err(Refusal::Key) => opened = Some((underway.attempt, Err(Reason::Key))),
                    // Another attempt of this id may be meant: this one waits for its own.
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
                    (underway.attempt == attempt).then_some("the node's public key is a bad one")
                };
                self.fail_attempts(now, why, out);
                return Err(reason);
            }
        }
        Ok(())
    }

    /// The commitment is opened: from now on the digits of the attempt can be typed.
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
            self.pairing_close(now, "its time is up", out);
            return;
        }
        self.fail_attempts(now, |underway| underway.is_late(now), out);
        self.draw_waiting(now, out);
    }

    /// Gives a PAIR-KEY to one of those that wait, if there is one to give. Each source has the
    /// same chance, however much it sends.
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
            // next_draw has found one.
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
                // No random numbers: another time.
                return;
            }
        }
    }

    /// Ends the attempts for which `why` has a reason.
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

    /// Tells the node the operator's word, if it has got so far, and keeps it to be
    /// repeated.
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

/// The attempts with these digits. All are looked at, each in the same time.
fn matching(attempts: &[Underway], digits: u32) -> Vec<Attempt> {
    let compared = |underway: &Underway| {
        let same = underway
            .compared()
            .is_some_and(|compared| compared.digits().are(digits));
        same.then_some(underway.attempt)
    };
    attempts.iter().filter_map(compared).collect()
}
