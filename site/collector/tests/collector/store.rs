//! The store on both databases: the order, the duplicates and the batches of readings do not
//! affect the final database, and its roll-ups match its readings.

use std::collections::BTreeMap;

use crate::common::{NOON, message, place, postgres::Cluster};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use selo_collector::db::{Database, Location, Row, Value};
use selo_collector::message::{Message, parse};
use selo_collector::rollup::Level;
use selo_collector::schema::{self, migrate};
use selo_collector::store::Store;

/// The tables that a case fills.
const TABLES: [&str; 6] = [
    "station", "session", "quantity", "alarm", "outbox", "rejected",
];
/// The tables of readings.
const PACKED: [&str; 5] = [
    "packed_reading",
    "span",
    "grown_minute",
    "packed_hour",
    "packed_day",
];

/// One of a case's readings. Its numbers determine everything about it.
pub fn reading(device: u8, session: u8, counter: u8, kind: u8) -> Message {
    let (session, counter) = (u64::from(session), u32::from(counter));
    // Sessions are 15 minutes apart, and each begins with a smaller total.
    let sent = NOON - 7_200_000 + session as i64 * 900_000 + i64::from(counter) * 47_000;
    let received = match kind {
        0 => sent + 400 * 86_400_000, // the gateway's clock was wrong
        1 => 5_000,
        _ => sent,
    };
    let rain = f64::from(counter) * 0.2 + 3.0 - session as f64;
    let mut json = message(
        &format!("{device:08x}"),
        session + 1,
        counter,
        received,
        rain,
    );
    match kind {
        2 => json["values"] = serde_json::json!({}),
        3 => json["values"]["temperature"]["value"] = (-17.123_456_789).into(),
        _ => {}
    }
    parse(json.to_string().as_bytes(), "site", NOON).expect("a reading")
}

pub fn empty(db: &mut dyn Database) {
    for table in TABLES.iter().chain(&PACKED) {
        db.execute(&format!("DELETE FROM {table}"), &[])
            .expect("emptied");
    }
}

pub fn rows(db: &mut dyn Database, sql: &str) -> Vec<Row> {
    db.query(sql, &[]).expect("rows")
}

/// Dumps everything that the database holds about readings.
pub fn dump(db: &mut dyn Database) -> Vec<Vec<Row>> {
    [
        "SELECT * FROM station ORDER BY station",
        "SELECT * FROM session ORDER BY station, session",
        "SELECT * FROM reading ORDER BY station, session, counter",
        "SELECT * FROM quantity ORDER BY station, name",
        "SELECT * FROM rollup_minute ORDER BY station, name, at",
        "SELECT * FROM rollup_hour ORDER BY station, name, at",
        "SELECT * FROM rollup_day ORDER BY station, name, at",
    ]
    .map(|sql| rows(db, sql))
    .into()
}

/// How a store that leaves consequences for later ends, now and then.
#[derive(Debug, Clone, Copy, PartialEq)]
enum End {
    None,
    /// It stores them.
    Settles,
    /// It is killed, and another one begins.
    Dies,
}

fn ingest(
    db: &mut dyn Database,
    messages: &[Message],
    sizes: &[usize],
    ends: &[End],
) -> (usize, Vec<Vec<Row>>) {
    empty(db);
    let mut store = Store::leaving(2);
    let mut ends = ends.iter().copied().cycle();
    let mut rest: Vec<&Message> = messages.iter().collect();
    let mut sizes = sizes.iter().copied().cycle();
    let mut fresh = 0;
    while !rest.is_empty() {
        let size = sizes.next().unwrap_or(1).clamp(1, rest.len());
        let batch: Vec<&Message> = rest.drain(..size).collect();
        let done = store.ingest(db, &batch, NOON).expect("stored");
        fresh += done.fresh.iter().filter(|fresh| **fresh).count();
        match ends.next().unwrap_or(End::None) {
            End::None => {}
            End::Settles => {
                store.settle_up(db, NOON).expect("settled");
            }
            End::Dies => store = Store::leaving(2),
        }
    }
    store.settle_up(db, NOON).expect("settled");
    (fresh, dump(db))
}

/// Roll-ups computed from the readings by another method. Maps name, level and time to count,
/// min, max, sum, growth, last.
type Expected = BTreeMap<(String, String, &'static str, i64), (i64, f64, f64, f64, f64, f64)>;

fn recompute(db: &mut dyn Database) -> Expected {
    let sql = "SELECT station, received, data FROM reading ORDER BY station, session, counter";
    let mut expected = Expected::new();
    let mut before: BTreeMap<(String, String), f64> = BTreeMap::new();
    for row in rows(db, sql) {
        let data: BTreeMap<String, f64> = serde_json::from_str(row.text(2)).expect("JSON");
        for (name, value) in data {
            let series = (row.text(0).to_string(), name.clone());
            let last = before
                .insert(series, value)
                .filter(|_| name == "rain_total");
            let grown = last.map_or(0.0, |last| if value >= last { value - last } else { value });
            for level in Level::ALL {
                let at = row.int(1) - row.int(1).rem_euclid(level.ms());
                let key = (row.text(0).to_string(), name.clone(), level.table(), at);
                let bucket = expected
                    .entry(key)
                    .or_insert((0, value, value, 0.0, 0.0, value));
                bucket.0 += 1;
                bucket.1 = bucket.1.min(value);
                bucket.2 = bucket.2.max(value);
                bucket.3 += value;
                bucket.4 += grown;
                bucket.5 = value;
            }
        }
    }
    expected
}

pub fn rollups_are_those_of_the_readings(db: &mut dyn Database) {
    let mut expected = recompute(db);
    for level in Level::ALL {
        let sql = format!(
            "SELECT station, name, at, count, min, max, sum, amount, last FROM {}",
            level.table()
        );
        for row in rows(db, &sql) {
            let key = (
                row.text(0).into(),
                row.text(1).into(),
                level.table(),
                row.int(2),
            );
            let bucket = expected
                .remove(&key)
                .unwrap_or_else(|| panic!("{key:?} is too much"));
            assert_eq!(row.int(3), bucket.0, "count of {key:?}");
            for (column, value) in [
                (4, bucket.1),
                (5, bucket.2),
                (6, bucket.3),
                (7, bucket.4),
                (8, bucket.5),
            ] {
                let found = row.real(column);
                assert!(
                    (found - value).abs() < 1e-6,
                    "{found} is not {value}: {key:?} {column}"
                );
            }
        }
    }
    assert!(expected.is_empty(), "{expected:?}");
}

fn any_order_gives_the_same(place: &Location, cases: u32) {
    let mut db = place.open_writer(None).expect("opens");
    migrate(&mut *db).expect("migrates");
    let db = std::cell::RefCell::new(db);
    let one = (0_u8..2, 0_u8..3, 0_u8..12, 0_u8..12);
    let variant = proptest::collection::vec(one, 1..60).prop_flat_map(|all| {
        // A reading is the same whenever it arrives.
        let unique: BTreeMap<(u8, u8, u8), u8> = all
            .iter()
            .map(|(d, s, c, kind)| ((*d, *s, *c), *kind))
            .collect();
        let doubled: Vec<(u8, u8, u8, u8)> = all
            .iter()
            .map(|(d, s, c, _)| (*d, *s, *c, unique[&(*d, *s, *c)]))
            .collect();
        let sizes = proptest::collection::vec(1_usize..20, 1..8);
        let end = prop_oneof![Just(End::None), Just(End::Settles), Just(End::Dies)];
        let ends = proptest::collection::vec(end, 1..6);
        (
            Just(doubled.clone()).prop_shuffle(),
            Just(doubled),
            sizes,
            ends,
        )
    });
    let mut runner = TestRunner::new(Config {
        cases,
        ..Config::default()
    });
    runner
        .run(&variant, |(shuffled, mut ordered, sizes, ends)| {
            let db = &mut **db.borrow_mut();
            ordered.sort();
            let messages = |list: &[(u8, u8, u8, u8)]| -> Vec<Message> {
                list.iter()
                    .map(|(d, s, c, kind)| reading(*d, *s, *c, *kind))
                    .collect()
            };
            let (fresh, straight) = ingest(db, &messages(&ordered), &[1], &[End::None]);
            rollups_are_those_of_the_readings(db);
            // Only readings in order are left for later by every database.
            for some in [&shuffled, &ordered] {
                let (again, mixed) = ingest(db, &messages(some), &sizes, &ends);
                rollups_are_those_of_the_readings(db);
                prop_assert_eq!(fresh, again);
                for (straight, mixed) in straight.iter().zip(&mixed) {
                    prop_assert_eq!(straight, mixed);
                }
            }
            Ok(())
        })
        .expect("the same in any order");
}

#[test]
fn in_any_order_with_doubles_sqlite_holds_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    any_order_gives_the_same(&Location::Sqlite(folder.path().join("a.db")), 40);
}

#[test]
fn in_any_order_with_doubles_postgresql_holds_the_same() {
    if let Some(cluster) = Cluster::start() {
        any_order_gives_the_same(&place(&cluster), 16);
    }
}

#[test]
fn a_newer_database_is_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut db = Location::Sqlite(folder.path().join("a.db"))
        .open_writer(None)
        .expect("opens");
    assert!(migrate(&mut *db).expect("migrates"));
    assert!(!migrate(&mut *db).expect("migrates again"));
    db.execute("UPDATE meta SET value = value + 1", &[])
        .expect("set");
    let error = migrate(&mut *db).expect_err("too new");
    assert!(error.to_string().contains("version"), "{error}");
}

/// Readings of two sites' devices with the same id are different readings.
#[test]
fn sites_with_a_device_of_the_same_id_do_not_shadow_each_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = Location::Sqlite(folder.path().join("a.db"));
    let mut db = place.open_writer(None).expect("opens");
    migrate(&mut *db).expect("migrates");
    let json = message("0000000a", 1, 7, NOON - 1000, 0.2).to_string();
    let of = |site| parse(json.as_bytes(), site, NOON).expect("a reading");
    let (north, south) = (of("north"), of("south"));
    let mut store = Store::default();
    let done = store.ingest(&mut *db, &[&north], NOON).expect("stored");
    assert_eq!(done.fresh, [true]);
    let both = store.ingest(&mut *db, &[&north, &south], NOON);
    assert_eq!(both.expect("stored").fresh, [false, true]);
    let stations = rows(&mut *db, "SELECT station, readings FROM station ORDER BY 1");
    let of = |row: &Row| (row.text(0).to_string(), row.int(1));
    let told: Vec<_> = stations.iter().map(of).collect();
    let expected = [("north:0000000a".into(), 1), ("south:0000000a".into(), 1)];
    assert_eq!(told, expected);
}

/// A database of the version before sites were part of a reading's identity keeps all its rows
/// and recognises duplicates.
fn older_rows_are_named_by_their_site(place: &Location) {
    let mut db = place.open_writer(None).expect("opens");
    schema::migrate_to(&mut *db, 4).expect("the older version");
    db.script(
        "INSERT INTO station(device, site, first_seen, last_seen, last_session, last_counter,
            last_values, totals, readings, duplicates, implausible)
            VALUES ('0000000a', 'north', 1000, 2000, 1, 8, '{}', '{}', 2, 0, 0);
        INSERT INTO session(device, session, first, last, stored) VALUES ('0000000a', 1, 7, 8, 2);
        INSERT INTO reading(device, session, counter, received, stored, site, authenticated,
            payload, data) VALUES ('0000000a', 1, 7, 1000, 1000, 'south', 1, '', '{}'),
            ('0000000a', 1, 8, 2000, 2000, 'north', 1, '', '{}');
        INSERT INTO quantity(device, name, unit) VALUES ('0000000a', 'rain_total', 'mm');
        INSERT INTO rollup_hour(device, name, at, count, min, max, sum, amount, last,
            last_session, last_counter) VALUES ('0000000a', 'rain_total', 0, 1, 1, 1, 1, 1, 1, 1, 7);
        INSERT INTO alarm(rule, device, since, bound, unit, text)
            VALUES ('silent', '0000000a', 1000, 1, 's', '');",
    )
    .expect("older rows");
    assert!(!migrate(&mut *db).expect("migrates"));
    for (table, count) in [
        ("station", 1),
        ("session", 1),
        ("reading", 2),
        ("quantity", 1),
        ("rollup_hour", 1),
        ("alarm", 1),
    ] {
        let found = rows(&mut *db, &format!("SELECT station FROM {table}"));
        assert_eq!(found.len(), count, "{table}");
        let named = found.iter().all(|row| row.text(0) == "north:0000000a");
        assert!(named, "{table}: {found:?}");
    }
    let json = message("0000000a", 1, 8, 2000, 0.2).to_string();
    let again = parse(json.as_bytes(), "north", NOON).expect("a reading");
    let done = Store::default().ingest(&mut *db, &[&again], NOON);
    assert_eq!(done.expect("stored").fresh, [false]);
}

#[test]
fn older_rows_of_sqlite_are_named_by_their_site() {
    let folder = tempfile::tempdir().expect("a folder");
    older_rows_are_named_by_their_site(&Location::Sqlite(folder.path().join("a.db")));
}

#[test]
fn older_rows_of_postgresql_are_named_by_their_site() {
    if let Some(cluster) = Cluster::start() {
        older_rows_are_named_by_their_site(&place(&cluster));
    }
}

#[test]
fn a_second_writer_of_sqlite_is_kept_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = Location::Sqlite(folder.path().join("a.db"));
    let first = place.open_writer(None).expect("opens");
    let error = place.open_writer(None).expect_err("locked");
    assert!(error.to_string().contains("another collector"), "{error}");
    place.open_reader().expect("a reader is welcome");
    drop(first);
    // A process that another test forks at this moment inherits the lock until it calls exec.
    while place.open_writer(None).is_err() {
        std::thread::yield_now();
    }
}

#[test]
fn a_second_writer_of_postgresql_is_kept_out() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let first = place(&cluster).open_writer(None).expect("opens");
    let error = place(&cluster).open_writer(None).expect_err("locked");
    assert!(error.to_string().contains("another collector"), "{error}");
    drop(first);
    // The server releases the lock when it notices the end of the connection.
    while place(&cluster).open_writer(None).is_err() {
        std::thread::yield_now();
    }
}

#[test]
fn both_databases_keep_every_kind_of_value() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut places = vec![Location::Sqlite(folder.path().join("a.db"))];
    let cluster = Cluster::start();
    places.extend(cluster.as_ref().map(place));
    for place in places {
        let mut db = place.open_writer(None).expect("opens");
        let columns = "a BIGINT, b DOUBLE PRECISION, c TEXT, d BYTEA, e BIGINT";
        let sql = db.dialect(&format!("CREATE TABLE kinds({columns})"));
        db.script(&sql).expect("made");
        let values = vec![
            Value::Int(i64::MIN),
            Value::Real(-0.1),
            Value::Text("é\u{1f600}'".into()),
            Value::Blob(vec![0, 255]),
            Value::Null,
        ];
        let insert = "INSERT INTO kinds VALUES (?1, ?2, ?3, ?4, ?5)";
        assert_eq!(db.execute(insert, &values).expect("inserted"), 1);
        let found = db.query("SELECT * FROM kinds", &[]).expect("found");
        assert_eq!(found, [Row(values)]);
    }
}
