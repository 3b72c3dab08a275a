//! Alarms: rules, and what is alarming by them. Each rule has two limits, so that a value
//! that trembles around one does not alarm each time.
//!
//! Rules are judged in the transaction that stores the readings, and the notices that
//! follow are in the database with it (`outbox`): what was raised is told, whatever
//! happens in between.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::db::{Database, Row, Value};
use crate::error::{Error, Result};
use crate::message::{Values, is_name, is_station_or_device, parts_of, time_text};
use crate::plausible::AHEAD_MAX_MS;
use crate::rollup::{Level, round};
use crate::sql;

/// The schema of a notice.
pub const SCHEMA: &str = "selo.alarm/1";
const RULES_MAX: usize = 100;
/// Windows of rain are summed from minutes.
const OVER_MAX_MS: i64 = 7 * 86_400_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Rain over a window, mm.
    Rain,
    /// No reading for so long.
    Silent,
    /// The value `battery` is low, V.
    Battery,
    /// Any value is over or under a limit.
    Value,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum When {
    Over,
    Under,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    pub name: String,
    pub kind: Kind,
    /// A device's id, or `site:device`; every station if absent.
    #[serde(default)]
    pub device: Option<String>,
    /// The window of the rain, or the silence: `1h`, `30m`.
    #[serde(default)]
    pub over: Option<String>,
    /// Raised at this value; not for silence.
    #[serde(default)]
    pub limit: Option<f64>,
    /// Cleared at this value; the limit if absent.
    #[serde(default)]
    pub clear: Option<f64>,
    /// Of which value, for the kind `value`.
    #[serde(default)]
    pub value: Option<String>,
    /// Which side is alarming, for the kind `value`; over if absent.
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

    /// What a new collector watches.
    pub fn first() -> Vec<Rule> {
        vec![
            Rule::of("heavy-rain", Kind::Rain, Some("1h"), Some(20.0), 10.0),
            Rule::of("silent", Kind::Silent, Some("1h"), None, 0.0),
            Rule::of("battery-low", Kind::Battery, None, Some(3.3), 3.5),
        ]
    }

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

    /// The limits: where it is raised, where it is cleared.
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

    pub fn concerns(&self, station: &str) -> bool {
        let (_, device) = parts_of(station);
        let own = self.device.as_deref();
        own.is_none_or(|own| own == station || own == device)
    }

    /// Whether it is alarming now: between the limits it stays what it was.
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
        // It becomes part of a topic.
        if !is_name(&self.name, 32) {
            return wrong("its name is not [A-Za-z0-9._-]{1,32}");
        }
        if self
            .device
            .as_deref()
            .is_some_and(|device| !is_station_or_device(device))
        {
            return wrong("its device is not the id of a device or a station (site:device)");
        }
        if let Some(over) = &self.over {
            let over = humantime::parse_duration(over).map_or(0, |over| over.as_millis());
            if !(60_000..=OVER_MAX_MS as u128).contains(&over) {
                return wrong("over is a time such as 30m, from 1m to 7d");
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
            return wrong("clear lies beyond the limit: the alarm would never rest");
        }
        if self.kind == Kind::Value && !self.value.as_deref().is_some_and(|v| is_name(v, 64)) {
            return wrong("value does not name one");
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
            (Kind::Silent, false) => "readings come again".into(),
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

/// Checks a whole set.
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

pub fn load_rules(db: &mut dyn Database) -> Result<Vec<Rule>> {
    let rows = db.query(sql::RULES, &[])?;
    let rule = |row: &Row| serde_json::from_str(row.text(0)).ok();
    Ok(rows.iter().filter_map(rule).collect())
}

/// When a station is silent: by its own rule, by one for all, or after an hour.
pub fn silent_after(rules: &[Rule], station: &str, otherwise: i64) -> i64 {
    rules
        .iter()
        .filter(|rule| rule.kind == Kind::Silent && rule.concerns(station))
        .map(Rule::over_ms)
        .min()
        .unwrap_or(otherwise)
}

/// A change: what listeners and notices say.
#[derive(Debug, Clone)]
pub struct Change {
    pub raised: bool,
    /// A notice, one line of JSON.
    pub body: String,
}

/// What the writer knows of the rules and of what is alarming.
#[derive(Debug, Default)]
pub struct Alarms {
    loaded: bool,
    pub rules: Vec<Rule>,
    /// (rule, station) to (id, since).
    active: BTreeMap<(String, String), (i64, i64)>,
    /// Who is told: URLs of webhooks, and `mqtt`.
    pub targets: Vec<String>,
}

/// What a judgement is about.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// Its id, `site:device`.
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

    /// Puts other rules in place of those there are; what was alarming by a rule that is
    /// gone or has changed is cleared. In a transaction.
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
            let said = ("the rule has changed".to_string(), unit.to_string());
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

    /// Judges a station's newest reading, and that there is one.
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
            // That a reading comes late is no reason to call its station silent: only
            // the clock says so.
            if rule.kind == Kind::Silent && !self.is_active(&rule, subject.station) {
                continue;
            }
            changes.extend(self.judge(db, subject, &rule, value, unit, received)?);
        }
        Ok(changes)
    }

    /// Judges the rain of a station.
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

    /// What changes by time alone: stations fall silent, rain passes.
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
        // A clock that went back does not make an alarm end before it began.
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

/// A row of [`sql::LAST_SEEN`].
fn subject_of(row: &Row) -> Subject<'_> {
    Subject {
        station: row.text(0),
        name: row.opt_text(1),
    }
}

/// What is active, as notices: topic and body. A broker that lost what it kept is told it
/// again.
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

/// A row of the alarms as the API shows it.
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

/// The beginning of what a window of rain needs of the minutes.
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
        assert!(rule.check().is_err(), "never at rest");
        rule.clear = Some(31.0);
        assert!(rule.judge(30.0, false) && !rule.judge(30.1, false));
        assert!(rule.judge(31.0, true) && !rule.judge(31.1, true));
    }

    #[test]
    fn rules_that_make_no_sense_are_refused() {
        check_rules(&Rule::first()).expect("what comes with it");
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
