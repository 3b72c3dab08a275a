//! The receivers of notices, and which notices each of them gets.

use serde_json::Value as Json;

use super::severity::Severity;
use crate::channel::quiet::Quiet;
use crate::db::{Database, Value};
use crate::error::Result;
use crate::sql;

/// Maximum waiting notices of one target. A new one displaces the oldest of the mildest.
pub const WAITING_MAX: i64 = 1000;

/// A receiver of notices.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    /// `mqtt`, `channel:ID`, or `webhook:` and a hash of the URL of a webhook of the command line.
    pub name: String,
    /// Milder alarms are not sent.
    pub least: Severity,
    /// Waits this long for an acknowledgement before it sends. 0: sends at once.
    pub after_ms: i64,
    /// Hours in which only critical alarms are sent.
    pub quiet: Option<Quiet>,
}

impl Target {
    /// A target that gets every notice at once.
    pub fn every(name: impl Into<String>) -> Target {
        Target {
            name: name.into(),
            least: Severity::Info,
            after_ms: 0,
            quiet: None,
        }
    }
}

/// A change of an alarm, as it is put into the outbox.
#[derive(Debug, Clone, Copy)]
pub struct Told<'a> {
    /// The alarm's row.
    pub alarm: i64,
    pub severity: Severity,
    pub raised: bool,
    pub topic: &'a str,
    pub body: &'a Json,
}

/// Puts a notice for one target into the outbox. Must run in a transaction.
pub fn put(db: &mut dyn Database, target: &Target, told: Told<'_>, now: i64) -> Result<()> {
    if told.severity < target.least {
        return Ok(());
    }
    if !told.raised && !was_told(db, target, told, now)? {
        return Ok(());
    }
    let due = if told.raised {
        now + target.after_ms
    } else {
        now
    };
    let parameters: [Value; 9] = [
        target.name.as_str().into(),
        told.topic.into(),
        told.body.to_string().into(),
        due.into(),
        told.alarm.into(),
        told.severity.rank().into(),
        told.raised.into(),
        (target.after_ms > 0 && told.raised).into(),
        now.into(),
    ];
    db.execute(sql::INSERT_NOTICE, &parameters)?;
    // The new one takes part: if all others are more severe, it is the one that goes.
    let name = || [target.name.as_str().into()];
    let waiting = db.query(sql::COUNT_WAITING, &name())?;
    if waiting.first().is_some_and(|row| row.int(0) > WAITING_MAX) {
        db.execute(sql::DROP_NOTICE, &name())?;
        db.execute(sql::COUNT_DROPPED, &name())?;
    }
    Ok(())
}

/// Returns false if the target was never told that a cleared alarm was raised: the notice was
/// still held back, or somebody acknowledged the alarm before it was due.
fn was_told(db: &mut dyn Database, target: &Target, told: Told<'_>, now: i64) -> Result<bool> {
    let is_quiet = target.quiet.as_ref().is_some_and(|quiet| quiet.holds(now))
        && told.severity < Severity::Critical;
    if target.after_ms == 0 && !is_quiet {
        return Ok(true);
    }
    let name = || Value::from(target.name.as_str());
    // In quiet hours a notice is held back even if it is due.
    let due_after = if is_quiet { -1 } else { now };
    let held = [name(), told.alarm.into(), due_after.into()];
    if db.execute(sql::DELETE_UNSENT, &held)? > 0 {
        return Ok(false);
    }
    let waits = db.query(sql::IS_WAITING, &[name(), told.alarm.into()])?;
    let sent = db.query(sql::WAS_SENT, &[told.alarm.into(), name()])?;
    Ok(!waits.is_empty() || !sent.is_empty())
}
