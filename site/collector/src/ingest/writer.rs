//! The writer's thread, which owns the connection that writes.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use tokio::sync::{Notify, mpsc, oneshot};

use super::{Ingest, Job, Parsed, Pulse, QUEUE, REJECTED_BODY_MAX, Settled, Told};
use crate::clock::Clock;
use crate::db::{Database, transaction};
use crate::error::{Error, Result};
use crate::events::Events;
use crate::message::Message;
use crate::metrics::{Metrics, add};
use crate::plausible::is_plausible;
use crate::sql;
use crate::store::Store;

/// The thread that writes.
pub struct Writer {
    pub db: Box<dyn Database>,
    pub store: Store,
    pub events: Arc<Events>,
    pub metrics: Arc<Metrics>,
    pub bell: Arc<Notify>,
    pub clock: Clock,
    /// Maximum readings of one transaction.
    pub batch_max: usize,
    /// Maximum rejected messages that are kept.
    pub rejected_max: u32,
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Writer")
    }
}

/// Parsed readings, and the channel on which their verdicts are returned.
pub(super) type Offer = (Vec<Parsed>, oneshot::Sender<Result<Vec<Settled>>>);

impl Writer {
    /// Starts the thread. It ends when every [`Ingest`] is dropped.
    pub fn start(mut self) -> std::io::Result<(Ingest, std::thread::JoinHandle<()>)> {
        let (jobs, waiting) = mpsc::channel(QUEUE);
        let pulse = Arc::new(Pulse::default());
        self.db.tell(pulse.clone());
        let ingest = Ingest {
            jobs,
            clock: self.clock.clone(),
            told: self.told(),
            pulse: pulse.clone(),
        };
        let thread = std::thread::Builder::new()
            .name("collector-writer".into())
            .spawn(move || self.run(waiting, &pulse))?;
        Ok((ingest, thread))
    }

    fn told(&self) -> Told {
        Told {
            events: self.events.clone(),
            metrics: self.metrics.clone(),
            bell: self.bell.clone(),
        }
    }

    /// Messages that arrive while a batch is being stored form the next batch. No message waits
    /// longer than one transaction, and under load the batches grow.
    fn run(mut self, mut waiting: mpsc::Receiver<Job>, pulse: &Pulse) {
        let mut next = waiting.blocking_recv();
        while let Some(job) = next.take() {
            pulse.beat();
            match job {
                Job::Work(work) => {
                    self.settle_up();
                    work(&mut *self.db, &mut self.store);
                }
                Job::Offer(parsed, reply) => {
                    let mut size = parsed.len();
                    let mut offers = vec![(parsed, reply)];
                    while size < self.batch_max {
                        match waiting.try_recv() {
                            Ok(Job::Offer(parsed, reply)) => {
                                size += parsed.len();
                                offers.push((parsed, reply));
                            }
                            Ok(work) => {
                                next = Some(work);
                                break;
                            }
                            Err(_) => break,
                        }
                    }
                    self.take(offers);
                }
            }
            if next.is_none() {
                next = waiting.try_recv().ok();
            }
            if next.is_none() {
                self.settle_up();
                pulse.rest();
                next = waiting.blocking_recv();
            }
        }
    }

    /// Stores what earlier batches left for later. After a failure, the next batch or piece of work
    /// tries again, and tells of an outage.
    fn settle_up(&mut self) {
        if self.db.is_gone() {
            return;
        }
        let now = self.clock.now();
        let settled = self.store.settle_up(&mut *self.db, now);
        if let Ok(changes) = settled {
            self.told().tell(&changes);
        }
    }

    fn take(&mut self, offers: Vec<Offer>) {
        let all: Vec<&Parsed> = offers.iter().flat_map(|(parsed, _)| parsed).collect();
        match self.settle(&all) {
            Ok(verdicts) => {
                let mut verdicts = verdicts.into_iter();
                for (parsed, reply) in offers {
                    let own = verdicts.by_ref().take(parsed.len()).collect();
                    // The caller may be gone. The readings are stored all the same.
                    let _ = reply.send(Ok(own));
                }
            }
            Err(error) => {
                for (_, reply) in offers {
                    let _ = reply.send(Err(again(&error)));
                }
            }
        }
    }

    fn settle(&mut self, parsed: &[&Parsed]) -> Result<Vec<Settled>> {
        if self.db.is_gone() {
            self.store.forget();
        }
        let started = Instant::now();
        let done = self.db.ready().and_then(|()| self.settle_now(parsed));
        let spent = u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.metrics.store_nanoseconds.fetch_add(spent, Relaxed);
        let was_up = self.metrics.database_up.swap(done.is_ok().into(), Relaxed) == 1;
        match &done {
            Ok(_) => add(&self.metrics.batches, 1),
            Err(error) => {
                self.store.forget();
                add(&self.metrics.failed_batches, 1);
                // Log only the first failure.
                if was_up {
                    let hint = error.hint().unwrap_or_default();
                    tracing::error!("readings are not being stored: {error}; hint: {hint}");
                }
            }
        }
        if done.is_ok() && !was_up {
            tracing::info!("the database accepts readings again");
        }
        done
    }

    fn settle_now(&mut self, parsed: &[&Parsed]) -> Result<Vec<Settled>> {
        let now = self.clock.now();
        let good: Vec<&Message> = parsed.iter().filter_map(|p| p.as_ref().ok()).collect();
        let mut bad: Vec<(String, String, Vec<u8>)> = parsed
            .iter()
            .filter_map(|p| p.as_ref().err())
            .map(|r| (r.source.clone(), r.reason.clone(), r.body.clone()))
            .collect();
        let outcomes = self.ingest(&good, now)?;
        for (message, outcome) in good.iter().zip(&outcomes) {
            if let Err(reason) = outcome {
                let body = message.line.as_bytes().to_vec();
                bad.push(("the database".into(), reason.clone(), body));
            }
        }
        self.keep_rejected(&bad, now)?;

        let mut outcomes = good.iter().zip(outcomes);
        let (mut stored, mut doubles) = (0, 0);
        let mut verdicts = Vec::with_capacity(parsed.len());
        for parsed in parsed {
            verdicts.push(match parsed {
                Err(rejected) => Settled::Rejected(rejected.reason.clone()),
                Ok(message) => match outcomes.next() {
                    Some((_, Ok(true))) => {
                        stored += 1;
                        if !is_plausible(message.received, now) {
                            add(&self.metrics.implausible, 1);
                        }
                        self.events.publish("reading", message.line.clone());
                        Settled::Stored(message.identity.clone())
                    }
                    Some((_, Err(reason))) => Settled::Rejected(reason),
                    _ => {
                        doubles += 1;
                        Settled::Duplicate(message.identity.clone())
                    }
                },
            });
        }
        add(&self.metrics.stored, stored);
        add(&self.metrics.duplicates, doubles);
        add(&self.metrics.rejected, bad.len());
        Ok(verdicts)
    }

    /// Stores messages. For each message: true if it was new, or the reason why the database will
    /// never accept it. A refused message does not block the others.
    fn ingest(&mut self, messages: &[&Message], now: i64) -> Result<Vec<Result<bool, String>>> {
        if messages.is_empty() {
            return Ok(Vec::new());
        }
        match self.store.ingest(&mut *self.db, messages, now) {
            Ok(done) => {
                self.told().tell(&done.changes);
                Ok(done.fresh.into_iter().map(Ok).collect())
            }
            Err(error) if error.is_passing() => Err(error),
            Err(error) if messages.len() == 1 => {
                tracing::warn!("a message was refused by the database: {error}");
                Ok(vec![Err(error.to_string())])
            }
            Err(_) => {
                let (one, other) = messages.split_at(messages.len() / 2);
                let mut outcomes = self.ingest(one, now)?;
                outcomes.extend(self.ingest(other, now)?);
                Ok(outcomes)
            }
        }
    }

    fn keep_rejected(&mut self, bad: &[(String, String, Vec<u8>)], now: i64) -> Result<()> {
        if bad.is_empty() {
            return Ok(());
        }
        let keep = self.rejected_max;
        transaction(&mut *self.db, |db| {
            for (source, reason, body) in bad {
                let short = &body[..body.len().min(REJECTED_BODY_MAX)];
                db.execute(
                    sql::INSERT_REJECTED,
                    &[
                        now.into(),
                        clean(source).into(),
                        clean(reason).into(),
                        short.to_vec().into(),
                    ],
                )?;
            }
            db.execute(sql::BOUND_REJECTED, &[i64::from(keep).into()])
        })?;
        Ok(())
    }
}

/// Removes NUL characters, which PostgreSQL's text type cannot hold.
fn clean(text: &str) -> String {
    text.chars().filter(|c| *c != '\0').take(500).collect()
}

/// Copies an error for the next waiting caller.
fn again(error: &Error) -> Error {
    match error {
        Error::Full { place, reason } => Error::Full {
            place: place.clone(),
            reason: reason.clone(),
        },
        Error::Locked { place } => Error::Unavailable {
            place: place.clone(),
            reason: "another collector writes to it".into(),
        },
        other => Error::Unavailable {
            place: "of the collector".into(),
            reason: other.to_string(),
        },
    }
}
