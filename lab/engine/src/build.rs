//! Makes images. Every object and every image is kept under a name that is a
//! hash of all that went into it, so nothing is compiled twice and nothing
//! stale is ever used.

mod archive;
mod arduino;
mod builder;
mod content;
mod image;
mod kinds;
mod object;
mod program;
mod runtime;

pub use builder::{Builder, Image, SweepPoint};
pub use program::{Group, Program};
