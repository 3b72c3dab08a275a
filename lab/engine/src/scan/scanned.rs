//! What is known of a library's folder.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::declarations::{Function, Parameter};

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
    /// Functions that return memory that they allocate: `name` or `Class::name`.
    pub allocate: BTreeSet<String>,
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
    /// Places that a caller writes to or reads from, and numbers beside them.
    pub held: Vec<Held>,
    pub sizes: Vec<Size>,
    /// Members of classes that only their methods can use.
    pub private_members: BTreeMap<String, BTreeSet<String>>,
    /// Constant objects that other files can use, where they are declared, and whether that is a header.
    pub objects: Vec<(Parameter, PathBuf, bool)>,
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
    /// Names of structures that several sources define, each its own.
    pub several: BTreeSet<String>,
    /// True if a file includes an Arduino header.
    pub arduino: bool,
    /// An SPDX identifier, if the licence was recognised.
    pub licence: Option<String>,
    pub version: Option<String>,
    /// Compiler flags that the files of its build give ([`hints`]).
    pub flags: Vec<String>,
    /// Folders whose headers its build looks for first ([`hints`]).
    pub include: Vec<PathBuf>,
    /// The words of its comments and manual, if no name speaks of an algorithm.
    pub said: BTreeSet<String>,
    /// Files and folders that were left out, and why.
    pub notes: Vec<String>,
}

/// The use of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Key,
    In,
    Out,
    /// A block that the library changes.
    Both,
}

/// A place of the library for a key or a block.
#[derive(Clone, Debug)]
pub struct Held {
    /// As an expression of C: `Key`, `state.in`, `object.block`.
    pub place: String,
    /// The class or structure of which it is a member.
    pub owner: Option<String>,
    pub role: Role,
    pub bytes: u32,
    /// The call that copies bytes to it, and the one that copies bytes from it.
    pub put: Declared,
    pub get: Declared,
}

/// A number that says the size of a key.
#[derive(Clone, Debug)]
pub struct Size {
    pub place: String,
    pub owner: Option<String>,
    pub parameter: Parameter,
    pub in_header: bool,
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
