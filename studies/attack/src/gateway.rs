//! The gateway under attack: the real one, in this process, with a temporary state directory.

use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use selo_gateway::counters::{Count, Kind};
use selo_gateway::engine::{Device, Downlink, Engine, Output, WindowState};
use selo_gateway::reading::Payload;
use selo_gateway::{Config, Gateway, Handle, clock::Now};
use selo_link::{DeviceId, DeviceKey, Reason, Suite};

use crate::error::{Error, Result};
use crate::target::{Reading, Target};

/// Duration of an experiment's pairing window, in milliseconds.
const WINDOW_MS: u64 = 10 * 60 * 1000;

/// Lifetime of a message to a node, in milliseconds.
const MESSAGE_MS: u64 = 60 * 1000;

type Readings = Arc<Mutex<Vec<Reading>>>;

/// A gateway on a free loopback port.
#[derive(Debug)]
pub struct RealGateway {
    handle: Handle,
    readings: Readings,
    keys: HashMap<DeviceId, DeviceKey>,
    rows: u32,
    _state: tempfile::TempDir,
}

impl RealGateway {
    /// Starts one on loopback, on a free port.
    pub fn start() -> Result<RealGateway> {
        let failed = |error: selo_gateway::Error| Error::Gateway(error.to_string());
        let state = tempfile::Builder::new()
            .prefix("selo-attack-")
            .tempdir()
            .map_err(|source| {
                Error::Gateway(format!("cannot create a directory for its state: {source}"))
            })?;
        let readings = Readings::default();
        let taken = Arc::clone(&readings);
        let sink = move |batch: &[selo_gateway::reading::Reading]| {
            let mut readings = taken.lock().unwrap_or_else(PoisonError::into_inner);
            readings.extend(batch.iter().map(|reading| Reading {
                device: Some(reading.device),
                payload: reading.payload.to_vec(),
            }));
        };
        let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        // The gateway creates this directory with mode 0700.
        let config = Config::new(state.path().join("state"), listen, sink);
        Ok(RealGateway {
            handle: Gateway::start(config).map_err(failed)?,
            readings,
            keys: HashMap::new(),
            rows: 0,
            _state: state,
        })
    }

    /// Runs a function on the engine. The engine runs as long as the handle lives.
    fn call<R: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Engine, Now, &mut Output) -> R + Send + 'static,
    ) -> Option<R> {
        self.handle.remote().call(job)
    }

    fn set_device(&mut self, id: DeviceId, suite: Suite, key: &DeviceKey) {
        self.rows += 1;
        let device = Device {
            row: self.rows,
            id,
            key: key.clone(),
            suite,
            revoked: false,
            joined: 0,
        };
        self.keys.insert(id, key.clone());
        self.call(move |engine, _, out| engine.set_device(device, out));
    }
}

impl Target for RealGateway {
    fn address(&self) -> SocketAddr {
        self.handle.listen()
    }

    fn packets(&self) -> u64 {
        let counters = self.handle.counters();
        let received = Kind::ALL
            .into_iter()
            .map(|kind| counters.get_received(kind));
        received.sum()
    }

    fn is_settled(&self) -> bool {
        let counters = self.handle.counters();
        let readings = self.readings.lock().unwrap_or_else(PoisonError::into_inner);
        readings.len() as u64 >= counters.get(Count::Readings)
    }

    fn dropped(&self, reason: Reason) -> u64 {
        self.handle.counters().get_dropped(reason)
    }

    fn multiplications(&self) -> u64 {
        self.handle.counters().get(Count::Multiplications)
    }

    fn sessions(&self) -> u64 {
        let counters = self.handle.counters();
        counters.get(Count::Sessions) + counters.get(Count::Pending)
    }

    fn readings(&self) -> Vec<Reading> {
        let readings = self.readings.lock().unwrap_or_else(PoisonError::into_inner);
        readings.clone()
    }

    fn add_device(&mut self, id: DeviceId, suite: Suite, key: &DeviceKey) {
        self.set_device(id, suite, key);
    }

    fn device_key(&self, id: DeviceId) -> Option<DeviceKey> {
        self.keys.get(&id).cloned()
    }

    fn open_window(&mut self) {
        self.call(|engine, now, out| {
            engine.pairing_close(now, "the next experiment", out);
            let _ = engine.pairing_open(now, WINDOW_MS, out);
        });
    }

    fn close_window(&mut self) {
        self.call(|engine, now, out| engine.pairing_close(now, "the experiment is over", out));
    }

    fn comparing(&self) -> Option<(DeviceId, u32)> {
        let newest = |engine: &mut Engine, _: Now, _: &mut Output| {
            let states = engine.pairing_states();
            states.into_iter().rev().find_map(|state| match state {
                WindowState::Comparing {
                    attempt, device, ..
                } => Some((device, engine.pairing_digits(attempt)?.value())),
                _ => None,
            })
        };
        self.call(newest).flatten()
    }

    fn enter(&mut self, digits: u32) -> bool {
        let word = move |engine: &mut Engine, now: Now, out: &mut Output| {
            let matched = engine.pairing_enter(now, digits, out).ok()?;
            engine.pairing_confirm(now, matched.attempt, out).ok()?;
            Some(matched)
        };
        let Some(matched) = self.call(word).flatten() else {
            return false;
        };
        self.set_device(matched.device, matched.suite, &matched.key);
        true
    }

    fn reject(&mut self) {
        self.call(|engine, now, out| {
            let _ = engine.pairing_reject(now, out);
        });
    }

    fn send(&mut self, id: DeviceId, payload: &[u8]) {
        let Some(payload) = Payload::new(payload) else {
            return;
        };
        self.call(move |engine, now, out| {
            let message = Downlink {
                device: id,
                payload,
                timed: false,
                confirmed: false,
                after_uplink: false,
                until_ms: now.steady_ms + MESSAGE_MS,
            };
            let _ = engine.send(now, message, out);
        });
    }
}

impl RealGateway {
    /// Waits for its threads to end.
    pub fn stop(self) -> Result<()> {
        self.handle.stop().map_err(Error::Gateway)
    }
}

/// A gateway of the published protocol. It has no devices, no pairing and nothing to send.
#[derive(Debug)]
pub struct ClassicGateway {
    server: selo_classic::Server,
    readings: Readings,
}

impl ClassicGateway {
    /// Starts one on loopback, on a free port.
    pub fn start() -> Result<ClassicGateway> {
        let readings = Readings::default();
        let taken = Arc::clone(&readings);
        let sink = move |reading: selo_classic::Reading| {
            let mut readings = taken.lock().unwrap_or_else(PoisonError::into_inner);
            readings.push(Reading {
                device: None,
                payload: reading.payload,
            });
            Ok(())
        };
        let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let server = selo_classic::Server::start(listen, sink)
            .map_err(|error| Error::Gateway(error.to_string()))?;
        Ok(ClassicGateway { server, readings })
    }

    /// Waits for its thread to end.
    pub fn stop(self) -> Result<()> {
        let stopped = self.server.stop();
        stopped.map_err(|error| Error::Gateway(error.to_string()))
    }
}

impl Target for ClassicGateway {
    fn address(&self) -> SocketAddr {
        self.server.address()
    }

    fn packets(&self) -> u64 {
        self.server.packets()
    }

    fn is_settled(&self) -> bool {
        let readings = self.readings.lock().unwrap_or_else(PoisonError::into_inner);
        readings.len() as u64 >= self.server.accepted()
    }

    fn dropped(&self, reason: Reason) -> u64 {
        self.server.dropped(reason)
    }

    fn multiplications(&self) -> u64 {
        self.server.multiplications()
    }

    fn sessions(&self) -> u64 {
        0
    }

    fn readings(&self) -> Vec<Reading> {
        let readings = self.readings.lock().unwrap_or_else(PoisonError::into_inner);
        readings.clone()
    }

    fn add_device(&mut self, _: DeviceId, _: Suite, _: &DeviceKey) {}

    fn device_key(&self, _: DeviceId) -> Option<DeviceKey> {
        None
    }

    fn open_window(&mut self) {}

    fn close_window(&mut self) {}

    fn comparing(&self) -> Option<(DeviceId, u32)> {
        None
    }

    fn enter(&mut self, _: u32) -> bool {
        false
    }

    fn reject(&mut self) {}

    fn send(&mut self, _: DeviceId, _: &[u8]) {}
}
