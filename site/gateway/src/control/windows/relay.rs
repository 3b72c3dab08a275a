//! The operator's side of a window that is open at several gateways.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tracing::{info, warn};

use super::{OPENING, Opening, Stage, WORD, Word, open, process, seal, state};
use crate::clock::unix_ms;
use crate::control::reply::Refusal;
use crate::engine::WindowState;
use crate::error::Result;
use crate::registry::{Place, Shared, WindowId};

/// Period in which words of other gateways are read.
const PERIOD: Duration = Duration::from_millis(300);
/// Maximum wait for another gateway's answer to digits.
const PATIENCE: Duration = Duration::from_secs(15);
/// Time for which the row of a closed window is removed again if that fails. After it the row's
/// own end counts.
const REMOVAL: Duration = Duration::from_secs(60);
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
    /// Attempts elsewhere whose digits are shown, and the process of each.
    comparing: HashMap<u64, u64>,
    /// Words to be written.
    said: VecDeque<Word>,
    questions: HashMap<u64, Question>,
}

/// What the operator has typed, while other gateways have not answered.
#[derive(Debug)]
struct Question {
    /// The gateways that show digits and have not answered.
    open: HashSet<u64>,
    accepted: bool,
    refused: Option<Refusal>,
}

impl Relay {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if a node shows its digits at another gateway.
    pub(super) fn compares(&self) -> bool {
        !self.known().comparing.is_empty()
    }

    /// Passes digits on. Succeeds once a gateway has accepted them, and fails once all that show
    /// digits have refused them.
    pub(super) fn enter(&self, digits: &str, name: Option<String>) -> Result<(), Refusal> {
        self.ask(|number| Word::Enter {
            number,
            digits: digits.into(),
            name,
        })
    }

    /// Passes a rejection on.
    pub(super) fn reject(&self) -> Result<(), Refusal> {
        self.ask(|number| Word::Reject { number })
    }

    fn ask(&self, word: impl FnOnce(u64) -> Word) -> Result<(), Refusal> {
        let drawn = selo_link::random_bytes().map_err(|error| error.to_string())?;
        let number = u64::from_le_bytes(drawn);
        let since = Instant::now();
        let mut known = self.known();
        let question = Question {
            open: known.comparing.values().copied().collect(),
            accepted: false,
            refused: None,
        };
        known.questions.insert(number, question);
        known.said.push_back(word(number));
        loop {
            let left = PATIENCE.saturating_sub(since.elapsed());
            let over = left.is_zero() || self.closed.load(Ordering::Acquire);
            let Some(question) = known.questions.get(&number) else {
                return Err("another request has taken the answer".into());
            };
            if question.accepted || question.open.is_empty() || over {
                let question = known.questions.remove(&number);
                return match question {
                    Some(Question { accepted: true, .. }) => Ok(()),
                    Some(Question {
                        refused: Some(refused),
                        ..
                    }) => Err(refused),
                    _ => Err("no other gateway has answered: type the digits again".into()),
                };
            }
            let waited = self.answered.wait_timeout(known, left.min(PERIOD));
            known = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    pub(super) fn close(&self) {
        self.closed.store(true, Ordering::Release);
        self.answered.notify_all();
    }

    /// Takes a word of another gateway. Returns the state that it changes.
    fn heard(&self, word: Word) -> Option<WindowState> {
        let mut known = self.known();
        match word {
            Word::Answer {
                number,
                process,
                refused,
            } => {
                let question = known.questions.get_mut(&number)?;
                question.open.remove(&process);
                match refused {
                    None => question.accepted = true,
                    Some(why) => _ = question.refused.get_or_insert(why),
                }
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
                    Stage::Comparing { .. } => known.comparing.insert(attempt, process),
                    _ => known.comparing.remove(&attempt),
                };
                state(attempt, device, suite, stage)
            }
            Word::Enter { .. } | Word::Reject { .. } => None,
        }
    }

    /// Keeps the window in the registry until it is closed, and calls `show` for news of other
    /// gateways. What fails is tried again.
    pub(super) fn run(&self, place: &dyn Place, seconds: u64, show: impl Fn(WindowState)) {
        let Some((own, id)) = process().zip(selo_link::random_bytes().ok()) else {
            return;
        };
        let mut row = Row {
            id,
            opening: Opening {
                process: own,
                until: unix_ms().saturating_add(seconds.saturating_mul(1000)),
            },
            shared: None,
            open: false,
            last: 0,
        };
        let mut complained = false;
        let mut closed = None;
        loop {
            if self.closed.load(Ordering::Acquire) {
                closed.get_or_insert_with(Instant::now);
            }
            match self.turn(place, &mut row, closed.is_some(), &show) {
                Ok(false) => return,
                Ok(true) => {
                    if std::mem::take(&mut complained) {
                        info!("the other gateways hear of the pairing window again");
                    }
                }
                Err(problem) => {
                    if !std::mem::replace(&mut complained, true) {
                        warn!(%problem, "the other gateways do not hear of the pairing window");
                    }
                    if closed.is_some_and(|since| since.elapsed() > REMOVAL) {
                        return;
                    }
                }
            }
            std::thread::sleep(PERIOD);
        }
    }

    /// Returns false if there is nothing more to do.
    fn turn(
        &self,
        place: &dyn Place,
        row: &mut Row,
        closed: bool,
        show: &impl Fn(WindowState),
    ) -> Result<bool> {
        let shared = match &mut row.shared {
            Some(shared) => shared,
            none => match place.share()? {
                Some(shared) => none.insert(shared),
                None => return Ok(false),
            },
        };
        if closed {
            // Even if it is not known to be there: an answer may have been lost.
            shared.close_window(&row.id)?;
            return Ok(false);
        }
        let site = shared.site_key().clone();
        if !row.open {
            let left = row.opening.until.saturating_sub(unix_ms()) / 1000;
            let Some(body) = seal(&site, &row.id, OPENING, &row.opening) else {
                return Ok(false);
            };
            shared.open_window(&row.id, left, &body)?;
            row.open = true;
        }
        loop {
            let next = self
                .known()
                .said
                .front()
                .map(|word| seal(&site, &row.id, WORD, word));
            match next {
                None => break,
                Some(body) => {
                    if let Some(body) = body {
                        shared.say(&row.id, &body)?;
                    }
                    self.known().said.pop_front();
                }
            }
        }
        for (number, body) in shared.words(&row.id, row.last)? {
            row.last = number;
            // What does not open was not written by a gateway.
            let word = open(&site, &row.id, WORD, &body);
            if let Some(state) = word.and_then(|word| self.heard(word)) {
                show(state);
            }
        }
        Ok(true)
    }
}

/// The window in the registry.
struct Row {
    id: WindowId,
    opening: Opening,
    shared: Option<Box<dyn Shared>>,
    open: bool,
    /// The last word that was read.
    last: i64,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A relay with a node that shows its digits at each of these gateways.
    fn relay(processes: &[u64]) -> Relay {
        let relay = Relay::default();
        for process in processes {
            relay.heard(Word::Attempt {
                process: *process,
                attempt: 1,
                device: 1,
                suite: 1,
                stage: Stage::Comparing { replaces: false },
            });
        }
        relay
    }

    /// Lets gateways answer the next question, and returns what the operator gets.
    fn answer(relay: &Relay, answers: &[(u64, Option<&str>)]) -> Result<(), Refusal> {
        std::thread::scope(|scope| {
            let entered = scope.spawn(|| relay.enter("042917", None));
            let number = loop {
                match relay.known().said.pop_front() {
                    Some(Word::Enter { number, .. }) => break number,
                    _ => std::thread::sleep(Duration::from_millis(5)),
                }
            };
            for (process, refused) in answers {
                assert!(!entered.is_finished(), "an earlier answer was taken");
                relay.heard(Word::Answer {
                    number,
                    process: *process,
                    refused: refused.map(str::to_owned),
                });
                std::thread::sleep(Duration::from_millis(50));
            }
            entered.join().expect("ends")
        })
    }

    #[test]
    fn digits_are_right_if_one_of_the_gateways_has_them() {
        let relay = relay(&[1, 2, 3]);
        let answers = [(3, Some("no such digits")), (1, Some("none")), (2, None)];
        assert_eq!(answer(&relay, &answers), Ok(()));
        let answers = [(1, Some("one")), (3, Some("three")), (2, Some("two"))];
        assert_eq!(answer(&relay, &answers), Err("one".into()));
        // A gateway that shows no digits is not waited for, and its refusal does not count.
        let answers = [(9, Some("no node is waiting")), (2, None)];
        assert_eq!(answer(&relay, &answers), Ok(()));
    }

    #[test]
    fn a_window_that_closes_ends_the_wait() {
        let relay = relay(&[1]);
        std::thread::scope(|scope| {
            let rejected = scope.spawn(|| relay.reject());
            while relay.known().said.is_empty() {
                std::thread::sleep(Duration::from_millis(5));
            }
            relay.close();
            let refused = rejected.join().expect("ends").expect_err("refused");
            assert!(refused.contains("no other gateway"), "{refused}");
        });
    }
}
