//! All integration tests of this crate in one program, so that the crate is linked once.

mod ether;
mod live;
