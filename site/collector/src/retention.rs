//! Retention: how long rows of each level are kept. Old rows are deleted in small pieces between
//! the batches, so the writer is never blocked for long.

use std::sync::atomic::Ordering::Relaxed;

use crate::db::{Database, Value};
use crate::error::{Error, Result};
use crate::ingest::Ingest;
use crate::metrics::{Metrics, add};
use crate::plausible::{AHEAD_MAX_MS, RELEASED_MS};
use crate::rollup::Level;
use crate::sql;
use crate::store::Store;

const DAY_MS: i64 = 86_400_000;

/// Past alarms and events of the journal that are kept.
const ALARMS_MAX: i64 = 100_000;
const EVENTS_MAX: i64 = 400_000;

/// Retention of readings and roll-ups, in milliseconds. `None` keeps rows forever. Minutes are made of
/// the readings, and kept as long as these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    pub raw: Option<i64>,
    pub hour: Option<i64>,
    pub day: Option<i64>,
}

impl Default for Retention {
    fn default() -> Self {
        Retention {
            raw: Some(400 * DAY_MS),
            hour: Some(5 * 366 * DAY_MS),
            day: None,
        }
    }
}

impl Retention {
    /// Checks the minimum. Alarms need the minutes of their longest window, and a duplicate of a
    /// deleted reading would look new.
    pub fn check(&self) -> Result<()> {
        let least = crate::alarm::minutes_needed_ms();
        if self.raw.is_some_and(|time| time < least) {
            return Err(Error::Invalid(
                "readings must be kept for at least 8 days (--keep-raw)".into(),
            ));
        }
        Ok(())
    }
}

/// The time that decides which rows are old, which may differ from the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trusted {
    /// There is no reading yet.
    Nothing,
    /// The clock is unset, or behind an earlier trusted time. Nothing is pruned.
    Back,
    /// Rows are judged as of `at`. The clock is `ahead` milliseconds ahead of it.
    At { at: i64, ahead: i64 },
}

/// Advances the trusted time and stores it. It gains at most twice the time that the collector
/// has run (`ran`, by the monotonic clock). A clock that jumps ahead therefore makes nothing old
/// at once. A site that was off for a year deletes nothing early, and catches up within a year.
/// The first trusted time is [`first_trust`].
pub fn trust(db: &mut dyn Database, now: i64, ran: i64) -> Result<Trusted> {
    if now < RELEASED_MS {
        return Ok(Trusted::Back);
    }
    let known = match db.query(sql::TRUSTED_TIME, &[])?.first() {
        Some(row) => Some(row.int(0)),
        None => first_trust(db, now)?,
    };
    let Some(known) = known else {
        return Ok(Trusted::Nothing);
    };
    if now < known.saturating_sub(AHEAD_MAX_MS) {
        return Ok(Trusted::Back);
    }
    let gained = ran.max(0).saturating_mul(2);
    let at = known.max(now.min(known.saturating_add(gained)));
    db.execute(sql::SET_TRUSTED_TIME, &[at.into()])?;
    Ok(Trusted::At {
        at,
        ahead: (now - at).max(0),
    })
}

/// The earliest time that the readings themselves prove: the hour of the oldest reading, plus one
/// hour for each hour in which a reading was received, but not after the newest. The newest
/// reading alone proves nothing, because it may have been stored while the clock was wrong.
fn first_trust(db: &mut dyn Database, now: i64) -> Result<Option<i64>> {
    let rows = db.query(sql::RECEPTIONS, &[RELEASED_MS.into(), now.into()])?;
    let Some(row) = rows.first() else {
        return Ok(None);
    };
    let ends = row.opt_int(0).zip(row.opt_int(1));
    Ok(ends.map(|(oldest, newest)| {
        let hour = Level::Hour.ms();
        let proven = Level::Hour.bucket(oldest) + row.int(2).saturating_mul(hour);
        newest.min(proven.max(oldest))
    }))
}

/// Advances the trusted time and updates the metrics.
pub async fn watch(ingest: &Ingest, metrics: &Metrics, now: i64, ran: i64) -> Result<Trusted> {
    let trusted = ingest.write(move |db, _| trust(db, now, ran)).await?;
    let behind = match trusted {
        Trusted::At { ahead, .. } => ahead / 1000,
        Trusted::Nothing | Trusted::Back => 0,
    };
    metrics
        .prune_held
        .store(u64::from(trusted == Trusted::Back), Relaxed);
    metrics
        .prune_behind
        .store(u64::try_from(behind).unwrap_or(0), Relaxed);
    Ok(trusted)
}

/// Deletes the rows that are old by the trusted time. Returns their number.
pub async fn prune_by_evidence(
    ingest: &Ingest,
    metrics: &Metrics,
    retention: Retention,
    trusted: Trusted,
) -> Result<u64> {
    match trusted {
        Trusted::Nothing => Ok(0),
        Trusted::Back => {
            tracing::warn!(
                "old rows are not being deleted: the clock is unset, or behind an earlier \
                trusted time; hint: set the clock"
            );
            Ok(0)
        }
        Trusted::At { at, ahead } => {
            if ahead > DAY_MS {
                let days = ahead / DAY_MS;
                tracing::warn!(
                    "old rows are kept longer: the clock is {days} days ahead of the trusted \
                    time; hint: check the clock"
                );
            }
            prune(ingest, metrics, retention, at).await
        }
    }
}

/// Deletes the rows that are old at `now`, a time that the caller trusts. Returns their number.
pub async fn prune(
    ingest: &Ingest,
    metrics: &Metrics,
    retention: Retention,
    now: i64,
) -> Result<u64> {
    // One statement finds those that have old rows. Most have none.
    let found = async |sql: String, parameters: Vec<Value>| {
        let work = move |db: &mut dyn Database, _: &mut Store| db.query(&sql, &parameters);
        ingest.write(work).await
    };
    let mut pieces: Vec<(String, Vec<Value>)> = Vec::new();
    if let Some(kept) = retention.raw {
        let before = now - kept;
        let future = now.saturating_add(AHEAD_MAX_MS);
        let times = vec![before.into(), future.into()];
        for row in found(sql::OLD_STATIONS.into(), times).await? {
            let of = || vec![row.text(0).into(), before.into(), RELEASED_MS.into()];
            pieces.push((sql::PRUNE_READINGS.into(), of()));
            let mut ahead: Vec<Value> = of();
            ahead.push(future.into());
            pieces.push((sql::PRUNE_AHEAD.into(), ahead));
            pieces.push((sql::PRUNE_GROWN.into(), of()[..2].to_vec()));
            let ends = vec![row.text(0).into(), before.into(), future.into()];
            pieces.push((sql::PRUNE_SPANS.into(), ends));
        }
        for sql in [sql::PRUNE_FIXES, sql::PRUNE_TLS_TIMES] {
            pieces.push((sql.into(), vec![before.into()]));
        }
    }
    for (level, kept) in [(Level::Hour, retention.hour), (Level::Day, retention.day)] {
        let Some(kept) = kept else {
            continue;
        };
        let sql = sql::prune_rollup(level.table());
        let before = now - kept;
        for row in found(sql::old_series(level.table()), vec![before.into()]).await? {
            let of = vec![row.text(0).into(), row.text(1).into(), before.into()];
            pieces.push((sql.clone(), of));
        }
    }
    let year = now - 366 * DAY_MS;
    pieces.push((sql::PRUNE_ALARMS.into(), vec![year.into()]));
    pieces.push((sql::PRUNE_JOURNAL.into(), vec![year.into()]));
    // A value that crosses its limit with every reading raises an alarm each time.
    pieces.push((sql::BOUND_ALARMS.into(), vec![ALARMS_MAX.into()]));
    pieces.push((sql::BOUND_JOURNAL.into(), vec![EVENTS_MAX.into()]));
    let mut gone = 0;
    for (sql, parameters) in pieces {
        loop {
            let (sql, parameters) = (sql.clone(), parameters.clone());
            let work = move |db: &mut dyn Database, _: &mut Store| db.execute(&sql, &parameters);
            let pruned = ingest.write(work).await?;
            gone += pruned;
            add(&metrics.pruned, pruned as usize);
            if pruned == 0 {
                break;
            }
        }
    }
    gone += ingest
        .write(move |db, _| db.execute(sql::PRUNE_LOGINS, &[now.into()]))
        .await?;
    Ok(gone)
}
