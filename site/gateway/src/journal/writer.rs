//! Appends records to the journal.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use tracing::warn;

use super::anchor::Anchor;
use super::segment::{self, HEADER_BYTES, Header};
use super::{Batch, Position, Sync};
use crate::error::{Error, Result};
use crate::state::private_file;

/// Appends records to the journal.
#[derive(Debug)]
pub struct Writer {
    /// Stores the position of the journal outside of it; `None` if that is impossible.
    pub(super) anchor: Option<Anchor>,
    pub(super) directory: PathBuf,
    /// Header template for further segments.
    pub(super) header: Header,
    pub(super) file: File,
    pub(super) offset: u64,
    pub(super) record_number: u64,
    pub(super) segment_bytes: u64,
    /// Existing segments. The last one is being written.
    pub(super) segments: Vec<u64>,
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

/// Creates a segment with this header.
pub(super) fn create(directory: &Path, header: &Header, durable: bool) -> io::Result<File> {
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
