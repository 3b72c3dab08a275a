//! All tests of the command in one program, so that the crates are linked once.

mod arduino;
mod attack;
mod bad_input;
mod bench;
mod common;
mod configured;
mod demo;
mod exchange;
mod field;
#[path = "../../../../tests/command/gateway_support/mod.rs"]
mod gateway_support;
mod given;
mod hash_signature;
mod hostile;
mod import;
mod instrument;
mod lab_gate;
mod node;
#[path = "../../src/old_words.rs"]
#[allow(dead_code, reason = "the program calls what is not tested")]
mod old_words;
mod onramp_signature;
mod own_iv;
mod paper_libraries;
mod planted;
mod port;
#[path = "../../../../tests/command/postgres.rs"]
#[allow(dead_code, reason = "each crate uses its part")]
mod postgres;
#[path = "../../../../lab/engine/tests/engine/pty_board/mod.rs"]
#[allow(dead_code, reason = "each crate uses its part")]
mod pty_board;
mod publish;
mod radio;
mod refusals;
mod schemas;
mod shapes;
mod signature;
mod survey;
mod uno;
mod versions;
mod walkthroughs;
mod widths;
