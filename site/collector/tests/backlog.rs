//! A gateway was away for a day, and all that it kept comes at once, while another's readings
//! go on: over a broker with TLS into SQLite, confirmed as stored.

mod common;

use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::{Duration, Instant};

use common::Site;
use selo_codec::Catalogue;
use selo_gateway::peer::Peer;
use selo_gateway::reading::{Payload, Reading, SessionName};
use selo_gateway::sink::{Sink, SinkError};
use selo_link::DeviceId;
use selo_mqtt::client::{BrokerUrl, read_password};
use selo_mqtt::setup::{Setup, password_file};
use selo_mqtt::{Broker, BrokerConfig, ClientConfig, Publisher, PublisherConfig, Until};

/// The time of the first reading.
const THEN: i64 = 1_795_303_147_042;
/// As a gateway hands them on.
const BATCH: usize = 16_384;
/// From one live reading to the next.
const PAUSE: Duration = Duration::from_millis(50);

fn reading(device: u32, counter: u32) -> Reading {
    let mut payload = [0; 16];
    payload[4..8].copy_from_slice(&counter.to_le_bytes());
    Reading {
        device: Some(DeviceId(device)),
        name: None,
        session: SessionName::new(1, 7),
        counter,
        received_ms: THEN as u64 + 100 * u64::from(counter),
        payload: Payload::new(&payload).expect("short"),
        source: Peer::Nowhere,
        rssi: Some(-101),
        authenticated: true,
        redelivered: false,
    }
}

/// As a gateway does: again and again, until it is stored.
fn deliver(publisher: &mut Publisher, readings: &[Reading]) {
    loop {
        match publisher.deliver(readings) {
            Ok(()) => return,
            Err(SinkError::Later(_) | SinkError::UnderWay(_)) => {}
            Err(SinkError::Gone(reason)) => panic!("{reason}"),
        }
    }
}

fn publisher(folder: &Path, port: u16, gateway: &str) -> Publisher {
    let url: BrokerUrl = format!("mqtts://gateway@localhost:{port}")
        .parse()
        .expect("a URL");
    let mut client = ClientConfig::new(url, gateway);
    client.password = Some(read_password(&password_file(folder, "gateway")).expect("a password"));
    client.ca = Some(folder.join("ca.pem"));
    let codecs = Catalogue::built_in().expect("right");
    let codec: Arc<_> = codecs.get("rain-gauge").expect("there").clone();
    let mut config = PublisherConfig::new(client, codec);
    config.site = "farm".into();
    config.gateway = gateway.into();
    config.until = Until::Stored;
    Publisher::new(config).expect("starts")
}

/// Live readings, one after the other, until `done`: from each publication until it is stored.
fn live(publisher: &mut Publisher, from: u32, done: impl Fn(usize) -> bool) -> Vec<Duration> {
    let mut times = Vec::new();
    while !done(times.len()) {
        let since = Instant::now();
        deliver(publisher, &[reading(2, from + times.len() as u32)]);
        times.push(since.elapsed());
        std::thread::sleep(PAUSE);
    }
    times
}

/// The median, the 99th percentile and the largest, in milliseconds.
fn said(mut times: Vec<Duration>) -> String {
    times.sort();
    let at = |share: usize| times[(times.len() - 1) * share / 100].as_secs_f64() * 1e3;
    let (median, late, most) = (at(50), at(99), at(100));
    format!("median {median:.1} ms, p99 {late:.1} ms, at most {most:.1} ms")
}

/// A backlog of `late` readings of one station, which has a newer one already: each of them is
/// late for the roll-ups.
fn backlog(late: u32) {
    let folder = tempfile::tempdir().expect("a folder");
    let address = TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .expect("a port");
    let setup = Setup {
        folder: folder.path().into(),
        names: Vec::new(),
        site: "farm".into(),
        listen: address,
    };
    selo_mqtt::setup::run(&setup).expect("sets up");
    let config = BrokerConfig::of_folder(folder.path(), address);
    let broker = Broker::start(config).expect("starts");
    let url: BrokerUrl = format!("mqtts://collector@localhost:{}", address.port())
        .parse()
        .expect("a URL");
    let password = password_file(folder.path(), "collector");
    let mut client = ClientConfig::new(url, "collector");
    client.password = Some(read_password(&password).expect("a password"));
    client.ca = Some(folder.path().join("ca.pem"));
    let mut site = Site::start_with(|config| config.mqtt = Some(client));
    site.now.store(THEN + 100 * i64::from(late + 2), SeqCst);

    let mut away = publisher(folder.path(), address.port(), "south");
    deliver(&mut away, &[reading(1, 0), reading(1, late + 1)]);
    let mut here = publisher(folder.path(), address.port(), "north");
    let alone = live(&mut here, 0, |count| count == 50);
    let done = AtomicBool::new(false);
    let (spent, beside) = std::thread::scope(|scope| {
        let beside = scope.spawn(|| live(&mut here, 50, |_| done.load(SeqCst)));
        let since = Instant::now();
        let all: Vec<Reading> = (1..=late).map(|counter| reading(1, counter)).collect();
        for batch in all.chunks(BATCH) {
            deliver(&mut away, batch);
        }
        let spent = since.elapsed();
        done.store(true, SeqCst);
        (spent, beside.join().expect("goes on"))
    });
    println!(
        "{late} late readings stored in {:.1} s, wall-clock",
        spent.as_secs_f64()
    );
    println!("a live reading alone, until it is stored: {}", said(alone));
    println!(
        "beside the backlog ({} of them): {}",
        beside.len(),
        said(beside)
    );
    site.client.log_in(site.folder.path());
    let of = |device: &str| site.client.get(&format!("/api/v1/stations/{device}")).ok();
    let station = of("00000001");
    assert_eq!(station["received"], late + 2);
    assert_eq!(
        (&station["lost"], &station["duplicates"]),
        (&0.into(), &0.into())
    );
    assert_eq!(of("00000002")["lost"], 0);
    broker.stop();
}

#[test]
fn a_backlog_is_stored_once_beside_live_readings() {
    backlog(3000);
}

#[test]
#[ignore = "prints figures: cargo test --release --test backlog -- --ignored --nocapture"]
fn a_hundred_thousand_late_readings() {
    backlog(100_000);
}
