//! Home Assistant discovery of each device.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use selo_codec::Codec;
use selo_gateway::reading::Reading;
use selo_link::DeviceId;

use super::message::{Ready, other};
use crate::home_assistant::{self, Component};
use crate::topic::{self, Topics};

/// Discovery that was published for a device.
#[derive(Default)]
pub struct Announced {
    /// Hash of name and codec.
    hash: u64,
    /// Components seen in payloads so far, for codecs that do not define them.
    seen: Vec<Component>,
}

/// Returns the discovery message if it differs from the one published on this connection.
pub fn announce(
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
