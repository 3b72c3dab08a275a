//! Alarm rules and their evaluation. Each rule has a raise limit and a clear limit (hysteresis),
//! so that a value that fluctuates around one limit does not raise the alarm repeatedly.
//!
//! Rules are evaluated in the transaction that stores the readings. The same transaction stores
//! the resulting notices (`outbox`), so a raised alarm is always reported, even after a crash.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::db::{Database, Row, Value};
use crate::error::{Error, Result};
use crate::message::{Values, is_name, is_station_or_device, parts_of, time_text};
use crate::plausible::AHEAD_MAX_MS;
use crate::rollup::{Level, round};
use crate::sql;

/// Schema of a notice.
pub const SCHEMA: &str = "selo.alarm/1";
const RULES_MAX: usize = 100;
/// Longest rain window. Rain is summed from per-minute rows.
const OVER_MAX_MS: i64 = 7 * 86_400_000;

/// The quantity that a rule watches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Rain over a window, in mm.
    Rain,
    /// No reading for the given time.
    Silent,
    /// The value `battery` is low, in V.
    Battery,
    /// Any value is above or below a limit.
    Value,
}

/// Direction in which a value is alarming.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum When {
    Over,
    Under,
}

/// An alarm rule, as the API stores and returns it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    pub name: String,
    pub kind: Kind,
    /// A device id, or `site:device`. Every station if absent.
    #[serde(default)]
    pub device: Option<String>,
    /// Length of the rain window, or of the silence: `1h`, `30m`.
    #[serde(default)]
    pub over: Option<String>,
    /// The alarm is raised at this value. Not used for silence.
    #[serde(default)]
    pub limit: Option<f64>,
    /// The alarm is cleared at this value. Defaults to `limit`.
    #[serde(default)]
    pub clear: Option<f64>,
    /// Name of the watched value, for the kind `value`.
    #[serde(default)]
    pub value: Option<String>,
    /// Direction that raises the alarm, for the kind `value`. Defaults to over.
    #[serde(default)]
    pub when: Option<When>,
}

impl Rule {
    fn of(name: &str, kind: Kind, over: Option<&str>, limit: Option<f64>, clear: f64) -> Rule {
        Rule {
            name: name.into(),
            kind,
            device: None,
            over: over.map(str::to_string),
            limit,
            clear: limit.map(|_| clear),
            value: None,
            when: None,
        }
    }

    /// The default rules of a new collector.
    pub fn first() -> Vec<Rule> {
        vec![
            Rule::of("heavy-rain", Kind::Rain, Some("1h"), Some(20.0), 10.0),
            Rule::of("silent", Kind::Silent, Some("1h"), None, 0.0),
            Rule::of("battery-low", Kind::Battery, None, Some(3.3), 3.5),
        ]
    }

    /// The window of the rain, or the silence, in ms. Defaults to one hour.
    pub fn over_ms(&self) -> i64 {
        let over = self.over.as_deref().unwrap_or("1h");
        humantime::parse_duration(over)
            .ok()
            .and_then(|over| i64::try_from(over.as_millis()).ok())
            .unwrap_or(OVER_MAX_MS)
    }

    fn when(&self) -> When {
        match self.kind {
            Kind::Battery => When::Under,
            Kind::Rain | Kind::Silent => When::Over,
            Kind::Value => self.when.unwrap_or(When::Over),
        }
    }

    /// The raise limit and the clear limit.
    fn limits(&self) -> (f64, f64) {
        if self.kind == Kind::Silent {
            let seconds = self.over_ms() as f64 / 1000.0;
            return (seconds, seconds);
        }
        let limit = self.limit.unwrap_or(f64::MAX);
        (limit, self.clear.unwrap_or(limit))
    }

    fn value_name(&self) -> &str {
        match self.kind {
            Kind::Battery => "battery",
            _ => self.value.as_deref().unwrap_or(""),
        }
    }

    /// Returns true if the rule applies to a station.
    pub fn concerns(&self, station: &str) -> bool {
        let (_, device) = parts_of(station);
        let own = self.device.as_deref();
        own.is_none_or(|own| own == station || own == device)
    }

    /// Returns true if the alarm is active at `value`. Between the limits it keeps its previous
    /// state.
    fn judge(&self, value: f64, active: bool) -> bool {
        let (limit, clear) = self.limits();
        match self.when() {
            When::Over if active => value >= clear,
            When::Over => value >= limit,
            When::Under if active => value <= clear,
            When::Under => value <= limit,
        }
    }

    fn check(&self) -> Result<()> {
        let wrong = |what: &str| Err(Error::Invalid(format!("rule '{}': {what}", self.name)));
        // The name becomes part of an MQTT topic.
        if !is_name(&self.name, 32) {
            return wrong("its name does not match [A-Za-z0-9._-]{1,32}");
        }
        if self
            .device
            .as_deref()
            .is_some_and(|device| !is_station_or_device(device))
        {
            return wrong("its device is not a device id or a station id (site:device)");
        }
        if let Some(over) = &self.over {
            let over = humantime::parse_duration(over).map_or(0, |over| over.as_millis());
            if !(60_000..=OVER_MAX_MS as u128).contains(&over) {
                return wrong("over must be a duration from 1m to 7d, such as 30m");
            }
        }
        if self.kind == Kind::Silent {
            return Ok(());
        }
        let Some(limit) = self.limit.filter(|limit| limit.is_finite()) else {
            return wrong("it has no limit");
        };
        let clear = self.clear.unwrap_or(limit);
        let sensible = match self.when() {
            When::Over => clear <= limit,
            When::Under => clear >= limit,
        };
        if !sensible {
            return wrong("clear is beyond limit, so the alarm would never clear");
        }
        if self.kind == Kind::Value && !self.value.as_deref().is_some_and(|v| is_name(v, 64)) {
            return wrong("value is not a valid value name");
        }
        Ok(())
    }

    fn text(&self, value: f64, unit: &str, active: bool) -> String {
        let (limit, clear) = self.limits();
        let over = humantime::format_duration(std::time::Duration::from_millis(
            u64::try_from(self.over_ms()).unwrap_or(0),
        ));
        let value = round(value);
        match (self.kind, active) {
            (Kind::Rain, true) => format!("{value} mm of rain in {over} (limit {limit} mm)"),
            (Kind::Rain, false) => format!("{value} mm of rain in {over}"),
            (Kind::Silent, true) => format!("no reading for {over}"),
            (Kind::Silent, false) => "readings have resumed".into(),
            (_, true) => format!(
                "{} is {value} {unit} (limit {limit} {unit})",
                self.value_name()
            ),
            (_, false) => format!(
                "{} is {value} {unit} (cleared at {clear} {unit})",
                self.value_name()
            ),
        }
    }
}

/// Checks a complete rule set: each rule, the number of rules, and unique names.
pub fn check_rules(rules: &[Rule]) -> Result<()> {
    if rules.len() > RULES_MAX {
        return Err(Error::Invalid(format!("more than {RULES_MAX} rules")));
    }
    let mut names = std::collections::HashSet::new();
    for rule in rules {
        rule.check()?;
        if !names.insert(&rule.name) {
            return Err(Error::Invalid(format!(
                "two rules are called '{}'",
                rule.name
            )));
        }
    }
    Ok(())
}

/// Reads the stored rules. Skips a rule that cannot be parsed.
pub fn load_rules(db: &mut dyn Database) -> Result<Vec<Rule>> {
    let rows = db.query(sql::RULES, &[])?;
    let rule = |row: &Row| serde_json::from_str(row.text(0)).ok();
    Ok(rows.iter().filter_map(rule).collect())
}

/// Silence threshold of a station in ms: the shortest of the rules that apply to it, else
/// `otherwise`.
pub fn silent_after(rules: &[Rule], station: &str, otherwise: i64) -> i64 {
    rules
        .iter()
        .filter(|rule| rule.kind == Kind::Silent && rule.concerns(station))
        .map(Rule::over_ms)
        .min()
        .unwrap_or(otherwise)
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

/// Age in ms of the oldest per-minute rain that a rule may need.
pub fn minutes_needed_ms() -> i64 {
    OVER_MAX_MS + Level::Hour.ms()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_the_limits_it_stays_what_it_was() {
        let mut rule = Rule::of("hot", Kind::Value, None, Some(30.0), 28.0);
        rule.value = Some("temperature".into());
        rule.check().expect("a rule");
        assert!(!rule.judge(29.9, false) && rule.judge(30.0, false));
        assert!(rule.judge(28.0, true) && !rule.judge(27.9, true));
        rule.when = Some(When::Under);
        assert!(rule.check().is_err(), "clear is beyond limit");
        rule.clear = Some(31.0);
        assert!(rule.judge(30.0, false) && !rule.judge(30.1, false));
        assert!(rule.judge(31.0, true) && !rule.judge(31.1, true));
    }

    #[test]
    fn rules_that_make_no_sense_are_refused() {
        check_rules(&Rule::first()).expect("default rules are valid");
        for wrong in [
            r#"[{"name":"a/b","kind":"silent"}]"#,
            r#"[{"name":"a","kind":"rain"}]"#,
            r#"[{"name":"a","kind":"silent","over":"1s"}]"#,
            r#"[{"name":"a","kind":"silent","over":"8d"}]"#,
            r#"[{"name":"a","kind":"value","limit":1}]"#,
            r#"[{"name":"a","kind":"battery","limit":3.3,"clear":3.2}]"#,
            r#"[{"name":"a","kind":"silent"},{"name":"a","kind":"silent"}]"#,
        ] {
            let rules: Vec<Rule> = serde_json::from_str(wrong).expect("JSON");
            assert!(check_rules(&rules).is_err(), "{wrong}");
        }
    }
}
