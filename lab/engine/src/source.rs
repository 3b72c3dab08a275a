//! Fetches a library's sources: an archive of a package registry, pinned by its digest in the
//! manifest, fetched by the registry's own client, and unpacked into the project's cache. Only the
//! archive is used, and nothing in it is executed.
//!
//! Archives are kept in `target/archives`, or in the folder that `SELO_ARCHIVES` names. A machine
//! without a network needs only the files in that folder. Archives are always unpacked into
//! `target/sources`, so that paths in an image do not depend on the archives' folder.

mod client;
mod manifest;
mod unpack;

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

use manifest::unpacked;
pub use manifest::{Registry, Source};

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
                Err(error @ Error::Digest { .. }) => return Err(error),
                Err(error) => {
                    first.get_or_insert(error);
                }
            }
        }
        first.map_or(Ok(()), Err)
    }

    fn bring(&self, source: &Source, progress: &mut dyn FnMut(Step<'_>)) -> Result<()> {
        let write_error = |path: &Path| {
            let path = path.to_owned();
            move |error| Error::Write {
                path,
                source: error,
            }
        };
        let kept = self.archives.join(&source.archive);
        if kept.is_file() {
            source.verify(&kept)?;
        } else {
            if self.offline {
                return Err(source.error(
                    "it is not in the cache, and offline runs download nothing".to_owned(),
                    format!(
                        "run selo lab fetch on a machine with a network, or put {} into {}",
                        source.archive,
                        self.archives.display()
                    ),
                ));
            }
            progress(Step::Fetching(source));
            std::fs::create_dir_all(&self.archives).map_err(write_error(&self.archives))?;
            let folder = tempfile::Builder::new()
                .prefix(".fetching-")
                .tempdir_in(&self.archives)
                .map_err(write_error(&self.archives))?;
            let got = client::fetch(source, &self.archives, folder.path())?;
            source.verify(&got)?;
            std::fs::rename(&got, &kept).map_err(write_error(&kept))?;
        }
        progress(Step::Unpacking(source));
        std::fs::create_dir_all(&self.unpacked).map_err(write_error(&self.unpacked))?;
        let folder = tempfile::Builder::new()
            .prefix(".unpacking-")
            .tempdir_in(&self.unpacked)
            .map_err(write_error(&self.unpacked))?;
        unpack::unpack(&kept, folder.path()).map_err(|message| {
            source.error(
                format!("{}: {message}", source.archive),
                "nothing was kept; the manifest must pin an archive that can be unpacked"
                    .to_owned(),
            )
        })?;
        // The rename is atomic: the folder is complete or absent. A second process finds it there.
        let place = source.place(&self.unpacked);
        match std::fs::rename(folder.path(), &place) {
            Ok(()) => Ok(()),
            Err(_) if place.is_dir() => Ok(()),
            Err(error) => Err(write_error(&place)(error)),
        }
    }
}
