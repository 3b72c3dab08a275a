//! The tables in which SQLite keeps readings and their roll-ups.
//!
//! They are like those of PostgreSQL (`postgres/tables.rs`): a station, a quantity and a list of
//! quantities are numbers, the values of a reading are one array, and minutes are made of the readings.
//! SQLite writes whole pages, so readings of many stations, which belong to many pages, first go to the
//! end of a table of their own, `fresh_reading`. One transaction in a few seconds sorts them into their
//! pages, and stores what followed from them.
//!
//! The views need no function of this program, so that the `sqlite3` of a distribution reads them.

/// The columns of a reading without its key, in the order of [`insert`].
const REST: &str = "
        received INTEGER NOT NULL,     -- the gateway's time
        stored INTEGER NOT NULL,       -- the collector's time
        authenticated INTEGER NOT NULL,
        rssi INTEGER,
        layout INTEGER NOT NULL,
        gateway TEXT,
        payload BLOB NOT NULL,
        data TEXT NOT NULL"; // JSON, a list of numbers

const COLUMNS: &str = "station, session, counter, received, stored, authenticated, rssi, layout,
        gateway, payload, data";

/// Number of columns of a reading.
pub const WIDTH: usize = 11;

/// The statement that writes so many readings into this table. `OR FAIL` needs no copies of changed
/// pages for a rollback of the statement alone.
pub fn insert(table: &str, rows: usize) -> String {
    let row = |row: usize| {
        let places = (1..=WIDTH).map(|column| format!("?{}", row * WIDTH + column));
        format!("({})", places.collect::<Vec<_>>().join(","))
    };
    let rows: Vec<String> = (0..rows).map(row).collect();
    format!(
        "INSERT OR FAIL INTO {table}({COLUMNS}) VALUES {}",
        rows.join(",")
    )
}

/// Sorts the fresh readings in.
pub fn merge() -> String {
    format!(
        "INSERT OR FAIL INTO packed_reading({COLUMNS})
            SELECT {COLUMNS} FROM fresh_reading ORDER BY station, session, counter;
        DELETE FROM fresh_reading"
    )
}

const ROLLUP: &str = "
        station INTEGER NOT NULL,
        name INTEGER NOT NULL,
        at INTEGER NOT NULL,
        count INTEGER NOT NULL,
        min REAL NOT NULL,
        max REAL NOT NULL,
        sum REAL NOT NULL,
        amount REAL NOT NULL,          -- by which a total grew
        last REAL NOT NULL,
        last_session INTEGER NOT NULL,
        last_counter INTEGER NOT NULL,
        PRIMARY KEY(station, name, at)";

const TABLES: &str = "
    CREATE TABLE station_number(
        number INTEGER PRIMARY KEY,
        station TEXT NOT NULL UNIQUE
    );
    CREATE TABLE quantity_number(
        number INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE
    );
    CREATE TABLE layout(               -- the quantities of a reading, in the order of its values
        number INTEGER PRIMARY KEY,
        names TEXT NOT NULL UNIQUE     -- separated by commas
    );
    CREATE TABLE packed_reading(
        station INTEGER NOT NULL,
        session INTEGER NOT NULL,
        counter INTEGER NOT NULL,
        REST,
        PRIMARY KEY(station, session, counter)
    ) WITHOUT ROWID;
    CREATE TABLE fresh_reading(        -- not yet in roll-ups, stations and packed_reading
        id INTEGER PRIMARY KEY,
        station INTEGER NOT NULL,
        session INTEGER NOT NULL,
        counter INTEGER NOT NULL,
        REST
    );
    CREATE TABLE span(                 -- where the readings of a station and an hour are
        station INTEGER NOT NULL,
        at INTEGER NOT NULL,
        low_session INTEGER NOT NULL,
        low_counter INTEGER NOT NULL,
        high_session INTEGER NOT NULL,
        high_counter INTEGER NOT NULL,
        PRIMARY KEY(station, at)
    ) WITHOUT ROWID;
    CREATE INDEX span_by_time ON span(at);
    CREATE TABLE packed_hour(ROLLUP) WITHOUT ROWID;
    CREATE TABLE packed_day(ROLLUP) WITHOUT ROWID;
    CREATE TABLE grown_minute(         -- minutes in which a total grew
        station INTEGER NOT NULL,
        name INTEGER NOT NULL,
        at INTEGER NOT NULL,
        amount REAL NOT NULL,
        PRIMARY KEY(station, name, at)
    ) WITHOUT ROWID;
";

/// The names of a list `l` of quantities, with their places.
const NAMES: &str = r#"json_each('["' || replace(l.names, ',', '","') || '"]') n"#;

/// The views, which have the names and columns of the tables of earlier versions.
const VIEWS: &str = r#"
    CREATE VIEW reading AS
        SELECT s.station, r.session, r.counter, r.received, r.stored, r.gateway,
            substr(s.station, 1, instr(s.station, ':') - 1) AS site, r.authenticated, r.rssi,
            r.payload, '{' || COALESCE((SELECT group_concat('"' || n.value || '":'
                || (r.data -> n.key)) FROM NAMES), '') || '}' AS data
        FROM (SELECT COLUMNS FROM packed_reading UNION ALL SELECT COLUMNS FROM fresh_reading) r
            JOIN station_number s ON s.number = r.station
            JOIN layout l ON l.number = r.layout;
    CREATE VIEW rollup_hour AS SELECT_ROLLUP packed_hour r JOIN_NAMES;
    CREATE VIEW rollup_day AS SELECT_ROLLUP packed_day r JOIN_NAMES;
    CREATE VIEW rollup_minute AS
        SELECT s.station, m.name, m.at, m.count, m.min, m.max, m.sum,
            COALESCE(g.amount, 0.0) AS amount, m.last, m.last_session, m.last_counter
        FROM (SELECT v.station, v.name, v.at, COUNT(*) AS count, MIN(v.value) AS min,
                MAX(v.value) AS max, SUM(CASE WHEN abs(v.value) < 64
                    THEN round(v.value * 1073741824) / 1073741824 ELSE v.value END) AS sum,
                MAX(v.last) AS last, MAX(v.last_session) AS last_session,
                MAX(v.last_counter) AS last_counter
            FROM (SELECT w.station, w.name, w.at, w.value, first_value(w.value) OVER newest AS last,
                    first_value(w.session) OVER newest AS last_session,
                    first_value(w.counter) OVER newest AS last_counter
                FROM (SELECT r.station, n.value AS name, r.received / 60000 * 60000 AS at,
                        r.session, r.counter, CAST(r.data ->> n.key AS REAL) AS value
                    FROM packed_reading r JOIN layout l ON l.number = r.layout, NAMES
                    WHERE l.names <> '') w
                WINDOW newest AS (PARTITION BY w.station, w.name, w.at
                    ORDER BY w.session DESC, w.counter DESC)) v
            GROUP BY v.station, v.name, v.at) m
        JOIN station_number s ON s.number = m.station
        JOIN quantity_number q ON q.name = m.name
        LEFT JOIN grown_minute g ON g.station = m.station AND g.name = q.number AND g.at = m.at;
"#;

const SELECT_ROLLUP: &str = "
        SELECT s.station, n.name, r.at, r.count, r.min, r.max, r.sum, r.amount, r.last,
            r.last_session, r.last_counter
        FROM";
const JOIN_NAMES: &str = "JOIN station_number s ON s.number = r.station
            JOIN quantity_number n ON n.number = r.name";

pub fn tables() -> String {
    TABLES.replace("REST", REST).replace("ROLLUP", ROLLUP)
}

pub fn views() -> String {
    VIEWS
        .replace("NAMES)", &format!("{NAMES})"))
        .replace(", NAMES", &format!(", {NAMES}"))
        .replace("COLUMNS", COLUMNS)
        .replace("SELECT_ROLLUP", SELECT_ROLLUP)
        .replace("JOIN_NAMES", JOIN_NAMES)
}
