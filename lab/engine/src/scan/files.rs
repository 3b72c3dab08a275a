//! The files of a library's folder, and what describes it.

use std::path::{Path, PathBuf};

use super::kind::LARGEST;
use super::scanned::Scanned;
use crate::data::sorted_entries;
use crate::error::Result;
use crate::licence;

/// Most files that a scan looks at; a library for a microcontroller has tens.
const MOST_FILES: usize = 4000;

/// Deepest folder level that a scan enters. Links to folders are not followed, since they may form
/// a loop.
const DEEPEST: usize = 12;

/// Folders without code of the library itself.
const ASIDE: [&str; 14] = [
    "test",
    "tests",
    "example",
    "examples",
    "doc",
    "docs",
    "build",
    "target",
    "node_modules",
    "bench",
    "benchmark",
    "benchmarks",
    "fuzz",
    "extras",
];

/// The files of a folder and of those below it, sorted; what is left aside is noted.
pub(super) fn walk(
    folder: &Path,
    depth: usize,
    files: &mut Vec<PathBuf>,
    notes: &mut Vec<String>,
) -> Result<()> {
    for path in sorted_entries(folder)? {
        if files.len() >= MOST_FILES {
            notes.push(format!("only the first {MOST_FILES} files were looked at"));
            return Ok(());
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let Ok(data) = path.symlink_metadata() else {
            continue;
        };
        let is_link = data.file_type().is_symlink();
        if path.is_dir() {
            let aside = name.starts_with('.') || ASIDE.contains(&name.to_lowercase().as_str());
            let aside = aside && !(name == "build" && has_assembly(&path));
            if is_link {
                notes.push(format!("{name} is a link to a folder: not followed"));
            } else if aside || depth >= DEEPEST {
                notes.push(format!("the folder {name} was left aside"));
            } else {
                walk(&path, depth + 1, files, notes)?;
            }
        } else if path.is_file() {
            // The glue of an earlier scan is not part of the library.
            if !name.starts_with("glue") {
                files.push(path);
            }
        }
    }
    Ok(())
}

/// True if a folder has assembly of the library: a build makes none with that ending.
fn has_assembly(folder: &Path) -> bool {
    let entries = sorted_entries(folder).unwrap_or_default();
    entries
        .iter()
        .any(|path| path.extension().is_some_and(|end| end == "S"))
}

/// Reads the version and the licence from the files that name them.
pub(super) fn describe(path: &Path, scanned: &mut Scanned, licence: &mut licence::Found) {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .to_lowercase();
    let read = || {
        let small = path.metadata().is_ok_and(|data| data.len() < LARGEST);
        let bytes = if small {
            std::fs::read(path).unwrap_or_default()
        } else {
            Vec::new()
        };
        String::from_utf8_lossy(&bytes).into_owned()
    };
    if ["license", "licence", "copying", "unlicense"]
        .iter()
        .any(|word| name.starts_with(word))
    {
        licence.note_text(&read());
    } else if ["library.properties", "library.json", "package.json"].contains(&name.as_str()) {
        let text = read();
        let line = text.lines().find(|line| {
            line.trim_start()
                .trim_start_matches('"')
                .starts_with("version")
        });
        let value = line.and_then(|line| line.split(['=', ':']).nth(1));
        let value = value.map(|text| text.trim().trim_matches(['"', ',', ' ']).to_owned());
        if let Some(version) = value.filter(|version| !version.is_empty()) {
            scanned.version.get_or_insert(version);
        }
    }
}
