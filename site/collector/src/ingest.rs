//! Entry point of messages. Every source, MQTT or HTTP, offers messages here and gets a verdict
//! for each one after the commit.

mod pulse;
mod writer;

use std::fmt;
use std::sync::Arc;

use tokio::sync::{Notify, mpsc, oneshot};

use crate::alarm::Change;
use crate::auth::May;
use crate::clock::Clock;
use crate::db::Database;
use crate::error::{Error, Result};
use crate::events::Events;
use crate::message::{self, Identity, Message};
use crate::metrics::{Metrics, add};
use crate::store::Store;

pub use pulse::Pulse;
pub use writer::Writer;

/// Offers that may queue while a batch is being stored. Further senders wait.
const QUEUE: usize = 256;
/// Maximum messages of one offer in one transaction. Other offers are served between two
/// portions.
const PORTION: usize = 1000;
/// Number of bytes of a rejected message that are kept.
const REJECTED_BODY_MAX: usize = 4096;

/// A message as received.
#[derive(Debug, Clone)]
pub struct Incoming {
    pub site: String,
    /// Device that the source claims, from the topic. The broker's access list checks the topic,
    /// not the body.
    pub device: Option<String>,
    pub bytes: Vec<u8>,
    /// Source as shown to the operator: a topic or an address.
    pub source: String,
    /// Rights of the source.
    pub may: May,
    /// Why the source does not accept the message, if it does not. It is then kept among the
    /// rejected ones.
    pub refused: Option<String>,
}

impl Incoming {
    fn parse(&self, now: i64) -> Result<Message, String> {
        if let Some(reason) = &self.refused {
            return Err(reason.clone());
        }
        let message = message::parse(&self.bytes, &self.site, now)?;
        let device = message.identity.device();
        match &self.device {
            Some(own) if own != device => Err(format!(
                "the topic names device '{own}', but the body names device '{device}'"
            )),
            _ => Ok(message),
        }
    }
}

/// Outcome of a message. Every outcome is final: the message need not be sent again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settled {
    Stored(Identity),
    Duplicate(Identity),
    /// Not a valid reading, with the reason.
    Rejected(String),
}

#[derive(Debug)]
struct Rejected {
    source: String,
    reason: String,
    body: Vec<u8>,
}

type Parsed = Result<Message, Rejected>;

type Work = Box<dyn FnOnce(&mut dyn Database, &mut Store) + Send>;

enum Job {
    Offer(Vec<Parsed>, oneshot::Sender<Result<Vec<Settled>>>),
    Work(Work),
}

/// A handle to the writer, which owns the only connection that writes.
#[derive(Clone)]
pub struct Ingest {
    jobs: mpsc::Sender<Job>,
    clock: Clock,
    told: Told,
    pulse: Arc<Pulse>,
}

/// Receivers of committed alarm changes.
#[derive(Debug, Clone)]
pub struct Told {
    pub events: Arc<Events>,
    pub metrics: Arc<Metrics>,
    /// Wakes the tasks that deliver notices.
    pub bell: Arc<Notify>,
}

impl Told {
    /// Publishes alarm changes to listeners, and wakes the deliverers of notices.
    pub fn tell(&self, changes: &[Change]) {
        for change in changes {
            if change.raised {
                add(&self.metrics.alarms_raised, 1);
            }
            self.events
                .publish(change.event, change.body.as_str().into());
        }
        if !changes.is_empty() {
            self.bell.notify_waiters();
        }
    }
}

impl fmt::Debug for Ingest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ingest")
    }
}

impl Ingest {
    /// The sign of life of the writer.
    pub fn pulse(&self) -> Arc<Pulse> {
        self.pulse.clone()
    }

    /// Stores messages. Returns one verdict for each, in order, after the commit. A long offer is
    /// stored in portions, so some may be stored when an error is returned. The caller may offer
    /// the same messages again; the stored ones are then duplicates.
    pub async fn offer(&self, messages: Vec<Incoming>) -> Result<Vec<Settled>> {
        if messages.is_empty() {
            return Ok(Vec::new());
        }
        let now = self.clock.now();
        let parsed: Vec<Parsed> = messages
            .into_iter()
            .map(|incoming| match incoming.parse(now) {
                Ok(message) => incoming.may.admit(message).map(Ok),
                Err(reason) => Ok(Err(Rejected {
                    source: incoming.source,
                    reason,
                    body: incoming.bytes,
                })),
            })
            .collect::<Result<_>>()?;
        let mut parsed = parsed.into_iter();
        let mut verdicts = Vec::new();
        loop {
            let portion: Vec<Parsed> = parsed.by_ref().take(PORTION).collect();
            if portion.is_empty() {
                return Ok(verdicts);
            }
            let (reply, answer) = oneshot::channel();
            let sent = self.jobs.send(Job::Offer(portion, reply)).await;
            sent.map_err(|_| Error::Stopping)?;
            verdicts.extend(answer.await.map_err(|_| Error::Stopping)??);
        }
    }

    /// Like [`Ingest::write`], for a blocking thread. Waits until the work is queued, but not
    /// until it is done.
    pub fn write_later(
        &self,
        work: impl FnOnce(&mut dyn Database, &mut Store) -> Result<()> + Send + 'static,
    ) {
        let work: Work = Box::new(move |db, store| {
            if let Err(error) = work(db, store) {
                tracing::warn!("{error}");
            }
        });
        // Fails only if the collector is stopping.
        let _ = self.jobs.blocking_send(Job::Work(work));
    }

    /// Publishes the alarm changes that [`Ingest::write`] returned.
    pub fn tell(&self, changes: &[Change]) {
        self.told.tell(changes);
    }

    /// Runs `work` on the writer's connection, between two batches.
    pub async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut dyn Database, &mut Store) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.write_in_any_case(move |db, store| {
            db.ready()?;
            work(db, store)
        })
        .await
    }

    /// Like [`Ingest::write`], but runs `work` even if the database is away.
    pub async fn write_in_any_case<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut dyn Database, &mut Store) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (reply, answer) = oneshot::channel();
        let work: Work = Box::new(move |db, store| {
            // The caller may be gone.
            let _ = reply.send(work(db, store));
        });
        let sent = self.jobs.send(Job::Work(work)).await;
        sent.map_err(|_| Error::Stopping)?;
        answer.await.map_err(|_| Error::Stopping)?
    }
}
