//! Tests of the node of the link: with the pinned frames of `lab/vectors/link/`, with an
//! independent implementation of Noise, and with a thousand nodes.

mod bindings;
mod device;
mod noise;
mod vectors;
