//! Alarm rules and their evaluation. Each rule has a raise limit and a clear limit (hysteresis),
//! so that a value that fluctuates around one limit does not raise the alarm repeatedly.
//!
//! Rules are evaluated in the transaction that stores the readings. The same transaction stores
//! the resulting notices (`outbox`), so a raised alarm is always reported, even after a crash.

mod rule;

use std::collections::{BTreeMap, HashMap};

use serde_json::{Value as Json, json};

use crate::db::{Database, Row, Value};
use crate::error::Result;
use crate::message::{Values, parts_of, time_text};
use crate::plausible::AHEAD_MAX_MS;
use crate::rollup::round;
use crate::sql;

pub use rule::{Kind, Rule, When, check_rules, minutes_needed_ms, silent_after};

/// Schema of a notice.
pub const SCHEMA: &str = "selo.alarm/1";

/// Reads the stored rules. Skips a rule that cannot be parsed.
pub fn load_rules(db: &mut dyn Database) -> Result<Vec<Rule>> {
    let rows = db.query(sql::RULES, &[])?;
    let rule = |row: &Row| serde_json::from_str(row.text(0)).ok();
    Ok(rows.iter().filter_map(rule).collect())
}

/// A raised or cleared alarm, as listeners and notices report it.
#[derive(Debug, Clone)]
pub struct Change {
    pub raised: bool,
    /// The notice, one line of JSON.
    pub body: String,
}

/// The writer's copy of the rules and of the active alarms.
#[derive(Debug, Default)]
pub struct Alarms {
    loaded: bool,
    pub rules: Vec<Rule>,
    /// Maps (rule, station) to (alarm id, since in Unix ms).
    active: BTreeMap<(String, String), (i64, i64)>,
    /// Notice targets: webhook URLs, and `mqtt`.
    pub targets: Vec<String>,
}

/// The station that is being evaluated.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// Station id, `site:device`.
    pub station: &'a str,
    pub name: Option<&'a str>,
}

impl<'a> Subject<'a> {
    fn site(self) -> &'a str {
        parts_of(self.station).0
    }

    fn device(self) -> &'a str {
        parts_of(self.station).1
    }
}

impl Alarms {
    /// Drops the in-memory copies, so that they are read again from the database.
    pub fn forget(&mut self) {
        self.loaded = false;
    }

    pub fn load(&mut self, db: &mut dyn Database) -> Result<()> {
        if self.loaded {
            return Ok(());
        }
        self.rules = load_rules(db)?;
        self.active = db
            .query(sql::ACTIVE_ALARMS, &[])?
            .iter()
            .map(|row| {
                let key = (row.text(1).to_string(), row.text(2).to_string());
                (key, (row.int(0), row.int(3)))
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
            let unit = "";
            let said = ("the rule was changed".to_string(), unit.to_string());
            changes.push(self.clear(db, subject, &name, (0.0, 0.0), said, now)?);
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
        let mut changes = Vec::new();
        for rule in self.concerned(subject.station) {
            let (value, unit) = match rule.kind {
                Kind::Rain => continue,
                Kind::Silent => ((now - received).max(0) as f64 / 1000.0, "s"),
                Kind::Battery | Kind::Value => match values.get(rule.value_name()) {
                    Some(quantity) => (quantity.value, quantity.unit.as_str()),
                    None => continue,
                },
            };
            // A late reading is no evidence of silence. Only `on_clock` raises a silence alarm.
            if rule.kind == Kind::Silent && !self.is_active(&rule, subject.station) {
                continue;
            }
            changes.extend(self.judge(db, subject, &rule, value, unit, received)?);
        }
        Ok(changes)
    }

    /// Evaluates the rain of a station.
    pub fn on_rain(
        &mut self,
        db: &mut dyn Database,
        subject: Subject<'_>,
        now: i64,
    ) -> Result<Vec<Change>> {
        let mut changes = Vec::new();
        for rule in self.concerned(subject.station) {
            if rule.kind != Kind::Rain {
                continue;
            }
            let parameters: [Value; 3] = [
                subject.station.into(),
                (now - rule.over_ms()).into(),
                // Minutes ahead of the clock, by as much as a gateway's may be.
                now.saturating_add(AHEAD_MAX_MS).into(),
            ];
            let rows = db.query(sql::RAIN_OVER, &parameters)?;
            let fallen = rows.first().map_or(0.0, |row| row.real(0));
            changes.extend(self.judge(db, subject, &rule, fallen, "mm", now)?);
        }
        Ok(changes)
    }

    /// Evaluates the changes that time alone causes: stations fall silent, rain leaves its
    /// window.
    pub fn on_clock(&mut self, db: &mut dyn Database, now: i64) -> Result<Vec<Change>> {
        self.load(db)?;
        let mut changes = Vec::new();
        let silences: Vec<Rule> = self
            .rules
            .iter()
            .filter(|rule| rule.kind == Kind::Silent)
            .cloned()
            .collect();
        if !silences.is_empty() {
            for row in db.query(sql::LAST_SEEN, &[])? {
                let Some(seen) = row.opt_int(2) else { continue };
                let subject = subject_of(&row);
                for rule in silences.iter().filter(|rule| rule.concerns(row.text(0))) {
                    let quiet = (now - seen).max(0) as f64 / 1000.0;
                    changes.extend(self.judge(db, subject, rule, quiet, "s", now)?);
                }
            }
        }
        let raining: Vec<String> = self
            .active
            .keys()
            .filter(|(name, _)| {
                let rule = self.rules.iter().find(|rule| rule.name == *name);
                rule.is_some_and(|rule| rule.kind == Kind::Rain)
            })
            .map(|(_, station)| station.clone())
            .collect();
        for station in raining {
            for row in db.query(sql::LAST_SEEN_OF, &[station.into()])? {
                changes.extend(self.on_rain(db, subject_of(&row), now)?);
            }
        }
        Ok(changes)
    }

    fn concerned(&self, station: &str) -> Vec<Rule> {
        let concerned = self.rules.iter().filter(|rule| rule.concerns(station));
        concerned.cloned().collect()
    }

    fn is_active(&self, rule: &Rule, station: &str) -> bool {
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
        let (limit, _) = rule.limits();
        let text = rule.text(value, unit, alarming);
        if !alarming {
            let said = (text, unit.to_string());
            let change = self.clear(db, subject, &rule.name, (value, limit), said, at)?;
            return Ok(Some(change));
        }
        let parameters: [Value; 7] = [
            rule.name.as_str().into(),
            subject.station.into(),
            at.into(),
            value.into(),
            limit.into(),
            unit.into(),
            text.as_str().into(),
        ];
        let rows = db.query(sql::INSERT_ALARM, &parameters)?;
        let id = rows.first().map_or(0, |row| row.int(0));
        let key = (rule.name.clone(), subject.station.to_string());
        self.active.insert(key, (id, at));
        let body = json!({
            "schema": SCHEMA, "alarm": rule.name, "station": subject.station, "device": subject.device(),
            "name": subject.name, "site": subject.site(), "active": true,
            "since": time_text(at), "cleared": null, "value": round(value),
            "limit": limit, "unit": unit, "text": text,
        });
        self.tell(db, subject, &rule.name, true, body).map(Some)
    }

    fn clear(
        &mut self,
        db: &mut dyn Database,
        subject: Subject<'_>,
        rule: &str,
        (value, limit): (f64, f64),
        (text, unit): (String, String),
        at: i64,
    ) -> Result<Change> {
        let key = (rule.to_string(), subject.station.to_string());
        let (id, since) = self.active.remove(&key).unwrap_or((0, at));
        // If the clock went back, the alarm must still not end before it began.
        let at = at.max(since);
        db.execute(sql::CLEAR_ALARM, &[at.into(), id.into()])?;
        let body = json!({
            "schema": SCHEMA, "alarm": rule, "station": subject.station, "device": subject.device(),
            "name": subject.name, "site": subject.site(), "active": false,
            "since": time_text(since), "cleared": time_text(at),
            "value": round(value), "limit": limit, "unit": unit, "text": text,
        });
        self.tell(db, subject, rule, false, body)
    }

    fn tell(
        &self,
        db: &mut dyn Database,
        subject: Subject<'_>,
        rule: &str,
        raised: bool,
        body: Json,
    ) -> Result<Change> {
        let body = body.to_string();
        let topic = selo_mqtt::topic::alarm(subject.site(), rule, subject.device());
        for target in &self.targets {
            let parameters: [Value; 3] = [
                target.as_str().into(),
                topic.as_str().into(),
                body.as_str().into(),
            ];
            db.execute(sql::INSERT_NOTICE, &parameters)?;
        }
        Ok(Change { raised, body })
    }
}

/// Converts a row of [`sql::LAST_SEEN`].
fn subject_of(row: &Row) -> Subject<'_> {
    Subject {
        station: row.text(0),
        name: row.opt_text(1),
    }
}

/// The active alarms as notices (topic, body). They are published again in case the broker lost
/// its retained messages.
pub fn active_notices(db: &mut dyn Database) -> Result<Vec<(String, String)>> {
    let mut notices = Vec::new();
    for row in db.query(sql::ACTIVE_ALARMS, &[])? {
        let known = db.query(sql::LAST_SEEN_OF, &[row.text(2).into()])?;
        let Some(subject) = known.first().map(subject_of) else {
            continue;
        };
        let mut body = row_json(&row);
        body["schema"] = SCHEMA.into();
        body["name"] = subject.name.into();
        body["site"] = subject.site().into();
        let topic = selo_mqtt::topic::alarm(subject.site(), row.text(1), subject.device());
        notices.push((topic, body.to_string()));
    }
    Ok(notices)
}

/// Converts an alarm row to the JSON of the API.
pub fn row_json(row: &Row) -> Json {
    json!({
        "alarm": row.text(1),
        "station": row.text(2),
        "device": parts_of(row.text(2)).1,
        "active": row.opt_int(4).is_none(),
        "since": time_text(row.int(3)),
        "cleared": row.opt_int(4).map(time_text),
        "value": row.opt_real(5).map(round),
        "limit": row.real(6),
        "unit": row.text(7),
        "text": row.text(8),
    })
}

#[cfg(test)]
mod tests;
