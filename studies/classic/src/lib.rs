//! Classic: Algorithm 2 of [albarello2020] as printed. **Unsafe**: nothing is authenticated, so an
//! attacker between node and gateway can exchange a key with each and read everything.
//!
//! It serves two studies: Table V of the paper, and the attack (`selo attack --against classic`).
//! The gateway of `site/` refuses these frames; the gateway here accepts no others.
//!
//! | module | contents |
//! |---|---|
//! | [`frame`] | the four frames [docs/protocol.md, Classic] |
//! | [`key`] | the shared key, and the messages under it |
//! | [`gateway`] | the gateway's side, without a socket |
//! | [`server`] | the gateway over UDP, in a thread |
//! | [`cli`] | `selo classic`: prints readings |

pub mod cli;
pub mod frame;
pub mod gateway;
pub mod key;
pub mod server;

pub use frame::Frame;
pub use gateway::{Gateway, Reading};
pub use key::{ClassicKey, PAYLOAD_MAX};
pub use server::Server;
