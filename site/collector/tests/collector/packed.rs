//! PostgreSQL keeps readings packed, SQLite does not. Both answer the same, also after an earlier
//! version's database was packed.

use std::collections::BTreeSet;

use jiff::tz::TimeZone;
use selo_collector::alarm::Rule;
use selo_collector::db::{Database, Location, Row, Value};
use selo_collector::message::Message;
use selo_collector::query::{self, Before, Step};
use selo_collector::rollup::Level;
use selo_collector::schema::{migrate, migrate_to};
use selo_collector::store::Store;
use selo_collector::timeline;
use serde_json::Value as Json;

use crate::common::{NOON, place, postgres::Cluster};
use crate::store::{reading, rollups_are_those_of_the_readings, rows};

/// The version before readings were packed.
const UNPACKED: usize = 10;

/// Readings of two devices: late ones, doubles, wrong clocks, without values.
fn some() -> Vec<Message> {
    let mut all = Vec::new();
    for counter in [0, 1, 5, 4, 2, 9, 7, 7, 11] {
        for (device, session) in [(0, 0), (1, 0), (0, 2), (0, 1)] {
            all.push(reading(device, session, counter, counter + device));
        }
    }
    all
}

/// A database of SQLite, and one of PostgreSQL without tables.
fn both(folder: &tempfile::TempDir, cluster: &Cluster) -> (Box<dyn Database>, Box<dyn Database>) {
    let file = Location::Sqlite(folder.path().join("readings.db"));
    let mut sqlite = file.open_writer(None).expect("opens");
    migrate(&mut *sqlite).expect("migrated");
    (sqlite, place(cluster).open_writer(None).expect("opens"))
}

fn stored(db: &mut dyn Database, messages: &[Message]) {
    let mut store = Store::default();
    for batch in messages.chunks(7) {
        let all: Vec<&Message> = batch.iter().collect();
        store.ingest(db, &all, NOON).expect("stored");
    }
}

/// What the API answers about all of it.
fn answers(db: &mut dyn Database) -> Vec<Json> {
    let range = (0, NOON + 500 * 86_400_000);
    let utc = TimeZone::UTC;
    let mut all = Vec::new();
    for station in ["site:00000000", "site:00000001"] {
        for name in ["rain_total", "temperature", "battery"] {
            let steps = Level::ALL.into_iter().map(Step::Rollup);
            for step in steps.chain([Step::Raw]) {
                let series = query::series(db, station, name, range, step, &utc);
                all.push(series.unwrap_or_else(|error| error.to_string().into()));
            }
        }
        for level in Level::ALL {
            all.push(query::rain(db, station, range, level, &utc).expect("rain"));
        }
        all.push(timeline::events(db, station, range).expect("events"));
        all.extend(pages(db, Some(station)));
    }
    all.extend(pages(db, None));
    let chosen = ["site:00000000".to_string()];
    for chosen in [None, Some(&chosen[..])] {
        let stations = query::stations(db, chosen, NOON, 3_600_000).expect("stations");
        all.extend(stations);
    }
    all
}

fn answer_the_same(one: &mut dyn Database, other: &mut dyn Database) {
    let (expected, found) = (answers(one), answers(other));
    for (expected, found) in expected.iter().zip(&found) {
        assert_eq!(expected, found);
    }
    assert_eq!(expected.len(), found.len());
}

/// All pages of the frame log.
fn pages(db: &mut dyn Database, station: Option<&str>) -> Vec<Json> {
    let mut all = Vec::new();
    let mut before = Before::END;
    loop {
        let page = query::frames(db, station, &before, 5).expect("frames");
        let next = page["next"].as_str().map(Before::parse);
        all.push(page);
        match next {
            Some(next) => before = next.expect("a position"),
            None => return all,
        }
    }
}

#[test]
fn both_databases_answer_the_same() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let (mut sqlite, mut postgres) = both(&folder, &cluster);
    migrate(&mut *postgres).expect("migrated");
    stored(&mut *sqlite, &some());
    stored(&mut *postgres, &some());
    assert!(answers(&mut *sqlite).len() > 40);
    answer_the_same(&mut *sqlite, &mut *postgres);
}

/// Copies a table into another database of the same version.
fn copy(from: &mut dyn Database, to: &mut dyn Database, table: &str, columns: &str) {
    let rows: Vec<Vec<Value>> = rows(from, &format!("SELECT {columns} FROM {table}"))
        .into_iter()
        .map(|Row(values)| values)
        .collect();
    let head = format!("INSERT INTO {table}({columns})");
    to.put_rows(&head, "", &rows).expect("copied");
}

const BUCKET: &str = "station, name, at, count, min, max, sum, amount, last, last_session,
    last_counter";

#[test]
fn an_earlier_database_is_packed() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let (mut sqlite, mut postgres) = both(&folder, &cluster);
    stored(&mut *sqlite, &some());
    migrate_to(&mut *postgres, UNPACKED).expect("the earlier version");
    for (table, columns) in [
        (
            "station",
            "station, device, name, site, gateway, codec, first_seen, last_seen, last_session,
                last_counter, last_rssi, last_values, totals, readings, duplicates, implausible",
        ),
        ("session", "station, session, first, last, stored"),
        (
            "reading",
            "station, session, counter, received, stored, gateway, site, authenticated, rssi,
                payload, data",
        ),
        ("quantity", "station, name, unit"),
        ("rollup_minute", BUCKET),
        ("rollup_hour", BUCKET),
        ("rollup_day", BUCKET),
    ] {
        copy(&mut *sqlite, &mut *postgres, table, columns);
    }
    assert!(!migrate(&mut *postgres).expect("packed"));
    rollups_are_those_of_the_readings(&mut *postgres);
    answer_the_same(&mut *sqlite, &mut *postgres);
    // It goes on where the earlier version stopped: known readings are known, late ones are late.
    let more: Vec<Message> = (0..12).map(|counter| reading(0, 1, counter, 6)).collect();
    stored(&mut *sqlite, &more);
    stored(&mut *postgres, &more);
    rollups_are_those_of_the_readings(&mut *postgres);
    answer_the_same(&mut *sqlite, &mut *postgres);
}

#[test]
fn what_waits_survives_a_crash_and_raises_no_alarm_twice() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let mut db = place(&cluster).open_writer(None).expect("opens");
    migrate(&mut *db).expect("migrated");
    let count = |db: &mut dyn Database, sql: &str| rows(db, sql)[0].int(0);
    let mut store = Store::leaving(2);
    let mut rule = Rule::first().remove(2);
    rule.kind = selo_collector::alarm::Kind::Value;
    rule.value = Some("temperature".into());
    rule.when = Some(selo_collector::alarm::When::Under);
    (rule.limit, rule.clear) = (Some(-10.0), Some(-9.0));
    store.set_rules(&mut *db, &[rule], NOON).expect("set");
    stored_by(&mut store, &mut *db, &[reading(0, 0, 0, 6)]);
    // The second is below the limit, the third is not: raised and cleared.
    stored_by(
        &mut store,
        &mut *db,
        &[
            reading(0, 0, 1, 6),
            reading(0, 0, 2, 3),
            reading(0, 0, 4, 6),
        ],
    );
    let alarms = "SELECT COUNT(*) FROM alarm";
    let hours = "SELECT CAST(SUM(count) AS BIGINT) FROM rollup_hour WHERE name = 'temperature'";
    assert_eq!(count(&mut *db, alarms), 1);
    assert_eq!(count(&mut *db, hours), 1, "the others wait");
    assert_eq!(count(&mut *db, "SELECT COUNT(*) FROM reading"), 4);
    drop(store);
    let mut store = Store::leaving(2);
    // It comes while the others still wait, and is between them.
    stored_by(&mut store, &mut *db, &[reading(0, 0, 3, 6)]);
    assert_eq!(count(&mut *db, alarms), 1);
    assert_eq!(count(&mut *db, hours), 5);
    rollups_are_those_of_the_readings(&mut *db);
}

#[test]
fn two_collectors_in_turn_store_each_reading_once_and_leave_nothing() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let open = || {
        let mut db = place(&cluster).open_shared(None).expect("opens");
        migrate(&mut *db).expect("migrated");
        (db, Store::leaving(1))
    };
    let mut collectors = [open(), open()];
    let mut fresh = 0;
    // Each batch comes twice, and the other collector has the devices next.
    let all = some();
    let batches = all.chunks(5).chain(all.chunks(4).rev());
    for (turn, batch) in batches.enumerate() {
        let (db, store) = &mut collectors[turn % 2];
        let batch: Vec<&Message> = batch.iter().collect();
        let done = store.ingest(&mut **db, &batch, NOON).expect("stored");
        fresh += done.fresh.iter().filter(|fresh| **fresh).count();
    }
    let (db, _) = &mut collectors[0];
    let unique: BTreeSet<_> = all.iter().map(|one| &one.identity).collect();
    assert_eq!(fresh, unique.len());
    assert_eq!(rows(&mut **db, "SELECT 1 FROM reading").len(), fresh);
    rollups_are_those_of_the_readings(&mut **db);
}

fn stored_by(store: &mut Store, db: &mut dyn Database, messages: &[Message]) {
    let all: Vec<&Message> = messages.iter().collect();
    let done = store.ingest(db, &all, NOON).expect("stored");
    assert!(done.fresh.iter().all(|fresh| *fresh));
}
