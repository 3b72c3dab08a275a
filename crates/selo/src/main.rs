//! `selo`: one command, thin over the library crates.

fn main() {}
