//! Makes images. Every object and every image is kept under a name that is a
//! hash of all that went into it, so nothing is compiled twice and nothing
//! stale is ever used.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::board::{Board, Sketch};
use crate::cargo;
use crate::data::{matching, read_toml, sorted_entries};
use crate::elf::{self, Weight};
use crate::error::{Error, Result};
use crate::interface::Footprint;
use crate::library::{Library, Unit, macro_name};
use crate::project::{Port, Project};
use crate::schedule;
use crate::sketch::{self, Source};

/// A linked program.
#[derive(Clone, Debug)]
pub struct Image {
    pub path: PathBuf,
    /// SHA-256 of the file, in hex.
    pub sha256: String,
    pub weight: Weight,
}

/// What a whole firmware is made of (`studies/firmware/node/node.toml`). Paths are relative to the
/// project's root.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// The role that is meant if none is named.
    #[serde(default)]
    pub role: Option<String>,
    #[serde(default)]
    pub include: Vec<String>,
    #[serde(default)]
    pub flags: Vec<String>,
    #[serde(default)]
    pub link_flags: Vec<String>,
    #[serde(rename = "group")]
    pub groups: Vec<Group>,
}

/// Sources that are compiled alike.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// The role that it belongs to; without one it belongs to each.
    #[serde(default)]
    pub role: Option<String>,
    /// The variants that it belongs to, which are a node's suites; without any, each.
    #[serde(default)]
    pub suites: Vec<String>,
    #[serde(default)]
    pub flags: Vec<String>,
    /// A file name may have a `*`.
    pub files: Vec<String>,
}

/// What a sweep puts in the place of compiler and flags of board and library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SweepPoint {
    /// The name on rows: the compiler, if it is another one, and the flags.
    pub name: String,
    /// They come last; one that begins with `-O` removes every other such flag.
    pub flags: Vec<String>,
}

/// What C++ needs of a runtime, where none is linked.
const CXX_RUNTIME: &str = "lab/firmware/cxx/runtime.cpp";

/// What a library for Arduino expects: headers, and the functions behind them.
const ARDUINO: &str = "lab/firmware/arduino";
const ARDUINO_SOURCE: &str = "lab/firmware/arduino/arduino.cpp";

/// A source larger than this is none: a compiler would work on it for hours.
const LARGEST_SOURCE: u64 = 16 << 20;

/// The program of which a whole firmware is the growth.
const EMPTY: &str = "lab/firmware/footprint/empty.c";

/// What stands in the place of a library's glue, in the program that a footprint grows from.
const NOTHING: &str = "lab/firmware/footprint/nothing.c";

/// What an image has beside the sources of the port.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    /// The library with its glue.
    Library,
    /// The same by the flags of a whole program.
    Whole,
    /// The same as `Library`, with the sources that count the heap.
    Heap,
    /// Neither library nor glue.
    Nothing,
}

/// Compiles for one board.
#[derive(Debug)]
pub struct Builder<'a> {
    project: &'a Project,
    board: &'a Board,
    port: Port,
    /// First line of the compiler's `--version`.
    compiler: String,
    sweep: Option<SweepPoint>,
    cache: PathBuf,
    /// Digest of the headers below a folder, computed once a run.
    headers: Mutex<BTreeMap<PathBuf, [u8; 32]>>,
    /// Static libraries of crates by library, built once a run and one at a time.
    crates: Mutex<BTreeMap<String, PathBuf>>,
}

impl<'a> Builder<'a> {
    /// Asks the board's compiler what it is.
    pub fn new(project: &'a Project, board: &'a Board) -> Result<Builder<'a>> {
        let (text, first) = match &board.toolchain.sketch {
            Some(sketch) if !sketch.version.is_empty() => (said(board, &sketch.version)?, false),
            _ => (
                said(board, &[board.toolchain.cc.clone(), "--version".into()])?,
                true,
            ),
        };
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let compiler = match first {
            true => lines.next().unwrap_or_default().to_owned(),
            false => lines.collect::<Vec<_>>().join("; "),
        };
        Ok(Builder {
            project,
            board,
            port: project.port(board)?,
            compiler,
            sweep: None,
            cache: project.root.join("target/images").join(&board.name),
            headers: Mutex::new(BTreeMap::new()),
            crates: Mutex::new(BTreeMap::new()),
        })
    }

    /// First line of the compiler's `--version`.
    pub fn compiler(&self) -> &str {
        &self.compiler
    }

    /// The same compiler with the flags of a sweep.
    #[must_use]
    pub fn swept(mut self, sweep: Option<SweepPoint>) -> Builder<'a> {
        self.sweep = sweep;
        self
    }

    /// What a sweep chose, on every row of it.
    pub fn sweep(&self) -> Option<&str> {
        self.sweep.as_ref().map(|sweep| sweep.name.as_str())
    }

    /// The flags that decide the code of a unit, as its rows have them.
    pub fn flags(&self, unit: &Unit<'_>) -> Vec<String> {
        let board = &self.board.toolchain.flags[..];
        let of_unit = unit.flags(&self.board.port);
        self.vary([board, &of_unit[..]].concat())
    }

    fn vary(&self, mut flags: Vec<String>) -> Vec<String> {
        let Some(sweep) = &self.sweep else {
            return flags;
        };
        let optimises = |flag: &String| flag.starts_with("-O");
        if sweep.flags.iter().any(optimises) {
            flags.retain(|flag| !optimises(flag));
        }
        flags.extend(sweep.flags.iter().cloned());
        flags
    }

    /// The image with the agent and every operation of the unit.
    pub fn agent(&self, unit: &Unit<'_>) -> Result<Image> {
        self.agent_with(unit, &[])
    }

    /// The same with other settings of the port, such as `-DNAME=VALUE`.
    pub fn agent_with(&self, unit: &Unit<'_>, defines: &[String]) -> Result<Image> {
        let sources = &self.port.agent_sources;
        self.image(unit, sources, defines, Content::Library)
    }

    /// A program that only calls the operations of `footprint`.
    pub fn footprint(&self, unit: &Unit<'_>, footprint: &Footprint) -> Result<Image> {
        let defines = footprint_defines(footprint.operations);
        let sources = &self.port.footprint_sources;
        self.image(unit, sources, &defines, Content::Library)
    }

    /// The same program calling nothing, by the same flags: what [`Builder::footprint`] grows from.
    /// It has nothing of the unit, because the linker keeps static objects, constructors and
    /// interrupt handlers even where nothing calls them.
    pub fn baseline(&self, unit: &Unit<'_>) -> Result<Image> {
        let defines = ["-DAGENT_FOOTPRINT=1".to_owned()];
        let sources = &self.port.footprint_sources;
        self.image(unit, sources, &defines, Content::Nothing)
    }

    /// True if the port says how a whole program is built.
    pub fn weighs_whole(&self) -> bool {
        !self.port.whole_flags.is_empty()
    }

    /// A whole program that calls the operations of `footprint`, as a user builds it: with link-time
    /// optimisation, and with buffers of one block.
    pub fn whole(&self, unit: &Unit<'_>, footprint: &Footprint) -> Result<Image> {
        let mut defines = footprint_defines(footprint.operations);
        defines.push("-DFOOTPRINT_BYTES=16".to_owned());
        let sources = &self.port.footprint_sources;
        self.image(unit, sources, &defines, Content::Whole)
    }

    /// The flags of [`Builder::whole`] that decide the code of a unit, as its rows have them.
    pub fn whole_flags(&self, unit: &Unit<'_>) -> Vec<String> {
        let board = &self.board.toolchain.flags[..];
        let of_unit = unit.flags(&self.board.port);
        self.vary(self.as_whole([board, &of_unit[..]].concat()))
    }

    /// Flags with those of a whole program at their end.
    fn as_whole(&self, mut flags: Vec<String>) -> Vec<String> {
        flags.retain(|flag| !flag.starts_with("-O"));
        flags.extend(self.port.whole_flags.iter().cloned());
        flags
    }

    /// The image with the agent, which also counts the heap. `None` if the port cannot.
    pub fn agent_with_heap(&self, unit: &Unit<'_>) -> Option<Result<Image>> {
        if self.port.heap_sources.is_empty() {
            return None;
        }
        let defines = ["-DAGENT_HEAP=1".to_owned()];
        let sources = [&self.port.agent_sources[..], &self.port.heap_sources].concat();
        Some(self.image(unit, &sources, &defines, Content::Heap))
    }

    /// The whole firmware that `list` describes, for a unit.
    pub fn program(&self, unit: &Unit<'_>, list: &Path) -> Result<Image> {
        let program: Program = read_toml(list)?;
        self.build_program(unit, list, &program, &[])
    }

    /// Another role of it than the one that is measured; `defines`, such as
    /// `-DNAME=VALUE`, win over the unit's.
    pub fn program_role(
        &self,
        unit: &Unit<'_>,
        list: &Path,
        role: &str,
        defines: &[String],
    ) -> Result<Image> {
        let mut program: Program = read_toml(list)?;
        let known = |group: &Group| group.role.as_deref() == Some(role);
        if !program.groups.iter().any(known) {
            return Err(Error::Data {
                path: list.to_owned(),
                message: format!("the file defines no role '{role}'"),
            });
        }
        program.role = Some(role.to_owned());
        self.build_program(unit, list, &program, defines)
    }

    /// A whole program that is no unit's. `{NAME}` at the beginning of its files and folders
    /// stands for the folder of `places` by that name; `list` is where it is described.
    pub fn standalone(
        &self,
        program: &Program,
        places: &BTreeMap<String, PathBuf>,
        list: &Path,
        what: &str,
    ) -> Result<Image> {
        let root = &self.project.root;
        let path = |text: &str| {
            let of = |(name, folder): (&String, &PathBuf)| {
                let rest = text.strip_prefix(&format!("{{{name}}}"))?;
                Some(folder.join(rest.trim_start_matches('/')))
            };
            places
                .iter()
                .find_map(of)
                .unwrap_or_else(|| root.join(text))
        };
        let include: Vec<PathBuf> = program
            .include
            .iter()
            .map(|folder| path(folder))
            .chain(self.port.include.iter().map(|folder| root.join(folder)))
            .collect();
        let board = &self.board.toolchain;
        let common = [&board.flags[..], &self.port.flags, &program.flags].concat();
        let mut sources = Vec::new();
        for source in &self.port.program_sources {
            sources.push((root.join(source), common.clone()));
        }
        for group in &program.groups {
            let flags = [&common[..], &group.flags].concat();
            for file in &group.files {
                let found = matching(&path(file), list)?;
                sources.extend(found.into_iter().map(|source| (source, flags.clone())));
            }
        }
        let objects = self.objects(&sources, &include)?;
        let link = [
            &board.link_flags[..],
            &self.port.link_flags,
            &program.link_flags,
        ];
        self.link(&objects, &common, &link.concat(), what)
    }

    /// Objects of sources with their flags, in that order: a library has a hundred, so every
    /// core compiles.
    fn objects(
        &self,
        sources: &[(PathBuf, Vec<String>)],
        include: &[PathBuf],
    ) -> Result<Vec<PathBuf>> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let mut objects = Vec::new();
        schedule::run(
            sources.len(),
            cores,
            |place| {
                let (source, flags) = &sources[place];
                self.object(source, include, flags)
            },
            |_| {},
            |_| Ok(()),
            |object| {
                objects.push(object);
                Ok(())
            },
        )?;
        Ok(objects)
    }

    fn build_program(
        &self,
        unit: &Unit<'_>,
        list: &Path,
        program: &Program,
        defines: &[String],
    ) -> Result<Image> {
        let with = |flags: Vec<String>| [&flags[..], defines].concat();
        let root = &self.project.root;
        let include: Vec<PathBuf> = program.include.iter().map(|i| root.join(i)).collect();
        let mut objects = Vec::new();
        let variant = unit.variant;
        let chosen = |group: &&Group| {
            (group.role.is_none() || group.role == program.role)
                && (group.suites.is_empty() || group.suites.iter().any(|suite| suite == variant))
        };
        for group in program.groups.iter().filter(chosen) {
            let flags = with(self.program_flags(unit, program, &group.flags));
            for file in &group.files {
                for source in matching(&root.join(file), list)? {
                    objects.push(self.object(&source, &include, &flags)?);
                }
            }
        }
        let common = with(self.program_flags(unit, program, &[]));
        let flags_of_library = with(self.library_flags(unit, program));
        for source in unit.sources()? {
            objects.push(self.object(&source, &include, &flags_of_library)?);
        }
        let mut link = self.program_link_flags(program);
        link.extend(unit.library.link_flags.iter().cloned());
        self.link(&objects, &common, &link, &unit.label())
    }

    /// A program that does nothing, built as [`Builder::program`] is.
    pub fn empty_program(&self, unit: &Unit<'_>, list: &Path) -> Result<Image> {
        let program: Program = read_toml(list)?;
        let flags = self.program_flags(unit, &program, &[]);
        let object = self.object(&self.project.root.join(EMPTY), &[], &flags)?;
        let link = self.program_link_flags(&program);
        self.link(&[object], &flags, &link, "the empty program")
    }

    fn program_link_flags(&self, program: &Program) -> Vec<String> {
        [
            &self.board.toolchain.link_flags[..],
            &program.link_flags[..],
        ]
        .concat()
    }

    /// The board's flags, the program's, a group's and last the unit's, which win.
    fn program_flags(&self, unit: &Unit<'_>, program: &Program, group: &[String]) -> Vec<String> {
        let board = &self.board.toolchain.flags[..];
        let of_unit = unit.program_flags();
        self.vary([board, &program.flags[..], group, &of_unit[..]].concat())
    }

    /// The same for the unit's own sources, whose flags are part of its variant.
    fn library_flags(&self, unit: &Unit<'_>, program: &Program) -> Vec<String> {
        let board = &self.board.toolchain.flags[..];
        let of_unit = unit.flags(&self.board.port);
        self.vary([board, &program.flags[..], &of_unit[..]].concat())
    }

    fn image(
        &self,
        unit: &Unit<'_>,
        port_sources: &[String],
        defines: &[String],
        content: Content,
    ) -> Result<Image> {
        let root = &self.project.root;
        let sketch = self.board.toolchain.sketch.as_ref();
        let include = self.includes(unit);
        let flags = self.image_flags(unit, content);
        let of_glue = [&flags[..], &self.glue_flags(unit, defines)].concat();
        let port = port_sources.iter().map(|source| root.join(source));
        let mut sources: Vec<Source> = port.map(|source| (source, of_glue.clone())).collect();
        let mut link = self.board.toolchain.link_flags.clone();
        link.extend(self.port.link_flags.iter().cloned());
        if content == Content::Heap {
            link.extend(self.port.heap_link_flags.iter().cloned());
        }
        match content {
            Content::Library | Content::Whole | Content::Heap => {
                sources.extend(self.library_sources(unit, &flags, &of_glue)?);
                // Libraries stand after the objects that need them.
                if let Some(archive) = self.crate_archive(unit.library)? {
                    link.push(self.relative(&archive).to_string_lossy().into_owned());
                }
            }
            Content::Nothing => sources.push((root.join(NOTHING), of_glue)),
        }
        link.extend(unit.library.link_flags.iter().cloned());
        let what = unit.label();
        if let Some(sketch) = sketch {
            return self.sketch(sketch, &sources, &include, &what);
        }
        let objects = sources
            .iter()
            .map(|(source, flags)| self.object(source, &include, flags))
            .collect::<Result<Vec<_>>>()?;
        self.link(&objects, &flags, &link, &what)
    }

    /// True if the lab provides what the library expects of Arduino. A sketch has the real thing.
    fn stands_in(unit: &Unit<'_>, sketch: Option<&Sketch>) -> bool {
        unit.library.arduino && sketch.is_none()
    }

    /// The folders of headers of an image of a unit.
    fn includes(&self, unit: &Unit<'_>) -> Vec<PathBuf> {
        let root = &self.project.root;
        let port = self.port.include.iter().map(|folder| root.join(folder));
        let mut include: Vec<PathBuf> = port.chain(unit.include()).collect();
        if Self::stands_in(unit, self.board.toolchain.sketch.as_ref()) {
            include.push(root.join(ARDUINO));
        }
        include
    }

    /// The flags that the glue has in addition to those of the library.
    fn glue_flags(&self, unit: &Unit<'_>, defines: &[String]) -> Vec<String> {
        let mut flags = unit.glue_defines();
        flags.push(format!("-DAGENT_IO_BYTES={}", self.board.agent.io_bytes));
        flags.extend(defines.iter().cloned());
        flags
    }

    /// The macros by which a library knows an Arduino board, as the board's own core defines them.
    fn arduino_macros(&self) -> Vec<String> {
        let mut macros = vec!["-DARDUINO=10819".to_owned()];
        if self.board.port == "avr" {
            macros.push("-DARDUINO_ARCH_AVR=1".to_owned());
            macros.push(format!("-DARDUINO_AVR_{}=1", macro_name(&self.board.name)));
        }
        macros
    }

    /// The flags of the library in an image of a unit.
    fn image_flags(&self, unit: &Unit<'_>, content: Content) -> Vec<String> {
        let sketch = self.board.toolchain.sketch.as_ref();
        let mut flags = self.board.toolchain.flags.clone();
        flags.extend(self.port.flags.iter().cloned());
        if Self::stands_in(unit, sketch) {
            flags.extend(self.arduino_macros());
        }
        flags.extend(unit.flags(&self.board.port));
        if content == Content::Whole {
            flags = self.as_whole(flags);
        }
        self.vary(flags)
    }

    /// The sources that a unit adds to an image: what its language and its surroundings need, its
    /// glue and its own.
    fn library_sources(
        &self,
        unit: &Unit<'_>,
        flags: &[String],
        of_glue: &[String],
    ) -> Result<Vec<Source>> {
        let root = &self.project.root;
        let sketch = self.board.toolchain.sketch.as_ref();
        let is_cpp = |path: &Path| crate::data::is_cpp(path);
        let (glue, own) = (unit.glue(), unit.sources()?);
        let mut sources = Vec::new();
        if sketch.is_none() && (is_cpp(&glue) || own.iter().any(|source| is_cpp(source))) {
            sources.push((root.join(CXX_RUNTIME), flags.to_vec()));
        }
        if Self::stands_in(unit, sketch) {
            sources.push((root.join(ARDUINO_SOURCE), flags.to_vec()));
        }
        let of = |source: PathBuf, flags: &[String]| match is_cpp(&source) {
            true => (source, [flags, &unit.library.cxx_flags].concat()),
            false => (source, flags.to_vec()),
        };
        sources.push(of(glue, of_glue));
        sources.extend(own.into_iter().map(|source| of(source, flags)));
        Ok(sources)
    }

    /// An image by the tools of an Arduino core, unless it was made of the same inputs before.
    /// What they make lies beside it: a boot loader's parts, a file for the programmer.
    fn sketch(
        &self,
        tools: &Sketch,
        sources: &[Source],
        include: &[PathBuf],
        what: &str,
    ) -> Result<Image> {
        let mut hash = self.hasher();
        for (source, flags) in sources {
            self.feed_source(&mut hash, source, include, flags)?;
        }
        // The tools work elsewhere.
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let include: Vec<PathBuf> = include.iter().map(|folder| absolute(folder)).collect();
        let sources: Vec<Source> = sources
            .iter()
            .map(|(source, flags)| (absolute(source), flags.clone()))
            .collect();
        let flags = sketch::flags(&sources, &include);
        for word in sketch::command(tools, Path::new(""), Path::new(""), &flags) {
            feed(&mut hash, word.as_bytes());
        }
        let folder = self.cache.join(hex::encode(&hash.finalize()[..16]));
        let path = folder.join(&tools.image);
        if !path.is_file() {
            let write_error = |source| Error::Write {
                path: folder.clone(),
                source,
            };
            std::fs::create_dir_all(&self.cache).map_err(write_error)?;
            let making = tempfile::Builder::new()
                .prefix("making-")
                .tempdir_in(&self.cache)
                .map_err(write_error)?;
            let build = making.path().join("build");
            std::fs::create_dir(&build).map_err(write_error)?;
            let written = sketch::write(making.path(), &sources).map_err(write_error)?;
            let words = sketch::command(tools, &written, &build, &flags);
            self.compile(&words, what)?;
            if !build.join(&tools.image).is_file() {
                return Err(Error::Compile {
                    program: words.first().cloned().unwrap_or_default(),
                    what: what.to_owned(),
                    output: format!(
                        "error: the command did not create {{build}}/{}",
                        tools.image
                    ),
                });
            }
            // Another run may have made the same meanwhile.
            if let Err(error) = std::fs::rename(&build, &folder)
                && !path.is_file()
            {
                return Err(write_error(error));
            }
        }
        self.weighed(path)
    }

    /// The static library of a library's crate, if it has one.
    fn crate_archive(&self, library: &Library) -> Result<Option<PathBuf>> {
        let Some(of) = &library.cargo else {
            return Ok(None);
        };
        // A thread that panicked left the map as it was.
        let mut crates = self.crates.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(archive) = crates.get(&library.name) {
            return Ok(Some(archive.clone()));
        }
        let archive = cargo::build(&self.project.root, self.board, library, of)?;
        crates.insert(library.name.clone(), archive.clone());
        Ok(Some(archive))
    }

    /// The object of one of a unit's sources or of its glue, as the agent image has it.
    pub(crate) fn object_of(&self, unit: &Unit<'_>, source: &Path) -> Result<PathBuf> {
        let mut flags = self.image_flags(unit, Content::Library);
        if source == unit.glue() {
            flags.extend(self.glue_flags(unit, &[]));
        }
        if crate::data::is_cpp(source) {
            flags.extend(unit.library.cxx_flags.iter().cloned());
        }
        self.object(source, &self.includes(unit), &flags)
    }

    /// Compiles one file, unless that has been done with the same inputs.
    fn object(&self, source: &Path, include: &[PathBuf], flags: &[String]) -> Result<PathBuf> {
        let cpp = crate::data::is_cpp(source);
        let toolchain = &self.board.toolchain;
        let driver = if cpp {
            toolchain.cxx()
        } else {
            toolchain.cc.clone()
        };
        let flags = &if cpp {
            self.cxx_flags(flags)
        } else {
            flags.to_vec()
        };
        let mut hash = self.hasher();
        if cpp {
            feed(&mut hash, driver.as_bytes());
        }
        self.feed_source(&mut hash, source, include, flags)?;
        let path = self
            .cache
            .join(format!("{}.o", hex::encode(&hash.finalize()[..16])));
        if path.is_file() {
            return Ok(path);
        }
        let mut arguments: Vec<OsString> = flags.iter().map(OsString::from).collect();
        for folder in include {
            arguments.push("-I".into());
            arguments.push(self.relative(folder).into());
        }
        arguments.extend(["-c".into(), self.relative(source).into()]);
        let what = self.relative(source).to_string_lossy();
        self.run_compiler(&driver, arguments, &path, &what)?;
        Ok(path)
    }

    /// All that a source's object depends on, but for the compiler.
    fn feed_source(
        &self,
        hash: &mut Sha256,
        source: &Path,
        include: &[PathBuf],
        flags: &[String],
    ) -> Result<()> {
        let size = source.metadata().map_or(0, |data| data.len());
        if size > LARGEST_SOURCE {
            return Err(Error::Data {
                path: source.to_owned(),
                message: format!("{} MB is too large for a source file", size >> 20),
            });
        }
        let content = std::fs::read(source).map_err(|error| Error::Read {
            path: source.to_owned(),
            source: error,
        })?;
        feed(hash, self.relative(source).to_string_lossy().as_bytes());
        feed(hash, &content);
        for flag in flags {
            feed(hash, flag.as_bytes());
        }
        let own = source.parent().map(Path::to_owned);
        for folder in include.iter().chain(&own) {
            feed(hash, &self.headers_of(folder)?);
        }
        Ok(())
    }

    /// Flags of C for C++: the port's for C++ come in the place of its dialect of C.
    fn cxx_flags(&self, flags: &[String]) -> Vec<String> {
        let of_c = |flag: &String| {
            let dialect = flag.strip_prefix("-std=");
            dialect.is_some_and(|dialect| !dialect.contains("++"))
        };
        let own = self.port.cxx_flags.iter();
        own.chain(flags.iter().filter(|flag| !of_c(flag)))
            .cloned()
            .collect()
    }

    fn link(
        &self,
        objects: &[PathBuf],
        flags: &[String],
        link: &[String],
        what: &str,
    ) -> Result<Image> {
        let mut hash = self.hasher();
        for object in objects {
            feed(
                &mut hash,
                self.relative(object).to_string_lossy().as_bytes(),
            );
        }
        for flag in flags.iter().chain(link) {
            feed(&mut hash, flag.as_bytes());
        }
        let path = self
            .cache
            .join(format!("{}.elf", hex::encode(&hash.finalize()[..16])));
        if !path.is_file() {
            let mut arguments: Vec<OsString> = flags.iter().map(OsString::from).collect();
            // The linker writes the names of assembled objects into the image.
            arguments.extend(objects.iter().map(|object| self.relative(object).into()));
            arguments.extend(link.iter().map(OsString::from));
            self.run_compiler(&self.board.toolchain.cc, arguments, &path, what)?;
        }
        self.weighed(path)
    }

    fn weighed(&self, path: PathBuf) -> Result<Image> {
        let data = std::fs::read(&path).map_err(|source| Error::Read {
            path: path.clone(),
            source,
        })?;
        Ok(Image {
            sha256: hex::encode(Sha256::digest(&data)),
            weight: elf::weigh(&path)?,
            path,
        })
    }

    /// Runs the compiler from the project's root, so that no path of this
    /// machine gets into an image, and moves the result into place at once.
    fn run_compiler(
        &self,
        cc: &str,
        arguments: Vec<OsString>,
        output: &Path,
        what: &str,
    ) -> Result<()> {
        let write_error = |source| Error::Write {
            path: output.to_owned(),
            source,
        };
        std::fs::create_dir_all(&self.cache).map_err(write_error)?;
        let temporary = tempfile::Builder::new()
            .prefix("making-")
            .tempfile_in(&self.cache)
            .map_err(write_error)?
            .into_temp_path();
        let mut words = vec![OsString::from(cc)];
        words.extend(arguments);
        words.extend(["-o".into(), temporary.as_os_str().to_owned()]);
        self.compile(&words, what)?;
        temporary
            .persist(output)
            .map_err(|error| write_error(error.error))
    }

    /// Runs a command of the toolchain from the project's root.
    fn compile(&self, words: &[impl AsRef<std::ffi::OsStr>], what: &str) -> Result<()> {
        let program = words
            .first()
            .map_or(std::ffi::OsStr::new(""), AsRef::as_ref);
        let name = program.to_string_lossy();
        let done = Command::new(program)
            .args(words.iter().skip(1))
            .current_dir(&self.project.root)
            .stdin(Stdio::null())
            .output()
            .map_err(|_| missing(self.board, &name))?;
        if done.status.success() {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&done.stderr);
        // Many warnings must not hide the error.
        let error = text.lines().position(|line| line.contains("error"));
        let from = error.filter(|at| *at >= 20).unwrap_or(0);
        let lines: Vec<&str> = text.lines().skip(from).take(20).collect();
        Err(Error::Compile {
            program: name.into_owned(),
            what: what.to_owned(),
            output: lines.join("\n"),
        })
    }

    fn hasher(&self) -> Sha256 {
        let mut hash = Sha256::new();
        feed(&mut hash, self.board.toolchain.cc.as_bytes());
        feed(&mut hash, self.compiler.as_bytes());
        hash
    }

    /// Digest of every header below `folder`: coarse, but never stale.
    fn headers_of(&self, folder: &Path) -> Result<[u8; 32]> {
        let known = |map: &BTreeMap<PathBuf, [u8; 32]>| map.get(folder).copied();
        if let Some(digest) = self.headers.lock().ok().and_then(|map| known(&map)) {
            return Ok(digest);
        }
        let mut hash = Sha256::new();
        if folder.is_dir() {
            hash_headers(folder, &self.project.root, &mut hash)?;
        }
        let digest: [u8; 32] = hash.finalize().into();
        if let Ok(mut map) = self.headers.lock() {
            map.insert(folder.to_owned(), digest);
        }
        Ok(digest)
    }

    fn relative<'p>(&self, path: &'p Path) -> &'p Path {
        path.strip_prefix(&self.project.root).unwrap_or(path)
    }
}

/// `root` is left out of their names: the digest is the same wherever the project lies.
fn hash_headers(folder: &Path, root: &Path, hash: &mut Sha256) -> Result<()> {
    for path in sorted_entries(folder)? {
        if path.is_dir() {
            hash_headers(&path, root, hash)?;
        } else if path
            .extension()
            .is_some_and(|e| e == "h" || e == "inc" || e == "hpp")
        {
            let name = path.strip_prefix(root).unwrap_or(&path);
            feed(hash, name.to_string_lossy().as_bytes());
            let content = std::fs::read(&path).map_err(|source| Error::Read {
                path: path.clone(),
                source,
            })?;
            feed(hash, &content);
        }
    }
    Ok(())
}

/// What a command says on its standard output.
fn said(board: &Board, words: &[String]) -> Result<String> {
    let (program, arguments) = words.split_first().map_or(("", &[][..]), |(p, a)| (p, a));
    let output = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|_| missing(board, program))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The macros of a program that calls these operations and nothing else.
fn footprint_defines(operations: &[&str]) -> Vec<String> {
    let selected = operations.iter();
    let selected = selected.map(|name| format!("-DFOOTPRINT_{}=1", macro_name(name)));
    let program = "-DAGENT_FOOTPRINT=1".to_owned();
    [program].into_iter().chain(selected).collect()
}

/// A compiler that is not there.
fn missing(board: &Board, program: &str) -> Error {
    let sketch = board.toolchain.sketch.as_ref();
    Error::MissingProgram {
        program: program.to_owned(),
        needed_for: format!("building for {}", board.title),
        packages: board.toolchain.debian.clone(),
        install: sketch.map_or_else(String::new, |sketch| sketch.install.clone()),
    }
}

/// Hashes a length before the bytes, so that neighbours cannot run together.
fn feed(hash: &mut Sha256, bytes: &[u8]) {
    hash.update((bytes.len() as u64).to_le_bytes());
    hash.update(bytes);
}
