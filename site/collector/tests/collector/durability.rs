//! Confirmed readings are stored exactly once: through kills, full disks and database outages.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crate::common::postgres::Cluster;
use crate::common::{Client, NOON, Site, message, place};
use selo_collector::db::Location;
use selo_collector::{Collector, Config};
use serde_json::Value;

/// Not a test: a collector in a separate process, which the other tests kill.
#[test]
#[ignore = "it is started by the other tests"]
fn child() {
    let folder = std::env::var("SELO_TEST_FOLDER").expect("a folder");
    let folder = Path::new(&folder);
    let mut config = Config::new(folder.join("state"));
    config.http = "127.0.0.1:0".parse().expect("an address");
    if let Ok(url) = std::env::var("SELO_TEST_DATABASE") {
        config.database = Location::parse(&url);
    }
    let collector = Collector::start(config).expect("starts");
    let new = folder.join("address.new");
    std::fs::write(&new, collector.address().to_string()).expect("written");
    std::fs::rename(new, folder.join("address")).expect("shown");
    loop {
        std::thread::park();
    }
}

fn start_child(folder: &Path, database: Option<&str>) -> (Child, Client) {
    let address = folder.join("address");
    let _ = std::fs::remove_file(&address);
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command
        .args(["--exact", "durability::child", "--ignored", "--nocapture"])
        .env("SELO_TEST_FOLDER", folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    if let Some(database) = database {
        command.env("SELO_TEST_DATABASE", database);
    }
    let mut child = command.spawn().expect("runs");
    while !address.exists() {
        assert!(child.try_wait().expect("asked").is_none(), "it ended");
        std::thread::yield_now();
    }
    let at = std::fs::read_to_string(address).expect("an address");
    let mut client = Client::new(&format!("http://{at}"));
    client.log_in(folder);
    (child, client)
}

/// Four senders with one device each. The collector is killed repeatedly while they send. Each
/// reading is offered until it is confirmed, as a gateway does.
fn killed_under_load(folder: &Path, database: Option<&str>) {
    const KILLS: u32 = 4;
    let stop = Arc::new(AtomicBool::new(false));
    let confirmed: Arc<Vec<AtomicU32>> = Arc::new((0..4).map(|_| AtomicU32::new(0)).collect());
    let base = Arc::new(std::sync::Mutex::new(Client::new("http://127.0.0.1:1")));
    let (mut child, client) = start_child(folder, database);
    *base.lock().expect("held") = client;
    let senders: Vec<_> = (0..4_u32)
        .map(|sender| {
            let (stop, confirmed, base) = (stop.clone(), confirmed.clone(), base.clone());
            std::thread::spawn(move || {
                while !stop.load(Ordering::SeqCst) {
                    let from = confirmed[sender as usize].load(Ordering::SeqCst);
                    let batch: Vec<Value> = (from..from + 20)
                        .map(|n| {
                            let device = format!("{sender:08x}");
                            message(
                                &device,
                                1,
                                n,
                                NOON + i64::from(n) * 1000,
                                f64::from(n) * 0.2,
                            )
                        })
                        .collect();
                    let client = base.lock().expect("held").clone();
                    if client.try_send(&batch) {
                        confirmed[sender as usize].store(from + 20, Ordering::SeqCst);
                    }
                }
            })
        })
        .collect();
    let total = || -> u32 { confirmed.iter().map(|n| n.load(Ordering::SeqCst)).sum() };
    for _ in 0..KILLS {
        let before = total();
        while total() < before + 400 {
            std::thread::yield_now();
        }
        // Sends SIGKILL.
        child.kill().expect("killed");
        child.wait().expect("ended");
        let (next, client) = start_child(folder, database);
        child = next;
        *base.lock().expect("held") = client;
    }
    stop.store(true, Ordering::SeqCst);
    for sender in senders {
        sender.join().expect("ended");
    }
    let client = base.lock().expect("held").clone();
    let stations = client.get("/api/v1/stations").ok();
    for station in stations["stations"].as_array().expect("a list") {
        let sender: usize = station["device"]
            .as_str()
            .expect("text")
            .parse()
            .expect("a number");
        let confirmed = u64::from(confirmed[sender].load(Ordering::SeqCst));
        let received = station["received"].as_u64().expect("a number");
        // A batch may be stored although the kill prevented its confirmation.
        assert!(
            (confirmed..=confirmed + 20).contains(&received),
            "{received} {confirmed}"
        );
        assert_eq!(station["lost"], 0);
        let device = station["device"].as_str().expect("text");
        let export = client
            .get(&format!("/api/v1/export?device={device}&to=9000000000000"))
            .text;
        assert_eq!(export.lines().count() as u64, received + 1, "each once");
        let days = "series?name=temperature&step=day&from=0&to=9000000000000";
        let rolled = client
            .get(&format!("/api/v1/stations/{device}/{days}"))
            .ok();
        let counts = rolled["count"].as_array().expect("a list");
        let count: u64 = counts.iter().filter_map(Value::as_u64).sum();
        assert_eq!(count, received, "rolled up once");
    }
    child.kill().expect("killed");
    child.wait().expect("ended");
}

#[test]
fn a_killed_collector_has_what_it_confirmed_once_in_sqlite() {
    let folder = tempfile::tempdir().expect("a folder");
    killed_under_load(folder.path(), None);
}

#[test]
fn a_killed_collector_has_what_it_confirmed_once_in_postgresql() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    killed_under_load(folder.path(), Some(&cluster.url()));
}

#[test]
fn a_full_database_confirms_nothing_and_goes_on_when_there_is_room() {
    let site = Site::start_with(|config| config.pages_max = Some(120));
    let mut confirmed = 0;
    let batch = |from: u32| -> Vec<Value> {
        (from..from + 50)
            .map(|n| {
                message(
                    "3f9a01c2",
                    1,
                    n,
                    NOON - 7_200_000 + i64::from(n) * 1000,
                    0.0,
                )
            })
            .collect()
    };
    let refused = loop {
        let answer = site.client.post(
            "/api/v1/readings",
            &Value::from(batch(confirmed)).to_string(),
        );
        if answer.status != 200 {
            break answer;
        }
        confirmed += 50;
    };
    assert!(confirmed > 0, "{}", refused.text);
    assert_eq!(refused.status, 507, "{}", refused.text);
    assert_eq!(refused.json()["error"]["code"], "full");
    assert!(
        refused.json()["error"]["hint"]
            .as_str()
            .expect("a hint")
            .contains("space")
    );
    assert_eq!(site.client.get("/healthz").status, 503);
    let station = site.client.get("/api/v1/stations/3f9a01c2").ok();
    assert_eq!(
        station["received"], confirmed,
        "nothing of the batch is there"
    );
    // There is room again.
    site.collector
        .as_ref()
        .expect("runs")
        .set_pages_max(100_000);
    assert_eq!(site.client.send(&batch(confirmed)), vec!["stored"; 50]);
    assert_eq!(site.client.get("/healthz").status, 200);
    let station = site.client.get("/api/v1/stations/3f9a01c2").ok();
    assert_eq!(station["received"], confirmed + 50);
}

#[test]
fn a_database_that_goes_away_comes_back_by_itself() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let place = place(&cluster);
    let site = Site::start_with(|config| config.database = place);
    let first = [message("3f9a01c2", 1, 0, NOON, 1.0)];
    assert_eq!(site.client.send(&first), ["stored"]);
    cluster.kill();
    let next = message("3f9a01c2", 1, 1, NOON + 1000, 1.2);
    let body = Value::from(vec![next.clone()]).to_string();
    let refused = site.client.post("/api/v1/readings", &body);
    assert_eq!(refused.status, 503, "{}", refused.text);
    assert_eq!(refused.json()["error"]["code"], "unavailable");
    assert_ne!(site.client.get("/healthz").status, 200);
    cluster.up();
    while site.client.post("/api/v1/readings", &body).status != 200 {
        std::thread::yield_now();
    }
    let sent = site.client.send(&[first[0].clone(), next]);
    assert_eq!(sent, ["duplicate", "duplicate"]);
    let rain = site
        .client
        .get("/api/v1/stations/3f9a01c2/rain?step=day&from=0&to=9000000000000")
        .ok();
    assert_eq!(rain["total"], 0.2);
    assert_eq!(site.client.get("/healthz").status, 200);
}

/// A PostgreSQL server that accepts connections and says nothing holds a collector up for a limited time.
#[test]
fn a_database_that_says_nothing_is_an_error_after_a_while() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("bound").port();
    let url = format!("postgres://u@127.0.0.1:{port}/d?sslmode=disable&connect_timeout=1");
    let error = Location::Postgres(url).open_reader().expect_err("silent");
    assert!(error.to_string().contains("not answered within"), "{error}");
}
