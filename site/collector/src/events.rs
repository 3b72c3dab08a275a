//! Live events, and a buffer of recent ones for listeners that reconnect.

use std::collections::VecDeque;
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::broadcast;

/// Number of recent events that a reconnecting listener can still get.
const RING: usize = 1024;

/// A live event.
#[derive(Debug, Clone)]
pub struct Event {
    pub number: u64,
    /// `reading`, `alarm`, `acknowledged`, `station` or `pairing`; `resync` if some are missing.
    pub kind: &'static str,
    /// One line of JSON.
    pub data: Arc<str>,
}

/// The live events of this run.
#[derive(Debug)]
pub struct Events {
    /// Random id of this run, so that event numbers of an earlier run are not mistaken for this
    /// run's.
    run: String,
    ring: Mutex<(u64, VecDeque<Event>)>,
    live: broadcast::Sender<Event>,
    /// Is told of each listener that comes.
    wake: Option<SyncSender<()>>,
}

/// The start of a subscription: missed events, then live ones.
#[derive(Debug)]
pub struct Listening {
    pub missed: Vec<Event>,
    /// True if the buffer no longer holds all missed events. The listener must reload everything.
    pub lost: bool,
    pub live: broadcast::Receiver<Event>,
}

impl Events {
    /// `run` must differ from every earlier run's.
    pub fn new(run: String) -> Events {
        Events::waking(run, None)
    }

    /// The same. `wake` is told of each listener that comes.
    pub fn waking(run: String, wake: Option<SyncSender<()>>) -> Events {
        Events {
            wake,
            run,
            ring: Mutex::new((0, VecDeque::with_capacity(RING))),
            live: broadcast::channel(RING).0,
        }
    }

    /// Sends an event to all listeners, and keeps it for those that reconnect.
    pub fn publish(&self, kind: &'static str, data: Arc<str>) {
        let mut ring = self.ring.lock().unwrap_or_else(PoisonError::into_inner);
        ring.0 += 1;
        let event = Event {
            number: ring.0,
            kind,
            data,
        };
        if ring.1.len() == RING {
            ring.1.pop_front();
        }
        ring.1.push_back(event.clone());
        // Sending fails if nobody listens, which is fine. Send under the lock to keep the events
        // in order.
        let _ = self.live.send(event);
    }

    /// Number of listeners.
    pub fn listeners(&self) -> usize {
        self.live.receiver_count()
    }

    /// The id by which a listener names the last event that it received.
    pub fn id(&self, number: u64) -> String {
        format!("{}-{number}", self.run)
    }

    /// Subscribes. `last` is the id of the last event that the listener received.
    pub fn listen(&self, last: Option<&str>) -> Listening {
        let ring = self.ring.lock().unwrap_or_else(PoisonError::into_inner);
        let live = self.live.subscribe();
        if let Some(wake) = &self.wake {
            // Full: it has been told and has not looked yet.
            let _ = wake.try_send(());
        }
        let Some(last) = last else {
            return Listening {
                missed: Vec::new(),
                lost: false,
                live,
            };
        };
        let number = last
            .split_once('-')
            .filter(|(run, _)| *run == self.run)
            .and_then(|(_, number)| number.parse::<u64>().ok())
            .filter(|number| *number <= ring.0);
        let oldest = ring.1.front().map_or(ring.0 + 1, |event| event.number);
        match number {
            Some(number) if number + 1 >= oldest => Listening {
                missed: ring
                    .1
                    .iter()
                    .filter(|event| event.number > number)
                    .cloned()
                    .collect(),
                lost: false,
                live,
            },
            _ => Listening {
                missed: Vec::new(),
                lost: true,
                live,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_was_away_gets_the_rest_or_is_told() {
        let events = Events::new("a".into());
        for number in 1..=RING + 10 {
            events.publish("reading", number.to_string().into());
        }
        let first = events.listen(None);
        assert!(first.missed.is_empty() && !first.lost);
        let some = events.listen(Some(&events.id(RING as u64)));
        assert_eq!(some.missed.len(), 10);
        assert_eq!(&*some.missed[0].data, (RING + 1).to_string());
        assert!(!some.lost);
        assert!(!events.listen(Some("a-10")).lost);
        for gone in ["a-9", "b-1000", "a-99999", "a-", "x"] {
            assert!(events.listen(Some(gone)).lost, "{gone}");
        }
    }
}
