//! Sets the clocks of devices. A reading may show that the device's clock is lost or wrong. The
//! gateway then sends the time at once, because a device that sleeps between its readings listens
//! only briefly.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use selo_codec::Catalogue;
use selo_gateway::control::{Client, Request};
use selo_gateway::reading::Reading;
use selo_gateway::registry::Place;
use selo_gateway::sink::{Sink, SinkError};
use selo_gateway::state::StateDir;
use selo_link::DeviceId;

/// Accepted error of a clock. At LoRa's lowest rate a reading takes seconds to arrive.
const WRONG_SECONDS: u64 = 30;
/// Maximum age of a reading. The device of an older one no longer listens.
const FRESH_MS: u64 = 2_000;
/// Minimum interval between two messages to one device.
const AGAIN: Duration = Duration::from_secs(20);
/// Timeout of the message: the gateway sends it at once, or not at all.
const TRY_SECONDS: u64 = 2;
/// Maximum number of readings in the queue. Further readings are not checked; a later one will be.
const QUEUE: usize = 64;

/// A sink that checks readings in a thread of its own, so it never blocks the delivery.
pub struct Clocks {
    readings: SyncSender<(DeviceId, Vec<u8>, u64)>,
}

impl Clocks {
    /// Starts the thread that checks the readings.
    pub fn start(
        state: PathBuf,
        registry: Arc<dyn Place>,
        catalogue: Catalogue,
    ) -> std::io::Result<Clocks> {
        let (readings, taken) = sync_channel(QUEUE);
        std::thread::Builder::new()
            .name("clocks".into())
            .spawn(move || watch(&state, registry.as_ref(), &catalogue, &taken))?;
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

fn watch(
    state: &Path,
    registry: &dyn Place,
    catalogue: &Catalogue,
    readings: &Receiver<(DeviceId, Vec<u8>, u64)>,
) {
    let mut told: HashMap<DeviceId, Instant> = HashMap::new();
    while let Ok((device, payload, received)) = readings.recv() {
        if told.get(&device).is_some_and(|at| at.elapsed() < AGAIN) {
            continue;
        }
        match tell(state, registry, catalogue, device, &payload, received) {
            Ok(false) => {}
            Ok(true) => {
                told.insert(device, Instant::now());
                tracing::info!(%device, "sent the time: the device's clock was lost or wrong");
            }
            Err(error) => tracing::warn!(%device, %error, "cannot set the device's clock"),
        }
    }
}

/// Sends the time if the reading shows a lost or wrong clock. Returns true if it was sent.
fn tell(
    state: &Path,
    registry: &dyn Place,
    catalogue: &Catalogue,
    device: DeviceId,
    payload: &[u8],
    received: u64,
) -> selo_base::report::Result<bool> {
    // Check all codecs before opening the registry, which names the codec of this device.
    if !catalogue
        .iter()
        .any(|codec| codec.wants_time(payload, received, WRONG_SECONDS))
    {
        return Ok(false);
    }
    let Some(record) = registry.open()?.get(device)? else {
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
    let state = StateDir::open(state)?;
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
