//! The pairing window [docs/protocol.md, Pair, State machines]. It holds several parallel
//! attempts, each with its own digits. The operator types the digits that the node shows. They
//! select the attempt, and no device is stored before that.
//!
//! A man in the middle knows the node's digits and can start attempts at the gateway until one
//! has the same digits. Each PAIR-KEY is therefore one guess, and this module limits the number
//! of PAIR-KEYs per window. A lottery among the waiting sources decides who gets the next one.

use selo_link::pair::{Compared, Digits};

use super::core::Engine;
use super::output::{Event, Output};
use super::window::{
    Attempt, DECIDED_MAX, Decided, Given, Matched, Open, PairError, RESULT_MS, RESULTS_MAX, Stage,
    Underway, WINDOW_MAX_MS, Window, WindowState,
};
use crate::clock::Now;
use crate::counters::{Count, Kind};

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

    pub(super) fn pairing_news(&mut self, state: WindowState, out: &mut Output) {
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

    pub(super) fn state_of(&self, underway: &Underway) -> WindowState {
        let (attempt, device) = (underway.attempt, underway.device());
        match &underway.stage {
            Stage::Opened { opening, .. } => WindowState::Opened {
                attempt,
                device,
                suite: opening.suite(),
                kem: opening.kem(),
            },
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
    /// then calls [`Engine::pairing_confirm`] or, if that fails, [`Engine::pairing_return`]. The
    /// registry may be on a server, so packets are handled in between.
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
        let window = self.pairing.windows;
        if self.pairing.decided.iter().any(|it| it.window == window) {
            return Err(PairError::Storing);
        }
        let matching = matching(&open.attempts, digits);
        if let [one] = matching[..] {
            return self.decide(one);
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

    /// Takes an attempt out of the window, so that neither its end nor a time limit ends it.
    fn decide(&mut self, attempt: Attempt) -> Result<Matched, PairError> {
        let open = self.pairing.open.as_mut().ok_or(PairError::Closed)?;
        let is = |underway: &Underway| underway.attempt == attempt;
        let at = open.attempts.iter().position(is);
        let underway = at.map(|at| open.attempts.swap_remove(at));
        let underway = underway.ok_or(PairError::NotComparing)?;
        let compared = underway.compared().ok_or(PairError::NotComparing)?;
        let matched = Matched {
            attempt,
            device: compared.device(),
            suite: compared.suite(),
            key: compared.device_key().clone(),
            kem: compared.kem(),
        };
        let window = self.pairing.windows;
        let decided = &mut self.pairing.decided;
        if decided.len() == DECIDED_MAX {
            decided.remove(0);
        }
        decided.push(Decided { window, underway });
        Ok(matched)
    }

    fn decided(&mut self, attempt: Attempt) -> Result<Decided, PairError> {
        let decided = &mut self.pairing.decided;
        let at = decided.iter().position(|it| it.underway.attempt == attempt);
        at.map(|at| decided.remove(at))
            .ok_or(PairError::NotComparing)
    }

    /// Confirms a [`Matched`] device after the caller has stored it: tells the node, and closes
    /// the window.
    pub fn pairing_confirm(
        &mut self,
        now: Now,
        attempt: Attempt,
        out: &mut Output,
    ) -> Result<(), PairError> {
        let Decided { window, underway } = self.decided(attempt)?;
        self.give_result(now, &underway, true, out);
        self.counters.add(Count::Pairings, 1);
        let news = WindowState::Paired {
            attempt,
            device: underway.device(),
            kem: underway.compared().and_then(Compared::kem),
        };
        out.events.push(Event::Pairing(window, news));
        self.pairing_leave(now, window, "a device was paired", out);
        Ok(())
    }

    /// Gives a [`Matched`] device that could not be stored back to its window, where its digits
    /// can be typed again. If the window has closed, its node is told.
    pub fn pairing_return(&mut self, now: Now, attempt: Attempt, out: &mut Output) {
        let Ok(Decided { window, underway }) = self.decided(attempt) else {
            return;
        };
        let same = self.pairing.windows == window;
        let open = self.pairing.open.as_mut().filter(|_| same);
        match open {
            Some(open) => open.attempts.push(underway),
            None => self.fail(now, window, (&underway, "the window has closed"), out),
        }
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

    /// Ends the attempts for which `why` returns a reason.
    pub(super) fn fail_attempts(
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
        let window = self.pairing.windows;
        for (underway, why) in failed {
            self.fail(now, window, (&underway, why), out);
        }
    }

    fn fail(
        &mut self,
        now: Now,
        window: Window,
        (underway, why): (&Underway, &'static str),
        out: &mut Output,
    ) {
        self.give_result(now, underway, false, out);
        self.counters.add(Count::PairingsRejected, 1);
        let (attempt, device) = (underway.attempt, underway.device());
        let news = WindowState::Failed {
            attempt,
            device,
            why,
        };
        out.events.push(Event::Pairing(window, news));
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
