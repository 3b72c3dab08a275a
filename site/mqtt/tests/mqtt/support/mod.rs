//! Shared by the tests: a `selo setup` folder, a real Mosquitto or the embedded broker on it,
//! readings, and a subscriber with timeouts.
#![allow(dead_code, reason = "each test file uses its part")]

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use selo_codec::{Catalogue, Codec};
use selo_gateway::peer::Peer;
use selo_gateway::reading::{Payload, Reading, SessionName};
use selo_gateway::sink::{Sink, SinkError};
use selo_link::DeviceId;
use selo_mqtt::client::{BrokerUrl, read_password};
use selo_mqtt::setup::{Setup, password_file};
use selo_mqtt::{
    Broker, BrokerConfig, ClientConfig, Event, Message, Publisher, PublisherConfig, Subscriber,
    SubscriberConfig,
};

/// Longest time that a test waits for an expected event. No test passes because it waited less.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A `selo setup` folder, and a port.
pub struct BrokerSetup {
    folder: tempfile::TempDir,
    pub address: SocketAddr,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    Mosquitto,
    Embedded,
}

pub const BOTH: [Kind; 2] = [Kind::Mosquitto, Kind::Embedded];

/// A running broker.
pub enum Running {
    Mosquitto(Child),
    Embedded(Option<Broker>),
}

impl Running {
    /// Stops it: Mosquitto by SIGKILL.
    pub fn kill(self) {}
}

impl Drop for Running {
    fn drop(&mut self) {
        match self {
            Running::Mosquitto(child) => {
                let _ = child.kill();
                let _ = child.wait();
            }
            Running::Embedded(broker) => broker.take().expect("runs").stop(),
        }
    }
}

impl BrokerSetup {
    pub fn new() -> BrokerSetup {
        let folder = tempfile::tempdir().expect("a folder");
        // A free port. It is unlikely to be taken before the broker listens.
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
        BrokerSetup { folder, address }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn start(&self, kind: Kind) -> Running {
        match kind {
            Kind::Embedded => {
                let config = BrokerConfig::of_folder(self.folder.path(), self.address);
                Running::Embedded(Some(Broker::start(config).expect("starts")))
            }
            Kind::Mosquitto => {
                let text = std::fs::read_to_string(self.path("mosquitto.conf")).expect("there");
                // Mosquitto started by root would switch to another user, who may not read this
                // folder.
                let path = self.path("test.conf");
                std::fs::write(&path, text + "\nuser root\n").expect("writes");
                let mut child = mosquitto()
                    .arg("-c")
                    .arg(&path)
                    .stderr(Stdio::null())
                    .spawn()
                    .expect("starts");
                let since = Instant::now();
                while TcpStream::connect(self.address).is_err() {
                    assert!(
                        child.try_wait().expect("ours").is_none(),
                        "mosquitto has ended"
                    );
                    assert!(since.elapsed() < PATIENCE, "mosquitto does not listen");
                    std::thread::sleep(Duration::from_millis(20));
                }
                Running::Mosquitto(child)
            }
        }
    }

    pub fn client(&self, user: &str) -> ClientConfig {
        let url = format!("mqtts://{user}@localhost:{}", self.address.port());
        let url: BrokerUrl = url.parse().expect("an address");
        let mut config = ClientConfig::new(url, format!("{user}-{}", next_number()));
        let file = password_file(self.folder.path(), user);
        config.password = Some(read_password(&file).expect("a password"));
        config.ca = Some(self.path("ca.pem"));
        config
    }

    pub fn publisher(&self) -> PublisherConfig {
        self.publisher_as(self.client("gateway"))
    }

    pub fn publisher_as(&self, client: ClientConfig) -> PublisherConfig {
        let mut config = PublisherConfig::new(client, rain_gauge());
        config.site = "farm".into();
        config.gateway = "north".into();
        config
    }

    /// A subscriber that is connected and receives everything published from now on.
    pub async fn subscriber(&self, user: &str, filters: &[&str]) -> Subscriber {
        let mut subscriber = self.late_subscriber(user, filters);
        match next(&mut subscriber).await {
            Event::Connected => subscriber,
            other => panic!("{other:?}"),
        }
    }

    /// A subscriber that connects now, to receive retained messages.
    pub fn late_subscriber(&self, user: &str, filters: &[&str]) -> Subscriber {
        let filters = filters.iter().map(|filter| (*filter).to_owned());
        let config = SubscriberConfig::new(self.client(user), filters);
        Subscriber::start(config).expect("starts")
    }
}

/// Debian installs mosquitto in /usr/sbin, which is not on everyone's PATH.
fn mosquitto() -> Command {
    let debian = Path::new("/usr/sbin/mosquitto");
    Command::new(if debian.exists() {
        debian
    } else {
        Path::new("mosquitto")
    })
}

fn next_number() -> u32 {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    NUMBER.fetch_add(1, Ordering::Relaxed)
}

pub fn rain_gauge() -> Arc<Codec> {
    let codecs = Catalogue::built_in().expect("right");
    codecs.get("rain-gauge").expect("there").clone()
}

pub fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
}

pub async fn next(subscriber: &mut Subscriber) -> Event {
    tokio::time::timeout(PATIENCE, subscriber.next())
        .await
        .expect("nothing comes")
        .expect("it lives")
}

/// The next message, acknowledged.
pub async fn message(subscriber: &mut Subscriber) -> (Message2, serde_json::Value) {
    loop {
        if let Event::Message(message) = next(subscriber).await {
            let json = serde_json::from_slice(&message.payload).expect("JSON");
            let (message, ack) = split(message);
            ack.send().await;
            return (message, json);
        }
    }
}

/// A message without its acknowledgement.
pub struct Message2 {
    pub topic: String,
    pub retained: bool,
    pub response_topic: Option<String>,
    pub sequence: Option<u64>,
    pub run: Option<String>,
}

pub fn split(message: Message) -> (Message2, selo_mqtt::subscriber::Ack) {
    let sequence = message.sequence();
    let rest = Message2 {
        topic: message.topic,
        retained: message.retained,
        response_topic: message.response_topic,
        sequence,
        run: message.run,
    };
    (rest, message.ack)
}

/// Collects messages by topic until there are this many topics.
pub async fn topics(
    subscriber: &mut Subscriber,
    count: usize,
) -> BTreeMap<String, (bool, serde_json::Value)> {
    let mut found = BTreeMap::new();
    while found.len() < count {
        let (message, json) = message(subscriber).await;
        found.insert(message.topic, (message.retained, json));
    }
    found
}

/// A reading of a rain gauge. Its counter is also its number of tips.
pub fn reading(device: u32, counter: u32) -> Reading {
    let mut payload = [0; 16];
    payload[4..8].copy_from_slice(&counter.to_le_bytes());
    Reading {
        device: DeviceId(device),
        name: Some(format!("gauge {device}").into()),
        codec: None,
        session: SessionName::new(1, device),
        counter,
        received_ms: 1_795_303_147_042 + u64::from(counter),
        payload: Payload::new(&payload).expect("short"),
        source: Peer::Nowhere,
        rssi: None,
        redelivered: false,
    }
}

pub fn readings(device: u32, counters: std::ops::Range<u32>) -> Vec<Reading> {
    counters.map(|counter| reading(device, counter)).collect()
}

/// Delivers as a gateway does, repeated until it succeeds. Returns the reasons of the failures.
pub fn deliver(publisher: &mut Publisher, readings: &[Reading]) -> Vec<String> {
    let since = Instant::now();
    let mut reasons = Vec::new();
    loop {
        match publisher.deliver(readings) {
            Ok(()) => return reasons,
            Err(SinkError::UnderWay(_)) => {}
            Err(SinkError::Later(reason)) => reasons.push(reason),
            Err(SinkError::Gone(reason)) => panic!("gone: {reason}"),
        }
        assert!(since.elapsed() < PATIENCE, "not delivered: {reasons:?}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Delivers until it fails with a reason that contains these words.
pub fn refused(publisher: &mut Publisher, readings: &[Reading], words: &str) -> String {
    let since = Instant::now();
    loop {
        match publisher.deliver(readings) {
            Ok(()) => panic!("delivered"),
            Err(SinkError::Later(reason) | SinkError::UnderWay(reason)) => {
                if reason.contains(words) {
                    return reason;
                }
                assert!(since.elapsed() < PATIENCE, "{words:?} is not in {reason}");
            }
            Err(SinkError::Gone(reason)) => panic!("gone: {reason}"),
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}
