//! Unpacks an archive into an empty folder. Extracts only regular files, and nothing outside the
//! folder, whatever the archive contains.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Component, Path, PathBuf};

use super::zip;

/// The supported kinds of archive, by file name suffix.
pub const SUFFIXES: [&str; 5] = [".tar.gz", ".tgz", ".crate", ".tar.xz", ".zip"];

/// Limits in bytes and files: larger than any library here, and too small to fill a disk.
pub(super) const LARGEST: u64 = 512 << 20;
pub(super) const MOST_FILES: usize = 50_000;

/// True if the archive's kind is supported.
pub fn known(archive: &str) -> bool {
    SUFFIXES.iter().any(|suffix| archive.ends_with(suffix))
}

/// Unpacks the archive, without a single top folder. Returns the reason as text if it fails.
pub(super) fn unpack_lifted(archive: &Path, into: &Path) -> Result<(), String> {
    unpack(archive, into)?;
    lift(into).map_err(|error| error.to_string())
}

/// Unpacks the archive. Returns the reason as text if it fails.
pub(super) fn unpack(archive: &Path, into: &Path) -> Result<(), String> {
    let file = File::open(archive).map_err(|error| error.to_string())?;
    if archive.extension().is_some_and(|end| end == "zip") {
        return zipped(archive, into);
    }
    let mut file = BufReader::new(file);
    if archive.extension().is_some_and(|end| end == "xz") {
        let mut data = Bounded::default();
        lzma_rs::xz_decompress(&mut file, &mut data)
            .map_err(|error| format!("not readable as xz: {error:?}"))?;
        files(data.data.as_slice(), into)
    } else {
        files(flate2::bufread::MultiGzDecoder::new(file), into)
    }
}

/// A buffer of at most [`LARGEST`] bytes.
#[derive(Default)]
struct Bounded {
    data: Vec<u8>,
}

impl std::io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if (self.data.len() + bytes.len()) as u64 > LARGEST {
            return Err(std::io::Error::other(too_large()));
        }
        self.data.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn too_large() -> String {
    format!("the unpacked files exceed {LARGEST} bytes")
}

/// A folder that is filled from an archive, within the limits.
struct Filled<'a> {
    folder: &'a Path,
    bytes: u64,
    count: usize,
}

impl Filled<'_> {
    /// Writes one file. A file inside a folder `.git` is left out: it could configure programs
    /// that git runs.
    fn put(&mut self, path: &Path, size: u64, content: &mut dyn Read) -> Result<(), String> {
        let place = inside(path)?;
        let of_git = |part: Component<'_>| part.as_os_str().eq_ignore_ascii_case(".git");
        if place.components().any(of_git) {
            return Ok(());
        }
        self.count += 1;
        self.bytes = self.bytes.saturating_add(size);
        if self.bytes > LARGEST {
            return Err(too_large());
        }
        if self.count > MOST_FILES {
            return Err(format!("the archive has more than {MOST_FILES} files"));
        }
        let failed = |error: std::io::Error| format!("{}: {error}", path.display());
        let place = self.folder.join(place);
        if let Some(folder) = place.parent() {
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        let mut file = File::create_new(&place).map_err(failed)?;
        std::io::copy(content, &mut file).map_err(failed)?;
        Ok(())
    }

    fn end(&self) -> Result<(), String> {
        match self.count {
            0 => Err("the archive contains no file".to_owned()),
            _ => Ok(()),
        }
    }
}

fn files(tar: impl Read, into: &Path) -> Result<(), String> {
    // Read one byte beyond the limit, so that an excess is noticed.
    let mut archive = tar::Archive::new(tar.take(LARGEST + 1));
    let damaged = |error: std::io::Error| format!("damaged: {error}");
    let mut filled = Filled {
        folder: into,
        bytes: 0,
        count: 0,
    };
    for entry in archive.entries().map_err(damaged)? {
        let mut entry = entry.map_err(damaged)?;
        // Sources need no links, and a link can point outside the folder.
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let path = entry.path().map_err(damaged)?.into_owned();
        let size = entry.size();
        filled.put(&path, size, &mut entry)?;
    }
    // Read to the end, so that a truncated checksum is noticed.
    std::io::copy(&mut archive.into_inner(), &mut std::io::sink()).map_err(damaged)?;
    filled.end()
}

fn zipped(archive: &Path, into: &Path) -> Result<(), String> {
    let size = archive.metadata().map_err(|error| error.to_string())?.len();
    if size > LARGEST {
        return Err(format!("the archive exceeds {LARGEST} bytes"));
    }
    let data = std::fs::read(archive).map_err(|error| error.to_string())?;
    let mut filled = Filled {
        folder: into,
        bytes: 0,
        count: 0,
    };
    for entry in zip::entries(&data)? {
        // The sum is checked before the file is unpacked.
        if filled.bytes.saturating_add(entry.size) > LARGEST {
            return Err(too_large());
        }
        let content = zip::content(&data, &entry)?;
        // Some programs write names of Windows.
        let name = entry.name.replace('\\', "/");
        filled.put(Path::new(&name), entry.size, &mut content.as_slice())?;
    }
    filled.end()
}

/// The normalised path. Fails if it is outside the folder.
fn inside(path: &Path) -> Result<PathBuf, String> {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => out.push(name),
            Component::CurDir => {}
            _ => {
                return Err(format!(
                    "the path \"{}\" leads outside the folder",
                    path.display()
                ));
            }
        }
    }
    if out.as_os_str().is_empty() {
        return Err("the archive contains a file without a name".to_owned());
    }
    Ok(out)
}

/// Replaces a single top folder by its entries. Most archives have one, named after the release or
/// a commit.
fn lift(into: &Path) -> std::io::Result<()> {
    let mut entries = std::fs::read_dir(into)?;
    let (Some(first), None) = (entries.next(), entries.next()) else {
        return Ok(());
    };
    let top = first?.path();
    if !top.is_dir() {
        return Ok(());
    }
    // No entry of the folder has this name.
    let aside = into.join(".lifted");
    std::fs::rename(&top, &aside)?;
    for entry in std::fs::read_dir(&aside)? {
        let entry = entry?;
        std::fs::rename(entry.path(), into.join(entry.file_name()))?;
    }
    std::fs::remove_dir(&aside)
}
