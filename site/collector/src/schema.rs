//! The tables, as migration steps from one version to the next. A released step never changes;
//! new steps are appended.
//!
//! Types are PostgreSQL's. Each database's `dialect` replaces `BYTEA`, `SERIAL_KEY`, `CLUSTERED`,
//! `PACK_READINGS` and `RENAME_SPANS` by its own words. All times are Unix milliseconds.

use crate::db::{Database, transaction};
use crate::error::{Error, Result};

const STEPS: [&str; 12] = [
    "
    CREATE TABLE station(
        device TEXT PRIMARY KEY,
        name TEXT,              -- as the gateway says
        title TEXT,             -- as an operator says; goes before the name
        site TEXT NOT NULL,
        gateway TEXT,
        codec TEXT,
        latitude DOUBLE PRECISION,
        longitude DOUBLE PRECISION,
        first_seen BIGINT NOT NULL,
        last_seen BIGINT,       -- of readings with a plausible time
        last_session BIGINT,
        last_counter BIGINT,
        last_rssi BIGINT,
        last_values TEXT NOT NULL,
        totals TEXT NOT NULL,   -- JSON, the last value of each total and whose it is
        readings BIGINT NOT NULL,
        duplicates BIGINT NOT NULL,
        implausible BIGINT NOT NULL
    );
    CREATE TABLE session(
        device TEXT NOT NULL,
        session BIGINT NOT NULL,
        first BIGINT NOT NULL,
        last BIGINT NOT NULL,
        stored BIGINT NOT NULL,
        PRIMARY KEY(device, session)
    ) CLUSTERED;
    CREATE TABLE reading(
        device TEXT NOT NULL,
        session BIGINT NOT NULL,
        counter BIGINT NOT NULL,
        received BIGINT NOT NULL,      -- the gateway's time
        stored BIGINT NOT NULL,        -- the collector's time
        gateway TEXT,
        site TEXT NOT NULL,
        authenticated BIGINT NOT NULL,
        rssi BIGINT,
        payload BYTEA NOT NULL,
        data TEXT NOT NULL,            -- JSON, name to number
        PRIMARY KEY(device, session, counter)
    ) CLUSTERED;
    CREATE INDEX reading_of_device ON reading(device, received);
    CREATE INDEX reading_by_time ON reading(received);
    CREATE TABLE quantity(
        device TEXT NOT NULL,
        name TEXT NOT NULL,
        unit TEXT NOT NULL,
        PRIMARY KEY(device, name)
    ) CLUSTERED;
    CREATE TABLE rollup_minute(ROLLUP_COLUMNS) CLUSTERED;
    CREATE TABLE rollup_hour(ROLLUP_COLUMNS) CLUSTERED;
    CREATE TABLE rollup_day(ROLLUP_COLUMNS) CLUSTERED;
    CREATE TABLE rejected(
        id SERIAL_KEY,
        at BIGINT NOT NULL,
        source TEXT NOT NULL,
        reason TEXT NOT NULL,
        body BYTEA NOT NULL
    );
    CREATE TABLE rule(
        name TEXT PRIMARY KEY,
        body TEXT NOT NULL
    );
    CREATE TABLE alarm(
        id SERIAL_KEY,
        rule TEXT NOT NULL,
        device TEXT NOT NULL,
        since BIGINT NOT NULL,
        cleared BIGINT,
        value DOUBLE PRECISION,
        bound DOUBLE PRECISION NOT NULL,
        unit TEXT NOT NULL,
        text TEXT NOT NULL
    );
    CREATE UNIQUE INDEX alarm_active ON alarm(rule, device) WHERE cleared IS NULL;
    CREATE TABLE outbox(
        id SERIAL_KEY,
        target TEXT NOT NULL,          -- 'mqtt', or the URL of a webhook
        topic TEXT NOT NULL,
        body TEXT NOT NULL,
        attempts BIGINT NOT NULL,
        due BIGINT NOT NULL
    );
    CREATE TABLE token(
        id SERIAL_KEY,
        name TEXT NOT NULL,
        role TEXT NOT NULL,
        hash BYTEA NOT NULL UNIQUE,
        created BIGINT NOT NULL
    );
",
    "
    CREATE TABLE login(
        id BYTEA PRIMARY KEY,          -- SHA-256 of the cookie
        person TEXT NOT NULL,
        stamp BYTEA NOT NULL,          -- SHA-256 of the password's hash
        expires BIGINT NOT NULL
    );
",
    "
    CREATE TABLE fix(                  -- where a station says that it is
        id SERIAL_KEY,
        at BIGINT NOT NULL,            -- the collector's time
        station TEXT NOT NULL,         -- the name of its token
        latitude DOUBLE PRECISION NOT NULL,
        longitude DOUBLE PRECISION NOT NULL,
        speed DOUBLE PRECISION NOT NULL
    );
    CREATE INDEX fix_by_time ON fix(at);
    CREATE TABLE tls_time(             -- how long a station says that it took
        id SERIAL_KEY,
        at BIGINT NOT NULL,
        station TEXT NOT NULL,
        phase TEXT NOT NULL,           -- 'handshake' or 'exchange'
        suite TEXT NOT NULL,
        key_exchange TEXT NOT NULL,
        resumed BIGINT NOT NULL,
        seconds DOUBLE PRECISION NOT NULL
    );
    CREATE INDEX tls_time_by_time ON tls_time(at);
",
    "
    ALTER TABLE token ADD COLUMN site TEXT;
    ALTER TABLE token ADD COLUMN stations TEXT; -- names with blanks between; none: its own name
",
    // A station becomes `site:device`, because two sites may have devices with the same id. Until
    // this step a device was one station; it stays with the site of its newest reading.
    "
    ALTER TABLE station RENAME COLUMN device TO station;
    ALTER TABLE station ADD COLUMN device TEXT NOT NULL DEFAULT '';
    UPDATE station SET device = station;
    CREATE INDEX station_of_device ON station(device);
    NAME_STATIONS
    UPDATE station SET station = site || ':' || device;
",
    // Severity, acknowledgement and journal of alarms; notices of channels; settings of the site.
    "
    ALTER TABLE alarm ADD COLUMN severity TEXT NOT NULL DEFAULT 'warning';
    ALTER TABLE alarm ADD COLUMN acknowledged BIGINT;
    ALTER TABLE alarm ADD COLUMN person TEXT;       -- who acknowledged it
    ALTER TABLE alarm ADD COLUMN note TEXT;
    CREATE TABLE journal(
        id SERIAL_KEY,
        at BIGINT NOT NULL,
        alarm BIGINT NOT NULL,
        event TEXT NOT NULL,           -- raised, cleared, acknowledged, sent, failed
        person TEXT,                   -- a person, or a channel
        note TEXT
    );
    CREATE INDEX journal_by_time ON journal(at);
    CREATE INDEX journal_of_alarm ON journal(alarm);
    ALTER TABLE outbox ADD COLUMN alarm BIGINT NOT NULL DEFAULT 0;
    ALTER TABLE outbox ADD COLUMN severity BIGINT NOT NULL DEFAULT 2;
    ALTER TABLE outbox ADD COLUMN raised BIGINT NOT NULL DEFAULT 1;
    ALTER TABLE outbox ADD COLUMN escalates BIGINT NOT NULL DEFAULT 0;
    ALTER TABLE outbox ADD COLUMN created BIGINT NOT NULL DEFAULT 0;
    CREATE INDEX outbox_of_target ON outbox(target, id);
    CREATE TABLE delivery(             -- success and failure of a target
        target TEXT PRIMARY KEY,
        sent BIGINT NOT NULL,
        dropped BIGINT NOT NULL,
        sent_at BIGINT,
        failed_at BIGINT,
        reason TEXT                    -- of the last failure, until a success
    );
    CREATE TABLE setting(
        name TEXT PRIMARY KEY,
        value TEXT NOT NULL
    );
    CREATE TABLE ground(               -- of the map; one row
        id BIGINT PRIMARY KEY,
        kind TEXT NOT NULL,
        body BYTEA NOT NULL,
        bounds TEXT NOT NULL,          -- JSON: south, west, north, east of a picture
        tag TEXT NOT NULL
    );
",
    // A channel may be renamed, so the journal keeps its number too.
    "
    ALTER TABLE journal ADD COLUMN target TEXT;
    CREATE INDEX outbox_by_severity ON outbox(target, severity, id);
    CREATE INDEX outbox_of_alarm ON outbox(alarm);
",
    // Some databases got these indexes with the step before.
    "
    CREATE INDEX IF NOT EXISTS alarm_by_time ON alarm(since, id);
    CREATE INDEX IF NOT EXISTS alarm_of_station ON alarm(station);
    CREATE INDEX IF NOT EXISTS alarm_open ON alarm(since, id) WHERE cleared IS NULL;
",
    // Topics with retained messages for Home Assistant, which are emptied when they are not
    // wanted any more.
    "
    CREATE TABLE announced(topic TEXT PRIMARY KEY) CLUSTERED;
",
    // The users of collectors that share the database. A single collector has them in a file.
    "
    CREATE TABLE person(
        name TEXT PRIMARY KEY,
        role TEXT,                     -- none: the user was removed
        hash TEXT                      -- Argon2id
    ) CLUSTERED;
    CREATE TABLE channel_list(         -- the same of channels; one row
        id BIGINT PRIMARY KEY,
        body TEXT NOT NULL             -- JSON, with secrets
    );
",
    // PostgreSQL only: readings and roll-ups as numbers and arrays (`db/postgres/tables.rs`).
    "PACK_READINGS",
    // The same of SQLite, by a program (`db/sqlite/pack.rs`). Its spans are hours.
    "RENAME_SPANS",
];

/// The step that [`Database::pack`] belongs to.
const PACKED: i64 = 12;

/// The tables whose rows belong to a station.
const OF_STATIONS: [&str; 7] = [
    "session",
    "reading",
    "quantity",
    "rollup_minute",
    "rollup_hour",
    "rollup_day",
    "alarm",
];

/// Renames their column `device` to `station`.
fn name_stations() -> String {
    OF_STATIONS
        .map(|table| {
            format!(
                "ALTER TABLE {table} RENAME COLUMN device TO station;
                UPDATE {table} SET station = COALESCE((SELECT s.site FROM station s
                    WHERE s.device = {table}.station), 'site') || ':' || station;"
            )
        })
        .join("\n")
}

const ROLLUP_COLUMNS: &str = "
        device TEXT NOT NULL,
        name TEXT NOT NULL,
        BUCKET_COLUMNS,
        PRIMARY KEY(device, name, at)";

/// What a roll-up says of a quantity of a station and a span of time.
const BUCKET_COLUMNS: &str = "
        at BIGINT NOT NULL,
        count BIGINT NOT NULL,
        min DOUBLE PRECISION NOT NULL,
        max DOUBLE PRECISION NOT NULL,
        sum DOUBLE PRECISION NOT NULL,
        amount DOUBLE PRECISION NOT NULL,  -- by which a total grew
        last DOUBLE PRECISION NOT NULL,
        last_session BIGINT NOT NULL,
        last_counter BIGINT NOT NULL";

/// Migrates a database to this program's version. Returns true if it was empty.
pub fn migrate(db: &mut dyn Database) -> Result<bool> {
    db.take_time(true);
    let is_new = migrate_to(db, STEPS.len());
    db.take_time(false);
    is_new
}

/// Migrates a database to an older version, as a program of that version would. For tests.
pub fn migrate_to(db: &mut dyn Database, version: usize) -> Result<bool> {
    db.script("CREATE TABLE IF NOT EXISTS meta(name TEXT PRIMARY KEY, value BIGINT NOT NULL)")?;
    let found = version_of(db)?;
    let known = STEPS.len() as i64;
    let mut is_new = false;
    if found > known {
        return Err(Error::Version {
            place: db.place().into(),
            found,
            known,
        });
    }
    for (version, step) in (1..).zip(STEPS).take(version).skip(found.max(0) as usize) {
        let step = step
            .replace("ROLLUP_COLUMNS", ROLLUP_COLUMNS)
            .replace("NAME_STATIONS", &name_stations());
        let step = db.dialect(&step).replace("BUCKET_COLUMNS", BUCKET_COLUMNS);
        let version = i64::from(version);
        transaction(db, |db| {
            // Another collector that has started at the same time may have done it.
            if version_of(db)? >= version {
                return Ok(0);
            }
            is_new |= version == 1;
            db.script(&step)?;
            if version == PACKED {
                db.pack()?;
            }
            db.execute(
                "INSERT INTO meta(name, value) VALUES ('schema', ?1)
                 ON CONFLICT(name) DO UPDATE SET value = excluded.value",
                &[version.into()],
            )
        })?;
    }
    Ok(is_new)
}

/// Returns an error unless this PostgreSQL database has this program's version. It may have no tables
/// at all.
pub fn check(db: &mut dyn Database) -> Result<()> {
    let made = db.query("SELECT to_regclass('meta') IS NOT NULL", &[])?;
    let is_made = made.first().is_some_and(|row| row.int(0) == 1);
    let found = if is_made { version_of(db)? } else { 0 };
    let known = STEPS.len() as i64;
    if found > known {
        return Err(Error::Version {
            place: db.place().into(),
            found,
            known,
        });
    }
    if found < known {
        return Err(Error::Invalid(format!(
            "the database {} has no tables of this version yet: start a collector with it first",
            db.place()
        )));
    }
    Ok(())
}

fn version_of(db: &mut dyn Database) -> Result<i64> {
    let rows = db.query("SELECT value FROM meta WHERE name = 'schema'", &[])?;
    Ok(rows.first().map_or(0, |row| row.int(0)))
}
