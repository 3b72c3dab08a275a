//! A library under measurement: described by `lab/libraries/<name>/library.toml` and called through
//! its glue.

mod implementation;
mod unit;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::data::read_toml;
use crate::error::Result;
use crate::source::{Lock, Registry, Source};

pub use implementation::{Deviation, Implementation};
pub use unit::{Unit, macro_name};

/// A library's manifest, `lab/libraries/<name>/library.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Library {
    /// The name on the command line and in rows; equals the folder's name.
    pub name: String,
    pub title: String,
    pub version: String,
    /// SPDX expression.
    pub licence: String,
    #[serde(default)]
    pub homepage: Option<String>,
    /// A caution for readers of the tables.
    #[serde(default)]
    pub note: Option<String>,
    /// The library exists to test the instrument. It is measured only if named.
    #[serde(default)]
    pub test_only: bool,
    /// No glue is written for the library: the lab finds out by trial how to call it
    /// (`crate::bind`), once for each tree of files, and keeps what it found in its cache.
    #[serde(default)]
    pub by_trial: bool,
    /// The families of algorithms that trials look for; all if empty.
    #[serde(default)]
    pub families: Vec<String>,
    /// Include folders, relative to the manifest.
    #[serde(default)]
    pub include: Vec<String>,
    /// Compiler flags for the library and the glue.
    #[serde(default)]
    pub flags: Vec<String>,
    /// Compiler flags for its C++ sources only.
    #[serde(default)]
    pub cxx_flags: Vec<String>,
    /// The library was written for Arduino. Its images have the core's headers and functions, or
    /// those in lab/firmware/arduino.
    #[serde(default)]
    pub arduino: bool,
    /// Linker flags, such as `-lcrypto` on a PC.
    #[serde(default)]
    pub link_flags: Vec<String>,
    /// Debian packages that the library is built from, on boards that are PCs.
    #[serde(default)]
    pub debian: Vec<String>,
    /// The archive of the library's sources. `{source}` at the start of a path in `include` or
    /// `sources` is its unpacked folder.
    #[serde(default)]
    pub source: Option<Source>,
    /// Further archives, such as a dependency. `{name}` at the start of a path is the folder of the
    /// archive `name`.
    #[serde(default)]
    pub also: BTreeMap<String, Source>,
    /// The crate that calls the library, for a library in Rust.
    #[serde(default)]
    pub cargo: Option<Crate>,
    /// Published cases with a known different answer of the library.
    #[serde(rename = "deviation", default)]
    pub deviations: Vec<Deviation>,
    #[serde(rename = "implementation", default)]
    pub implementations: Vec<Implementation>,
    /// The manifest's folder.
    #[serde(skip)]
    pub folder: PathBuf,
    /// The project's root.
    #[serde(skip)]
    pub root: PathBuf,
}

/// `[cargo]` of a library's manifest.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Crate {
    /// Folder of the crate, relative to the manifest; it contains a `Cargo.lock`.
    pub folder: String,
    /// The library's name: cargo makes `lib<library>.a`.
    pub library: String,
}

/// SPDX's word for a licence that nobody stated.
pub const NO_LICENCE: &str = "NOASSERTION";

/// The name of a library's manifest.
pub const MANIFEST: &str = "library.toml";
/// The manifest's name in the previous release. Such files are still read.
pub const OLD_MANIFEST: &str = "contender.toml";

impl Library {
    /// The manifest of a folder, if it has one.
    pub fn manifest_of(folder: &Path) -> Option<PathBuf> {
        [MANIFEST, OLD_MANIFEST]
            .map(|name| folder.join(name))
            .into_iter()
            .find(|path| path.is_file())
    }

    /// The path of the library's manifest.
    pub fn manifest(&self) -> PathBuf {
        let of_collection = || self.folder.join(format!("{}.toml", self.name));
        let name_of_file = if self.by_trial {
            of_collection()
        } else {
            self.folder.join(MANIFEST)
        };
        Library::manifest_of(&self.folder).unwrap_or(name_of_file)
    }

    /// True if the manifest has the name of the previous release.
    pub fn has_old_manifest(&self) -> bool {
        self.manifest().ends_with(OLD_MANIFEST)
    }

    /// The placeholders of the manifest, and the folder of each.
    pub(crate) fn placeholders(&self) -> BTreeMap<String, PathBuf> {
        let first = self.source.iter().map(|source| ("source", source));
        let also = self.also.iter();
        let also = also.map(|(name, source)| (name.as_str(), source));
        let of =
            |(name, source): (&str, &Source)| (format!("{{{name}}}"), source.folder(&self.root));
        first.chain(also).map(of).collect()
    }

    /// Every archive that the library needs.
    pub fn all_sources(&self) -> impl Iterator<Item = &Source> {
        self.source.iter().chain(self.also.values())
    }

    /// Pins the sources whose manifest leaves the commit open, with the user's lock file.
    pub(crate) fn pin(&mut self, lock: &Lock) {
        for source in self.source.iter_mut().chain(self.also.values_mut()) {
            lock.apply(source);
        }
    }

    /// True if the commit of a source must be chosen first.
    pub fn is_unpinned(&self) -> bool {
        self.all_sources().any(Source::is_unpinned)
    }

    /// True if the lab has tried to call the library, or need not.
    pub fn is_bound(&self) -> bool {
        !self.by_trial
            || self
                .binding()
                .is_some_and(|folder| folder.join(MANIFEST).is_file())
    }

    /// The folder for manifest and glue of a library that is bound by trial. Its name includes the
    /// digest of the library's files, so other files are bound anew. `None` without a pinned
    /// source.
    pub fn binding(&self) -> Option<PathBuf> {
        let source = self
            .source
            .as_ref()
            .filter(|source| !source.is_unpinned())?;
        let digest = source.pinned_digest().get(..16)?;
        let name = format!("{}-{digest}", self.name);
        self.by_trial
            .then(|| self.root.join("target/bound").join(name))
    }

    /// Takes the implementations that trials found, if they are in the cache.
    pub(crate) fn take_binding(&mut self) -> Result<()> {
        let Some(folder) = self.binding() else {
            return Ok(());
        };
        if let Some(source) = &self.source {
            source.release().clone_into(&mut self.version);
        }
        if !self.is_bound() {
            return Ok(());
        }
        let found: Library = read_toml(&folder.join(MANIFEST))?;
        self.include = found.include;
        self.flags = found.flags;
        self.cxx_flags = found.cxx_flags;
        self.arduino = found.arduino;
        self.implementations = found.implementations;
        if self.licence == NO_LICENCE {
            self.licence = found.licence;
        }
        self.folder = folder;
        Ok(())
    }

    /// True if the library can be built without fetching anything.
    pub fn is_cached(&self) -> bool {
        self.all_sources()
            .all(|source| source.is_cached(&self.root))
            && self.crate_is_cached()
    }

    /// The registry that the library comes from, if any.
    pub fn registry(&self) -> Option<&'static str> {
        let of_crate = self.cargo.as_ref().map(|_| Registry::Crates);
        let registry = self.source.as_ref().map(|source| source.registry);
        registry.or(of_crate).map(Registry::name)
    }

    /// The origin of the library, as text for people.
    pub fn origin(&self) -> String {
        let archives = self.all_sources().map(Source::label);
        let crates = self
            .cargo
            .iter()
            .map(|_| "crates of its Cargo.lock (crates)".to_owned());
        let all: Vec<String> = archives.chain(crates).collect();
        if all.is_empty() {
            return "the project".to_owned();
        }
        all.join(", ")
    }

    /// True if the library can be measured without fetching or binding anything.
    pub fn is_here(&self) -> bool {
        self.is_own() || (self.is_cached() && self.is_bound())
    }

    /// True if the library is the project's own and needs no registry.
    pub fn is_own(&self) -> bool {
        self.source.is_none() && self.cargo.is_none()
    }
}
