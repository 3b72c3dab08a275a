//! Opens the journal: reads what earlier runs wrote, and starts the segment of this run.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use tracing::warn;

use super::anchor::{self, Anchor, Says, Token};
use super::blank;
use super::recovery::Recovery;
use super::segment::{self, HEADER_BYTES, Header};
use super::writer::{self, Writer};
use super::{Closed, Position, Replay, Settings, Summary, Sync};
use crate::error::{Error, Result};

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
    let earlier = read(directory, &settings, delivered, replay)?;
    begin(directory, &settings, delivered, earlier)
}

/// The result of earlier runs.
struct Earlier {
    summary: Summary,
    /// Numbers of their segments.
    numbers: Vec<u64>,
    /// Number of the last record; 0 if there is none.
    last_number: u64,
    /// The token of this run: that of the earlier run if its sessions continue.
    token: Token,
    anchor: Option<Anchor>,
}

fn read(
    directory: &Path,
    settings: &Settings,
    delivered: Position,
    replay: &mut dyn Replay,
) -> Result<Earlier> {
    make_directory(directory)?;
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
    recovery.summary.segments = numbers.len();
    let anchor = open_anchor(settings.anchor.as_deref());
    if !numbers.is_empty() {
        let cut = ends_below(directory, &numbers, delivered)?;
        let closed = closed(&recovery, settings, anchor.as_ref());
        recovery.summary.closed = closed.or(cut.then_some(Closed::Cut));
    }
    if recovery.summary.closed.is_some() {
        replay.all_closed();
    }
    let token = match recovery.summary.closed {
        None if !numbers.is_empty() => last_record(&recovery).token,
        _ => selo_link::random_bytes::<{ anchor::TOKEN_BYTES }>()
            .map_err(|error| Error::Random(error.to_string()))?,
    };
    Ok(Earlier {
        summary: recovery.summary,
        numbers,
        last_number: recovery.last_number,
        token,
        anchor,
    })
}

fn begin(
    directory: &Path,
    settings: &Settings,
    delivered: Position,
    earlier: Earlier,
) -> Result<(Writer, Summary)> {
    let Earlier {
        summary,
        numbers,
        last_number,
        token,
        anchor,
    } = earlier;
    if settings.sync != Sync::Never {
        sync_earlier(directory, &numbers)?;
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
    let file = writer::create(directory, &header, true).map_err(|source| Error::Write {
        path: segment::path(directory, first),
        source,
    })?;
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

fn make_directory(directory: &Path) -> Result<()> {
    match DirBuilder::new().mode(0o700).create(directory) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(source) => Err(Error::Write {
            path: directory.into(),
            source,
        }),
    }
}

/// Synchronises what earlier runs left unsynchronised, so that no older record can be lost while
/// a newer one survives.
fn sync_earlier(directory: &Path, numbers: &[u64]) -> Result<()> {
    for number in numbers {
        let path = segment::path(directory, *number);
        let file = File::open(&path).map_err(|source| Error::Read {
            path: path.clone(),
            source,
        })?;
        file.sync_all()
            .map_err(|source| Error::Write { path, source })?;
    }
    Ok(())
}

/// The last record that was read.
fn last_record(recovery: &Recovery) -> Says {
    Says {
        token: recovery.last.map_or([0; 16], |header| header.token),
        record: recovery.last_number,
    }
}

/// Opens the anchor. Returns `None` on failure, which ends all sessions.
fn open_anchor(path: Option<&Path>) -> Option<Anchor> {
    let path = path?;
    Anchor::open(path)
        .inspect_err(|problem| warn!(path = %path.display(), %problem, "cannot open the anchor"))
        .ok()
}

/// The reason why restored sessions must end, if any.
fn closed(recovery: &Recovery, settings: &Settings, anchor: Option<&Anchor>) -> Option<Closed> {
    // If the system has no boot id, the anchor decides: it is in memory and lost at a reboot.
    let boot = settings.boot.unwrap_or_default();
    let same_boot = recovery.last.is_none_or(|header| header.boot == boot);
    let read = last_record(recovery);
    let says = anchor.and_then(Anchor::read);
    let known = says.filter(|says| says.token == read.token);
    if !recovery.summary.damage.is_empty() {
        Some(Closed::Damage)
    } else if !same_boot {
        Some(Closed::Machine)
    } else if anchor.is_none() {
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
