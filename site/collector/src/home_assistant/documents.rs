//! The messages to Home Assistant, from the rules, the stations and the active alarms.

use std::collections::{BTreeSet, HashSet, VecDeque};

use selo_codec::Language;
use selo_mqtt::topic;
use serde_json::{Map, Value as Json, json};

use crate::alarm::{Kind, Rule, load_rules};
use crate::db::{Database, Row};
use crate::error::Result;
use crate::message::parts_of;
use crate::sql;

/// A sensor is unavailable after this many seconds without a message about its station's alarms:
/// three times [`super::REFRESH`].
const EXPIRE_S: u64 = 1_800;

/// A message to publish.
#[derive(Debug, PartialEq)]
pub(super) struct Document {
    /// JSON. Empty: the retained message is removed.
    pub body: String,
}

/// What the messages depend on.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Snapshot {
    rules: Vec<Rule>,
    /// Station id, and its name as the gateway says, like the gateway's own message about it.
    stations: Vec<(String, Option<String>)>,
    /// Station and rule of each active alarm.
    active: BTreeSet<(String, String)>,
}

impl Snapshot {
    pub fn load(db: &mut dyn Database) -> Result<Snapshot> {
        let station = |row: &Row| (row.text(0).into(), row.opt_text(1).map(Into::into));
        let pair = |row: &Row| (row.text(0).into(), row.text(1).into());
        Ok(Snapshot {
            rules: load_rules(db)?,
            stations: db
                .query(sql::GIVEN_NAMES, &[])?
                .iter()
                .map(station)
                .collect(),
            active: db.query(sql::ACTIVE, &[])?.iter().map(pair).collect(),
        })
    }

    /// All messages: the states first, then the removal of `old` topics, then the descriptions.
    pub fn all<'a>(
        &self,
        old: impl Iterator<Item = &'a str>,
        language: Language,
    ) -> VecDeque<(String, Document)> {
        let mut all = self.states();
        let descriptions = self.descriptions(language);
        let both = all.iter().chain(&descriptions);
        let wanted: HashSet<&str> = both.map(|(topic, _)| topic.as_str()).collect();
        let gone: Vec<_> = old
            .filter(|topic| !wanted.contains(topic))
            .map(|topic| {
                (
                    topic.to_string(),
                    Document {
                        body: String::new(),
                    },
                )
            })
            .collect();
        all.extend(gone);
        all.extend(descriptions);
        all
    }

    fn rules_of<'a>(&'a self, station: &'a str) -> impl Iterator<Item = &'a Rule> {
        self.rules.iter().filter(|rule| rule.concerns(station))
    }

    /// The state of all alarms of each station that has rules.
    pub fn states(&self) -> VecDeque<(String, Document)> {
        let state = |(station, _): &(String, Option<String>)| {
            let is_active = |rule: &Rule| {
                let key = (station.clone(), rule.name.clone());
                self.active.contains(&key)
            };
            let alarms: Map<String, Json> = self
                .rules_of(station)
                .map(|rule| (rule.name.clone(), is_active(rule).into()))
                .collect();
            let (site, device) = parts_of(station);
            let body = json!({"schema": "selo.alarms/1", "alarms": alarms}).to_string();
            (!alarms.is_empty()).then(|| (topic::alarms(site, device), Document { body }))
        };
        self.stations.iter().filter_map(state).collect()
    }

    /// A description for each rule and each station that it concerns.
    fn descriptions(&self, language: Language) -> Vec<(String, Document)> {
        let mut all = Vec::new();
        for (station, name) in &self.stations {
            let (site, device) = parts_of(station);
            for rule in self.rules_of(station) {
                let topic = topic::home_assistant_alarm(site, device, &rule.name);
                let body = description((site, device), name.as_deref(), rule, language);
                all.push((topic, Document { body }));
            }
        }
        all
    }
}

fn description(
    (site, device): (&str, &str),
    name: Option<&str>,
    rule: &Rule,
    language: Language,
) -> String {
    let word = match language {
        Language::English => "Alarm",
        Language::Portuguese => "Alarme",
    };
    let class = match rule.kind {
        Kind::Battery => "battery",
        Kind::Rain | Kind::Silent | Kind::Value => "problem",
    };
    // A rule's name has letters, digits and . _ - only, so it is safe in a template.
    let alarm = &rule.name;
    let state = format!("{{{{ 'ON' if value_json['alarms']['{alarm}'] else 'OFF' }}}}");
    json!({
        "device": {
            "identifiers": [format!("selo-{device}")],
            "name": name.map_or_else(|| format!("Selo {device}"), Into::into),
            "manufacturer": "Selo",
        },
        "origin": {"name": "Selo", "sw_version": env!("CARGO_PKG_VERSION")},
        "components": {"alarm": {
            "platform": "binary_sensor",
            "unique_id": format!("selo_{site}_{device}_alarm-{alarm}"),
            "name": format!("{word}: {alarm}"),
            "device_class": class,
            "value_template": state,
            "expire_after": EXPIRE_S,
        }},
        "state_topic": topic::alarms(site, device),
        "qos": 1,
    })
    .to_string()
}

#[cfg(test)]
mod tests;
