//! A segment: one file of the journal. It has a header and records. A record has a length, a
//! CRC, and a number that increases through all segments.
//!
//! The reader trusts no byte. It reports bytes that fail the checks as an [`Item::Gap`] and
//! continues at the next valid record.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::anchor::{TOKEN_BYTES, Token};
use super::sync::Sync;

/// Size of a segment header, bytes.
pub const HEADER_BYTES: u64 = 64;
/// Size of a record header: length (4), CRC (4), number (8), Unix milliseconds (8).
pub const RECORD_HEADER_BYTES: usize = 24;
/// Maximum size of a record body, bytes.
pub const BODY_MAX: usize = 64 << 20;
/// Version written by this program, and the highest version that it reads. Version 3 has peers behind
/// radio heads.
pub const VERSION: u16 = 3;
/// The first version without session keys.
pub const KEYLESS: u16 = 2;

const MAGIC: [u8; 8] = *b"SELOJRN\n";
const ALL_CLOSED: u8 = 1;
const FIRST_OF_RUN: u8 = 2;

/// The header of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    pub number: u64,
    /// [`VERSION`] when written; may be older when read.
    pub version: u16,
    /// Boot id at the time of writing; zeros if unknown.
    pub boot: [u8; 16],
    /// Synchronisation policy of the run that wrote the segment.
    pub sync: Sync,
    /// Token of the journal's history ([`super::anchor`]); zeros if unknown.
    pub token: Token,
    /// All sessions of earlier segments have ended.
    pub all_closed: bool,
    /// The previous segment, if any, belongs to an earlier run.
    pub first_of_run: bool,
}

impl Header {
    pub fn encode(&self) -> [u8; HEADER_BYTES as usize] {
        let mut out = [0; HEADER_BYTES as usize];
        out[..8].copy_from_slice(&MAGIC);
        out[8..10].copy_from_slice(&self.version.to_le_bytes());
        out[10] = self.sync.code();
        if self.all_closed {
            out[11] |= ALL_CLOSED;
        }
        if self.first_of_run {
            out[11] |= FIRST_OF_RUN;
        }
        out[16..24].copy_from_slice(&self.number.to_le_bytes());
        out[24..40].copy_from_slice(&self.boot);
        out[40..56].copy_from_slice(&self.token);
        let crc = crc32fast::hash(&out[..60]);
        out[60..].copy_from_slice(&crc.to_le_bytes());
        out
    }

    /// Decodes a header. Returns `Err(version)` if a newer program wrote it, and `Ok(None)` if
    /// it is damaged or incomplete.
    fn decode(bytes: &[u8]) -> Result<Option<Header>, u16> {
        let Some(bytes) = bytes.first_chunk::<{ HEADER_BYTES as usize }>() else {
            return Ok(None);
        };
        let crc = u32::from_le_bytes([bytes[60], bytes[61], bytes[62], bytes[63]]);
        if bytes[..8] != MAGIC || crc32fast::hash(&bytes[..60]) != crc {
            return Ok(None);
        }
        let version = u16::from_le_bytes([bytes[8], bytes[9]]);
        if version > VERSION {
            return Err(version);
        }
        let mut boot = [0; 16];
        boot.copy_from_slice(&bytes[24..40]);
        let mut token = [0; TOKEN_BYTES];
        token.copy_from_slice(&bytes[40..56]);
        let mut number = [0; 8];
        number.copy_from_slice(&bytes[16..24]);
        Ok(Sync::from_code(bytes[10]).map(|sync| Header {
            number: u64::from_le_bytes(number),
            version,
            boot,
            token,
            sync,
            all_closed: bytes[11] & ALL_CLOSED != 0,
            first_of_run: bytes[11] & FIRST_OF_RUN != 0,
        }))
    }
}

/// The path of a segment.
pub fn path(directory: &Path, number: u64) -> PathBuf {
    directory.join(format!("{number:016x}"))
}

/// Numbers of all segments in a directory, sorted. Ignores other files.
pub fn list(directory: &Path) -> io::Result<Vec<u64>> {
    let mut numbers = Vec::new();
    for entry in fs::read_dir(directory)? {
        let name = entry?.file_name();
        let number = name
            .to_str()
            .filter(|name| name.len() == 16)
            .and_then(|name| u64::from_str_radix(name, 16).ok());
        numbers.extend(number);
    }
    numbers.sort_unstable();
    Ok(numbers)
}

/// Fills in the header of a record. `record` holds the header space and the body.
pub fn seal_record(record: &mut [u8], number: u64, wall_ms: u64) {
    let size = (record.len() - RECORD_HEADER_BYTES) as u32;
    record[..4].copy_from_slice(&size.to_le_bytes());
    record[8..16].copy_from_slice(&number.to_le_bytes());
    record[16..24].copy_from_slice(&wall_ms.to_le_bytes());
    let crc = checksum(record);
    record[4..8].copy_from_slice(&crc.to_le_bytes());
}

/// CRC of a record: covers the length and all bytes after the CRC field.
fn checksum(record: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&record[..4]);
    hasher.update(&record[8..]);
    hasher.finalize()
}

/// A record that passed the checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record<'a> {
    /// Position of its end.
    pub end: u64,
    pub number: u64,
    /// Time of writing, Unix milliseconds.
    pub wall_ms: u64,
    pub body: &'a [u8],
}

/// An item of a segment.
#[derive(Debug)]
pub enum Item<'a> {
    Record(Record<'a>),
    /// Invalid bytes from `from` to `to`, up to the next valid record or the end of the file.
    Gap {
        from: u64,
        to: u64,
        at_end: bool,
    },
}

/// Reads the records of one segment in order, up to a limit that may grow.
#[derive(Debug)]
pub struct Reader {
    file: File,
    position: u64,
    /// Number of the last record read; later records have higher numbers. Numbers start at a
    /// random value, so that nobody can plant a fake record in a payload.
    last_number: u64,
    buffer: Vec<u8>,
    /// Range of `buffer` that holds file bytes, starting at `position`.
    filled: std::ops::Range<usize>,
}

/// Maximum distance of record numbers across a gap.
const NUMBER_AHEAD: u64 = 1 << 32;
const READ_BYTES: usize = 256 << 10;

impl Reader {
    /// Opens a segment at a position: the end of a record, or 0 for the first record.
    pub fn open(path: &Path, position: u64) -> io::Result<Reader> {
        Ok(Reader {
            file: File::open(path)?,
            position: position.max(HEADER_BYTES),
            last_number: 0,
            buffer: Vec::new(),
            filled: 0..0,
        })
    }

    /// Reads the segment's header; see [`Header::decode`].
    pub fn header(&self) -> io::Result<Result<Option<Header>, u16>> {
        let mut bytes = [0; HEADER_BYTES as usize];
        let size = read_at(&self.file, &mut bytes, 0)?;
        Ok(Header::decode(&bytes[..size]))
    }

    /// End of the last item read.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Current length of the file, bytes.
    pub fn length(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    /// Reads the next item before `limit`, which must not exceed the written length.
    pub fn next(&mut self, limit: u64) -> io::Result<Option<Item<'_>>> {
        if self.position >= limit {
            return Ok(None);
        }
        let left = limit - self.position;
        if let Some(size) = self.record_here(left)? {
            let start = self.filled.start;
            self.advance(size);
            let bytes = &self.buffer[start..start + size];
            let (number, wall_ms) = (u64_at(bytes, 8), u64_at(bytes, 16));
            self.last_number = number;
            return Ok(Some(Item::Record(Record {
                end: self.position,
                number,
                wall_ms,
                body: &bytes[RECORD_HEADER_BYTES..],
            })));
        }
        let from = self.position;
        let found = self.search(limit)?;
        let to = found.unwrap_or(limit);
        self.position = to;
        self.filled = 0..0;
        Ok(Some(Item::Gap {
            from,
            to,
            at_end: found.is_none(),
        }))
    }

    /// Size of the valid record at the current position, if there is one.
    fn record_here(&mut self, left: u64) -> io::Result<Option<usize>> {
        if left < RECORD_HEADER_BYTES as u64 || !self.fill(RECORD_HEADER_BYTES)? {
            return Ok(None);
        }
        let head = &self.buffer[self.filled.start..];
        let body = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
        let number = u64_at(head, 8);
        let size = RECORD_HEADER_BYTES + body;
        let plausible = body <= BODY_MAX && size as u64 <= left && number > self.last_number;
        if !plausible || !self.fill(size)? {
            return Ok(None);
        }
        let start = self.filled.start;
        let record = &self.buffer[start..start + size];
        let crc = u32::from_le_bytes([record[4], record[5], record[6], record[7]]);
        Ok((checksum(record) == crc).then_some(size))
    }

    /// Makes `size` bytes from the current position available. Returns false if the file is
    /// shorter.
    fn fill(&mut self, size: usize) -> io::Result<bool> {
        if self.filled.len() >= size {
            return Ok(true);
        }
        self.buffer.copy_within(self.filled.clone(), 0);
        self.filled = 0..self.filled.len();
        self.buffer.resize(size.max(READ_BYTES), 0);
        while self.filled.end < size {
            let at = self.position + self.filled.end as u64;
            match self.file.read_at(&mut self.buffer[self.filled.end..], at) {
                Ok(0) => return Ok(false),
                Ok(read) => self.filled.end += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    fn advance(&mut self, size: usize) {
        self.position += size as u64;
        self.filled.start += size;
    }

    /// Position of the next valid record after damage, if there is one.
    fn search(&mut self, limit: u64) -> io::Result<Option<u64>> {
        let start = self.position;
        let mut window = vec![0; READ_BYTES];
        let mut at = start + 1;
        while at + RECORD_HEADER_BYTES as u64 <= limit {
            let size = read_at(&self.file, &mut window, at)?.min((limit - at) as usize);
            if size < RECORD_HEADER_BYTES {
                break;
            }
            for offset in 0..=size - RECORD_HEADER_BYTES {
                let head = &window[offset..];
                let body = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
                let number = u64_at(head, 8);
                let near = match self.last_number {
                    0 => number > 0,
                    last => number > last && number - last <= NUMBER_AHEAD,
                };
                if body > BODY_MAX || !near {
                    continue;
                }
                self.position = at + offset as u64;
                self.filled = 0..0;
                if self.record_here(limit - self.position)?.is_some() {
                    return Ok(Some(self.position));
                }
            }
            at += (size - RECORD_HEADER_BYTES + 1) as u64;
        }
        Ok(None)
    }
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}

/// Reads until the buffer is full or the file ends. Returns the number of bytes read.
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read_at(&mut buffer[filled..], at + filled as u64) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
