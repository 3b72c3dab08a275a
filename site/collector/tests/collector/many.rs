//! Many stations: a batch takes as many statements for thousands of stations as for a few. Collectors
//! that share a database write in turn, and each reads anew what another one has changed, so a
//! statement for each station would make a turn last for seconds.

use std::time::{Duration, Instant};

use crate::common::counting::Counting;
use crate::common::{NOON, message, place, postgres::Cluster};
use selo_collector::alarm::{Change, Kind, Rule, Severity};
use selo_collector::db::{Database, Location};
use selo_collector::message::{Message, parse};
use selo_collector::schema::migrate;
use selo_collector::store::Store;

const MINUTE: i64 = 60_000;
const PATIENCE: Duration = Duration::from_secs(20);

/// A reading a minute of each of these stations, with more rain each.
fn readings(stations: std::ops::Range<u32>, counter: u32) -> Vec<Message> {
    let received = NOON - (60 - i64::from(counter)) * MINUTE;
    let reading = |station: u32| {
        let device = format!("{station:08x}");
        let json = message(&device, 1, counter, received, f64::from(counter) * 0.2);
        parse(json.to_string().as_bytes(), "site", NOON).expect("a reading")
    };
    stations.map(reading).collect()
}

/// A collector's writer, which writes in turn with others.
struct Shares {
    db: Box<dyn Database>,
    store: Store,
}

impl Shares {
    fn new(cluster: &Cluster) -> Shares {
        let mut db = place(cluster).open_shared(None).expect("opens");
        migrate(&mut *db).expect("migrated");
        Shares {
            db,
            store: Store::default(),
        }
    }

    fn store(&mut self, messages: &[Message]) {
        let all: Vec<&Message> = messages.iter().collect();
        let done = self.store.ingest(&mut *self.db, &all, NOON);
        assert!(done.expect("stored").fresh.iter().all(|fresh| *fresh));
    }
}

/// The statements with parameters that the server has executed.
fn executed(cluster: &Cluster) -> Vec<String> {
    let log = std::fs::read_to_string(cluster.log()).expect("a log");
    let lines = log.lines().filter(|line| line.contains("  execute "));
    lines.map(str::to_owned).collect()
}

/// The statements of a batch of as many stations: half of the readings are new and half are late, and
/// another collector has just written.
fn statements(cluster: &Cluster, stations: std::ops::Range<u32>) -> Vec<String> {
    let (mut one, mut other) = (Shares::new(cluster), Shares::new(cluster));
    one.store(&readings(stations.clone(), 1));
    other.store(&readings(stations.clone(), 3));
    let both = [2, 4].map(|counter| readings(stations.clone(), counter));
    one.db
        .script("SET log_min_duration_statement = 0; SET log_parameter_max_length = 0")
        .expect("set");
    let before = executed(cluster).len();
    let since = Instant::now();
    one.store(&both.concat());
    let spent = since.elapsed();
    let all = executed(cluster).split_off(before);
    println!(
        "{} readings of {} stations: {} statements, {:.2} s",
        2 * stations.len(),
        stations.len(),
        all.len(),
        spent.as_secs_f64()
    );
    all
}

#[test]
fn a_batch_takes_as_many_statements_for_many_stations_as_for_a_few() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let few = statements(&cluster, 0..3);
    let many = statements(&cluster, 3..203);
    assert!(!few.is_empty());
    assert_eq!(few.len(), many.len(), "{many:#?}");
}

/// Viewers at another collector cost a batch one statement, however many readings it has.
#[test]
fn a_batch_tells_the_viewers_of_another_collector_with_one_statement() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let quiet = statements(&cluster, 0..3);
    assert!(quiet.iter().all(|line| !line.contains("pg_notify")));
    cluster.psql("INSERT INTO stream_watch VALUES ('other', 9000000000000000)");
    let mut ears = place(&cluster).open_brief().expect("opens");
    ears.script("LISTEN selo_live").expect("listens");
    for stations in [3..6, 6..206] {
        let told = statements(&cluster, stations);
        let notices = told.iter().filter(|line| line.contains("pg_notify"));
        assert_eq!((notices.count(), told.len()), (1, quiet.len() + 1));
    }
    let mut heard = Vec::new();
    let since = Instant::now();
    // Each call stores three batches.
    while heard.len() < 6 && since.elapsed() < PATIENCE {
        let more = ears.hear(Duration::from_millis(100)).expect("hears");
        assert!(!more.lost);
        heard.extend(more.messages);
    }
    assert_eq!(heard.len(), 6);
    assert!(heard.iter().all(|message| message.len() < 8000));
    assert!(heard[5].contains(r#""more":true"#), "{}", heard[5]);

    // Its own viewers hear of it without the database.
    let mut own = Shares::new(&cluster);
    own.db.call("other");
    own.store(&readings(300..303, 1));
    cluster.psql("NOTIFY selo_live, 'end'");
    let next = ears.hear(PATIENCE).expect("hears").messages;
    assert_eq!(next, ["end"]);
}

#[test]
#[ignore = "prints figures: nextest run --run-ignored only -E 'test(twenty_thousand_stations)' --no-capture"]
fn a_batch_of_twenty_thousand_stations() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let quiet = statements(&cluster, 0..20_000);
    println!("the same while another collector has viewers:");
    cluster.psql("INSERT INTO stream_watch VALUES ('other', 9000000000000000)");
    for line in [quiet, statements(&cluster, 20_000..40_000)].concat() {
        let at = line.find("duration:").expect("a duration");
        println!("  {}", line[at..].chars().take(100).collect::<String>());
    }
}

/// The stations of the alarms that the clock raises and clears, and the rows that it reads.
fn changed_by_clock(db: &mut Counting, store: &mut Store, now: i64) -> (Vec<String>, usize) {
    (db.rows, db.queries) = (0, 0);
    let changes = store.on_clock(db, now).expect("watched");
    // Each alarm takes one more.
    assert!(db.queries < 6 + changes.len(), "{} queries", db.queries);
    let station = |change: &Change| {
        let body: serde_json::Value = serde_json::from_str(&change.body).expect("JSON");
        let state = if change.raised { "silent" } else { "heard" };
        format!("{} {state}", body["device"].as_str().expect("a device"))
    };
    (changes.iter().map(station).collect(), db.rows)
}

fn only_stations_whose_alarm_changes_are_read(db: Box<dyn Database>) {
    let mut db = Counting::new(db);
    migrate(&mut db).expect("migrated");
    let mut store = Store::default();
    let silent = |name: &str, over: &str, device: Option<&str>| Rule {
        name: name.into(),
        kind: Kind::Silent,
        device: device.map(str::to_owned),
        over: Some(over.into()),
        limit: None,
        clear: None,
        value: None,
        when: None,
        severity: Severity::Warning,
    };
    let rules = [
        silent("quiet", "30m", None),
        silent("quick", "10m", Some("00000002")),
        silent("own", "10m", Some("site:00000003")),
        silent("nobody", "10m", Some("other:00000003")),
    ];
    store.set_rules(&mut db, &rules, NOON).expect("set");
    // All were heard 15 minutes ago.
    let heard = readings(0..1100, 45);
    let heard: Vec<&Message> = heard.iter().collect();
    store.ingest(&mut db, &heard, NOON).expect("stored");
    let (changed, rows) = changed_by_clock(&mut db, &mut store, NOON);
    assert_eq!(changed, ["00000002 silent", "00000003 silent"]);
    assert!(rows < 10, "{rows} rows");
    let (changed, rows) = changed_by_clock(&mut db, &mut store, NOON);
    assert_eq!((changed.len(), rows < 10), (0, true), "{rows} rows");
    // The clock goes back: they were heard a moment ago.
    let (changed, _) = changed_by_clock(&mut db, &mut store, NOON - 14 * MINUTE);
    assert_eq!(changed, ["00000002 heard", "00000003 heard"]);
    let (changed, _) = changed_by_clock(&mut db, &mut store, NOON + 15 * MINUTE);
    assert_eq!(changed.len(), 1000);
    let (changed, _) = changed_by_clock(&mut db, &mut store, NOON + 15 * MINUTE);
    assert_eq!(changed.len(), 102);
    let (changed, rows) = changed_by_clock(&mut db, &mut store, NOON + 16 * MINUTE);
    assert_eq!((changed.len(), rows < 10), (0, true), "{rows} rows");
}

#[test]
fn the_clock_reads_only_stations_whose_alarm_changes() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = Location::Sqlite(folder.path().join("readings.db"));
    only_stations_whose_alarm_changes_are_read(file.open_writer(None).expect("opens"));
    if let Some(cluster) = Cluster::start() {
        let db = place(&cluster).open_writer(None).expect("opens");
        only_stations_whose_alarm_changes_are_read(db);
    }
}
