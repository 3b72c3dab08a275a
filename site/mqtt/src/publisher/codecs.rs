//! The codec of each device's payloads.

use std::collections::HashMap;
use std::sync::Arc;

use selo_codec::{Catalogue, Codec};
use selo_gateway::registry::{DEFAULT_CODEC, Place, Registry};
use selo_link::DeviceId;
use tracing::warn;

use crate::error::Result;

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

/// Looks the codec up in the registry. A change applies from the next reading on, and soon if the
/// registry is on a server. While that does not answer, the last known codec applies.
#[derive(Debug)]
pub struct RegistryCodecs {
    registry: Registry,
    catalogue: Catalogue,
    /// Codecs, with the version of the registry that has them.
    known: HashMap<DeviceId, (i64, Arc<str>)>,
    version: i64,
}

impl RegistryCodecs {
    pub fn open(
        registry: &dyn Place,
        catalogue: Catalogue,
    ) -> selo_gateway::Result<RegistryCodecs> {
        let registry = registry.open()?;
        Ok(RegistryCodecs {
            version: registry.version()?,
            registry,
            catalogue,
            known: HashMap::new(),
        })
    }

    fn name(&mut self, device: DeviceId) -> selo_gateway::Result<Arc<str>> {
        match self.asked(device) {
            Ok(name) => Ok(name),
            Err(error) => match self.known.get(&device) {
                Some((_, name)) => Ok(name.clone()),
                None => Err(error),
            },
        }
    }

    fn asked(&mut self, device: DeviceId) -> selo_gateway::Result<Arc<str>> {
        self.version = self.registry.version()?;
        match self.known.get(&device) {
            Some((version, name)) if *version == self.version => return Ok(name.clone()),
            _ => {}
        }
        let record = self.registry.get(device)?;
        let name: Arc<str> = record.map_or(DEFAULT_CODEC.into(), |record| record.codec.into());
        self.known.insert(device, (self.version, name.clone()));
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
