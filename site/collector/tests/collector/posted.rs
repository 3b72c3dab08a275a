//! Data that stations post about themselves: stored in both databases, summarised, exported and
//! pruned; and which posts are refused.

mod refused;

use crate::common::postgres::Cluster;
use crate::common::{Answer, Client, NOON, Site, on_each_database, place};
use selo_collector::db::Location;
use selo_collector::schema;
use selo_tls::station::{Reading, Time};
use selo_tls::{Group, Suite};
use serde_json::{Value, json};

const READING: Reading = Reading {
    latitude: -23.1851,
    longitude: -50.6497,
    speed: 12.5,
};
const DAY: i64 = 86_400_000;

fn time(suite: Suite, resumed: bool, seconds: f64) -> String {
    Time {
        suite,
        group: Group::X25519,
        resumed,
        seconds,
    }
    .body()
}

fn post(client: &Client, route: &str, body: &str) -> Answer {
    client.post(&format!("/api/v1/exchange/{route}"), body)
}

/// A client that authenticates only with a token of this role and name.
fn with_token(site: &Site, name: &str, role: &str) -> Client {
    let body = json!({"name": name, "role": role}).to_string();
    let answer = site.client.post("/api/v1/tokens", &body);
    assert_eq!(answer.status, 201, "{}", answer.text);
    let mut client = nobody(site);
    client.token = answer.json()["token"].as_str().map(str::to_string);
    client
}

fn nobody(site: &Site) -> Client {
    let mut client = site.client.clone();
    client.cookie = None;
    client
}

#[test]
fn posts_are_stored_summed_up_exported_and_let_go() {
    on_each_database(|mut site| {
        send_posts(&mut site);
        check_summary(&site);
        check_filters(&site);
        check_exports(&site);

        // A restart keeps the confirmed data. Old rows are pruned with the raw readings.
        site.restart();
        let all = |site: &Site| site.client.get("/api/v1/exchange?from=0").ok();
        assert_eq!(all(&site)["track"].as_array().map(Vec::len), Some(4));
        site.pass(400 * DAY - 4000);
        prune(&mut site);
        assert_eq!(all(&site)["track"].as_array().map(Vec::len), Some(2));
        site.pass(DAY);
        prune(&mut site);
        assert_eq!(
            (&all(&site)["track"], &all(&site)["times"]),
            (&json!([]), &json!([]))
        );
    });
}

/// Posts four places and five times of two stations.
fn send_posts(site: &mut Site) {
    let bus = with_token(site, "bus", "device");
    let boat = with_token(site, "boat", "device");
    for (second, latitude) in [-23.1, -23.2, -23.3].into_iter().enumerate() {
        let reading = Reading {
            latitude,
            ..READING
        };
        assert_eq!(post(&bus, "reading", &reading.body()).status, 204);
        site.pass(1000 * (second as i64 + 1));
    }
    assert_eq!(post(&boat, "reading", &READING.body()).status, 204);
    for (route, resumed, seconds) in [
        ("handshake", false, 0.010),
        ("handshake", false, 0.020),
        ("handshake", false, 0.030),
        ("handshake", true, 0.005),
        ("exchange", false, 0.004),
    ] {
        let body = time(Suite::ChaCha20Poly1305, resumed, seconds);
        let answer = post(&bus, route, &body);
        assert_eq!((answer.status, answer.text.as_str()), (204, ""));
    }
}

/// The newest place of each station, the track, and the statistics of the times.
fn check_summary(site: &Site) {
    let found = site.client.get("/api/v1/exchange").ok();
    assert_eq!(found["all"], true);
    let stations = found["stations"].as_array().expect("a list");
    assert_eq!(stations.len(), 2);
    assert_eq!(
        stations[1],
        json!({
            "station": "bus", "at": "2026-11-21T12:00:03.000Z", "latitude": -23.3,
            "longitude": -50.6497, "speed": 12.5, "readings": 3,
        })
    );
    let track = found["track"].as_array().expect("a list");
    assert_eq!(track.len(), 4);
    assert_eq!(track[0]["station"], "boat", "the newest first");
    let times = found["times"].as_array().expect("a list");
    assert_eq!(times.len(), 2);
    let full = &times[0];
    assert_eq!(full["suite"], "TLS_CHACHA20_POLY1305_SHA256");
    assert_eq!(
        (&full["group"], &full["resumed"]),
        (&json!("x25519"), &json!(false))
    );
    let near = |value: &Value, expected: f64| {
        let value = value.as_f64().expect("a number");
        assert!((value - expected).abs() < 1e-6, "{value} is not {expected}");
    };
    assert_eq!(full["handshake"]["count"], 3);
    near(&full["handshake"]["mean"], 0.02);
    // Student's t with 2 degrees of freedom is 4.303; the standard deviation is 0.01.
    near(
        &full["handshake"]["high"],
        0.02 + 4.302_653 * 0.01 / 3_f64.sqrt(),
    );
    assert_eq!(full["exchange"]["count"], 1);
    assert!(full["exchange"]["low"].is_null());
    assert!(times[1]["exchange"].is_null());
}

/// The summary of one station, and of the time before all posts.
fn check_filters(site: &Site) {
    let of_boat = site.client.get("/api/v1/exchange?station=boat").ok();
    assert_eq!(of_boat["stations"].as_array().map(Vec::len), Some(1));
    assert_eq!(of_boat["times"], json!([]));
    let before = site.client.get(&format!("/api/v1/exchange?to={NOON}")).ok();
    assert_eq!(
        (&before["stations"], &before["track"]),
        (&json!([]), &json!([]))
    );
}

/// The exports of places and times, and the count of posts.
fn check_exports(site: &Site) {
    let places = site.client.get("/api/v1/export?of=places").text;
    assert_eq!(
        places.lines().take(2).collect::<Vec<_>>(),
        [
            "station,at,latitude,longitude,speed",
            "bus,2026-11-21T12:00:00.000Z,-23.1,-50.6497,12.5"
        ]
    );
    assert_eq!(places.lines().count(), 5);
    let times = site.client.get("/api/v1/export?of=times&format=json").text;
    let first: Value = serde_json::from_str(times.lines().next().expect("one")).expect("JSON");
    assert_eq!(
        first,
        json!({
            "station": "bus", "at": "2026-11-21T12:00:06.000Z", "phase": "handshake",
            "suite": "TLS_CHACHA20_POLY1305_SHA256", "group": "x25519", "resumed": false,
            "seconds": 0.01,
        })
    );
    assert_eq!(times.lines().count(), 5);
    let metrics = site.client.get("/metrics").text;
    assert!(
        metrics.contains("selo_collector_exchange_posts_total 9\n"),
        "{metrics}"
    );
}

/// Prunes old rows. The clock moves, so the client must log in again.
fn prune(site: &mut Site) {
    let collector = site.collector.as_ref().expect("runs");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime");
    let now = site.now.load(std::sync::atomic::Ordering::SeqCst);
    let (ingest, metrics) = (collector.ingest(), collector.metrics());
    let work = selo_collector::retention::prune(&ingest, &metrics, site.config.retention, now);
    runtime.block_on(work).expect("pruned");
    site.client.log_in(site.folder.path());
}

#[test]
fn a_database_of_the_version_before_gets_the_tables() {
    let folder = tempfile::tempdir().expect("a folder");
    let cluster = Cluster::start();
    let mut places = vec![Location::Sqlite(folder.path().join("a.db"))];
    places.extend(cluster.as_ref().map(place));
    for place in places {
        let mut db = place.open_writer(None).expect("opens");
        assert!(schema::migrate_to(&mut *db, 2).expect("the version before"));
        db.query("SELECT * FROM fix", &[])
            .expect_err("no table yet");
        assert!(!schema::migrate(&mut *db).expect("migrates"));
        let count = db.query("SELECT COUNT(*) FROM fix", &[]).expect("a table");
        assert_eq!(count[0].int(0), 0);
        db.query("SELECT * FROM tls_time", &[]).expect("a table");
    }
}

#[test]
fn the_tables_keep_the_newest_rows_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = Location::Sqlite(folder.path().join("a.db"));
    let mut db = place.open_writer(None).expect("opens");
    schema::migrate(&mut *db).expect("migrates");
    let post = selo_tls::station::Post::Reading(READING);
    let store = selo_collector::posted::store;
    for second in 0..3 {
        store(&mut *db, "bus", &post, second).expect("stored");
    }
    // Pretend that so many rows came in between.
    let ahead = selo_collector::posted::ROWS_MAX - 1;
    db.execute("UPDATE fix SET id = id + ?1 WHERE at = 2", &[ahead.into()])
        .expect("moved");
    let sql = "UPDATE sqlite_sequence SET seq = (SELECT MAX(id) FROM fix) WHERE name = 'fix'";
    db.execute(sql, &[]).expect("moved");
    store(&mut *db, "bus", &post, 3).expect("stored");
    let rows = db
        .query("SELECT at FROM fix ORDER BY id", &[])
        .expect("rows");
    let times: Vec<i64> = rows.iter().map(|row| row.int(0)).collect();
    assert_eq!(times, [2, 3]);
}
