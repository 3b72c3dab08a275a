//! Reads the segments of earlier runs, and finds their damage.

use std::path::Path;

use super::entry::{Entries, Entry};
use super::segment::{self, HEADER_BYTES, Header, Item, Reader, Record};
use super::{Damage, Replay, Summary};
use crate::error::{Error, Result};

/// State while segments are read.
#[derive(Default)]
pub struct Recovery {
    pub summary: Summary,
    /// The last valid segment header.
    pub last: Option<Header>,
    pub last_number: u64,
    /// A gap at the end of the last segment read. It is an incomplete record if a run ends
    /// there, else damage.
    open_end: Option<Damage>,
}

impl Recovery {
    /// Reads a segment into `replay`.
    pub fn segment(&mut self, path: &Path, replay: &mut dyn Replay) -> Result<()> {
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
