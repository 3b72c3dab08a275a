//! Pairing over the control socket: a window is opened, followed and answered.

use std::io::{self, BufReader};
use std::os::unix::net::UnixStream;
use std::sync::PoisonError;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use super::reply::{Refusal, STOPPING, hung_up, write};
use super::services::Services;
use super::{Event, Reply, Request, read_line};
use crate::engine::{self, PairError};
use crate::error::Result;
use crate::registry::{Existing, Origin, Record, check_name};

impl Services {
    pub(super) fn pair(
        &self,
        stream: &UnixStream,
        reader: &mut BufReader<&UnixStream>,
        seconds: u64,
        name: Option<String>,
    ) -> io::Result<()> {
        if let Some(Err(error)) = name.as_deref().map(check_name) {
            return write(stream, &Reply::Error(error.to_string()));
        }
        let events = self.remote.listen();
        let ms = seconds.saturating_mul(1000);
        let opened = self
            .remote
            .call(move |engine, now, out| engine.pairing_open(now, ms, out));
        let window = match opened {
            Some(Ok(window)) => window,
            Some(Err(error)) => return write(stream, &Reply::Error(error.to_string())),
            None => return write(stream, &Reply::Error(STOPPING.into())),
        };
        *self
            .pairing_name
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = name;
        let elsewhere = self.open_elsewhere(window, seconds);
        let followed = self.follow_window(stream, reader, events, window);
        self.close_elsewhere(&elsewhere);
        self.remote.call(move |engine, now, out| {
            engine.pairing_leave(now, window, "the operator disconnected", out);
        });
        followed
    }

    pub(super) fn watch(
        &self,
        stream: &UnixStream,
        reader: &mut BufReader<&UnixStream>,
    ) -> io::Result<()> {
        let events = self.remote.listen();
        let looked = self
            .remote
            .call(|engine, _, _| (engine.pairing_window(), engine.pairing_states()));
        let (window, states) = looked.unwrap_or_default();
        if states.is_empty() {
            return write(stream, &Reply::Error(PairError::Closed.to_string()));
        }
        for state in states {
            write(stream, &Reply::Event(state.into()))?;
        }
        self.follow_window(stream, reader, events, window)
    }

    /// Sends events of the window to the client and handles its requests, until the window
    /// closes or the client disconnects.
    fn follow_window(
        &self,
        stream: &UnixStream,
        reader: &mut BufReader<&UnixStream>,
        events: Receiver<engine::Event>,
        window: engine::Window,
    ) -> io::Result<()> {
        std::thread::scope(|scope| {
            scope.spawn(move || {
                // Ends when the window closes or the client disconnects.
                let _ = pass_on_window(stream, &events, window);
                let _ = stream.shutdown(std::net::Shutdown::Both);
            });
            let said = self.take_words(stream, reader);
            let _ = stream.shutdown(std::net::Shutdown::Both);
            said
        })
    }

    fn take_words(
        &self,
        stream: &UnixStream,
        reader: &mut BufReader<&UnixStream>,
    ) -> io::Result<()> {
        while let Some(line) = read_line(reader)? {
            let said = match serde_json::from_str(&line) {
                Ok(Request::Confirm { digits, name }) => self.confirm_anywhere(&digits, name),
                Ok(Request::Reject) => self.reject_anywhere(),
                Ok(_) => Err("only confirm and reject are allowed while the window is open".into()),
                Err(error) => Err(format!("invalid request: {error}")),
            };
            if let Err(refusal) = said {
                write(stream, &Reply::Error(refusal))?;
            }
        }
        Ok(())
    }

    /// Finds the attempt with these digits, stores the device, then tells the node. The worker
    /// does not wait for the registry, which may be on a server that is away.
    pub(super) fn confirm(&self, digits: &str, name: Option<String>) -> Result<(), Refusal> {
        let digits = parse_digits(digits)?;
        if let Some(Err(error)) = name.as_deref().map(check_name) {
            return Err(error.to_string());
        }
        let name = name.or_else(|| {
            self.pairing_name
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone()
        });
        let mut registry = self.registry()?;
        let matched = self
            .remote
            .call(move |engine, now, out| engine.pairing_enter(now, digits, out))
            .ok_or(STOPPING)?
            .map_err(|error| error.to_string())?;
        let attempt = matched.attempt;
        let mut record = Record::new(matched.device, matched.suite, matched.key);
        record.name = name;
        record.origin = Some(Origin::of_pairing(matched.kem));
        let stored = registry.add(&record, Existing::Replace);
        if let Ok(record) = &stored {
            self.names.set(record);
        }
        self.remote
            .call(move |engine, now, out| match stored {
                Ok(record) => {
                    engine.set_device(record.device(), out);
                    let confirmed = engine.pairing_confirm(now, attempt, out);
                    confirmed.map_err(|error| error.to_string())
                }
                Err(error) => {
                    engine.pairing_return(now, attempt, out);
                    Err(error.to_string())
                }
            })
            .ok_or(STOPPING)?
    }

    pub(super) fn reject(&self) -> Result<(), Refusal> {
        self.remote
            .call(|engine, now, out| engine.pairing_reject(now, out))
            .ok_or(STOPPING)?
            .map_err(|error| error.to_string())
    }
}

/// Parses six digits. Spaces between them are allowed.
fn parse_digits(text: &str) -> Result<u32, Refusal> {
    let digits: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let is_six = digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number = is_six.then(|| digits.parse().ok()).flatten();
    number.ok_or_else(|| "expected six digits".into())
}

/// Sends events of this window only. Events of the previous window may still arrive.
fn pass_on_window(
    stream: &UnixStream,
    events: &Receiver<engine::Event>,
    window: engine::Window,
) -> io::Result<()> {
    loop {
        match events.recv_timeout(Duration::from_millis(500)) {
            Ok(engine::Event::Pairing(of, state)) if of == window => {
                let event = Event::from(state);
                let last = matches!(event, Event::Closed { .. });
                write(stream, &Reply::Event(event))?;
                if last {
                    return Ok(());
                }
            }
            // On a busy gateway, events of others prevent a time-out; check the connection on
            // every event.
            Ok(_) | Err(RecvTimeoutError::Timeout) if hung_up(stream) => return Ok(()),
            Ok(_) | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufRead;
    use std::sync::atomic::AtomicBool;
    use std::sync::atomic::Ordering::Relaxed;
    use std::sync::mpsc::channel;
    use std::time::Instant;

    use super::*;
    use crate::engine::WindowState;

    #[test]
    fn a_window_is_no_longer_followed_when_its_client_has_gone_though_there_is_always_news() {
        let (server, client) = UnixStream::pair().expect("a connection");
        let (send, events) = channel();
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let news = || engine::Event::NoRandom("none".into());
                while !over.load(Relaxed) && send.send(news()).is_ok() {
                    std::thread::sleep(Duration::from_millis(20));
                }
            });
            scope.spawn(|| {
                // Limits the test's duration. Reaching this limit is a failure.
                let since = Instant::now();
                while !over.load(Relaxed) && since.elapsed() < Duration::from_secs(20) {
                    std::thread::sleep(Duration::from_millis(20));
                }
                let gone = !over.swap(true, Relaxed);
                assert!(!gone, "it is still followed");
            });
            drop(client);
            pass_on_window(&server, &events, 1).expect("ends");
            over.store(true, Relaxed);
        });
    }

    #[test]
    fn only_what_happens_in_its_own_window_is_passed_on() {
        let (server, client) = UnixStream::pair().expect("a connection");
        let (send, events) = channel();
        let closed = |why| WindowState::Closed { why };
        for (window, state) in [
            (6, closed("it timed out")),
            (7, WindowState::Open { entries_left: 3 }),
            (6, closed("the operator disconnected")),
            (7, closed("a device was paired")),
        ] {
            send.send(engine::Event::Pairing(window, state))
                .expect("heard");
        }
        pass_on_window(&server, &events, 7).expect("passes on");
        drop(server);
        let lines: Vec<_> = BufReader::new(client)
            .lines()
            .map(|line| line.expect("text"))
            .collect();
        let said: Vec<Reply> = lines
            .iter()
            .map(|line| serde_json::from_str(line).expect("a reply"))
            .collect();
        let closed = Event::Closed {
            why: "a device was paired".into(),
        };
        let open = Event::Open { entries_left: 3 };
        assert_eq!(said, [Reply::Event(open), Reply::Event(closed)]);
    }
}
