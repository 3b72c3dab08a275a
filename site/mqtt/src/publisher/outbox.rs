//! What is to be published: the batch, the status and discovery. It outlives a connection.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use rumqttc::v5::mqttbytes::v5::PublishProperties;
use selo_gateway::clock::unix_ms;
use selo_gateway::reading::Reading;
use selo_link::DeviceId;
use tracing::warn;

use super::batch::Batch;
use super::config::{PublisherConfig, Until};
use super::discovery::Discovery;
use super::message::{Ready, Token, json, other};
use super::shared::Shared;
use crate::failure::Failure;
use crate::message::{self, Status, Stored};
use crate::topic::Topics;

pub struct Outbox {
    pub config: PublisherConfig,
    pub topics: Topics,
    pub shared: Arc<Shared>,
    pub batch: Option<Batch>,
    run: String,
    since: u64,
    next_sequence: u64,
    /// Home Assistant discovery, unless it is switched off.
    discovery: Option<Discovery>,
}

impl Outbox {
    /// `run` is a random name of this run.
    pub fn new(
        config: PublisherConfig,
        topics: Topics,
        run: String,
        shared: Arc<Shared>,
    ) -> Outbox {
        let discovery = config
            .home_assistant
            .then(|| Discovery::new(topics.clone(), config.version.clone(), config.language));
        Outbox {
            topics,
            run,
            since: unix_ms(),
            shared,
            batch: None,
            next_sequence: 0,
            discovery,
            config,
        }
    }

    /// Prepares for a new connection: a restarted broker has lost its retained messages.
    pub fn restart(&mut self) {
        if let Some(discovery) = &mut self.discovery {
            discovery.restart();
        }
        if let Some(batch) = &mut self.batch {
            batch.rewind();
        }
    }

    pub fn status(&self, online: bool) -> Vec<u8> {
        let config = &self.config;
        Status::new(&config.gateway, online, self.since, &config.version).to_json()
    }

    pub fn begin(&mut self, id: u64, readings: Vec<Reading>) {
        let first = self.next_sequence;
        self.next_sequence += readings.len() as u64;
        self.batch = Some(Batch::new(id, readings, first));
    }

    pub fn refused(&self, token: &Token, why: &str) -> Failure {
        let topic = match token {
            Token::Other { topic, .. } => topic.clone(),
            Token::Reading { .. } => format!("selo/{}/reading/...", self.topics.site()),
        };
        Failure::refused_topic(&self.config.client.broker, "publish to", &topic, why)
    }

    pub fn confirm(&mut self, id: u64, index: usize) {
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

    /// Applies a collector's confirmation. Returns true if it confirmed new readings. Queues the
    /// descriptions of devices that the collector calls silent after another time than before.
    pub fn stored(&mut self, payload: &[u8], queue: &mut VecDeque<Ready>) -> bool {
        let Ok(stored) = serde_json::from_slice::<Stored>(payload) else {
            warn!("ignored an invalid confirmation");
            return false;
        };
        if let Some(discovery) = &mut self.discovery {
            for (device, seconds) in &stored.silent_after {
                let device = device.parse::<DeviceId>().ok();
                queue.extend(device.and_then(|device| discovery.silent_after(device, *seconds)));
            }
        }
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

    pub fn status_message(&self, online: bool, farewell: bool) -> Ready {
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
    pub fn next_reading(&mut self, queue: &mut VecDeque<Ready>) -> Option<Ready> {
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
        let codec = self.config.codecs.codec_of(reading);
        let named = codec.as_deref().map_err(|name| &**name);
        let mut payload = Vec::with_capacity(640);
        message::write_reading(reading, self.topics.gateway(), named, &mut payload);
        let payload = Bytes::from(payload);
        let ready = Ready {
            topic: self.topics.reading(reading.device),
            retain: false,
            payload: payload.clone(),
            properties: properties(&self.topics, &self.run, batch.first + index as u64),
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
        let discovery = match (&mut self.discovery, &codec) {
            (Some(discovery), Ok(codec)) => discovery.announce(reading, codec),
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

fn properties(topics: &Topics, run: &str, sequence: u64) -> PublishProperties {
    PublishProperties {
        response_topic: Some(topics.stored()),
        correlation_data: Some(Bytes::copy_from_slice(&sequence.to_be_bytes())),
        user_properties: vec![("run".into(), run.to_owned())],
        ..json()
    }
}
