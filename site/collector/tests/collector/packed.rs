//! Both databases keep readings packed, each in its way. Both answer the same, also after an earlier
//! version's database was packed.

use std::collections::BTreeSet;

use jiff::tz::TimeZone;
use selo_collector::alarm::Rule;
use selo_collector::db::{Database, Location};
use selo_collector::message::Message;
use selo_collector::query::{self, Before, Step};
use selo_collector::rollup::Level;
use selo_collector::schema::{migrate, migrate_to};
use selo_collector::store::Store;
use selo_collector::timeline;
use serde_json::Value as Json;

use crate::common::{NOON, place, postgres::Cluster};
use crate::earlier::copy;
use crate::store::{reading, rollups_are_those_of_the_readings, rows};

/// The version before readings were packed.
const UNPACKED: usize = 10;

/// Readings of two devices: late ones, doubles, wrong clocks, without values.
pub fn some() -> Vec<Message> {
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

pub fn stored(db: &mut dyn Database, messages: &[Message]) {
    let mut store = Store::default();
    for batch in messages.chunks(7) {
        let all: Vec<&Message> = batch.iter().collect();
        store.ingest(db, &all, NOON).expect("stored");
    }
}

/// A time in the midst of them.
const LATER: i64 = NOON - 6_600_000;

/// What the API answers about all of it.
pub fn answers(db: &mut dyn Database) -> Vec<Json> {
    let range = (0, NOON + 500 * 86_400_000);
    let utc = TimeZone::UTC;
    let mut all = Vec::new();
    for station in ["site:00000000", "site:00000001"] {
        for name in ["rain_total", "temperature", "battery"] {
            let steps = Level::ALL.into_iter().map(Step::Rollup);
            for (step, from) in steps
                .chain([Step::Raw])
                .flat_map(|step| [(step, 0), (step, LATER)])
            {
                let series = query::series(db, station, name, (from, range.1), step, &utc);
                all.push(series.expect("a series"));
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

pub fn answer_the_same(one: &mut dyn Database, other: &mut dyn Database) {
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

#[test]
fn an_earlier_database_is_packed() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let (mut sqlite, mut postgres) = both(&folder, &cluster);
    stored(&mut *sqlite, &some());
    migrate_to(&mut *postgres, UNPACKED).expect("the earlier version");
    copy(&mut *sqlite, &mut *postgres);
    assert!(!migrate(&mut *postgres).expect("packed"));
    rollups_are_those_of_the_readings(&mut *postgres);
    answer_the_same(&mut *sqlite, &mut *postgres);
    goes_on(&mut *sqlite, &mut *postgres);
}

/// A packed database goes on where the earlier version stopped: known readings are known, late ones are
/// late.
pub fn goes_on(other: &mut dyn Database, packed: &mut dyn Database) {
    let more: Vec<Message> = (0..12).map(|counter| reading(0, 1, counter, 6)).collect();
    stored(other, &more);
    stored(packed, &more);
    rollups_are_those_of_the_readings(packed);
    answer_the_same(other, packed);
}

#[test]
fn what_waits_survives_a_crash_and_raises_no_alarm_twice() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = Location::Sqlite(folder.path().join("readings.db"));
    survives_a_crash(&mut *file.open_writer(None).expect("opens"));
    if let Some(cluster) = Cluster::start() {
        survives_a_crash(&mut *place(&cluster).open_writer(None).expect("opens"));
    }
}

fn survives_a_crash(db: &mut dyn Database) {
    migrate(db).expect("migrated");
    let count = |db: &mut dyn Database, sql: &str| rows(db, sql)[0].int(0);
    let mut store = Store::leaving(2);
    let mut rule = Rule::first().remove(2);
    rule.kind = selo_collector::alarm::Kind::Value;
    rule.value = Some("temperature".into());
    rule.when = Some(selo_collector::alarm::When::Under);
    (rule.limit, rule.clear) = (Some(-10.0), Some(-9.0));
    store.set_rules(db, &[rule], NOON).expect("set");
    stored_by(&mut store, db, &[reading(0, 0, 0, 6)]);
    // The second is below the limit, the third is not: raised and cleared.
    stored_by(
        &mut store,
        db,
        &[
            reading(0, 0, 1, 6),
            reading(0, 0, 2, 3),
            reading(0, 0, 4, 6),
        ],
    );
    let alarms = "SELECT COUNT(*) FROM alarm";
    let hours = "SELECT CAST(SUM(count) AS BIGINT) FROM rollup_hour WHERE name = 'temperature'";
    assert_eq!(count(db, alarms), 1);
    assert_eq!(count(db, hours), 1, "the others wait");
    assert_eq!(count(db, "SELECT COUNT(*) FROM reading"), 4);
    drop(store);
    let mut store = Store::leaving(2);
    // It comes while the others still wait, and is between them.
    stored_by(&mut store, db, &[reading(0, 0, 3, 6)]);
    assert_eq!(count(db, alarms), 1);
    assert_eq!(count(db, hours), 5);
    rollups_are_those_of_the_readings(db);
}

#[test]
fn scattered_readings_wait_apart_and_are_seen() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = Location::Sqlite(folder.path().join("readings.db"));
    let mut db = file.open_writer(None).expect("opens");
    let db = &mut *db;
    migrate(db).expect("migrated");
    let both = |counter| [reading(0, 0, counter, 6), reading(1, 0, counter, 6)];
    let count = |db: &mut dyn Database| {
        ["fresh_reading", "reading"].map(|table| rows(db, &format!("SELECT 1 FROM {table}")).len())
    };
    let mut store = Store::leaving(2);
    stored_by(&mut store, db, &both(0));
    assert_eq!(count(db), [0, 2], "a new station does not wait");
    stored_by(&mut store, db, &both(2));
    assert_eq!(count(db), [2, 4]);
    // The same again: they are known, although they are apart.
    let again = both(2);
    let again: Vec<&Message> = again.iter().collect();
    let done = store.ingest(db, &again, NOON).expect("known");
    assert_eq!((done.fresh, count(db)), (vec![false, false], [0, 4]));
    stored_by(&mut store, db, &both(5));
    assert_eq!(count(db), [2, 6]);
    // Late ones find their neighbours.
    stored_by(&mut store, db, &both(4));
    assert_eq!(count(db), [0, 8]);
    rollups_are_those_of_the_readings(db);
    stored_by(&mut store, db, &both(7));
    drop(store);
    assert_eq!(count(db), [2, 10]);
    Store::default().settle_up(db, NOON).expect("settled");
    assert_eq!(count(db), [0, 10]);
    rollups_are_those_of_the_readings(db);
    // Nothing is done twice.
    Store::default().settle_up(db, NOON).expect("nothing");
    rollups_are_those_of_the_readings(db);
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
