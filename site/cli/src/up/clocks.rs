//! Keeps the clocks of devices: a reading whose clock is lost or wrong is answered with the
//! time, at once, while a device that sleeps between its readings still listens.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use selo_codec::Catalogue;
use selo_gateway::control::{Client, Request};
use selo_gateway::reading::Reading;
use selo_gateway::registry::Registry;
use selo_gateway::sink::{Sink, SinkError};
use selo_gateway::state::StateDir;
use selo_link::DeviceId;

/// How wrong a clock may be. A reading is seconds under way at LoRa's lowest rate.
const WRONG_SECONDS: u64 = 30;
/// A reading that came before that is one of an earlier run: nobody listens for an answer.
const FRESH_MS: u64 = 2_000;
/// How often one device is told the time at most.
const AGAIN: Duration = Duration::from_secs(20);
/// For how long the gateway tries. The message goes out at once, or not at all.
const TRY_SECONDS: u64 = 2;
/// Readings that wait to be looked at. More are not looked at: the next one will be.
const QUEUE: usize = 64;

/// Looks at readings as they pass; slows nothing.
pub struct Clocks {
    readings: SyncSender<(DeviceId, Vec<u8>, u64)>,
}

impl Clocks {
    /// Starts the thread that looks.
    pub fn start(state: PathBuf, catalogue: Catalogue) -> std::io::Result<Clocks> {
        let (readings, taken) = sync_channel(QUEUE);
        std::thread::Builder::new()
            .name("clocks".into())
            .spawn(move || watch(&state, &catalogue, &taken))?;
        Ok(Clocks { readings })
    }
}

impl Sink for Clocks {
    fn deliver(&mut self, readings: &[Reading]) -> Result<(), SinkError> {
        let now = unix_ms();
        for reading in readings {
            let fresh = now.saturating_sub(reading.received_ms) < FRESH_MS;
            if fresh && !reading.redelivered {
                let seconds = reading.received_ms / 1000;
                let _ = self
                    .readings
                    .try_send((reading.device, reading.payload.to_vec(), seconds));
            }
        }
        Ok(())
    }
}

/// The time, milliseconds since 1970.
fn unix_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as u64)
}

fn watch(state: &Path, catalogue: &Catalogue, readings: &Receiver<(DeviceId, Vec<u8>, u64)>) {
    let mut told: HashMap<DeviceId, Instant> = HashMap::new();
    while let Ok((device, payload, received)) = readings.recv() {
        if told.get(&device).is_some_and(|at| at.elapsed() < AGAIN) {
            continue;
        }
        match tell(state, catalogue, device, &payload, received) {
            Ok(false) => {}
            Ok(true) => {
                told.insert(device, Instant::now());
                tracing::info!(%device, "its clock is lost or wrong: told it the time");
            }
            Err(error) => tracing::warn!(%device, %error, "cannot set its clock"),
        }
    }
}

/// Sends the time if the reading shows that it is wanted.
fn tell(
    state: &Path,
    catalogue: &Catalogue,
    device: DeviceId,
    payload: &[u8],
    received: u64,
) -> selo_base::report::Result<bool> {
    // The default codec can be set: whether this device has another one, the registry says.
    if !catalogue
        .iter()
        .any(|codec| codec.wants_time(payload, received, WRONG_SECONDS))
    {
        return Ok(false);
    }
    let state = StateDir::open(state)?;
    let Some(record) = Registry::open(&state.registry())?.get(device)? else {
        return Ok(false);
    };
    let codec = catalogue.get(&record.codec)?;
    let Some(order) = codec
        .set_clock
        .as_ref()
        .filter(|_| codec.wants_time(payload, received, WRONG_SECONDS))
    else {
        return Ok(false);
    };
    Client::connect(&state)?.ask(&Request::Send {
        device: device.to_string(),
        payload: hex::encode(order),
        timed: true,
        confirmed: false,
        after_uplink: false,
        seconds: TRY_SECONDS,
    })?;
    Ok(true)
}
