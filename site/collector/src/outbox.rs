//! The alarm notices that wait in the database. Each target is told in order; a target that fails
//! is tried again with increasing pauses, and delays no other target.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use tokio::sync::Notify;
use zeroize::Zeroizing;

use crate::alarm::Severity;
use crate::channel::{Poster, Secret, post_signed, without_secrets};
use crate::clock::Clock;
use crate::db::{Database, Row, Value};
use crate::error::{Error, Result};
use crate::ingest::Ingest;
use crate::journal::{self, Event};
use crate::metrics::{Metrics, add};
use crate::readers::Readers;
use crate::sql;

const FIRST_PAUSE_MS: i64 = 5_000;
const LONGEST_PAUSE_MS: i64 = 3_600_000;
/// About a month of hourly attempts. A notice that is still undelivered is then useless.
const ATTEMPTS_MAX: i64 = 750;
/// Longest sleep without a look at the database. Another thread may change the clock of a test,
/// the quiet hours or the time zone.
const LOOK_MS: i64 = 1_000;
const IDLE_MS: i64 = 30_000;
/// Interval at which a collector that does not lead looks whether it does.
const LEADER: Duration = Duration::from_secs(1);
/// First and longest pause after the database failed to note a delivery.
const NOTE_PAUSES: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));

/// A waiting notice.
#[derive(Debug, Clone)]
pub struct Notice {
    pub id: i64,
    pub topic: String,
    pub body: String,
    attempts: i64,
    /// The alarm's row.
    alarm: i64,
}

fn notice_of(row: &Row) -> Notice {
    Notice {
        id: row.int(0),
        topic: row.text(1).into(),
        body: row.text(2).into(),
        attempts: row.int(3),
        alarm: row.int(4),
    }
}

/// A target whose notices are wanted.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// Name of the target in the outbox.
    pub target: String,
    /// Name in the journal and in the log. Everybody who may read sees it: no secret is in it.
    pub label: String,
    /// Milder notices stay in the outbox.
    pub least: Severity,
    /// Maximum notices at a time.
    pub max: i64,
}

impl Wanted {
    /// Every notice, one at a time.
    pub fn each(target: &str, label: &str) -> Wanted {
        Wanted {
            target: target.into(),
            label: label.into(),
            least: Severity::Info,
            max: 1,
        }
    }

    fn names(&self) -> (&str, &str) {
        (&self.target, &self.label)
    }
}

/// What a look into the outbox finds.
enum Found {
    Due(Vec<Notice>),
    /// The time in ms until a notice is due.
    Later(i64),
    Nothing,
}

fn due(db: &mut dyn Database, wanted: &Wanted, now: i64) -> Result<Found> {
    let target = || Value::from(wanted.target.as_str());
    let number = |rows: Vec<Row>| rows.first().and_then(|row| row.opt_int(0));
    // Notices keep their order, so all wait for one that failed.
    let blocked = number(db.query(sql::BLOCKED_UNTIL, &[target()])?);
    if let Some(until) = blocked.filter(|until| *until > now) {
        return Ok(Found::Later(until - now));
    }
    let least = wanted.least.rank();
    let asked = [target(), least.into(), now.into(), wanted.max.into()];
    let found: Vec<Notice> = db
        .query(sql::NEXT_NOTICES, &asked)?
        .iter()
        .map(notice_of)
        .collect();
    if !found.is_empty() {
        return Ok(Found::Due(found));
    }
    let next = number(db.query(sql::NEXT_DUE, &[target(), least.into()])?);
    Ok(next.map_or(Found::Nothing, |at| Found::Later(at - now)))
}

/// Shared state of all deliverers.
#[derive(Debug, Clone)]
pub struct Outbox {
    pub ingest: Ingest,
    pub readers: Readers,
    pub metrics: Arc<Metrics>,
    pub clock: Clock,
    /// Notified when there may be a new notice.
    pub bell: Arc<Notify>,
    /// False while another collector of this database delivers notices, watches for silence and
    /// deletes old rows.
    pub leads: Arc<AtomicBool>,
    /// Other collectors may put notices into the outbox, and ring no bell here.
    pub is_shared: bool,
}

impl Outbox {
    /// The oldest notices that are due. If there are none, it sleeps for a moment, at most until
    /// the bell rings, and returns nothing.
    pub async fn poll(&self, wanted: &Wanted) -> Vec<Notice> {
        // Register before the query, so that no notification between query and wait is lost.
        let bell = self.bell.notified();
        if !self.leads.load(Relaxed) {
            tokio::time::sleep(LEADER).await;
            return Vec::new();
        }
        let (asked, now) = (wanted.clone(), self.clock.now());
        let found = self.readers.read(move |db| due(db, &asked, now)).await;
        let pause = match found {
            Ok(Found::Due(notices)) => return notices,
            Ok(Found::Later(pause)) => pause.clamp(10, LOOK_MS),
            _ if self.is_shared => LOOK_MS,
            _ => IDLE_MS,
        };
        let pause = Duration::from_millis(u64::try_from(pause).unwrap_or(1000));
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = bell => {}
        }
        Vec::new()
    }

    /// Waits for the oldest notice of a target that takes one at a time.
    pub async fn next(&self, wanted: &Wanted) -> Notice {
        loop {
            if let Some(notice) = self.poll(wanted).await.pop() {
                return notice;
            }
        }
    }

    /// Marks notices as delivered. `refused` are recipients that did not get them. Returns when
    /// the database has noted it: until then the notices would be sent again and again.
    pub async fn delivered(&self, notices: &[Notice], wanted: &Wanted, refused: Option<&str>) {
        add(&self.metrics.notices_sent, notices.len());
        if let Some(refused) = refused {
            let label = &wanted.label;
            tracing::warn!("{label} delivered a notice, but not to all: {refused}");
        }
        let now = self.clock.now();
        let mut pause = NOTE_PAUSES.0;
        loop {
            let (gone, wanted) = (notices.to_vec(), wanted.clone());
            let refused = refused.map(str::to_string);
            let work = move |db: &mut dyn Database| settle(db, &gone, &wanted, refused, now);
            let noted = self
                .ingest
                .write(move |db, _| crate::db::transaction(db, work));
            match noted.await {
                Ok(()) | Err(Error::Stopping) => return,
                Err(_) => tokio::time::sleep(pause).await,
            }
            pause = (pause * 2).min(NOTE_PAUSES.1);
        }
    }

    /// Schedules the next attempt for notices that the target did not accept.
    pub async fn failed(&self, notices: &[Notice], wanted: &Wanted, reason: &str) {
        add(&self.metrics.notices_failed, 1);
        let attempts = notices
            .iter()
            .map(|notice| notice.attempts)
            .max()
            .unwrap_or(0);
        if attempts == 0 {
            let label = &wanted.label;
            tracing::warn!("cannot deliver a notice to {label}, will retry: {reason}");
        }
        let doubled = FIRST_PAUSE_MS << attempts.clamp(0, 20);
        let now = self.clock.now();
        let due = now + doubled.min(LONGEST_PAUSE_MS);
        let (late, wanted, reason) = (notices.to_vec(), wanted.clone(), reason.to_string());
        let work = move |db: &mut dyn Database| {
            let failed: [Value; 3] = [wanted.target.as_str().into(), now.into(), reason.into()];
            db.execute(sql::COUNT_FAILED, &failed)?;
            for notice in &late {
                postpone(db, notice, &wanted, due, now)?;
            }
            Ok(())
        };
        let delayed = self
            .ingest
            .write(move |db, _| crate::db::transaction(db, work))
            .await;
        if delayed.is_err() {
            // The attempt was not recorded, so pause here to avoid a busy loop.
            tokio::time::sleep(Duration::from_millis(FIRST_PAUSE_MS as u64)).await;
        }
    }
}

fn settle(
    db: &mut dyn Database,
    gone: &[Notice],
    wanted: &Wanted,
    refused: Option<String>,
    now: i64,
) -> Result<()> {
    for notice in gone {
        // It may have been displaced while it was being sent.
        db.execute(sql::DELETE_NOTICE, &[notice.id.into()])?;
        journal::told(db, (now, notice.alarm), Event::Sent, wanted.names())?;
    }
    let failed_at = refused.is_some().then_some(now);
    let sent: [Value; 5] = [
        wanted.target.as_str().into(),
        (gone.len() as i64).into(),
        now.into(),
        failed_at.into(),
        refused.into(),
    ];
    db.execute(sql::COUNT_SENT, &sent)?;
    Ok(())
}

fn postpone(
    db: &mut dyn Database,
    notice: &Notice,
    wanted: &Wanted,
    due: i64,
    now: i64,
) -> Result<()> {
    if notice.attempts + 1 < ATTEMPTS_MAX {
        db.execute(sql::DELAY_NOTICE, &[due.into(), notice.id.into()])?;
        return Ok(());
    }
    tracing::error!("giving up on a notice for {}", wanted.label);
    db.execute(sql::DELETE_NOTICE, &[notice.id.into()])?;
    db.execute(sql::COUNT_DROPPED, &[wanted.target.as_str().into()])?;
    journal::told(db, (now, notice.alarm), Event::Failed, wanted.names())
}

/// Name of a webhook of the command line in the outbox. Its URL may contain a key.
pub fn webhook_target(url: &Secret) -> String {
    format!("webhook:{}", url.tag())
}

/// Delivers to a webhook of the command line until the runtime ends.
pub async fn run_webhook(outbox: Outbox, url: String, secret: Arc<Zeroizing<String>>) {
    let (poster, url) = (Poster::default(), Secret::from(url));
    let wanted = Wanted::each(&webhook_target(&url), &url.host());
    loop {
        let notice = outbox.next(&wanted).await;
        let (poster, address, secret) = (poster.clone(), url.clone(), secret.clone());
        let (sent, now) = (notice.clone(), outbox.clock.now());
        let post = move || {
            let told = (sent.id, sent.body.as_str());
            post_signed(&poster, address.reveal(), &secret, told, now)
        };
        let done = tokio::task::spawn_blocking(post)
            .await
            .unwrap_or_else(|error| Err(error.to_string()));
        let told = std::slice::from_ref(&notice);
        match done {
            Ok(()) => outbox.delivered(told, &wanted, None).await,
            Err(reason) => {
                let reason = without_secrets(&reason, &[&url], "");
                outbox.failed(told, &wanted, &reason).await;
            }
        }
    }
}
