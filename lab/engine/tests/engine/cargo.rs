//! Tests a library whose functions are in a crate: cargo builds it for a board, and again only if
//! the crate changes. A target without a core library gives an error that says so.

use std::path::{Path, PathBuf};

use selo_engine::board::{Board, Rust};
use selo_engine::build::Builder;
use selo_engine::measure::{Lab, default_metrics};
use selo_engine::project::{Project, Selection};
use selo_engine::row::Status;

const MANIFEST: &str = r#"
name = "in-rust"
title = "In Rust"
version = "1"
licence = "MIT"
test_only = true

[cargo]
folder = "crate"
library = "in_rust"

[[implementation]]
algorithms = ["probe"]
variants = ["plain"]
glue = "glue.c"
operations = ["twice"]
boards = ["native"]
"#;

const GLUE: &str = r#"
#include "agent.h"

uint32_t in_rust_twice(uint32_t x);

static uint8_t twice(struct agent_call *call)
{
    uint32_t x = 21;
    AGENT_MEASURE(x = in_rust_twice(x));
    call->out[0] = (uint8_t)x;
    call->out_size = 1;
    return x == 42 ? 0 : 1;
}

AGENT_OPERATIONS(AGENT_OPERATION(TWICE, "twice", twice))
"#;

const CARGO: &str = r#"
[package]
name = "in-rust"
version = "0.0.0"
edition = "2024"

[workspace]

[lib]
crate-type = ["staticlib"]

[profile.release]
panic = "abort"
"#;

const LOCK: &str = r#"
version = 4

[[package]]
name = "in-rust"
version = "0.0.0"
"#;

const SOURCE: &str = r#"
#![no_std]

#[unsafe(no_mangle)]
pub extern "C" fn in_rust_twice(x: u32) -> u32 {
    x.wrapping_mul(2)
}

#[panic_handler]
fn stop(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
"#;

fn library(folder: &Path) {
    std::fs::create_dir_all(folder.join("crate/src")).expect("a folder");
    for (name, text) in [
        ("library.toml", MANIFEST),
        ("glue.c", GLUE),
        ("crate/Cargo.toml", CARGO),
        ("crate/Cargo.lock", LOCK),
        ("crate/src/lib.rs", SOURCE),
    ] {
        std::fs::write(folder.join(name), text.trim_start()).expect("a written file");
    }
}

fn project(folder: &Path) -> Project {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = root.canonicalize().expect("the repository");
    let mut project = Project::load(&root).expect("this project");
    project.add_library(folder).expect("the library");
    project
}

fn statuses(project: &Project, board: &Board) -> Vec<(Status, String)> {
    let selection = Selection {
        libraries: vec!["in-rust".into()],
        ..Selection::default()
    };
    let catalog = project.catalog().expect("its vectors");
    let lab = Lab {
        project,
        board,
        builder: Builder::new(project, board).expect("its compiler"),
        catalog: &catalog,
        runner: board.runner.clone(),
        run: "test".into(),
        commit: String::new(),
        metrics: default_metrics(project, board),
        operations: Vec::new(),
        power: None,
        cycle_limit: Some(50_000_000),
        whole: &[],
    };
    let units = project.units(board, &selection).expect("units");
    assert_eq!(units.len(), 1);
    let rows = lab.measure(&units[0], &|_| None).expect("rows");
    let told = rows.into_iter();
    told.map(|row| (row.status, row.reason().unwrap_or_default()))
        .collect()
}

/// The digest of the library's image.
fn image(project: &Project, board: &Board) -> String {
    let builder = Builder::new(project, board).expect("its compiler");
    let selection = Selection {
        libraries: vec!["in-rust".into()],
        ..Selection::default()
    };
    let units = project.units(board, &selection).expect("units");
    builder.agent(&units[0]).expect("an image").sha256
}

fn went_wrong(row: &(Status, String)) -> bool {
    matches!(row.0, Status::Failed | Status::Crashed)
}

#[test]
fn a_crate_is_built_measured_and_built_anew_when_it_changes() {
    let folder = tempfile::tempdir().expect("a folder");
    library(folder.path());
    let project = project(folder.path());
    let board = project.board("native").expect("this PC");
    let rows = statuses(&project, board);
    assert!(
        rows.iter().any(|(status, _)| *status == Status::Ok),
        "{rows:?}"
    );
    assert!(!rows.iter().any(went_wrong), "{rows:?}");

    let first = image(&project, board);
    assert_eq!(image(&project, board), first, "nothing changed");
    let source = folder.path().join("crate/src/lib.rs");
    std::fs::write(&source, SOURCE.replace("(2)", "(3)")).expect("a written file");
    assert_ne!(
        image(&project, board),
        first,
        "what is linked is what stands there now"
    );
}

#[test]
fn what_brings_a_missing_target_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    library(folder.path());
    let project = project(folder.path());
    let mut board = project.board("native").expect("this PC").clone();
    board.toolchain.rust = Some(Rust {
        target: Some("avr-none".into()),
        install: Some("another line".into()),
        ..Rust::default()
    });
    let rows = statuses(&project, &board);
    let (status, reason) = &rows[0];
    assert_eq!(*status, Status::Failed, "{rows:?}");
    for part in ["avr-none", "rustup target add avr-none", "or: another line"] {
        assert!(reason.contains(part), "{reason}");
    }
}
