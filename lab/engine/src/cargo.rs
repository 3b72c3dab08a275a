//! A library in Rust. Its manifest names a crate in the library's folder that builds a static
//! library, and the glue calls its functions. `cargo` fetches the crate's dependencies, pinned by
//! the digests in `Cargo.lock`, and builds the crate for the board's target.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use sha2::{Digest, Sha256};

use crate::board::{Board, Rust};
use crate::data::sorted_entries;
use crate::error::{Error, Result};
use crate::library::{Crate, Library};

const CARGO: &str = "cargo";

/// Sources that several crates take by their path.
const COMMON: &str = "lab/libraries/common/rust";

impl Library {
    /// The folder of the library's crate.
    fn crate_folder(&self, of: &Crate) -> PathBuf {
        self.folder.join(&of.folder)
    }

    /// True if cargo can build the library's crate without a network.
    pub(crate) fn crate_is_cached(&self) -> bool {
        let Some(of) = &self.cargo else { return true };
        fetch(&self.crate_folder(of), true).is_ok_and(|output| output.status.success())
    }

    /// Fetches the dependencies of the library's crate into cargo's cache.
    pub(crate) fn fetch_crate(&self, offline: bool) -> Result<()> {
        let Some(of) = &self.cargo else { return Ok(()) };
        let output = fetch(&self.crate_folder(of), offline)?;
        if output.status.success() {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&output.stderr);
        Err(Error::Source {
            package: format!("{} (crates)", self.name),
            message: format!("cargo did not download the crates: {}", first_lines(&text)),
            hint: if offline {
                format!(
                    "connect this machine to a network and run selo lab fetch {}",
                    self.name
                )
            } else {
                "check the network, then run the same command again; cargo keeps what it has downloaded".to_owned()
            },
        })
    }
}

fn fetch(folder: &Path, offline: bool) -> Result<std::process::Output> {
    let mut command = cargo(folder, "fetch");
    command.args(offline.then_some("--offline"));
    command.output().map_err(|_| missing("libraries in Rust"))
}

fn cargo(folder: &Path, what: &str) -> Command {
    let mut command = Command::new(CARGO);
    command
        .args([what, "--quiet", "--locked", "--manifest-path"])
        .arg(folder.join("Cargo.toml"))
        // Settings for other builds must not affect this one.
        .env_remove("CARGO_TARGET_DIR")
        .env_remove("CARGO_BUILD_TARGET")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .stdin(Stdio::null());
    command
}

fn missing(needed_for: &str) -> Error {
    Error::MissingProgram {
        program: CARGO.to_owned(),
        needed_for: needed_for.to_owned(),
        packages: vec!["cargo".to_owned()],
        install: String::new(),
    }
}

fn first_lines(text: &str) -> String {
    text.lines().take(20).collect::<Vec<_>>().join("\n")
}

/// Builds the crate of `library` for `board` below `target/` and returns the path of the static
/// library. Does nothing if a library with the same sources and compiler is there.
pub(crate) fn build(root: &Path, board: &Board, library: &Library, of: &Crate) -> Result<PathBuf> {
    let folder = library.crate_folder(of);
    let what = format!("the crate of {}", library.name);
    let needed = format!("building {what}");
    let version = rustc(&["-vV"]).ok_or_else(|| missing(&needed))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    let rust = board.toolchain.rust.clone().unwrap_or_default();
    let target = rust.target.as_deref().or(host).unwrap_or_default();
    has_core(&rust, target, &what)?;

    let name = format!("lib{}.a", of.library);
    let mut hash = Sha256::new();
    for part in [&version, target, &rust.flags.join(" ")] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash_files(&folder, &folder, &mut hash)?;
    let common = root.join(COMMON);
    if common.is_dir() {
        hash_files(&common, &common, &mut hash)?;
    }
    let images = root.join("target/images").join(&board.name);
    let kept = images.join(format!("{}-{name}", hex::encode(&hash.finalize()[..16])));
    if kept.is_file() {
        return Ok(kept);
    }
    let built = root.join("target/cargo").join(&library.name);
    let flags = without_paths(rust.flags, root);
    let output = cargo(&folder, "build")
        .args(["--release", "--offline", "--target", target, "--target-dir"])
        .arg(&built)
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"))
        .output()
        .map_err(|_| missing(&needed))?;
    if !output.status.success() {
        return Err(Error::Compile {
            program: CARGO.to_owned(),
            what,
            output: first_lines(&String::from_utf8_lossy(&output.stderr)),
        });
    }
    let made = built.join(target).join("release").join(&name);
    if !made.is_file() {
        return Err(Error::Data {
            path: folder.join("Cargo.toml"),
            message: format!(
                "cargo did not build {name}: the crate needs crate-type = [\"staticlib\"]"
            ),
        });
    }
    keep(&made, &kept, &images)?;
    Ok(kept)
}

/// The flags, and those that keep paths of this machine out of an image.
fn without_paths(mut flags: Vec<String>, root: &Path) -> Vec<String> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home =
        home.or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".cargo")));
    for (from, to) in [(home.unwrap_or_default(), "cargo"), (root.to_owned(), ".")] {
        flags.push(format!("--remap-path-prefix={}={to}", from.display()));
    }
    flags
}

/// Copies to a temporary name, then renames, so that no incomplete file has the final name.
fn keep(made: &Path, kept: &Path, images: &Path) -> Result<()> {
    let write_error = |source| Error::Write {
        path: kept.to_owned(),
        source,
    };
    std::fs::create_dir_all(images).map_err(write_error)?;
    let partial = tempfile::Builder::new()
        .prefix("making-")
        .tempfile_in(images);
    let partial = partial.map_err(write_error)?.into_temp_path();
    std::fs::copy(made, &partial).map_err(write_error)?;
    partial
        .persist(kept)
        .map_err(|error| write_error(error.error))
}

/// Fails, with a way to install it, if the compiler has no core library for `target`.
fn has_core(rust: &Rust, target: &str, what: &str) -> Result<()> {
    let folder = rustc(&["--print", "target-libdir", "--target", target]);
    let library = |path: &PathBuf| {
        path.file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with("libcore-"))
    };
    let there = folder.is_some_and(|folder| {
        sorted_entries(Path::new(folder.trim())).is_ok_and(|files| files.iter().any(library))
    });
    if there {
        return Ok(());
    }
    let or = rust.install.iter().map(|line| format!(", or: {line}"));
    Err(Error::Compile {
        program: CARGO.to_owned(),
        what: what.to_owned(),
        output: format!(
            "the Rust compiler has no core library for {target}; rustup target add {target} installs it{}",
            or.collect::<String>()
        ),
    })
}

/// The output of rustc; `None` if rustc is missing or fails.
fn rustc(arguments: &[&str]) -> Option<String> {
    let output = Command::new("rustc")
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    output.status.success().then_some(text)
}

/// Hashes every file of the crate except `target/`, by its path in the crate.
fn hash_files(folder: &Path, root: &Path, hash: &mut Sha256) -> Result<()> {
    for path in sorted_entries(folder)? {
        let name = path.strip_prefix(root).unwrap_or(&path);
        if path.is_dir() {
            if name != Path::new("target") {
                hash_files(&path, root, hash)?;
            }
            continue;
        }
        let content = std::fs::read(&path).map_err(|source| Error::Read {
            path: path.clone(),
            source,
        })?;
        for part in [name.to_string_lossy().as_bytes(), &content] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
    }
    Ok(())
}
