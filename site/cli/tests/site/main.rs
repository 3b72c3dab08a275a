//! The tests of the command, in one program, so that the crates are linked only once.

mod chain;
mod cluster;
mod codec;
mod config;
mod config_file;
mod first_link;
mod flood;
mod gateway;
mod gateway_errors;
#[path = "../../../../tests/command/gateway_support/mod.rs"]
mod gateway_support;
mod gateway_walkthrough;
mod heads;
mod hostile_logins;
mod mqtt;
mod network;
mod operator;
mod parts;
#[path = "../../../../tests/command/postgres.rs"]
#[allow(dead_code, reason = "each crate uses its part")]
mod postgres;
mod radio;
mod seeded;
mod shared;
mod state_copies;
mod state_faults;
mod status;
mod stream;
