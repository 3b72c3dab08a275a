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
use selo_gateway::reading::{Payload, Reading};
use selo_gateway::registry::DEFAULT_CODEC;
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

/// The part of a reading that may show a lost or wrong clock.
struct Reported {
    device: DeviceId,
    codec: Option<Arc<str>>,
    payload: Payload,
    /// Time of reception, Unix seconds.
    seconds: u64,
}

/// A sink that checks readings in a thread of its own, so it never blocks the delivery.
pub struct Clocks {
    readings: SyncSender<Reported>,
}

impl Clocks {
    /// Starts the thread that checks the readings.
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
                let _ = self.readings.try_send(Reported {
                    device: reading.device,
                    codec: reading.codec.clone(),
                    payload: reading.payload,
                    seconds: reading.received_ms / 1000,
                });
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

fn watch(state: &Path, catalogue: &Catalogue, readings: &Receiver<Reported>) {
    let mut told: HashMap<DeviceId, Instant> = HashMap::new();
    while let Ok(reported) = readings.recv() {
        let device = reported.device;
        if told.get(&device).is_some_and(|at| at.elapsed() < AGAIN) {
            continue;
        }
        match tell(state, catalogue, &reported) {
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
    catalogue: &Catalogue,
    reported: &Reported,
) -> selo_base::report::Result<bool> {
    let codec = catalogue.get(reported.codec.as_deref().unwrap_or(DEFAULT_CODEC))?;
    let Some(order) = codec
        .set_clock
        .as_ref()
        .filter(|_| codec.wants_time(&reported.payload, reported.seconds, WRONG_SECONDS))
    else {
        return Ok(false);
    };
    let state = StateDir::open(state)?;
    Client::connect(&state)?.ask(&Request::Send {
        device: reported.device.to_string(),
        payload: hex::encode(order),
        timed: true,
        confirmed: false,
        after_uplink: false,
        seconds: TRY_SECONDS,
    })?;
    Ok(true)
}
