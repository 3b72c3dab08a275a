//! Delivery: a thread that follows the journal and hands its readings to a sink.
//!
//! A small file stores the position of delivery. It is written after the sink has accepted a
//! batch, so it may lag by one batch. After a restart, readings after that position are
//! delivered again with `redelivered` set.

mod mark;
mod names;
mod progress;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use selo_link::DeviceId;
use tracing::{error, info, warn};

use crate::counters::Shared;
use crate::error::Result;
use crate::journal::Position;
use crate::journal::entry::{Accepted, Entries, Entry};
use crate::journal::segment::{self, Item, Reader};
use crate::reading::{Payload, Reading, SessionName};
use crate::sink::{Sink, SinkError};

pub use mark::Mark;
pub use names::Names;
pub use progress::Progress;

/// Approximate maximum of readings per call of a sink. Only a sink that lags gets this many. It
/// must confirm all of them before it gets more.
const BATCH_READINGS: usize = 16_384;
/// Minimum batch before waiting briefly for more readings: each wake-up has a fixed cost.
const BUSY: usize = 16;
const GATHER_TIME: Duration = Duration::from_millis(2);
/// Delay before a sink that failed is tried again.
const RETRY: Duration = Duration::from_secs(1);

/// State of the delivery thread.
pub struct Delivery {
    pub directory: PathBuf,
    pub mark: Mark,
    /// Start position.
    pub from: Position,
    /// First segment of this run. Readings of earlier segments may have been delivered before.
    pub first_of_run: u64,
    pub sink: Box<dyn Sink>,
    pub names: Arc<Names>,
    pub progress: Arc<Progress>,
    pub counters: Arc<Shared>,
    /// The last write of the position failed.
    pub unnoted: bool,
    /// Called when the sink fails for good, with the reason.
    pub gone: Box<dyn Fn(String) + Send>,
}

impl std::fmt::Debug for Delivery {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Delivery(from {:?})", self.from)
    }
}

impl Delivery {
    /// Starts the delivery thread.
    pub fn start(self) -> io::Result<JoinHandle<()>> {
        std::thread::Builder::new()
            .name("delivery".into())
            .spawn(move || self.run())
    }

    fn run(mut self) {
        let progress = self.progress.clone();
        if let Err(reason) = self.follow() {
            error!(%reason, "delivery has ended; readings wait in the journal");
            (self.gone)(reason);
        }
        progress.lock().ended = true;
    }

    fn follow(&mut self) -> Result<(), String> {
        let mut position = self.from;
        let mut reader: Option<(u64, Reader)> = None;
        let mut readings = Vec::with_capacity(BATCH_READINGS);
        while let Some(written) = self.progress.wait(position) {
            // Open the segment of the position, or the next one that exists.
            let current = match &mut reader {
                Some((segment, current)) if *segment == position.segment => current,
                _ => {
                    let path = segment::path(&self.directory, position.segment);
                    match Reader::open(&path, position.offset) {
                        Ok(opened) => &mut reader.insert((position.segment, opened)).1,
                        Err(error) if error.kind() == io::ErrorKind::NotFound => {
                            position = self.skip_to_next(position, written)?;
                            continue;
                        }
                        Err(error) => return Err(format!("{}: {error}", path.display())),
                    }
                }
            };
            let last = position.segment == written.segment;
            let length = current.length().map_err(|error| error.to_string())?;
            let limit = if last { written.offset } else { length };
            readings.clear();
            while readings.len() < BATCH_READINGS {
                match current.next(limit).map_err(|error| error.to_string())? {
                    Some(Item::Record(record)) => {
                        let old = position.segment < self.first_of_run;
                        collect(record.body, record.wall_ms, old, &mut readings);
                    }
                    // Recovery has already logged the gap.
                    Some(Item::Gap { .. }) => {}
                    None => break,
                }
            }
            position.offset = current.position();
            if readings.is_empty() && !last && position.offset >= limit {
                position = self.skip_to_next(position, written)?;
                continue;
            }
            if !self.hand_over(&mut readings)? {
                return Ok(());
            }
            self.note(position);
            if (BUSY..2048).contains(&readings.len()) {
                std::thread::sleep(GATHER_TIME);
            }
        }
        Ok(())
    }

    /// Stores the position of delivery. If the disk is full, delivery continues and the journal
    /// is kept; readings after the stored position are delivered again after a restart.
    fn note(&mut self, position: Position) {
        match self.mark.set(position) {
            Ok(()) => {
                self.progress.lock().delivered = position;
                if std::mem::take(&mut self.unnoted) {
                    info!("the position of delivery can be stored again");
                }
            }
            Err(error) => {
                if !std::mem::replace(&mut self.unnoted, true) {
                    warn!(
                        %error,
                        "cannot store the position of delivery; readings will be delivered again \
                         after a restart; hint: free space on the disk"
                    );
                }
            }
        }
    }

    /// The start of the next segment that exists.
    fn skip_to_next(&self, position: Position, written: Position) -> Result<Position, String> {
        let numbers = segment::list(&self.directory).map_err(|error| error.to_string())?;
        let segment = numbers
            .into_iter()
            .find(|number| *number > position.segment)
            .unwrap_or(written.segment);
        Ok(Position { segment, offset: 0 })
    }

    /// Offers readings to the sink until it accepts them. Returns false if the gateway stops
    /// first.
    fn hand_over(&mut self, readings: &mut [Reading]) -> Result<bool, String> {
        if readings.is_empty() {
            return Ok(true);
        }
        self.names.fill(readings);
        let mut failed = false;
        loop {
            match self.sink.deliver(readings) {
                Ok(()) => break,
                Err(SinkError::Gone(reason)) => return Err(reason),
                // Do not set `redelivered`: a slow sink still processes the same call, so each
                // reading counts once.
                Err(SinkError::UnderWay(_)) => {
                    if self.progress.pause(Duration::ZERO) {
                        return Ok(false);
                    }
                }
                Err(SinkError::Later(reason)) => {
                    if !failed {
                        warn!(%reason, "the sink accepts no readings; they wait in the journal");
                    }
                    failed = true;
                    again(readings);
                    if self.progress.pause(RETRY) {
                        return Ok(false);
                    }
                }
            }
        }
        if failed {
            info!("the sink accepts readings again");
        }
        self.counters.delivered(readings);
        Ok(true)
    }
}

/// Marks readings that the sink was given before.
fn again(readings: &mut [Reading]) {
    for reading in readings {
        reading.redelivered = true;
    }
}

/// Appends the readings of a journal record to `out`.
fn collect(body: &[u8], wall_ms: u64, redelivered: bool, out: &mut Vec<Reading>) {
    for entry in Entries::new(body) {
        if let Entry::Accepted(accepted) = entry
            && let Some(reading) = reading(&accepted, wall_ms, redelivered)
        {
            out.push(reading);
        }
    }
}

/// The reading of an accepted packet. `None` if the packet has no payload.
#[inline]
fn reading(accepted: &Accepted<'_>, wall_ms: u64, redelivered: bool) -> Option<Reading> {
    Some(Reading {
        device: DeviceId(accepted.device),
        name: None,
        codec: None,
        session: SessionName::new(accepted.join, accepted.tag),
        counter: accepted.counter,
        received_ms: wall_ms,
        payload: Payload::new(accepted.payload?)?,
        source: accepted.peer,
        rssi: accepted.rssi,
        redelivered,
    })
}

#[cfg(test)]
mod tests;
