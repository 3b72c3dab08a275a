//! All SQL statements, for both databases. Those about readings and roll-ups name the views of these;
//! `db/own.rs` has what runs in their place.

pub const ADD_TO_SESSION: (&str, &str) = (
    "INSERT INTO session(station, session, first, last, stored)",
    "ON CONFLICT(station, session) DO UPDATE SET
        first = CASE WHEN excluded.first < session.first
            THEN excluded.first ELSE session.first END,
        last = CASE WHEN excluded.last > session.last
            THEN excluded.last ELSE session.last END,
        stored = session.stored + excluded.stored",
);

pub const SET_QUANTITY: (&str, &str) = (
    "INSERT INTO quantity(station, name, unit)",
    "ON CONFLICT(station, name) DO UPDATE SET unit = excluded.unit",
);

/// The columns of [`SET_STATION`] and [`GET_STATION`]. The operator sets the position and the
/// title elsewhere.
pub const SET_STATION: (&str, &str) = (
    "INSERT INTO station(station, site, device, name, gateway, codec, first_seen, last_seen,
        last_session, last_counter, last_rssi, last_values, totals,
        readings, duplicates, implausible)",
    "ON CONFLICT(station) DO UPDATE SET
        name = excluded.name, gateway = excluded.gateway,
        codec = excluded.codec, first_seen = excluded.first_seen,
        last_seen = excluded.last_seen, last_session = excluded.last_session,
        last_counter = excluded.last_counter, last_rssi = excluded.last_rssi,
        last_values = excluded.last_values, totals = excluded.totals,
        readings = excluded.readings, duplicates = excluded.duplicates,
        implausible = excluded.implausible",
);

pub const GET_STATION: &str = "SELECT station, name, gateway, codec, first_seen, last_seen,
        last_session, last_counter, last_rssi, last_values, totals,
        readings, duplicates, implausible
    FROM station WHERE station = ?1";
/// The same of all stations.
pub fn all_stations() -> String {
    GET_STATION.replace("WHERE station = ?1", "ORDER BY station")
}

pub const QUANTITIES_OF: &str = "SELECT name, unit FROM quantity WHERE station = ?1";

/// The readings of a station just before and just after a given one, nearest first.
pub const BEFORE: &str = "SELECT session, counter, received, data FROM reading
    WHERE station = ?1 AND (session, counter) < (?2, ?3)
    ORDER BY session DESC, counter DESC LIMIT 16";
pub const AFTER: &str = "SELECT session, counter, received, data FROM reading
    WHERE station = ?1 AND (session, counter) > (?2, ?3)
    ORDER BY session, counter LIMIT 16";

pub fn add_to_rollup(table: &str) -> (String, String) {
    (
        format!(
            "INSERT INTO {table}(station, name, at, count, min, max, sum, amount, last,
                last_session, last_counter)"
        ),
        format!(
            "ON CONFLICT(station, name, at) DO UPDATE SET
                count = {table}.count + excluded.count,
                min = CASE WHEN excluded.min < {table}.min
                    THEN excluded.min ELSE {table}.min END,
                max = CASE WHEN excluded.max > {table}.max
                    THEN excluded.max ELSE {table}.max END,
                sum = {table}.sum + excluded.sum,
                amount = {table}.amount + excluded.amount,
                last = CASE WHEN (excluded.last_session, excluded.last_counter)
                    > ({table}.last_session, {table}.last_counter)
                    THEN excluded.last ELSE {table}.last END,
                last_counter = CASE WHEN (excluded.last_session, excluded.last_counter)
                    > ({table}.last_session, {table}.last_counter)
                    THEN excluded.last_counter ELSE {table}.last_counter END,
                last_session = CASE WHEN excluded.last_session > {table}.last_session
                    THEN excluded.last_session ELSE {table}.last_session END"
        ),
    )
}

/// The change, and the row that it is of.
pub fn grow_rollup(table: &str) -> (String, &'static str) {
    (
        format!("UPDATE {table} SET amount = amount + ?1"),
        "station = ?2 AND name = ?3 AND at = ?4",
    )
}

pub const INSERT_REJECTED: &str =
    "INSERT INTO rejected(at, source, reason, body) VALUES (?1, ?2, ?3, ?4)";
/// Keeps the newest rows.
pub const BOUND_REJECTED: &str = "DELETE FROM rejected WHERE id <=
    (SELECT MAX(id) FROM rejected) - ?1";

/// The rain of a station's last hour (from ?1) and of its last day (from ?2) to now (?3). Most of
/// the day comes from whole hours, from ?4 to ?5 (exclusive), and its ends from minutes.
pub const RAIN: &str = "(SELECT SUM(r.amount) FROM rollup_minute r
            WHERE r.station = s.station AND r.name = 'rain_total' AND r.at > ?1 AND r.at <= ?3),
        (SELECT SUM(d.amount) FROM (
            SELECT r.amount FROM rollup_minute r WHERE r.station = s.station
                AND r.name = 'rain_total' AND r.at > ?2 AND r.at < ?4
            UNION ALL SELECT r.amount FROM rollup_hour r WHERE r.station = s.station
                AND r.name = 'rain_total' AND r.at >= ?4 AND r.at < ?5
            UNION ALL SELECT r.amount FROM rollup_minute r WHERE r.station = s.station
                AND r.name = 'rain_total' AND r.at >= ?5 AND r.at <= ?3) d)";
/// The first parameter of a statement with [`RAIN`] that is a station.
const FIRST_STATION: usize = 6;

fn of_stations(number: Option<usize>) -> String {
    number.map_or_else(String::new, |number| {
        format!("WHERE s.station IN ({})", places(FIRST_STATION, number))
    })
}

/// All stations with the times of [`RAIN`]. With a number: as many stations, from ?6.
pub fn stations(number: Option<usize>) -> String {
    format!(
        "SELECT s.station, COALESCE(s.title, s.name), s.device, s.gateway, s.codec,
            s.latitude, s.longitude, s.first_seen, s.last_seen, s.last_session, s.last_counter,
            s.last_rssi, s.last_values, s.readings, s.duplicates, s.implausible,
            CAST((SELECT COALESCE(SUM(n.last - n.first + 1 - n.stored), 0) FROM session n
                WHERE n.station = s.station) AS BIGINT), {RAIN}
        FROM station s {} ORDER BY s.station",
        of_stations(number)
    )
}

/// What lists of many stations need of each, with the parameters of [`stations`].
pub fn brief_stations(number: Option<usize>) -> String {
    format!(
        "SELECT s.station, COALESCE(s.title, s.name), s.device, s.site, s.last_seen, s.latitude,
            s.longitude, s.last_values, {RAIN}
        FROM station s {} ORDER BY s.station",
        of_stations(number)
    )
}

/// The same of all stations, without their rain and their values, which take most of the time.
pub const DRY_STATIONS: &str = "SELECT s.station, COALESCE(s.title, s.name), s.device, s.site,
        s.last_seen, s.latitude, s.longitude
    FROM station s ORDER BY s.station";

pub const STATION_NAMES: &str =
    "SELECT station, COALESCE(title, name), device FROM station ORDER BY station";
pub const VALUE_NAMES: &str = "SELECT DISTINCT name FROM quantity ORDER BY name";

/// Placeholders: `?4, ?5, ?6`.
fn places(first: usize, number: usize) -> String {
    let places: Vec<String> = (first..first + number).map(|at| format!("?{at}")).collect();
    places.join(", ")
}

pub const UNIT_OF: &str = "SELECT unit FROM quantity WHERE station = ?1 AND name = ?2";

pub const RAW_SERIES: &str = "SELECT received, data FROM reading
    WHERE station = ?1 AND received >= ?2 AND received < ?3
    ORDER BY received, session, counter LIMIT ?4";

pub fn rollup_series(table: &str) -> String {
    format!(
        "SELECT at, count, min, max, sum, last, amount FROM {table}
        WHERE station = ?1 AND name = ?2 AND at >= ?3 AND at < ?4 ORDER BY at LIMIT ?5"
    )
}

/// The first reading of each of the newest sessions that began from ?2 to ?3.
pub const RESTARTS: &str = "SELECT r.received FROM
        (SELECT station, session, first FROM session WHERE station = ?1
            ORDER BY session DESC LIMIT 2000) n
    JOIN reading r ON r.station = n.station AND r.session = n.session AND r.counter = n.first
    WHERE r.received >= ?2 AND r.received < ?3 ORDER BY r.received DESC LIMIT ?4";
pub const FLAGGED_HOURS: &str = "SELECT at FROM rollup_hour
    WHERE station = ?1 AND name = ?2 AND at > ?3 - 3600000 AND at < ?4 AND max > 0
    ORDER BY at DESC LIMIT ?5";
/// The hours of a value ?1 since ?2.
pub const SPARKLINES: &str = "SELECT s.station, r.at, r.amount, r.sum, r.count FROM station s
    JOIN rollup_hour r ON r.station = s.station AND r.name = ?1 AND r.at >= ?2";
/// With a number: of as many stations, from ?3.
pub fn sparklines(number: Option<usize>) -> String {
    let of = number.map_or_else(String::new, |number| {
        format!("WHERE s.station IN ({})", places(3, number))
    });
    format!("{SPARKLINES} {of}")
}

pub const FRAME: &str = "SELECT r.station, r.session, r.counter, r.received, r.gateway, r.rssi,
        r.payload, r.data, r.authenticated, r.stored, r.site,
        (SELECT MAX(p.counter) FROM reading p WHERE p.station = r.station
            AND p.session = r.session AND p.counter < r.counter)
    FROM reading r";

/// Newest first, before a given position.
pub const FRAMES_OF: (&str, &str) = (
    FRAME,
    "WHERE r.station = ?1 AND (r.received, r.session, r.counter) < (?2, ?3, ?4)
    ORDER BY r.received DESC, r.session DESC, r.counter DESC LIMIT ?5",
);
/// From ?6 on: a database that has no index of their times must not read all.
pub const FRAMES: (&str, &str) = (
    FRAME,
    "WHERE (r.received, r.station, r.session, r.counter) < (?1, ?2, ?3, ?4)
        AND r.received >= ?6
    ORDER BY r.received DESC, r.station DESC, r.session DESC, r.counter DESC LIMIT ?5",
);

/// A page of an export, oldest first.
pub const EXPORT: &str = "SELECT station, session, counter, received, gateway, rssi, payload,
        data, authenticated, stored, site
    FROM reading
    WHERE station = ?1 AND received < ?2 AND (received, session, counter) > (?3, ?4, ?5)
    ORDER BY received, session, counter LIMIT ?6";

/// When the newest reading with a plausible time was received.
pub const LAST_SEEN: &str = "SELECT MAX(last_seen) FROM station";

pub const STATION_IDS: &str = "SELECT station FROM station ORDER BY station";
/// The station with the id ?1, or all stations whose device has it (one per site).
pub const STATIONS_OF: &str =
    "SELECT station FROM station WHERE station = ?1 OR device = ?1 ORDER BY station LIMIT 10";
pub const QUANTITIES: &str = "SELECT station, name, unit FROM quantity";

pub const PATCH_STATION: &str = "UPDATE station SET title = COALESCE(?1, title),
        latitude = COALESCE(?2, latitude), longitude = COALESCE(?3, longitude)
    WHERE station = ?4";

pub const INSERT_TOKEN: &str = "INSERT INTO token(name, role, hash, created, site, stations)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6) RETURNING id";
pub const TOKENS: &str =
    "SELECT id, name, role, hash, created, site, stations FROM token ORDER BY id";
pub const PATCH_TOKEN: &str = "UPDATE token SET role = ?1, site = ?2, stations = ?3,
    name = ?5 WHERE id = ?4";
pub const DELETE_TOKEN: &str = "DELETE FROM token WHERE id = ?1";

pub const INSERT_LOGIN: &str =
    "INSERT INTO login(id, person, stamp, expires) VALUES (?1, ?2, ?3, ?4)";
pub const LOGINS: &str = "SELECT id, person, stamp, expires FROM login WHERE expires > ?1";
pub const DELETE_LOGIN: &str = "DELETE FROM login WHERE id = ?1";
pub const PRUNE_LOGINS: &str = "DELETE FROM login WHERE expires <= ?1";

/// The users of collectors that share the database, also those that were removed.
pub const PEOPLE: &str = "SELECT name, role, hash FROM person";
pub const SET_PERSON: &str = "INSERT INTO person(name, role, hash) VALUES (?1, ?2, ?3)
    ON CONFLICT(name) DO UPDATE SET role = excluded.role, hash = excluded.hash";
pub const CHANNELS: &str = "SELECT body FROM channel_list WHERE id = 1";
pub const SET_CHANNELS: &str = "INSERT INTO channel_list(id, body) VALUES (1, ?1)
    ON CONFLICT(id) DO UPDATE SET body = excluded.body";
/// Tells the other collectors that users, tokens, logins, channels or settings have changed. It comes first in a
/// transaction that reads what it changes: the next one then waits for its end.
pub const CHANGE_ACCESS: &str = "INSERT INTO meta(name, value) VALUES ('access', 1)
    ON CONFLICT(name) DO UPDATE SET value = meta.value + 1";
/// The number of these changes.
pub const ACCESS: &str = "SELECT value FROM meta WHERE name = 'access'";

/// Says that the collector ?1 hears of changes for ?2 ms from now on.
pub const WATCH: &str = "INSERT INTO stream_watch(name, until)
        VALUES (?1, (extract(epoch FROM clock_timestamp()) * 1000)::BIGINT + CAST(?2 AS BIGINT))
    ON CONFLICT (name) DO UPDATE SET until = excluded.until";
pub const WATCH_NO_MORE: &str = "DELETE FROM stream_watch WHERE name = ?1
    OR until < (extract(epoch FROM clock_timestamp()) * 1000)::BIGINT";
pub const TELL: &str = "SELECT pg_notify('selo_live', ?1)";
pub const HEAR: &str = "LISTEN selo_live";
/// A reading, with what a message says of its station.
pub const READING_OF: &str = "SELECT r.station, r.session, r.counter, r.received, r.gateway,
        r.authenticated, r.rssi, r.payload, r.data, s.name, s.codec
    FROM reading r JOIN station s ON s.station = r.station
    WHERE r.station = ?1 AND r.session = ?2 AND r.counter = ?3";

pub const PING: &str = "SELECT COUNT(*) FROM meta";

const ALARM: &str = "SELECT id, rule, station, since, cleared, value, bound, unit, text, severity,
        acknowledged, person, note FROM alarm";
pub fn active_alarms() -> String {
    format!("{ALARM} WHERE cleared IS NULL ORDER BY since DESC, id DESC")
}
/// Active alarms of as many stations, from ?1.
pub fn active_alarms_of(number: usize) -> String {
    let of = places(1, number);
    format!("{ALARM} WHERE cleared IS NULL AND station IN ({of}) ORDER BY since DESC, id DESC")
}
pub fn past_alarms() -> String {
    format!("{ALARM} WHERE cleared IS NOT NULL ORDER BY since DESC, id DESC LIMIT ?1")
}
pub fn alarm_of_id() -> String {
    format!("{ALARM} WHERE id = ?1")
}
pub const ACKNOWLEDGE: &str = "UPDATE alarm SET acknowledged = ?1, person = ?2, note = ?3
    WHERE id = ?4 AND acknowledged IS NULL";

pub const INSERT_EVENT: &str = "INSERT INTO journal(at, alarm, event, person, note, target)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
const EVENT: &str = "SELECT j.id, j.at, j.event, j.person, j.note, a.rule, a.station,
        a.severity, a.value, a.bound, a.unit, a.text, a.id, COALESCE(s.title, s.name)
    FROM journal j JOIN alarm a ON a.id = j.alarm LEFT JOIN station s ON s.station = a.station
    WHERE (j.at, j.id) < (?1, ?2) AND j.at >= ?3";

/// At most ?4 events before the position (?1, ?2) and since ?3, newest first. `one`: of the
/// station ?5.
pub fn events(one: bool) -> String {
    let of = if one { "AND a.station = ?5" } else { "" };
    format!("{EVENT} {of} ORDER BY j.at DESC, j.id DESC LIMIT ?4")
}

pub const GROUND_HEAD: &str = "SELECT kind, bounds, tag FROM ground";
pub const GROUND: &str = "SELECT kind, body, tag FROM ground";
pub const SET_GROUND: &str = "INSERT INTO ground(id, kind, body, bounds, tag)
        VALUES (1, ?1, ?2, ?3, ?4)
    ON CONFLICT(id) DO UPDATE SET kind = excluded.kind, body = excluded.body,
        bounds = excluded.bounds, tag = excluded.tag";
pub const DELETE_GROUND: &str = "DELETE FROM ground";

pub const SETTINGS: &str = "SELECT name, value FROM setting";
pub const SET_SETTING: &str = "INSERT INTO setting(name, value) VALUES (?1, ?2)
    ON CONFLICT(name) DO UPDATE SET value = excluded.value";

pub const RULES: &str = "SELECT body FROM rule ORDER BY name";
pub const DELETE_RULES: &str = "DELETE FROM rule";
pub const INSERT_RULE: &str = "INSERT INTO rule(name, body) VALUES (?1, ?2)";

/// The stations with the names that their gateways give them.
pub const GIVEN_NAMES: &str = "SELECT station, name FROM station ORDER BY station";
/// Station and rule of each active alarm.
pub const ACTIVE: &str = "SELECT station, rule FROM alarm WHERE cleared IS NULL";
pub const ANNOUNCED: &str = "SELECT topic FROM announced";
pub const INSERT_ANNOUNCED: &str =
    "INSERT INTO announced(topic) VALUES (?1) ON CONFLICT(topic) DO NOTHING";
pub const DELETE_ANNOUNCED: &str = "DELETE FROM announced WHERE topic = ?1";

pub const RAIN_OVER: &str = "SELECT SUM(amount) FROM rollup_minute
    WHERE station = ?1 AND name = 'rain_total' AND at > ?2 AND at <= ?3";
pub const LAST_SEEN_OF: &str =
    "SELECT station, COALESCE(title, name), last_seen FROM station WHERE station = ?1";

/// Alarms of silence that one turn raises or clears. Each takes some statements, and a gateway that is
/// gone silences all of its stations.
pub const SILENCES_MAX: usize = 1000;
/// The stations whose alarm of silence changes, with the rule: those that are silent and have no
/// alarm, and those that have one and are not silent. Of as many rules, each with three parameters:
/// its name, the time since when a station was not heard, and the station or device, if it is of one.
/// It reads the table of stations: an index of `last_seen` would have to change with each reading.
/// Finds at most [`SILENCES_MAX`]; the next tick finds the others.
pub fn silences(rules: usize) -> String {
    let rule = |at: usize| {
        let of = 3 * at;
        format!("(?{}, CAST(?{} AS BIGINT), ?{})", of + 1, of + 2, of + 3)
    };
    let rules: Vec<String> = (0..rules).map(rule).collect();
    format!(
        "WITH silence(rule, since, subject) AS (VALUES {})
        SELECT s.station, COALESCE(s.title, s.name), s.last_seen, r.rule
        FROM silence r JOIN station s
            ON r.subject IS NULL OR r.subject = s.station OR r.subject = s.device
        LEFT JOIN alarm a ON a.rule = r.rule AND a.station = s.station AND a.cleared IS NULL
        WHERE (s.last_seen <= r.since AND a.id IS NULL)
            OR (s.last_seen > r.since AND a.id IS NOT NULL)
        ORDER BY s.station, r.rule LIMIT {SILENCES_MAX}",
        rules.join(", ")
    )
}

pub const INSERT_ALARM: &str = "INSERT INTO alarm(rule, station, since, value, bound, unit, text,
        severity)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) RETURNING id";
pub const CLEAR_ALARM: &str = "UPDATE alarm SET cleared = ?1 WHERE id = ?2";

pub const INSERT_NOTICE: &str = "INSERT INTO outbox(target, topic, body, attempts, due, alarm,
        severity, raised, escalates, created)
    VALUES (?1, ?2, ?3, 0, ?4, ?5, ?6, ?7, ?8, ?9)";
/// The due time of a target's notices that failed: until then nothing is sent to it.
pub const BLOCKED_UNTIL: &str = "SELECT MAX(due) FROM outbox WHERE target = ?1 AND attempts > 0";
/// The oldest notices that are due at ?3, of at least the severity ?2.
pub const NEXT_NOTICES: &str = "SELECT id, topic, body, attempts, alarm FROM outbox
    WHERE target = ?1 AND severity >= ?2 AND due <= ?3 ORDER BY id LIMIT ?4";
pub const NEXT_DUE: &str = "SELECT MIN(due) FROM outbox WHERE target = ?1 AND severity >= ?2";
pub const COUNT_NOTICES: &str = "SELECT COUNT(*), MIN(created), MAX(attempts), MAX(due)
    FROM outbox WHERE target = ?1";
pub const COUNT_WAITING: &str = "SELECT COUNT(*) FROM outbox WHERE target = ?1";
/// Deletes the oldest of the mildest notices.
pub const DROP_NOTICE: &str = "DELETE FROM outbox WHERE id =
    (SELECT id FROM outbox WHERE target = ?1 ORDER BY severity, id LIMIT 1)";
pub const DELETE_NOTICE: &str = "DELETE FROM outbox WHERE id = ?1";
/// The notice that an alarm was raised, if nobody has tried to send it and it is due after ?3.
pub const DELETE_UNSENT: &str = "DELETE FROM outbox
    WHERE target = ?1 AND alarm = ?2 AND raised = 1 AND attempts = 0 AND due > ?3";
pub const IS_WAITING: &str =
    "SELECT id FROM outbox WHERE target = ?1 AND alarm = ?2 AND raised = 1 LIMIT 1";
pub const WAS_SENT: &str =
    "SELECT id FROM journal WHERE alarm = ?1 AND event = 'sent' AND target = ?2 LIMIT 1";
/// The notices that nobody need get once somebody has acknowledged alarm ?1: also those that are
/// due, which quiet hours or a failing server hold back.
pub const DELETE_ESCALATIONS: &str = "DELETE FROM outbox WHERE alarm = ?1 AND escalates = 1";
pub const DELAY_NOTICE: &str = "UPDATE outbox SET attempts = attempts + 1, due = ?1 WHERE id = ?2";
pub const TARGETS: &str =
    "SELECT target FROM outbox UNION SELECT target FROM delivery ORDER BY target";
/// Gives a target another name.
pub const RENAME_TARGET: &str = "UPDATE outbox SET target = ?2 WHERE target = ?1";
pub const RENAME_DELIVERY: &str = "UPDATE delivery SET target = ?2 WHERE target = ?1";
pub const DELETE_TARGET: &str = "DELETE FROM outbox WHERE target = ?1";
pub const DELETE_DELIVERY: &str = "DELETE FROM delivery WHERE target = ?1";
pub const COUNT_DROPPED: &str = "INSERT INTO delivery(target, sent, dropped) VALUES (?1, 0, 1)
    ON CONFLICT(target) DO UPDATE SET dropped = delivery.dropped + 1";
/// ?5 are recipients that were refused although others were not, ?4 is then the time.
pub const COUNT_SENT: &str = "INSERT INTO delivery(target, sent, dropped, sent_at, failed_at,
        reason)
    VALUES (?1, ?2, 0, ?3, ?4, ?5)
    ON CONFLICT(target) DO UPDATE SET sent = delivery.sent + ?2, sent_at = ?3, reason = ?5,
        failed_at = COALESCE(?4, delivery.failed_at)";
pub const COUNT_FAILED: &str = "INSERT INTO delivery(target, sent, dropped, failed_at, reason)
    VALUES (?1, 0, 0, ?2, ?3)
    ON CONFLICT(target) DO UPDATE SET failed_at = ?2, reason = ?3";
pub const DELIVERY: &str =
    "SELECT sent, dropped, sent_at, failed_at, reason FROM delivery WHERE target = ?1";

/// The oldest and the newest reception from ?1 to ?2, and the number of hours with a reception.
pub const RECEPTIONS: &str = "SELECT MIN(received), MAX(received),
        COUNT(DISTINCT received / 3600000)
    FROM reading WHERE received >= ?1 AND received <= ?2";
pub const TRUSTED_TIME: &str = "SELECT value FROM meta WHERE name = 'trusted_time'";
pub const SET_TRUSTED_TIME: &str = "INSERT INTO meta(name, value) VALUES ('trusted_time', ?1)
    ON CONFLICT(name) DO UPDATE SET value = excluded.value";

/// A piece of the rows that are older than ?2 by both clocks. A row stored before ?3 was stored
/// while the clock was unset, so its age is unknown.
pub const PRUNE_READINGS: &str = "DELETE FROM reading WHERE station = ?1
    AND (session, counter) IN (SELECT session, counter FROM reading
        WHERE station = ?1 AND received < ?2 AND stored < ?2 AND stored >= ?3 ORDER BY received LIMIT 500)";
/// A piece of the rows whose reception time is in the future (after ?4) and that were stored
/// before ?2. Their age is counted from when they were stored.
pub const PRUNE_AHEAD: &str = "DELETE FROM reading WHERE station = ?1
    AND (session, counter) IN (SELECT session, counter FROM reading
        WHERE station = ?1 AND received > ?4 AND stored < ?2 AND stored >= ?3
        ORDER BY received LIMIT 500)";
/// A piece of what totals of a station grew by in minutes before ?2.
pub const PRUNE_GROWN: &str = "DELETE FROM grown_minute
    WHERE station = (SELECT number FROM station_number WHERE station = ?1)
        AND (name, at) IN (SELECT name, at FROM grown_minute
            WHERE station = (SELECT number FROM station_number WHERE station = ?1)
                AND at < ?2 LIMIT 500)";
/// The spans of a station before ?2 and after ?3 that have no readings any more.
pub const PRUNE_SPANS: &str = "DELETE FROM span WHERE station = ?1 AND (at < ?2 OR at > ?3)";
/// The stations with a reading before ?1 or after ?2.
pub const OLD_STATIONS: &str = "SELECT s.station FROM station s
    WHERE EXISTS (SELECT 1 FROM reading r WHERE r.station = s.station AND r.received < ?1)
        OR EXISTS (SELECT 1 FROM reading r WHERE r.station = s.station AND r.received > ?2)";
/// The series with a row before ?1.
pub fn old_series(table: &str) -> String {
    format!(
        "SELECT q.station, q.name FROM quantity q WHERE EXISTS (SELECT 1 FROM {table} r
            WHERE r.station = q.station AND r.name = q.name AND r.at < ?1)"
    )
}
pub fn prune_rollup(table: &str) -> String {
    format!(
        "DELETE FROM {table} WHERE station = ?1 AND name = ?2 AND at IN (SELECT at FROM {table}
            WHERE station = ?1 AND name = ?2 AND at < ?3 ORDER BY at LIMIT 500)"
    )
}
/// No alarm is cleared before it begins, and `since` has an index.
pub const PRUNE_ALARMS: &str = "DELETE FROM alarm WHERE id IN
    (SELECT id FROM alarm WHERE since < ?1 AND cleared < ?1 ORDER BY since LIMIT 500)";
pub const PRUNE_JOURNAL: &str =
    "DELETE FROM journal WHERE id IN (SELECT id FROM journal WHERE at < ?1 ORDER BY at LIMIT 500)";
/// Keep the newest rows, a piece at a time.
pub const BOUND_ALARMS: &str = "DELETE FROM alarm WHERE id IN (SELECT id FROM alarm
        WHERE cleared IS NOT NULL AND id <= (SELECT MAX(id) FROM alarm) - ?1 ORDER BY id LIMIT 500)";
pub const BOUND_JOURNAL: &str = "DELETE FROM journal WHERE id IN (SELECT id FROM journal
        WHERE id <= (SELECT MAX(id) FROM journal) - ?1 ORDER BY id LIMIT 500)";

pub const INSERT_FIX: &str =
    "INSERT INTO fix(at, station, latitude, longitude, speed) VALUES (?1, ?2, ?3, ?4, ?5)";
pub const INSERT_TLS_TIME: &str = "INSERT INTO tls_time(at, station, phase, suite, key_exchange,
        resumed, seconds) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
/// Keeps the newest rows.
pub const BOUND_FIXES: &str = "DELETE FROM fix WHERE id <= (SELECT MAX(id) FROM fix) - ?1";
pub const BOUND_TLS_TIMES: &str =
    "DELETE FROM tls_time WHERE id <= (SELECT MAX(id) FROM tls_time) - ?1";
/// Times from ?1 (inclusive) to ?2 (exclusive), of the station ?3 or of all: the newest ?4.
pub const TLS_TIMES: &str = "SELECT phase, suite, key_exchange, resumed, seconds FROM tls_time
    WHERE at >= ?1 AND at < ?2 AND (?3 = '' OR station = ?3) ORDER BY id DESC LIMIT ?4";
pub const TRACK: &str = "SELECT station, at, latitude, longitude, speed FROM fix
    WHERE at >= ?1 AND at < ?2 AND (?3 = '' OR station = ?3) ORDER BY id DESC LIMIT ?4";
pub const LAST_FIXES: &str = "SELECT f.station, f.at, f.latitude, f.longitude, f.speed, n.readings
    FROM fix f JOIN (SELECT MAX(id) AS last, COUNT(*) AS readings FROM fix
        WHERE at >= ?1 AND at < ?2 AND (?3 = '' OR station = ?3) GROUP BY station) n
    ON n.last = f.id ORDER BY f.station LIMIT ?4";
/// Pages of an export, oldest first: rows with an id above ?3, of the station ?5 or of all.
pub const EXPORT_FIXES: &str = "SELECT station, at, latitude, longitude, speed, id FROM fix
    WHERE at >= ?1 AND at < ?2 AND id > ?3 AND (?5 = '' OR station = ?5) ORDER BY id LIMIT ?4";
pub const EXPORT_TLS_TIMES: &str = "SELECT station, at, phase, suite, key_exchange, resumed,
        seconds, id
    FROM tls_time WHERE at >= ?1 AND at < ?2 AND id > ?3 AND (?5 = '' OR station = ?5)
    ORDER BY id LIMIT ?4";
pub const EXPORT_JOURNAL: &str = "SELECT j.at, j.event, a.rule, a.severity, a.station, a.value,
        a.bound, a.unit, j.person, j.note, j.id
    FROM journal j JOIN alarm a ON a.id = j.alarm
    WHERE j.at >= ?1 AND j.at < ?2 AND j.id > ?3 AND (?5 = '' OR a.station = ?5)
    ORDER BY j.id LIMIT ?4";
/// A piece of the rows that are older than ?1.
pub const PRUNE_FIXES: &str =
    "DELETE FROM fix WHERE id IN (SELECT id FROM fix WHERE at < ?1 ORDER BY at LIMIT 500)";
pub const PRUNE_TLS_TIMES: &str = "DELETE FROM tls_time
    WHERE id IN (SELECT id FROM tls_time WHERE at < ?1 ORDER BY at LIMIT 500)";

pub mod packed;
#[cfg(test)]
mod plans;
