//! `[source]` of a manifest: where an archive comes from.

use std::path::{Path, PathBuf};

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
}

impl Registry {
    /// The name in manifests.
    pub fn name(self) -> &'static str {
        match self {
            Registry::Debian => "debian",
            Registry::Crates => "crates",
            Registry::System => "system",
        }
    }
}

/// One archive: `[source]` of a manifest.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    pub registry: Registry,
    pub package: String,
    /// The version in the registry's notation.
    pub version: String,
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
            .find(|source| source.is_system() || source.place(unpacked).is_dir())
    }

    /// The folder's name includes the digest, so another pin gets another folder.
    pub(super) fn place(&self, unpacked: &Path) -> PathBuf {
        let digest = self.sha256.get(..8).unwrap_or_default();
        let name = format!("{}-{}-{digest}", self.package, self.version);
        unpacked.join(name.replace(|c: char| !c.is_ascii_alphanumeric() && c != '.', "-"))
    }

    /// Checks an entry of a manifest. Returns a message if it is invalid.
    pub(crate) fn problem(&self) -> Option<String> {
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
        let hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
        if self.sha256.len() != 64 || !self.sha256.chars().all(hex) {
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
        let inside = Path::new(&self.folder).components();
        if !inside
            .into_iter()
            .all(|part| matches!(part, std::path::Component::Normal(_)))
        {
            return Some("folder must be inside the archive".to_owned());
        }
        self.alternatives.iter().find_map(Source::problem)
    }

    pub(super) fn verify(&self, path: &Path) -> Result<()> {
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
            package: format!(
                "{} {} ({})",
                self.package,
                self.version,
                self.registry.name()
            ),
            message,
            hint,
        }
    }
}
