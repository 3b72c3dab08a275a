//! Lists of many stations: the names of all, a page of the overview, and the map. They are short
//! and sorted here, so that a browser need not load a thousand stations to show a few.

use std::cmp::Reverse;

use serde_json::{Value as Json, json};

use crate::alarm;
use crate::db::{Database, Row};
use crate::error::{Error, Result};
use crate::query;
use crate::rollup::round;
use crate::sql;

/// The severities of alarms, the worst first.
const WORST_FIRST: [&str; 3] = ["critical", "warning", "info"];

/// The names of all stations, `[station, name, device]`, and of all values.
pub fn names(db: &mut dyn Database) -> Result<Json> {
    let stations = db.query(sql::STATION_NAMES, &[])?;
    let values = db.query(sql::VALUE_NAMES, &[])?;
    let station = |row: &Row| json!([row.text(0), row.opt_text(1), row.text(2)]);
    let stations: Vec<Json> = stations.iter().map(station).collect();
    let values: Vec<&str> = values.iter().map(|row| row.text(0)).collect();
    Ok(json!({"stations": stations, "values": values}))
}

/// An order of the overview.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Alarms first, then silence, then rain.
    Worst,
    Name,
    Rain,
    /// The longest unheard station first.
    Heard,
}

impl Order {
    /// Parses `worst`, `name`, `rain` or `heard`.
    pub fn parse(text: &str) -> Result<Order> {
        match text {
            "worst" => Ok(Order::Worst),
            "name" => Ok(Order::Name),
            "rain" => Ok(Order::Rain),
            "heard" => Ok(Order::Heard),
            _ => Err(Error::Invalid(
                "order must be worst, name, rain or heard".into(),
            )),
        }
    }
}

/// What of the overview is asked for.
#[derive(Debug)]
pub struct Page {
    pub order: Order,
    /// Part of a name, a device or a site. Empty finds all.
    pub search: String,
    pub from: usize,
    pub limit: usize,
}

/// A station as lists know it.
struct Brief<'a> {
    row: &'a Row,
    state: &'static str,
    silent_from: Option<i64>,
    alarms: Vec<Json>,
}

impl Brief<'_> {
    fn name(&self) -> &str {
        self.row.opt_text(1).unwrap_or(self.row.text(2))
    }

    /// Rain of the last hour and of the last day; `None` without a gauge.
    fn rain(&self) -> Option<(f64, f64)> {
        let day = self.row.opt_real(9)?;
        Some((round(self.row.opt_real(8).unwrap_or(0.0)), round(day)))
    }

    fn has(&self, wanted: &str) -> bool {
        let row = self.row;
        let text = format!("{} {} {}", self.name(), row.text(2), row.text(3));
        text.to_lowercase().contains(wanted)
    }

    /// 0 for the worst alarm; silence is worse than no alarm.
    fn rank(&self) -> usize {
        let has = |severity: &&str| self.alarms.iter().any(|one| one["severity"] == **severity);
        let alarm = WORST_FIRST.iter().position(has);
        let calm = WORST_FIRST.len() + usize::from(self.state != "silent");
        alarm.unwrap_or(calm)
    }
}

/// The stations, or those with these ids.
fn with_briefs<T>(
    db: &mut dyn Database,
    chosen: Option<&[String]>,
    (now, silent_after): (i64, i64),
    work: impl FnOnce(Vec<Brief<'_>>) -> T,
) -> Result<T> {
    if chosen.is_some_and(<[String]>::is_empty) {
        return Ok(work(Vec::new()));
    }
    let select = sql::brief_stations(chosen.map(<[String]>::len));
    let rows = db.query(&select, &query::rain_times(now, chosen))?;
    with_rows(db, (chosen, &rows), (now, silent_after), work)
}

/// All stations, without their rain.
fn with_dry_briefs<T>(
    db: &mut dyn Database,
    (now, silent_after): (i64, i64),
    work: impl FnOnce(Vec<Brief<'_>>) -> T,
) -> Result<T> {
    let rows = db.query(sql::DRY_STATIONS, &[])?;
    with_rows(db, (None, &rows), (now, silent_after), work)
}

fn with_rows<T>(
    db: &mut dyn Database,
    (chosen, rows): (Option<&[String]>, &[Row]),
    (now, silent_after): (i64, i64),
    work: impl FnOnce(Vec<Brief<'_>>) -> T,
) -> Result<T> {
    let rules = alarm::load_rules(db)?;
    let mut alarms = query::alarms_by_station(db, chosen)?;
    let brief = |row| {
        let station = Row::text(row, 0);
        let after = alarm::silent_after(&rules, station, silent_after);
        let seen = row.opt_int(4);
        Brief {
            row,
            state: query::state(seen, after, now),
            silent_from: seen.map(|seen| seen.saturating_add(after)),
            alarms: alarms.remove(station).unwrap_or_default(),
        }
    };
    Ok(work(rows.iter().map(brief).collect()))
}

/// A page of the stations in an order, with all details.
pub fn overview(db: &mut dyn Database, page: &Page, now: i64, silent_after: i64) -> Result<Json> {
    let wanted = page.search.trim().to_lowercase();
    let choose = |mut briefs: Vec<Brief<'_>>| {
        let online = briefs.iter().filter(|one| one.state == "online").count();
        let all = briefs.len();
        briefs.retain(|one| one.has(&wanted));
        sort(&mut briefs, page.order);
        let on_page = briefs.iter().skip(page.from).take(page.limit);
        let ids: Vec<String> = on_page.map(|one| one.row.text(0).into()).collect();
        ((all, online, briefs.len()), ids)
    };
    let times = (now, silent_after);
    let ((all, online, found), ids) = match page.order {
        Order::Worst | Order::Rain => with_briefs(db, None, times, choose),
        Order::Name | Order::Heard => with_dry_briefs(db, times, choose),
    }?;
    let mut stations = query::stations(db, Some(&ids), now, silent_after)?;
    let place = |one: &Json| ids.iter().position(|id| one["station"] == **id);
    stations.sort_by_cached_key(place);
    Ok(json!({"all": all, "online": online, "found": found, "stations": stations}))
}

fn sort(briefs: &mut [Brief<'_>], order: Order) {
    // Rain in hundredths, because a key must have an order.
    let hundredths = |mm: f64| Reverse((mm * 100.0) as i64);
    let hour = |one: &Brief<'_>| hundredths(one.rain().map_or(-1.0, |rain| rain.0));
    let day = |one: &Brief<'_>| hundredths(one.rain().map_or(-1.0, |rain| rain.1));
    let name = |one: &Brief<'_>| (name_key(one.name()), name_key(one.row.text(2)));
    match order {
        Order::Worst => briefs.sort_by_cached_key(|one| (one.rank(), hour(one), name(one))),
        Order::Name => briefs.sort_by_cached_key(name),
        Order::Rain => briefs.sort_by_cached_key(|one| (hour(one), day(one), name(one))),
        Order::Heard => {
            briefs.sort_by_cached_key(|one| (one.row.opt_int(4).unwrap_or(0), name(one)));
        }
    }
}

/// A key that sorts names as a person does: "Água 2" before "agua 10" and before "Bridge".
fn name_key(name: &str) -> Vec<(String, u64)> {
    let mut parts = vec![(String::new(), 0u64)];
    let mut in_number = false;
    for letter in name.chars().flat_map(char::to_lowercase) {
        let Some((text, number)) = parts.last_mut() else {
            break;
        };
        if let Some(digit) = letter.to_digit(10) {
            *number = number.saturating_mul(10).saturating_add(digit.into());
            in_number = true;
        } else if in_number {
            parts.push((plain(letter).into(), 0));
            in_number = false;
        } else {
            text.push(plain(letter));
        }
    }
    parts
}

/// A small letter without its accent.
fn plain(letter: char) -> char {
    match letter {
        'à'..='å' => 'a',
        'ç' => 'c',
        'è'..='ë' => 'e',
        'ì'..='ï' => 'i',
        'ñ' => 'n',
        'ò'..='ö' => 'o',
        'ù'..='ü' => 'u',
        other => other,
    }
}

/// What the map shows of the stations. `show` is `rain.hour`, `rain.day` or a value.
pub fn on_map(
    db: &mut dyn Database,
    chosen: Option<&[String]>,
    show: &str,
    now: i64,
    silent_after: i64,
) -> Result<Vec<Json>> {
    with_briefs(db, chosen, (now, silent_after), |briefs| {
        briefs.iter().map(|one| marker(one, show)).collect()
    })
}

fn marker(one: &Brief<'_>, show: &str) -> Json {
    let mm = |mm: f64| json!({"value": mm, "unit": "mm"});
    let value = match show {
        "rain.hour" => one.rain().map_or(Json::Null, |rain| mm(rain.0)),
        "rain.day" => one.rain().map_or(Json::Null, |rain| mm(rain.1)),
        name => {
            let values: Json = serde_json::from_str(one.row.text(7)).unwrap_or_default();
            values.get(name).cloned().unwrap_or_default()
        }
    };
    let alarm = |alarm: &Json| json!({"alarm": alarm["alarm"], "severity": alarm["severity"]});
    json!({
        "station": one.row.text(0),
        "latitude": one.row.opt_real(5),
        "longitude": one.row.opt_real(6),
        "state": one.state,
        "silent_from": one.silent_from,
        "value": value,
        "alarms": one.alarms.iter().map(alarm).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_sort_as_a_person_sorts_them() {
        let mut names = [
            "Zona 1", "água 10", "Bridge", "Agua 2", "Água", "s10b", "s9", "",
        ];
        names.sort_by_cached_key(|name| name_key(name));
        let wanted = [
            "", "Água", "Agua 2", "água 10", "Bridge", "s9", "s10b", "Zona 1",
        ];
        assert_eq!(names, wanted);
        // A long number neither overflows nor panics.
        assert_eq!(name_key(&"9".repeat(99)), [(String::new(), u64::MAX)]);
    }
}
