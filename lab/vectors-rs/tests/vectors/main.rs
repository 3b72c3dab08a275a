//! One program for the integration tests of this crate: it links the crate once.

mod catalogue;
mod common;
mod parsers;
