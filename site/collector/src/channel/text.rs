//! The texts of messages, in the channel's language.

use selo_codec::Language;
use serde_json::Value as Json;

use crate::alarm::Severity;
use crate::settings::{Settings, Zone};
use crate::shown;
use crate::titles::Titles;

/// Alarms that one message names; it counts the others.
const NAMED: usize = 20;

/// A message to people.
#[derive(Debug, Clone, PartialEq)]
pub struct Letter {
    pub title: String,
    pub text: String,
    pub severity: Severity,
}

/// Words of a language.
struct Words {
    alarm: &'static str,
    alarms: &'static str,
    cleared: &'static str,
    changed: &'static str,
    resumed: &'static str,
    more: &'static str,
    waited: &'static str,
    since: &'static str,
    test: (&'static str, &'static str),
    severities: [&'static str; 3],
}

const ENGLISH: Words = Words {
    alarm: "alarm",
    alarms: "alarms",
    cleared: "over",
    changed: "the rule was changed",
    resumed: "readings have resumed",
    more: "more",
    waited: "nobody has acknowledged it",
    since: "since",
    test: (
        "test",
        "This is a test of the channel. No alarm has been raised.",
    ),
    severities: ["info", "warning", "CRITICAL"],
};

const PORTUGUESE: Words = Words {
    alarm: "alarme",
    alarms: "alarmes",
    cleared: "encerrado",
    changed: "a regra foi mudada",
    resumed: "as leituras voltaram",
    more: "mais",
    waited: "ninguém o reconheceu",
    since: "desde",
    test: (
        "teste",
        "Isto é um teste do canal. Nenhum alarme foi disparado.",
    ),
    severities: ["informação", "aviso", "CRÍTICO"],
};

fn words_of(language: Language) -> &'static Words {
    match language {
        Language::English => &ENGLISH,
        Language::Portuguese => &PORTUGUESE,
    }
}

fn number(language: Language, value: f64) -> String {
    shown::number(&format!("{value}"), language == Language::Portuguese)
}

/// Seconds as `1 h 30 min`.
fn span(seconds: i64) -> String {
    let units = [(86_400, "d"), (3600, "h"), (60, "min"), (1, "s")];
    let mut rest = seconds;
    let mut parts = Vec::new();
    for (size, name) in units {
        if rest >= size {
            parts.push(format!("{} {name}", rest / size));
            rest %= size;
        }
    }
    parts.join(" ")
}

fn severity_of(body: &Json) -> Severity {
    let severity = body["severity"].as_str().and_then(Severity::parse);
    severity.unwrap_or_default()
}

/// What happened, in words: `25.4 mm of rain in 1 h (limit 20 mm)`.
fn facts(body: &Json, language: Language, titles: &Titles) -> String {
    let (words, what) = (words_of(language), &body["what"]);
    let english = language == Language::English;
    let active = body["active"] == true;
    let unit = shown::unit(body["unit"].as_str().unwrap_or(""));
    let value = number(language, body["value"].as_f64().unwrap_or(0.0));
    let over = span(what["over_seconds"].as_i64().unwrap_or(0));
    let limit = format!(
        "{} {unit}",
        number(language, body["limit"].as_f64().unwrap_or(0.0))
    );
    let limit = match (active, english) {
        (false, _) => String::new(),
        (true, true) => format!(" (limit {})", limit.trim()),
        (true, false) => format!(" (limite {})", limit.trim()),
    };
    match (what["kind"].as_str().unwrap_or(""), english) {
        ("rain", true) => format!("{value} mm of rain in {over}{limit}"),
        ("rain", false) => format!("{value} mm de chuva em {over}{limit}"),
        ("silent", _) if !active => words.resumed.into(),
        ("silent", true) => format!("no reading for {over}"),
        ("silent", false) => format!("nenhuma leitura há {over}"),
        ("changed", _) => words.changed.into(),
        (_, _) => {
            let quantity = what["quantity"].as_str().unwrap_or("value");
            let quantity = titles.title(None, quantity, language);
            format!("{quantity} {value} {unit}{limit}")
        }
    }
}

/// One line about one notice.
fn line(body: &Json, language: Language, zone: &Zone, titles: &Titles) -> String {
    let words = words_of(language);
    let text = |name: &str| body[name].as_str().unwrap_or("").to_string();
    let station = match body["name"].as_str() {
        Some(name) if !name.is_empty() => name.to_string(),
        _ => text("device"),
    };
    let facts = facts(body, language, titles);
    if body["active"] != true {
        return format!("{station}: {} {} ({facts})", text("alarm"), words.cleared);
    }
    let since = text("since").parse::<jiff::Timestamp>().map_or_else(
        |_| String::new(),
        |since| since.to_zoned(zone.now()).strftime("%H:%M").to_string(),
    );
    let severity = words.severities[severity_of(body) as usize];
    format!(
        "{severity}: {station}: {}: {facts}, {} {since}",
        text("alarm"),
        words.since
    )
}

/// The message about some notices. `waited`: nobody has acknowledged them.
pub fn letter(bodies: &[Json], language: Language, settings: &Settings, waited: bool) -> Letter {
    let (site, zone, titles) = (settings.name(), &settings.zone, &settings.titles);
    let words = words_of(language);
    let mut lines: Vec<String> = bodies
        .iter()
        .take(NAMED)
        .map(|body| {
            line(body, language, zone, titles)
                .chars()
                .take(160)
                .collect()
        })
        .collect();
    if bodies.len() > NAMED {
        lines.push(format!("+ {} {}", bodies.len() - NAMED, words.more));
    }
    let severity = bodies
        .iter()
        .filter(|body| body["active"] == true)
        .map(severity_of)
        .max()
        .unwrap_or(Severity::Info);
    let title = match bodies {
        [_] => lines[0].clone(),
        _ => format!("{} {}", bodies.len(), words.alarms),
    };
    let prefix = if site.is_empty() {
        String::new()
    } else {
        format!("[{site}] ")
    };
    if waited {
        lines.push(format!("({})", words.waited));
    }
    Letter {
        title: format!("{prefix}{title}").chars().take(120).collect(),
        text: lines.join("\n"),
        severity,
    }
}

/// The message of the test button.
pub fn test_letter(language: Language, site: &str) -> Letter {
    let words = words_of(language);
    let site = if site.is_empty() { "Selo" } else { site };
    Letter {
        title: format!("[{site}] {} ({})", words.test.0, words.alarm),
        text: words.test.1.into(),
        severity: Severity::Info,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn one_alarm_is_told_in_both_languages() {
        let body = json!({
            "alarm": "heavy-rain", "name": "Garden", "device": "3f9a01c2", "severity": "critical",
            "active": true, "since": "2026-11-21T12:05:00.000Z", "value": 25.4, "limit": 20.0,
            "unit": "mm", "what": {"kind": "rain", "over_seconds": 5400, "quantity": ""},
        });
        let settings = Settings::default();
        settings.set_name("Farm");
        let one = letter(
            std::slice::from_ref(&body),
            Language::English,
            &settings,
            false,
        );
        let line = "CRITICAL: Garden: heavy-rain: 25.4 mm of rain in 1 h 30 min (limit 20 mm), since 12:05";
        assert_eq!(
            (one.title, one.text),
            (format!("[Farm] {line}"), line.to_string())
        );
        settings.zone.set("America/Sao_Paulo").expect("a zone");
        let one = letter(&[body], Language::Portuguese, &settings, true);
        assert_eq!(
            one.text,
            "CRÍTICO: Garden: heavy-rain: 25,4 mm de chuva em 1 h 30 min (limite 20 mm), desde 09:05\n\
             (ninguém o reconheceu)"
        );
    }

    #[test]
    fn a_value_has_its_codecs_title_and_its_unit_in_the_readers_words() {
        let body = json!({
            "alarm": "hot", "name": "Roof", "device": "3f9a01c2", "severity": "warning",
            "active": true, "since": "2026-11-21T12:05:00.000Z", "value": 31.5, "limit": 30.0,
            "unit": "Cel", "what": {"kind": "value", "quantity": "temperature_1"},
        });
        let codecs = selo_codec::Catalogue::built_in().expect("right");
        let mut settings = Settings::default();
        settings.titles = Titles::of(&codecs).into();
        let text = |language| letter(std::slice::from_ref(&body), language, &settings, false).text;
        assert_eq!(
            text(Language::Portuguese),
            "aviso: Roof: hot: Temperatura 1 31,5 °C (limite 30 °C), desde 12:05"
        );
        assert_eq!(
            text(Language::English),
            "warning: Roof: hot: Temperature 1 31.5 °C (limit 30 °C), since 12:05"
        );
    }

    #[test]
    fn a_flood_is_one_message_of_bounded_length() {
        let body = json!({
            "alarm": "silent", "device": "a", "severity": "warning", "active": true,
            "since": "2026-11-21T12:05:00.000Z", "value": 3600.0, "limit": 3600.0, "unit": "s",
            "what": {"kind": "silent", "over_seconds": 3600},
        });
        let flood = vec![body; 200];
        let one = letter(&flood, Language::English, &Settings::default(), false);
        assert_eq!(one.title, "200 alarms");
        assert!(one.text.ends_with("+ 180 more") && one.text.len() < 4000);
    }
}
