//! Compiles the device library: every C file of `src/selo/` except the assembly overlays of
//! `src/selo/native/`, and the shim that returns the sizes of its structs.
//!
//! The node of the link is compiled once per suite and way of pairing, and its functions are
//! renamed, so that one process can have nodes of all suites.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

fn main() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../src");
    println!("cargo::rerun-if-changed={}", sources.display());
    println!("cargo::rerun-if-changed=shim.c");
    println!("cargo::rerun-if-changed=node_shim.c");
    if let Err(error) = compile(&sources) {
        println!("cargo::error={}: {error}", sources.display());
    }
}

/// Codes of the suites in selo.h.
const SUITES: std::ops::RangeInclusive<u8> = 1..=4;

/// Values of SELO_LINK_HYBRID: pairing with X25519 alone, or also with ML-KEM-512 or -768.
const HYBRIDS: [u16; 3] = [0, 512, 768];

fn compile(sources: &Path) -> io::Result<()> {
    let mut files = Vec::new();
    collect(&sources.join("selo"), &mut files)?;
    files.sort();
    let link = [sources.join("selo/noise"), sources.join("selo/link")];
    let (node, files): (Vec<_>, Vec<_>) = files
        .into_iter()
        .partition(|file| link.iter().any(|folder| file.starts_with(folder)));

    let names = functions_of_the_link(sources, &link)?;
    for (suite, hybrid) in SUITES.flat_map(|suite| HYBRIDS.map(|hybrid| (suite, hybrid))) {
        let of = match hybrid {
            0 => format!("suite{suite}"),
            _ => format!("suite{suite}_mlkem{hybrid}"),
        };
        let mut build = settings(sources);
        build
            .files(&node)
            .file("node_shim.c")
            .define("SELO_LINK_SUITE", &*suite.to_string())
            .define("SELO_LINK_HYBRID", &*hybrid.to_string())
            .define("SELO_SYS_NODE", &*format!("selo_sys_node_{of}"));
        for name in &names {
            build.define(name, &*format!("{name}_{of}"));
        }
        build.compile(&format!("selo_node_{of}"));
    }
    settings(sources)
        .files(&files)
        .file("shim.c")
        .compile("selo");
    Ok(())
}

/// The names of all functions declared in the link's headers and in its part of selo.h.
fn functions_of_the_link(sources: &Path, link: &[PathBuf]) -> io::Result<BTreeSet<String>> {
    let header = fs::read_to_string(sources.join("selo.h"))?;
    let (_, mut text) = header
        .split_once("/* ---- The link")
        .map(|(before, after)| (before, after.to_owned()))
        .ok_or_else(|| io::Error::other("selo.h has no part that begins /* ---- The link"))?;
    for folder in link {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "h") {
                text.push_str(&fs::read_to_string(path)?);
            }
        }
    }
    Ok(text
        .split(|c: char| !c.is_alphanumeric() && c != '_' && c != '(')
        .filter_map(|word| word.split_once('('))
        .map(|(name, _)| name)
        .filter(|name| name.starts_with("selo_"))
        .map(str::to_owned)
        .collect())
}

/// The compiler settings for all files.
fn settings(sources: &Path) -> cc::Build {
    let mut build = cc::Build::new();
    build.std("c11").extra_warnings(true).include(sources);
    if feature("BYTEWISE") {
        build.define("SELO_BYTEWISE", "1");
        build.define("SELO_X25519_WORDS", "0");
    }
    if std::env::var("OPT_LEVEL").as_deref() == Ok("0") {
        // In such a build Rust stops at an overflow, so C stops at undefined behaviour. One
        // spelling is GCC's, the other Clang's; neither needs a run-time library.
        build.opt_level(1);
        build.flag_if_supported("-fsanitize=undefined");
        build.flag_if_supported("-fsanitize-trap=undefined");
        build.flag_if_supported("-fsanitize-undefined-trap-on-error");
    }
    build
}

fn feature(name: &str) -> bool {
    std::env::var_os(format!("CARGO_FEATURE_{name}")).is_some()
}

/// Collects every C file below `directory`, in no particular order.
fn collect(directory: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            if path.file_name().is_some_and(|name| name != "native") {
                collect(&path, files)?;
            }
        } else if path.extension().is_some_and(|extension| extension == "c") {
            files.push(path);
        }
    }
    Ok(())
}
