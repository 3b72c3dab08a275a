//! Parts of statements that are SQLite's own.

use crate::db::own::Words;

/// What SQLite says in its own way. Readings of all stations are found by their spans.
pub const WORDS: Words = Words {
    long: 3_600_000,
    sign: "+",
    site: "substr(STATION, 1, instr(STATION, ':') - 1)",
    value: "selo_value((SELECT l.names FROM layout l WHERE l.number = r.layout), r.data, ?2)",
    last: "MAX(v.newest)",
    newest: ", first_value(w.value) OVER (PARTITION BY w.at
        ORDER BY w.session DESC, w.counter DESC) AS newest",
    frames: |words| {
        format!(
            "{} FROM span d CROSS JOIN packed_reading r CROSS JOIN station_number s
            WHERE {} AND s.number = r.station AND d.at <= ?1 AND d.at > ?6 - {}
                AND (r.received, s.station, r.session, r.counter) < (?1, ?2, ?3, ?4)
                AND r.received <= ?1 AND r.received >= ?6
            ORDER BY d.at DESC, r.received DESC, s.station DESC, r.session DESC, r.counter DESC
            LIMIT ?5",
            words.frame(),
            words.in_span(),
            words.long()
        )
    },
    // Those that come after the last one of their station whose consequences are stored.
    unsettled: Some(
        "SELECT s.station, r.session, r.counter, r.received, r.stored, ?1 + 1, r.gateway, r.rssi,
            selo_data(l.names, r.data)
        FROM (SELECT s.number, s.station, COALESCE(MAX(n.session), -9223372036854775807) AS session
            FROM station_number s LEFT JOIN session n ON n.station = s.station
            GROUP BY s.number) s
        CROSS JOIN packed_reading r CROSS JOIN layout l
        WHERE (SELECT value FROM meta WHERE name = 'begun') > ?1
            AND r.station = s.number AND l.number = r.layout AND (r.session, r.counter) > (s.session,
            COALESCE((SELECT n.last FROM session n
                WHERE n.station = s.station AND n.session = s.session), -1))",
    ),
};
