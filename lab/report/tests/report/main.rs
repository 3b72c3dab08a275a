//! One program for the integration tests of this crate: it links the crate once.

mod compare;
mod paper_libraries;
mod papers;
mod recommend;
mod support;
