//! `[source]` of a manifest: where an archive comes from.

use std::path::{Path, PathBuf};

use super::address;

use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::unpack;
use crate::error::{Error, Result};

/// The origins of packages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Registry {
    /// A source package of this machine's Debian release, fetched by `apt-get source`.
    Debian,
    /// A crate that contains a library's sources, fetched by `cargo`.
    Crates,
    /// A library installed on this machine; nothing is fetched.
    System,
    /// A commit of a git repository, fetched by `git`. A manifest writes `git = "URL"` instead of a
    /// registry.
    Git,
}

/// The registry of a `[source]` that names none.
fn git_registry() -> Registry {
    Registry::Git
}

impl Registry {
    /// The name in manifests.
    pub fn name(self) -> &'static str {
        match self {
            Registry::Debian => "debian",
            Registry::Crates => "crates",
            Registry::System => "system",
            Registry::Git => "git",
        }
    }
}

/// One archive: `[source]` of a manifest.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    #[serde(default = "git_registry")]
    pub registry: Registry,
    #[serde(default)]
    pub package: String,
    /// The version in the registry's notation.
    #[serde(default)]
    pub version: String,
    /// Address of a git repository, instead of `registry`, `package` and `version`.
    #[serde(default)]
    pub git: String,
    /// The commit: 40 hexadecimal digits, or [`UNPINNED`]. The user pins an unpinned source with
    /// `selo lab fetch --pin`.
    #[serde(default)]
    pub commit: String,
    /// The tag that must point at the commit.
    #[serde(default)]
    pub tag: Option<String>,
    /// SHA-256 of the commit's files ([`digest`](super::tree::digest)). The ids of git are SHA-1,
    /// and cannot be computed from the unpacked files alone; this digest can.
    #[serde(default)]
    pub tree: String,
    /// The manifest leaves the commit open, and the user's lock file pins it.
    #[serde(skip)]
    pub(super) locked: bool,
    /// The archive's file name.
    #[serde(default)]
    pub archive: String,
    /// The archive's SHA-256, in lower-case hexadecimal. An archive with another digest is
    /// rejected.
    #[serde(default)]
    pub sha256: String,
    /// Folder inside the archive that `{source}` stands for, without the single top folder that
    /// most archives have.
    #[serde(default)]
    pub folder: String,
    /// Other archives of the same library, tried in order if this one cannot be fetched.
    #[serde(default)]
    pub alternatives: Vec<Source>,
}

/// `commit` of a source whose commit the user chooses.
pub const UNPINNED: &str = "unpinned";

/// The folder of unpacked archives.
pub(super) fn unpacked(root: &Path) -> PathBuf {
    root.join("target/sources")
}

impl Source {
    /// This source and its alternatives.
    pub(super) fn choices(&self) -> impl Iterator<Item = &Source> {
        std::iter::once(self).chain(&self.alternatives)
    }

    /// True if the library is installed on the machine and needs no archive.
    pub fn is_system(&self) -> bool {
        self.registry == Registry::System
    }

    /// True if the source is a git repository whose commit is not yet known.
    pub fn is_unpinned(&self) -> bool {
        self.registry == Registry::Git && self.commit == UNPINNED
    }

    /// True if the manifest leaves the commit to the user, whether it is pinned or not.
    pub fn leaves_commit_open(&self) -> bool {
        self.is_unpinned() || self.locked
    }

    /// The package, or the owner and name of a git repository.
    pub fn name(&self) -> String {
        match self.registry {
            Registry::Git => address::name(&self.git),
            _ => self.package.clone(),
        }
    }

    /// The version; of a git repository the tag, or else the start of the commit.
    pub fn release(&self) -> &str {
        match self.registry {
            Registry::Git if self.is_unpinned() => UNPINNED,
            Registry::Git => match &self.tag {
                Some(tag) => tag,
                None => self.commit.get(..12).unwrap_or_default(),
            },
            _ => &self.version,
        }
    }

    /// The version, or the whole commit of a git repository.
    pub fn exact_release(&self) -> &str {
        match self.registry {
            Registry::Git => &self.commit,
            _ => &self.version,
        }
    }

    /// Name, version and registry, for messages.
    pub fn label(&self) -> String {
        let (name, registry) = (self.name(), self.registry.name());
        format!("{name} {} ({registry})", self.release())
    }

    /// The digest that pins the source: of its archive, or of its files.
    pub fn pinned_digest(&self) -> &str {
        match self.registry {
            Registry::Git => &self.tree,
            _ => &self.sha256,
        }
    }

    /// The archive's file name in the folder of archives.
    pub(super) fn archive_name(&self) -> String {
        match self.registry {
            Registry::Git => format!("{}-{}.tar.gz", self.name(), self.commit),
            _ => self.archive.clone(),
        }
    }

    /// The folder that the placeholder stands for: that of the unpacked source or alternative, else
    /// the one that this source would get.
    pub fn folder(&self, root: &Path) -> PathBuf {
        let unpacked = unpacked(root);
        let chosen = self.cached(&unpacked).unwrap_or(self);
        chosen.place(&unpacked).join(&chosen.folder)
    }

    /// True if nothing has to be fetched.
    pub fn is_cached(&self, root: &Path) -> bool {
        self.cached(&unpacked(root)).is_some()
    }

    pub(super) fn cached(&self, unpacked: &Path) -> Option<&Source> {
        self.choices()
            .filter(|source| !source.is_unpinned())
            .find(|source| source.is_system() || source.place(unpacked).is_dir())
    }

    /// The folder's name includes the digest, so another pin gets another folder.
    pub(super) fn place(&self, unpacked: &Path) -> PathBuf {
        let digest = self.pinned_digest().get(..8).unwrap_or_default();
        let version = match self.registry {
            Registry::Git => self.commit.get(..12).unwrap_or(UNPINNED),
            _ => &self.version,
        };
        let name = format!("{}-{version}-{digest}", self.name());
        unpacked.join(name.replace(|c: char| !c.is_ascii_alphanumeric() && c != '.', "-"))
    }

    /// Checks an entry of a manifest. Returns a message if it is invalid.
    pub(crate) fn problem(&self) -> Option<String> {
        if self.registry == Registry::Git {
            return self.git_problem().or_else(|| self.folder_problem());
        }
        if !self.git.is_empty() || !self.commit.is_empty() || !self.tree.is_empty() {
            return Some("a source has either a registry or git".to_owned());
        }
        let plain = |text: &str| {
            !text.is_empty()
                && !text.starts_with(['-', '.'])
                && text
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "-_.+~:".contains(c))
        };
        if !plain(&self.package) || !plain(&self.version) {
            return Some("package and version are names without spaces and slashes".to_owned());
        }
        if self.is_system() {
            let pinned = !self.archive.is_empty() || !self.sha256.is_empty();
            return pinned.then(|| "a system library has no archive and no sha256".to_owned());
        }
        if !is_hex(&self.sha256, 64) {
            return Some("sha256 must be 64 lower-case hexadecimal digits".to_owned());
        }
        if !plain(&self.archive) {
            return Some("archive must be a file name".to_owned());
        }
        if !unpack::known(&self.archive) {
            return Some(format!(
                "archive \"{}\" must end in one of {}",
                self.archive,
                unpack::SUFFIXES.join(", ")
            ));
        }
        self.folder_problem()
            .or_else(|| self.alternatives.iter().find_map(Source::problem))
    }

    fn git_problem(&self) -> Option<String> {
        if self.git.is_empty() {
            return Some(
                "a source names a registry, or the address of a git repository".to_owned(),
            );
        }
        if !self.package.is_empty() || !self.archive.is_empty() || !self.sha256.is_empty() {
            return Some("a git source has commit and tree, not package and archive".to_owned());
        }
        if let Some(message) = address::address_problem(&self.git) {
            return Some(message);
        }
        if let Some(message) = self.tag.as_deref().and_then(address::tag_problem) {
            return Some(message);
        }
        if self.is_unpinned() {
            let message = "a source whose commit is unpinned has no tree".to_owned();
            return (!self.tree.is_empty()).then_some(message);
        }
        if !is_hex(&self.commit, 40) {
            return Some(format!(
                "commit must be 40 lower-case hexadecimal digits, or \"{UNPINNED}\""
            ));
        }
        (!is_hex(&self.tree, 64)).then(|| {
            "tree must be 64 lower-case hexadecimal digits; selo lab fetch --pin prints them"
                .to_owned()
        })
    }

    fn folder_problem(&self) -> Option<String> {
        let mut inside = Path::new(&self.folder).components();
        let normal = inside.all(|part| matches!(part, std::path::Component::Normal(_)));
        (!normal).then(|| "folder must be inside the archive".to_owned())
    }

    /// Checks the digest of an archive. The files of a git commit are checked when they are
    /// unpacked.
    pub(super) fn verify(&self, path: &Path) -> Result<()> {
        if self.registry == Registry::Git {
            return Ok(());
        }
        let data = std::fs::read(path).map_err(|source| Error::Read {
            path: path.to_owned(),
            source,
        })?;
        let found = hex::encode(Sha256::digest(&data));
        if found == self.sha256 {
            return Ok(());
        }
        Err(Error::Digest {
            archive: path.to_owned(),
            package: self.package.clone(),
            found,
            pinned: self.sha256.clone(),
        })
    }

    pub(crate) fn error(&self, message: String, hint: String) -> Error {
        Error::Source {
            package: self.label(),
            message,
            hint,
        }
    }
}

/// True for exactly `length` lower-case hexadecimal digits.
pub(super) fn is_hex(text: &str, length: usize) -> bool {
    let hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
    text.len() == length && text.chars().all(hex)
}
