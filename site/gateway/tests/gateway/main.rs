//! One program for the integration tests of this crate: it links the crate once.

mod admission;
mod common;
mod engine;
mod flood;
mod journal;
mod radio;
mod storm;
