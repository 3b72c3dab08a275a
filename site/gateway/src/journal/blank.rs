//! Removes session keys from segments of version 1. Each segment is rewritten without keys, and
//! its old content is overwritten.
//!
//! `rename` replaces the old file atomically. The old file keeps a second name until it is
//! overwritten. A gateway killed in between loses nothing, and the next start completes the
//! work.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;

use super::entry::blank_old_keys;
use super::segment::{
    self, HEADER_BYTES, Header, Item, KEYLESS, RECORD_HEADER_BYTES, Reader, VERSION, seal_record,
};
use crate::state::private_file;

/// Removes the keys from a segment of version 1. Leaves other segments unchanged.
pub fn blank(path: &Path) -> io::Result<()> {
    let (new, old) = (path.with_extension("new"), path.with_extension("old"));
    overwrite_left(path, &old)?;
    let mut reader = Reader::open(path, 0)?;
    let Ok(Some(header)) = reader.header()? else {
        return Ok(());
    };
    if header.version >= KEYLESS {
        return Ok(());
    }
    let length = reader.length()?;
    let bytes = without_keys(&header, &mut reader, length)?;
    let file = private_file(&new, OpenOptions::new().create(true).truncate(true))?;
    file.write_all_at(&bytes, 0)?;
    file.sync_all()?;
    fs::hard_link(path, &old)?;
    fs::rename(&new, path)?;
    sync_folder(path)?;
    overwrite_left(path, &old)
}

/// The segment's bytes at unchanged positions, with keys set to zero.
fn without_keys(header: &Header, reader: &mut Reader, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Header {
        version: VERSION,
        ..*header
    }
    .encode()
    .to_vec();
    bytes.resize(length.max(HEADER_BYTES) as usize, 0);
    while let Some(item) = reader.next(length)? {
        // Invalid bytes may contain keys, so they are dropped and remain a gap.
        let Item::Record(record) = item else {
            continue;
        };
        let to = record.end as usize;
        let from = to - record.body.len() - RECORD_HEADER_BYTES;
        let place = &mut bytes[from..to];
        place[RECORD_HEADER_BYTES..].copy_from_slice(record.body);
        blank_old_keys(&mut place[RECORD_HEADER_BYTES..]);
        seal_record(place, record.number, record.wall_ms);
    }
    Ok(bytes)
}

/// Overwrites and removes the old file, if it still exists.
fn overwrite_left(path: &Path, old: &Path) -> io::Result<()> {
    let left = match fs::metadata(old) {
        Ok(left) => left,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    // If `rename` did not happen, `old` is another name of the segment itself; keep its
    // content.
    let same =
        fs::metadata(path).is_ok_and(|now| (now.dev(), now.ino()) == (left.dev(), left.ino()));
    if !same {
        let file = OpenOptions::new().write(true).open(old)?;
        let zeros = [0; 1 << 16];
        let mut at = 0;
        while at < left.len() {
            let bytes = zeros.len().min((left.len() - at) as usize);
            file.write_all_at(&zeros[..bytes], at)?;
            at += bytes as u64;
        }
        file.sync_all()?;
    }
    fs::remove_file(old)?;
    sync_folder(path)
}

fn sync_folder(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) => File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}

/// Removes the keys from all segments of a directory.
pub fn blank_all(directory: &Path, numbers: &[u64]) -> io::Result<()> {
    for number in numbers {
        blank(&segment::path(directory, *number))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::Sync;

    /// A segment of version 1: a session between two other records.
    fn sample(folder: &Path) -> std::path::PathBuf {
        let path = segment::path(folder, 1);
        let header = Header {
            number: 1,
            version: 1,
            boot: [1; 16],
            token: [0; 16],
            sync: Sync::EverySecond,
            all_closed: false,
            first_of_run: true,
        };
        let mut bytes = header.encode().to_vec();
        for (number, body) in [vec![3, 1, 0, 0, 0], old_session(), vec![5]]
            .into_iter()
            .enumerate()
        {
            let mut record = vec![0; RECORD_HEADER_BYTES];
            record.extend(body);
            seal_record(&mut record, 10 + number as u64, 1000);
            bytes.extend(record);
        }
        // An incomplete record.
        bytes.extend(KEY);
        fs::write(&path, bytes).expect("writes");
        path
    }

    const KEY: [u8; 8] = *b"key key ";

    fn old_session() -> Vec<u8> {
        let mut body = vec![1; 21];
        body.extend(KEY.iter().cycle().take(107));
        body.extend([0; 8]);
        body.extend([0, 0]); // nowhere, live
        body
    }

    fn has_key(path: &Path) -> bool {
        let bytes = fs::read(path).expect("there");
        bytes.windows(KEY.len()).any(|window| window == KEY)
    }

    fn records(path: &Path) -> Vec<(u64, u64)> {
        let mut reader = Reader::open(path, 0).expect("opens");
        let length = reader.length().expect("there");
        let mut found = Vec::new();
        while let Some(item) = reader.next(length).expect("reads") {
            if let Item::Record(record) = item {
                found.push((record.end, record.number));
            }
        }
        found
    }

    #[test]
    fn keys_go_and_everything_else_stays_where_it_was() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = sample(folder.path());
        let (before, length) = (records(&path), fs::metadata(&path).expect("there").len());
        assert_eq!(before.len(), 3);
        assert!(has_key(&path));
        // Keep the old file open, to check that its content is overwritten and not only
        // unlinked.
        let watched = File::open(&path).expect("opens");
        blank_all(folder.path(), &[1]).expect("blanks");
        assert!(!has_key(&path));
        assert_eq!(records(&path), before);
        assert_eq!(fs::metadata(&path).expect("there").len(), length);
        let mut old = vec![1; length as usize];
        watched.read_exact_at(&mut old, 0).expect("reads");
        assert!(old.iter().all(|byte| *byte == 0));
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
        let written = fs::read(&path).expect("there");
        blank_all(folder.path(), &[1]).expect("nothing to do");
        assert_eq!(fs::read(&path).expect("there"), written);
    }

    #[test]
    fn a_gateway_killed_in_between_loses_nothing_and_ends_it_at_the_next_start() {
        // Killed after writing the new file, after creating the second name, or after the
        // rename.
        for step in 0..3 {
            let folder = tempfile::tempdir().expect("a folder");
            let path = sample(folder.path());
            let before = records(&path);
            let (new, old) = (path.with_extension("new"), path.with_extension("old"));
            if step == 2 {
                fs::copy(&path, &old).expect("copies");
                blank(&path).expect("blanks");
                fs::write(&old, KEY).expect("writes");
            } else {
                fs::write(&new, b"half").expect("writes");
                if step == 1 {
                    fs::hard_link(&path, &old).expect("links");
                }
            }
            assert_eq!(records(&path), before, "step {step}");
            blank_all(folder.path(), &[1]).expect("blanks");
            assert_eq!(records(&path), before, "step {step}");
            assert!(
                !has_key(&path) && !old.exists() && !new.exists(),
                "step {step}"
            );
        }
    }
}
