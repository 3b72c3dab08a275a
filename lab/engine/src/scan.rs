//! Scans the folder of an unknown library for sources, include folders, and the functions that set
//! a key up, encrypt, decrypt, hash, seal and open. [`skeleton`] writes the manifest and the glue
//! from the result.

pub mod declarations;
pub mod hints;
mod kind;
mod prose;
pub mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::data::sorted_entries;
use crate::error::{Error, Result};
use crate::licence;
use declarations::pasting::{self, Macros};
use declarations::{Function, Parameter, read, read_with};
use kind::{Kind, LARGEST, kind};

/// A library with more sources and headers says its algorithms in their names.
const MOST_OF_PROSE: usize = 12;

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

/// The contents of a folder.
#[derive(Clone, Debug, Default)]
pub struct Scanned {
    pub folder: PathBuf,
    /// Paths relative to the folder, sorted.
    pub headers: Vec<PathBuf>,
    /// Sources, also those of tests and examples.
    pub sources: Vec<PathBuf>,
    /// Every function that another file can call, those of headers first.
    pub functions: Vec<Declared>,
    /// The source that defines each function, by its name, or `Class::name`.
    pub definitions: BTreeMap<String, PathBuf>,
    /// The file that declares each class.
    pub class_files: BTreeMap<String, PathBuf>,
    /// The files that each file includes, as written.
    pub includes: BTreeMap<PathBuf, Vec<String>>,
    /// Macros that conditions test.
    pub tested: BTreeSet<String>,
    /// Names that `typedef` gives to types.
    pub typedefs: BTreeMap<String, Parameter>,
    /// The members of structures.
    pub members: BTreeMap<String, Vec<Parameter>>,
    /// The structures whose members share one place.
    pub unions: BTreeSet<String>,
    pub macros: BTreeMap<String, String>,
    /// Assignments of a key to an array that the library reads it from.
    pub keys: Vec<Declared>,
    /// Arrays of headers that a caller can write, and where they are declared.
    pub arrays: Vec<(Parameter, PathBuf)>,
    /// Constructors of classes.
    pub constructors: Vec<Declared>,
    /// Classes that only they themselves can instantiate.
    pub closed: BTreeSet<String>,
    /// The constants of enumerations.
    pub enums: BTreeMap<String, Vec<String>>,
    /// The parameters of class templates.
    pub templates: BTreeMap<String, Vec<Parameter>>,
    /// Base classes of each class.
    pub classes: BTreeMap<String, Vec<String>>,
    /// True if a file includes an Arduino header.
    pub arduino: bool,
    /// An SPDX identifier, if the licence was recognised.
    pub licence: Option<String>,
    pub version: Option<String>,
    /// Compiler flags that the files of its build give ([`hints`]).
    pub flags: Vec<String>,
    /// The words of its comments and manual, if no name speaks of an algorithm.
    pub said: BTreeSet<String>,
    /// Files and folders that were left out, and why.
    pub notes: Vec<String>,
}

/// A function and where it is declared.
#[derive(Clone, Debug)]
pub struct Declared {
    pub function: Function,
    pub file: PathBuf,
    /// True if the file is a header.
    pub in_header: bool,
    /// Only its own source can call it: the glue includes that source.
    pub by_inclusion: bool,
}

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
    let mut scanned = Scanned {
        folder: folder.clone(),
        ..Scanned::default()
    };
    let mut files = Vec::new();
    walk(&folder, 0, &mut files, &mut scanned.notes)?;
    let mut functions: Vec<(Function, PathBuf, bool)> = Vec::new();
    let mut operations: BTreeMap<String, Vec<Function>> = BTreeMap::new();
    let mut objects: Vec<(Parameter, PathBuf, bool)> = Vec::new();
    let macros = pasting_macros(&files);
    let (mut strange, mut seen) = (0, 0);
    let mut licence = licence::Found::default();
    for path in &files {
        let relative = path.strip_prefix(&folder).unwrap_or(path).to_owned();
        let Some(kind) = kind(path) else {
            seen += 1;
            describe(path, &mut scanned, &mut licence);
            continue;
        };
        let size = path.metadata().map_or(0, |data| data.len());
        if size > LARGEST {
            scanned.notes.push(format!(
                "{} was not read: {} MB is more than a source has",
                relative.display(),
                size >> 20
            ));
            continue;
        }
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) => {
                scanned
                    .notes
                    .push(format!("{} was not read: {error}", relative.display()));
                continue;
            }
        };
        if bytes.contains(&0) {
            scanned
                .notes
                .push(format!("{} was not read: it is binary", relative.display()));
            strange += 1;
            continue;
        }
        licence.note_source(&String::from_utf8_lossy(&bytes));
        let found = read_with(&bytes, &macros);
        scanned.arduino |= found
            .includes
            .iter()
            .any(|name| ["Arduino.h", "WProgram.h", "Print.h"].contains(&name.as_str()));
        match kind {
            Kind::Header => scanned.headers.push(relative.clone()),
            Kind::Source => scanned.sources.push(relative.clone()),
            Kind::Sketch => scanned.arduino = true,
        }
        for (name, text) in found.macros {
            scanned.macros.entry(name).or_insert(text);
        }
        for class in found.classes.keys() {
            let file = scanned.class_files.entry(class.clone());
            file.or_insert(relative.clone());
        }
        scanned.classes.extend(found.classes);
        scanned.tested.extend(found.tested);
        let includes = scanned.includes.entry(relative.clone()).or_default();
        includes.extend(found.includes.iter().cloned());
        for (name, alias) in found.typedefs {
            scanned.typedefs.entry(name).or_insert(alias);
        }
        for (name, members) in found.members {
            scanned.members.entry(name).or_insert(members);
        }
        scanned.unions.extend(found.unions);
        let constructors = found.constructors.into_iter().map(|function| Declared {
            function,
            file: relative.clone(),
            in_header: kind == Kind::Header,
            by_inclusion: false,
        });
        scanned.constructors.extend(constructors);
        scanned.closed.extend(found.closed);
        scanned.enums.extend(found.enums);
        scanned.templates.extend(found.templates);
        operations.extend(found.operations);
        let header = kind == Kind::Header;
        let keys = found.keys.into_iter().map(|buffer| Declared {
            function: assignment(buffer),
            file: relative.clone(),
            in_header: header,
            by_inclusion: kind == Kind::Sketch,
        });
        scanned.keys.extend(keys);
        let arrays = found.arrays.into_iter().filter(|_| header);
        scanned
            .arrays
            .extend(arrays.map(|array| (array, relative.clone())));
        objects.extend(
            found
                .objects
                .into_iter()
                .map(|object| (object, relative.clone(), header)),
        );
        let here = found.functions.into_iter();
        functions.extend(here.map(|function| (function, relative.clone(), header)));
    }
    if scanned.headers.is_empty() && scanned.sources.is_empty() && functions.is_empty() {
        let message = match (files.len(), strange) {
            (0, _) => "is empty".to_owned(),
            (_, 0) => format!("holds no C or C++: {seen} other files"),
            (_, strange) => {
                format!("holds no C or C++ that can be read: {strange} files are binary")
            }
        };
        return Err(Error::NoLibrary { folder, message });
    }
    functions.extend(tables(&objects, &operations, &scanned));
    // Headers first: a function in a header is public. Functions that only a source has follow.
    functions.sort_by_key(|(.., header)| !header);
    let mut in_headers: BTreeSet<String> = BTreeSet::new();
    for (function, file, in_header) in functions {
        let in_sketch = is_sketch(&file);
        if function.has_body && !in_header && !in_sketch {
            let name = qualified(&function);
            scanned.definitions.entry(name).or_insert(file.clone());
        }
        // A static function of a header belongs to everyone who includes it, one of a source to
        // who includes the source.
        let is_static = function.is_static && function.class.is_none();
        if function.hidden && (!is_static || !function.has_body) {
            continue;
        }
        // What a header declares is called by that declaration.
        let name = qualified(&function);
        if !in_header && in_headers.contains(&name) {
            continue;
        }
        if in_header {
            in_headers.insert(name.clone());
        }
        scanned.functions.push(Declared {
            function,
            file,
            by_inclusion: (is_static || name.contains('.') || in_sketch) && !in_header,
            in_header,
        });
    }
    aliases(&mut scanned);
    scanned.licence = licence.expression();
    scanned.said = said(&files, &scanned);
    Ok(scanned)
}

/// The operations of objects that are tables of functions: `aes.encrypt` of
/// `extern const struct cipher aes;`.
fn tables(
    objects: &[(Parameter, PathBuf, bool)],
    operations: &BTreeMap<String, Vec<Function>>,
    scanned: &Scanned,
) -> Vec<(Function, PathBuf, bool)> {
    let mut found: Vec<(Function, PathBuf, bool)> = Vec::new();
    for (object, file, in_header) in objects {
        let tag = object.base.trim_start_matches("struct ").trim();
        let alias = scanned.typedefs.get(tag).map(|alias| alias.base.as_str());
        let of = operations.get(tag).or_else(|| operations.get(alias?));
        for operation in of.into_iter().flatten() {
            let function = Function {
                name: format!("{}.{}", object.name, operation.name),
                ..operation.clone()
            };
            let is_new = found.iter().all(|(known, ..)| known.name != function.name);
            if is_new || *in_header {
                found.push((function, file.clone(), *in_header));
            }
        }
    }
    found
}

/// The call that assigns a key to an array: `memcpy(Key, key, size)`.
fn assignment(buffer: Parameter) -> Function {
    let of = |base: &str, name: &str, pointers: usize| Parameter {
        name: name.to_owned(),
        base: base.to_owned(),
        is_const: pointers > 0,
        pointers,
        array: None,
        is_odd: false,
    };
    Function {
        name: "memcpy".to_owned(),
        class: None,
        result: "void".to_owned(),
        parameters: vec![buffer, of("void", "key", 1), of("size_t", "size", 0)],
        line: 0,
        has_body: false,
        hidden: false,
        is_pure: false,
        is_static: false,
        namespace: String::new(),
    }
}

/// Adds the functions that a macro gives another name: `#define sha256_update sha224_update`.
fn aliases(scanned: &mut Scanned) {
    let known = |name: &str| {
        let is = |declared: &&Declared| {
            declared.function.class.is_none() && declared.function.name == name
        };
        scanned.functions.iter().find(is)
    };
    let is_new = |name: &&String| known(name).is_none();
    let names = scanned.macros.iter().filter(|(name, _)| is_new(name));
    let found: Vec<Declared> = names
        .filter_map(|(name, text)| {
            let mut declared = known(text.trim()).filter(|of| of.in_header)?.clone();
            declared.function.name.clone_from(name);
            Some(declared)
        })
        .collect();
    for declared in found {
        let of = &scanned.macros[&declared.function.name];
        if let Some(path) = scanned.definitions.get(of.trim()).cloned() {
            scanned
                .definitions
                .insert(declared.function.name.clone(), path);
        }
        scanned.functions.push(declared);
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

/// The names that a file of C or C++ includes, as written. Empty for other files.
pub fn included(path: &Path) -> Vec<String> {
    let small = path.metadata().is_ok_and(|data| data.len() <= LARGEST);
    if !small || kind(path).is_none() {
        return Vec::new();
    }
    std::fs::read(path).map_or_else(|_| Vec::new(), |bytes| read(&bytes).includes)
}

fn walk(
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
fn describe(path: &Path, scanned: &mut Scanned, licence: &mut licence::Found) {
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

/// The name of a function, with its class.
fn qualified(function: &Function) -> String {
    match &function.class {
        Some(class) => format!("{class}::{}", function.name),
        None => function.name.clone(),
    }
}

impl Scanned {
    /// The source that defines a function, if the folder has it.
    pub fn definition(&self, function: &Function) -> Option<&PathBuf> {
        self.definitions.get(&qualified(function))
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
