//! One program for the integration tests of this crate: it links the crate once.

mod ether;
mod live;
