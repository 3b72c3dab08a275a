//! Home Assistant discovery of each device.

use std::collections::HashMap;
use std::sync::Arc;

use selo_codec::{Codec, Language};
use selo_gateway::reading::Reading;
use selo_link::DeviceId;

use super::message::{Ready, other};
use crate::home_assistant::{self, About, Component, EXPIRE_S};
use crate::topic::{self, Topics};

/// Limits of the time after which a device is silent: a minute, and more than a week.
const SILENT_AFTER: (u64, u64) = (60, 8 * 86_400);

/// A device as it was described last on this connection.
struct Announced {
    name: Option<Arc<str>>,
    codec: Arc<Codec>,
    /// Components seen in payloads so far, for codecs that do not define them.
    seen: Vec<Component>,
}

/// The descriptions of all devices.
pub struct Discovery {
    topics: Topics,
    version: String,
    language: Language,
    announced: HashMap<DeviceId, Announced>,
    /// After how many seconds a collector calls a device silent.
    silent_after: HashMap<DeviceId, u64>,
}

impl Discovery {
    pub fn new(topics: Topics, version: String, language: Language) -> Discovery {
        Discovery {
            topics,
            version,
            language,
            announced: HashMap::new(),
            silent_after: HashMap::new(),
        }
    }

    /// Forgets what was published: a restarted broker has lost it.
    pub fn restart(&mut self) {
        self.announced.clear();
    }

    /// Returns the discovery message if it differs from the one published on this connection.
    pub fn announce(&mut self, reading: &Reading, codec: &Arc<Codec>) -> Option<Ready> {
        let device = reading.device;
        let is_same =
            |known: &Announced| known.name == reading.name && known.codec.name == codec.name;
        let mut news = !self.announced.get(&device).is_some_and(is_same);
        if news {
            let new = Announced {
                name: reading.name.clone(),
                codec: codec.clone(),
                seen: Vec::new(),
            };
            self.announced.insert(device, new);
        }
        if codec.items().next().is_some() {
            let known = self.announced.get_mut(&device)?;
            // An undecodable payload adds no components.
            let values = codec.decode(&reading.payload).unwrap_or_default();
            for component in home_assistant::of_values(&values, self.language) {
                if !known.seen.contains(&component) {
                    known.seen.push(component);
                    news = true;
                }
            }
        }
        if news { self.describe(device) } else { None }
    }

    /// Takes the time after which a collector calls a device silent. Returns the discovery message
    /// if this changes it.
    pub fn silent_after(&mut self, device: DeviceId, seconds: u64) -> Option<Ready> {
        // A confirmation may name only devices of this gateway, so the map stays small.
        if !self.announced.contains_key(&device) {
            return None;
        }
        let seconds = seconds.clamp(SILENT_AFTER.0, SILENT_AFTER.1);
        let before = self.silent_after.insert(device, seconds);
        if before.unwrap_or(EXPIRE_S) == seconds {
            return None;
        }
        self.describe(device)
    }

    fn describe(&self, device: DeviceId) -> Option<Ready> {
        let known = self.announced.get(&device)?;
        let fixed = home_assistant::of_codec(&known.codec, self.language);
        let components = if fixed.is_empty() {
            &known.seen
        } else {
            &fixed
        };
        if components.is_empty() {
            return None;
        }
        let about = About {
            device,
            name: known.name.as_deref(),
            codec: &known.codec,
            language: self.language,
            expire_s: self.silent_after.get(&device).copied().unwrap_or(EXPIRE_S),
            version: &self.version,
        };
        let payload = home_assistant::discovery(&self.topics, about, components);
        Some(other(topic::home_assistant(device), payload.into()))
    }
}
