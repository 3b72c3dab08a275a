//! The pairing window [docs/protocol.md, Pair, State machines]: one attempt at a time,
//! three a window, and nothing becomes a device before the operator's word.

use std::fmt;

use selo_link::frame::{PairCommit, PairResult, PairReveal};
use selo_link::pair::{Compared, Digits, GatewayPairing};
use selo_link::{DeviceId, DeviceKey, EphemeralSecret, Reason, Refusal, Suite};

use super::{Engine, Event, HANDSHAKE_COST, Output, Verdict};
use crate::clock::Now;
use crate::counters::{Count, Kind};
use crate::peer::Peer;

/// A window closes by itself after this, milliseconds, or earlier if the operator says so.
pub const WINDOW_MAX_MS: u64 = 10 * 60 * 1000;
const ATTEMPTS: u8 = 3;
/// How long a node may take from PAIR-KEY to PAIR-REVEAL. An Uno computes for seconds.
const REVEAL_MS: u64 = 60 * 1000;
/// How long the operator may take to compare.
const COMPARE_MS: u64 = 2 * 60 * 1000;
/// How long a PAIR-RESULT is repeated.
const RESULT_MS: u64 = 10 * 60 * 1000;

/// Names an attempt, so that a word is not taken for the next one.
pub type Attempt = u64;

/// Names a window, so that what happened in the one before is not taken for news of this one.
pub type Window = u64;

/// What the window is doing, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WindowState {
    /// `why` says what closed it.
    Closed { why: &'static str },
    /// Waits for a node; so many attempts are left.
    Open { attempts_left: u8 },
    /// A node has begun.
    Keyed {
        attempt: Attempt,
        device: DeviceId,
        suite: Suite,
    },
    /// The operator compares.
    Comparing {
        attempt: Attempt,
        device: DeviceId,
        suite: Suite,
        digits: Digits,
        /// The id belongs to a device already; its key would be replaced.
        replaces: bool,
    },
    /// The attempt came to nothing.
    Failed {
        attempt: Attempt,
        device: DeviceId,
        why: &'static str,
    },
    /// The operator has confirmed, and the node is told.
    Paired { attempt: Attempt, device: DeviceId },
}

/// Why a call of the operator changes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PairError {
    #[error("the pairing window is open already")]
    Open,
    #[error("no digits are being compared")]
    NotComparing,
}

#[derive(Default)]
pub(super) struct Pairing {
    open: Option<Open>,
    /// How many were opened: the name of the last.
    windows: Window,
    attempts: Attempt,
    /// The operator's words, to be repeated. Never more than [`ATTEMPTS`] a window.
    results: Vec<Given>,
}

struct Open {
    until_ms: u64,
    attempts_left: u8,
    stage: Stage,
}

enum Stage {
    Waiting,
    Keyed {
        attempt: Attempt,
        pairing: GatewayPairing,
        until_ms: u64,
    },
    Comparing {
        attempt: Attempt,
        compared: Compared,
        reveal: [u8; PairReveal::BYTES],
        peer: Peer,
        until_ms: u64,
    },
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
        Some(match &open.stage {
            Stage::Waiting => open.until_ms,
            Stage::Keyed { until_ms, .. } | Stage::Comparing { until_ms, .. } => {
                open.until_ms.min(*until_ms)
            }
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
        self.pairing.open = Some(Open {
            until_ms: now.steady_ms + ms.min(WINDOW_MAX_MS),
            attempts_left: ATTEMPTS,
            stage: Stage::Waiting,
        });
        out.events.push(self.pairing_event(self.pairing_state()));
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

    fn pairing_event(&self, state: WindowState) -> Event {
        Event::Pairing(self.pairing.windows, state)
    }

    /// Closes the window; an attempt under way is rejected.
    pub fn pairing_close(&mut self, now: Now, why: &'static str, out: &mut Output) {
        if self.pairing.open.is_some() {
            self.fail_attempt(now, why, out);
            self.close(why, out);
        }
    }

    /// What the window is doing.
    pub fn pairing_state(&self) -> WindowState {
        let Some(open) = &self.pairing.open else {
            return WindowState::Closed { why: "closed" };
        };
        match &open.stage {
            Stage::Waiting => WindowState::Open {
                attempts_left: open.attempts_left,
            },
            Stage::Keyed {
                attempt, pairing, ..
            } => WindowState::Keyed {
                attempt: *attempt,
                device: pairing.device(),
                suite: suite_of(pairing),
            },
            Stage::Comparing {
                attempt, compared, ..
            } => WindowState::Comparing {
                attempt: *attempt,
                device: compared.device(),
                suite: compared.suite(),
                digits: compared.digits(),
                replaces: self.devices.find(compared.device().0).is_some(),
            },
        }
    }

    /// What the operator is about to confirm: store it, then say so with
    /// [`Engine::pairing_confirm`].
    pub fn pairing_key(&self, attempt: Attempt) -> Result<(DeviceId, Suite, DeviceKey), PairError> {
        match self.pairing.open.as_ref().map(|open| &open.stage) {
            Some(Stage::Comparing {
                attempt: current,
                compared,
                ..
            }) if *current == attempt => Ok((
                compared.device(),
                compared.suite(),
                compared.device_key().clone(),
            )),
            _ => Err(PairError::NotComparing),
        }
    }

    /// The operator has confirmed and the device is stored: tells the node, and closes the
    /// window.
    pub fn pairing_confirm(
        &mut self,
        now: Now,
        attempt: Attempt,
        out: &mut Output,
    ) -> Result<(), PairError> {
        let (device, ..) = self.pairing_key(attempt)?;
        self.give_result(now, true, out);
        self.counters.add(Count::Pairings, 1);
        let event = self.pairing_event(WindowState::Paired { attempt, device });
        out.events.push(event);
        self.close("a device was paired", out);
        Ok(())
    }

    /// The operator has rejected: tells the node, and waits for the next attempt.
    pub fn pairing_reject(
        &mut self,
        now: Now,
        attempt: Attempt,
        out: &mut Output,
    ) -> Result<(), PairError> {
        self.pairing_key(attempt)?;
        self.fail_attempt(now, "the digits were rejected", out);
        Ok(())
    }

    pub(super) fn pair_commit(
        &mut self,
        now: Now,
        from: Peer,
        commit: &PairCommit<'_>,
        out: &mut Output,
    ) -> Verdict {
        let open = self.pairing.open.as_ref().ok_or(Reason::NotPairing)?;
        match &open.stage {
            Stage::Waiting => {}
            // The same again: the answer was lost.
            Stage::Keyed { pairing, .. } if pairing.commit() == commit.bytes => {
                if !self.source_may(now, from, 1) {
                    return Err(Reason::RateLimited);
                }
                let key = *pairing.key();
                self.charge(now, from, 1);
                self.answer(from, Kind::PairKey, &key, out);
                return Ok(());
            }
            Stage::Keyed { .. } | Stage::Comparing { .. } => return Err(Reason::NotPairing),
        }
        if !self.source_may(now, from, HANDSHAKE_COST) {
            return Err(Reason::RateLimited);
        }
        self.charge(now, from, HANDSHAKE_COST);
        let Some(secret) = self.random::<32>(out) else {
            return Ok(());
        };
        self.counters.add(Count::Multiplications, 1);
        let (pairing, key) = GatewayPairing::start(commit, EphemeralSecret::new(secret));
        self.pairing.attempts += 1;
        let attempt = self.pairing.attempts;
        if let Some(open) = &mut self.pairing.open {
            open.attempts_left -= 1;
            open.stage = Stage::Keyed {
                attempt,
                pairing,
                until_ms: now.steady_ms + REVEAL_MS,
            };
        }
        self.answer(from, Kind::PairKey, &key, out);
        out.events.push(self.pairing_event(self.pairing_state()));
        Ok(())
    }

    pub(super) fn pair_reveal(
        &mut self,
        now: Now,
        from: Peer,
        reveal: &PairReveal<'_>,
        out: &mut Output,
    ) -> Verdict {
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
        let open = self.pairing.open.as_mut().ok_or(Reason::NotPairing)?;
        let (attempt, pairing) = match &open.stage {
            Stage::Keyed {
                attempt, pairing, ..
            } => (*attempt, pairing),
            // Silence, until the operator has spoken.
            Stage::Comparing { reveal: taken, .. } if taken == reveal.bytes => return Ok(()),
            _ => return Err(Reason::NotPairing),
        };
        if reveal.device != pairing.device() {
            return Err(Reason::NotPairing);
        }
        match pairing.reveal(reveal) {
            Ok(compared) => {
                self.counters.add(Count::Multiplications, 1);
                open.stage = Stage::Comparing {
                    attempt,
                    compared,
                    reveal: *reveal.bytes,
                    peer: from,
                    until_ms: now.steady_ms + COMPARE_MS,
                };
                out.events.push(self.pairing_event(self.pairing_state()));
                Ok(())
            }
            Err(refusal) => {
                let why = match refusal {
                    Refusal::Commitment => "the node did not keep to its commitment",
                    _ => "the node's public key is a bad one",
                };
                self.fail_attempt(now, why, out);
                Err(refusal.reason())
            }
        }
    }

    pub(super) fn pairing_tick(&mut self, now: Now, out: &mut Output) {
        self.pairing
            .results
            .retain(|given| given.until_ms > now.steady_ms);
        let Some(open) = &self.pairing.open else {
            return;
        };
        if open.until_ms <= now.steady_ms {
            self.pairing_close(now, "its time is up", out);
            return;
        }
        let why = match &open.stage {
            Stage::Keyed { until_ms, .. } if *until_ms <= now.steady_ms => {
                "the node has fallen silent"
            }
            Stage::Comparing { until_ms, .. } if *until_ms <= now.steady_ms => {
                "nobody has confirmed the digits"
            }
            _ => return,
        };
        self.fail_attempt(now, why, out);
    }

    /// Ends the attempt under way, and the window with the last one.
    fn fail_attempt(&mut self, now: Now, why: &'static str, out: &mut Output) {
        let (attempt, device) = match self.pairing.open.as_ref().map(|open| &open.stage) {
            Some(Stage::Keyed {
                attempt, pairing, ..
            }) => (*attempt, pairing.device()),
            Some(Stage::Comparing {
                attempt, compared, ..
            }) => (*attempt, compared.device()),
            Some(Stage::Waiting) | None => return,
        };
        self.give_result(now, false, out);
        self.counters.add(Count::PairingsRejected, 1);
        let event = self.pairing_event(WindowState::Failed {
            attempt,
            device,
            why,
        });
        out.events.push(event);
        let Some(open) = &mut self.pairing.open else {
            return;
        };
        open.stage = Stage::Waiting;
        if open.attempts_left == 0 {
            self.close("three attempts were used", out);
        } else {
            out.events.push(self.pairing_event(self.pairing_state()));
        }
    }

    /// Tells the node the operator's word, if it has got so far, and keeps it to be
    /// repeated.
    fn give_result(&mut self, now: Now, confirmed: bool, out: &mut Output) {
        let Some(Stage::Comparing {
            compared,
            reveal,
            peer,
            ..
        }) = self.pairing.open.as_ref().map(|open| &open.stage)
        else {
            return;
        };
        let result = compared.result(confirmed);
        let (reveal, peer) = (*reveal, *peer);
        self.pairing
            .results
            .retain(|given| given.until_ms > now.steady_ms);
        self.pairing.results.push(Given {
            reveal,
            result,
            until_ms: now.steady_ms + RESULT_MS,
        });
        self.answer(peer, Kind::PairResult, &result, out);
    }

    fn close(&mut self, why: &'static str, out: &mut Output) {
        self.pairing.open = None;
        out.events
            .push(self.pairing_event(WindowState::Closed { why }));
    }
}

/// PAIR-COMMIT has the suite's code behind the id; it was parsed, so the code is one.
fn suite_of(pairing: &GatewayPairing) -> Suite {
    Suite::from_code(pairing.commit()[5]).unwrap_or(Suite::ChaChaPolyBlake2s)
}
