//! The side of a gateway whose operator is at another one.

use std::collections::{HashMap, HashSet, VecDeque};
use std::io;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use tracing::{info, warn};

use super::{OPENING, Opening, WORD, Word, open, process, seal};
use crate::clock::unix_ms;
use crate::control::services::Services;
use crate::engine::{Event, WINDOW_MAX_MS, Window, WindowState};
use crate::error::Result;
use crate::registry::{Shared, WindowId};
use crate::site_key::SiteKey;

/// Period in which windows are looked for, and that in which an open one is followed.
const LOOK: Duration = Duration::from_secs(1);
const FOLLOW: Duration = Duration::from_millis(300);

/// Accepted difference of the gateways' clocks.
const CLOCKS_MS: u64 = 60_000;

/// A window that this gateway has opened for an operator elsewhere.
struct Followed {
    id: WindowId,
    window: Window,
    events: Receiver<Event>,
    last: i64,
    /// Numbers of words that were obeyed.
    obeyed: HashSet<u64>,
    /// Sealed words that the registry has not taken yet.
    unsaid: VecDeque<Vec<u8>>,
    /// The engine's window has closed.
    closed: bool,
}

/// Starts the thread, if the registry is shared.
pub(in crate::control) fn start(services: &Arc<Services>) -> io::Result<()> {
    let services = services.clone();
    std::thread::Builder::new()
        .name("windows".into())
        .spawn(move || look(&services))
        .map(|_| ())
}

fn look(services: &Services) {
    let mut shared = None;
    let mut followed = None;
    let mut done = HashMap::new();
    let mut complained = false;
    while !services.remote.stopping() {
        let problem = match &mut shared {
            Some(shared) => turn(services, shared, &mut followed, &mut done).err(),
            None => match services.registry.share() {
                Ok(None) => return,
                Ok(opened) => {
                    shared = opened;
                    None
                }
                Err(problem) => Some(problem),
            },
        };
        if let Some(problem) = &problem
            && !complained
        {
            warn!(%problem, "cannot look for pairing windows of other gateways");
        }
        complained = problem.is_some();
        std::thread::sleep(if followed.is_some() { FOLLOW } else { LOOK });
    }
}

fn turn(
    services: &Services,
    shared: &mut Box<dyn Shared>,
    followed: &mut Option<Followed>,
    done: &mut HashMap<WindowId, u64>,
) -> Result<()> {
    let site = shared.site_key().clone();
    let rows = shared.windows()?;
    // Not only while the row is there: someone may write it again.
    done.retain(|_, until| until.saturating_add(CLOCKS_MS) > unix_ms());
    if let Some(current) = followed {
        let there = rows.iter().any(|(id, _)| *id == current.id);
        if !there || !current.turn(services, shared.as_mut(), &site)? {
            let window = current.window;
            services.remote.call(move |engine, now, out| {
                engine.pairing_leave(now, window, "the operator disconnected", out);
            });
            *followed = None;
        }
        return Ok(());
    }
    for (id, body) in rows {
        let opening: Option<Opening> = open(&site, &id, OPENING, &body);
        let Some(opening) = opening.filter(|it| Some(it.process) != process()) else {
            continue;
        };
        let left = opening.until.saturating_sub(unix_ms());
        if left == 0 || left > WINDOW_MAX_MS + CLOCKS_MS || done.contains_key(&id) {
            continue;
        }
        let events = services.remote.listen();
        let opened = services
            .remote
            .call(move |engine, now, out| engine.pairing_open(now, left, out));
        if let Some(Ok(window)) = opened {
            info!("opens the pairing window of an operator at another gateway");
            services.forget_window_name();
            done.insert(id, opening.until);
            *followed = Some(Followed {
                id,
                window,
                events,
                last: 0,
                obeyed: HashSet::new(),
                unsaid: VecDeque::new(),
                closed: false,
            });
            break;
        }
    }
    Ok(())
}

impl Followed {
    /// Tells of attempts, and enters digits. False once the window has closed.
    fn turn(
        &mut self,
        services: &Services,
        shared: &mut dyn Shared,
        site: &SiteKey,
    ) -> Result<bool> {
        let Some(own) = process() else {
            return Ok(false);
        };
        for (number, body) in shared.words(&self.id, self.last)? {
            self.last = number;
            let Some(word) = open(site, &self.id, WORD, &body) else {
                continue;
            };
            // The answer to digits comes before the pairing, which closes the operator's window.
            if let Some(answer) = self.obey(services, word, own) {
                self.unsaid.extend(seal(site, &self.id, WORD, &answer));
            }
        }
        while let Ok(event) = self.events.try_recv() {
            match event {
                Event::Pairing(window, state) if window == self.window => {
                    self.closed |= matches!(state, WindowState::Closed { .. });
                    let word = Word::of(&state, own);
                    let body = word.and_then(|word| seal(site, &self.id, WORD, &word));
                    self.unsaid.extend(body);
                }
                _ => {}
            }
        }
        while let Some(body) = self.unsaid.front() {
            shared.say(&self.id, body)?;
            self.unsaid.pop_front();
        }
        Ok(!self.closed)
    }

    /// Does what the operator wants, once: someone may write the word again.
    fn obey(&mut self, services: &Services, word: Word, own: u64) -> Option<Word> {
        let (number, done) = match word {
            Word::Enter {
                number,
                digits,
                name,
            } => {
                let first = self.obeyed.insert(number);
                (number, first.then(|| services.confirm(&digits, name)))
            }
            Word::Reject { number } => {
                let first = self.obeyed.insert(number);
                (number, first.then(|| services.reject()))
            }
            Word::Answer { .. } | Word::Attempt { .. } => return None,
        };
        done.map(|done| Word::Answer {
            number,
            process: own,
            refused: done.err(),
        })
    }
}
