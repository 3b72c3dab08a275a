//! Scans the folder of an unknown library for sources, include folders, and the functions that set
//! a key up, encrypt, decrypt, hash, seal and open. [`skeleton`] writes the manifest and the glue
//! from the result.

pub mod declarations;
mod files;
mod held;
pub mod hints;
mod kind;
mod made;
mod parts;
mod private;
mod prose;
mod scanned;
mod unnamed;
pub mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::licence;
use declarations::pasting::{self, Macros};
use declarations::{Function, Parameter, read_with};
use files::{describe, walk};
use kind::{Kind, LARGEST, kind};
use made::{aliases, assignment, tables};
use parts::Parts;
pub use scanned::{Declared, Held, Role, Scanned};

/// A library with more sources and headers says its algorithms in their names.
const MOST_OF_PROSE: usize = 12;

/// Headers that only a core of Arduino has.
const CORE: [&str; 9] = [
    "Arduino.h",
    "WProgram.h",
    "Print.h",
    "Printable.h",
    "WString.h",
    "WCharacter.h",
    "HardwareSerial.h",
    "SoftwareSerial.h",
    "EEPROM.h",
];

/// Scans `folder`. Fails if it is not a folder, or if it has no readable C or C++.
pub fn scan(folder: &Path) -> Result<Scanned> {
    if !folder.is_dir() {
        return Err(Error::NoLibrary {
            folder: folder.to_owned(),
            message: if folder.exists() {
                "is a file, not a folder".to_owned()
            } else {
                "does not exist".to_owned()
            },
        });
    }
    let folder = folder.canonicalize().map_err(|source| Error::Read {
        path: folder.to_owned(),
        source,
    })?;
    let mut reading = Reading::default();
    reading.scanned.folder.clone_from(&folder);
    let mut files = Vec::new();
    walk(&folder, 0, &mut files, &mut reading.scanned.notes)?;
    let macros = pasting_macros(&files);
    let parts = Parts::of(&files);
    for path in &files {
        reading.file(path, &macros, &parts);
    }
    if reading.is_empty() {
        let message = match (files.len(), reading.strange) {
            (0, _) => "is empty".to_owned(),
            (_, 0) => format!("holds no C or C++: {} other files", reading.others),
            (_, strange) => {
                format!("holds no C or C++ that can be read: {strange} files are binary")
            }
        };
        return Err(Error::NoLibrary { folder, message });
    }
    let mut scanned = reading.declared();
    aliases(&mut scanned);
    made::drop_attributes(&mut scanned);
    scanned.said = said(&files, &scanned);
    Ok(scanned)
}

/// A function, its file, and whether that is a header.
type Found = (Function, PathBuf, bool);

/// What has been read of a folder.
#[derive(Default)]
struct Reading {
    scanned: Scanned,
    functions: Vec<Found>,
    operations: BTreeMap<String, Vec<Function>>,
    objects: Vec<(Parameter, PathBuf, bool)>,
    globals: Vec<(Parameter, PathBuf, bool)>,
    types: private::Types,
    licence: licence::Found,
    /// Files that are binary, and files that are neither C nor C++.
    strange: usize,
    others: usize,
}

impl Reading {
    /// True if nothing can be called.
    fn is_empty(&self) -> bool {
        let scanned = &self.scanned;
        scanned.headers.is_empty() && scanned.sources.is_empty() && self.functions.is_empty()
    }

    fn file(&mut self, path: &Path, macros: &Macros, parts: &Parts) {
        let relative = path.strip_prefix(&self.scanned.folder).unwrap_or(path);
        let relative = relative.to_owned();
        let Some(kind) = kind(path) else {
            self.others += 1;
            describe(path, &mut self.scanned, &mut self.licence);
            return;
        };
        let bytes = match text_of(path) {
            Ok(bytes) => bytes,
            Err(why) => {
                let note = format!("{} was not read: {why}", relative.display());
                self.strange += usize::from(why == BINARY);
                self.scanned.notes.push(note);
                return;
            }
        };
        self.licence.note_source(&String::from_utf8_lossy(&bytes));
        let found = read_with(&bytes, macros);
        let header = kind == Kind::Header;
        if kind == Kind::Source
            && let Some(whole) = parts.read(path, &bytes, macros)
        {
            self.types.note(&whole, &relative, false);
            let known = |name: &str| found.functions.iter().any(|of| of.name == name);
            let made = whole.functions.into_iter();
            let made = made.filter(|function| !known(&function.name));
            let made = made.map(|function| (function, relative.clone(), false));
            self.functions.extend(made.collect::<Vec<_>>());
        }
        let gives = |function: &&Function| function.allocates && function.result.contains('*');
        let allocate = found.functions.iter().filter(gives);
        self.scanned
            .allocate
            .extend(allocate.map(Function::qualified));
        self.types.note(&found, &relative, header);
        match kind {
            Kind::Header => self.scanned.headers.push(relative.clone()),
            Kind::Source => self.scanned.sources.push(relative.clone()),
            Kind::Sketch => self.scanned.arduino = true,
        }
        self.add(found, relative, kind);
    }

    /// Adds what a file declares.
    fn add(&mut self, found: declarations::Declarations, relative: PathBuf, kind: Kind) {
        let scanned = &mut self.scanned;
        let header = kind == Kind::Header;
        scanned.arduino |= found
            .includes
            .iter()
            .any(|name| CORE.contains(&name.as_str()));
        add_new(&mut scanned.macros, found.macros);
        add_new(&mut scanned.typedefs, found.typedefs);
        add_new(&mut scanned.members, found.members);
        let classes = found.classes.keys().cloned();
        add_new(
            &mut scanned.class_files,
            classes.map(|class| (class, relative.clone())),
        );
        scanned.classes.extend(found.classes);
        scanned.tested.extend(found.tested);
        let includes = scanned.includes.entry(relative.clone()).or_default();
        includes.extend(found.includes);
        scanned.unions.extend(found.unions);
        let constructors = found.constructors.into_iter().map(|function| Declared {
            function,
            file: relative.clone(),
            in_header: header,
            by_inclusion: false,
        });
        scanned.constructors.extend(constructors);
        scanned.closed.extend(found.closed);
        scanned.enums.extend(found.enums);
        scanned.templates.extend(found.templates);
        self.operations.extend(found.operations);
        let keys = found.keys.into_iter().map(|buffer| Declared {
            function: assignment(buffer),
            file: relative.clone(),
            in_header: header,
            by_inclusion: kind == Kind::Sketch,
        });
        scanned.keys.extend(keys);
        let arrays = found.arrays.into_iter().filter(|_| header);
        let arrays = arrays.map(|array| (array, relative.clone()));
        scanned.arrays.extend(arrays);
        scanned.private_members.extend(found.private_members);
        let globals = found.globals.into_iter();
        self.globals
            .extend(globals.map(|one| (one, relative.clone(), header)));
        let objects = found.objects.into_iter();
        self.objects
            .extend(objects.map(|object| (object, relative.clone(), header)));
        let here = found.functions.into_iter();
        self.functions
            .extend(here.map(|function| (function, relative.clone(), header)));
    }

    /// The scan, with each function that another file can call.
    fn declared(self) -> Scanned {
        let Reading {
            mut scanned,
            mut functions,
            operations,
            objects,
            mut globals,
            types,
            licence,
            ..
        } = self;
        functions.extend(tables(&objects, &operations, &scanned));
        unnamed::name_parameters(&mut functions);
        // Headers first: a function in a header is public. Functions that only a source has follow.
        functions.sort_by_key(|(.., header)| !header);
        let mut in_headers: BTreeSet<String> = BTreeSet::new();
        for (function, file, in_header) in functions {
            let in_sketch = is_sketch(&file);
            if function.has_body && !in_header && !in_sketch {
                let name = function.qualified();
                scanned.definitions.entry(name).or_insert(file.clone());
            }
            // A static function of a header belongs to everyone who includes it, one of a source to
            // who includes the source.
            let is_static = function.is_static && function.class.is_none();
            if function.hidden && (!is_static || !function.has_body) {
                continue;
            }
            // What a header declares is called by that declaration.
            let name = function.qualified();
            if !in_header && in_headers.contains(&name) {
                continue;
            }
            if in_header {
                in_headers.insert(name.clone());
            }
            let only_there = is_static || name.contains('.') || in_sketch;
            let only_there = only_there || types.are_private(&function, &file);
            scanned.functions.push(Declared {
                function,
                file,
                by_inclusion: only_there && !in_header,
                in_header,
            });
        }
        // What a header declares needs no declaration of ours.
        globals.sort_by_key(|(.., header)| !header);
        held::note(&globals, &mut scanned);
        scanned.objects = objects;
        scanned.several = types.several();
        scanned.licence = licence.expression();
        scanned
    }
}

/// Adds what a map does not have yet.
fn add_new<V>(all: &mut BTreeMap<String, V>, more: impl IntoIterator<Item = (String, V)>) {
    for (name, value) in more {
        all.entry(name).or_insert(value);
    }
}

/// Why a file with a byte of zero is not read.
const BINARY: &str = "it is binary";

/// The bytes of a source or header, or why it was not read.
fn text_of(path: &Path) -> std::result::Result<Vec<u8>, String> {
    let size = path.metadata().map_or(0, |data| data.len());
    if size > LARGEST {
        return Err(format!("{} MB is more than a source has", size >> 20));
    }
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    match bytes.contains(&0) {
        true => Err(BINARY.to_owned()),
        false => Ok(bytes),
    }
}

/// The words of the files of a small folder whose names speak of no algorithm: those of its
/// functions, classes and files, and its own.
fn said(files: &[PathBuf], scanned: &Scanned) -> BTreeSet<String> {
    let sources = || scanned.sources.iter().chain(&scanned.headers);
    let functions = scanned.functions.iter();
    let functions = functions.map(|declared| declared.function.name.clone());
    let stems = sources().filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned()));
    let folder = scanned.folder.file_name().unwrap_or_default();
    let mut names = functions
        .chain(scanned.classes.keys().cloned())
        .chain(stems)
        .chain([folder.to_string_lossy().into_owned()]);
    match sources().count() > MOST_OF_PROSE || names.any(|name| prose::speaks(&name)) {
        true => BTreeSet::new(),
        false => prose::said(files),
    }
}

/// The macros of all files that make names of parts.
fn pasting_macros(files: &[PathBuf]) -> Macros {
    let mut macros = Macros::new();
    for path in files.iter().filter(|path| kind(path).is_some()) {
        let small = path.metadata().is_ok_and(|data| data.len() <= LARGEST);
        let bytes = match small {
            true => std::fs::read(path).unwrap_or_default(),
            false => continue,
        };
        macros.extend(pasting::macros(&bytes));
    }
    pasting::keep_pasting(&mut macros);
    macros
}

/// True if a file is a program for Arduino.
pub fn is_sketch(path: &Path) -> bool {
    kind(path) == Some(Kind::Sketch)
}

pub use crate::data::is_cpp;
pub use prose::speaks;

/// The names that a file of C or C++ includes, as written. Empty for other files.
pub fn included(path: &Path) -> Vec<String> {
    let small = path.metadata().is_ok_and(|data| data.len() <= LARGEST);
    if !small || kind(path).is_none() {
        return Vec::new();
    }
    let bytes = std::fs::read(path).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    text.lines()
        .filter_map(included_by)
        .map(str::to_owned)
        .collect()
}

/// The name that a line includes.
fn included_by(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("include")?.trim_start();
    let end = match rest.chars().next()? {
        '<' => '>',
        '"' => '"',
        _ => return None,
    };
    let (name, _) = rest[1..].split_once(end)?;
    Some(name.trim()).filter(|name| !name.is_empty())
}

impl Scanned {
    /// True if a function returns memory that it allocates.
    pub fn allocates(&self, function: &Function) -> bool {
        self.allocate.contains(&function.qualified())
    }

    /// True if a class or structure has methods.
    fn with_methods(&self, class: &str) -> bool {
        let of = |declared: &Declared| declared.function.class.as_deref() == Some(class);
        self.functions.iter().any(of)
    }

    /// The source that defines a function, if the folder has it.
    pub fn definition(&self, function: &Function) -> Option<&PathBuf> {
        self.definitions.get(&function.qualified())
    }

    /// The number behind a macro or a text; macros of macros are followed a few levels.
    pub fn number(&self, text: &str) -> Option<u32> {
        let mut text = text.trim().trim_matches(['(', ')']);
        for _ in 0..8 {
            if let Ok(number) = text.parse() {
                return Some(number);
            }
            text = self.macros.get(text)?.trim().trim_matches(['(', ')']);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_included_names_of_a_file_are_read_line_by_line() {
        assert_eq!(
            included_by("  #  include <sys/types.h> /* x */"),
            Some("sys/types.h")
        );
        assert_eq!(included_by("#include \"a.h\""), Some("a.h"));
        for other in [
            "#include NAME",
            "#define include <a.h>",
            "// #include <a.h>",
            "#include <a.h",
            "#",
        ] {
            assert_eq!(included_by(other), None, "{other}");
        }
    }

    #[test]
    fn a_header_of_the_core_asks_for_it() {
        let asks = |name: &str| {
            let folder = tempfile::tempdir().expect("a folder");
            let text = format!("#include <{name}>\nvoid aes_encrypt(unsigned char *block);\n");
            std::fs::write(folder.path().join("aes.h"), text).expect("a file");
            scan(folder.path()).expect("a library").arduino
        };
        for name in ["Arduino.h", "WString.h", "Printable.h", "EEPROM.h"] {
            assert!(asks(name), "{name}");
        }
        // Others have such a header too.
        assert!(!asks("Stream.h") && !asks("string.h"));
    }
}
