//! The node of the link in a process of its own kind: against the pinned frames of
//! `lab/vectors/link/`, against an implementation of Noise by others, and by the thousand.

mod bindings;
mod device;
mod noise;
mod vectors;
