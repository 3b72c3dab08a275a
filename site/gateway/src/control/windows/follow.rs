//! The side of a gateway whose operator is at another one.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use tracing::{info, warn};

use super::{OPENING, Opening, WORD, WindowId, Word, open, process, seal};
use crate::clock::unix_ms;
use crate::control::services::Services;
use crate::engine::{Event, WINDOW_MAX_MS, Window, WindowState};
use crate::error::Result;
use crate::registry::Shared;
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
    entered: HashSet<u64>,
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
    let mut done = HashSet::new();
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
    done: &mut HashSet<WindowId>,
) -> Result<()> {
    let site = shared.site_key().clone();
    let rows = shared.windows()?;
    done.retain(|id| rows.iter().any(|(row, _)| row == id));
    if let Some(current) = followed {
        let there = rows.iter().any(|(id, _)| *id == current.id);
        if !there || !current.turn(services, shared.as_mut(), &site)? {
            let window = current.window;
            services.remote.call(move |engine, now, out| {
                engine.pairing_leave(now, window, "the operator disconnected", out);
            });
            done.insert(current.id);
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
        if left == 0 || left > WINDOW_MAX_MS + CLOCKS_MS || done.contains(&id) {
            continue;
        }
        let events = services.remote.listen();
        let opened = services
            .remote
            .call(move |engine, now, out| engine.pairing_open(now, left, out));
        if let Some(Ok(window)) = opened {
            info!("opens the pairing window of an operator at another gateway");
            services.forget_window_name();
            *followed = Some(Followed {
                id,
                window,
                events,
                last: 0,
                entered: HashSet::new(),
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
        let (Some(own), mut open_still) = (process(), true) else {
            return Ok(false);
        };
        let mut words = Vec::new();
        for (number, body) in shared.words(&self.id, self.last)? {
            self.last = number;
            let Some(Word::Enter {
                number,
                digits,
                name,
            }) = open(site, &self.id, WORD, &body)
            else {
                continue;
            };
            // Someone may have written the row again.
            if self.entered.insert(number) {
                let refused = services.confirm(&digits, name).err();
                words.push(Word::Entered { number, refused });
            }
        }
        let mut states = Vec::new();
        while let Ok(event) = self.events.try_recv() {
            match event {
                Event::Pairing(window, state) if window == self.window => {
                    open_still &= !matches!(state, WindowState::Closed { .. });
                    states.extend(Word::of(&state, own));
                }
                _ => {}
            }
        }
        // The answer to digits before the pairing, which closes the operator's window.
        for word in words.iter().chain(&states) {
            if let Some(body) = seal(site, &self.id, WORD, word) {
                shared.say(&self.id, &body)?;
            }
        }
        Ok(open_still)
    }
}
