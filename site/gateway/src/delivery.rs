//! Delivery: a thread that follows the journal and hands its readings to a sink.
//!
//! A small file stores the position of delivery. It is written after the sink has accepted a
//! batch, so it may lag by one batch. After a restart, readings after that position are
//! delivered again with `redelivered` set.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError, RwLock};
use std::thread::JoinHandle;
use std::time::Duration;

use selo_link::DeviceId;
use tracing::{error, info, warn};

use crate::counters::Shared;
use crate::error::{Error, Result};
use crate::journal::Position;
use crate::journal::entry::{Accepted, Entries, Entry};
use crate::journal::segment::{self, Item, Reader};
use crate::reading::{Payload, Reading, SessionName};
use crate::sink::{Sink, SinkError};
use crate::state::private_file;

/// Names of devices, added to readings. Devices without a name have no entry.
pub type Names = RwLock<HashMap<DeviceId, Arc<str>>>;

/// Approximate maximum of readings per call of a sink. Only a sink that lags gets this many. It
/// must confirm all of them before it gets more.
const BATCH_READINGS: usize = 16_384;
/// Minimum batch before waiting briefly for more readings: each wake-up has a fixed cost.
const BUSY: usize = 16;
const GATHER_TIME: Duration = Duration::from_millis(2);
/// Delay before a sink that failed is tried again.
const RETRY: Duration = Duration::from_secs(1);

/// The file that stores the position of delivery. It holds two copies, written in turn, so that
/// one is always intact after a crash.
#[derive(Debug)]
pub struct Mark {
    file: File,
    path: PathBuf,
    turn: u64,
}

const COPY_BYTES: usize = 28;

impl Mark {
    /// Opens or creates the file, and reads the stored position. The default position if no
    /// copy is valid.
    pub fn open(path: &Path) -> Result<(Mark, Position)> {
        let read = |source| Error::Read {
            path: path.into(),
            source,
        };
        let file = private_file(path, OpenOptions::new().read(true).create(true)).map_err(read)?;
        let newest = (0..2)
            .filter_map(|slot| {
                let mut copy = [0; COPY_BYTES];
                file.read_exact_at(&mut copy, slot * COPY_BYTES as u64)
                    .ok()?;
                decode(&copy)
            })
            .max_by_key(|(turn, _)| *turn);
        let (turn, position) = newest.unwrap_or_default();
        let mark = Mark {
            file,
            path: path.into(),
            turn,
        };
        Ok((mark, position))
    }

    fn set(&mut self, position: Position) -> Result<()> {
        self.turn += 1;
        let at = (self.turn % 2) * COPY_BYTES as u64;
        self.file
            .write_all_at(&encode(self.turn, position), at)
            .map_err(|source| Error::Write {
                path: self.path.clone(),
                source,
            })
    }
}

fn encode(turn: u64, position: Position) -> [u8; COPY_BYTES] {
    let mut copy = [0; COPY_BYTES];
    copy[..8].copy_from_slice(&turn.to_le_bytes());
    copy[8..16].copy_from_slice(&position.segment.to_le_bytes());
    copy[16..24].copy_from_slice(&position.offset.to_le_bytes());
    let crc = crc32fast::hash(&copy[..24]);
    copy[24..].copy_from_slice(&crc.to_le_bytes());
    copy
}

fn decode(copy: &[u8; COPY_BYTES]) -> Option<(u64, Position)> {
    let word = |at: usize| {
        let mut word = [0; 8];
        word.copy_from_slice(&copy[at..at + 8]);
        u64::from_le_bytes(word)
    };
    let crc = u32::from_le_bytes([copy[24], copy[25], copy[26], copy[27]]);
    (crc32fast::hash(&copy[..24]) == crc).then(|| {
        let position = Position {
            segment: word(8),
            offset: word(16),
        };
        (word(0), position)
    })
}

/// Progress shared by the keeper, the worker and the delivery thread.
#[derive(Debug)]
pub struct Progress {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default, Clone, Copy)]
struct State {
    /// End of the last record that may be delivered.
    written: Position,
    /// The journal is complete: no more records follow.
    stopping: bool,
    /// End of the last record that was delivered.
    delivered: Position,
    /// Delivery has ended for good.
    ended: bool,
}

impl Progress {
    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        // A panic while the lock was held can have changed at most one word.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `from`: end of what earlier runs delivered.
    pub fn new(from: Position) -> Progress {
        let state = State {
            delivered: from,
            ..State::default()
        };
        Progress {
            state: Mutex::new(state),
            changed: Condvar::new(),
        }
    }

    /// Allows delivery up to `position`. Never moves back.
    pub fn written(&self, position: Position) {
        let mut state = self.lock();
        state.written = state.written.max(position);
        drop(state);
        self.changed.notify_all();
    }

    /// Declares the journal complete: delivery delivers the rest and ends.
    pub fn stop(&self) {
        self.lock().stopping = true;
        self.changed.notify_all();
    }

    /// End of the last record that was delivered.
    pub fn delivered(&self) -> Position {
        self.lock().delivered
    }

    /// True if delivery has ended for good.
    pub fn ended(&self) -> bool {
        self.lock().ended
    }

    /// Waits for records after `position` and returns the end of them. Returns `None` when
    /// delivery should end.
    fn wait(&self, position: Position) -> Option<Position> {
        let mut state = self.lock();
        loop {
            if state.written > position {
                return Some(state.written);
            }
            if state.stopping {
                return None;
            }
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits up to `time`. Returns true if the gateway is stopping.
    fn pause(&self, time: Duration) -> bool {
        let state = self.lock();
        let waited = self
            .changed
            .wait_timeout_while(state, time, |state| !state.stopping)
            .unwrap_or_else(PoisonError::into_inner);
        waited.0.stopping
    }
}

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
        {
            let names = self.names.read().unwrap_or_else(PoisonError::into_inner);
            if !names.is_empty() {
                for reading in readings.iter_mut() {
                    reading.name = names.get(&reading.device).cloned();
                }
            }
        }
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
mod tests {
    use std::collections::VecDeque;

    use super::*;
    use crate::counters::Count;
    use crate::peer::Peer;

    /// Gives the prepared answers, then accepts everything.
    struct Told(VecDeque<SinkError>);

    impl Sink for Told {
        fn deliver(&mut self, _: &[Reading]) -> std::result::Result<(), SinkError> {
            self.0.pop_front().map_or(Ok(()), Err)
        }
    }

    fn delivery(folder: &Path, answers: Vec<SinkError>) -> Delivery {
        let (mark, from) = Mark::open(&folder.join("delivered")).expect("opens");
        Delivery {
            directory: folder.into(),
            mark,
            from,
            first_of_run: 0,
            sink: Box::new(Told(answers.into())),
            names: Arc::default(),
            progress: Arc::new(Progress::new(from)),
            counters: Arc::default(),
            unnoted: false,
            gone: Box::new(|_| ()),
        }
    }

    fn some_readings() -> Vec<Reading> {
        vec![Reading {
            device: DeviceId(1),
            name: None,
            session: SessionName::new(1, 1),
            counter: 1,
            received_ms: 1_795_303_147_042,
            payload: Payload::new(b"23.5 C").expect("short"),
            source: Peer::Nowhere,
            rssi: None,
            redelivered: false,
        }]
    }

    #[test]
    fn a_mark_that_cannot_be_written_does_not_end_delivery() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut delivery = delivery(folder.path(), Vec::new());
        let kept = folder.path().join("delivered");
        let at = |offset| Position { segment: 1, offset };
        delivery.mark.file = File::open(&kept).expect("for reading only");
        delivery.note(at(10));
        assert_eq!(delivery.progress.delivered(), Position::default());
        delivery.mark.file = File::options().write(true).open(&kept).expect("opens");
        delivery.note(at(20));
        assert_eq!(delivery.progress.delivered(), at(20));
        assert_eq!(Mark::open(&kept).expect("opens").1, at(20));
    }

    #[test]
    fn a_sink_at_work_is_waited_for_and_given_nothing_again() {
        let folder = tempfile::tempdir().expect("a folder");
        // With a pause after each answer, this test would take a quarter of an hour.
        let at_work = (0..1000).map(|left| SinkError::UnderWay(format!("{left} left")));
        let mut delivery = delivery(folder.path(), at_work.collect());
        assert_eq!(delivery.hand_over(&mut some_readings()), Ok(true));
        let counts = delivery.counters.snapshot();
        assert_eq!(counts.get(Count::Delivered), 1);
        assert_eq!(counts.get(Count::Redelivered), 0);
    }

    #[test]
    fn a_sink_that_failed_is_given_everything_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut delivery = delivery(folder.path(), vec![SinkError::Later("away".into())]);
        assert_eq!(delivery.hand_over(&mut some_readings()), Ok(true));
        let counts = delivery.counters.snapshot();
        assert_eq!(counts.get(Count::Redelivered), 1);
    }

    #[test]
    fn a_gateway_that_stops_waits_for_no_sink() {
        let folder = tempfile::tempdir().expect("a folder");
        for answer in [SinkError::UnderWay, SinkError::Later] {
            let mut delivery = delivery(folder.path(), vec![answer("busy".into())]);
            delivery.progress.stop();
            assert_eq!(delivery.hand_over(&mut some_readings()), Ok(false));
            assert_eq!(delivery.counters.snapshot().get(Count::Delivered), 0);
        }
        let mut delivery = delivery(folder.path(), vec![SinkError::Gone("closed".into())]);
        assert_eq!(
            delivery.hand_over(&mut some_readings()),
            Err("closed".into())
        );
    }

    #[test]
    fn the_mark_survives_a_half_written_copy() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("delivered");
        let at = |offset| Position { segment: 3, offset };
        let (mut mark, position) = Mark::open(&path).expect("opens");
        assert_eq!(position, Position::default());
        for offset in 1..=7 {
            mark.set(at(offset)).expect("writes");
            assert_eq!(Mark::open(&path).expect("opens").1, at(offset));
        }
        // If one copy is damaged, the other one is used.
        let whole = std::fs::read(&path).expect("there");
        for byte in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[byte] ^= 1;
            std::fs::write(&path, &damaged).expect("writes");
            let (_, position) = Mark::open(&path).expect("opens");
            assert!([at(6), at(7)].contains(&position), "byte {byte}");
        }
    }
}
