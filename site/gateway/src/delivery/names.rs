//! The name and the codec of each device, for its readings. The delivery thread asks no registry:
//! that may be on a server that is away.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError, RwLock, RwLockWriteGuard};

use selo_link::DeviceId;

use crate::reading::Reading;
use crate::registry::{DEFAULT_CODEC, Record};

/// See the [module](self). It follows every change of devices that the engine takes over.
#[derive(Debug, Default)]
pub struct Names(RwLock<Known>);

#[derive(Debug, Default)]
struct Known {
    /// Devices without a name and with the default codec have no entry.
    devices: HashMap<DeviceId, Named>,
    /// Each codec's name once: many devices have the same one.
    codecs: HashSet<Arc<str>>,
}

#[derive(Debug)]
struct Named {
    name: Option<Arc<str>>,
    /// `None`: the default codec.
    codec: Option<Arc<str>>,
}

impl Names {
    /// Takes over a device, or its change.
    pub fn set(&self, record: &Record) {
        let mut known = self.write();
        let codec = (record.codec != DEFAULT_CODEC).then(|| known.codec(&record.codec));
        let name = record.name.as_deref().map(Arc::from);
        if name.is_some() || codec.is_some() {
            known.devices.insert(record.id, Named { name, codec });
        } else {
            known.devices.remove(&record.id);
        }
    }

    pub fn remove(&self, id: DeviceId) {
        self.write().devices.remove(&id);
    }

    /// Adds names and codecs to readings.
    pub fn fill(&self, readings: &mut [Reading]) {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if known.devices.is_empty() {
            return;
        }
        for reading in readings {
            let named = known.devices.get(&reading.device);
            reading.name = named.and_then(|named| named.name.clone());
            reading.codec = named.and_then(|named| named.codec.clone());
        }
    }

    fn write(&self) -> RwLockWriteGuard<'_, Known> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn codec(&mut self, name: &str) -> Arc<str> {
        match self.codecs.get(name) {
            Some(codec) => codec.clone(),
            None => {
                let codec: Arc<str> = name.into();
                self.codecs.insert(codec.clone());
                codec
            }
        }
    }
}
