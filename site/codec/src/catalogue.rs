//! The catalogue of codecs: the built-in ones and those of a user's folder.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use crate::codec::Codec;
use crate::error::{Error, Result};
use crate::file;

/// Name and text of each file `site/codecs/*.toml`.
const BUILT_IN: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/built_in.rs"));

/// Codecs by name.
#[derive(Debug, Clone, Default)]
pub struct Catalogue {
    codecs: BTreeMap<String, Arc<Codec>>,
}

impl Catalogue {
    /// The built-in codecs.
    pub fn built_in() -> Result<Catalogue> {
        let mut catalogue = Catalogue::default();
        for (file, text) in BUILT_IN {
            catalogue.add(file, text)?;
        }
        Ok(catalogue)
    }

    /// The built-in codecs and the `*.toml` files of a folder. A file replaces the codec of the
    /// same name.
    pub fn with_folder(folder: Option<&Path>) -> Result<Catalogue> {
        let mut catalogue = Catalogue::built_in()?;
        let Some(folder) = folder else {
            return Ok(catalogue);
        };
        let read = |path: &Path| {
            let path = path.to_owned();
            move |source| Error::Read { path, source }
        };
        let mut files = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(read(folder))? {
            let path = entry.map_err(read(folder))?.path();
            if path.extension().is_some_and(|ending| ending == "toml") {
                files.push(path);
            }
        }
        files.sort();
        for path in files {
            let text = std::fs::read_to_string(&path).map_err(read(&path))?;
            catalogue.add(&path.display().to_string(), &text)?;
        }
        Ok(catalogue)
    }

    /// Adds the codec of a file's text. Its test vectors must hold.
    pub fn add(&mut self, file: &str, text: &str) -> Result<Arc<Codec>> {
        let codec = Arc::new(file::parse(file, text)?);
        self.codecs.insert(codec.name.clone(), codec.clone());
        Ok(codec)
    }

    /// The codec of this name.
    pub fn get(&self, name: &str) -> Result<&Arc<Codec>> {
        self.codecs.get(name).ok_or_else(|| Error::Unknown {
            name: name.escape_debug().to_string(),
            known: self.names().collect::<Vec<_>>().join(", "),
        })
    }

    /// Names of all codecs, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.codecs.keys().map(String::as_str)
    }

    /// All codecs, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Codec>> {
        self.codecs.values()
    }
}
