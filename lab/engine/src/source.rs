//! Fetches a library's sources: an archive of a package registry, fetched by the registry's own
//! client, or a commit of a git repository, fetched by `git`. The manifest pins its digest. It is
//! unpacked into the project's cache, and nothing in it is executed.
//!
//! Archives are kept in `target/archives`, or in the folder that `SELO_ARCHIVES` names. A machine
//! without a network needs only the files in that folder. Archives are always unpacked into
//! `target/sources`, so that paths in an image do not depend on the archives' folder.

mod address;
mod client;
mod common;
mod git;
mod input;
mod links;
mod lock;
mod manifest;
mod tree;
mod unpack;
mod zip;

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

pub use address::{is_address as is_git_address, name as git_name};
pub use common::FOLDER as COMMON;
pub use lock::{LOCK, Lock, Pin};
use manifest::unpacked;
pub use manifest::{Registry, Source, UNPINNED};
pub use unpack::{SUFFIXES, known as is_archive};

/// Environment variable that names another folder for archives.
pub const ARCHIVES: &str = "SELO_ARCHIVES";

/// A step of a fetch, for progress.
#[derive(Clone, Copy, Debug)]
pub enum Step<'a> {
    Fetching(&'a Source),
    Unpacking(&'a Source),
}

/// Fetches for one project.
#[derive(Clone, Debug)]
pub struct Sources {
    archives: PathBuf,
    unpacked: PathBuf,
    /// Copies of what users named.
    inputs: PathBuf,
    /// Never contacts a registry.
    pub offline: bool,
}

impl Sources {
    /// The caches of the project at `root`.
    pub fn new(root: &Path, offline: bool) -> Sources {
        let archives = std::env::var_os(ARCHIVES).filter(|folder| !folder.is_empty());
        Sources {
            archives: archives.map_or_else(|| root.join("target/archives"), PathBuf::from),
            unpacked: unpacked(root),
            inputs: root.join("target/inputs"),
            offline,
        }
    }

    /// Changes the folder of the archives.
    pub fn with_archives(mut self, folder: &Path) -> Sources {
        self.archives = folder.to_owned();
        self
    }

    /// Fetches one source, or else the first of its alternatives that is available. A wrong digest
    /// is an error at once.
    pub fn fetch_one(&self, source: &Source, progress: &mut dyn FnMut(Step<'_>)) -> Result<()> {
        if source.cached(&self.unpacked).is_some() {
            return Ok(());
        }
        let mut first = None;
        for candidate in source.choices() {
            match self.bring(candidate, progress) {
                Ok(()) => return Ok(()),
                // A wrong digest must not be hidden by an alternative.
                Err(error @ (Error::Digest { .. } | Error::Revision { .. })) => return Err(error),
                Err(error) => {
                    first.get_or_insert(error);
                }
            }
        }
        first.map_or(Ok(()), Err)
    }

    /// Fetches the newest commit of a source whose manifest leaves it open, or the commit of its
    /// tag, and unpacks it. Returns what a lock file must contain so that only these files are used from now on.
    pub fn pin(&self, source: &Source, progress: &mut dyn FnMut(Step<'_>)) -> Result<Pin> {
        if self.offline {
            return Err(self.offline_error(source));
        }
        let mut pinned = Source {
            commit: UNPINNED.to_owned(),
            ..source.clone()
        };
        progress(Step::Fetching(&pinned));
        let folder = temporary(&self.archives, ".fetching-")?;
        let got = git::fetch(&pinned, folder.path())?;
        pinned.commit = got.commit;
        let files = self.files_of(&pinned, &got.archive, progress)?;
        pinned.tree = tree::digest(files.path())?;
        keep(&got.archive, &self.archives.join(pinned.archive_name()))?;
        keep_folder(files, &pinned.place(&self.unpacked))?;
        Ok(Pin {
            git: pinned.git,
            commit: pinned.commit,
            tree: pinned.tree,
        })
    }

    fn bring(&self, source: &Source, progress: &mut dyn FnMut(Step<'_>)) -> Result<()> {
        if source.is_unpinned() {
            return Err(source.error(
                "no commit of it is pinned".to_owned(),
                "selo lab fetch --pin LIBRARY fetches its newest commit, and records it".to_owned(),
            ));
        }
        let kept = self.archives.join(source.archive_name());
        let mut fetched = None;
        if kept.is_file() {
            source.verify(&kept)?;
        } else {
            if self.offline {
                return Err(self.offline_error(source));
            }
            progress(Step::Fetching(source));
            let folder = temporary(&self.archives, ".fetching-")?;
            let got = client::fetch(source, &self.archives, folder.path())?;
            source.verify(&got)?;
            fetched = Some((folder, got));
        }
        let archive = fetched.as_ref().map_or(&kept, |(_, got)| got);
        let files = self.files_of(source, archive, progress)?;
        if source.registry == Registry::Git {
            let found = tree::digest(files.path())?;
            source.same("the SHA-256 of its files", found, &source.tree)?;
        }
        if let Some((_, got)) = &fetched {
            keep(got, &kept)?;
        }
        keep_folder(files, &source.place(&self.unpacked))
    }

    /// Unpacks an archive into a new folder beside the places of sources.
    fn files_of(
        &self,
        source: &Source,
        archive: &Path,
        progress: &mut dyn FnMut(Step<'_>),
    ) -> Result<tempfile::TempDir> {
        progress(Step::Unpacking(source));
        let folder = temporary(&self.unpacked, ".unpacking-")?;
        let result = match source.registry {
            // The top folder of a repository belongs to its paths.
            Registry::Git => unpack::unpack(archive, folder.path()),
            _ => unpack::unpack_lifted(archive, folder.path()),
        };
        result.map_err(|message| {
            source.error(
                format!("{}: {message}", source.archive_name()),
                "nothing was kept; the manifest must pin an archive that can be unpacked"
                    .to_owned(),
            )
        })?;
        Ok(folder)
    }

    fn offline_error(&self, source: &Source) -> Error {
        source.error(
            "it is not in the cache, and offline runs download nothing".to_owned(),
            format!(
                "run selo lab fetch on a machine with a network, or put {} into {}",
                source.archive_name(),
                self.archives.display()
            ),
        )
    }
}

fn write_error(path: &Path) -> impl FnOnce(std::io::Error) -> Error + use<> {
    let path = path.to_owned();
    move |source| Error::Write { path, source }
}

/// Makes a folder that is removed when it is dropped.
fn temporary(parent: &Path, prefix: &str) -> Result<tempfile::TempDir> {
    std::fs::create_dir_all(parent).map_err(write_error(parent))?;
    let mut builder = tempfile::Builder::new();
    let made = builder.prefix(prefix).tempdir_in(parent);
    made.map_err(write_error(parent))
}

/// Moves a verified archive into the folder of archives.
fn keep(got: &Path, kept: &Path) -> Result<()> {
    std::fs::rename(got, kept).map_err(write_error(kept))
}

/// Moves a folder to its place. The rename is atomic: the folder is complete or absent. A second
/// process finds it there.
fn keep_folder(folder: tempfile::TempDir, place: &Path) -> Result<()> {
    match std::fs::rename(folder.path(), place) {
        Ok(()) => Ok(()),
        Err(_) if place.is_dir() => Ok(()),
        Err(error) => Err(write_error(place)(error)),
    }
}
