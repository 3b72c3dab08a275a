//! One program for the integration tests of this crate: it links the crate once.

mod compare;
mod papers;
mod recommend;
mod support;
