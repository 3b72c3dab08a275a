//! Reads a client's output: the lines on its standard error (client.h).

use std::io::{BufRead, BufReader};
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use zeroize::Zeroizing;

use crate::error::{Error, Result, machine};
use crate::row::{Delivered, TlsTimes};

/// Kill a client that is silent for this long. This time is not a measurement.
const SILENCE: Duration = Duration::from_secs(600);
/// Start of the line that carries a session (client.h).
const SESSION: &str = "session ";

/// The secret with which a TLS client resumes. An eavesdropper who has it can read the next
/// connection. It stays in memory and, while a client runs, in a file of mode 0600.
#[derive(Clone)]
pub struct Session(pub Zeroizing<Vec<u8>>);

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Session({} bytes)", self.0.len())
    }
}

/// A delivered reading, and the state of resumption.
#[derive(Clone, Debug)]
pub struct Told {
    pub done: Delivered,
    /// The handshake was a resumed one.
    pub resumed: bool,
    /// For the next connection, if the server gave a ticket.
    pub session: Option<Session>,
}

/// The lines of a client, with the time at which each came.
#[derive(Default)]
pub(super) struct Heard {
    lines: Vec<(Instant, Zeroizing<String>)>,
    /// The client's exit status.
    ended: String,
    timeout: Duration,
}

/// Runs a client with the connection as its input and output.
pub(super) fn hear(
    mut command: Command,
    ends: (OwnedFd, OwnedFd),
    timeout: Duration,
) -> Result<Heard> {
    command
        .stdin(Stdio::from(ends.0))
        .stdout(Stdio::from(ends.1))
        .stderr(Stdio::piped());
    let program = command.get_program().to_string_lossy().into_owned();
    let mut child = command.spawn().map_err(|error| Error::Embedded {
        why: format!("{program} cannot be started: {error}"),
    })?;
    // The command holds the connection too: it must end with the client.
    drop(command);
    let (to, lines) = channel();
    if let Some(errors) = child.stderr.take() {
        std::thread::spawn(move || {
            for line in BufReader::new(errors).lines().map_while(|line| line.ok()) {
                if to.send((Instant::now(), Zeroizing::new(line))).is_err() {
                    break;
                }
            }
        });
    }
    let mut heard = Heard {
        timeout,
        ..Heard::default()
    };
    loop {
        match lines.recv_timeout(SILENCE) {
            Ok(line) => heard.lines.push(line),
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                let _ = child.kill();
                break;
            }
        }
    }
    let status = child.wait().map_err(machine("wait for the client"))?;
    heard.ended = status.to_string();
    Ok(heard)
}

/// The value of `key=value` in a line of words.
fn value<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line.split(' ')
        .find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
}

impl Heard {
    /// The line that begins with `word`, and the time when it came.
    fn line(&self, word: &str) -> Option<(Instant, &str)> {
        let found = self
            .lines
            .iter()
            .find(|(_, line)| line.split(' ').next() == Some(word));
        found.map(|(when, line)| (*when, line.as_str()))
    }

    /// Interprets the client's lines. An `emulated` client has no clock, so the arrival times of
    /// its lines are used.
    pub(super) fn told(&self, emulated: bool) -> Result<Told> {
        if let Some((when, line)) = self.line("failed") {
            return Err(self.failed(when, line));
        }
        let parts = ["begin", "handshake", "exchange", "memory"].map(|word| self.line(word));
        let [Some(begin), Some(handshake), Some(exchange), Some(memory)] = parts else {
            // Errors are kept and shown. A session is secret and must not be shown.
            let mut lines = self.lines.iter().rev().map(|(_, line)| line.as_str());
            let last = lines
                .find(|line| !line.starts_with(SESSION))
                .unwrap_or("it printed nothing");
            return Err(Error::Embedded {
                why: format!("it ended with {}: {last}", self.ended),
            });
        };
        let number = |line: &str, key: &str| -> Result<u64> {
            let number = value(line, key).and_then(|value| value.parse().ok());
            number.ok_or_else(|| Error::Embedded {
                why: format!("its output cannot be parsed: {line}"),
            })
        };
        let wall = |line: &str, from: Instant, to: Instant| match emulated {
            true => Ok(nanoseconds(to - from)),
            false => number(line, "wall"),
        };
        let times = TlsTimes {
            handshake: wall(handshake.1, begin.0, handshake.0)?,
            exchange: wall(exchange.1, handshake.0, exchange.0)?,
            handshake_cpu: number(handshake.1, "processor")?,
            exchange_cpu: number(exchange.1, "processor")?,
            handshake_sent: number(handshake.1, "sent")?,
            handshake_received: number(handshake.1, "received")?,
            handshake_trips: number(handshake.1, "trips")?,
            exchange_trips: number(exchange.1, "trips")?,
            heap: Some(number(memory.1, "heap")?),
            stack: Some(number(memory.1, "stack")?),
            ..TlsTimes::default()
        };
        Ok(Told {
            done: Delivered {
                sent: times.handshake_sent + number(exchange.1, "sent")?,
                received: times.handshake_received + number(exchange.1, "received")?,
                times,
            },
            resumed: self.line("resumed").is_some(),
            session: self.session()?,
        })
    }

    /// The session that the client prints for the next connection.
    fn session(&self) -> Result<Option<Session>> {
        let Some((_, line)) = self.line(SESSION.trim_end()) else {
            return Ok(None);
        };
        let bytes = line.strip_prefix(SESSION).map(hex::decode);
        match bytes {
            Some(Ok(bytes)) => Ok(Some(Session(Zeroizing::new(bytes)))),
            _ => Err(Error::Embedded {
                why: "the session that it printed cannot be parsed".into(),
            }),
        }
    }

    fn failed(&self, when: Instant, line: &str) -> Error {
        let reason = line.split_once("reason=").map_or("", |(_, reason)| reason);
        let number = value(line, "number").unwrap_or_default();
        let why = format!("{reason} ({number})");
        // The client cannot tell silence from a closed connection.
        let before = self.lines.iter().rev().find(|(at, _)| *at < when);
        let waited = before.map_or(Duration::ZERO, |(at, _)| when - *at);
        match value(line, "fault").unwrap_or_default() {
            "cut" if waited >= self.timeout => Error::Timeout {
                doing: "in the handshake or sending a reading",
                seconds: self.timeout.as_secs(),
            },
            "cut" => Error::Cut {
                doing: "in the handshake or sending a reading",
            },
            "wrong-certificate" => Error::WrongCertificate { why },
            "expired-certificate" => Error::ExpiredCertificate,
            "not-offered" => Error::NotOffered { what: why },
            "not-resumed" => Error::NotResumed { why },
            "altered" => Error::Altered {
                who: "the client",
                what: "tag",
            },
            "refused" => Error::Refused(why),
            "protocol" => Error::Protocol(why),
            _ => Error::Embedded { why },
        }
    }
}

pub(super) fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Fault;

    fn heard(lines: &[(u64, &str)]) -> Heard {
        let start = Instant::now();
        let lines = lines.iter();
        Heard {
            lines: lines
                .map(|(seconds, line)| {
                    (
                        start + Duration::from_secs(*seconds),
                        Zeroizing::new((*line).to_owned()),
                    )
                })
                .collect(),
            ended: "exit status: 1".into(),
            timeout: Duration::from_secs(30),
        }
    }

    #[test]
    fn an_emulated_client_is_timed_by_when_it_speaks() {
        let said = [
            (0, "begin"),
            (
                2,
                "handshake wall=0 processor=0 sent=215 received=676 trips=1",
            ),
            (
                3,
                "exchange wall=0 processor=0 sent=218 received=49 trips=1",
            ),
            (3, "memory heap=14336 stack=2612"),
        ];
        let told = heard(&said).told(true).expect("it is whole");
        assert!(!told.resumed && told.session.is_none());
        let done = told.done;
        assert_eq!(done.times.handshake, 2_000_000_000);
        assert_eq!((done.sent, done.received), (433, 725));
        assert_eq!(
            (done.times.heap, done.times.stack),
            (Some(14336), Some(2612))
        );
        let by_its_clock = heard(&said).told(false).expect("it is whole").done;
        assert_eq!(by_its_clock.times.handshake, 0);
    }

    #[test]
    fn a_failure_has_its_reason() {
        let fault = |lines: &[(u64, &str)]| heard(lines).told(true).expect_err("it failed").fault();
        let failed = |word: &str| format!("failed fault={word} number=-1 reason=some words");
        for (word, expected) in [
            ("wrong-certificate", Fault::WrongCertificate),
            ("expired-certificate", Fault::ExpiredCertificate),
            ("not-offered", Fault::NotOffered),
            ("not-resumed", Fault::NotOffered),
            ("altered", Fault::Altered),
            ("machine", Fault::Machine),
        ] {
            assert_eq!(fault(&[(0, "begin"), (1, &failed(word))]), expected);
        }
        // A client cannot tell silence from a closed connection. Its waiting time does.
        assert_eq!(fault(&[(0, "begin"), (1, &failed("cut"))]), Fault::Cut);
        assert_eq!(fault(&[(0, "begin"), (31, &failed("cut"))]), Fault::Timeout);
        let crashed = heard(&[(0, "begin"), (1, "fault kind=invalid-access pc=0x10")]);
        let error = crashed.told(true).expect_err("it crashed");
        assert!(error.to_string().contains("invalid-access"), "{error}");
        assert_eq!(error.exit_code(), 1);
    }
}
