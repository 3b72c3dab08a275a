//! Attacks on the Selo link and services, carried out on loopback, and their outcomes.
//!
//! | module | is |
//! |---|---|
//! | [`case`] | names and outcomes of attacks |
//! | [`wire`] | node and gateway with the attacker between them |
//! | [`target`], [`gateway`] | the gateway under attack |
//! | [`classic`], [`pair`], [`join`], [`guess`] | the attacks |
//! | [`run`] | runs the attacks |
//! | [`service`] | attacks on the services: hostile clients against the running command |
#![warn(missing_docs)]

pub mod case;
pub mod classic;
mod error;
pub mod gateway;
pub mod guess;
pub mod join;
pub mod pair;
pub mod run;
pub mod service;
pub mod target;
pub mod wire;

pub use error::{Error, Result};
