//! Builds OpenSSL's libcrypto for the board.

use std::process::{Command, Stdio};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // OpenSSL's own error would name a file of its build.
    for program in ["perl", "make"] {
        let mut command = Command::new(program);
        command.arg("--version").stdout(Stdio::null());
        if command.status().is_err() {
            eprintln!(
                "OpenSSL is built with {program}, which is not here: apt-get install {program}"
            );
            std::process::exit(1);
        }
    }
    openssl_src::Build::new().build().print_cargo_metadata();
}
