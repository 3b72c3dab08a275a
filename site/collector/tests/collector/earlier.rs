//! A SQLite file of an earlier version gets the tables of this one: nothing is lost, also in a crash or
//! on a full disk, and the answers stay the same.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use selo_collector::db::{Database, Location, Row, Value};
use selo_collector::message::Message;
use selo_collector::schema::{migrate, migrate_to};
use selo_collector::store::Store;

use crate::common::NOON;
use crate::packed::{answer_the_same, answers, goes_on, some, stored};
use crate::store::{dump, reading, rollups_are_those_of_the_readings, rows};

/// The version before readings of SQLite were packed.
const UNPACKED: usize = 11;

const BUCKET: &str = "station, name, at, count, min, max, sum, amount, last, last_session,
    last_counter";

/// The tables that hold something of readings, with their columns.
pub const OF_READINGS: [(&str, &str); 7] = [
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
];

/// Copies what a database has of readings into an earlier version's tables.
pub fn copy(from: &mut dyn Database, to: &mut dyn Database) {
    for (table, columns) in OF_READINGS {
        let rows: Vec<Vec<Value>> = rows(from, &format!("SELECT {columns} FROM {table}"))
            .into_iter()
            .map(|Row(values)| values)
            .collect();
        let head = format!("INSERT INTO {table}({columns})");
        to.put_rows(&head, "", &rows).expect("copied");
    }
}

fn file(folder: &Path, name: &str) -> Location {
    Location::Sqlite(folder.join(name))
}

fn open(place: &Location) -> Box<dyn Database> {
    place.open_writer(None).expect("opens")
}

/// A file of this version with these readings, and one of the earlier version with the same.
fn both(folder: &Path, messages: &[Message]) -> (Box<dyn Database>, Box<dyn Database>) {
    let mut new = open(&file(folder, "new.db"));
    migrate(&mut *new).expect("migrated");
    stored(&mut *new, messages);
    let mut earlier = open(&file(folder, "earlier.db"));
    migrate_to(&mut *earlier, UNPACKED).expect("the earlier version");
    copy(&mut *new, &mut *earlier);
    earlier
        .script(
            "INSERT INTO alarm(rule, station, since, bound, unit, text)
                VALUES ('silent', 'site:00000000', 1000, 1, 's', 'x');
            INSERT INTO rejected(at, source, reason, body) VALUES (1, 'a', 'b', x'00');
            UPDATE station SET title = 'Bridge', latitude = 1.5 WHERE station = 'site:00000001'",
        )
        .expect("other rows");
    (new, earlier)
}

#[test]
fn an_earlier_file_is_packed_and_answers_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut new, mut earlier) = both(folder.path(), &some());
    let before = dump(&mut *earlier);
    assert_eq!(before, dump_of_columns(&mut *new, &before));
    assert!(!migrate(&mut *earlier).expect("packed"));
    let others = rows(&mut *earlier, "SELECT 1 FROM alarm, rejected");
    assert_eq!(others.len(), 1);
    let titles = "SELECT title, latitude FROM station WHERE title IS NOT NULL";
    assert_eq!(rows(&mut *earlier, titles).len(), 1);
    // What the earlier tables said, the views say.
    for (was, is) in before.iter().zip(dump(&mut *earlier)) {
        assert_eq!(was.len(), is.len());
        for (was, is) in was.iter().zip(&is) {
            assert_eq!(was, is);
        }
    }
    rollups_are_those_of_the_readings(&mut *earlier);
    for sql in [
        "DELETE FROM alarm",
        "UPDATE station SET title = NULL, latitude = NULL",
    ] {
        earlier.execute(sql, &[]).expect("as the other one");
    }
    assert!(answers(&mut *earlier).len() > 40);
    answer_the_same(&mut *new, &mut *earlier);
    goes_on(&mut *new, &mut *earlier);
}

/// The same rows of another file, whose columns of stations have another order.
fn dump_of_columns(db: &mut dyn Database, like: &[Vec<Row>]) -> Vec<Vec<Row>> {
    let mut all = dump(db);
    // A title and a position were added to the earlier one.
    all[0].clone_from(&like[0]);
    all
}

#[test]
fn minutes_that_were_deleted_before_their_readings_come_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut new, mut earlier) = both(folder.path(), &some());
    let early = format!("DELETE FROM rollup_minute WHERE at < {}", NOON - 6_900_000);
    assert!(earlier.execute(&early, &[]).expect("deleted") > 5);
    assert!(!migrate(&mut *earlier).expect("packed"));
    let minutes = "SELECT * FROM rollup_minute ORDER BY station, name, at";
    assert_eq!(rows(&mut *new, minutes), rows(&mut *earlier, minutes));
}

/// Not a test: it packs a file, until another test kills it.
#[test]
#[ignore = "it is started by another test"]
fn child() {
    let place = std::env::var("SELO_TEST_FILE").expect("a file");
    let mut db = open(&Location::parse(&place));
    migrate(&mut *db).expect("packed");
}

/// Copies the files of a closed database.
fn copied(from: &Path, to: &Path) {
    std::fs::copy(from, to).expect("copied");
    for end in ["-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{end}", to.display()));
    }
}

#[test]
fn a_crash_in_the_midst_loses_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let many: Vec<Message> = (0..120)
        .flat_map(|counter| (0..20).map(move |device| reading(device, 0, counter, 6)))
        .collect();
    let (new, mut earlier) = both(folder.path(), &many);
    drop(new);
    let of_readings = "SELECT * FROM reading ORDER BY station, session, counter";
    let before = rows(&mut *earlier, of_readings);
    drop(earlier);
    let (path, crashed) = (
        folder.path().join("earlier.db"),
        folder.path().join("crashed.db"),
    );
    let mut in_the_midst = 0;
    // Where it ends depends on the machine, so it is tried until one was killed in the midst.
    for attempt in 0..80 {
        if attempt >= 8 && in_the_midst > 0 {
            break;
        }
        let wait = attempt % 8;
        copied(&path, &crashed);
        let mut child = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "earlier::child", "--ignored"])
            .env("SELO_TEST_FILE", &crashed)
            .stdout(Stdio::null())
            .spawn()
            .expect("runs");
        // Its log tells that it has begun.
        let log = format!("{}-wal", crashed.display());
        let is_long = || std::fs::metadata(&log).is_ok_and(|file| file.len() > wait * 60_000);
        while !is_long() && child.try_wait().expect("asked").is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().expect("killed");
        child.wait().expect("ended");
        let mut db = open(&Location::Sqlite(crashed.clone()));
        let version = rows(&mut *db, "SELECT value FROM meta WHERE name = 'schema'");
        in_the_midst += usize::from(version[0].int(0) == UNPACKED as i64);
        assert_eq!(rows(&mut *db, of_readings), before);
        migrate(&mut *db).expect("packed");
        assert_eq!(rows(&mut *db, of_readings), before);
        if attempt == 0 {
            rollups_are_those_of_the_readings(&mut *db);
        }
    }
    assert!(in_the_midst > 0, "it was always killed too late");
}

#[test]
fn a_file_without_room_is_left_as_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let (new, mut earlier) = both(folder.path(), &some());
    drop(new);
    let before = dump(&mut *earlier);
    let pages = rows(&mut *earlier, "PRAGMA page_count")[0].int(0);
    drop(earlier);
    let place = file(folder.path(), "earlier.db");
    let limit = u64::try_from(pages).expect("positive");
    let mut db = place.open_writer(Some(limit)).expect("opens");
    let error = migrate(&mut *db).expect_err("no room").to_string();
    assert!(error.contains("full"), "{error}");
    assert_eq!(dump(&mut *db), before);
    drop(db);
    let mut db = open(&place);
    migrate(&mut *db).expect("packed");
    assert_eq!(
        rows(&mut *db, "SELECT 1 FROM reading").len(),
        before[2].len()
    );
    let mut store = Store::default();
    let known = some();
    let known: Vec<&Message> = known.iter().collect();
    let done = store.ingest(&mut *db, &known, NOON).expect("stored");
    assert!(done.fresh.iter().all(|fresh| !fresh));
}
