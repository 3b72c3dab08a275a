//! Attacks on the Selo link and services, carried out for real on loopback, and their outcome.
//!
//! | module | is |
//! |---|---|
//! | [`case`] | an attack's name, and what came of it |
//! | [`wire`] | node and gateway with the attacker between them |
//! | [`target`], [`gateway`] | what is attacked |
//! | [`classic`], [`pair`], [`join`], [`guess`] | the attacks |
//! | [`run`] | all of them |
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
