//! A publication that is not finished. Every file is written below `.publish` in the site's
//! folder, and renamed into its place at the end. Until then the site is as it was: a full disk or
//! a crash leaves only `.publish`, which the next publication removes.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use super::error::{PublishError, Result};

/// The folder of the runs.
pub const RUNS: &str = "runs";

/// The folder of what is not finished.
const UNFINISHED: &str = ".publish";

/// A part of every page of a published site, by which its front page is known again.
const OURS: &str = "<code>selo lab publish</code>";

pub struct Draft {
    site: PathBuf,
    folder: PathBuf,
    pages: usize,
    /// The last folder that was made, so that it is not made for each file.
    made: PathBuf,
    /// Unlocks when it is dropped.
    _lock: File,
}

fn failed(path: &Path) -> impl FnOnce(std::io::Error) -> PublishError {
    let path = path.to_owned();
    |source| PublishError::Write { path, source }
}

impl Draft {
    /// Locks the site and makes an empty folder for the new files.
    pub fn begin(site: &Path) -> Result<Draft> {
        let front = site.join("index.html");
        if front.exists() && !std::fs::read_to_string(&front).is_ok_and(|text| text.contains(OURS))
        {
            return Err(PublishError::NotOurs { path: front });
        }
        std::fs::create_dir_all(site).map_err(failed(site))?;
        // The folder itself is locked, so that no file for it stays in the site.
        let lock = File::open(site).map_err(failed(site))?;
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) => {
                let path = site.to_owned();
                return Err(PublishError::Busy { path });
            }
            // A file system without locks: two publications at once are not noticed.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        let folder = site.join(UNFINISHED);
        remove(&folder)?;
        std::fs::create_dir(&folder).map_err(failed(&folder))?;
        Ok(Draft {
            site: site.to_owned(),
            folder,
            pages: 0,
            made: PathBuf::new(),
            _lock: lock,
        })
    }

    /// Writes a file of the new site. `path` begins with `run/` or `latest/`, or is a file's name.
    pub fn put(&mut self, path: &str, text: &str) -> Result<()> {
        let path = self.folder.join(path);
        if let Some(parent) = path.parent().filter(|parent| *parent != self.made) {
            std::fs::create_dir_all(parent).map_err(failed(parent))?;
            self.made = parent.to_owned();
        }
        std::fs::write(&path, text).map_err(failed(&path))?;
        self.pages += usize::from(path.extension().is_some_and(|kind| kind == "html"));
        Ok(())
    }

    /// True if there is such a file among the new ones.
    pub fn has(&self, path: &str) -> bool {
        self.folder.join(path).exists()
    }

    /// Pages so far.
    pub fn pages(&self) -> usize {
        self.pages
    }

    /// Puts the new files in place: the run under its name, if it is new, then the newest pages,
    /// then the front page. The links of each step lead to what stands there already.
    pub fn finish(self, run: Option<&str>) -> Result<()> {
        if let Some(name) = run {
            let runs = self.site.join(RUNS);
            std::fs::create_dir_all(&runs).map_err(failed(&runs))?;
            let target = runs.join(name);
            std::fs::rename(self.folder.join("run"), &target).map_err(failed(&target))?;
        }
        let latest = self.site.join("latest");
        swap(
            &self.folder.join("latest"),
            &latest,
            &self.folder.join("was"),
        )
        .map_err(failed(&latest))?;
        let front = self.site.join("index.html");
        std::fs::rename(self.folder.join("index.html"), &front).map_err(failed(&front))
    }
}

impl Drop for Draft {
    /// Removes what is not in place. A failure leaves it to the next publication.
    fn drop(&mut self) {
        let _ = remove(&self.folder);
    }
}

/// Puts the folder `new` in the place of `old`. The two change places in one step, where the file
/// system can do that; elsewhere `old` is moved `aside` first, and moved back if the rest fails.
fn swap(new: &Path, old: &Path, aside: &Path) -> std::io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    if old.symlink_metadata().is_err() {
        return std::fs::rename(new, old);
    }
    if renameat_with(CWD, new, CWD, old, RenameFlags::EXCHANGE).is_ok() {
        return Ok(());
    }
    std::fs::rename(old, aside)?;
    std::fs::rename(new, old).inspect_err(|_| {
        // Only the first error is reported.
        let _ = std::fs::rename(aside, old);
    })
}

/// Removes a folder, if there is one.
fn remove(folder: &Path) -> Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(failed(folder)(error)),
        _ => Ok(()),
    }
}
