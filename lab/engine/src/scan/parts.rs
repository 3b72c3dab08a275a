//! Sources that are parts of other sources: a template of which each including source makes functions
//! of its own, by macros that it defines before.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::declarations::pasting::Macros;
use super::declarations::{Declarations, Function, read_with};
use super::kind::{Kind, LARGEST, kind};

/// Deepest inclusion that is followed.
const DEPTH: usize = 4;

/// Most bytes of a source with its parts.
const LONGEST: usize = 1 << 21;

/// The sources of a folder, by the name of their files.
#[derive(Debug, Default)]
pub(super) struct Parts {
    sources: BTreeMap<String, PathBuf>,
}

impl Parts {
    pub(super) fn of(files: &[PathBuf]) -> Parts {
        let sources = files.iter().filter(|path| kind(path) == Some(Kind::Source));
        let named = sources.filter_map(|path| {
            let name = path.file_name()?.to_string_lossy().into_owned();
            Some((name, path.clone()))
        });
        Parts {
            sources: named.collect(),
        }
    }

    /// What a source declares together with its parts, with the names that its macros give to the
    /// functions; `None` if it has no parts.
    pub(super) fn read(&self, path: &Path, bytes: &[u8], macros: &Macros) -> Option<Declarations> {
        let text = String::from_utf8_lossy(bytes);
        let whole = self.whole(path, &text, DEPTH)?;
        let mut found = read_with(whole.as_bytes(), macros);
        let functions = std::mem::take(&mut found.functions);
        found.functions = renamed(functions, &found.macros);
        Some(found)
    }

    /// The text of a source with that of its parts; `None` if it has none.
    fn whole(&self, path: &Path, text: &str, depth: usize) -> Option<String> {
        let mut whole = String::new();
        let mut has_part = false;
        for line in text.lines() {
            let part = self.part(path, line).filter(|_| depth > 0);
            let part = part.and_then(|part| Some((part, std::fs::read(part).ok()?)));
            match part.filter(|(_, bytes)| bytes.len() as u64 <= LARGEST) {
                Some((part, bytes)) => {
                    has_part = true;
                    let inside = String::from_utf8_lossy(&bytes);
                    match self.whole(part, &inside, depth - 1) {
                        Some(inside) => whole.push_str(&inside),
                        None => whole.push_str(&inside),
                    }
                }
                None => whole.push_str(line),
            }
            whole.push('\n');
            if whole.len() > LONGEST {
                return None;
            }
        }
        has_part.then_some(whole)
    }

    /// The source that a line includes.
    fn part(&self, path: &Path, line: &str) -> Option<&Path> {
        let rest = line.trim_start().strip_prefix('#')?.trim_start();
        let rest = rest.strip_prefix("include")?.trim_start();
        let name = rest.strip_prefix('"')?.split('"').next()?;
        let name = name.rsplit('/').next()?;
        let part = self.sources.get(name)?;
        (part != path).then_some(part)
    }
}

/// Functions with the names that macros give them.
fn renamed(functions: Vec<Function>, macros: &BTreeMap<String, String>) -> Vec<Function> {
    let is_name = |text: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let new_name = |function: Function| match macros.get(&function.name) {
        Some(name) if is_name(name.trim()) => Function {
            name: name.trim().to_owned(),
            ..function
        },
        _ => function,
    };
    functions.into_iter().map(new_name).collect()
}

#[cfg(test)]
mod tests {
    use crate::scan::scan;

    #[test]
    fn a_template_makes_functions_of_each_source_that_includes_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            std::fs::write(folder.path().join(name), text).expect("a file");
        };
        write(
            "hash.c",
            "#define P(a, b) a##b\n#define P2(a, b) P(a, b)\n#define N(x) P2(MODULE, x)\n\
             typedef struct { int n; } state;\n\
             int N(_init)(state **s) { return 0; }\nint h_end(state *s) { return 0; }\n",
        );
        let source = |of: &str| {
            format!("#define MODULE {of}\n#define h_end {of}_end\n#include \"hash.c\"\n")
        };
        write("sha256.c", &source("sha256"));
        write("sha512.c", &source("sha512"));
        let scanned = scan(folder.path()).expect("a library");
        let has = |name: &str, file: &str| {
            let is = |declared: &&super::super::Declared| {
                declared.function.name == name && declared.file.ends_with(file)
            };
            scanned.functions.iter().find(is).is_some()
        };
        for name in ["_init", "_end"] {
            assert!(has(&format!("sha256{name}"), "sha256.c"), "{name}");
            assert!(has(&format!("sha512{name}"), "sha512.c"), "{name}");
        }
    }
}
