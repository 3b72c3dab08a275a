//! Many stations: a batch takes as many statements for thousands of stations as for a few. Collectors
//! that share a database write in turn, and each reads anew what another one has changed, so a
//! statement for each station would make a turn last for seconds.

use std::time::Instant;

use crate::common::{NOON, message, place, postgres::Cluster};
use selo_collector::db::Database;
use selo_collector::message::{Message, parse};
use selo_collector::schema::migrate;
use selo_collector::store::Store;

const MINUTE: i64 = 60_000;

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

#[test]
#[ignore = "prints figures: nextest run --run-ignored only -E 'test(twenty_thousand_stations)' --no-capture"]
fn a_batch_of_twenty_thousand_stations() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    for line in statements(&cluster, 0..20_000) {
        let at = line.find("duration:").expect("a duration");
        println!("  {}", line[at..].chars().take(100).collect::<String>());
    }
}
