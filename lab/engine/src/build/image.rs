//! The image of a unit: its sources, their flags and folders of headers, and the tools of an
//! Arduino core.

use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use sha2::Digest;

use super::builder::{Builder, Image};
use super::content::{BUFFERS, Content};
use super::object::feed;
use crate::board::Sketch;
use crate::cargo;
use crate::error::{Error, Result};
use crate::library::{Library, Unit, macro_name};
use crate::sketch::{self, Source};

/// What C++ needs of a runtime, where none is linked.
const CXX_RUNTIME: &str = "lab/firmware/cxx/runtime.cpp";

/// What stands in the place of a library's glue, in the program that a footprint grows from.
const NOTHING: &str = "lab/firmware/footprint/nothing.c";

impl Builder<'_> {
    pub(super) fn image(
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
        let mut sources = Vec::new();
        let mut link = self.board.toolchain.link_flags.clone();
        link.extend(self.port.link_flags.iter().cloned());
        if content == Content::Heap {
            link.extend(self.port.heap_link_flags.iter().cloned());
        }
        match content {
            Content::Library | Content::Whole | Content::Heap => {
                sources.extend(self.library_sources(unit, &flags, &of_glue)?);
                // Libraries stand after the objects that need them.
                if Self::stands_in(unit, sketch) {
                    let archive = self.arduino_archive(content)?;
                    link.push(self.relative(&archive).to_string_lossy().into_owned());
                }
                if let Some(archive) = self.crate_archive(unit.library)? {
                    link.push(self.relative(&archive).to_string_lossy().into_owned());
                }
            }
            Content::Nothing => {}
        }
        link.extend(unit.library.link_flags.iter().cloned());
        let what = unit.label();
        let nothing = (content == Content::Nothing).then_some(NOTHING);
        let port = port_sources.iter().map(String::as_str).chain(nothing);
        let port = port.map(|source| root.join(source));
        if let Some(sketch) = sketch {
            let port = port.map(|source| (source, of_glue.clone()));
            let sources: Vec<Source> = port.chain(sources).collect();
            return self.sketch(sketch, &sources, &include, &what);
        }
        let (port_include, of_port) =
            (self.port_include(), self.port_flags(unit, defines, content));
        let mut objects = port
            .map(|source| self.object(&source, &port_include, &of_port))
            .collect::<Result<Vec<_>>>()?;
        for (source, flags) in &sources {
            objects.push(self.object(source, &include, flags)?);
        }
        self.link(&objects, &flags, &link, &what)
    }

    /// True if the lab provides what the library expects of Arduino. A sketch has the real thing.
    fn stands_in(unit: &Unit<'_>, sketch: Option<&Sketch>) -> bool {
        unit.library.arduino && sketch.is_none()
    }

    /// The folders of headers of an image of a unit.
    pub(super) fn includes(&self, unit: &Unit<'_>) -> Vec<PathBuf> {
        let mut include = self.port_include();
        include.extend(unit.include());
        if Self::stands_in(unit, self.board.toolchain.sketch.as_ref()) {
            include.extend(self.arduino.include.iter().cloned());
        }
        include
    }

    fn port_include(&self) -> Vec<PathBuf> {
        let root = &self.project.root;
        let folders = self.port.include.iter();
        folders.map(|folder| root.join(folder)).collect()
    }

    /// The flags of the agent and the port in an image of a unit. Of the unit's own they get those
    /// that decide optimisation and how functions call each other, so that most units share their
    /// objects.
    fn port_flags(&self, unit: &Unit<'_>, defines: &[String], content: Content) -> Vec<String> {
        let of_unit = unit.flags(&self.board.port);
        let of_code = |flag: &&String| ["-O", "-m", "-f"].iter().any(|kind| flag.starts_with(kind));
        let mut flags = self.board.toolchain.flags.clone();
        flags.extend(self.port.flags.iter().cloned());
        flags.extend(of_unit.iter().filter(of_code).cloned());
        if content == Content::Whole {
            flags = self.as_whole(flags);
        }
        flags = self.vary(flags);
        flags.extend(self.buffer_flags(defines));
        flags
    }

    /// The flags that the glue has in addition to those of the library.
    pub(super) fn glue_flags(&self, unit: &Unit<'_>, defines: &[String]) -> Vec<String> {
        let mut flags = unit.glue_defines();
        flags.extend(self.buffer_flags(defines));
        flags
    }

    /// `defines`, and the size of the agent's buffers if they do not set it.
    fn buffer_flags(&self, defines: &[String]) -> Vec<String> {
        let mut flags = Vec::new();
        if !defines.iter().any(|define| define.starts_with(BUFFERS)) {
            flags.push(format!("{BUFFERS}{}", self.board.agent.io_bytes));
        }
        flags.extend(defines.iter().cloned());
        flags
    }

    /// The macros by which a library knows an Arduino board, as the board's own core defines them.
    pub(super) fn arduino_macros(&self) -> Vec<String> {
        let mut macros = vec!["-DARDUINO=10819".to_owned()];
        if self.board.port == "avr" {
            macros.push("-DARDUINO_ARCH_AVR=1".to_owned());
            macros.push(format!("-DARDUINO_AVR_{}=1", macro_name(&self.board.name)));
        }
        macros
    }

    /// The flags of the library in an image of a unit.
    pub(super) fn image_flags(&self, unit: &Unit<'_>, content: Content) -> Vec<String> {
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
}
