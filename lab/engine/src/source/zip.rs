//! Reads a zip archive: its directory, and the content of one file. Stored and deflated files
//! only, without encryption and without the extension for large archives: sources need neither.

use std::io::Read as _;

/// A regular file of the archive.
pub(super) struct Entry {
    /// The name as written, with `/`.
    pub(super) name: String,
    /// Size of its content, as the directory states it.
    pub(super) size: u64,
    method: u16,
    crc: u32,
    packed: std::ops::Range<usize>,
}

const END: &[u8] = b"PK\x05\x06";
const IN_DIRECTORY: &[u8] = b"PK\x01\x02";
const LOCAL: &[u8] = b"PK\x03\x04";
/// Longest comment after the directory, plus the record itself.
const TAIL: usize = 65_535 + 22;

/// The regular files of an archive. Links, folders and other special files are left out.
pub(super) fn entries(data: &[u8]) -> Result<Vec<Entry>, String> {
    let from = data.len().saturating_sub(TAIL);
    let end = data[from..]
        .windows(END.len())
        .rposition(|window| window == END)
        .ok_or("not readable as zip: it has no directory")?;
    let end = from + end;
    let count = u16_at(data, end + 10)?;
    let mut at = u32_at(data, end + 16)? as usize;
    let mut entries = Vec::new();
    for _ in 0..count {
        if data.get(at..at + 4) != Some(IN_DIRECTORY) {
            return Err(damaged());
        }
        let by_unix = u16_at(data, at + 4)? >> 8 == 3;
        let flags = u16_at(data, at + 8)?;
        let lengths = [28, 30, 32].map(|place| u16_at(data, at + place));
        let [name, extra, comment] = lengths;
        let (name, extra, comment) = (name? as usize, extra? as usize, comment? as usize);
        let text = data.get(at + 46..at + 46 + name).ok_or_else(damaged)?;
        let name = String::from_utf8_lossy(text).into_owned();
        let mode = u32_at(data, at + 38)? >> 16;
        let kind = mode & 0o170_000;
        let special = by_unix && kind != 0 && kind != 0o100_000;
        if !name.ends_with('/') && !special {
            if flags & 1 != 0 {
                return Err(format!("{name} is encrypted"));
            }
            entries.push(Entry {
                method: u16_at(data, at + 10)?,
                crc: u32_at(data, at + 16)?,
                size: u64::from(u32_at(data, at + 24)?),
                packed: packed(
                    data,
                    u32_at(data, at + 42)? as usize,
                    u32_at(data, at + 20)? as usize,
                )?,
                name,
            });
        }
        at += 46 + text.len() + extra + comment;
    }
    Ok(entries)
}

/// The place of a file's packed bytes, behind its local header.
fn packed(data: &[u8], header: usize, size: usize) -> Result<std::ops::Range<usize>, String> {
    if data.get(header..header.saturating_add(4)) != Some(LOCAL) {
        return Err(damaged());
    }
    let name = u16_at(data, header + 26)? as usize;
    let extra = u16_at(data, header + 28)? as usize;
    let start = header + 30 + name + extra;
    let end = start.checked_add(size).ok_or_else(damaged)?;
    data.get(start..end).ok_or_else(damaged)?;
    Ok(start..end)
}

/// The content of a file. Its size and checksum are those of the directory.
pub(super) fn content(data: &[u8], entry: &Entry) -> Result<Vec<u8>, String> {
    let packed = &data[entry.packed.clone()];
    let mut content = Vec::new();
    let read = match entry.method {
        0 => packed.take(entry.size + 1).read_to_end(&mut content),
        8 => flate2::read::DeflateDecoder::new(packed)
            .take(entry.size + 1)
            .read_to_end(&mut content),
        other => return Err(format!("{} is packed by method {other}", entry.name)),
    };
    read.map_err(|error| format!("damaged: {}: {error}", entry.name))?;
    let mut sum = flate2::Crc::new();
    sum.update(&content);
    if content.len() as u64 != entry.size || sum.sum() != entry.crc {
        return Err(format!("damaged: {}", entry.name));
    }
    Ok(content)
}

fn damaged() -> String {
    "damaged: its directory leads outside the file".to_owned()
}

fn u16_at(data: &[u8], at: usize) -> Result<u16, String> {
    let bytes = data.get(at..at.saturating_add(2)).ok_or_else(damaged)?;
    Ok(u16::from_le_bytes([bytes[0], bytes[1]]))
}

fn u32_at(data: &[u8], at: usize) -> Result<u32, String> {
    Ok(u32::from(u16_at(data, at)?) | u32::from(u16_at(data, at.saturating_add(2))?) << 16)
}
