//! Measures the publisher's throughput in readings per second through TLS to the embedded broker:
//! once until the broker has them, once until a collector has confirmed them.
//!
//! usage: throughput [READINGS [BATCH [HOST:PORT FOLDER]]]. To use another broker, give its
//! address and its `selo setup` folder.

use std::sync::Arc;
use std::time::Instant;

use selo_codec::Catalogue;
use selo_gateway::peer::Peer;
use selo_gateway::reading::{Payload, Reading, SessionName};
use selo_gateway::sink::Sink;
use selo_link::DeviceId;
use selo_mqtt::client::{BrokerUrl, read_password};
use selo_mqtt::message::Stored;
use selo_mqtt::setup::{Setup, password_file};
use selo_mqtt::{
    Broker, BrokerConfig, ClientConfig, Event, Publisher, PublisherConfig, Subscriber,
    SubscriberConfig, Until, setup, topic,
};

type Anyhow<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

fn main() -> Anyhow<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, default| words.get(at).map_or(Ok(default), |word| word.parse());
    let (count, batch) = (number(0, 100_000u32)?, number(1, 4096u32)?);
    let own = std::env::temp_dir().join(format!("selo-throughput-{}", std::process::id()));
    let folder = words.get(3).map_or(own.clone(), Into::into);
    let mut broker = None;
    let place = match words.get(2) {
        Some(place) => place.clone(),
        None => {
            let listen = "127.0.0.1:0".parse()?;
            let site = topic::DEFAULT_SITE.to_owned();
            setup::run(&Setup {
                folder: folder.clone(),
                names: Vec::new(),
                site,
                listen,
            })?;
            let started = Broker::start(BrokerConfig::of_folder(&folder, listen))?;
            let port = started.listen().port();
            broker = Some(started);
            format!("localhost:{port}")
        }
    };
    let client = |user: &str| -> Anyhow<ClientConfig> {
        let url: BrokerUrl = format!("mqtts://{user}@{place}").parse()?;
        let mut client = ClientConfig::new(url, format!("throughput-{user}"));
        client.password = Some(read_password(&password_file(&folder, user))?);
        client.ca = Some(folder.join("ca.pem"));
        Ok(client)
    };
    for until in [Until::Broker, Until::Stored] {
        let collector = client("collector")?;
        let thread = (until == Until::Stored).then(|| std::thread::spawn(|| collect(collector)));
        let codecs = Catalogue::built_in()?;
        let mut config =
            PublisherConfig::new(client("gateway")?, codecs.get("rain-gauge")?.clone());
        config.until = until;
        let mut publisher = Publisher::new(config)?;
        while !publisher.is_connected() {
            std::thread::yield_now();
        }
        let started = Instant::now();
        for first in (0..count).step_by(batch as usize) {
            let readings: Vec<_> = (first..count.min(first + batch)).map(reading).collect();
            while publisher.deliver(&readings).is_err() {}
        }
        let seconds = started.elapsed().as_secs_f64();
        let rate = f64::from(count) / seconds;
        println!("until {until:?}: {count} readings in {seconds:.2} s, {rate:.0} readings/s");
        drop(publisher);
        // The collector thread never ends by itself.
        drop(thread);
    }
    drop(broker);
    _ = std::fs::remove_dir_all(own);
    Ok(())
}

fn reading(counter: u32) -> Reading {
    let device = counter % 1000;
    Reading {
        device: DeviceId(device),
        name: Some(Arc::from("a gauge")),
        codec: None,
        session: SessionName::new(1, device),
        counter,
        received_ms: 1_795_303_147_042,
        payload: Payload::new(&[0; 16]).unwrap_or_else(|| unreachable!("16 bytes fit")),
        source: Peer::Nowhere,
        rssi: None,
        redelivered: false,
    }
}

/// Confirms all readings, a hundred at a time.
fn collect(client: ClientConfig) -> Anyhow<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let filters = [topic::collector_filter(None)];
        let mut collector = Subscriber::start(SubscriberConfig::new(client, filters))?;
        let mut held = Vec::new();
        loop {
            let wait = std::time::Duration::from_millis(5);
            let event = tokio::time::timeout(wait, collector.next()).await;
            let idle = event.is_err();
            if let Ok(Some(Event::Message(message))) = event {
                held.push(message);
            }
            if held.len() < 100 && (!idle || held.is_empty()) {
                continue;
            }
            let Some(first) = held.first() else { continue };
            let run = first.run.clone().unwrap_or_default();
            let to = first.response_topic.clone().unwrap_or_default();
            let stored = Stored::new(&run, held.iter().filter_map(|message| message.sequence()));
            for message in held.drain(..) {
                message.ack.send().await;
            }
            let sender = collector.sender();
            tokio::spawn(async move { sender.publish(to, stored.to_json(), false).await });
        }
    })
}
