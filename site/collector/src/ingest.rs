//! Where messages come in. Whatever brings them, MQTT or HTTP, offers them here and hears
//! what became of each after it is in the database for good.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use tokio::sync::{Notify, mpsc, oneshot};

use crate::alarm::Change;
use crate::auth::May;
use crate::clock::Clock;
use crate::db::{Database, transaction};
use crate::error::{Error, Result};
use crate::events::Events;
use crate::message::{self, Identity, Message};
use crate::metrics::{Metrics, add};
use crate::plausible::is_plausible;
use crate::sql;
use crate::store::Store;

/// Offers that wait while a batch is being stored; more wait at their senders.
const QUEUE: usize = 256;
/// Messages of one offer in one transaction. What others offer comes in between.
const PORTION: usize = 1000;
/// How much of a rejected message is kept.
const REJECTED_BODY_MAX: usize = 4096;

/// A message as it came.
#[derive(Debug, Clone)]
pub struct Incoming {
    pub site: String,
    /// The device that the source says it is of: what a broker's rights look at is the topic.
    pub device: Option<String>,
    pub bytes: Vec<u8>,
    /// Who brought it, as the operator should see it: a topic, an address.
    pub source: String,
    /// What it may say.
    pub may: May,
}

impl Incoming {
    fn parse(&self, now: i64) -> Result<Message, String> {
        let message = message::parse(&self.bytes, &self.site, now)?;
        let device = message.identity.device();
        match &self.device {
            Some(own) if own != device => Err(format!(
                "the topic names device '{own}', the body device '{device}'"
            )),
            _ => Ok(message),
        }
    }
}

/// What became of a message. In every case it is settled: it need not come again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settled {
    Stored(Identity),
    Duplicate(Identity),
    /// Not a reading; why.
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

/// A handle on the writer, which has the only connection that writes.
#[derive(Clone)]
pub struct Ingest {
    jobs: mpsc::Sender<Job>,
    clock: Clock,
    told: Told,
}

/// Where changes of alarms go when they are committed.
#[derive(Debug, Clone)]
pub struct Told {
    pub events: Arc<Events>,
    pub metrics: Arc<Metrics>,
    /// Rings for those who deliver notices.
    pub bell: Arc<Notify>,
}

impl Told {
    pub fn tell(&self, changes: &[Change]) {
        for change in changes {
            if change.raised {
                add(&self.metrics.alarms_raised, 1);
            }
            self.events.publish("alarm", change.body.as_str().into());
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
    /// Stores messages; one verdict for each, in order, after they are committed. A long
    /// offer is stored in portions. After an error some portions may be stored: the same
    /// messages may be offered again, and those are duplicates then.
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

    /// Like [`Ingest::write`], for a thread that waits in place until there is room for the
    /// work, but not for its end.
    pub fn write_later(
        &self,
        work: impl FnOnce(&mut dyn Database, &mut Store) -> Result<()> + Send + 'static,
    ) {
        let work: Work = Box::new(move |db, store| {
            if let Err(error) = work(db, store) {
                tracing::warn!("{error}");
            }
        });
        // A collector that stops does nothing more.
        let _ = self.jobs.blocking_send(Job::Work(work));
    }

    /// Tells of alarms that [`Ingest::write`] changed.
    pub fn tell(&self, changes: &[Change]) {
        self.told.tell(changes);
    }

    /// Runs `work` on the connection that writes, between two batches.
    pub async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut dyn Database, &mut Store) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (reply, answer) = oneshot::channel();
        let work: Work = Box::new(move |db, store| {
            let done = db.ready().and_then(|()| work(db, store));
            // Who asked may be gone.
            let _ = reply.send(done);
        });
        let sent = self.jobs.send(Job::Work(work)).await;
        sent.map_err(|_| Error::Stopping)?;
        answer.await.map_err(|_| Error::Stopping)?
    }
}

/// The thread that writes.
pub struct Writer {
    pub db: Box<dyn Database>,
    pub store: Store,
    pub events: Arc<Events>,
    pub metrics: Arc<Metrics>,
    pub bell: Arc<Notify>,
    pub clock: Clock,
    /// Readings in one transaction.
    pub batch_max: usize,
    /// Rejected messages that are kept.
    pub rejected_max: u32,
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Writer")
    }
}

/// Readings, and who waits to hear what became of them.
type Offer = (Vec<Parsed>, oneshot::Sender<Result<Vec<Settled>>>);

impl Writer {
    /// Starts the thread; it ends when every [`Ingest`] is gone.
    pub fn start(self) -> std::io::Result<(Ingest, std::thread::JoinHandle<()>)> {
        let (jobs, waiting) = mpsc::channel(QUEUE);
        let ingest = Ingest {
            jobs,
            clock: self.clock.clone(),
            told: self.told(),
        };
        let thread = std::thread::Builder::new()
            .name("collector-writer".into())
            .spawn(move || self.run(waiting))?;
        Ok((ingest, thread))
    }

    fn told(&self) -> Told {
        Told {
            events: self.events.clone(),
            metrics: self.metrics.clone(),
            bell: self.bell.clone(),
        }
    }

    /// What comes while a batch is being stored makes the next one: nothing waits longer
    /// than one transaction, and the more there is to do the fewer transactions it takes.
    fn run(mut self, mut waiting: mpsc::Receiver<Job>) {
        let mut next = waiting.blocking_recv();
        while let Some(job) = next.take() {
            match job {
                Job::Work(work) => work(&mut *self.db, &mut self.store),
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
                next = waiting.blocking_recv();
            }
        }
    }

    fn take(&mut self, offers: Vec<Offer>) {
        let all: Vec<&Parsed> = offers.iter().flat_map(|(parsed, _)| parsed).collect();
        match self.settle(&all) {
            Ok(verdicts) => {
                let mut verdicts = verdicts.into_iter();
                for (parsed, reply) in offers {
                    let own = verdicts.by_ref().take(parsed.len()).collect();
                    // Who offered may be gone; it is stored all the same.
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
                // Once, not at every attempt.
                if was_up {
                    let hint = error.hint().unwrap_or_default();
                    tracing::error!("nothing is stored: {error}; hint: {hint}");
                }
            }
        }
        if done.is_ok() && !was_up {
            tracing::info!("the database takes readings");
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

    /// For each message: new or not, or why the database will never take it. One message
    /// that it refuses does not keep the others out.
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
                tracing::warn!("a message is refused: {error}");
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

/// Without what a text of PostgreSQL cannot hold.
fn clean(text: &str) -> String {
    text.chars().filter(|c| *c != '\0').take(500).collect()
}

/// The same error for another of those who wait.
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
