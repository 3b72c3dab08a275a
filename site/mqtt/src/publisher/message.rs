//! Messages that are ready to be sent, and the tokens that match their acknowledgements.

use bytes::Bytes;
use rumqttc::v5::AsyncClient;
use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::PublishProperties;

/// Identifies a publication, to match it with its acknowledgement.
pub enum Token {
    Reading { batch: u64, index: usize },
    Other { topic: String, farewell: bool },
}

/// A message that is ready to be sent.
pub struct Ready {
    pub topic: String,
    pub retain: bool,
    pub payload: Bytes,
    pub properties: PublishProperties,
    pub token: Token,
}

pub fn other(topic: String, payload: Bytes) -> Ready {
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

pub fn json() -> PublishProperties {
    PublishProperties {
        content_type: Some("application/json".into()),
        ..PublishProperties::default()
    }
}

/// Passes a message to the network queue. Returns it if the queue is full.
pub fn publish(client: &AsyncClient, ready: Ready) -> Result<Token, Box<Ready>> {
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
