//! Delivery: a thread that follows the journal and hands its readings to a sink.
//!
//! How far it has come stands in a small file of its own, written after the sink has
//! taken a batch. What the journal holds behind that mark is delivered after a restart,
//! flagged `redelivered`, because the mark may be one batch behind the truth.

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

/// Names of devices, for the lines. Devices without a name are not in it.
pub type Names = RwLock<HashMap<DeviceId, Arc<str>>>;

/// Approximate maximum of readings in one call of a sink. Only a sink that is behind gets so
/// many. It confirms all of them before it gets more.
const BATCH_READINGS: usize = 16_384;
/// Minimum batch before waiting briefly for more readings: each wake-up has a fixed cost.
const BUSY: usize = 16;
const GATHER_TIME: Duration = Duration::from_millis(2);
/// How long to wait before a sink that could not take readings is asked again.
const RETRY: Duration = Duration::from_secs(1);

/// The file that says how far delivery has come: two copies in turn, so that one is
/// whole whenever the machine stops.
#[derive(Debug)]
pub struct Mark {
    file: File,
    path: PathBuf,
    turn: u64,
}

const COPY_BYTES: usize = 28;

impl Mark {
    /// Opens or makes the file, and reads how far delivery had come.
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

/// What the worker and the delivery thread tell each other.
#[derive(Debug)]
pub struct Progress {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default, Clone, Copy)]
struct State {
    /// Behind the last record that may be delivered.
    written: Position,
    /// Nothing more will be written.
    stopping: bool,
    /// Behind the last record that was delivered.
    delivered: Position,
    /// Delivery has ended, and will not go on.
    ended: bool,
}

impl Progress {
    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        // A thread that panicked while it held the lock has changed at most one word.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Everything before `from` was delivered by an earlier run.
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

    /// The journal may be delivered up to there. Never goes back.
    pub fn written(&self, position: Position) {
        let mut state = self.lock();
        state.written = state.written.max(position);
        drop(state);
        self.changed.notify_all();
    }

    /// Nothing more will be written: deliver what there is, and end.
    pub fn stop(&self) {
        self.lock().stopping = true;
        self.changed.notify_all();
    }

    /// Behind the last record that was delivered.
    pub fn delivered(&self) -> Position {
        self.lock().delivered
    }

    /// True if delivery has given up: its sink is gone.
    pub fn ended(&self) -> bool {
        self.lock().ended
    }

    /// Waits until something is to be delivered after `position`; `None` to end.
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

    /// Waits a while; true if the gateway stops.
    fn pause(&self, time: Duration) -> bool {
        let state = self.lock();
        let waited = self
            .changed
            .wait_timeout_while(state, time, |state| !state.stopping)
            .unwrap_or_else(PoisonError::into_inner);
        waited.0.stopping
    }
}

/// What the delivery thread needs.
pub struct Delivery {
    pub directory: PathBuf,
    pub mark: Mark,
    /// Where to begin.
    pub from: Position,
    /// Readings of segments before this one were accepted by an earlier run.
    pub first_of_run: u64,
    pub sink: Box<dyn Sink>,
    pub names: Arc<Names>,
    pub progress: Arc<Progress>,
    pub counters: Arc<Shared>,
    /// The disk did not take the last note of what is delivered.
    pub unnoted: bool,
    /// Called when the sink is gone.
    pub gone: Box<dyn Fn(String) + Send>,
}

impl std::fmt::Debug for Delivery {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Delivery(from {:?})", self.from)
    }
}

impl Delivery {
    pub fn start(self) -> io::Result<JoinHandle<()>> {
        std::thread::Builder::new()
            .name("delivery".into())
            .spawn(move || self.run())
    }

    fn run(mut self) {
        let progress = self.progress.clone();
        if let Err(reason) = self.follow() {
            error!(%reason, "readings are not delivered any more; they wait in the journal");
            (self.gone)(reason);
        }
        progress.lock().ended = true;
    }

    fn follow(&mut self) -> Result<(), String> {
        let mut position = self.from;
        let mut reader: Option<(u64, Reader)> = None;
        let mut readings = Vec::with_capacity(BATCH_READINGS);
        while let Some(written) = self.progress.wait(position) {
            // Opens the segment of the position, or the next one that exists.
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
                    // Recovery has said so.
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

    /// Notes how far delivery has come. Where the disk takes no more it goes on all the same,
    /// and the journal is kept: after a restart what was not noted is delivered again.
    fn note(&mut self, position: Position) {
        match self.mark.set(position) {
            Ok(()) => {
                self.progress.lock().delivered = position;
                if std::mem::take(&mut self.unnoted) {
                    info!("the disk takes notes of what is delivered again");
                }
            }
            Err(error) => {
                if !std::mem::replace(&mut self.unnoted, true) {
                    warn!(
                        %error,
                        "what is delivered cannot be noted: it is delivered again after a \
                         restart; hint: free space on the disk"
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

    /// Hands readings to the sink until it takes them; false if the gateway stops first.
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
                // Not given again: what a slow sink takes late counts as late, and once.
                Err(SinkError::UnderWay(_)) => {
                    if self.progress.pause(Duration::ZERO) {
                        return Ok(false);
                    }
                }
                Err(SinkError::Later(reason)) => {
                    if !failed {
                        warn!(%reason, "the sink takes no readings; they wait in the journal");
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
            info!("the sink takes readings again");
        }
        self.counters.delivered(readings);
        Ok(true)
    }
}

/// What a sink was given before.
fn again(readings: &mut [Reading]) {
    for reading in readings {
        reading.redelivered = true;
    }
}

/// The readings of a record.
fn collect(body: &[u8], wall_ms: u64, redelivered: bool, out: &mut Vec<Reading>) {
    for entry in Entries::new(body) {
        if let Entry::Accepted(accepted) = entry
            && let Some(reading) = reading(&accepted, wall_ms, redelivered)
        {
            out.push(reading);
        }
    }
}

/// The reading of an accepted packet, if it said something.
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

    /// Answers as it is told to, then takes everything.
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
        // With a pause after each answer this would take a quarter of an hour.
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
        // Whichever copy is damaged, the other one counts.
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
