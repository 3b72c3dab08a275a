//! The journal: what has been accepted, written before anyone is told of it.
//!
//! It is a row of files, the segments, that are only appended to; each holds records
//! ([`segment`]), each record what one batch of packets changed ([`entry`]). A record
//! is written with one system call, and only then are its readings delivered and its
//! packets answered. So what a killed gateway had answered is in the journal, and
//! [`open`] makes a new gateway know it.
//!
//! The journal is also the queue between the gateway and whoever takes the readings:
//! delivery reads it from behind ([`crate::delivery`]), however far that is.
//!
//! Old segments go when nobody needs them: the state of all sessions is written again,
//! a little with each batch, and once all of it stands in newer segments the older ones
//! serve only readings that are not delivered. So compaction never stops the gateway.
//!
//! **Sessions that may not go on.** To go on with a session, its counters must be the newest
//! that there are: from older ones the gateway would accept packets twice, or use a nonce
//! twice. A gateway that was killed finds the newest ones, because the system has what it
//! wrote. Otherwise every session is closed ([`Closed`] says why); hints and the nodes' own
//! rules bring the nodes to join again. That is so if the machine was started anew, if the
//! journal is not the one that the [`anchor`] knows or is behind it (a state directory put
//! back from a copy), if it ends below what was delivered, and if a record in the middle does
//! not check. Readings that do check are kept in every case.

pub mod anchor;
mod blank;
pub mod entry;
pub mod segment;

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tracing::warn;

use crate::error::{Error, Result};
use crate::state::private_file;
use anchor::{Anchor, Says, Token};
use entry::{Entries, Entry};
use segment::{HEADER_BYTES, Header, Item, RECORD_HEADER_BYTES, Reader};

/// When records are brought to the disk itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Sync {
    /// Each one, before it is acted upon: a power failure loses nothing.
    #[serde(rename = "always")]
    Always,
    /// Those of joins before they are answered, others every second.
    #[default]
    #[serde(rename = "1s")]
    EverySecond,
    /// When the system likes.
    #[serde(rename = "never")]
    Never,
}

impl Sync {
    /// How long a record may wait.
    pub const INTERVAL: Duration = Duration::from_secs(1);

    fn code(self) -> u8 {
        match self {
            Sync::Always => 1,
            Sync::EverySecond => 2,
            Sync::Never => 3,
        }
    }

    fn from_code(code: u8) -> Option<Sync> {
        [Sync::Always, Sync::EverySecond, Sync::Never]
            .into_iter()
            .find(|sync| sync.code() == code)
    }
}

impl std::str::FromStr for Sync {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "always" => Ok(Sync::Always),
            "1s" => Ok(Sync::EverySecond),
            "never" => Ok(Sync::Never),
            _ => Err(format!("'{text}' is none of always, 1s, never")),
        }
    }
}

/// A place in the journal: the end of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Position {
    pub segment: u64,
    pub offset: u64,
}

/// The entries that become the next record.
#[derive(Debug)]
pub struct Batch {
    /// Room for the record's header, then the body.
    bytes: Vec<u8>,
}

impl Default for Batch {
    fn default() -> Self {
        Batch {
            bytes: vec![0; RECORD_HEADER_BYTES],
        }
    }
}

impl Batch {
    #[inline]
    pub fn push(&mut self, entry: &Entry<'_>) {
        entry.write(&mut self.bytes);
    }

    /// Bytes of the body so far.
    pub fn len(&self) -> usize {
        self.bytes.len() - RECORD_HEADER_BYTES
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn entries(&self) -> Entries<'_> {
        Entries::new(&self.bytes[RECORD_HEADER_BYTES..])
    }

    pub fn clear(&mut self) {
        self.bytes.truncate(RECORD_HEADER_BYTES);
    }
}

/// Who is told, in order, what the journal holds.
pub trait Replay {
    /// An entry of a record that was written at `wall_ms`, Unix milliseconds.
    fn entry(&mut self, entry: &Entry<'_>, wall_ms: u64);

    /// Every session so far has ended.
    fn all_closed(&mut self);
}

/// Bytes of the journal that do not check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    pub path: PathBuf,
    pub from: u64,
    pub to: u64,
}

/// What [`open`] found.
#[derive(Debug, Default)]
pub struct Summary {
    pub segments: usize,
    pub records: u64,
    /// Packets that were accepted, of all that the segments hold.
    pub accepted: u64,
    /// Damage that makes the state of sessions uncertain.
    pub damage: Vec<Damage>,
    /// The last record was cut short: the gateway or the machine stopped while it was
    /// written, and nobody had been told of it.
    pub torn: bool,
    /// Why sessions had to be given up, if they had.
    pub closed: Option<Closed>,
}

/// Why every session has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closed {
    /// Records are damaged.
    Damage,
    /// The machine was started anew: the anchor is gone, and the end of the journal may be.
    Machine,
    /// No folder in memory takes an anchor.
    NoAnchor,
    /// The anchor of this journal is not there: it is a copy, or the anchor was removed.
    Unknown,
    /// The journal is older than what this machine last wrote.
    Old,
    /// The journal ends below what was delivered of it.
    Cut,
}

impl Closed {
    /// For the log.
    pub fn why(self) -> &'static str {
        match self {
            Closed::Damage => "the journal is damaged",
            Closed::Machine => "the machine was started anew",
            Closed::NoAnchor => "no folder in memory can say that the journal is the newest one",
            Closed::Unknown => {
                "nothing on this machine says that the journal is the newest one: it was copied or moved here, or /run was emptied"
            }
            Closed::Old => {
                "the journal is older than what the gateway last wrote: it was put back from a copy"
            }
            Closed::Cut => "the journal ends before what was delivered of it",
        }
    }
}

/// How the journal is kept.
#[derive(Debug, Clone)]
pub struct Settings {
    pub sync: Sync,
    /// A segment is left for a new one at this size.
    pub segment_bytes: u64,
    /// This start of the machine ([`crate::state::boot_id`]); another for tests.
    pub boot: Option<[u8; 16]>,
    /// Where the anchor is ([`anchor::path`]); without one sessions end at every start.
    pub anchor: Option<PathBuf>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            sync: Sync::default(),
            segment_bytes: 64 << 20,
            boot: crate::state::boot_id(),
            anchor: None,
        }
    }
}

/// Reads what is there, tells `replay`, and starts a new segment. What is before `delivered`
/// somebody has seen: the new segment has a higher number, and sessions end if the journal
/// does not reach there.
pub fn open(
    directory: &Path,
    settings: Settings,
    delivered: Position,
    replay: &mut dyn Replay,
) -> Result<(Writer, Summary)> {
    match DirBuilder::new().mode(0o700).create(directory) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(source) => {
            return Err(Error::Write {
                path: directory.into(),
                source,
            });
        }
    }
    let numbers = segment::list(directory).map_err(|source| Error::Read {
        path: directory.into(),
        source,
    })?;
    blank::blank_all(directory, &numbers).map_err(|source| Error::Write {
        path: directory.into(),
        source,
    })?;
    let mut recovery = Recovery::default();
    for number in &numbers {
        recovery.segment(&segment::path(directory, *number), replay)?;
    }
    let Recovery {
        mut summary,
        last,
        last_number,
        ..
    } = recovery;
    summary.segments = numbers.len();
    let anchor = open_anchor(settings.anchor.as_deref());
    let says = anchor.as_ref().and_then(Anchor::read);
    let last_record = Says {
        token: last.map_or([0; 16], |header| header.token),
        record: last_number,
    };
    if !numbers.is_empty() {
        let cut = ends_below(directory, &numbers, delivered)?;
        summary.closed = closed(
            &summary,
            last,
            &settings,
            anchor.is_some(),
            says,
            last_record,
        )
        .or(cut.then_some(Closed::Cut));
    }
    if summary.closed.is_some() {
        replay.all_closed();
    }
    let token = match summary.closed {
        None if !numbers.is_empty() => last_record.token,
        _ => selo_link::random_bytes::<{ anchor::TOKEN_BYTES }>()
            .map_err(|error| Error::Random(error.to_string()))?,
    };
    let write = |path: PathBuf| move |source| Error::Write { path, source };
    if settings.sync != Sync::Never {
        // What another run left to the system must not be younger than what this one
        // brings to the disk.
        for number in &numbers {
            let path = segment::path(directory, *number);
            let file = File::open(&path).map_err(|source| Error::Read {
                path: path.clone(),
                source,
            })?;
            file.sync_all().map_err(write(path))?;
        }
    }
    let first = numbers.last().copied().unwrap_or(0).max(delivered.segment) + 1;
    let record_number = match last_number {
        0 => random_start()?,
        last => last + 1,
    };
    let header = Header {
        number: first,
        version: segment::VERSION,
        token,
        boot: settings.boot.unwrap_or_default(),
        sync: settings.sync,
        all_closed: summary.closed.is_some(),
        first_of_run: true,
    };
    // Always on the disk: it tells the next run, after a power failure, that this one was.
    let file = create(directory, &header, true).map_err(write(segment::path(directory, first)))?;
    let anchor = begin_anchor(anchor, token, last_number);
    let writer = Writer {
        anchor,
        directory: directory.into(),
        header: Header {
            all_closed: false,
            first_of_run: false,
            ..header
        },
        file,
        offset: HEADER_BYTES,
        record_number,
        segment_bytes: settings.segment_bytes,
        segments: numbers.into_iter().chain([first]).collect(),
    };
    Ok((writer, summary))
}

/// The anchor; none if it cannot be opened, for then sessions must end.
fn open_anchor(path: Option<&Path>) -> Option<Anchor> {
    let path = path?;
    Anchor::open(path)
        .inspect_err(|problem| warn!(path = %path.display(), %problem, "no anchor"))
        .ok()
}

/// Why the sessions that were read may not go on.
fn closed(
    summary: &Summary,
    last: Option<Header>,
    settings: &Settings,
    anchored: bool,
    says: Option<Says>,
    read: Says,
) -> Option<Closed> {
    // Where the machine does not say which start this is, the anchor does: it is in memory.
    let boot = settings.boot.unwrap_or_default();
    let same_boot = last.is_none_or(|header| header.boot == boot);
    let known = says.filter(|says| says.token == read.token);
    if !summary.damage.is_empty() {
        Some(Closed::Damage)
    } else if !same_boot {
        Some(Closed::Machine)
    } else if !anchored {
        Some(Closed::NoAnchor)
    } else if says.is_none() {
        Some(Closed::Unknown)
    } else {
        let newest = known.is_some_and(|says| read.record >= says.record);
        (!newest).then_some(Closed::Old)
    }
}

/// True if the journal does not reach this place.
fn ends_below(directory: &Path, numbers: &[u64], place: Position) -> Result<bool> {
    if numbers.contains(&place.segment) {
        let path = segment::path(directory, place.segment);
        let found = fs::metadata(&path).map_err(|source| Error::Read { path, source })?;
        return Ok(found.len() < place.offset);
    }
    Ok(numbers.last().is_some_and(|last| *last < place.segment))
}

/// Says that the journal stands here. Without an anchor the next start ends all sessions.
fn begin_anchor(anchor: Option<Anchor>, token: Token, record: u64) -> Option<Anchor> {
    let anchor = anchor?;
    let written = anchor.write(Says { token, record });
    written
        .inspect_err(|problem| {
            warn!(path = %anchor.path().display(), %problem, "the anchor cannot be written: sessions end at the next start");
        })
        .ok()
        .map(|()| anchor)
}

/// Half of the numbers are left to count.
fn random_start() -> Result<u64> {
    let bytes = selo_link::random_bytes::<8>().map_err(|error| Error::Random(error.to_string()))?;
    Ok((u64::from_le_bytes(bytes) >> 1).max(1))
}

fn create(directory: &Path, header: &Header, durable: bool) -> io::Result<File> {
    let path = segment::path(directory, header.number);
    let file = private_file(&path, OpenOptions::new().create_new(true))?;
    let begun = file.write_all_at(&header.encode(), 0).and_then(|()| {
        if durable {
            file.sync_all()?;
            File::open(directory)?.sync_all()?;
        }
        Ok(())
    });
    match begun {
        Ok(()) => Ok(file),
        Err(error) => {
            // It will be tried again under the same number.
            let _ = fs::remove_file(&path);
            Err(error)
        }
    }
}

/// What is known while segments are read.
#[derive(Default)]
struct Recovery {
    summary: Summary,
    /// Of the last segment with a header that checks.
    last: Option<Header>,
    last_number: u64,
    /// A gap at the end of the last segment: cut short if a run ends there, else damage.
    open_end: Option<Damage>,
}

impl Recovery {
    fn segment(&mut self, path: &Path, replay: &mut dyn Replay) -> Result<()> {
        let read = |source| Error::Read {
            path: path.into(),
            source,
        };
        let mut reader = Reader::open(path, 0).map_err(read)?;
        let length = reader.length().map_err(read)?;
        let header = reader
            .header()
            .map_err(read)?
            .map_err(|found| Error::JournalVersion {
                path: path.into(),
                found,
                known: segment::VERSION,
            })?;
        match header {
            Some(header) => {
                self.begin(&header, replay);
            }
            // Cut short while it was made: nothing was written behind it.
            None if length <= HEADER_BYTES => return Ok(()),
            None => self.summary.damage.push(Damage {
                path: path.into(),
                from: 0,
                to: HEADER_BYTES,
            }),
        }
        while let Some(item) = reader.next(length).map_err(read)? {
            match item {
                Item::Record(record) => {
                    self.summary.records += 1;
                    self.last_number = self.last_number.max(record.number);
                    let mut entries = Entries::new(record.body);
                    for entry in &mut entries {
                        self.summary.accepted += u64::from(matches!(entry, Entry::Accepted(_)));
                        replay.entry(&entry, record.wall_ms);
                    }
                    if entries.malformed() {
                        self.summary.damage.push(Damage {
                            path: path.into(),
                            from: record.end - record.body.len() as u64,
                            to: record.end,
                        });
                    }
                }
                Item::Gap { from, to, at_end } => {
                    let damage = Damage {
                        path: path.into(),
                        from,
                        to,
                    };
                    if at_end {
                        self.summary.torn = true;
                        self.open_end = Some(damage);
                    } else {
                        self.summary.damage.push(damage);
                    }
                }
            }
        }
        Ok(())
    }

    fn begin(&mut self, header: &Header, replay: &mut dyn Replay) {
        let cut = self.open_end.take();
        self.summary.torn = false;
        if !header.first_of_run {
            self.summary.damage.extend(cut);
        }
        if header.all_closed {
            // An earlier start has seen the damage and drawn the conclusion.
            self.summary.damage.clear();
            replay.all_closed();
        }
        self.last = Some(*header);
    }
}

/// Appends to the journal.
#[derive(Debug)]
pub struct Writer {
    /// Says how far the journal has come; `None` if there is no place for it.
    anchor: Option<Anchor>,
    directory: PathBuf,
    /// Of the segments that follow.
    header: Header,
    file: File,
    offset: u64,
    record_number: u64,
    segment_bytes: u64,
    /// The segments that exist; the last one is written to.
    segments: Vec<u64>,
}

impl Writer {
    /// Writes the batch as one record, in one system call if the system takes it, and
    /// empties it. After an error the same call may be made again: what was written of
    /// the record is written over.
    pub fn append(&mut self, batch: &mut Batch, wall_ms: u64) -> Result<Position> {
        debug_assert!(batch.len() <= segment::BODY_MAX);
        segment::seal_record(&mut batch.bytes, self.record_number, wall_ms);
        self.file
            .write_all_at(&batch.bytes, self.offset)
            .map_err(|source| Error::Write {
                path: segment::path(&self.directory, self.segment()),
                source,
            })?;
        self.offset += batch.bytes.len() as u64;
        self.advance_anchor();
        self.record_number += 1;
        batch.clear();
        Ok(self.position())
    }

    /// The record is written. Whoever called waits for this before anything leaves.
    fn advance_anchor(&mut self) {
        let Some(anchor) = &self.anchor else {
            return;
        };
        if let Err(problem) = anchor.advance(self.record_number) {
            warn!(path = %anchor.path().display(), %problem, "the anchor cannot be written: sessions end at the next start");
            self.anchor = None;
        }
    }

    /// True if the next record belongs into a new segment.
    pub fn is_full(&self) -> bool {
        self.offset >= self.segment_bytes
    }

    /// Starts a new segment, and gives the file of it to whoever synchronises.
    pub fn rotate(&mut self) -> Result<File> {
        let number = self.segment() + 1;
        let write = |source| Error::Write {
            path: segment::path(&self.directory, number),
            source,
        };
        let header = Header {
            number,
            ..self.header
        };
        let file = create(&self.directory, &header, header.sync != Sync::Never).map_err(write)?;
        let copy = file.try_clone().map_err(write)?;
        self.file = file;
        self.offset = HEADER_BYTES;
        self.segments.push(number);
        Ok(copy)
    }

    /// Brings everything that was written to the disk.
    pub fn sync_all(&self) -> Result<()> {
        for number in &self.segments {
            let path = segment::path(&self.directory, *number);
            let synced = File::open(&path).and_then(|file| file.sync_all());
            synced.map_err(|source| Error::Write { path, source })?;
        }
        Ok(())
    }

    /// The file that is written to, to be synchronised by another thread.
    pub fn file(&self) -> Result<File> {
        self.file.try_clone().map_err(|source| Error::Write {
            path: segment::path(&self.directory, self.segment()),
            source,
        })
    }

    /// Behind the last record.
    pub fn position(&self) -> Position {
        Position {
            segment: self.segment(),
            offset: self.offset,
        }
    }

    /// The number of the segment that is written to.
    pub fn segment(&self) -> u64 {
        self.segments.last().copied().unwrap_or(0)
    }

    pub fn segment_count(&self) -> usize {
        self.segments.len()
    }

    /// Removes the segments before `number`, but never the one that is written to.
    pub fn remove_before(&mut self, number: u64) -> Result<usize> {
        let number = number.min(self.segment());
        let old = self.segments.partition_point(|segment| *segment < number);
        for removed in self.segments.drain(..old) {
            let path = segment::path(&self.directory, removed);
            match fs::remove_file(&path) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(source) => return Err(Error::Write { path, source }),
            }
        }
        Ok(old)
    }
}
