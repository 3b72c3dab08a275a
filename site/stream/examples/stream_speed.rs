//! Measures how many readings a second pass from a gateway's publisher through a stream into the
//! database of running collectors: until each is confirmed as stored.
//!
//! usage: stream_speed SERVER SITE [READINGS [BATCH]]. Start `selo collect --stream SERVER --site
//! SITE` first, once or more often.

use std::sync::Arc;
use std::time::Instant;

use selo_codec::Catalogue;
use selo_gateway::clock::unix_ms;
use selo_gateway::peer::Peer;
use selo_gateway::reading::{Payload, Reading, SessionName};
use selo_gateway::sink::Sink;
use selo_link::DeviceId;
use selo_mqtt::ClientConfig;
use selo_stream::client::parse_url;
use selo_stream::{Publisher, PublisherConfig, StreamConfig};

type Anyhow<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

fn main() -> Anyhow<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [server, site, rest @ ..] = &words[..] else {
        return Err("usage: stream_speed SERVER SITE [READINGS [BATCH]]".into());
    };
    let number = |at: usize, default| rest.get(at).map_or(Ok(default), |word| word.parse());
    let (count, batch) = (number(0, 20_000u32)?, number(1, 4096u32)?);
    let mut publisher = Publisher::new(PublisherConfig {
        stream: StreamConfig {
            client: ClientConfig::new(parse_url(server)?, "stream-speed"),
            others: Default::default(),
            credentials: None,
            site: site.clone(),
        },
        gateway: "stream-speed".into(),
        codecs: Box::new(Catalogue::built_in()?.get("rain-gauge")?.clone()),
    })?;
    // Another session in every run, so that no reading is a duplicate.
    let (now, started) = (unix_ms(), Instant::now());
    for first in (0..count).step_by(batch as usize) {
        let readings = first..count.min(first + batch);
        let readings: Vec<_> = readings.map(|counter| reading(counter, now)).collect();
        while publisher.deliver(&readings).is_err() {}
    }
    let seconds = started.elapsed().as_secs_f64();
    let rate = f64::from(count) / seconds;
    println!("{count} readings stored in {seconds:.2} s, {rate:.0} readings/s");
    Ok(())
}

fn reading(counter: u32, now: u64) -> Reading {
    let device = counter % 1000;
    Reading {
        device: DeviceId(device),
        name: Some(Arc::from("a gauge")),
        codec: None,
        session: SessionName::new((now / 1000) as u32, device),
        counter,
        received_ms: now,
        payload: Payload::new(&[0; 16]).unwrap_or_else(|| unreachable!("16 bytes fit")),
        source: Peer::Nowhere,
        rssi: None,
        redelivered: false,
    }
}
