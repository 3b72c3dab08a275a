//! What is kept how long: each level has its time. Old rows go in small pieces between
//! the batches, so that nothing waits for it.

use crate::db::{Database, Value};
use crate::error::{Error, Result};
use crate::ingest::Ingest;
use crate::metrics::{Metrics, add};
use crate::rollup::Level;
use crate::sql;

const DAY_MS: i64 = 86_400_000;

/// Milliseconds for which rows are kept; `None` is for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    pub raw: Option<i64>,
    pub minute: Option<i64>,
    pub hour: Option<i64>,
    pub day: Option<i64>,
}

impl Default for Retention {
    fn default() -> Self {
        Retention {
            raw: Some(400 * DAY_MS),
            minute: Some(60 * DAY_MS),
            hour: Some(5 * 366 * DAY_MS),
            day: None,
        }
    }
}

impl Retention {
    fn of(&self, level: Level) -> Option<i64> {
        match level {
            Level::Minute => self.minute,
            Level::Hour => self.hour,
            Level::Day => self.day,
        }
    }

    /// Alarms need the minutes of their longest window; a reading that is forgotten could
    /// not be told from a new one if it came again.
    pub fn check(&self) -> Result<()> {
        let too_short = |time: Option<i64>, least: i64| time.is_some_and(|time| time < least);
        let least = crate::alarm::minutes_needed_ms();
        if too_short(self.minute, least) || too_short(self.raw, least) {
            return Err(Error::Invalid(
                "raw readings and minutes are kept for at least 8 days".into(),
            ));
        }
        Ok(())
    }
}

/// Lets go what is over; gives how many rows went.
pub async fn prune(
    ingest: &Ingest,
    metrics: &Metrics,
    retention: Retention,
    now: i64,
) -> Result<u64> {
    let (devices, quantities) = ingest
        .write(|db, _| {
            let devices = db.query(sql::DEVICES, &[])?;
            Ok((devices, db.query(sql::QUANTITIES, &[])?))
        })
        .await?;
    let mut gone = 0;
    if let Some(kept) = retention.raw {
        for row in devices {
            loop {
                let parameters: Vec<Value> = vec![row.text(0).into(), (now - kept).into()];
                let pruned = ingest
                    .write(move |db, _| db.execute(sql::PRUNE_READINGS, &parameters))
                    .await?;
                gone += pruned;
                add(&metrics.pruned, pruned as usize);
                if pruned == 0 {
                    break;
                }
            }
        }
        for table in [sql::PRUNE_FIXES, sql::PRUNE_TLS_TIMES] {
            loop {
                let pruned = ingest
                    .write(move |db, _| db.execute(table, &[(now - kept).into()]))
                    .await?;
                gone += pruned;
                add(&metrics.pruned, pruned as usize);
                if pruned == 0 {
                    break;
                }
            }
        }
    }
    for level in Level::ALL {
        let Some(kept) = retention.of(level) else {
            continue;
        };
        for row in &quantities {
            let parameters: Vec<Value> =
                vec![row.text(0).into(), row.text(1).into(), (now - kept).into()];
            let work = move |db: &mut dyn Database, _: &mut crate::store::Store| {
                db.execute(&sql::prune_rollup(level.table()), &parameters)
            };
            let pruned = ingest.write(work).await?;
            gone += pruned;
            add(&metrics.pruned, pruned as usize);
        }
    }
    let year = now - 366 * DAY_MS;
    let work = move |db: &mut dyn Database, _: &mut crate::store::Store| {
        db.execute(sql::PRUNE_ALARMS, &[year.into()])
    };
    gone += ingest.write(work).await?;
    gone += ingest
        .write(move |db, _| db.execute(sql::PRUNE_LOGINS, &[now.into()]))
        .await?;
    Ok(gone)
}
