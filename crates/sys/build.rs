//! Compiles the device library, every C file of `src/selo/` but the assembly overlays of
//! `src/selo/native/`, and the shim that tells the sizes of its structs.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

fn main() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../src");
    println!("cargo::rerun-if-changed={}", sources.display());
    println!("cargo::rerun-if-changed=shim.c");

    let mut files = Vec::new();
    if let Err(error) = collect(&sources.join("selo"), &mut files) {
        println!("cargo::error={}: {error}", sources.display());
        return;
    }
    files.sort();

    let mut build = cc::Build::new();
    build
        .std("c11")
        .extra_warnings(true)
        .include(&sources)
        .files(&files)
        .file("shim.c");
    if feature("BYTEWISE") {
        build.define("SELO_BYTEWISE", "1");
        build.define("SELO_X25519_WORDS", "0");
    }
    if std::env::var("OPT_LEVEL").as_deref() == Ok("0") {
        // As Rust stops at an overflow in such a build, C stops at undefined behaviour. The
        // two spellings are GCC's and Clang's; neither needs a run-time library.
        build.opt_level(1);
        build.flag_if_supported("-fsanitize=undefined");
        build.flag_if_supported("-fsanitize-trap=undefined");
        build.flag_if_supported("-fsanitize-undefined-trap-on-error");
    }
    build.compile("selo");
}

fn feature(name: &str) -> bool {
    std::env::var_os(format!("CARGO_FEATURE_{name}")).is_some()
}

/// Every C file below `directory`, in no order.
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
