//! Compiling and linking, with the cache: the name of an object or image is a hash of all that went
//! into it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use sha2::{Digest, Sha256};

use super::builder::{Builder, Image, missing};
use super::content::Content;
use crate::data::sorted_entries;
use crate::elf;
use crate::error::{Error, Result};
use crate::library::Unit;

/// A source larger than this is none: a compiler would work on it for hours.
const LARGEST_SOURCE: u64 = 16 << 20;

impl Builder<'_> {
    /// The object of one of a unit's sources or of its glue, as the agent image has it.
    pub(crate) fn object_of(&self, unit: &Unit<'_>, source: &Path) -> Result<PathBuf> {
        let mut flags = self.image_flags(unit, Content::Library);
        if source == unit.glue() {
            flags.extend(self.glue_flags(unit, &[]));
        }
        if crate::data::is_cpp(source) {
            flags.extend(unit.library.cxx_flags.iter().cloned());
        }
        self.object(source, &self.includes(unit), &flags)
    }

    /// Compiles one file, unless that has been done with the same inputs.
    pub(super) fn object(
        &self,
        source: &Path,
        include: &[PathBuf],
        flags: &[String],
    ) -> Result<PathBuf> {
        let cpp = crate::data::is_cpp(source);
        let toolchain = &self.board.toolchain;
        let driver = if cpp {
            toolchain.cxx()
        } else {
            toolchain.cc.clone()
        };
        let flags = &if cpp {
            self.cxx_flags(flags)
        } else {
            // A dialect of C++ among the flags of a library is for its sources in C++.
            let of_cpp = |flag: &&String| flag.starts_with("-std=") && flag.contains("++");
            flags.iter().filter(|flag| !of_cpp(flag)).cloned().collect()
        };
        let mut hash = self.hasher();
        if cpp {
            feed(&mut hash, driver.as_bytes());
        }
        self.feed_source(&mut hash, source, include, flags)?;
        let path = self
            .cache
            .join(format!("{}.o", hex::encode(&hash.finalize()[..16])));
        once(&path, || {
            let mut arguments: Vec<OsString> = flags.iter().map(OsString::from).collect();
            for folder in include {
                arguments.push("-I".into());
                arguments.push(self.relative(folder).into());
            }
            arguments.extend(["-c".into(), self.relative(source).into()]);
            let what = self.relative(source).to_string_lossy();
            self.run_compiler(&driver, arguments, &path, &what)
        })?;
        Ok(path)
    }

    /// All that a source's object depends on, but for the compiler.
    pub(super) fn feed_source(
        &self,
        hash: &mut Sha256,
        source: &Path,
        include: &[PathBuf],
        flags: &[String],
    ) -> Result<()> {
        let size = source.metadata().map_or(0, |data| data.len());
        if size > LARGEST_SOURCE {
            return Err(Error::Data {
                path: source.to_owned(),
                message: format!("{} MB is too large for a source file", size >> 20),
            });
        }
        let content = std::fs::read(source).map_err(|error| Error::Read {
            path: source.to_owned(),
            source: error,
        })?;
        feed(hash, self.relative(source).to_string_lossy().as_bytes());
        feed(hash, &content);
        for flag in flags {
            feed(hash, flag.as_bytes());
        }
        let own = source.parent().map(Path::to_owned);
        for folder in include.iter().chain(&own) {
            feed(hash, &self.headers_of(folder)?);
        }
        Ok(())
    }

    /// Flags of C for C++: the port's for C++ come in the place of its dialect of C.
    fn cxx_flags(&self, flags: &[String]) -> Vec<String> {
        let of_c = |flag: &String| {
            let dialect = flag.strip_prefix("-std=");
            dialect.is_some_and(|dialect| !dialect.contains("++"))
        };
        let own = self.port.cxx_flags.iter();
        own.chain(flags.iter().filter(|flag| !of_c(flag)))
            .cloned()
            .collect()
    }

    pub(super) fn link(
        &self,
        objects: &[PathBuf],
        flags: &[String],
        link: &[String],
        what: &str,
    ) -> Result<Image> {
        let mut hash = self.hasher();
        for object in objects {
            feed(
                &mut hash,
                self.relative(object).to_string_lossy().as_bytes(),
            );
        }
        for flag in flags.iter().chain(link) {
            feed(&mut hash, flag.as_bytes());
        }
        let path = self
            .cache
            .join(format!("{}.elf", hex::encode(&hash.finalize()[..16])));
        once(&path, || {
            let mut arguments: Vec<OsString> = flags.iter().map(OsString::from).collect();
            // The linker writes the names of assembled objects into the image.
            arguments.extend(objects.iter().map(|object| self.relative(object).into()));
            arguments.extend(link.iter().map(OsString::from));
            self.run_compiler(&self.board.toolchain.cc, arguments, &path, what)
        })?;
        self.weighed(path)
    }

    pub(super) fn weighed(&self, path: PathBuf) -> Result<Image> {
        let data = std::fs::read(&path).map_err(|source| Error::Read {
            path: path.clone(),
            source,
        })?;
        Ok(Image {
            sha256: hex::encode(Sha256::digest(&data)),
            weight: elf::weigh(&path)?,
            path,
        })
    }

    /// Runs the compiler from the project's root, so that no path of this
    /// machine gets into an image, and moves the result into place at once.
    fn run_compiler(
        &self,
        cc: &str,
        arguments: Vec<OsString>,
        output: &Path,
        what: &str,
    ) -> Result<()> {
        let write_error = |source| Error::Write {
            path: output.to_owned(),
            source,
        };
        let temporary = tempfile::Builder::new()
            .prefix("making-")
            .tempfile_in(&self.cache)
            .map_err(write_error)?
            .into_temp_path();
        let mut words = vec![OsString::from(cc)];
        words.extend(arguments);
        words.extend(["-o".into(), temporary.as_os_str().to_owned()]);
        self.compile(&words, what)?;
        temporary
            .persist(output)
            .map_err(|error| write_error(error.error))
    }

    /// Runs a command of the toolchain from the project's root.
    pub(super) fn compile(&self, words: &[impl AsRef<std::ffi::OsStr>], what: &str) -> Result<()> {
        let program = words
            .first()
            .map_or(std::ffi::OsStr::new(""), AsRef::as_ref);
        let name = program.to_string_lossy();
        let done = Command::new(program)
            .args(words.iter().skip(1))
            .current_dir(&self.project.root)
            .stdin(Stdio::null())
            .output()
            .map_err(|_| missing(self.board, &name))?;
        if done.status.success() {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&done.stderr);
        // Many warnings must not hide the error.
        let error = text.lines().position(|line| line.contains("error"));
        let from = error.filter(|at| *at >= 20).unwrap_or(0);
        let lines: Vec<&str> = text.lines().skip(from).take(20).collect();
        Err(Error::Compile {
            program: name.into_owned(),
            what: what.to_owned(),
            output: lines.join("\n"),
        })
    }

    pub(super) fn hasher(&self) -> Sha256 {
        let mut hash = Sha256::new();
        feed(&mut hash, self.board.toolchain.cc.as_bytes());
        feed(&mut hash, self.compiler.as_bytes());
        hash
    }

    /// Digest of every header below `folder`: coarse, but never stale.
    fn headers_of(&self, folder: &Path) -> Result<[u8; 32]> {
        let known = |map: &BTreeMap<PathBuf, [u8; 32]>| map.get(folder).copied();
        if let Some(digest) = self.headers.lock().ok().and_then(|map| known(&map)) {
            return Ok(digest);
        }
        let mut hash = Sha256::new();
        if folder.is_dir() {
            hash_headers(folder, &self.project.root, &mut hash, &mut BTreeSet::new())?;
        }
        let digest: [u8; 32] = hash.finalize().into();
        if let Ok(mut map) = self.headers.lock() {
            map.insert(folder.to_owned(), digest);
        }
        Ok(digest)
    }

    pub(super) fn relative<'p>(&self, path: &'p Path) -> &'p Path {
        path.strip_prefix(&self.project.root).unwrap_or(path)
    }
}

/// Makes a file of the cache, unless it is there. Who wants the same file at the same time waits for
/// it. Compiled twice, it would take twice the time, and an object that is replaced while another
/// process links it breaks link-time optimisation: each compilation gives it another number.
pub(super) fn once(path: &Path, make: impl FnOnce() -> Result<()>) -> Result<()> {
    if path.is_file() {
        return Ok(());
    }
    let _held = hold(path).map_err(|source| Error::Write {
        path: path.to_owned(),
        source,
    })?;
    if path.is_file() {
        return Ok(());
    }
    make()
}

/// Creates the file's folder and waits until no other process or thread makes the file. The next may
/// do so when the result is dropped, or its process has ended. Files whose names begin alike share a
/// lock, so that the folder has at most 256 of them.
fn hold(path: &Path) -> std::io::Result<File> {
    let folder = path.parent().unwrap_or(Path::new(""));
    std::fs::create_dir_all(folder)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let begins: String = name.chars().take(2).collect();
    let file = File::create(folder.join(format!("lock-{begins}")))?;
    file.lock()?;
    Ok(file)
}

/// `root` is left out of their names: the digest is the same wherever the project lies. `seen` has
/// the folders that were read, because a link in a folder can lead back to it.
fn hash_headers(
    folder: &Path,
    root: &Path,
    hash: &mut Sha256,
    seen: &mut BTreeSet<PathBuf>,
) -> Result<()> {
    if !folder.canonicalize().is_ok_and(|real| seen.insert(real)) {
        return Ok(());
    }
    for path in sorted_entries(folder)? {
        if path.is_dir() {
            hash_headers(&path, root, hash, seen)?;
        } else if path
            .extension()
            .is_some_and(|e| e == "h" || e == "inc" || e == "hpp")
            && path.is_file()
        {
            let name = path.strip_prefix(root).unwrap_or(&path);
            feed(hash, name.to_string_lossy().as_bytes());
            let content = std::fs::read(&path).map_err(|source| Error::Read {
                path: path.clone(),
                source,
            })?;
            feed(hash, &content);
        }
    }
    Ok(())
}

/// Hashes a length before the bytes, so that neighbours cannot run together.
pub(super) fn feed(hash: &mut Sha256, bytes: &[u8]) {
    hash.update((bytes.len() as u64).to_le_bytes());
    hash.update(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_wants_the_same_object_waits_for_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let object = folder.path().join("images/uno/0123.o");
        let made = std::sync::atomic::AtomicU32::new(0);
        let start = std::sync::Barrier::new(8);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    start.wait();
                    let make = || {
                        made.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                        std::thread::sleep(std::time::Duration::from_millis(100));
                        std::fs::write(&object, "an object").expect("a written file");
                        Ok(())
                    };
                    once(&object, make).expect("an object");
                    assert!(object.is_file());
                });
            }
        });
        assert_eq!(made.into_inner(), 1);
    }

    #[test]
    fn an_object_that_could_not_be_made_is_made_by_the_next() {
        let folder = tempfile::tempdir().expect("a folder");
        let object = folder.path().join("0123.o");
        let failure = || Error::Compile {
            program: "cc".into(),
            what: "toy.c".into(),
            output: String::new(),
        };
        assert!(once(&object, || Err(failure())).is_err());
        once(&object, || {
            std::fs::write(&object, "an object").expect("a written file");
            Ok(())
        })
        .expect("an object");
        assert!(object.is_file());
    }

    #[test]
    fn a_link_back_to_its_folder_is_not_followed_for_ever() {
        let folder = tempfile::tempdir().expect("a folder");
        let top = folder.path();
        std::fs::write(top.join("toy.h"), "int toy(void);\n").expect("a header");
        std::os::unix::fs::symlink(top, top.join("round")).expect("a link");
        std::os::unix::fs::symlink("nowhere", top.join("lost.h")).expect("a link");
        let mut hash = Sha256::new();
        let mut seen = BTreeSet::new();
        hash_headers(top, top, &mut hash, &mut seen).expect("a digest");
        assert_eq!(seen.len(), 1);
        let mut other = Sha256::new();
        feed(&mut other, b"toy.h");
        feed(&mut other, b"int toy(void);\n");
        assert_eq!(hash.finalize(), other.finalize());
    }
}
