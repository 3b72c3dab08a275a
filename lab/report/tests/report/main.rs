//! One program for the integration tests of this crate: it links the crate once.

mod compare;
mod gaps;
mod paper_libraries;
mod papers;
mod recommend;
mod support;
mod winners;
