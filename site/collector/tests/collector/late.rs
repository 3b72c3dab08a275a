//! A late backlog, and a wrong clock.

use crate::common::counting::Counting;
use crate::common::{NOON, Site, message, on_each_database};
use selo_collector::db::{Database, Location};
use selo_collector::message::{Message, parse};
use selo_collector::retention::{self, Trusted, trust};
use selo_collector::schema::migrate;
use selo_collector::store::Store;

fn reading(counter: u32) -> Message {
    let received = NOON - 200_000_000 + i64::from(counter) * 1000;
    let json = message("0000000a", 1, counter, received, f64::from(counter) * 0.2);
    parse(json.to_string().as_bytes(), "site", NOON).expect("a reading")
}

fn open(folder: &tempfile::TempDir) -> Box<dyn Database> {
    let place = Location::Sqlite(folder.path().join("readings.db"));
    let mut db = place.open_writer(None).expect("opens");
    migrate(&mut *db).expect("migrated");
    db
}

/// Rows read while `late` late readings are stored in one batch.
fn rows_read(late: u32) -> usize {
    let folder = tempfile::tempdir().expect("a folder");
    let mut db = Counting::new(open(&folder));
    let mut store = Store::default();
    for counter in [0, late + 1] {
        let one = reading(counter);
        store.ingest(&mut db, &[&one], NOON).expect("stored");
    }
    db.rows = 0;
    let backlog: Vec<Message> = (1..=late).map(reading).collect();
    let all: Vec<&Message> = backlog.iter().collect();
    store.ingest(&mut db, &all, NOON).expect("stored");
    db.rows
}

#[test]
fn late_readings_cost_rows_in_proportion() {
    let (few, many) = (rows_read(500), rows_read(2000));
    assert!(
        many <= 5 * few.max(500),
        "{few} rows for 500, {many} for 2000"
    );
}

#[test]
fn a_jump_of_the_clock_makes_nothing_old() {
    const DAY: i64 = 86_400_000;
    let folder = tempfile::tempdir().expect("a folder");
    let mut db = open(&folder);
    let mut trusted = |now, ran| trust(&mut *db, now, ran).expect("judged");
    assert_eq!(trusted(NOON, 0), Trusted::Nothing);
    drop(db);
    let mut db = open(&folder);
    let one = reading(0);
    Store::default()
        .ingest(&mut *db, &[&one], NOON)
        .expect("stored");
    let start = one.received;
    let mut trusted = |now, ran| trust(&mut *db, now, ran).expect("judged");
    let at = |at, ahead| Trusted::At { at, ahead };
    assert_eq!(trusted(start, 0), at(start, 0));
    let ahead = start + 800 * DAY;
    assert_eq!(trusted(ahead, 0), at(start, 800 * DAY));
    assert_eq!(trusted(ahead, DAY), at(start + 2 * DAY, 798 * DAY));
    assert_eq!(trusted(start - 6 * 366 * DAY, DAY), Trusted::Back);
    assert_eq!(trusted(1000, DAY), Trusted::Back);
    let back = start + 3 * DAY;
    assert_eq!(trusted(back, DAY), at(back, 0));
}

#[test]
fn a_reading_of_a_clock_far_ahead_proves_no_time() {
    const DAY: i64 = 86_400_000;
    let folder = tempfile::tempdir().expect("a folder");
    let mut db = open(&folder);
    let at = |counter: u32, received: i64| {
        let json = message("0000000a", 1, counter, received, 0.2);
        parse(json.to_string().as_bytes(), "site", received).expect("a reading")
    };
    let mut store = Store::default();
    let mut take = |message: &Message| {
        let taken = store.ingest(&mut *db, &[message], message.received);
        taken.expect("stored");
    };
    (0..48).for_each(|hour| take(&at(hour, NOON + i64::from(hour) * 3_600_000)));
    let ahead = NOON + 800 * DAY;
    take(&at(48, ahead));
    let expected = NOON + 2 * DAY..=NOON + 2 * DAY + 2 * 3_600_000;
    match trust(&mut *db, ahead, 0).expect("judged") {
        Trusted::At { at, .. } => assert!(expected.contains(&at), "{}", at - NOON),
        other => panic!("{other:?}"),
    }
}

/// Blocks on a future of a site's collector.
fn of<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime")
        .block_on(work)
}

#[test]
fn what_a_clock_holds_back_is_told() {
    const DAY: i64 = 86_400_000;
    let site = Site::start();
    site.client.send(&[message("0000000a", 1, 0, NOON, 0.2)]);
    let collector = site.collector.as_ref().expect("runs");
    let (ingest, metrics) = (collector.ingest(), collector.metrics());
    let told = |now| {
        of(retention::watch(&ingest, &metrics, now, 0)).expect("judged");
        let retention = site.client.get("/api/v1/stations").ok()["retention"].take();
        let held = retention["held"].as_bool().expect("a boolean");
        (
            held,
            retention["behind_seconds"].as_i64().expect("a number"),
        )
    };
    assert_eq!(told(NOON), (false, 0));
    assert_eq!(told(NOON + 800 * DAY), (false, 800 * DAY / 1000));
    assert_eq!(told(NOON - DAY), (true, 0));
}

/// Otherwise it would be the newest reading forever.
#[test]
fn a_reading_from_the_future_goes_by_when_it_was_stored() {
    on_each_database(|site| goes_by_when_it_was_stored(&site));
}

fn goes_by_when_it_was_stored(site: &Site) {
    const DAY: i64 = 86_400_000;
    let ahead = NOON + 20_000 * DAY;
    site.client.send(&[message("0000000a", 1, 0, ahead, 0.2)]);
    site.client.send(&[message("0000000a", 1, 1, NOON, 0.4)]);
    let frames = site.client.get("/api/v1/frames").ok()["frames"].take();
    let marks = [0, 1].map(|at| frames[at]["plausible"].as_bool());
    assert_eq!(marks, [Some(false), Some(true)]);
    let collector = site.collector.as_ref().expect("runs");
    let (ingest, metrics) = (collector.ingest(), collector.metrics());
    let readings = |now| {
        let kept = site.config.retention;
        of(retention::prune(&ingest, &metrics, kept, now)).expect("pruned");
        let frames = site.client.get("/api/v1/frames").ok();
        frames["frames"].as_array().expect("a list").len()
    };
    let kept = site.config.retention.raw.expect("not for ever");
    assert_eq!(readings(NOON + kept), 2);
    let rows = |table: &str| {
        let mut db = site.config.database.open_reader().expect("a reader");
        let sql = format!("SELECT 1 FROM {table}");
        db.query(&sql, &[]).map_or(0, |rows| rows.len())
    };
    let with_readings = ["span", "grown_minute"];
    assert_eq!(with_readings.map(rows), [2, 1]);
    assert_eq!(readings(NOON + kept + 1), 0);
    // A day goes when all of it is old.
    assert_eq!(readings(NOON + kept + DAY), 0);
    assert_eq!(with_readings.map(rows), [0, 0]);
}

/// serde also accepts a list of an object's members. Listeners could not read such an event.
#[test]
fn a_list_is_not_a_message() {
    let list = r#"["selo.reading/1","0000000a",null,"0000000000000001",0,null,"00"]"#;
    let reason = parse(list.as_bytes(), "site", NOON).expect_err("a list");
    assert!(reason.contains("object"), "{reason}");
    let json = message("0000000a", 1, 0, NOON, 0.2).to_string();
    let one = parse(json.as_bytes(), "site", NOON).expect("a reading");
    let event: serde_json::Value = serde_json::from_str(&one.line).expect("JSON");
    assert_eq!(event["station"], "site:0000000a");
}
