//! A gateway that was offline for a day delivers its whole backlog while another gateway sends
//! live readings: over a TLS broker into SQLite, confirmed as stored.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::{Duration, Instant};

use crate::common::Site;
use crate::common::farm::{Farm, THEN, deliver};
use selo_gateway::reading::Reading;
use selo_mqtt::Publisher;

/// Batch size of a gateway.
const BATCH: usize = 16_384;
/// Interval between live readings.
const PAUSE: Duration = Duration::from_millis(50);
/// Interval between two readings of a station, in milliseconds.
const STEP: u64 = 100;

fn reading(device: u32, counter: u32) -> Reading {
    crate::common::farm::reading(device, counter, STEP)
}

/// Sends live readings one after the other until `done`. Returns the time from each publication
/// until it is stored.
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

/// Formats the median, the 99th percentile and the maximum in milliseconds.
fn said(mut times: Vec<Duration>) -> String {
    times.sort();
    let at = |share: usize| times[(times.len() - 1) * share / 100].as_secs_f64() * 1e3;
    let (median, late, most) = (at(50), at(99), at(100));
    format!("median {median:.1} ms, p99 {late:.1} ms, at most {most:.1} ms")
}

/// Stores a backlog of `late` readings of a station that already has a newer one, so each of them
/// is late for the roll-ups.
fn backlog(late: u32) {
    let farm = Farm::new();
    let broker = farm.broker();
    let mut site =
        Site::start_with(|config| config.mqtt = Some(farm.client("collector", "collector")));
    let last = STEP * u64::from(late + 2);
    site.now.store(THEN + last as i64, SeqCst);

    let mut away = farm.publisher("south");
    deliver(&mut away, &[reading(1, 0), reading(1, late + 1)]);
    let mut here = farm.publisher("north");
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
#[ignore = "prints figures: cargo test --release -p selo-collector --test collector backlog -- --ignored --nocapture"]
fn a_hundred_thousand_late_readings() {
    backlog(100_000);
}
