//! One partition: its messages into the database, and confirmations to the gateways.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use selo_stream::names::MessageId;
use selo_stream::puller::Taken;
use selo_stream::stored::Stored;
use selo_stream::stream::Opened;
use selo_stream::{Failure, Kind};
use tokio::time::MissedTickBehavior;
use tracing::warn;

use crate::auth::May;
use crate::error::Error;
use crate::ingest::{Incoming, Ingest, Settled};

/// First and longest pause after the database failed to store a batch.
const PAUSES: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(10));
/// Pause before a partition is tried again that another collector seems to have.
const TAKEN: Duration = Duration::from_secs(1);
/// Interval at which the stream is asked for readings that its consumer does not deliver.
const STUCK: Duration = Duration::from_secs(10);
/// At most one line in this time names a message that was skipped.
const QUIET: Duration = Duration::from_secs(60);

/// What every partition uses.
#[derive(Debug, Clone)]
pub(super) struct Partition {
    ingest: Ingest,
    skipped: Arc<Mutex<Skipped>>,
}

/// Messages that were skipped and not named in the log yet.
#[derive(Debug, Default)]
struct Skipped {
    number: u64,
    said: Option<Instant>,
}

impl Partition {
    pub fn new(ingest: Ingest) -> Partition {
        Partition {
            ingest,
            skipped: Arc::default(),
        }
    }

    /// Receives a partition until that fails.
    pub async fn run(&self, opened: &Opened, partition: u16, epoch: Option<i64>) -> Failure {
        let failure = self.receive(opened, partition, epoch).await;
        if failure.kind == Kind::TakenOver {
            // The lease will soon say so, or the stream is gone.
            tokio::time::sleep(TAKEN).await;
        }
        failure
    }

    async fn receive(&self, opened: &Opened, partition: u16, epoch: Option<i64>) -> Failure {
        let mut puller = match opened.own(partition, epoch).await {
            Ok(puller) => puller,
            Err(failure) => return failure,
        };
        let mut look = tokio::time::interval_at((Instant::now() + STUCK).into(), STUCK);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let batch = tokio::select! {
                batch = puller.next() => batch,
                _ = look.tick() => {
                    if opened.is_stuck(&puller).await {
                        warn!(partition, "the server keeps readings and delivers none; asking anew");
                        match opened.own(partition, epoch).await {
                            Ok(another) => puller = another,
                            Err(failure) => return failure,
                        }
                    }
                    continue;
                }
            };
            let batch = match batch {
                Ok(batch) => batch,
                Err(failure) => return failure,
            };
            let Some(settled) = self.store(&batch, opened.site(), partition).await else {
                // The collector is stopping.
                return std::future::pending().await;
            };
            self.settle(opened, &batch, &settled).await;
        }
    }

    /// Offers a batch until it is accepted. `None` if the collector is stopping.
    async fn store(&self, batch: &[Taken], site: &str, partition: u16) -> Option<Vec<Settled>> {
        let mut pause = PAUSES.0;
        loop {
            let incoming = batch.iter().map(|taken| incoming(taken, site, partition));
            match self.ingest.offer(incoming.collect()).await {
                Ok(settled) => return Some(settled),
                Err(Error::Stopping) => return None,
                // The writer has logged the reason.
                Err(_) => tokio::time::sleep(pause).await,
            }
            pause = (pause * 2).min(PAUSES.1);
        }
    }

    /// Acknowledges a batch to the stream, and tells the gateways.
    async fn settle(&self, opened: &Opened, batch: &[Taken], settled: &[Settled]) {
        let mut told: BTreeMap<&str, Stored> = BTreeMap::new();
        for (taken, settled) in batch.iter().zip(settled) {
            if let Settled::Rejected(reason) = settled {
                self.skip(taken, reason);
            }
            if let (Some(id), Some(gateway)) = (&taken.id, &taken.gateway)
                && is_final(id, settled, opened.site())
            {
                told.entry(gateway).or_default().add(id);
            }
            taken.ack().await;
        }
        for (gateway, stored) in told {
            opened.confirm(gateway, &stored).await;
        }
    }

    /// Names a message that is no reading, at most once in a while.
    fn skip(&self, taken: &Taken, reason: &str) {
        let mut skipped = self.skipped.lock().unwrap_or_else(PoisonError::into_inner);
        skipped.number += 1;
        if skipped.said.is_none_or(|at| at.elapsed() >= QUIET) {
            warn!(
                subject = taken.subject(),
                number = skipped.number,
                "skipped a message of the stream: {reason}"
            );
            *skipped = Skipped {
                number: 0,
                said: Some(Instant::now()),
            };
        }
    }
}

fn incoming(taken: &Taken, site: &str, partition: u16) -> Incoming {
    Incoming {
        site: site.into(),
        device: taken.id.as_ref().map(|id| id.device.clone()),
        bytes: taken.payload().to_vec(),
        source: format!("stream {}", taken.subject()),
        // The server has already checked who may publish to this subject.
        may: May::All,
        refused: refused(taken.id.as_ref(), site, partition),
    }
}

/// The reason to reject a message by its name alone.
fn refused(id: Option<&MessageId>, site: &str, partition: u16) -> Option<String> {
    let Some(id) = id else {
        return Some("its message id is not SITE/DEVICE/SESSION/COUNTER".into());
    };
    if id.site != site {
        let of: String = id.site.escape_debug().collect();
        return Some(format!("it is of site {of}"));
    }
    // Only the owner of its partition gets the readings of a device in order.
    match id.partition() {
        Some(right) if right == partition => None,
        Some(right) => Some(format!("its device belongs to partition {right}")),
        None => Some("its message id names no device".into()),
    }
}

/// Returns true if the reading of this name will never be sent again for a good reason: it is
/// stored, or this very message was rejected.
fn is_final(id: &MessageId, settled: &Settled, site: &str) -> bool {
    match settled {
        Settled::Stored(stored) | Settled::Duplicate(stored) => {
            id.device == stored.device()
                && id.session == format!("{:016x}", stored.session)
                && i64::from(id.counter) == stored.counter
        }
        Settled::Rejected(_) => id.site == site,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Identity;
    use selo_stream::names;

    fn id(text: &str) -> MessageId {
        MessageId::parse(text).expect("an id")
    }

    #[test]
    fn a_message_of_another_site_or_partition_is_refused() {
        let device = "3f9a01c2".parse().expect("an id");
        let right = names::partition(device);
        let own = id("site/3f9a01c2/0000000112ab34cd/7");
        assert_eq!(refused(Some(&own), "site", right), None);
        for (id, partition, words) in [
            (
                Some(id("other/3f9a01c2/0000000112ab34cd/7")),
                right,
                "of site other",
            ),
            (Some(own), right ^ 1, "belongs to partition"),
            (
                Some(id("site/nobody/0000000112ab34cd/7")),
                right,
                "no device",
            ),
            (None, right, "SITE/DEVICE"),
        ] {
            let why = refused(id.as_ref(), "site", partition).expect("refused");
            assert!(why.contains(words), "{why}");
        }
    }

    #[test]
    fn only_what_was_stored_under_its_own_name_is_confirmed() {
        let stored = Identity {
            station: "site:3f9a01c2".into(),
            session: 0x1_12ab_34cd,
            counter: 7,
        };
        let stored = Settled::Stored(stored);
        let is = |text: &str| is_final(&id(text), &stored, "site");
        assert!(is("site/3f9a01c2/0000000112ab34cd/7"));
        assert!(is("site/3f9a01c2/0000000112ab34cd/7/00ff1"));
        assert!(!is("site/3f9a01c2/0000000112ab34cd/8"));
        assert!(!is("site/3f9a01c2/0000000112ab34ce/7"));
        assert!(!is("site/3f9a01c3/0000000112ab34cd/7"));
        let rejected = Settled::Rejected(String::new());
        assert!(!is_final(
            &id("other/3f9a01c2/0000000112ab34cd/7"),
            &rejected,
            "site"
        ));
    }
}
