//! A notice: what listeners, brokers and channels are told about an alarm.

use serde_json::{Value as Json, json};

use super::rule::{Kind, Rule};
use super::severity::Severity;
use crate::db::{Database, Row};
use crate::error::Result;
use crate::message::{parts_of, time_text};
use crate::rollup::round;
use crate::sql;

/// Schema of a notice.
pub const SCHEMA: &str = "selo.alarm/1";

/// An active alarm.
#[derive(Debug, Clone, Copy)]
pub(super) struct Active {
    pub id: i64,
    /// Unix ms.
    pub since: i64,
    pub severity: Severity,
    pub acknowledged: Option<i64>,
}

/// The station that is being evaluated.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// Station id, `site:device`.
    pub station: &'a str,
    pub name: Option<&'a str>,
}

impl<'a> Subject<'a> {
    pub(super) fn site(self) -> &'a str {
        parts_of(self.station).0
    }

    pub(super) fn device(self) -> &'a str {
        parts_of(self.station).1
    }
}

/// Converts a row of [`sql::LAST_SEEN_OF`] or [`sql::silences`].
pub(super) fn subject_of(row: &Row) -> Subject<'_> {
    Subject {
        station: row.text(0),
        name: row.opt_text(1),
    }
}

/// The value that raised or cleared an alarm, and its meaning.
#[derive(Debug, Clone)]
pub(super) struct Facts {
    pub value: f64,
    pub limit: f64,
    pub unit: String,
    /// In English, as the log shows it.
    pub text: String,
    /// What a text in another language needs: kind of the rule, watched value, time span.
    what: Json,
}

impl Facts {
    pub fn of(rule: &Rule, value: f64, unit: &str, alarming: bool) -> Facts {
        let over = match rule.kind {
            Kind::Rain | Kind::Silent => Some(rule.over_ms() / 1000),
            Kind::Battery | Kind::Value => None,
        };
        Facts {
            value,
            limit: rule.limits().0,
            unit: unit.into(),
            text: rule.text(value, unit, alarming),
            what: json!({"kind": rule.kind, "quantity": rule.value_name(), "over_seconds": over}),
        }
    }

    /// An alarm that ends because its rule was removed or changed.
    pub fn rule_changed() -> Facts {
        Facts {
            value: 0.0,
            limit: 0.0,
            unit: String::new(),
            text: "the rule was changed".into(),
            what: json!({"kind": "changed"}),
        }
    }
}

/// The notice of a raised or cleared alarm.
pub(super) fn notice(
    subject: Subject<'_>,
    rule: &str,
    alarm: Active,
    facts: &Facts,
    cleared: Option<i64>,
) -> Json {
    json!({
        "schema": SCHEMA, "id": alarm.id, "alarm": rule, "station": subject.station,
        "device": subject.device(), "name": subject.name, "site": subject.site(),
        "severity": alarm.severity, "active": cleared.is_none(),
        "since": time_text(alarm.since), "cleared": cleared.map(time_text),
        "value": round(facts.value), "limit": facts.limit, "unit": facts.unit, "text": facts.text,
        "what": facts.what,
    })
}

/// The active alarms as notices (topic, body). They are published again in case the broker lost
/// its retained messages.
pub fn active_notices(db: &mut dyn Database) -> Result<Vec<(String, String)>> {
    let mut notices = Vec::new();
    for row in db.query(&sql::active_alarms(), &[])? {
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

pub(super) fn severity_of(row: &Row) -> Severity {
    Severity::parse(row.text(9)).unwrap_or_default()
}

/// Converts an alarm row to the JSON of the API.
pub fn row_json(row: &Row) -> Json {
    let acknowledged = row.opt_int(10).map(
        |at| json!({"at": time_text(at), "person": row.opt_text(11), "note": row.opt_text(12)}),
    );
    json!({
        "id": row.int(0),
        "alarm": row.text(1),
        "station": row.text(2),
        "device": parts_of(row.text(2)).1,
        "severity": row.text(9),
        "active": row.opt_int(4).is_none(),
        "since": time_text(row.int(3)),
        "cleared": row.opt_int(4).map(time_text),
        "acknowledged": acknowledged,
        "value": row.opt_real(5).map(round),
        "limit": row.real(6),
        "unit": row.text(7),
        "text": row.text(8),
    })
}
