//! The operator's side of a window that is open at several gateways.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tracing::warn;

use super::{OPENING, Opening, Stage, WORD, WindowId, Word, open, process, seal, state};
use crate::clock::unix_ms;
use crate::control::reply::Refusal;
use crate::control::services::Services;
use crate::engine::{Event, Window, WindowState};
use crate::error::Result;
use crate::registry::Shared;

/// Period in which words of other gateways are read.
const PERIOD: Duration = Duration::from_millis(300);
/// Maximum wait for another gateway's answer to digits.
const PATIENCE: Duration = Duration::from_secs(15);
/// First number of attempts at other gateways, above all numbers of our own.
const ELSEWHERE: u64 = 1 << 40;

/// A window of this gateway that others open too.
#[derive(Debug, Default)]
pub(crate) struct Relay {
    closed: AtomicBool,
    known: Mutex<Known>,
    answered: Condvar,
}

#[derive(Debug, Default)]
struct Known {
    /// Numbers of attempts elsewhere, by process and its number.
    attempts: HashMap<(u64, u64), u64>,
    /// Attempts elsewhere whose digits are shown.
    comparing: HashSet<u64>,
    /// Words to be written.
    said: Vec<Word>,
    /// Answers to digits.
    answers: HashMap<u64, Option<Refusal>>,
}

impl Relay {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn compares(&self) -> bool {
        !self.known().comparing.is_empty()
    }

    /// Passes digits on, and waits for an answer.
    fn enter(&self, digits: &str, name: Option<String>) -> Result<(), Refusal> {
        let drawn = selo_link::random_bytes().map_err(|error| error.to_string())?;
        let number = u64::from_le_bytes(drawn);
        let since = Instant::now();
        let mut known = self.known();
        known.said.push(Word::Enter {
            number,
            digits: digits.into(),
            name,
        });
        loop {
            if let Some(refused) = known.answers.remove(&number) {
                return refused.map_or(Ok(()), Err);
            }
            let left = PATIENCE.saturating_sub(since.elapsed());
            if left.is_zero() || self.closed.load(Ordering::Acquire) {
                return Err("no other gateway has answered: type the digits again".into());
            }
            let waited = self.answered.wait_timeout(known, left.min(PERIOD));
            known = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn close(&self) {
        self.closed.store(true, Ordering::Release);
        self.answered.notify_all();
    }

    /// Takes a word of another gateway. Returns the state that it changes.
    fn heard(&self, word: Word) -> Option<WindowState> {
        let mut known = self.known();
        match word {
            Word::Entered { number, refused } => {
                known.answers.insert(number, refused);
                self.answered.notify_all();
                None
            }
            Word::Attempt {
                process,
                attempt,
                device,
                suite,
                stage,
            } => {
                let next = ELSEWHERE + known.attempts.len() as u64;
                let attempt = *known.attempts.entry((process, attempt)).or_insert(next);
                match stage {
                    Stage::Comparing { .. } => known.comparing.insert(attempt),
                    _ => known.comparing.remove(&attempt),
                };
                state(attempt, device, suite, stage)
            }
            Word::Enter { .. } => None,
        }
    }
}

impl Services {
    /// Opens a window at all other gateways that share the registry, until the relay is closed.
    pub(in crate::control) fn open_elsewhere(&self, window: Window, seconds: u64) -> Arc<Relay> {
        let relay = Arc::new(Relay::default());
        let (place, remote) = (self.registry.clone(), self.remote.clone());
        let thread = relay.clone();
        let run = move || {
            let shared = match place.share() {
                Ok(Some(shared)) => shared,
                Ok(None) => return,
                Err(problem) => {
                    warn!(%problem, "no other gateway opens the window");
                    return;
                }
            };
            let show = |state: WindowState| {
                let paired = matches!(state, WindowState::Paired { .. });
                remote.run(move |engine, now, out| {
                    if engine.pairing_window() == window {
                        out.events.push(Event::Pairing(window, state));
                    }
                    if paired {
                        engine.pairing_leave(now, window, "a device was paired", out);
                    }
                });
            };
            if let Err(problem) = thread.run(shared, seconds, show) {
                warn!(%problem, "the other gateways do not hear of the window any more");
            }
        };
        if std::thread::Builder::new().spawn(run).is_ok() {
            let mut current = self.relay.lock().unwrap_or_else(PoisonError::into_inner);
            *current = Some(relay.clone());
        }
        relay
    }

    pub(in crate::control) fn close_elsewhere(&self, relay: &Arc<Relay>) {
        relay.close();
        let mut current = self.relay.lock().unwrap_or_else(PoisonError::into_inner);
        current.take_if(|it| Arc::ptr_eq(it, relay));
    }

    /// Looks for the attempt with these digits at this gateway, then at the others.
    pub(in crate::control) fn confirm_anywhere(
        &self,
        digits: &str,
        name: Option<String>,
    ) -> Result<(), Refusal> {
        let current = self.relay.lock().unwrap_or_else(PoisonError::into_inner);
        let relay = current.clone().filter(|relay| relay.compares());
        drop(current);
        let Some(relay) = relay else {
            return self.confirm(digits, name);
        };
        let here = self.remote.call(|engine, _, _| {
            let mut states = engine.pairing_states().into_iter();
            states.any(|state| matches!(state, WindowState::Comparing { .. }))
        });
        if here == Some(true) && self.confirm(digits, name.clone()).is_ok() {
            return Ok(());
        }
        let name = name.or_else(|| self.window_name());
        relay.enter(digits, name)
    }
}

impl Services {
    /// The name that the device of the open window gets.
    fn window_name(&self) -> Option<String> {
        let name = self.pairing_name.lock();
        name.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A window of an operator elsewhere has no name of its own: the digits come with one.
    pub(in crate::control) fn forget_window_name(&self) {
        let mut name = self
            .pairing_name
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *name = None;
    }
}

impl Relay {
    fn run(
        &self,
        mut shared: Box<dyn Shared>,
        seconds: u64,
        show: impl Fn(WindowState),
    ) -> Result<()> {
        let site = shared.site_key().clone();
        let Some((own, id)) = process().zip(selo_link::random_bytes().ok()) else {
            return Ok(());
        };
        let id: WindowId = id;
        let opening = Opening {
            process: own,
            until: unix_ms() + seconds.saturating_mul(1000),
        };
        let Some(body) = seal(&site, &id, OPENING, &opening) else {
            return Ok(());
        };
        shared.open_window(&id, seconds, &body)?;
        let mut last = 0;
        while !self.closed.load(Ordering::Acquire) {
            let said = std::mem::take(&mut self.known().said);
            for body in said.iter().filter_map(|word| seal(&site, &id, WORD, word)) {
                shared.say(&id, &body)?;
            }
            for (number, body) in shared.words(&id, last)? {
                last = number;
                // What does not open was not written by a gateway.
                let word = open(&site, &id, WORD, &body);
                if let Some(state) = word.and_then(|word| self.heard(word)) {
                    show(state);
                }
            }
            std::thread::sleep(PERIOD);
        }
        shared.close_window(&id)
    }
}
