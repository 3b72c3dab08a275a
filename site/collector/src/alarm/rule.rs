//! A rule: its kind, the stations it concerns, and the values that break it.

use serde::{Deserialize, Serialize};

use super::severity::Severity;
use crate::error::{Error, Result};
use crate::message::{is_name, is_station_or_device, parts_of};
use crate::rollup::{Level, round};

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
    /// Severity of its alarms. Defaults to warning.
    #[serde(default)]
    pub severity: Severity,
}

impl Rule {
    pub(super) fn of(
        name: &str,
        kind: Kind,
        over: Option<&str>,
        limit: Option<f64>,
        clear: f64,
    ) -> Rule {
        Rule {
            name: name.into(),
            kind,
            device: None,
            over: over.map(str::to_string),
            limit,
            clear: limit.map(|_| clear),
            value: None,
            when: None,
            severity: Severity::Warning,
        }
    }

    /// The default rules of a new collector.
    pub fn first() -> Vec<Rule> {
        let rain = Rule::of("heavy-rain", Kind::Rain, Some("1h"), Some(20.0), 10.0);
        let battery = Rule::of("battery-low", Kind::Battery, None, Some(3.3), 3.5);
        vec![
            Rule {
                severity: Severity::Critical,
                ..rain
            },
            Rule::of("silent", Kind::Silent, Some("1h"), None, 0.0),
            Rule {
                severity: Severity::Info,
                ..battery
            },
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
    pub(super) fn limits(&self) -> (f64, f64) {
        if self.kind == Kind::Silent {
            let seconds = self.over_ms() as f64 / 1000.0;
            return (seconds, seconds);
        }
        let limit = self.limit.unwrap_or(f64::MAX);
        (limit, self.clear.unwrap_or(limit))
    }

    pub(super) fn value_name(&self) -> &str {
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
    pub(super) fn judge(&self, value: f64, active: bool) -> bool {
        let (limit, clear) = self.limits();
        match self.when() {
            When::Over if active => value >= clear,
            When::Over => value >= limit,
            When::Under if active => value <= clear,
            When::Under => value <= limit,
        }
    }

    pub(super) fn check(&self) -> Result<()> {
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

    pub(super) fn text(&self, value: f64, unit: &str, active: bool) -> String {
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

/// Age in ms of the oldest per-minute rain that a rule may need.
pub fn minutes_needed_ms() -> i64 {
    OVER_MAX_MS + Level::Hour.ms()
}
