//! The pairing window as the page shows it: what the gateway has told of it so far.

use std::sync::{Mutex, MutexGuard, PoisonError};

use selo_gateway::control::{Client, Event, Reply};
use serde::Serialize;

/// State of the pairing window after the last event.
#[derive(Debug, Default)]
pub(super) struct Desk {
    pub window: Window,
    pub name: Option<String>,
    /// The connection that keeps the window open, and its number.
    pub connection: Option<Client>,
    pub number: u64,
}

#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct Window {
    pub state: State,
    /// Remaining digit entries that match no attempt.
    pub entries_left: Option<u8>,
    /// Nodes that have started pairing, and nodes that show their digits.
    pub attempts: Vec<Attempt>,
    /// The device that was paired.
    pub device: Option<String>,
    pub why: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Attempt {
    pub attempt: u64,
    pub device: String,
    pub suite: String,
    /// The node shows its digits, so the operator can type them.
    pub shows_digits: bool,
    pub replaces: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum State {
    #[default]
    Closed,
    Open,
    Paired,
}

impl Desk {
    pub fn close(&mut self, why: &str) {
        if let Some(client) = self.connection.take() {
            client.hang_up();
            self.window = Window {
                why: Some(why.into()),
                ..Window::default()
            };
        }
    }
}

impl Window {
    pub fn take(&mut self, event: Event) {
        match event {
            Event::Open { entries_left } => {
                self.state = State::Open;
                self.entries_left = Some(entries_left);
            }
            Event::Keyed {
                attempt,
                device,
                suite,
            } => self.attempts.push(Attempt {
                attempt,
                device,
                suite,
                shows_digits: false,
                replaces: false,
            }),
            Event::Comparing {
                attempt,
                device,
                suite,
                replaces,
            } => {
                self.attempts.retain(|begun| begun.attempt != attempt);
                self.attempts.push(Attempt {
                    attempt,
                    device,
                    suite,
                    shows_digits: true,
                    replaces,
                });
            }
            Event::Failed { attempt, why, .. } => {
                self.attempts.retain(|begun| begun.attempt != attempt);
                self.why = Some(why);
            }
            Event::Paired { device, .. } => {
                *self = Window {
                    state: State::Paired,
                    device: Some(device),
                    ..Window::default()
                };
            }
            // Keep showing the paired device.
            Event::Closed { .. } if self.state == State::Paired => {
                self.attempts.clear();
                self.why = None;
            }
            Event::Closed { why } => {
                *self = Window {
                    why: Some(why),
                    ..Window::default()
                };
            }
            // Events about messages to nodes; the pairing page does not request any.
            _ => {}
        }
    }
}

pub(super) fn lock(desk: &Mutex<Desk>) -> MutexGuard<'_, Desk> {
    // A thread that panicked with the lock held has changed at most one field.
    desk.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Applies the window's events until the connection ends.
pub(super) fn listen(mut client: Client, shared: &Mutex<Desk>, number: u64) {
    loop {
        let reply = client.receive();
        let mut desk = lock(shared);
        if desk.number != number {
            return;
        }
        match reply {
            Ok(Reply::Event(event)) => desk.window.take(event),
            Ok(_) => {}
            // The entry came too late, or the name is taken. The window stays open.
            Err(selo_gateway::Error::Refused(why)) => desk.window.why = Some(why),
            Err(_) => {
                desk.connection = None;
                if desk.window.state != State::Paired {
                    desk.window.state = State::Closed;
                }
                return;
            }
        }
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
