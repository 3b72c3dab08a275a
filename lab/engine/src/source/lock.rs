//! The user's lock file: the commits that `selo lab fetch --pin` chose for sources whose manifest
//! leaves the commit open.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::address;
use super::manifest::{Source, is_hex};
use crate::data::read_toml;
use crate::error::{Error, Result};

/// The lock file, relative to the project's root.
pub const LOCK: &str = "lab/libraries.lock";

/// The pinned commit of one repository.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    pub git: String,
    pub commit: String,
    /// SHA-256 of its files.
    pub tree: String,
}

/// The contents of the lock file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    #[serde(rename = "pin", default)]
    pins: Vec<Pin>,
    #[serde(skip)]
    path: PathBuf,
}

impl Lock {
    /// Reads the lock file of the project at `root`. It need not exist.
    pub fn read(root: &Path) -> Result<Lock> {
        let path = root.join(LOCK);
        let mut lock: Lock = if path.is_file() {
            read_toml(&path)?
        } else {
            Lock::default()
        };
        let good = |pin: &Pin| {
            address::address_problem(&pin.git).is_none()
                && is_hex(&pin.commit, 40)
                && is_hex(&pin.tree, 64)
        };
        if let Some(bad) = lock.pins.iter().find(|pin| !good(pin)) {
            return Err(Error::Data {
                path,
                message: format!("the entry of {} is not a pin", bad.git),
            });
        }
        lock.path = path;
        Ok(lock)
    }

    /// The pin of a repository.
    pub fn of(&self, git: &str) -> Option<&Pin> {
        self.pins.iter().find(|pin| pin.git == git)
    }

    /// Pins a source that leaves its commit open, if its repository has an entry.
    pub fn apply(&self, source: &mut Source) {
        if !source.is_unpinned() {
            return;
        }
        if let Some(pin) = self.of(&source.git) {
            source.commit.clone_from(&pin.commit);
            source.tree.clone_from(&pin.tree);
            source.locked = true;
        }
    }

    /// Adds a pin and writes the file. An entry with other digests is never replaced.
    pub fn add(&mut self, pin: Pin) -> Result<()> {
        if let Some(known) = self.of(&pin.git) {
            for (what, found, pinned) in [
                ("its commit", &pin.commit, &known.commit),
                ("the SHA-256 of its files", &pin.tree, &known.tree),
            ] {
                if found != pinned {
                    return Err(Error::Revision {
                        package: address::name(&pin.git),
                        what,
                        found: found.clone(),
                        pinned: pinned.clone(),
                    });
                }
            }
            return Ok(());
        }
        self.pins.push(pin);
        self.pins.sort_by(|a, b| a.git.cmp(&b.git));
        self.write()
    }

    fn write(&self) -> Result<()> {
        let mut text = String::from(
            "# The commits that `selo lab fetch --pin` chose. Remove an entry to choose again.\n",
        );
        for pin in &self.pins {
            let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
            let _ = write!(
                text,
                "\n[[pin]]\ngit = {}\ncommit = {}\ntree = {}\n",
                quoted(&pin.git),
                quoted(&pin.commit),
                quoted(&pin.tree)
            );
        }
        // A reader sees the old or the new file, never a part.
        let beside = self.path.with_extension("lock-new");
        std::fs::write(&beside, text)
            .and_then(|()| std::fs::rename(&beside, &self.path))
            .map_err(|source| Error::Write {
                path: self.path.clone(),
                source,
            })
    }
}
