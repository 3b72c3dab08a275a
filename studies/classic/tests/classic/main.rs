//! The published protocol: its keys and messages, the gateway's side, and the pinned vectors.

mod gateway;
mod key;
mod pinned;
mod vectors;
