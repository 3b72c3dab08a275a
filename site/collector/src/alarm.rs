//! Alarm rules and their evaluation. Each rule has a raise limit and a clear limit (hysteresis),
//! so that a value that fluctuates around one limit does not raise the alarm repeatedly.
//!
//! Rules are evaluated in the transaction that stores the readings. The same transaction stores
//! the resulting notices (`outbox`), so a raised alarm is always reported, even after a crash.

mod notice;
mod rule;
mod severity;
pub mod target;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::db::{Database, Row, Value};
use crate::error::{Error, Result};
use crate::journal::{self, Event};
use crate::message::Values;
use crate::plausible::AHEAD_MAX_MS;
use crate::sql;

use notice::{Active, Facts, notice, subject_of};
use target::{Target, Told};

pub use notice::{SCHEMA, Subject, active_notices, row_json};
pub use rule::{Kind, Rule, When, check_rules, minutes_needed_ms, silent_after};
pub use severity::Severity;

/// Reads the stored rules. Skips a rule that cannot be parsed.
pub fn load_rules(db: &mut dyn Database) -> Result<Vec<Rule>> {
    let rows = db.query(sql::RULES, &[])?;
    let rule = |row: &Row| serde_json::from_str(row.text(0)).ok();
    Ok(rows.iter().filter_map(rule).collect())
}

/// A raised or cleared alarm, as listeners and notices report it.
#[derive(Debug, Clone)]
pub struct Change {
    /// Event of the live listeners: `alarm`, or `acknowledged`.
    pub event: &'static str,
    pub raised: bool,
    /// The notice, one line of JSON.
    pub body: String,
}

/// The writer's copy of the rules and of the active alarms.
#[derive(Debug, Default)]
pub struct Alarms {
    loaded: bool,
    pub rules: Vec<Rule>,
    /// The active alarms by (rule, station).
    active: BTreeMap<(String, String), Active>,
    /// Receivers of notices.
    pub targets: Vec<Target>,
    /// The collector's time, in Unix ms. An alarm's own time is that of its reading.
    now: i64,
}

/// An acknowledgement of an alarm.
#[derive(Debug, Clone)]
pub struct Acknowledgement {
    pub alarm: i64,
    /// The user or token, and the name that was typed.
    pub person: String,
    pub note: Option<String>,
}

impl Alarms {
    /// Drops the in-memory copies, so that they are read again from the database.
    pub fn forget(&mut self) {
        self.loaded = false;
    }

    /// Returns true if the copies are valid.
    pub fn is_loaded(&self) -> bool {
        self.loaded
    }

    pub fn load(&mut self, db: &mut dyn Database) -> Result<()> {
        if self.loaded {
            return Ok(());
        }
        self.rules = load_rules(db)?;
        self.active = db
            .query(&sql::active_alarms(), &[])?
            .iter()
            .map(|row| {
                let key = (row.text(1).to_string(), row.text(2).to_string());
                let active = Active {
                    id: row.int(0),
                    since: row.int(3),
                    severity: notice::severity_of(row),
                    acknowledged: row.opt_int(10),
                };
                (key, active)
            })
            .collect();
        self.loaded = true;
        Ok(())
    }

    /// Replaces all rules. Clears the alarms of rules that were removed or changed. Must run in a
    /// transaction.
    pub fn set_rules(
        &mut self,
        db: &mut dyn Database,
        rules: &[Rule],
        now: i64,
    ) -> Result<Vec<Change>> {
        self.load(db)?;
        self.now = now;
        let mut changes = Vec::new();
        let old: HashMap<String, Rule> = std::mem::take(&mut self.rules)
            .into_iter()
            .map(|rule| (rule.name.clone(), rule))
            .collect();
        for (name, station) in self.active.keys().cloned().collect::<Vec<_>>() {
            let kept = rules.iter().find(|rule| rule.name == name);
            if kept.is_some() && kept == old.get(&name) {
                continue;
            }
            let subject = Subject {
                station: &station,
                name: None,
            };
            let facts = Facts::rule_changed();
            changes.push(self.clear(db, subject, &name, facts, now)?);
        }
        db.execute(sql::DELETE_RULES, &[])?;
        for rule in rules {
            let body = serde_json::to_string(rule).unwrap_or_default();
            db.execute(sql::INSERT_RULE, &[rule.name.as_str().into(), body.into()])?;
        }
        self.rules = rules.to_vec();
        Ok(changes)
    }

    /// Evaluates a station's newest reading: its values, and the end of its silence.
    pub fn on_reading(
        &mut self,
        db: &mut dyn Database,
        subject: Subject<'_>,
        values: &Values,
        received: i64,
        now: i64,
    ) -> Result<Vec<Change>> {
        self.now = now;
        let mut changes = Vec::new();
        // Few readings change an alarm, so nothing is copied before one does.
        for place in 0..self.rules.len() {
            let rule = &self.rules[place];
            if rule.kind == Kind::Rain || !rule.concerns(subject.station) {
                continue;
            }
            let active = self.is_active(rule, subject.station);
            let (value, unit) = match rule.kind {
                // A late reading is no evidence of silence. Only `on_clock` raises a silence alarm.
                Kind::Silent if !active => continue,
                Kind::Rain | Kind::Silent => ((now - received).max(0) as f64 / 1000.0, "s"),
                Kind::Battery | Kind::Value => match values.get(rule.value_name()) {
                    Some(quantity) => (quantity.value, quantity.unit.as_str()),
                    None => continue,
                },
            };
            if rule.judge(value, active) != active {
                let rule = rule.clone();
                changes.extend(self.judge(db, subject, &rule, value, unit, received)?);
            }
        }
        Ok(changes)
    }

    /// Evaluates the rain of these stations.
    pub fn on_rain(
        &mut self,
        db: &mut dyn Database,
        subjects: &[Subject<'_>],
        now: i64,
    ) -> Result<Vec<Change>> {
        self.now = now;
        let (mut keys, mut asked) = (Vec::new(), Vec::new());
        for subject in subjects {
            let rules = self.concerned(subject.station).into_iter();
            for rule in rules.filter(|rule| rule.kind == Kind::Rain) {
                keys.push(vec![
                    subject.station.into(),
                    (now - rule.over_ms()).into(),
                    // Minutes ahead of the clock, by as much as a gateway's may be.
                    now.saturating_add(AHEAD_MAX_MS).into(),
                ]);
                asked.push((*subject, rule));
            }
        }
        let found = db.query_each(sql::RAIN_OVER, &keys)?;
        let mut changes = Vec::new();
        for ((subject, rule), rows) in asked.into_iter().zip(found) {
            let fallen = rows.first().map_or(0.0, |row| row.real(0));
            changes.extend(self.judge(db, subject, &rule, fallen, "mm", now)?);
        }
        Ok(changes)
    }

    /// Evaluates the changes that time alone causes: stations fall silent, rain leaves its
    /// window.
    pub fn on_clock(&mut self, db: &mut dyn Database, now: i64) -> Result<Vec<Change>> {
        self.load(db)?;
        self.now = now;
        let mut changes = self.on_silence(db, now)?;
        let raining = self.active.keys().filter(|(name, _)| {
            let rule = self.rules.iter().find(|rule| rule.name == *name);
            rule.is_some_and(|rule| rule.kind == Kind::Rain)
        });
        let raining: BTreeSet<&str> = raining.map(|(_, station)| station.as_str()).collect();
        let keys: Vec<Vec<Value>> = raining.into_iter().map(|it| vec![it.into()]).collect();
        let rows = db.query_each(sql::LAST_SEEN_OF, &keys)?;
        let subjects: Vec<Subject<'_>> = rows.iter().flatten().map(subject_of).collect();
        changes.extend(self.on_rain(db, &subjects, now)?);
        Ok(changes)
    }

    /// Evaluates the rules of silence. The database names the stations whose alarms change, which are
    /// few: only they leave it.
    fn on_silence(&mut self, db: &mut dyn Database, now: i64) -> Result<Vec<Change>> {
        let rules = self.rules.iter().filter(|rule| rule.kind == Kind::Silent);
        let silences: Vec<Rule> = rules.cloned().collect();
        if silences.is_empty() {
            return Ok(Vec::new());
        }
        let parameters: Vec<Value> = silences
            .iter()
            .flat_map(|rule| {
                let before = now.saturating_sub(rule.over_ms());
                let device = rule.device.as_deref();
                [rule.name.as_str().into(), before.into(), device.into()]
            })
            .collect();
        let mut changes = Vec::new();
        for row in db.query(&sql::silences(silences.len()), &parameters)? {
            let rule = silences.iter().find(|rule| rule.name == row.text(3));
            let (Some(rule), Some(seen)) = (rule, row.opt_int(2)) else {
                continue;
            };
            let quiet = (now - seen).max(0) as f64 / 1000.0;
            changes.extend(self.judge(db, subject_of(&row), rule, quiet, "s", now)?);
        }
        Ok(changes)
    }

    fn concerned(&self, station: &str) -> Vec<Rule> {
        let concerned = self.rules.iter().filter(|rule| rule.concerns(station));
        concerned.cloned().collect()
    }

    fn is_active(&self, rule: &Rule, station: &str) -> bool {
        if self.active.is_empty() {
            return false;
        }
        let key = (rule.name.clone(), station.to_string());
        self.active.contains_key(&key)
    }

    fn judge(
        &mut self,
        db: &mut dyn Database,
        subject: Subject<'_>,
        rule: &Rule,
        value: f64,
        unit: &str,
        at: i64,
    ) -> Result<Option<Change>> {
        let active = self.is_active(rule, subject.station);
        let alarming = rule.judge(value, active);
        if alarming == active {
            return Ok(None);
        }
        let facts = Facts::of(rule, value, unit, alarming);
        if !alarming {
            return self.clear(db, subject, &rule.name, facts, at).map(Some);
        }
        self.raise(db, subject, rule, facts, at).map(Some)
    }

    fn raise(
        &mut self,
        db: &mut dyn Database,
        subject: Subject<'_>,
        rule: &Rule,
        facts: Facts,
        at: i64,
    ) -> Result<Change> {
        let parameters: [Value; 8] = [
            rule.name.as_str().into(),
            subject.station.into(),
            at.into(),
            facts.value.into(),
            facts.limit.into(),
            facts.unit.as_str().into(),
            facts.text.as_str().into(),
            rule.severity.name().into(),
        ];
        let rows = db.query(sql::INSERT_ALARM, &parameters)?;
        let active = Active {
            id: rows.first().map_or(0, |row| row.int(0)),
            since: at,
            severity: rule.severity,
            acknowledged: None,
        };
        let key = (rule.name.clone(), subject.station.to_string());
        self.active.insert(key, active);
        journal::note(db, (at, active.id), Event::Raised, None, None)?;
        self.tell(db, subject, &rule.name, (active, facts), None)
    }

    fn clear(
        &mut self,
        db: &mut dyn Database,
        subject: Subject<'_>,
        rule: &str,
        facts: Facts,
        at: i64,
    ) -> Result<Change> {
        let key = (rule.to_string(), subject.station.to_string());
        let active = self.active.remove(&key).unwrap_or(Active {
            id: 0,
            since: at,
            severity: Severity::Warning,
            acknowledged: None,
        });
        // If the clock went back, the alarm must still not end before it began.
        let at = at.max(active.since);
        db.execute(sql::CLEAR_ALARM, &[at.into(), active.id.into()])?;
        journal::note(db, (at, active.id), Event::Cleared, None, None)?;
        self.tell(db, subject, rule, (active, facts), Some(at))
    }

    /// Puts a notice into the outbox of each target.
    fn tell(
        &self,
        db: &mut dyn Database,
        subject: Subject<'_>,
        rule: &str,
        (alarm, facts): (Active, Facts),
        cleared: Option<i64>,
    ) -> Result<Change> {
        let body = notice(subject, rule, alarm, &facts, cleared);
        let topic = selo_mqtt::topic::alarm(subject.site(), rule, subject.device());
        let told = Told {
            alarm: alarm.id,
            severity: alarm.severity,
            raised: cleared.is_none(),
            topic: &topic,
            body: &body,
        };
        for target in &self.targets {
            target::put(db, target, told, self.now)?;
        }
        Ok(Change {
            event: "alarm",
            raised: cleared.is_none(),
            body: body.to_string(),
        })
    }

    /// Acknowledges an active alarm: nobody else is called about it. Must run in a transaction.
    pub fn acknowledge(
        &mut self,
        db: &mut dyn Database,
        by: &Acknowledgement,
        now: i64,
    ) -> Result<Change> {
        self.load(db)?;
        let active = self
            .active
            .values_mut()
            .find(|active| active.id == by.alarm);
        let Some(active) = active else {
            let what = format!("active alarm {}", by.alarm);
            return Err(Error::Unknown { what });
        };
        if active.acknowledged.is_some() {
            return Err(Error::Invalid(
                "somebody has acknowledged this alarm already".into(),
            ));
        }
        active.acknowledged = Some(now);
        let parameters: [Value; 4] = [
            now.into(),
            by.person.as_str().into(),
            by.note.as_deref().into(),
            by.alarm.into(),
        ];
        db.execute(sql::ACKNOWLEDGE, &parameters)?;
        db.execute(sql::DELETE_ESCALATIONS, &[by.alarm.into()])?;
        let note = by.note.as_deref();
        let at = (now, by.alarm);
        journal::note(db, at, Event::Acknowledged, Some(&by.person), note)?;
        let rows = db.query(&sql::alarm_of_id(), &[by.alarm.into()])?;
        let body = rows.first().map(row_json).unwrap_or_default();
        Ok(Change {
            event: "acknowledged",
            raised: false,
            body: body.to_string(),
        })
    }
}

#[cfg(test)]
mod tests;
