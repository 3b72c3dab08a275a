//! Data that stations post about themselves: stored in both databases, summarised, exported and
//! pruned; and which posts are refused.

use crate::common::postgres::Cluster;
use crate::common::{Answer, Client, NOON, Site};
use selo_collector::auth::STRANGER_POSTS;
use selo_collector::db::Location;
use selo_collector::http::tls::{Offer, TlsFiles};
use selo_collector::{Collector, Config, schema};
use selo_tls::station::{BODY_MAX, Reading, Time};
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

/// Runs `work` with a collector on each database. Only SQLite if PostgreSQL is not installed.
fn on_each_database(work: impl Fn(Site)) {
    work(Site::start());
    if let Some(cluster) = Cluster::start() {
        work(Site::start_with(|config| config.database = cluster.place()));
    }
}

#[test]
fn posts_are_stored_summed_up_exported_and_let_go() {
    on_each_database(|mut site| {
        let bus = with_token(&site, "bus", "device");
        let boat = with_token(&site, "boat", "device");
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

        let of_boat = site.client.get("/api/v1/exchange?station=boat").ok();
        assert_eq!(of_boat["stations"].as_array().map(Vec::len), Some(1));
        assert_eq!(of_boat["times"], json!([]));
        let before = site.client.get(&format!("/api/v1/exchange?to={NOON}")).ok();
        assert_eq!(
            (&before["stations"], &before["track"]),
            (&json!([]), &json!([]))
        );

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
    places.extend(cluster.as_ref().map(Cluster::place));
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

#[test]
fn what_is_wrong_is_refused_with_a_word_why() {
    let site = Site::start();
    let bus = with_token(&site, "bus", "device");
    let good = time(Suite::Aes128Gcm, false, 0.1);
    let long = format!("{}{}", " ".repeat(BODY_MAX), READING.body());
    for (route, body, status, said) in [
        ("reading", "", 400, "invalid body"),
        ("reading", "{", 400, "invalid body"),
        ("reading", "null", 400, "invalid body"),
        (
            "reading",
            r#"{"latitude":NaN,"longitude":0,"speed":0}"#,
            400,
            "invalid body",
        ),
        (
            "reading",
            r#"{"latitude":91,"longitude":0,"speed":0}"#,
            400,
            "latitude must be -90 to 90",
        ),
        (
            "reading",
            r#"{"latitude":0,"longitude":0,"speed":-1}"#,
            400,
            "speed must be 0 to",
        ),
        ("reading", good.as_str(), 400, "unknown field"),
        ("handshake", READING.body().as_str(), 400, "unknown field"),
        (
            "handshake",
            &good.replace("TLS_AES_128", "TLS_DES"),
            400,
            "is not one of: TLS_AES_128",
        ),
        (
            "exchange",
            &good.replace("x25519", "x448"),
            400,
            "'x448' is not one of: x25519",
        ),
        (
            "exchange",
            &good.replace("0.1", "-0.1"),
            400,
            "seconds must be 0 to 3600",
        ),
        ("reading", &long, 413, "length limit"),
        ("readings", good.as_str(), 404, "there is no"),
    ] {
        let answer = post(&bus, route, body);
        assert_eq!(answer.status, status, "{route} {body}: {}", answer.text);
        let why = answer.json()["error"]["message"].to_string();
        assert!(why.contains(said), "{route} {body}: {why}");
    }
    let path = "/api/v1/exchange/reading";
    assert_eq!(bus.request("GET", path, &[], "").status, 405);
    for path in ["exchange?from=x", "export?of=everything"] {
        assert_eq!(
            site.client.get(&format!("/api/v1/{path}")).status,
            400,
            "{path}"
        );
    }
    let found = site.client.get("/api/v1/exchange").ok();
    assert_eq!((&found["times"], &found["track"]), (&json!([]), &json!([])));
}

#[test]
fn nobody_posts_without_a_token_unless_the_operator_says_so() {
    let site = Site::start();
    let body = READING.body();
    let viewer = with_token(&site, "eye", "viewer");
    let mut wrong = nobody(&site);
    wrong.token = Some("selo_x".into());
    for route in ["reading", "handshake", "exchange"] {
        assert_eq!(post(&nobody(&site), route, &body).status, 401);
        assert_eq!(post(&wrong, route, &body).status, 401);
        assert_eq!(post(&viewer, route, &body).status, 403);
    }
    assert_eq!(nobody(&site).get("/api/v1/exchange").status, 401);
    assert_eq!(
        with_token(&site, "bus", "device")
            .get("/api/v1/exchange")
            .status,
        403
    );
    assert_eq!(viewer.get("/api/v1/exchange").status, 200);

    let open = Site::start_with(|config| config.strangers = true);
    let mut wrong = nobody(&open);
    assert_eq!(post(&wrong, "reading", &body).status, 204);
    let found = open.client.get("/api/v1/exchange").ok();
    assert_eq!(found["stations"][0]["station"], "@127.0.0.1");
    wrong.token = Some("selo_x".into());
    assert_eq!(
        post(&wrong, "reading", &body).status,
        401,
        "a token is one or none"
    );
    let evil = [("origin", "https://evil.example")];
    let path = "/api/v1/exchange/reading";
    assert_eq!(
        nobody(&open).request("POST", path, &evil, &body).status,
        403
    );
    assert_eq!(nobody(&open).get("/api/v1/exchange").status, 401);
    // Invalid posts count towards the limit too.
    for _ in 1..STRANGER_POSTS {
        assert_eq!(post(&nobody(&open), "reading", "").status, 400);
    }
    let answer = post(&nobody(&open), "reading", &body);
    assert_eq!(
        (answer.status, answer.headers.contains_key("retry-after")),
        (429, true)
    );
    assert_eq!(
        post(&with_token(&open, "bus", "device"), "reading", &body).status,
        204
    );
    open.pass(60_000);
    assert_eq!(post(&nobody(&open), "reading", &body).status, 204);
}

/// Output of `openssl s_client` for these arguments: the negotiated parameters.
fn agreed(site: &Site, arguments: &[&str]) -> String {
    let address = site.collector.as_ref().expect("runs").address();
    let output = std::process::Command::new("openssl")
        .args(["s_client", "-connect", &address.to_string()])
        .args(arguments)
        .stdin(std::process::Stdio::null())
        .output()
        .expect("openssl runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn the_server_offers_what_it_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = selo_mqtt::certificate::Files::of(folder.path());
    selo_mqtt::certificate::ensure(&files, &["localhost".into(), "127.0.0.1".into()])
        .expect("certificates");
    let tls = TlsFiles {
        certificate: files.server.clone(),
        key: files.server_key.clone(),
    };
    let start = |offer: Offer| {
        let tls = tls.clone();
        Site::start_over_tls(&files.ca, move |config| {
            config.tls = Some(tls);
            config.offer = offer;
        })
    };
    let chacha = ["-tls1_3", "-ciphersuites", "TLS_CHACHA20_POLY1305_SHA256"];
    let aes = ["-tls1_3", "-ciphersuites", "TLS_AES_256_GCM_SHA384"];
    let x25519 = ["-tls1_3", "-groups", "X25519"];
    let refused = "Cipher is (NONE)";

    let all = start(Offer::default());
    assert!(agreed(&all, &["-tls1_2"]).contains("New, TLSv1.2, Cipher is ECDHE"));
    assert!(agreed(&all, &chacha).contains("Cipher is TLS_CHACHA20"));
    assert!(agreed(&all, &["-tls1_3", "-groups", "P-384"]).contains("Cipher is TLS_"));

    let one = start(Offer {
        suites: vec![Suite::ChaCha20Poly1305],
        groups: vec![Group::Secp256r1],
        without_tickets: true,
    });
    let said = agreed(&one, &chacha);
    assert!(said.contains("Cipher is TLS_CHACHA20"), "{said}");
    assert!(said.contains("ECDH, prime256v1"), "{said}");
    for arguments in [&aes[..], &x25519[..], &["-tls1_2"][..]] {
        let said = agreed(&one, arguments);
        assert!(said.contains(refused), "{arguments:?}: {said}");
    }

    let mut config = Config::new(folder.path().join("clear"));
    config.http = "127.0.0.1:0".parse().expect("an address");
    config.offer.groups = vec![Group::X25519];
    let error = Collector::start(config).expect_err("no certificate");
    assert!(error.to_string().contains("no certificate"), "{error}");
}
