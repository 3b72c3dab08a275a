//! The load on a gateway, and waiting until it is handled.

use std::time::{Duration, Instant};

use selo_gateway::engine::{PACKETS_BURST, PACKETS_PER_SECOND};

use crate::error::Result;
use crate::load::{self, Addresses, BATCH};
use crate::process::Process;
use crate::sealed;

/// Frames sealed at a time.
pub(super) const CHUNK: usize = 1_000_000;

/// Batches sent before the clock runs, one per address and few enough for any socket buffer. If
/// the gateway does not accept all their readings, the measurement would be of something else.
pub(super) const REHEARSAL: usize = 10;

/// Sends readings until the time limit, or until the devices have sent as many as a gateway
/// accepts of them. Chunks are sealed while no clock runs. Returns the number sent.
pub(super) fn load(
    addresses: &Addresses,
    limit: Duration,
    devices: &mut sealed::Devices,
) -> Result<u64> {
    let (mut sent, mut elapsed) = (0, Duration::ZERO);
    while elapsed < limit {
        let chunk = next_chunk(addresses.len(), devices.len(), elapsed, sent);
        if chunk == 0 {
            break;
        }
        let part = load::send(addresses, &devices.seal(chunk), limit - elapsed)?;
        sent += part.frames;
        elapsed += part.elapsed;
    }
    Ok(sent)
}

/// Number of readings that may follow those already sent. However fast the machine, no device
/// must come near the limit above which the gateway refuses, because that would measure something
/// else. Addresses take turns and share the devices, so addresses with the fewest devices send
/// the most per device.
pub(super) fn next_chunk(addresses: usize, devices: usize, elapsed: Duration, sent: u64) -> usize {
    let turns = addresses * BATCH;
    let each = 0.75 * f64::from(PACKETS_BURST)
        + 0.9 * f64::from(PACKETS_PER_SECOND) * elapsed.as_secs_f64();
    let may = (each * (devices / addresses * addresses) as f64) as u64;
    let left = may.saturating_sub(sent).min(CHUNK as u64) as usize;
    left - left % turns
}

/// Returns an error unless all readings were accepted.
pub(super) fn all_accepted(process: &Process, sent: u64, accepted: u64) -> Result<()> {
    if accepted == sent {
        return Ok(());
    }
    Err(process.broken(format!(
        "it accepted only {accepted} of {sent} readings that were sent slowly"
    )))
}

/// Waits for a gateway to settle. Returns its status and the number of accepted readings. On a
/// busy machine it may seem idle before it has started, so it is polled for some seconds until it
/// has all readings.
pub(super) fn settled<S>(
    sent: u64,
    mut settle: impl FnMut() -> Result<(S, u64)>,
) -> Result<(S, u64)> {
    const PATIENCE: Duration = Duration::from_secs(10);
    let start = Instant::now();
    loop {
        let now = settle()?;
        if now.1 >= sent || start.elapsed() > PATIENCE {
            return Ok(now);
        }
    }
}

/// Waits until the gateway is idle. Deferred work of joins, such as registry rows, must count for
/// the joins and not for the readings.
pub(super) fn rest(process: &Process) -> Result<()> {
    // Longer than a second, because some work is done once a second.
    const LOOK: Duration = Duration::from_millis(1_200);
    const IDLE: f64 = 0.02;
    let start = Instant::now();
    let mut before = process.cpu_seconds()?;
    loop {
        std::thread::sleep(LOOK);
        let now = process.cpu_seconds()?;
        if now - before <= IDLE || start.elapsed() > 20 * LOOK {
            return Ok(());
        }
        before = now;
    }
}

/// Work per second of CPU time since `before`.
pub(super) fn per_core_second(process: &Process, before: f64, work: u64) -> Result<f64> {
    Ok(work as f64 / (process.cpu_seconds()? - before))
}
