//! Statements of `sql.rs` in terms of the tables of packed readings. They have the same parameters and
//! columns, so no caller notices. Both databases have these tables, and say few things differently
//! ([`Words`]).

use crate::rollup::Level;
use crate::sql::{self, packed};

/// What a database says in its own way.
#[derive(Debug)]
pub(super) struct Words {
    /// The length of spans in milliseconds.
    pub long: i64,
    /// Before a column that a range of readings ends with: SQLite compares only the first column with the
    /// index if the ends are columns, not expressions.
    pub sign: &'static str,
    /// The site of a station `STATION`.
    pub site: &'static str,
    /// The value ?2 of a reading `r`.
    pub value: &'static str,
    /// Of the values `v` of a group: the last one.
    pub last: &'static str,
    /// What `last` needs of each value.
    pub newest: &'static str,
    /// Readings of all stations by time.
    pub frames: fn(&Words) -> String,
    /// Readings whose consequences are not stored.
    pub unsettled: Option<&'static str>,
}

/// The number of the station ?1.
const OF: &str = "(SELECT number FROM station_number WHERE station = ?1)";
const RAIN_TOTAL: &str = "(SELECT number FROM quantity_number WHERE name = 'rain_total')";
/// The quantity ?2.
const NAMED: &str = "(SELECT number FROM quantity_number WHERE name = ?2)";
const DATA: &str = "selo_data((SELECT l.names FROM layout l WHERE l.number = r.layout), r.data)";

impl Words {
    /// The statement that this one stands for.
    pub fn statement(&self, shared: &str) -> String {
        let mut own = shared.to_owned();
        for (from, to) in self.replacements() {
            if own.contains(&from) {
                own = own.replace(&from, &to);
            }
        }
        own
    }

    fn replacements(&self) -> Vec<(String, String)> {
        let frames = |rest: &str| format!("{} {rest}", sql::FRAME);
        let mut all: Vec<(String, String)> = vec![
            (sql::BEFORE.into(), neighbours("<", "DESC")),
            (sql::AFTER.into(), neighbours(">", "")),
            (sql::RAIN.into(), rain()),
            (sql::RAIN_OVER.into(), rain_over()),
            (sql::RAW_SERIES.into(), self.raw_series()),
            (sql::RESTARTS.into(), restarts()),
            (sql::FLAGGED_HOURS.into(), flagged_hours()),
            (sql::SPARKLINES.into(), sparklines()),
            (frames(sql::FRAMES_OF.1), self.frames_of()),
            (frames(sql::FRAMES.1), (self.frames)(self)),
            (sql::EXPORT.into(), self.export()),
            (sql::RECEPTIONS.into(), receptions()),
            (sql::OLD_STATIONS.into(), self.old_stations()),
            (sql::PRUNE_READINGS.into(), self.prune_readings()),
            (sql::PRUNE_AHEAD.into(), self.prune_ahead()),
            (sql::PRUNE_SPANS.into(), self.prune_spans()),
            (sql::rollup_series(Level::Minute.table()), self.minutes()),
        ];
        for level in [Level::Hour, Level::Day] {
            let table = level.table();
            all.push((sql::rollup_series(table), rollups(level)));
            all.push((sql::old_series(table), old_series(level)));
            all.push((sql::prune_rollup(table), prune_rollup(level)));
        }
        let unsettled = self
            .unsettled
            .map(|own| (packed::UNSETTLED.into(), own.into()));
        all.extend(unsettled);
        all
    }

    /// The length of spans. Its type is also that of a parameter beside it.
    pub fn long(&self) -> String {
        format!("CAST({} AS BIGINT)", self.long)
    }

    /// The readings `r` of a span `d`.
    pub fn in_span(&self) -> String {
        let (long, sign) = (self.long(), self.sign);
        format!(
            "r.station = d.station
            AND (r.session, r.counter) >= ({sign}d.low_session, {sign}d.low_counter)
            AND (r.session, r.counter) <= ({sign}d.high_session, {sign}d.high_counter)
            AND r.received >= d.at AND r.received < d.at + {long}"
        )
    }

    /// What a frame and a line of an export have of a reading `r` of a station.
    pub fn columns(&self, station: &str) -> String {
        format!(
            "{station}, r.session, r.counter, r.received, r.gateway, r.rssi, r.payload, {DATA},
            CAST(r.authenticated AS INTEGER), r.stored, {}",
            self.site.replace("STATION", station)
        )
    }

    pub fn frame(&self) -> String {
        format!(
            "SELECT {}, (SELECT MAX(p.counter) FROM packed_reading p WHERE p.station = r.station
                AND p.session = r.session AND p.counter < r.counter)",
            self.columns("s.station")
        )
    }

    fn raw_series(&self) -> String {
        let (long, in_span) = (self.long(), self.in_span());
        format!(
            "SELECT r.received, {DATA} FROM span d CROSS JOIN packed_reading r
            WHERE {in_span} AND d.station = {OF} AND d.at > ?2 - {long} AND d.at < ?3
                AND r.received >= ?2 AND r.received < ?3
            ORDER BY d.at, r.received, r.session, r.counter LIMIT ?4"
        )
    }

    /// Minutes, made of the readings.
    fn minutes(&self) -> String {
        let (long, in_span) = (self.long(), self.in_span());
        let (value, last, newest) = (self.value, self.last, self.newest);
        format!(
            "SELECT m.at, m.count, m.min, m.max, m.sum, m.last, COALESCE(g.amount, 0) FROM (
                SELECT v.at, COUNT(*) AS count, MIN(v.value) AS min, MAX(v.value) AS max,
                    SUM(selo_exact(v.value)) AS sum, {last} AS last
                FROM (SELECT w.* {newest} FROM (
                    SELECT r.received / 60000 * 60000 AS at, r.session, r.counter, {value} AS value
                    FROM span d CROSS JOIN packed_reading r
                    WHERE {in_span} AND d.station = {OF} AND d.at > ?3 - {long}
                        AND d.at < ?4
                        AND r.received >= ?3 AND r.received / 60000 * 60000 < ?4) w
                    WHERE w.value IS NOT NULL) v
                GROUP BY v.at ORDER BY v.at LIMIT ?5) m
            LEFT JOIN grown_minute g ON g.station = {OF} AND g.name = {NAMED} AND g.at = m.at
            ORDER BY m.at"
        )
    }

    /// The spans of a station, newest first, until the page is full.
    fn frames_of(&self) -> String {
        let (frame, in_span) = (self.frame(), self.in_span());
        format!(
            "{frame} FROM span d CROSS JOIN packed_reading r CROSS JOIN station_number s
            WHERE {in_span} AND s.number = d.station AND d.station = {OF} AND d.at <= ?2
                AND (r.received, r.session, r.counter) < (?2, ?3, ?4)
            ORDER BY d.at DESC, r.received DESC, r.session DESC, r.counter DESC LIMIT ?5"
        )
    }

    fn export(&self) -> String {
        let (long, in_span) = (self.long(), self.in_span());
        let columns = self.columns("CAST(?1 AS TEXT)");
        format!(
            "SELECT {columns} FROM span d CROSS JOIN packed_reading r
            WHERE {in_span} AND d.station = {OF} AND d.at < ?2 AND d.at > ?3 - {long}
                AND r.received < ?2 AND (r.received, r.session, r.counter) > (?3, ?4, ?5)
            ORDER BY d.at, r.received, r.session, r.counter LIMIT ?6"
        )
    }

    fn old_stations(&self) -> String {
        String::from(
            "SELECT s.station FROM station_number s
            WHERE EXISTS (SELECT 1 FROM span d WHERE d.station = s.number AND d.at < ?1)
                OR EXISTS (SELECT 1 FROM span d WHERE d.station = s.number AND d.at > ?2)",
        )
    }

    fn prune_readings(&self) -> String {
        let in_span = self.in_span();
        format!(
            "DELETE FROM packed_reading WHERE station = {OF} AND (session, counter) IN (
                SELECT r.session, r.counter FROM span d CROSS JOIN packed_reading r
                WHERE {in_span} AND d.station = {OF} AND d.at < ?2
                    AND r.received < ?2 AND r.stored < ?2 AND r.stored >= ?3
                ORDER BY d.at LIMIT 500)"
        )
    }

    fn prune_ahead(&self) -> String {
        let (long, in_span) = (self.long(), self.in_span());
        format!(
            "DELETE FROM packed_reading WHERE station = {OF} AND (session, counter) IN (
                SELECT r.session, r.counter FROM span d CROSS JOIN packed_reading r
                WHERE {in_span} AND d.station = {OF} AND d.at > ?4 - {long}
                    AND r.received > ?4 AND r.stored < ?2 AND r.stored >= ?3
                ORDER BY d.at LIMIT 500)"
        )
    }

    /// The spans that have no readings any more.
    fn prune_spans(&self) -> String {
        let (long, in_span) = (self.long(), self.in_span());
        format!(
            "DELETE FROM span AS d WHERE d.station = {OF}
                AND (d.at + {long} <= ?2 OR d.at > ?3)
                AND NOT EXISTS (SELECT 1 FROM packed_reading r WHERE {in_span})"
        )
    }
}

fn neighbours(side: &str, order: &str) -> String {
    format!(
        "SELECT r.session, r.counter, r.received, {DATA} FROM packed_reading r
        WHERE r.station = {OF} AND (r.session, r.counter) {side} (?2, ?3)
        ORDER BY r.session {order}, r.counter {order} LIMIT 16"
    )
}

fn rain() -> String {
    let grown = |range: &str| {
        format!(
            "SELECT r.amount FROM grown_minute r WHERE r.station = (SELECT number
                FROM station_number n WHERE n.station = s.station)
            AND r.name = {RAIN_TOTAL} AND {range}"
        )
    };
    let (hour, before, after) = (
        grown("r.at > ?1 AND r.at <= ?3"),
        grown("r.at > ?2 AND r.at < ?4"),
        grown("r.at >= ?5 AND r.at <= ?3"),
    );
    let whole = grown("r.at >= ?4 AND r.at < ?5").replace("grown_minute", "packed_hour");
    // A station without rain has an hour with an amount of 0, and no minute.
    let present = grown("r.at >= ?5 AND r.at <= ?3")
        .replace("grown_minute", "packed_hour")
        .replace("r.amount", "0");
    format!(
        "(SELECT SUM(h.amount) FROM ({hour}) h),
        (SELECT SUM(d.amount) FROM ({before} UNION ALL {whole} UNION ALL {after}
            UNION ALL {present}) d)"
    )
}

fn rain_over() -> String {
    format!(
        "SELECT SUM(amount) FROM grown_minute
        WHERE station = {OF} AND name = {RAIN_TOTAL} AND at > ?2 AND at <= ?3"
    )
}

fn rollups(level: Level) -> String {
    let table = level.packed();
    format!(
        "SELECT at, count, min, max, sum, last, amount FROM {table}
        WHERE station = {OF} AND name = {NAMED} AND at >= ?3 AND at < ?4 ORDER BY at LIMIT ?5"
    )
}

fn restarts() -> String {
    format!(
        "SELECT r.received FROM
            (SELECT session, first FROM session WHERE station = ?1
                ORDER BY session DESC LIMIT 2000) n
        JOIN packed_reading r ON r.station = {OF} AND r.session = n.session
            AND r.counter = n.first
        WHERE r.received >= ?2 AND r.received < ?3 ORDER BY r.received DESC LIMIT ?4"
    )
}

fn flagged_hours() -> String {
    format!(
        "SELECT at FROM packed_hour
        WHERE station = {OF} AND name = {NAMED} AND at > ?3 - 3600000 AND at < ?4 AND max > 0
        ORDER BY at DESC LIMIT ?5"
    )
}

fn sparklines() -> String {
    "SELECT s.station, r.at, r.amount, r.sum, r.count FROM station_number s
    JOIN packed_hour r ON r.station = s.number
        AND r.name = (SELECT number FROM quantity_number WHERE name = ?1) AND r.at >= ?2"
        .into()
}

fn receptions() -> String {
    sql::RECEPTIONS.replace("FROM reading", "FROM packed_reading")
}

fn old_series(level: Level) -> String {
    let table = level.packed();
    format!(
        "SELECT s.station, n.name FROM quantity q JOIN station_number s ON s.station = q.station
            JOIN quantity_number n ON n.name = q.name
        WHERE EXISTS (SELECT 1 FROM {table} r
            WHERE r.station = s.number AND r.name = n.number AND r.at < ?1)"
    )
}

fn prune_rollup(level: Level) -> String {
    let table = level.packed();
    format!(
        "DELETE FROM {table} WHERE station = {OF} AND name = {NAMED} AND at IN (
            SELECT at FROM {table} WHERE station = {OF} AND name = {NAMED} AND at < ?3
            ORDER BY at LIMIT 500)"
    )
}

#[cfg(test)]
mod tests {
    use super::super::{postgres, sqlite};
    use super::*;

    #[test]
    fn no_statement_of_its_own_names_the_views() {
        let both = [&postgres::WORDS, &sqlite::WORDS];
        for (shared, own) in both.into_iter().flat_map(Words::replacements) {
            let parameters = |text: &str| {
                let place = |at: &usize| text.contains(&format!("?{at}"));
                (1..=9).filter(place).max()
            };
            assert!(!own.contains("rollup_"), "{own}");
            assert!(!own.contains(" reading "), "{own}");
            assert_eq!(parameters(&shared), parameters(&own), "{shared}\n{own}");
        }
    }
}
