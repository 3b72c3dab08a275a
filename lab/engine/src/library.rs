//! A library under measurement: described by `lab/libraries/<name>/library.toml` and called through
//! its glue.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::algorithm::Algorithm;
use crate::data::{matching, read_toml};
use crate::error::Result;
use crate::source::{Lock, Registry, Source};

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

/// A published case that a library is known to answer differently, with the reason. The library is
/// measured all the same. If the library passes the case after all, that is a failure.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deviation {
    pub algorithm: String,
    /// Ids of cases, as a failed check prints them.
    pub cases: Vec<String>,
    pub reason: String,
}

/// A set of algorithm x variant pairs with the same build. In `glue`, `sources` and `defines`,
/// these are replaced: `{variant}`, `{VARIANT}` (as in a macro), `{identifier}` (the variant as a C
/// identifier) and `{key_bits}`. The file name of a source may have a `*`; the linker drops unused
/// code.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Implementation {
    pub algorithms: Vec<String>,
    /// Called strategies in the previous release.
    #[serde(alias = "strategies")]
    pub variants: Vec<String>,
    /// The glue file, relative to the manifest.
    #[serde(default)]
    pub glue: String,
    /// For a whole firmware, instead of glue: the list of its sources (`Program` of `build.rs`),
    /// relative to the manifest. `sources` come in addition.
    #[serde(default)]
    pub program: Option<String>,
    /// Library sources, relative to the manifest.
    #[serde(default)]
    pub sources: Vec<String>,
    #[serde(default)]
    pub defines: Vec<String>,
    /// Operations that the glue offers.
    pub operations: Vec<String>,
    /// The glue is a guess with which no official vector passes. A survey then never calls the
    /// library wrong unless it can name the mistake.
    #[serde(default)]
    pub unproven: bool,
    /// The board on which official vectors pass with this glue, if it was found by trial.
    #[serde(default)]
    pub proven_on: Option<String>,
    /// The sizes of nonces and tags that the library refuses although the algorithm has them. The
    /// glue answers them as a bad size, and such cases are not counted.
    #[serde(default)]
    pub refuses_sizes: Option<String>,
    /// The library draws the IV of each CBC message from the random source that the glue gives it.
    /// Otherwise the caller passes the IV, and a survey does not judge its freshness.
    #[serde(default)]
    pub draws_iv: bool,
    /// Boards for which it can be built; all if empty.
    #[serde(default)]
    pub boards: Vec<String>,
    /// Compiler flags after those of the library, for these implementations only. In a whole
    /// firmware, they apply to the library's sources only.
    #[serde(default)]
    pub flags: Vec<String>,
    /// Further flags by port, such as one that only one compiler knows.
    #[serde(default)]
    pub port_flags: BTreeMap<String, Vec<String>>,
}

/// One algorithm and variant of one library: the contents of one image.
#[derive(Clone, Debug)]
pub struct Unit<'a> {
    pub library: &'a Library,
    pub implementation: &'a Implementation,
    pub algorithm: &'a Algorithm,
    pub variant: &'a str,
}

impl Unit<'_> {
    /// `library algorithm variant`, for messages.
    pub fn label(&self) -> String {
        format!(
            "{} {} {}",
            self.library.name, self.algorithm.name, self.variant
        )
    }

    /// The deviation that lists the case, if any.
    pub fn deviation(&self, case: &str) -> Option<&Deviation> {
        self.library.deviations.iter().find(|deviation| {
            deviation.algorithm == self.algorithm.name
                && deviation.cases.iter().any(|known| known == case)
        })
    }

    /// Path of the glue file.
    pub fn glue(&self) -> PathBuf {
        self.path(&self.implementation.glue)
    }

    /// Path of the list of a whole firmware's sources, if the unit is one.
    pub fn program(&self) -> Option<PathBuf> {
        let program = self.implementation.program.as_ref();
        program.map(|program| self.path(program))
    }

    /// Paths of the library's sources, with patterns expanded. Fails if a pattern matches no file.
    pub fn sources(&self) -> Result<Vec<PathBuf>> {
        let mut sources = Vec::new();
        for source in &self.implementation.sources {
            let manifest = self.library.manifest();
            sources.extend(matching(&self.path(source), &manifest)?);
        }
        Ok(sources)
    }

    /// Paths of the include folders.
    pub fn include(&self) -> Vec<PathBuf> {
        self.library
            .include
            .iter()
            .map(|folder| self.path(folder))
            .collect()
    }

    /// Flags for library and glue on a port: the library's, then the implementation's.
    pub fn flags(&self, port: &str) -> Vec<String> {
        let own = &self.implementation;
        let for_port = own.port_flags.get(port).into_iter().flatten();
        let mut flags: Vec<String> = self
            .library
            .flags
            .iter()
            .chain(&own.flags)
            .chain(for_port)
            .cloned()
            .collect();
        flags.extend(
            self.implementation
                .defines
                .iter()
                .map(|d| format!("-D{}", self.fill(d))),
        );
        flags
    }

    /// Flags for the sources in a whole firmware's list, which sets its own optimisation: the
    /// library's flags and the implementation's definitions.
    pub fn program_flags(&self) -> Vec<String> {
        let defines = self.implementation.defines.iter();
        let defines = defines.map(|define| format!("-D{}", self.fill(define)));
        self.library.flags.iter().cloned().chain(defines).collect()
    }

    /// Macros that give the glue its library, algorithm and variant
    /// (docs/contributor/agent-protocol.md).
    pub fn glue_defines(&self) -> Vec<String> {
        let string = |name: &str, value: &str| format!("-D{name}=\"{value}\"");
        let mut defines = vec![
            string("AGENT_LIBRARY", &self.library.name),
            string("AGENT_VERSION", &self.library.version),
            string("AGENT_ALGORITHM", &self.algorithm.name),
            string("AGENT_VARIANT", self.variant),
            format!("-DAGENT_ALGORITHM_{}=1", macro_name(&self.algorithm.name)),
            format!("-DAGENT_VARIANT_{}=1", macro_name(self.variant)),
        ];
        if let Some(bytes) = self.algorithm.key_bytes {
            defines.push(format!("-DAGENT_KEY_BYTES={bytes}"));
        }
        defines
    }

    /// True if the glue offers `operation`.
    pub fn offers(&self, operation: &str) -> bool {
        self.implementation
            .operations
            .iter()
            .any(|offered| offered == operation)
    }

    fn path(&self, relative: &str) -> PathBuf {
        let relative = self.fill(relative);
        for (placeholder, folder) in self.library.placeholders() {
            if let Some(rest) = relative.strip_prefix(&placeholder) {
                return normalise(&folder.join(rest.trim_start_matches('/')));
            }
        }
        normalise(&self.library.folder.join(relative))
    }

    fn fill(&self, text: &str) -> String {
        let key_bits = self
            .algorithm
            .key_bytes
            .map_or(String::new(), |b| (b * 8).to_string());
        // Also replace the placeholders of the previous release.
        text.replace("{strategy}", self.variant)
            .replace("{STRATEGY}", &macro_name(self.variant))
            .replace("{variant}", self.variant)
            .replace("{VARIANT}", &macro_name(self.variant))
            .replace("{identifier}", &macro_name(self.variant).to_lowercase())
            .replace("{key_bits}", &key_bits)
    }
}

/// The name as part of a macro: `aes-128-cbc` -> `AES_128_CBC`.
pub fn macro_name(name: &str) -> String {
    name.chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_uppercase()
            } else {
                '_'
            }
        })
        .collect()
}

/// Removes `.` and `..`, so that paths in messages are readable: `a/b/../c` -> `a/c`.
fn normalise(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir if out.file_name().is_some() => {
                out.pop();
            }
            std::path::Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macro_names_are_identifiers() {
        assert_eq!(macro_name("speck128/256-ctr"), "SPECK128_256_CTR");
    }

    #[test]
    fn paths_are_normalised() {
        assert_eq!(normalise(Path::new("/a/b/../../c/./d")), Path::new("/c/d"));
    }
}
