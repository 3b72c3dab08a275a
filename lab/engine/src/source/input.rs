//! Brings a library that a user names into a folder of the lab's own: a folder, an archive, or the
//! newest commit of a git repository. What the user named is only read. The place of the copy
//! depends on its files, so the same files are copied once.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use super::common;
use super::links::Links;
use super::unpack::{self, LARGEST, MOST_FILES};
use super::{Source, Sources, Step, UNPINNED, keep_folder, temporary, tree, write_error};
use crate::bind::remedy::Around;
use crate::data::sorted_entries;
use crate::error::{Error, Result};
use crate::scan;

/// Folders that no library is built from, and that may be large.
const LEFT_OUT: [&str; 3] = [".git", "node_modules", ".pio"];

/// The folders above a library from which its files may include others.
const LEVELS: usize = 2;

impl Sources {
    /// Fetches the newest commit of a repository.
    pub fn newest(&self, address: &str, progress: &mut dyn FnMut(Step<'_>)) -> Result<PathBuf> {
        let text = format!(
            "git = {}\ncommit = \"{UNPINNED}\"",
            toml::Value::from(address)
        );
        let source: Source = toml::from_str(&text).map_err(|error| Error::Data {
            path: address.into(),
            message: error.to_string(),
        })?;
        if let Some(message) = source.problem() {
            return Err(Error::Data {
                path: address.into(),
                message,
            });
        }
        let pin = self.pin(&source, progress)?;
        let source = Source {
            commit: pin.commit,
            tree: pin.tree,
            ..source
        };
        Ok(source.place(&self.unpacked))
    }

    /// Unpacks an archive, without a single top folder.
    pub fn unpacked(&self, archive: &Path) -> Result<PathBuf> {
        let name = archive.file_name().unwrap_or_default().to_string_lossy();
        let end = unpack::SUFFIXES
            .iter()
            .find_map(|end| name.strip_suffix(end));
        let folder = temporary(&self.inputs, ".unpacking-")?;
        let place = folder.path().join(plain(end.unwrap_or(&name)));
        std::fs::create_dir(&place).map_err(write_error(&place))?;
        unpack::unpack_lifted(archive, &place).map_err(|message| Error::NoLibrary {
            folder: archive.to_owned(),
            message: format!("was not unpacked: {message}"),
        })?;
        self.put(folder, &place)
    }

    /// Copies a folder, and the files around it that its files include. Links are left out.
    pub fn copied(&self, given: &Path) -> Result<PathBuf> {
        self.copied_with(given, Links(None))
    }

    /// The same for a part of a tree. Links to files of that tree are followed.
    pub fn copied_of_tree(&self, given: &Path, tree: &Path) -> Result<PathBuf> {
        let tree = tree.canonicalize().map_err(|source| Error::Read {
            path: tree.to_owned(),
            source,
        })?;
        self.copied_with(given, Links(Some(&tree)))
    }

    fn copied_with(&self, given: &Path, links: Links<'_>) -> Result<PathBuf> {
        let folder = given.canonicalize().map_err(|source| Error::Read {
            path: given.to_owned(),
            source,
        })?;
        let into = temporary(&self.inputs, ".copying-")?;
        let top = folder.ancestors().take(LEVELS + 1).last();
        let top = top.unwrap_or(&folder);
        let mut copy = Copy {
            top,
            links,
            into: into.path(),
            bytes: 0,
            files: BTreeSet::new(),
            around: Around::default(),
        };
        copy.folder(&folder)?;
        copy.around(&folder)?;
        let place = copy.place(&folder);
        copy.shared(&folder, &place)?;
        if copy.files.is_empty() {
            return Err(Error::NoLibrary {
                folder: given.to_owned(),
                message: "is empty".to_owned(),
            });
        }
        self.put(into, &place)
    }

    /// Moves a filled folder to its place, which its digest names. `inside` is the library in it.
    fn put(&self, folder: tempfile::TempDir, inside: &Path) -> Result<PathBuf> {
        let digest = tree::digest(folder.path())?;
        let inside = inside.strip_prefix(folder.path()).unwrap_or(Path::new(""));
        let place = self.inputs.join(digest.get(..16).unwrap_or_default());
        let library = place.join(inside);
        if !library.is_dir() {
            keep_folder(folder, &place)?;
        }
        Ok(library)
    }
}

/// A copy in progress.
struct Copy<'a> {
    links: Links<'a>,
    /// The highest folder from which files are copied.
    top: &'a Path,
    into: &'a Path,
    bytes: u64,
    files: BTreeSet<PathBuf>,
    /// The headers around the folder.
    around: Around,
}

impl Copy<'_> {
    fn place(&self, path: &Path) -> PathBuf {
        self.into.join(path.strip_prefix(self.top).unwrap_or(path))
    }

    fn folder(&mut self, folder: &Path) -> Result<()> {
        for path in sorted_entries(folder)? {
            let name = path.file_name().unwrap_or_default();
            if LEFT_OUT.iter().any(|left| name == *left) {
                continue;
            }
            if path.is_dir() && !path.is_symlink() {
                self.folder(&path)?;
            } else if self.links.may_take(&path) {
                self.file(&path)?;
            }
        }
        Ok(())
    }

    fn file(&mut self, path: &Path) -> Result<()> {
        if !self.files.insert(path.to_owned()) {
            return Ok(());
        }
        let place = self.place(path);
        self.file_at(path, &place)
    }

    fn file_at(&mut self, path: &Path, place: &Path) -> Result<()> {
        let size = path.metadata().map_or(0, |data| data.len());
        self.bytes = self.bytes.saturating_add(size);
        if self.bytes > LARGEST || self.files.len() > MOST_FILES {
            return Err(Error::NoLibrary {
                folder: path.parent().unwrap_or(path).to_owned(),
                message: format!("has more than {LARGEST} bytes or {MOST_FILES} files"),
            });
        }
        let parent = place.parent().unwrap_or(self.into);
        std::fs::create_dir_all(parent).map_err(write_error(parent))?;
        std::fs::copy(path, place).map_err(write_error(place))?;
        Ok(())
    }

    /// Copies what the files take from a shared folder above, into a folder of that name inside the
    /// library's copy: the lab knows a library as one folder.
    fn shared(&mut self, folder: &Path, place: &Path) -> Result<()> {
        for (name, path) in common::files(folder, &self.files, self.links) {
            let to = place.join(common::FOLDER).join(name);
            self.file_at(&path, &to)?;
        }
        Ok(())
    }

    fn is_outside(&self, path: &Path, folder: &Path) -> bool {
        let near = path.starts_with(self.top) && !path.starts_with(folder);
        near && self.links.may_take(path)
    }

    /// A header that neither the library nor the folders around it have under that name, but a
    /// folder below those.
    fn beside(&mut self, folder: &Path, here: &Path, name: &str) -> Option<PathBuf> {
        let known = [here, folder]
            .iter()
            .any(|from| normal(&from.join(name)).is_file());
        let inside = || self.files.iter().any(|file| file.ends_with(name));
        // A name without a folder may be any neighbour's file, unless a neighbour's own header has
        // it.
        let above = folder.parent().unwrap_or(folder);
        let neighbour = here.strip_prefix(above).ok()?.components().next();
        let neighbour = neighbour.map(|first| above.join(first));
        let neighbour = neighbour.filter(|root| !folder.starts_with(root));
        let is_clear = name.contains('/') || neighbour.is_some();
        if known || !is_clear || name.contains("..") || name.starts_with('/') || inside() {
            return None;
        }
        let within = neighbour.as_ref().filter(|_| !name.contains('/'));
        let place = match within {
            Some(root) => self.around.above(&root.join(name), name)?,
            None => self.around.above(folder, name)?,
        };
        let path = normal(&place.join(name));
        let fits = within.is_none_or(|root| path.starts_with(root));
        (fits && self.is_outside(&path, folder)).then_some(path)
    }

    /// Copies the files outside the folder that its files include, and those that these include.
    fn around(&mut self, folder: &Path) -> Result<()> {
        let mut open: Vec<PathBuf> = self.files.iter().cloned().collect();
        let mut looked: BTreeSet<String> = BTreeSet::new();
        while let Some(file) = open.pop() {
            let here = file.parent().unwrap_or(folder).to_owned();
            let above = folder.parent().unwrap_or(folder);
            for name in scan::included(&file) {
                for from in [&here, above] {
                    let path = normal(&from.join(&name));
                    if self.is_outside(&path, folder) && !self.files.contains(&path) {
                        self.file(&path)?;
                        open.push(path);
                    }
                }
                if !looked.insert(name.clone()) {
                    continue;
                }
                // The library's own build may name a folder of headers beside it.
                if let Some(path) = self.beside(folder, &here, &name)
                    && !self.files.contains(&path)
                {
                    self.file(&path)?;
                    open.push(path);
                }
            }
        }
        Ok(())
    }
}

/// The path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}

/// A name for a folder.
fn plain(name: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let name = name.replace(|c: char| !fits(c), "-");
    match name.trim_start_matches('.') {
        "" => "library".to_owned(),
        name => name.to_owned(),
    }
}
