//! Tests the link against its specification [docs/protocol.md], other implementations, and an
//! attacker.

mod c_node;
mod device;
mod frames;
mod handshakes;
mod hybrid;
mod noise;
mod play;
mod scripts;
mod sessions;
mod snow_peer;
mod tamper;
mod vectors;

#[path = "../../examples/vectors/format.rs"]
mod format;
#[path = "../../examples/vectors/make.rs"]
mod make;
#[path = "../../examples/vectors/make_hybrid.rs"]
mod make_hybrid;
