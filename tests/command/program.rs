//! Finds the commands that the tests run, next to the tests' own program. Cargo builds both with
//! the workspace; `cargo build --bins` builds a missing one.

use std::path::PathBuf;

/// The path of the command `selo` or `selo-lab`.
pub fn program(name: &str) -> PathBuf {
    let own = std::env::current_exe().expect("a running program has a path");
    // target/debug/deps/TEST -> target/debug/NAME
    let folder = own
        .ancestors()
        .nth(2)
        .expect("a test stands in target/PROFILE/deps");
    let path = folder.join(name);
    assert!(
        path.is_file(),
        "{} is missing; `cargo build --bins` makes it",
        path.display()
    );
    path
}
