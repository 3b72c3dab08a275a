//! The archive of the functions behind Arduino's headers.

use std::path::{Path, PathBuf};

use sha2::Digest;

use super::builder::Builder;
use super::content::Content;
use super::object::{feed, once};
use crate::error::{Error, Result};

/// The archiver that belongs to a compiler. GCC's knows objects of link-time optimisation.
fn archiver(cc: &str) -> String {
    if cc.ends_with("gcc") {
        format!("{cc}-ar")
    } else {
        "ar".to_owned()
    }
}

impl Builder<'_> {
    /// The archive of the functions behind Arduino's headers.
    pub(super) fn arduino_archive(&self, content: Content) -> Result<PathBuf> {
        let mut flags = self.board.toolchain.flags.clone();
        flags.extend(self.port.flags.iter().cloned());
        flags.extend(self.arduino_macros());
        // The float.h of avr-gcc 5.4 hides DECIMAL_DIG from C++, and the core's WString.cpp needs it.
        flags.extend(["-Os", "-w", "-DDECIMAL_DIG=__DECIMAL_DIG__"].map(str::to_owned));
        if content == Content::Whole {
            flags = self.as_whole(flags);
        }
        let flags = self.vary(flags);
        let sources = self.arduino.sources.iter();
        let sources: Vec<_> = sources.map(|path| (path.clone(), flags.clone())).collect();
        let objects = self.objects(&sources, &self.arduino.include)?;
        let mut hash = self.hasher();
        for object in &objects {
            feed(&mut hash, object.as_os_str().as_encoded_bytes());
        }
        let name = hex::encode(&hash.finalize()[..16]);
        let path = self.cache.join(format!("{name}.a"));
        once(&path, || self.make_archive(&objects, &path))?;
        Ok(path)
    }

    fn make_archive(&self, objects: &[PathBuf], path: &Path) -> Result<()> {
        // `ar` adds to an archive that exists, so it gets a name that no file has.
        let folder = tempfile::Builder::new()
            .prefix("making-")
            .tempdir_in(&self.cache)
            .map_err(|source| Error::Write {
                path: self.cache.clone(),
                source,
            })?;
        let made = folder.path().join("arduino.a");
        let mut words = vec![archiver(&self.board.toolchain.cc), "rcsD".to_owned()];
        words.push(made.to_string_lossy().into_owned());
        words.extend(
            objects
                .iter()
                .map(|object| object.to_string_lossy().into_owned()),
        );
        self.compile(&words, "the functions of an Arduino core")?;
        std::fs::rename(&made, path).map_err(|source| Error::Write {
            path: path.to_owned(),
            source,
        })
    }
}
