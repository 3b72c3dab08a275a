//! The journal: a log of accepted packets, written before the gateway answers or delivers.
//!
//! The journal is a sequence of append-only files, the segments ([`segment`]). A segment holds
//! records, and a record holds the changes of one batch of packets ([`entry`]). The gateway
//! writes a record with one system call. Only then does it deliver the record's readings and
//! answer its packets. A gateway that was killed has therefore journalled everything that it
//! answered, and [`open`] restores it.
//!
//! The journal is also the queue between the gateway and the sink. Delivery
//! ([`crate::delivery`]) reads it at its own pace.
//!
//! Compaction never stops the gateway: each batch also writes a few session states. Once all
//! states are in newer segments, older ones are needed only for undelivered readings.
//!
//! **Ending all sessions.** A session may continue only with its newest counters. With older
//! ones, the gateway would accept packets twice or reuse a nonce. A killed gateway finds the
//! newest counters, because the system keeps what it wrote. In these cases all sessions end
//! ([`Closed`] gives the reason), and the nodes rejoin:
//!
//! - The machine has rebooted.
//! - The journal does not match its [`anchor`] or is older, as after restoring a backup.
//! - The journal ends before the position of delivery.
//! - A record in the middle is damaged.
//!
//! Intact readings are kept in every case.

pub mod anchor;
mod blank;
pub mod entry;
pub mod segment;
mod sync;

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileExt};
use std::path::{Path, PathBuf};

use tracing::warn;

use crate::error::{Error, Result};
use crate::state::private_file;
use anchor::{Anchor, Says, Token};
use entry::{Entries, Entry};
use segment::{HEADER_BYTES, Header, Item, RECORD_HEADER_BYTES, Reader, Record};

pub use sync::Sync;

/// A position in the journal: the end of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Position {
    pub segment: u64,
    pub offset: u64,
}

/// Entries of the next record.
#[derive(Debug)]
pub struct Batch {
    /// Space for the record header, then the body.
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

/// Receives the entries of the journal, in order.
pub trait Replay {
    /// Handles an entry. Its record was written at `wall_ms`, Unix milliseconds.
    fn entry(&mut self, entry: &Entry<'_>, wall_ms: u64);

    /// All sessions so far have ended.
    fn all_closed(&mut self);
}

/// A damaged byte range of a segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    pub path: PathBuf,
    pub from: u64,
    pub to: u64,
}

/// Results of [`open`].
#[derive(Debug, Default)]
pub struct Summary {
    pub segments: usize,
    pub records: u64,
    /// Accepted packets in all segments.
    pub accepted: u64,
    /// Damage that makes the state of sessions uncertain.
    pub damage: Vec<Damage>,
    /// The last record is incomplete: the gateway or the machine stopped while writing it.
    /// Nothing depended on it.
    pub torn: bool,
    /// The reason why all sessions ended, if they did.
    pub closed: Option<Closed>,
}

/// Reasons why all sessions have ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closed {
    /// Some records are damaged.
    Damage,
    /// The machine has rebooted. The anchor is lost, and so may be the end of the journal.
    Machine,
    /// No directory in memory can hold an anchor.
    NoAnchor,
    /// This journal has no anchor: it is a copy, or the anchor was removed.
    Unknown,
    /// The journal is older than the anchor.
    Old,
    /// The journal ends before the position of delivery.
    Cut,
}

impl Closed {
    /// The reason, for the log.
    pub fn why(self) -> &'static str {
        match self {
            Closed::Damage => "the journal is damaged",
            Closed::Machine => "the machine has rebooted",
            Closed::NoAnchor => "no directory in memory can hold a record of the newest journal",
            Closed::Unknown => {
                "cannot confirm that the journal is the newest: it was copied or moved here, or /run was emptied"
            }
            Closed::Old => "the journal is older than the last write: it was restored from a copy",
            Closed::Cut => "the journal ends before the position of delivery",
        }
    }
}

/// Settings of the journal.
#[derive(Debug, Clone)]
pub struct Settings {
    pub sync: Sync,
    /// Size at which a new segment is started, bytes.
    pub segment_bytes: u64,
    /// Identifier of this boot ([`crate::state::boot_id`]). Tests set their own.
    pub boot: Option<[u8; 16]>,
    /// Path of the anchor ([`anchor::path`]). Without one, sessions end at every start.
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

/// Reads the journal into `replay`, and starts a new segment. Readings before `delivered` are
/// already delivered: the new segment gets a higher number, and all sessions end if the journal
/// does not reach that position.
///
/// # Errors
/// Fails if a segment cannot be read or written, or has a newer version.
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
        // Synchronise what earlier runs left unsynchronised, so that no older record can be
        // lost while a newer one survives.
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
    // Always synchronised, so that the next run knows of this one even after a power failure.
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

/// Opens the anchor. Returns `None` on failure, which ends all sessions.
fn open_anchor(path: Option<&Path>) -> Option<Anchor> {
    let path = path?;
    Anchor::open(path)
        .inspect_err(|problem| warn!(path = %path.display(), %problem, "cannot open the anchor"))
        .ok()
}

/// The reason why restored sessions must end, if any.
fn closed(
    summary: &Summary,
    last: Option<Header>,
    settings: &Settings,
    anchored: bool,
    says: Option<Says>,
    read: Says,
) -> Option<Closed> {
    // If the system has no boot id, the anchor decides: it is in memory and lost at a reboot.
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

/// True if the journal ends before this position.
fn ends_below(directory: &Path, numbers: &[u64], place: Position) -> Result<bool> {
    if numbers.contains(&place.segment) {
        let path = segment::path(directory, place.segment);
        let found = fs::metadata(&path).map_err(|source| Error::Read { path, source })?;
        return Ok(found.len() < place.offset);
    }
    Ok(numbers.last().is_some_and(|last| *last < place.segment))
}

/// Writes the current position to the anchor. Returns `None` on failure; sessions then end at
/// the next start.
fn begin_anchor(anchor: Option<Anchor>, token: Token, record: u64) -> Option<Anchor> {
    let anchor = anchor?;
    let written = anchor.write(Says { token, record });
    written
        .inspect_err(|problem| {
            warn!(path = %anchor.path().display(), %problem, "cannot write the anchor; all sessions will end at the next start");
        })
        .ok()
        .map(|()| anchor)
}

/// A random first record number. The top bit is 0, which leaves half of the range for counting.
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
            // The caller will retry with the same number.
            let _ = fs::remove_file(&path);
            Err(error)
        }
    }
}

/// State while segments are read.
#[derive(Default)]
struct Recovery {
    summary: Summary,
    /// The last valid segment header.
    last: Option<Header>,
    last_number: u64,
    /// A gap at the end of the last segment read. It is an incomplete record if a run ends
    /// there, else damage.
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
            // The segment was cut off while its header was written, so it holds nothing else.
            None if length <= HEADER_BYTES => return Ok(()),
            None => self.summary.damage.push(Damage {
                path: path.into(),
                from: 0,
                to: HEADER_BYTES,
            }),
        }
        while let Some(item) = reader.next(length).map_err(read)? {
            match item {
                Item::Record(record) => self.record(path, &record, replay),
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

    fn record(&mut self, path: &Path, record: &Record<'_>, replay: &mut dyn Replay) {
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

    fn begin(&mut self, header: &Header, replay: &mut dyn Replay) {
        let cut = self.open_end.take();
        self.summary.torn = false;
        if !header.first_of_run {
            self.summary.damage.extend(cut);
        }
        if header.all_closed {
            // An earlier start has already handled this damage and ended the sessions.
            self.summary.damage.clear();
            replay.all_closed();
        }
        self.last = Some(*header);
    }
}

/// Appends records to the journal.
#[derive(Debug)]
pub struct Writer {
    /// Stores the position of the journal outside of it; `None` if that is impossible.
    anchor: Option<Anchor>,
    directory: PathBuf,
    /// Header template for further segments.
    header: Header,
    file: File,
    offset: u64,
    record_number: u64,
    segment_bytes: u64,
    /// Existing segments. The last one is being written.
    segments: Vec<u64>,
}

impl Writer {
    /// Writes the batch as one record, with one system call if possible, and clears the batch.
    /// After an error the call can be repeated; it overwrites the partial record.
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

    /// Updates the anchor after a record. This must happen before any dependent packet leaves.
    fn advance_anchor(&mut self) {
        let Some(anchor) = &self.anchor else {
            return;
        };
        if let Err(problem) = anchor.advance(self.record_number) {
            warn!(path = %anchor.path().display(), %problem, "cannot write the anchor; all sessions will end at the next start");
            self.anchor = None;
        }
    }

    /// True if the next record needs a new segment.
    pub fn is_full(&self) -> bool {
        self.offset >= self.segment_bytes
    }

    /// Starts a new segment and returns its file, for synchronisation by another thread.
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

    /// Synchronises all segments to disk.
    pub fn sync_all(&self) -> Result<()> {
        for number in &self.segments {
            let path = segment::path(&self.directory, *number);
            let synced = File::open(&path).and_then(|file| file.sync_all());
            synced.map_err(|source| Error::Write { path, source })?;
        }
        Ok(())
    }

    /// A handle of the current file, for synchronisation by another thread.
    pub fn file(&self) -> Result<File> {
        self.file.try_clone().map_err(|source| Error::Write {
            path: segment::path(&self.directory, self.segment()),
            source,
        })
    }

    /// End of the last record.
    pub fn position(&self) -> Position {
        Position {
            segment: self.segment(),
            offset: self.offset,
        }
    }

    /// Number of the current segment.
    pub fn segment(&self) -> u64 {
        self.segments.last().copied().unwrap_or(0)
    }

    pub fn segment_count(&self) -> usize {
        self.segments.len()
    }

    /// Removes the segments before `number`, except the current one. Returns how many were
    /// removed.
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
