//! Remedies for what a stranger's sources lack: a header of the system that they forget to include,
//! a configuration header that their own build makes, a folder of headers beside theirs. The
//! compiler's message tells what is missing.

mod around;
mod conditional;
mod supplied;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::scan::Scanned;
pub use around::Around;
pub use supplied::text_of;

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

/// What was looked for around a library.
#[derive(Debug, Default)]
pub struct Looked {
    pub headers: BTreeSet<String>,
    around: Around,
}

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

    /// The headers that leave a machine's own untouched, which is why they suit any board.
    pub fn portable(&self) -> Vec<String> {
        let suits = |header: &&String| supplied::is_portable(header);
        self.empty.iter().filter(suits).cloned().collect()
    }

    /// Adds a remedy for what a compiler says; false if none is known, or if it did not help.
    /// `looked` has the headers that were looked for.
    pub fn add(&mut self, message: &str, scanned: &Scanned, looked: &mut Looked) -> bool {
        let before = self.clone();
        if let Some(header) = missing_header(message)
            && looked.headers.insert(header.clone())
        {
            let before = self.clone();
            self.find_header(&header, scanned, &mut looked.around);
            if *self == before
                && let Some(name) = excluding_macro(message, &scanned.folder)
            {
                self.flags.push(format!("-D{name}"));
            }
        }
        if let Some(dialect) = self.newer_dialect(message) {
            self.flags.retain(|flag| !flag.starts_with("-std="));
            self.flags.push(dialect.to_owned());
        }
        for name in unknown_types(message) {
            self.define_type(&name);
        }
        // A macro of the language that the sources call without its header is taken for a function.
        if message.contains("undefined reference to `assert'")
            && !self.flags.iter().any(|flag| flag == "assert.h")
        {
            let include = ["-include".to_owned(), "assert.h".to_owned()];
            self.flags.extend(include);
        }
        if let Some(name) = other_branch(message, &scanned.folder) {
            let define = format!("-D{name}");
            if !self.flags.contains(&define) {
                self.flags.push(define);
            }
        }
        let demanded = demanded_macros(message, &scanned.folder).into_iter();
        for name in demanded.chain(left_out(message, scanned)) {
            let define = format!("-D{name}");
            if !self.flags.contains(&define) {
                self.flags.push(define);
            }
        }
        *self != before
    }

    /// The next dialect of C++, if the message complains about what only a newer one has.
    fn newer_dialect(&self, message: &str) -> Option<&'static str> {
        const NEWER: [&str; 2] = ["-std=gnu++17", "-std=gnu++20"];
        const SIGNS: [&str; 9] = [
            "is not a member of ‘std’",
            "is not a member of 'std'",
            "only available with",
            "only available from C++",
            "requires C++",
            "ISO C++ 2014",
            "ISO C++ 2017",
            "ISO C++ 2020",
            "not declared in this scope; did you mean ‘std::",
        ];
        if !SIGNS.iter().any(|sign| message.contains(sign)) {
            return None;
        }
        let has = |dialect: &&&str| self.flags.iter().any(|flag| flag == **dialect);
        match NEWER.iter().rposition(|dialect| has(&dialect)) {
            None => Some(NEWER[0]),
            Some(at) => NEWER.get(at + 1).copied(),
        }
    }

    /// Adds the folder of a header that is above or beside the library, or an empty header.
    fn find_header(&mut self, header: &str, scanned: &Scanned, around: &mut Around) {
        if header.contains("..") || header.starts_with('/') {
            return;
        }
        if let Some(place) = around.way_to(&scanned.folder, header) {
            if !self.include.contains(&place) {
                self.include.push(place);
            }
            return;
        }
        if supplied::of_system(header).is_some() && !self.empty.contains(&header.to_owned()) {
            self.empty.push(header.to_owned());
            return;
        }
        let name = header.to_lowercase();
        let is_made = [
            "conf", "settings", "hasasm", "features", "version", "export",
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
        } else if name == "FILE" {
            include("stdio.h");
        } else if name == "bool" {
            include("stdbool.h");
        } else if let Some(bits) = name
            .strip_prefix("UINT")
            .filter(|bits| ["8", "16", "32", "64"].contains(bits))
        {
            include("stdint.h");
            self.flags.push(format!("-D{name}=uint{bits}_t"));
        } else if name.starts_with("prog_") {
            // Types of older versions of avr-libc, which newer ones have behind a macro.
            let define = "-D__PROG_TYPES_COMPAT__".to_owned();
            if !self.flags.contains(&define) {
                self.flags.push(define);
            }
        } else if name == "off_t" || name == "ssize_t" {
            include("sys/types.h");
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

/// The header that a compiler does not find.
fn missing_header(message: &str) -> Option<String> {
    let line = message
        .lines()
        .find(|line| line.contains("No such file or directory"))?;
    let (_, after) = line.split_once("error: ")?;
    let (header, _) = after.split_once(": No such file")?;
    Some(header.trim().to_owned())
}

/// A line of a library's file that a message names, and the lines before it.
fn place(line: &str, folder: &Path) -> Option<Vec<String>> {
    // The name of a source may stand before the compiler's own words.
    let parts: Vec<&str> = line.split(':').collect();
    let (file, number) = parts.windows(2).find_map(|pair| {
        let number: usize = pair[1].trim().parse().ok()?;
        Some((pair[0], number))
    })?;
    let path = Path::new(file.trim());
    // Only the library's own files say what the library wants.
    let own = path.starts_with(folder) || path.starts_with(folder.parent()?);
    let path = match path.is_relative() && !own {
        // The compiler names files relative to where it was started.
        true => path.canonicalize().ok()?,
        false => path.to_owned(),
    };
    if !path.starts_with(folder.parent()?) {
        return None;
    }
    let text = std::fs::read(path).ok()?;
    let text = String::from_utf8_lossy(&text);
    let lines = text.lines().take(number).map(str::to_owned);
    Some(lines.collect())
}

/// The macro that leaves out the include of a header that is missing.
fn excluding_macro(message: &str, folder: &Path) -> Option<String> {
    let line = message
        .lines()
        .find(|line| line.contains("No such file or directory"))?;
    conditional::excluding(&place(line, folder)?)
}

/// The macro with which the sources take another branch than that of an unknown type.
fn other_branch(message: &str, folder: &Path) -> Option<String> {
    let line = message.lines().find(|line| {
        line.contains("error: unknown type name") || line.contains("does not name a type")
    })?;
    conditional::other_branch(&place(line, folder)?)
}

/// The macros whose absence, or whose value, an `#error` complains about.
fn demanded_macros(message: &str, folder: &Path) -> Vec<String> {
    let mut lines = message.lines();
    let line = lines.find(|line| line.contains("error: #error"));
    let Some(lines) = line.and_then(|line| place(line, folder)) else {
        return Vec::new();
    };
    // What the compiler knows is better than what the source asks for first.
    match conditional::sizes(&lines) {
        sizes if sizes.is_empty() => conditional::demanded(&lines).into_iter().collect(),
        sizes => sizes,
    }
}

/// The macros without which the sources leave out a function that the linker does not find.
fn left_out(message: &str, scanned: &Scanned) -> Vec<String> {
    let mut found = Vec::new();
    for line in message.lines() {
        let Some((_, name)) = line.split_once("undefined reference to ") else {
            continue;
        };
        let name = name.trim().trim_matches(['`', '\'', '‘', '’']);
        let Some(path) = scanned.definitions.get(name) else {
            continue;
        };
        let text = std::fs::read(scanned.folder.join(path)).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let defines = |line: &str| {
            let (before, after) = line.split_once(name).unwrap_or_default();
            let starts = !before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
            let is_call = before.contains(['=', '(', '#', '*', '/']) && !before.ends_with('*');
            starts
                && !is_call
                && after.trim_start().starts_with('(')
                && !line.trim_end().ends_with(';')
        };
        let at = text.lines().position(defines);
        let lines = at.map(|at| text.lines().take(at).map(str::to_owned));
        let lines: Vec<String> = lines.into_iter().flatten().collect();
        found.extend(conditional::enclosing(&lines));
    }
    found
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
        let looked = &mut Looked::default();
        let message = "error: unknown type name 'u_int32_t'";
        assert!(remedies.add(message, &scanned, looked));
        assert!(remedies.flags.contains(&"-Du_int32_t=uint32_t".to_owned()));
        assert!(!remedies.add(message, &scanned, looked));
        let old = "a.cpp:1: error: 'prog_uchar' does not name a type";
        assert!(remedies.add(old, &scanned, looked));
        assert!(
            remedies
                .flags
                .contains(&"-D__PROG_TYPES_COMPAT__".to_owned())
        );
        assert!(!remedies.add(old, &scanned, looked));
        let header = "x.c:1: fatal error: lib_config.h: No such file or directory";
        assert!(remedies.add(header, &scanned, looked));
        assert_eq!(remedies.empty, ["lib_config.h"]);
        assert!(!remedies.add("error: jni.h: No such file or directory", &scanned, looked));
    }
}
