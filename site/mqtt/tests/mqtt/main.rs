//! One program for the integration tests of this crate: it links the crate once.

mod abuse;
mod brokers;
mod support;
