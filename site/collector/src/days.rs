//! Days of the site's time zone, made of hours. The stored roll-up by day is that of UTC.

use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

use crate::db::{Row, Value};

/// Start of the local day that contains a time, in Unix ms.
fn start_of(at: i64, zone: &TimeZone) -> Option<i64> {
    let time = Timestamp::from_millisecond(at).ok()?.to_zoned(zone.clone());
    Some(time.start_of_day().ok()?.timestamp().as_millisecond())
}

/// Returns true if the zone's days are those of UTC.
pub fn is_utc(zone: &TimeZone) -> bool {
    *zone == TimeZone::UTC
}

/// The start of the first day and the end of the last one of a range.
pub fn whole(from: i64, to: i64, zone: &TimeZone) -> (i64, i64) {
    let start = start_of(from, zone).unwrap_or(from);
    let end = Timestamp::from_millisecond(to)
        .ok()
        .and_then(|end| end.to_zoned(zone.clone()).checked_add(1.day()).ok())
        .and_then(|next| start_of(next.timestamp().as_millisecond(), zone));
    (start, end.unwrap_or(to))
}

/// Adds up rows of hours (at, count, min, max, sum, last, amount) to rows of days. An hour belongs
/// to the day in which it starts.
pub fn by_day(hours: &[Row], zone: &TimeZone) -> Vec<Row> {
    let mut days: Vec<Row> = Vec::new();
    for hour in hours {
        let at = start_of(hour.int(0), zone).unwrap_or(hour.int(0));
        match days.last_mut().filter(|day| day.int(0) == at) {
            None => {
                let mut day = hour.clone();
                day.0[0] = Value::Int(at);
                days.push(day);
            }
            Some(day) => {
                day.0[1] = Value::Int(day.int(1) + hour.int(1));
                day.0[2] = Value::Real(day.real(2).min(hour.real(2)));
                day.0[3] = Value::Real(day.real(3).max(hour.real(3)));
                day.0[4] = Value::Real(day.real(4) + hour.real(4));
                day.0[5] = hour.0[5].clone();
                day.0[6] = Value::Real(day.real(6) + hour.real(6));
            }
        }
    }
    days
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3_600_000;
    /// 2026-11-21T12:00:00Z
    const NOON: i64 = 1_795_262_400_000;

    fn hour(at: i64, value: f64) -> Row {
        let real = Value::Real(value);
        Row(vec![
            Value::Int(at),
            Value::Int(2),
            real.clone(),
            real.clone(),
            real.clone(),
            real.clone(),
            real,
        ])
    }

    #[test]
    fn the_evening_belongs_to_the_local_day() {
        let zone = TimeZone::get("America/Sao_Paulo").expect("a zone");
        let midnight = NOON + 15 * HOUR; // 03:00 UTC
        let hours = [
            hour(midnight - 2 * HOUR, 1.0),
            hour(midnight - HOUR, 5.0),
            hour(midnight, 2.0),
        ];
        let days = by_day(&hours, &zone);
        let told: Vec<(i64, i64, f64, f64)> = days
            .iter()
            .map(|day| (day.int(0), day.int(1), day.real(3), day.real(6)))
            .collect();
        assert_eq!(
            told,
            [(midnight - 24 * HOUR, 4, 5.0, 6.0), (midnight, 2, 2.0, 2.0)]
        );
        assert_eq!(
            whole(midnight - 1, midnight + 1, &zone),
            (midnight - 24 * HOUR, midnight + 24 * HOUR)
        );
    }
}
