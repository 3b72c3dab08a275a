//! Fuzz targets as plain functions. Each takes any bytes, and panics if a promise is broken.
//!
//! `tools/fuzz.sh` runs them under libFuzzer, guided by coverage. The test `replay` runs the
//! corpus, with seeded mutations of it, through them in every `make test`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is how a target reports"
)]

pub mod codec;
pub mod exchange;
pub mod gateway_engine;

/// A target: takes any bytes, and panics if a promise is broken.
pub type Target = fn(&[u8]);

/// Every target by the name of its folder in `fuzz/corpus`.
pub const ALL: [(&str, Target); 6] = [
    ("codec", codec::run),
    ("exchange", exchange::run),
    ("gateway_engine", gateway_engine::run),
    ("heads", selo_gateway::head::fuzzing::run),
    ("link_handshakes", selo_link::fuzzing::handshakes),
    ("link_sessions", selo_link::fuzzing::session),
];
