//! What follows a failure: another server, a pause, and a word in the log.

use std::time::Duration;

use tokio::time::Instant;

use crate::client::StreamConfig;
use crate::failure::Failure;

/// First and longest pause before the servers are tried again.
const PAUSES: (Duration, Duration) = (Duration::from_millis(250), Duration::from_secs(10));
/// The stream must work for this time before its next failure is news. One that is lost at once, again
/// and again, would fill the log.
const STEADY: Duration = Duration::from_secs(1);

/// The attempts to use the servers of a stream.
#[derive(Debug)]
pub struct Tries {
    /// What the log has said since the stream last worked. Each server may fail for another reason.
    said: Vec<Failure>,
    pause: Duration,
    /// Servers that have failed since the last pause.
    failed: usize,
    /// Since when the stream works.
    works: Option<Instant>,
}

/// What to do after a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Next {
    /// The log has not said it yet.
    pub is_new: bool,
    pub pause: Duration,
}

impl Default for Tries {
    fn default() -> Tries {
        Tries {
            said: Vec::new(),
            pause: PAUSES.0,
            failed: 0,
            works: None,
        }
    }
}

impl Tries {
    /// The stream works.
    pub fn works(&mut self, now: Instant) {
        self.works.get_or_insert(now);
    }

    /// An attempt has failed. Makes the next server of `config` the current one. There is a pause
    /// when each server has failed, so that the client neither waits for a server that is away nor
    /// asks in a tight loop.
    pub fn failed(&mut self, config: &mut StreamConfig, failure: &Failure, now: Instant) -> Next {
        if self.works.take().is_some_and(|since| now - since > STEADY) {
            (self.failed, self.pause) = (0, PAUSES.0);
            self.said.clear();
        }
        config.take_next();
        self.failed += 1;
        let mut pause = Duration::ZERO;
        if self.failed >= config.servers() {
            self.failed = 0;
            pause = self.pause;
            self.pause = (pause * 2).min(PAUSES.1);
        }
        let is_new = !self.said.contains(failure);
        if is_new {
            self.said.push(failure.clone());
            // Texts of a server may differ each time.
            let most = 8 * config.servers();
            if self.said.len() > most {
                self.said.remove(0);
            }
        }
        Next { is_new, pause }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::parse_url;
    use crate::failure::away;
    use selo_mqtt::ClientConfig;

    fn config(urls: &[&str]) -> StreamConfig {
        let mut servers = urls.iter().map(|url| parse_url(url).expect("an address"));
        let first = servers.next().expect("a server");
        StreamConfig {
            client: ClientConfig::new(first, "test"),
            others: servers.collect(),
            credentials: None,
            site: "farm".into(),
        }
    }

    fn fail(tries: &mut Tries, config: &mut StreamConfig) -> Next {
        let failure = away(config.server(), "does not answer");
        tries.failed(config, &failure, Instant::now())
    }

    #[test]
    fn each_server_is_tried_before_a_pause() {
        let mut config = config(&["tls://a", "tls://b", "tls://c"]);
        let mut tries = Tries::default();
        let mut seen = Vec::new();
        let pauses: Vec<u128> = (0..6)
            .map(|_| {
                seen.push(config.server().host.clone());
                fail(&mut tries, &mut config).pause.as_millis()
            })
            .collect();
        assert_eq!(seen, ["a", "b", "c", "a", "b", "c"]);
        assert_eq!(pauses, [0, 0, 250, 0, 0, 500]);
    }

    /// The stream works for this time, and then fails.
    fn work(tries: &mut Tries, config: &mut StreamConfig, time: Duration) -> Next {
        let now = Instant::now();
        tries.works(now);
        let failure = away(config.server(), "has ended the connection");
        tries.failed(config, &failure, now + time)
    }

    #[test]
    fn the_pause_of_one_server_grows_to_its_longest() {
        let mut config = config(&["tls://a"]);
        let mut tries = Tries::default();
        let pauses: Vec<u128> = (0..8)
            .map(|_| fail(&mut tries, &mut config).pause.as_millis())
            .collect();
        assert_eq!(pauses, [250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000]);
    }

    #[test]
    fn a_failure_is_said_once_for_each_server_until_the_stream_works() {
        let mut config = config(&["tls://a", "tls://b"]);
        let mut tries = Tries::default();
        let said: Vec<bool> = (0..4)
            .map(|_| fail(&mut tries, &mut config).is_new)
            .collect();
        assert_eq!(said, [true, true, false, false]);
        let next = work(&mut tries, &mut config, Duration::from_secs(2));
        assert!(next.is_new);
        assert_eq!(next.pause, Duration::ZERO);
    }

    #[test]
    fn servers_that_end_each_connection_are_not_asked_in_a_tight_loop() {
        let mut config = config(&["tls://a", "tls://b"]);
        let mut tries = Tries::default();
        let mut pauses = Duration::ZERO;
        for number in 0..20 {
            let next = work(&mut tries, &mut config, Duration::from_millis(10));
            assert_eq!(next.is_new, number < 2);
            pauses += next.pause;
        }
        assert!(pauses > Duration::from_secs(50), "{pauses:?}");
    }

    #[test]
    fn failures_that_differ_each_time_do_not_fill_the_memory() {
        let mut config = config(&["tls://a"]);
        let mut tries = Tries::default();
        for number in 0..1000 {
            let failure = away(config.server(), &format!("answers {number}"));
            assert!(tries.failed(&mut config, &failure, Instant::now()).is_new);
        }
        assert_eq!(tries.said.len(), 8);
    }
}
