//! Statements about packed readings, which are numbers and arrays.

/// (session, counter)
pub type Place = (i64, i64);

/// The number of a station, and of a list of quantities.
pub const STATION_NUMBER: &str = "SELECT number FROM station_number WHERE station = ?1";
pub const LAYOUT_NUMBER: &str = "SELECT number FROM layout WHERE names = ?1";
pub const NEW_STATION: (&str, &str) = (
    "INSERT INTO station_number(station)",
    "ON CONFLICT DO NOTHING",
);
pub const NEW_LAYOUT: (&str, &str) = ("INSERT INTO layout(names)", "ON CONFLICT DO NOTHING");
pub const NEW_QUANTITY: (&str, &str) = (
    "INSERT INTO quantity_number(name)",
    "ON CONFLICT DO NOTHING",
);
pub const QUANTITY_NUMBER: &str = "SELECT number FROM quantity_number WHERE name = ?1";

/// The last reading of a station, by session and counter.
pub const NEWEST_OF: &str = "SELECT session, last FROM session WHERE station = ?1
    ORDER BY session DESC LIMIT 1";
pub const IS_STORED: &str = "SELECT 1 FROM packed_reading
    WHERE station = ?1 AND session = ?2 AND counter = ?3";

/// Counters of the ends of spans are rounded to multiples of this. A span then has readings at its
/// ends that are not of its time, but few readings change its row.
const ROUND: i64 = 64;

/// The ends of a span, from and to these readings.
pub fn rounded(low: Place, high: Place) -> (Place, Place) {
    let down = low.1.div_euclid(ROUND) * ROUND;
    let up = high.1.div_euclid(ROUND) * ROUND + ROUND - 1;
    ((low.0, down), (high.0, up))
}

/// Where the readings of a station and a span of time are.
pub const WIDEN_SPAN: (&str, &str) = (
    "INSERT INTO span(station, at, low_session, low_counter, high_session, high_counter)",
    "ON CONFLICT(station, at) DO UPDATE SET
        low_session = CASE WHEN excluded.low_session < span.low_session
            THEN excluded.low_session ELSE span.low_session END,
        low_counter = CASE
            WHEN (excluded.low_session, excluded.low_counter) < (span.low_session, span.low_counter)
            THEN excluded.low_counter ELSE span.low_counter END,
        high_session = CASE WHEN excluded.high_session > span.high_session
            THEN excluded.high_session ELSE span.high_session END,
        high_counter = CASE
            WHEN (excluded.high_session, excluded.high_counter)
                > (span.high_session, span.high_counter)
            THEN excluded.high_counter ELSE span.high_counter END
    WHERE (excluded.low_session, excluded.low_counter) < (span.low_session, span.low_counter)
        OR (excluded.high_session, excluded.high_counter) > (span.high_session, span.high_counter)",
);
/// The growth of totals by minute.
pub const GROW_MINUTE: (&str, &str) = (
    "INSERT INTO grown_minute(station, name, at, amount)",
    "ON CONFLICT(station, name, at) DO UPDATE SET amount = grown_minute.amount + excluded.amount",
);

/// The last batch whose consequences are stored.
pub const SETTLED: &str = "SELECT value FROM meta WHERE name = 'settled'";
pub const SET_SETTLED: &str = "INSERT INTO meta(name, value) VALUES ('settled', ?1)
    ON CONFLICT(name) DO UPDATE SET value = excluded.value";
/// The first batch after it that waits, for a database whose readings do not tell.
pub const SET_BEGUN: &str = "INSERT INTO meta(name, value) VALUES ('begun', ?1)
    ON CONFLICT(name) DO UPDATE SET value = excluded.value";
/// The readings of later batches.
pub const UNSETTLED: &str = "SELECT s.station, r.session, r.counter, r.received, r.stored, r.batch,
        r.gateway, r.rssi, selo_data(l.names, r.data)
    FROM packed_reading r JOIN station_number s ON s.number = r.station
        JOIN layout l ON l.number = r.layout
    WHERE r.batch > ?1 ORDER BY r.batch";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounded_spans_contain_their_readings() {
        assert_eq!(rounded((1, 70), (2, 64)), ((1, 64), (2, 127)));
        assert_eq!(rounded((1, 0), (1, 63)), ((1, 0), (1, 63)));
    }
}
