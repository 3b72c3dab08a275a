//! The content of the public page. Of a station it has the name, the state, rain, values, and the
//! severity of its alarms: no ids, no positions, no names of rules, gateways or persons.

use std::sync::Arc;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use selo_codec::Language;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::alarm::Severity;
use crate::error::{Error, Result};
use crate::shown;
use crate::titles::Titles;

/// Maximum stations of the page.
const STATIONS_MAX: usize = 200;
const TITLE_MAX: usize = 80;
/// Values that say nothing to the public: clocks, flags, totals, batteries; and positions, which
/// are nobody's business. A value of a channel, such as `latitude_1`, is hidden like one without.
const HIDDEN: [&str; 10] = [
    "time",
    "status",
    "clock_lost",
    "radio_lost",
    "restarted",
    "battery",
    "rain_total",
    "latitude",
    "longitude",
    "altitude",
];

/// Returns true if a value is not shown to the public.
fn is_hidden(name: &str) -> bool {
    let is_channel = |tail: &str| !tail.is_empty() && tail.bytes().all(|b| b.is_ascii_digit());
    let bare = match name.rsplit_once('_') {
        Some((bare, tail)) if is_channel(tail) => bare,
        _ => name,
    };
    HIDDEN.contains(&bare)
}

/// What an admin has made public.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Public {
    pub enabled: bool,
    #[serde(default)]
    pub title: String,
    /// Station ids, in the order of the page.
    #[serde(default)]
    pub stations: Vec<String>,
}

impl Public {
    /// Checks it before it is stored.
    pub fn check(&self) -> Result<()> {
        let title = self.title.chars();
        if title.clone().count() > TITLE_MAX || title.clone().any(char::is_control) {
            return Err(Error::Invalid(format!(
                "a title has at most {TITLE_MAX} characters"
            )));
        }
        if self.stations.len() > STATIONS_MAX {
            return Err(Error::Invalid(format!(
                "at most {STATIONS_MAX} stations may be public"
            )));
        }
        Ok(())
    }
}

/// Forms of the page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Form {
    English,
    Portuguese,
    Json,
}

impl Form {
    pub const COUNT: usize = 3;
}

struct Words {
    language: Language,
    lang: &'static str,
    title: &'static str,
    station: &'static str,
    state: &'static str,
    hour: &'static str,
    day: &'static str,
    values: &'static str,
    heard: &'static str,
    states: [&'static str; 3],
    alarms: [&'static str; 3],
    none: &'static str,
    note: &'static str,
    made: &'static str,
}

const ENGLISH: Words = Words {
    language: Language::English,
    lang: "en",
    title: "Stations",
    station: "Station",
    state: "State",
    hour: "Rain, last hour",
    day: "Rain, last 24 h",
    values: "Values",
    heard: "Last reading",
    states: ["● online", "○ no reading", "□ no data yet"],
    alarms: ["■ information", "▲ warning", "◆ alarm"],
    none: "No stations are shown.",
    note: "Readings are shown as they are received, without a check by a person.",
    made: "As of",
};

const PORTUGUESE: Words = Words {
    language: Language::Portuguese,
    lang: "pt-BR",
    title: "Estações",
    station: "Estação",
    state: "Estado",
    hour: "Chuva, última hora",
    day: "Chuva, últimas 24 h",
    values: "Valores",
    heard: "Última leitura",
    states: ["● on-line", "○ sem leitura", "□ ainda sem dados"],
    alarms: ["■ informação", "▲ aviso", "◆ alarme"],
    none: "Nenhuma estação é mostrada.",
    note: "As leituras são mostradas como chegam, sem conferência por uma pessoa.",
    made: "Situação de",
};

/// Text as it may stand in HTML.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c if c.is_control() => {}
            c => safe.push(c),
        }
    }
    safe
}

/// What is public of a station. Without a name it has its number on the page, because the device's
/// id is not public.
fn reduced(number: usize, station: &Json) -> Json {
    let name = station["name"]
        .as_str()
        .filter(|name| !name.is_empty())
        .map_or_else(|| number.to_string(), str::to_string);
    let severity = |alarm: &Json| alarm["severity"].as_str().and_then(Severity::parse);
    let worst = station["alarms"]
        .as_array()
        .and_then(|all| all.iter().filter_map(severity).max());
    let values = station["values"].as_object().map(|values| {
        let shown = values.iter().filter(|(name, _)| !is_hidden(name));
        shown
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect::<serde_json::Map<_, _>>()
    });
    json!({
        "name": name, "state": station["state"], "last_seen": station["last_seen"],
        "rain": station["rain"], "values": values,
        "alarm": worst,
    })
}

/// What the page knows of the site.
#[derive(Debug)]
pub struct Of {
    pub name: String,
    pub zone: TimeZone,
    pub titles: Arc<Titles>,
}

/// A station of the page.
struct Shown<'a> {
    data: Json,
    /// Names the titles of its values; not public itself.
    codec: Option<&'a str>,
}

/// The page or its data.
pub fn body(form: Form, shown: &Public, all: &[Json], site: &Of, now: i64) -> String {
    let find = |id: &String| all.iter().find(|station| station["station"] == **id);
    let stations: Vec<Shown<'_>> = shown
        .stations
        .iter()
        .filter_map(find)
        .enumerate()
        .map(|(index, station)| Shown {
            data: reduced(index + 1, station),
            codec: station["codec"].as_str(),
        })
        .collect();
    let words = match form {
        Form::Json => {
            let at = crate::message::time_text(now);
            let stations: Vec<Json> = stations.into_iter().map(|one| one.data).collect();
            return json!({"title": shown.title, "at": at, "stations": stations}).to_string();
        }
        Form::English => &ENGLISH,
        Form::Portuguese => &PORTUGUESE,
    };
    let title = match (shown.title.as_str(), site.name.as_str()) {
        ("", "") => words.title,
        ("", name) => name,
        (title, _) => title,
    };
    page(&escaped(title), &stations, words, site, now)
}

/// The page in one language. `title` is safe in HTML. The style sheet's address is relative: a
/// reverse proxy may serve the page below a path of its own.
fn page(title: &str, stations: &[Shown<'_>], words: &Words, site: &Of, now: i64) -> String {
    let now = Timestamp::from_millisecond(now).unwrap_or_default();
    format!(
        "<!doctype html>\n<html lang=\"{}\"><head><meta charset=\"utf-8\">\
        <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
        <meta name=\"color-scheme\" content=\"light dark\">\
        <title>{title}</title><link rel=\"stylesheet\" href=\"style.css\"></head>\
        <body class=\"public\"><main><h1>{title}</h1>{}<p class=\"soft\">{} {}. {}</p></main></body></html>\n",
        words.lang,
        table(title, stations, words, site),
        words.made,
        local(now, words, &site.zone),
        words.note
    )
}

fn table(title: &str, stations: &[Shown<'_>], words: &Words, site: &Of) -> String {
    if stations.is_empty() {
        return format!("<p>{}</p>", words.none);
    }
    let rows: String = stations.iter().map(|one| row(one, words, site)).collect();
    let heads = [
        words.station,
        words.state,
        words.hour,
        words.day,
        words.values,
        words.heard,
    ];
    let heads: String = heads
        .map(|head| format!("<th scope=\"col\">{head}</th>"))
        .concat();
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{title}\">\
        <table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
    )
}

fn number(value: f64, digits: usize, words: &Words) -> String {
    shown::number(&format!("{value:.digits$}"), words.lang != "en")
}

fn quantity(value: &Json, words: &Words) -> String {
    let unit = shown::unit(value["unit"].as_str().unwrap_or(""));
    let digits = if unit == "mm" || unit == "°C" { 1 } else { 2 };
    let text = number(value["value"].as_f64().unwrap_or(0.0), digits, words);
    format!("{text}\u{a0}{}", escaped(unit))
}

/// A time in the site's zone.
fn local(at: Timestamp, words: &Words, zone: &TimeZone) -> String {
    let format = if words.lang == "en" {
        "%Y-%m-%d %H:%M"
    } else {
        "%d/%m/%Y %H:%M"
    };
    let zoned = at.to_zoned(zone.clone());
    zoned.strftime(format).to_string()
}

fn row(shown: &Shown<'_>, words: &Words, site: &Of) -> String {
    let station = &shown.data;
    let rain = |span: &str| match station["rain"][span].as_f64() {
        Some(mm) => format!("{}\u{a0}mm", number(mm, 1, words)),
        None => "–".into(),
    };
    let (class, state) = match (station["alarm"].as_str(), station["state"].as_str()) {
        (Some("critical"), _) => ("bad", words.alarms[2]),
        (Some("warning"), _) => ("warn", words.alarms[1]),
        (_, Some("silent")) => ("soft", words.states[1]),
        (_, Some("never")) => ("soft", words.states[2]),
        (Some(_), _) => ("", words.alarms[0]),
        _ => ("good", words.states[0]),
    };
    let values: Vec<String> = station["values"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, value)| {
            let title = site.titles.title(shown.codec, name, words.language);
            format!("{} {}", escaped(&title), quantity(value, words))
        })
        .collect();
    let seen = station["last_seen"]
        .as_str()
        .and_then(|text| text.parse::<Timestamp>().ok());
    let seen = seen.map(|at| local(at, words, &site.zone));
    format!(
        "<tr><th scope=\"row\">{}</th><td class=\"{class}\">{state}</td><td class=\"n\">{}</td>\
        <td class=\"n\">{}</td><td>{}</td><td>{}</td></tr>",
        escaped(station["name"].as_str().unwrap_or("")),
        rain("hour"),
        rain("day"),
        values.join(" · "),
        seen.unwrap_or_else(|| "–".into()),
    )
}
