//! The stored position up to which the sink has accepted readings.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::journal::Position;
use crate::state::private_file;

/// The file that stores the position of delivery. It holds two copies, written in turn, so that
/// one is always intact after a crash.
#[derive(Debug)]
pub struct Mark {
    pub(super) file: File,
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

    pub(super) fn set(&mut self, position: Position) -> Result<()> {
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
