//! Measures how many readings per second a database stores, by batch size.
//!
//! ```text
//! cargo run --release -p selo-collector --example ingest_speed -- FILE|postgres://... [SECONDS [STATIONS]]
//! ```
//!
//! Each reading has two values, one of them a total. Each of 100 stations (or of the given number)
//! sends a reading per minute. The time includes roll-ups, stations and alarms.

use std::time::{Duration, Instant};

use selo_collector::db::Location;
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
        eprintln!("usage: ingest_speed FILE|postgres://... [SECONDS [STATIONS]]");
        std::process::exit(2);
    };
    let seconds = arguments.next().and_then(|text| text.parse().ok());
    let stations = arguments.next().and_then(|text| text.parse().ok());
    let stations = stations.filter(|stations| *stations > 0).unwrap_or(100);
    let long = Duration::from_secs(seconds.unwrap_or(5));
    let mut db = Location::parse(&place).open_writer(None)?;
    migrate(&mut *db)?;
    let mut store = Store::default();
    let mut number = 0;
    println!("batch  readings/s");
    for batch in [1, 10, 100, 1000, 4000, 10_000] {
        let (mut stored, mut spent) = (0, Duration::ZERO);
        while spent < long {
            let messages: Vec<Message> = (number..number + batch)
                .map(|number| message(number, stations))
                .collect();
            number += batch;
            let borrowed: Vec<&Message> = messages.iter().collect();
            let now = messages.last().map_or(START_MS, |last| last.received);
            let started = Instant::now();
            let done = store.ingest(&mut *db, &borrowed, now)?;
            spent += started.elapsed();
            stored += done.fresh.iter().filter(|fresh| **fresh).count();
        }
        // Large batches may have left work for later.
        let started = Instant::now();
        store.settle_up(&mut *db, START_MS)?;
        spent += started.elapsed();
        println!("{batch:5}  {:10.0}", stored as f64 / spent.as_secs_f64());
    }
    Ok(())
}
