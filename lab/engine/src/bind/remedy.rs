//! Remedies for what a stranger's sources lack: a header of the system that they forget to include,
//! a configuration header that their own build makes, a folder of headers beside theirs. The
//! compiler's message tells what is missing.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::scan::Scanned;

/// What the trials of a library add to it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Remedies {
    /// Compiler flags, such as `-include stdint.h`.
    pub flags: Vec<String>,
    /// Folders of headers, relative to the library's folder.
    pub include: Vec<PathBuf>,
    /// Headers that are empty, by the names under which the sources include them.
    pub empty: Vec<String>,
}

/// The folder of the empty headers, beside the glue.
pub const EMPTY: &str = "empty";

/// The text of an empty header.
pub const EMPTY_TEXT: &str =
    "/* Empty: the library's sources include this header, and its own build makes it. */\n";

/// Levels above the library's folder where a header is looked for.
const UP: usize = 2;

/// Most entries of folders that are looked at for a header.
const ENTRIES: usize = 500;

impl Remedies {
    /// The folders and empty headers of several.
    pub fn of_all<'r>(all: impl Iterator<Item = &'r Remedies>) -> Remedies {
        let mut together = Remedies::default();
        for one in all {
            let new = |include: &&PathBuf| !together.include.contains(include);
            let include: Vec<PathBuf> = one.include.iter().filter(new).cloned().collect();
            together.include.extend(include);
            let new = |header: &&String| !together.empty.contains(header);
            let empty: Vec<String> = one.empty.iter().filter(new).cloned().collect();
            together.empty.extend(empty);
        }
        together
    }

    /// Adds a remedy for what a compiler says; false if none is known, or if it did not help.
    /// `looked` has the headers that were looked for.
    pub fn add(&mut self, message: &str, scanned: &Scanned, looked: &mut BTreeSet<String>) -> bool {
        let before = self.clone();
        if let Some(header) = missing_header(message)
            && looked.insert(header.clone())
        {
            self.find_header(&header, scanned);
        }
        for name in unknown_types(message) {
            self.define_type(&name);
        }
        if let Some(name) = demanded_macro(message, &scanned.folder) {
            let define = format!("-D{name}");
            if !self.flags.contains(&define) {
                self.flags.push(define);
            }
        }
        *self != before
    }

    /// Adds the folder of a header that is above or beside the library, or an empty header.
    fn find_header(&mut self, header: &str, scanned: &Scanned) {
        if header.contains("..") || header.starts_with('/') {
            return;
        }
        let mut folder = scanned.folder.clone();
        let mut way = PathBuf::new();
        for _ in 0..UP {
            let Some(parent) = folder.parent().map(Path::to_owned) else {
                break;
            };
            folder = parent;
            way.push("..");
            let mut left = ENTRIES;
            if let Some(below) = below(&folder, header, &mut left) {
                let place = way.join(below);
                if !self.include.contains(&place) {
                    self.include.push(place);
                }
                return;
            }
            if folder.join(".git").exists() || folder.parent().is_none() {
                break;
            }
        }
        let name = header.to_lowercase();
        let is_made = [
            "config", "settings", "hasasm", "features", "version", "export",
        ];
        if is_made.iter().any(|part| name.contains(part))
            && !self.empty.contains(&header.to_owned())
        {
            self.empty.push(header.to_owned());
        }
    }

    fn define_type(&mut self, name: &str) {
        const OF_BSD: [&str; 4] = ["u_int8_t", "u_int16_t", "u_int32_t", "u_int64_t"];
        const OF_STDINT: [&str; 9] = [
            "uint8_t",
            "uint16_t",
            "uint32_t",
            "uint64_t",
            "int8_t",
            "int16_t",
            "int32_t",
            "int64_t",
            "uintptr_t",
        ];
        let mut include = |header: &str| {
            if !self.flags.iter().any(|flag| flag == header) {
                self.flags
                    .extend(["-include".to_owned(), header.to_owned()]);
            }
        };
        if OF_STDINT.contains(&name) {
            include("stdint.h");
        } else if ["size_t", "NULL", "ptrdiff_t"].contains(&name) {
            include("stddef.h");
        } else if name == "bool" {
            include("stdbool.h");
        } else if OF_BSD.contains(&name) {
            include("stdint.h");
            for of_bsd in OF_BSD {
                let define = format!("-D{of_bsd}=uint{}", &of_bsd["u_int".len()..]);
                if !self.flags.contains(&define) {
                    self.flags.push(define);
                }
            }
        }
    }
}

/// The folder below `folder` in which `header` can be included, relative to it.
fn below(folder: &Path, header: &str, left: &mut usize) -> Option<PathBuf> {
    if folder.join(header).is_file() {
        return Some(PathBuf::new());
    }
    let mut folders: Vec<PathBuf> = std::fs::read_dir(folder)
        .ok()?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.is_dir() && !path.is_symlink())
        .collect();
    folders.sort();
    for path in folders {
        *left = left.checked_sub(1)?;
        if let Some(more) = below(&path, header, left) {
            return Some(PathBuf::from(path.file_name()?).join(more));
        }
    }
    None
}

/// The header that a compiler does not find.
fn missing_header(message: &str) -> Option<String> {
    let line = message
        .lines()
        .find(|line| line.contains("No such file or directory"))?;
    let (_, after) = line.split_once("error: ")?;
    let (header, _) = after.split_once(": No such file")?;
    Some(header.trim().to_owned())
}

/// The macro whose absence an `#error` complains about: the first of the condition before it.
fn demanded_macro(message: &str, folder: &Path) -> Option<String> {
    let line = message
        .lines()
        .find(|line| line.contains("error: #error"))?;
    let mut parts = line.split(':');
    let (file, number) = (parts.next()?, parts.next()?);
    let number: usize = number.trim().parse().ok()?;
    let path = Path::new(file.trim());
    // Only the library's own files say what the library wants.
    let near = folder.parent()?;
    if !path.starts_with(near) {
        return None;
    }
    let text = std::fs::read(path).ok()?;
    let text = String::from_utf8_lossy(&text);
    let before: Vec<&str> = text.lines().take(number.saturating_sub(1)).collect();
    let condition = before
        .iter()
        .rev()
        .map(|line| line.trim().trim_start_matches('#').trim_start())
        .find(|line| line.starts_with("if"))?;
    let name = |text: &str| -> String {
        let text = text.trim_start_matches(['(', ' ']);
        let is_part = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
        text.chars().take_while(is_part).collect()
    };
    let found = match condition.strip_prefix("ifndef") {
        Some(rest) => name(rest.trim_start()),
        None => name(
            condition
                .split_once("!defined")
                .or_else(|| condition.split_once("! defined"))?
                .1,
        ),
    };
    (!found.is_empty()).then_some(found)
}

/// The names that a compiler does not know as types.
fn unknown_types(message: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in message.lines() {
        let says = [
            "unknown type name",
            "does not name a type",
            "undeclared",
            "not declared",
        ];
        if !says.iter().any(|words| line.contains(words)) {
            continue;
        }
        let mut parts = line.split(['‘', '’', '\'']);
        parts.next();
        found.extend(parts.next().map(str::to_owned));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_compilers_name_what_is_missing() {
        assert_eq!(
            missing_header("a.c:1:10: fatal error: crypto/config.h: No such file or directory"),
            Some("crypto/config.h".to_owned())
        );
        assert_eq!(missing_header("a.c:1:1: error: expected ';'"), None);
        assert_eq!(
            unknown_types("a.h:3:1: error: unknown type name ‘uint8_t’; did you mean ‘u8’?"),
            ["uint8_t"]
        );
    }

    #[test]
    fn a_remedy_is_added_once() {
        let scanned = Scanned::default();
        let mut remedies = Remedies::default();
        let looked = &mut BTreeSet::new();
        let message = "error: unknown type name 'u_int32_t'";
        assert!(remedies.add(message, &scanned, looked));
        assert!(remedies.flags.contains(&"-Du_int32_t=uint32_t".to_owned()));
        assert!(!remedies.add(message, &scanned, looked));
        let header = "x.c:1: fatal error: lib_config.h: No such file or directory";
        assert!(remedies.add(header, &scanned, looked));
        assert_eq!(remedies.empty, ["lib_config.h"]);
        assert!(!remedies.add("error: jni.h: No such file or directory", &scanned, looked));
    }
}
