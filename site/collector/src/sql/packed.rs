//! Statements of a database with packed readings, which are numbers and arrays. PostgreSQL only.

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

/// The last reading of a station, by session and counter.
pub const NEWEST_OF: &str = "SELECT session, last FROM session WHERE station = ?1
    ORDER BY session DESC LIMIT 1";
pub const IS_STORED: &str = "SELECT 1 FROM packed_reading
    WHERE station = ?1 AND session = ?2 AND counter = ?3";

/// Where the readings of a station and a day are.
pub const WIDEN_SPAN: (&str, &str) = (
    "INSERT INTO span(station, day, low_session, low_counter, high_session, high_counter)",
    "ON CONFLICT(station, day) DO UPDATE SET
        low_session = LEAST(span.low_session, excluded.low_session),
        low_counter = CASE
            WHEN (excluded.low_session, excluded.low_counter) < (span.low_session, span.low_counter)
            THEN excluded.low_counter ELSE span.low_counter END,
        high_session = GREATEST(span.high_session, excluded.high_session),
        high_counter = CASE
            WHEN (excluded.high_session, excluded.high_counter)
                > (span.high_session, span.high_counter)
            THEN excluded.high_counter ELSE span.high_counter END
    WHERE (excluded.low_session, excluded.low_counter) < (span.low_session, span.low_counter)
        OR (excluded.high_session, excluded.high_counter) > (span.high_session, span.high_counter)",
);
/// The growth of totals by minute. The station and the quantity are named.
pub const GROW_MINUTE: (&str, &str) = (
    "INSERT INTO grown_minute(station, name, at, amount)",
    "ON CONFLICT(station, name, at) DO UPDATE SET amount = grown_minute.amount + excluded.amount",
);

/// The last batch whose consequences are stored.
pub const SETTLED: &str = "SELECT value FROM meta WHERE name = 'settled'";
pub const SET_SETTLED: &str = "INSERT INTO meta(name, value) VALUES ('settled', ?1)
    ON CONFLICT(name) DO UPDATE SET value = excluded.value";
/// The readings of later batches.
pub const UNSETTLED: &str = "SELECT s.station, r.session, r.counter, r.received, r.stored, r.batch,
        r.gateway, r.rssi, selo_data(l.names, r.data)
    FROM packed_reading r JOIN station_number s ON s.number = r.station
        JOIN layout l ON l.number = r.layout
    WHERE r.batch > ?1 ORDER BY r.batch";
