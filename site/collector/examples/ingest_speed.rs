//! Measures how many readings per second a database stores, by batch size.
//!
//! ```text
//! cargo run --release -p selo-collector --example ingest_speed -- FILE|postgres://... [SECONDS [STATIONS [BATCH]]]
//! ```
//!
//! Each reading has two values, one of them a total. Each of 100 stations (or of the given number)
//! sends a reading per minute. The time includes roll-ups, stations and alarms.

use std::time::{Duration, Instant};

use selo_collector::db::{Database, Location};
use selo_collector::message::{Message, parse, time_text};
use selo_collector::schema::migrate;
use selo_collector::store::Store;

const START_MS: i64 = 1_790_000_000_000;

fn message(number: u32, stations: u32) -> Message {
    let (station, counter) = (number % stations, number / stations);
    let received =
        START_MS + i64::from(counter) * 60_000 + i64::from(station) * 60_000 / i64::from(stations);
    let json = format!(
        "{{\"schema\":\"selo.reading/1\",\"device\":\"{station:08x}\",\"name\":\"station\",\
         \"session\":\"0000000112ab34cd\",\"counter\":{counter},\"received\":\"{}\",\
         \"payload\":\"000102030405060708090a0b0c0d0e0f\",\"source\":\"192.0.2.7:5000\",\
         \"rssi\":-90,\"authenticated\":true,\"redelivered\":false,\"gateway\":\"north\",\
         \"codec\":\"rain-gauge\",\"values\":{{\"rain_total\":{{\"value\":{},\"unit\":\"mm\"}},\
         \"temperature\":{{\"value\":{},\"unit\":\"Cel\"}}}}}}",
        time_text(received),
        f64::from(counter / 10) / 5.0,
        f64::from(counter % 300) / 10.0,
    );
    parse(json.as_bytes(), "site", received).expect("a reading")
}

fn main() -> selo_collector::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let Some(place) = arguments.next() else {
        eprintln!("usage: ingest_speed FILE|postgres://... [SECONDS [STATIONS [BATCH]]]");
        std::process::exit(2);
    };
    let mut number = || arguments.next().and_then(|text| text.parse::<u32>().ok());
    let seconds = number().unwrap_or(5);
    let stations = number().filter(|stations| *stations > 0).unwrap_or(100);
    let batches = number().map_or(vec![1, 10, 100, 1000, 4000, 10_000], |batch| vec![batch]);
    let long = Duration::from_secs(seconds.into());
    let mut db = Location::parse(&place).open_writer(None)?;
    migrate(&mut *db)?;
    let server = match Location::parse(&place) {
        Location::Postgres(_) => server_of(&mut *db),
        Location::Sqlite(_) => None,
    };
    let mut store = Store::default();
    let mut number = 0;
    println!("batch  readings/s  CPU of a reading: this program, server");
    for batch in batches {
        let (mut stored, mut spent, mut own) = (0, Duration::ZERO, 0);
        let server_before = running(server.as_deref());
        let mut timed = |work: &mut dyn FnMut() -> selo_collector::Result<()>| {
            let (started, before) = (Instant::now(), running(Some("thread-self")));
            work()?;
            spent += started.elapsed();
            own += running(Some("thread-self")) - before;
            Ok::<_, selo_collector::Error>(spent)
        };
        let mut is_over = false;
        while !is_over {
            let messages: Vec<Message> = (number..number + batch)
                .map(|number| message(number, stations))
                .collect();
            number += batch;
            let borrowed: Vec<&Message> = messages.iter().collect();
            let now = messages.last().map_or(START_MS, |last| last.received);
            let spent = timed(&mut || {
                let done = store.ingest(&mut *db, &borrowed, now)?;
                stored += done.fresh.iter().filter(|fresh| **fresh).count();
                Ok(())
            })?;
            is_over = spent >= long;
        }
        // Large batches may have left work for later.
        timed(&mut || store.settle_up(&mut *db, START_MS).map(drop))?;
        let of_server = running(server.as_deref()) - server_before;
        println!(
            "{batch:5}  {:10.0}  {:.1} us, {:.1} us",
            stored as f64 / spent.as_secs_f64(),
            own as f64 / 1000.0 / stored as f64,
            of_server as f64 / 1000.0 / stored as f64
        );
    }
    Ok(())
}

/// The process of a server on this machine that works for this connection.
fn server_of(db: &mut dyn Database) -> Option<String> {
    let rows = db.query("SELECT pg_backend_pid()", &[]).ok()?;
    Some(rows.first()?.int(0).to_string())
}

/// The time that a process or thread has run on a core, in nanoseconds. 0 if it is not known.
fn running(process: Option<&str>) -> u64 {
    let read = |process| std::fs::read_to_string(format!("/proc/{process}/schedstat")).ok();
    let text = process.and_then(read).unwrap_or_default();
    let first = text
        .split(' ')
        .next()
        .and_then(|number| number.parse().ok());
    first.unwrap_or(0)
}
