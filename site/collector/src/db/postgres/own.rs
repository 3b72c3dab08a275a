//! Statements of `sql.rs` in terms of PostgreSQL's own tables ([`tables`](super::tables)). They have
//! the same parameters and columns, so no caller notices.

use crate::rollup::Level;
use crate::sql::{self, packed};

/// The number of the station ?1.
const OF: &str = "(SELECT number FROM station_number WHERE station = ?1)";
const RAIN_TOTAL: &str = "(SELECT number FROM quantity_number WHERE name = 'rain_total')";
/// The quantity ?2.
const NAMED: &str = "(SELECT number FROM quantity_number WHERE name = ?2)";
const DATA: &str = "selo_data((SELECT l.names FROM layout l WHERE l.number = r.layout), r.data)";
/// The readings `r` of a span `d`.
const IN_SPAN: &str = "r.station = d.station
    AND (r.session, r.counter) >= (d.low_session, d.low_counter)
    AND (r.session, r.counter) <= (d.high_session, d.high_counter)
    AND r.received >= d.day AND r.received < d.day + 86400000";

/// The statement for one row or key that this one stands for.
pub(super) fn statement(shared: &str) -> String {
    let mut own = shared.to_owned();
    for (from, to) in replacements() {
        if own.contains(&from) {
            own = own.replace(&from, &to);
        }
    }
    own
}

fn replacements() -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = vec![
        (sql::BEFORE.into(), neighbours("<", "DESC")),
        (sql::AFTER.into(), neighbours(">", "")),
        (sql::RAIN.into(), rain()),
        (sql::RAIN_OVER.into(), rain_over()),
        (sql::RAW_SERIES.into(), raw_series()),
        (sql::RESTARTS.into(), restarts()),
        (sql::FLAGGED_HOURS.into(), flagged_hours()),
        (sql::SPARKLINES.into(), sparklines()),
        (sql::FRAME.into(), frame()),
        (sql::FRAMES_OF.1.into(), frames_of()),
        (sql::FRAMES.1.into(), frames()),
        (sql::EXPORT.into(), export()),
        (sql::RECEPTIONS.into(), receptions()),
        (sql::OLD_STATIONS.into(), old_stations()),
        (sql::PRUNE_READINGS.into(), prune_readings()),
        (sql::PRUNE_AHEAD.into(), prune_ahead()),
    ];
    for level in Level::ALL {
        let (series, old, prune) = match level {
            // They go with their readings.
            Level::Minute => (minutes(), no_series(), String::new()),
            _ => (rollups(level), old_series(level), prune_rollup(level)),
        };
        all.push((sql::rollup_series(level.table()), series));
        all.push((sql::old_series(level.table()), old));
        all.push((sql::prune_rollup(level.table()), prune));
    }
    all
}

fn table(level: Level) -> &'static str {
    match level {
        Level::Day => "packed_day",
        _ => "packed_hour",
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

fn raw_series() -> String {
    format!(
        "SELECT r.received, {DATA} FROM span d JOIN packed_reading r ON {IN_SPAN}
        WHERE d.station = {OF} AND d.day > ?2 - 86400000 AND d.day < ?3
            AND r.received >= ?2 AND r.received < ?3
        ORDER BY d.day, r.received, r.session, r.counter LIMIT ?4"
    )
}

fn rollups(level: Level) -> String {
    let table = table(level);
    format!(
        "SELECT at, count, min, max, sum, last, amount FROM {table}
        WHERE station = {OF} AND name = {NAMED} AND at >= ?3 AND at < ?4 ORDER BY at LIMIT ?5"
    )
}

/// Minutes, made of the readings.
fn minutes() -> String {
    format!(
        "SELECT m.at, m.count, m.min, m.max, m.sum, m.last, COALESCE(g.amount, 0) FROM (
            SELECT v.at, COUNT(*) AS count, MIN(v.value) AS min, MAX(v.value) AS max,
                SUM(selo_exact(v.value)) AS sum,
                (array_agg(v.value ORDER BY v.session DESC, v.counter DESC))[1] AS last
            FROM (SELECT r.received / 60000 * 60000 AS at, r.session, r.counter,
                    r.data[array_position((SELECT string_to_array(l.names, ',') FROM layout l
                        WHERE l.number = r.layout), ?2)] AS value
                FROM span d JOIN packed_reading r ON {IN_SPAN}
                WHERE d.station = {OF} AND d.day > ?3 - 86400000 AND d.day < ?4
                    AND r.received >= ?3 AND r.received / 60000 * 60000 < ?4) v
            WHERE v.value IS NOT NULL GROUP BY v.at ORDER BY v.at LIMIT ?5) m
        LEFT JOIN grown_minute g ON g.station = {OF} AND g.name = {NAMED} AND g.at = m.at
        ORDER BY m.at"
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

fn frame() -> String {
    format!(
        "SELECT s.station, r.session, r.counter, r.received, r.gateway, r.rssi, r.payload, {DATA},
            r.authenticated::INTEGER, r.stored, split_part(s.station, ':', 1),
            (SELECT MAX(p.counter) FROM packed_reading p WHERE p.station = r.station
                AND p.session = r.session AND p.counter < r.counter)
        FROM packed_reading r JOIN station_number s ON s.number = r.station"
    )
}

/// The days of a station, newest first, until the page is full.
fn frames_of() -> String {
    format!(
        "JOIN span d ON {IN_SPAN}
        WHERE d.station = {OF} AND d.day <= ?2
            AND (r.received, r.session, r.counter) < (?2, ?3, ?4)
        ORDER BY d.day DESC, r.received DESC, r.session DESC, r.counter DESC LIMIT ?5"
    )
}

fn frames() -> String {
    "WHERE (r.received, s.station, r.session, r.counter) < (?1, ?2, ?3, ?4)
        AND r.received <= ?1 AND r.received >= ?6
    ORDER BY r.received DESC, s.station DESC, r.session DESC, r.counter DESC LIMIT ?5"
        .into()
}

fn export() -> String {
    format!(
        "SELECT ?1::TEXT, r.session, r.counter, r.received, r.gateway, r.rssi, r.payload, {DATA},
            r.authenticated::INTEGER, r.stored, split_part(?1, ':', 1)
        FROM span d JOIN packed_reading r ON {IN_SPAN}
        WHERE d.station = {OF} AND d.day < ?2 AND d.day > ?3 - 86400000
            AND r.received < ?2 AND (r.received, r.session, r.counter) > (?3, ?4, ?5)
        ORDER BY d.day, r.received, r.session, r.counter LIMIT ?6"
    )
}

fn receptions() -> String {
    sql::RECEPTIONS.replace("FROM reading", "FROM packed_reading")
}

fn old_stations() -> String {
    "SELECT s.station FROM station_number s
    WHERE EXISTS (SELECT 1 FROM span d WHERE d.station = s.number AND d.day < ?1)
        OR EXISTS (SELECT 1 FROM span d WHERE d.station = s.number AND d.day > ?2)"
        .into()
}

/// With the last piece of a station go its minutes and the days without readings.
fn prune_readings() -> String {
    format!(
        "WITH grown AS (DELETE FROM grown_minute WHERE station = {OF} AND at < ?2),
        emptied AS (DELETE FROM span d WHERE d.station = {OF} AND d.day + 86400000 <= ?2
            AND NOT EXISTS (SELECT 1 FROM packed_reading r WHERE {IN_SPAN}))
        DELETE FROM packed_reading WHERE station = {OF} AND (session, counter) IN (
            SELECT r.session, r.counter FROM span d JOIN packed_reading r ON {IN_SPAN}
            WHERE d.station = {OF} AND d.day < ?2
                AND r.received < ?2 AND r.stored < ?2 AND r.stored >= ?3
            ORDER BY d.day LIMIT 500)"
    )
}

fn prune_ahead() -> String {
    format!(
        "WITH emptied AS (DELETE FROM span d WHERE d.station = {OF} AND d.day > ?4
            AND NOT EXISTS (SELECT 1 FROM packed_reading r WHERE {IN_SPAN}))
        DELETE FROM packed_reading WHERE station = {OF} AND (session, counter) IN (
            SELECT r.session, r.counter FROM span d JOIN packed_reading r ON {IN_SPAN}
            WHERE d.station = {OF} AND d.day > ?4 - 86400000
                AND r.received > ?4 AND r.stored < ?2 AND r.stored >= ?3
            ORDER BY d.day LIMIT 500)"
    )
}

fn no_series() -> String {
    "SELECT station, name FROM quantity WHERE FALSE AND ?1::BIGINT IS NULL".into()
}

fn old_series(level: Level) -> String {
    let table = table(level);
    format!(
        "SELECT s.station, n.name FROM quantity q JOIN station_number s USING (station)
            JOIN quantity_number n USING (name)
        WHERE EXISTS (SELECT 1 FROM {table} r
            WHERE r.station = s.number AND r.name = n.number AND r.at < ?1)"
    )
}

fn prune_rollup(level: Level) -> String {
    let table = table(level);
    format!(
        "DELETE FROM {table} WHERE station = {OF} AND name = {NAMED} AND at IN (
            SELECT at FROM {table} WHERE station = {OF} AND name = {NAMED} AND at < ?3
            ORDER BY at LIMIT 500)"
    )
}

/// The statement for all rows, whose columns are arrays, of an insertion `head VALUES (...) tail` or
/// of a change.
pub(super) fn of_many(head: &str) -> Option<String> {
    for level in [Level::Hour, Level::Day] {
        let (shared, tail) = sql::add_to_rollup(level.table());
        let table = table(level);
        if head == shared {
            let tail = tail.replace(level.table(), table);
            return Some(format!(
                "INSERT INTO {table}
                SELECT s.number, n.number, v.at, v.count, v.min, v.max, v.sum, v.amount, v.last,
                    v.last_session, v.last_counter
                FROM unnest($1::TEXT[], $2::TEXT[], $3::BIGINT[], $4::BIGINT[], $5::FLOAT8[],
                    $6::FLOAT8[], $7::FLOAT8[], $8::FLOAT8[], $9::FLOAT8[], $10::BIGINT[],
                    $11::BIGINT[]) AS v(station, name, at, count, min, max, sum, amount, last,
                    last_session, last_counter)
                JOIN station_number s ON s.station = v.station
                JOIN quantity_number n ON n.name = v.name
                ORDER BY 1, 2, 3 {tail}"
            ));
        }
        if head == sql::grow_rollup(level.table()).0 {
            return Some(format!(
                "UPDATE {table} r SET amount = r.amount + v.amount
                FROM unnest($1::FLOAT8[], $2::TEXT[], $3::TEXT[], $4::BIGINT[])
                    AS v(amount, station, name, at)
                JOIN station_number s ON s.station = v.station
                JOIN quantity_number n ON n.name = v.name
                WHERE r.station = s.number AND r.name = n.number AND r.at = v.at"
            ));
        }
    }
    if head == packed::WIDEN_SPAN.0 {
        return Some(format!(
            "INSERT INTO span
            SELECT s.number, v.day, v.low_session, v.low_counter, v.high_session, v.high_counter
            FROM unnest($1::TEXT[], $2::BIGINT[], $3::BIGINT[], $4::BIGINT[], $5::BIGINT[],
                $6::BIGINT[]) AS v(station, day, low_session, low_counter, high_session,
                high_counter)
            JOIN station_number s ON s.station = v.station
            ORDER BY 1, 2 {}",
            packed::WIDEN_SPAN.1
        ));
    }
    (head == packed::GROW_MINUTE.0).then(|| {
        format!(
            "INSERT INTO grown_minute
            SELECT s.number, n.number, v.at, v.amount
            FROM unnest($1::TEXT[], $2::TEXT[], $3::BIGINT[], $4::FLOAT8[])
                AS v(station, name, at, amount)
            JOIN station_number s ON s.station = v.station
            JOIN quantity_number n ON n.name = v.name
            ORDER BY 1, 2, 3 {}",
            packed::GROW_MINUTE.1
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_statement_of_its_own_names_the_views() {
        for (shared, own) in replacements() {
            let parameters = |text: &str| {
                let place = |at: &usize| text.contains(&format!("?{at}"));
                (1..=9).filter(place).max()
            };
            assert!(!own.contains("rollup_"), "{own}");
            assert!(!own.contains(" reading "), "{own}");
            if !own.is_empty() {
                assert_eq!(parameters(&shared), parameters(&own), "{shared}\n{own}");
            }
        }
    }
}
