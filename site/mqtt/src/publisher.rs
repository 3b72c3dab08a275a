//! The publisher: a gateway sink that sends readings to a broker.
//!
//! A separate thread maintains the connection. [`Publisher::deliver`] gives it a batch and waits
//! until every reading is confirmed, by the broker or by the collector. Unconfirmed readings stay
//! in the gateway's journal, which is the only spool: it is bounded, survives a kill, and keeps
//! the order.

use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use bytes::Bytes;
use rumqttc::Outgoing;
use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{
    LastWill, Packet, PubAckReason, PublishProperties, SubscribeReasonCode,
};
use rumqttc::v5::{AsyncClient, Event};
use selo_codec::{Catalogue, Codec};
use selo_gateway::clock::unix_ms;
use selo_gateway::reading::{Reading, SessionName};
use selo_gateway::registry::{DEFAULT_CODEC, Registry};
use selo_gateway::sink::{Sink, SinkError};
use selo_link::DeviceId;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tracing::{info, warn};

use crate::client::ClientConfig;
use crate::connection::Connection;
use crate::error::{Error, Result};
use crate::failure::Failure;
use crate::home_assistant::{self, Component};
use crate::message::{self, Status, Stored};
use crate::topic::{self, Topics};

/// Longest wait of one `deliver` call. The next call with the same readings continues to wait, so
/// that the gateway can stop in between.
const PATIENCE: Duration = Duration::from_secs(2);
/// Report a batch as stalled after this long without a confirmation.
const STALLED: Duration = Duration::from_secs(5);
/// First and longest pause before reconnecting.
const BACK_OFF: (Duration, Duration) = (Duration::from_millis(250), Duration::from_secs(30));
/// First and longest wait for the collector before readings are published again.
const COLLECTOR: (Duration, Duration) = (Duration::from_secs(5), Duration::from_secs(60));
/// Wait after the broker has reported that there is no subscriber. It is short, because nothing
/// was queued.
const NOBODY: Duration = Duration::from_secs(1);
/// Consecutive attempts without a confirmation before the log reports that there is no collector.
const UNCONFIRMED: u32 = 4;
/// Time limit for sending the final status.
const FAREWELL: Duration = Duration::from_secs(2);
/// Maximum readings that are published but not yet confirmed as stored. More would fill the
/// broker's queue for the collector and delay the readings of other gateways.
const WINDOW: usize = 256;
/// Maximum events that wait for their handler.
const EVENTS: usize = 1024;

/// Condition under which a reading counts as delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// The broker has acknowledged it. A reading that the broker then loses is lost.
    Broker,
    /// The collector has committed it.
    Stored,
}

/// Looks up the codec of a device's payloads.
pub trait Codecs: Send {
    /// The codec, or the name of one that is not known here.
    fn codec_of(&mut self, device: DeviceId) -> Result<Arc<Codec>, Arc<str>>;
}

/// The same codec for all devices.
impl Codecs for Arc<Codec> {
    fn codec_of(&mut self, _device: DeviceId) -> Result<Arc<Codec>, Arc<str>> {
        Ok(self.clone())
    }
}

/// Looks the codec up in the registry. A change applies from the next reading on.
#[derive(Debug)]
pub struct RegistryCodecs {
    registry: Registry,
    catalogue: Catalogue,
    known: HashMap<DeviceId, Arc<str>>,
    version: i64,
}

impl RegistryCodecs {
    /// Opens the registry, a SQLite file.
    pub fn open(registry: &Path, catalogue: Catalogue) -> selo_gateway::Result<RegistryCodecs> {
        let registry = Registry::open(registry)?;
        Ok(RegistryCodecs {
            version: registry.version()?,
            registry,
            catalogue,
            known: HashMap::new(),
        })
    }

    fn name(&mut self, device: DeviceId) -> selo_gateway::Result<Arc<str>> {
        let version = self.registry.version()?;
        if version != self.version {
            self.known.clear();
            self.version = version;
        }
        if let Some(name) = self.known.get(&device) {
            return Ok(name.clone());
        }
        let record = self.registry.get(device)?;
        let name: Arc<str> = record.map_or(DEFAULT_CODEC.into(), |record| record.codec.into());
        self.known.insert(device, name.clone());
        Ok(name)
    }
}

impl Codecs for RegistryCodecs {
    fn codec_of(&mut self, device: DeviceId) -> Result<Arc<Codec>, Arc<str>> {
        let name = self.name(device).unwrap_or_else(|error| {
            warn!(%error, "the registry does not say which codec a device has");
            DEFAULT_CODEC.into()
        });
        self.catalogue.get(&name).cloned().map_err(|_| name)
    }
}

/// Configuration of a publisher.
pub struct PublisherConfig {
    pub client: ClientConfig,
    pub site: String,
    pub gateway: String,
    pub until: Until,
    pub codecs: Box<dyn Codecs>,
    /// Publish Home Assistant discovery for every device.
    pub home_assistant: bool,
    /// Program version, for status and discovery.
    pub version: String,
}

impl PublisherConfig {
    /// A configuration with the default names that waits for the broker only.
    pub fn new(client: ClientConfig, codecs: impl Codecs + 'static) -> PublisherConfig {
        PublisherConfig {
            client,
            site: topic::DEFAULT_SITE.into(),
            gateway: topic::DEFAULT_GATEWAY.into(),
            until: Until::Broker,
            codecs: Box::new(codecs),
            home_assistant: true,
            version: env!("CARGO_PKG_VERSION").into(),
        }
    }
}

impl std::fmt::Debug for PublisherConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PublisherConfig")
            .field("client", &self.client)
            .field("site", &self.site)
            .field("gateway", &self.gateway)
            .finish_non_exhaustive()
    }
}

/// Names a reading for ever.
type Identity = (DeviceId, SessionName, u32);

fn identity(reading: &Reading) -> Identity {
    (reading.device, reading.session, reading.counter)
}

/// See the module. Dropping it publishes the offline status.
#[derive(Debug)]
pub struct Publisher {
    commands: mpsc::UnboundedSender<Command>,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    /// The current batch, and its number.
    given: Vec<Identity>,
    batch: u64,
    /// The number of unconfirmed readings when `deliver` last looked, and when that number last
    /// changed.
    seen: (usize, std::time::Instant),
}

#[derive(Debug)]
enum Command {
    Batch(u64, Vec<Reading>),
    Stop,
}

/// State that the thread reports to `deliver`.
#[derive(Debug, Default)]
struct Shared {
    progress: Mutex<Progress>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Progress {
    /// Number of the last fully confirmed batch.
    done: u64,
    /// Unconfirmed readings of the current batch.
    left: usize,
    /// Reason why the broker is unreachable.
    away: Option<String>,
    connected: bool,
    ended: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Progress> {
        // A thread that panicked with the lock held has changed at most one field.
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut Progress)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }
}

/// Records on drop that the thread has ended, for whatever reason.
struct Ended(Arc<Shared>);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.change(|progress| progress.ended = true);
    }
}

impl Publisher {
    /// Checks names and files, and starts to connect.
    pub fn new(config: PublisherConfig) -> Result<Publisher> {
        let topics = Topics::new(&config.site, &config.gateway)?;
        // Report an unusable file now, not later in the log.
        config.client.options()?;
        let run =
            selo_link::random_bytes::<8>().map_err(|error| Error::Internal(error.to_string()))?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Error::Internal(error.to_string()))?;
        let shared = Arc::new(Shared::default());
        let (commands, receiver) = mpsc::unbounded_channel();
        let worker = Worker {
            topics,
            run: hex::encode(run),
            since: unix_ms(),
            shared: shared.clone(),
            commands: receiver,
            batch: None,
            next_sequence: 0,
            announced: HashMap::new(),
            stop: false,
            config,
        };
        let ended = Ended(shared.clone());
        let thread = std::thread::Builder::new()
            .name("mqtt".into())
            .spawn(move || {
                let _ended = ended;
                runtime.block_on(worker.run());
            })
            .map_err(|error| Error::Internal(error.to_string()))?;
        Ok(Publisher {
            commands,
            shared,
            thread: Some(thread),
            given: Vec::new(),
            batch: 0,
            seen: (0, std::time::Instant::now()),
        })
    }

    /// Returns true while the broker is connected.
    pub fn is_connected(&self) -> bool {
        self.shared.lock().connected
    }
}

impl Sink for Publisher {
    fn deliver(&mut self, readings: &[Reading]) -> Result<(), SinkError> {
        if readings.is_empty() {
            return Ok(());
        }
        let same = readings.len() == self.given.len()
            && readings.iter().map(identity).eq(self.given.iter().copied());
        if !same {
            self.batch += 1;
            self.given = readings.iter().map(identity).collect();
            self.seen = (readings.len(), std::time::Instant::now());
            self.shared
                .change(|progress| progress.left = readings.len());
            let command = Command::Batch(self.batch, readings.to_vec());
            _ = self.commands.send(command);
        }
        let progress = self.shared.lock();
        let waiting = |progress: &mut Progress| {
            progress.done < self.batch && progress.away.is_none() && !progress.ended
        };
        let (progress, _) = self
            .shared
            .changed
            .wait_timeout_while(progress, PATIENCE, waiting)
            .unwrap_or_else(PoisonError::into_inner);
        if progress.done >= self.batch {
            self.given.clear();
            return Ok(());
        }
        if progress.ended {
            return Err(SinkError::Gone("the publisher has ended".into()));
        }
        if let Some(reason) = &progress.away {
            return Err(SinkError::Later(reason.clone()));
        }
        let now = std::time::Instant::now();
        if self.seen.0 != progress.left {
            self.seen = (progress.left, now);
        }
        let reason = format!(
            "{} of {} readings are not confirmed yet",
            progress.left,
            readings.len()
        );
        Err(if now - self.seen.1 < STALLED {
            SinkError::UnderWay(reason)
        } else {
            SinkError::Later(reason)
        })
    }
}

impl Drop for Publisher {
    fn drop(&mut self) {
        _ = self.commands.send(Command::Stop);
        if let Some(thread) = self.thread.take() {
            _ = thread.join();
        }
    }
}

/// The current batch.
struct Batch {
    id: u64,
    readings: Vec<Reading>,
    /// Sequence number of its first reading.
    first: u64,
    confirmed: Vec<bool>,
    left: usize,
    /// Index of the next reading to publish.
    cursor: usize,
    /// Readings published since the batch was started or rewound, and not confirmed.
    under_way: usize,
    /// Index of each device's last reading, which becomes the retained state.
    last: HashMap<DeviceId, usize>,
}

impl Batch {
    fn new(id: u64, readings: Vec<Reading>, first: u64) -> Batch {
        let last = readings
            .iter()
            .enumerate()
            .map(|(index, reading)| (reading.device, index))
            .collect();
        Batch {
            id,
            first,
            confirmed: vec![false; readings.len()],
            left: readings.len(),
            cursor: 0,
            under_way: 0,
            last,
            readings,
        }
    }

    fn confirm(&mut self, index: usize) {
        if let Some(confirmed) = self.confirmed.get_mut(index)
            && !std::mem::replace(confirmed, true)
        {
            self.left -= 1;
            if index < self.cursor {
                self.under_way = self.under_way.saturating_sub(1);
            }
        }
    }

    /// Returns true if the window is full: no reading is published before one is confirmed.
    fn is_waiting(&self) -> bool {
        self.cursor == self.readings.len() || self.under_way >= WINDOW
    }

    /// Starts again with the unconfirmed readings.
    fn rewind(&mut self) {
        self.cursor = 0;
        self.under_way = 0;
        for reading in &mut self.readings {
            reading.redelivered = true;
        }
    }
}

/// Identifies a publication, to match it with its acknowledgement.
enum Token {
    Reading { batch: u64, index: usize },
    Other { topic: String, farewell: bool },
}

/// A message that is ready to be sent.
struct Ready {
    topic: String,
    retain: bool,
    payload: Bytes,
    properties: PublishProperties,
    token: Token,
}

struct Worker {
    config: PublisherConfig,
    topics: Topics,
    run: String,
    since: u64,
    shared: Arc<Shared>,
    commands: mpsc::UnboundedReceiver<Command>,
    batch: Option<Batch>,
    next_sequence: u64,
    /// Discovery that was published for each device on this connection.
    announced: HashMap<DeviceId, Announced>,
    /// A stop was requested, even if the connection is lost before the final status is sent.
    stop: bool,
}

/// Reason why a connection ended.
enum End {
    Stopped,
    Lost(Failure),
}

impl From<Failure> for End {
    fn from(failure: Failure) -> End {
        End::Lost(failure)
    }
}

impl Worker {
    async fn run(mut self) {
        let mut said: Option<Failure> = None;
        let mut wait = BACK_OFF.0;
        loop {
            let end = match self.open().await {
                Ok(connection) => {
                    info!(broker = %self.config.client.broker, "connected to the broker");
                    said = None;
                    wait = BACK_OFF.0;
                    self.shared.change(|progress| {
                        progress.away = None;
                        progress.connected = true;
                    });
                    match self.session(connection).await {
                        Ok(end) | Err(end) => end,
                    }
                }
                Err(failure) => End::Lost(failure),
            };
            let failure = match end {
                End::Stopped => return,
                End::Lost(_) if self.stop => return,
                End::Lost(failure) => failure,
            };
            self.shared.change(|progress| {
                progress.away = Some(failure.to_string());
                progress.connected = false;
            });
            if said.as_ref() != Some(&failure) {
                warn!(reason = %failure.what, hint = %failure.hint, "the broker is unreachable; readings wait in the journal");
                said = Some(failure);
            }
            let again = Instant::now() + wait;
            wait = (wait * 2).min(BACK_OFF.1);
            loop {
                tokio::select! {
                    () = tokio::time::sleep_until(again) => break,
                    command = self.commands.recv() => match command {
                        Some(Command::Batch(id, readings)) => self.begin(id, readings),
                        Some(Command::Stop) | None => return,
                    },
                }
            }
        }
    }

    async fn open(&self) -> Result<Connection, Failure> {
        let client = &self.config.client;
        let mut options = client
            .options()
            .map_err(|error| Failure::configuration(&error))?;
        options.set_clean_start(true);
        let will = self.status(false);
        options.set_last_will(LastWill::new(
            self.topics.status(),
            will,
            QoS::AtLeastOnce,
            true,
            None,
        ));
        Connection::open(&client.broker, options, EVENTS).await
    }

    fn status(&self, online: bool) -> Vec<u8> {
        let config = &self.config;
        Status::new(&config.gateway, online, self.since, &config.version).to_json()
    }

    fn begin(&mut self, id: u64, readings: Vec<Reading>) {
        let first = self.next_sequence;
        self.next_sequence += readings.len() as u64;
        self.batch = Some(Batch::new(id, readings, first));
    }

    /// Serves one connection from start to end.
    async fn session(&mut self, mut connection: Connection) -> Result<End, End> {
        // A restarted broker has lost its retained messages.
        self.announced.clear();
        if let Some(batch) = &mut self.batch {
            batch.rewind();
        }
        let client = connection.client.clone();
        let mut queue: VecDeque<Ready> = VecDeque::new();
        queue.push_back(self.status_message(true, false));
        // Subscribe first, so that no confirmation is missed.
        let mut listening = self.config.until == Until::Broker;
        if !listening
            && client
                .try_subscribe(self.topics.stored(), QoS::AtLeastOnce)
                .is_err()
        {
            return Err(self.lost());
        }
        let mut sent: VecDeque<Token> = VecDeque::new();
        let mut under_way: HashMap<u16, Token> = HashMap::new();
        let mut patience = COLLECTOR.0;
        let mut deadline: Option<Instant> = None;
        let mut stopping: Option<Instant> = None;
        let mut unconfirmed = 0;
        loop {
            while let Some(ready) = queue.pop_front().or_else(|| {
                (listening && stopping.is_none())
                    .then(|| self.next_reading(&mut queue))
                    .flatten()
            }) {
                match publish(&client, ready) {
                    Ok(token) => sent.push_back(token),
                    // The network queue is full.
                    Err(ready) => {
                        queue.push_front(*ready);
                        break;
                    }
                }
            }
            let waiting = self.batch.as_ref().is_some_and(Batch::is_waiting);
            if self.config.until == Until::Stored && waiting && deadline.is_none() {
                deadline = Some(Instant::now() + patience);
            }
            let wake = [deadline, stopping].into_iter().flatten().min();
            tokio::select! {
                biased;
                event = connection.next() => match event? {
                    Event::Outgoing(Outgoing::Publish(packet)) => {
                        if let Some(token) = sent.pop_front() {
                            under_way.insert(packet, token);
                        }
                    }
                    Event::Incoming(Packet::PubAck(ack)) => {
                        let Some(token) = under_way.remove(&ack.pkid) else { continue };
                        let taken = matches!(
                            ack.reason,
                            PubAckReason::Success | PubAckReason::NoMatchingSubscribers
                        );
                        if !taken {
                            return Err(self.refused(&token, &format!("{:?}", ack.reason)));
                        }
                        match token {
                            Token::Reading { batch, index } if self.config.until == Until::Broker => {
                                self.confirm(batch, index);
                            }
                            Token::Reading { .. } if ack.reason == PubAckReason::NoMatchingSubscribers => {
                                patience = NOBODY;
                                deadline = None;
                            }
                            Token::Other { farewell: true, .. } => {
                                _ = client.try_disconnect();
                                // The broker closes the connection after it has read the final
                                // status.
                                let closed = async { while connection.next().await.is_ok() {} };
                                _ = tokio::time::timeout(FAREWELL, closed).await;
                                return Ok(End::Stopped);
                            }
                            _ => {}
                        }
                    }
                    Event::Incoming(Packet::SubAck(ack)) => {
                        if let Some(code) = ack.return_codes.iter().find(|code| !matches!(code, SubscribeReasonCode::Success(_))) {
                            let broker = &self.config.client.broker;
                            let why = format!("{code:?}");
                            return Err(Failure::refused_topic(broker, "subscribe to", &self.topics.stored(), &why).into());
                        }
                        listening = true;
                    }
                    Event::Incoming(Packet::Publish(publish)) if self.stored(&publish.payload) => {
                        patience = COLLECTOR.0;
                        deadline = None;
                        unconfirmed = 0;
                    }
                    _ => {}
                },
                command = self.commands.recv() => match command {
                    Some(Command::Batch(id, readings)) => {
                        self.begin(id, readings);
                        deadline = None;
                    }
                    Some(Command::Stop) | None => {
                        self.stop = true;
                        queue.push_back(self.status_message(false, true));
                        stopping = Some(Instant::now() + FAREWELL);
                    }
                },
                () = tokio::time::sleep_until(wake.unwrap_or_else(Instant::now)), if wake.is_some() => {
                    if stopping.is_some_and(|at| at <= Instant::now()) {
                        return Ok(End::Stopped);
                    }
                    unconfirmed += 1;
                    if let Some(batch) = &mut self.batch {
                        info!(readings = batch.left, "the collector has not confirmed readings; publishing them again");
                        batch.rewind();
                    }
                    if unconfirmed == UNCONFIRMED {
                        warn!(
                            "no collector confirms readings; they wait in the journal. hint: \
                            start `selo collect` at this broker; if another program stores the \
                            readings, `--until broker` removes them from the journal once the \
                            broker has them"
                        );
                    }
                    patience = (patience * 2).clamp(COLLECTOR.0, COLLECTOR.1);
                    deadline = None;
                }
            }
        }
    }

    fn lost(&self) -> End {
        let broker = &self.config.client.broker;
        let what = format!("the connection to {broker} ended");
        Failure::new(crate::failure::Kind::Away, what, "check the broker's log").into()
    }

    fn refused(&self, token: &Token, why: &str) -> End {
        let topic = match token {
            Token::Other { topic, .. } => topic.clone(),
            Token::Reading { .. } => format!("selo/{}/reading/...", self.topics.site()),
        };
        Failure::refused_topic(&self.config.client.broker, "publish to", &topic, why).into()
    }

    fn confirm(&mut self, id: u64, index: usize) {
        let Some(batch) = self.batch.as_mut().filter(|batch| batch.id == id) else {
            return;
        };
        batch.confirm(index);
        self.tell();
    }

    /// Reports the progress of the batch to `deliver`.
    fn tell(&mut self) {
        let Some(batch) = &self.batch else { return };
        let (id, left) = (batch.id, batch.left);
        if left == 0 {
            self.batch = None;
            self.shared.change(|progress| progress.done = id);
        } else {
            self.shared.lock().left = left;
        }
    }

    /// Applies a collector's confirmation. Returns true if it confirmed new readings.
    fn stored(&mut self, payload: &[u8]) -> bool {
        let Ok(stored) = serde_json::from_slice::<Stored>(payload) else {
            warn!("ignored an invalid confirmation");
            return false;
        };
        let Some(batch) = self.batch.as_mut().filter(|_| stored.run == self.run) else {
            return false;
        };
        let before = batch.left;
        let end = batch.first + batch.readings.len() as u64;
        for (first, last) in stored.sequences {
            for sequence in first.max(batch.first)..last.saturating_add(1).min(end) {
                batch.confirm((sequence - batch.first) as usize);
            }
        }
        let news = batch.left < before;
        self.tell();
        news
    }

    fn status_message(&self, online: bool, farewell: bool) -> Ready {
        Ready {
            topic: self.topics.status(),
            retain: true,
            payload: self.status(online).into(),
            properties: json(),
            token: Token::Other {
                topic: self.topics.status(),
                farewell,
            },
        }
    }

    /// Returns the next unconfirmed reading. Queues its device's messages around it: discovery
    /// before it, the retained state after it.
    fn next_reading(&mut self, queue: &mut VecDeque<Ready>) -> Option<Ready> {
        let batch = self.batch.as_mut()?;
        if self.config.until == Until::Stored && batch.is_waiting() {
            return None;
        }
        while *batch.confirmed.get(batch.cursor)? {
            batch.cursor += 1;
        }
        let index = batch.cursor;
        batch.cursor += 1;
        batch.under_way += 1;
        let reading = &batch.readings[index];
        let codec = self.config.codecs.codec_of(reading.device);
        let named = codec.as_deref().map_err(|name| &**name);
        let mut payload = Vec::with_capacity(640);
        message::write_reading(reading, self.topics.gateway(), named, &mut payload);
        let payload = Bytes::from(payload);
        let ready = Ready {
            topic: self.topics.reading(reading.device),
            retain: false,
            payload: payload.clone(),
            properties: PublishProperties {
                response_topic: Some(self.topics.stored()),
                correlation_data: Some(Bytes::copy_from_slice(
                    &(batch.first + index as u64).to_be_bytes(),
                )),
                user_properties: vec![("run".into(), self.run.clone())],
                ..json()
            },
            token: Token::Reading {
                batch: batch.id,
                index,
            },
        };
        let device = reading.device;
        if batch.last.get(&device) == Some(&index) {
            let topic = self.topics.state(device);
            queue.push_back(other(topic, payload));
        }
        let discovery = match &codec {
            Ok(codec) if self.config.home_assistant => announce(
                &self.topics,
                &self.config.version,
                &mut self.announced,
                reading,
                codec,
            ),
            _ => None,
        };
        match discovery {
            Some(discovery) => {
                queue.push_front(ready);
                Some(discovery)
            }
            None => Some(ready),
        }
    }
}

/// Discovery that was published for a device.
#[derive(Default)]
struct Announced {
    /// Hash of name and codec.
    hash: u64,
    /// Components seen in payloads so far, for codecs that do not define them.
    seen: Vec<Component>,
}

/// Returns the discovery message if it differs from the one published on this connection.
fn announce(
    topics: &Topics,
    version: &str,
    announced: &mut HashMap<DeviceId, Announced>,
    reading: &Reading,
    codec: &Codec,
) -> Option<Ready> {
    let device = reading.device;
    let mut hasher = DefaultHasher::new();
    (&reading.name, &codec.name).hash(&mut hasher);
    let hash = hasher.finish();
    let known = announced.entry(device).or_default();
    let mut news = known.hash != hash;
    if news {
        *known = Announced {
            hash,
            seen: Vec::new(),
        };
    }
    if codec.items().next().is_some() {
        // An undecodable payload adds no components.
        let values = codec.decode(&reading.payload).unwrap_or_default();
        for component in home_assistant::of_values(&values) {
            if !known.seen.contains(&component) {
                known.seen.push(component);
                news = true;
            }
        }
    }
    if !news {
        return None;
    }
    let fixed = home_assistant::of_codec(codec);
    let components = if fixed.is_empty() {
        &known.seen
    } else {
        &fixed
    };
    if components.is_empty() {
        return None;
    }
    let name = reading.name.as_deref();
    let payload = home_assistant::discovery(topics, device, name, codec, components, version);
    Some(other(topic::home_assistant(device), payload.into()))
}

fn other(topic: String, payload: Bytes) -> Ready {
    Ready {
        retain: true,
        payload,
        properties: json(),
        token: Token::Other {
            topic: topic.clone(),
            farewell: false,
        },
        topic,
    }
}

fn json() -> PublishProperties {
    PublishProperties {
        content_type: Some("application/json".into()),
        ..PublishProperties::default()
    }
}

/// Passes a message to the network queue. Returns it if the queue is full.
fn publish(client: &AsyncClient, ready: Ready) -> Result<Token, Box<Ready>> {
    let published = client.try_publish_with_properties(
        ready.topic.clone(),
        QoS::AtLeastOnce,
        ready.retain,
        ready.payload.clone(),
        ready.properties.clone(),
    );
    match published {
        Ok(()) => Ok(ready.token),
        Err(_) => Err(Box::new(ready)),
    }
}
