//! The Selo link, version 1 [docs/protocol.md]: both roles, without sockets, clocks or files.
//!
//! Callers pass in received packets and get their content or a refusal, and pass in payloads
//! and get packets to send. All state between two packets is a plain value that the caller
//! keeps. No function blocks, reads a clock, or panics on the content of a packet.
//!
//! | module | contents |
//! |---|---|
//! | [`frame`] | the parser of all packets, and the encoders |
//! | [`pair`] | four messages and six digits: from nothing to a device key |
//! | [`hybrid`] | what precedes them if the node also has ML-KEM |
//! | [`join`] | two messages: from a device key to a session |
//! | [`session`] | sealed packets, counters, the replay window |
//! | [`cookie`] | proof of an address, asked for under load |
//! | [`noise`] | the handshake framework under `join` [NOISE] |
//!
//! A gateway handles a packet with [`frame::Frame::parse`] and then, depending on its type,
//! with [`join::JoinOpened`], [`session::Session::open`] or [`pair::GatewayPairing`]. Each
//! dropped packet has a [`Reason`]; the gateway counts drops by its label.
//!
//! ```
//! use selo_link::frame::Frame;
//! use selo_link::join::{JoinAttempt, JoinOpened};
//! use selo_link::session::{SealOptions, SessionId};
//! use selo_link::{DeviceId, DeviceKey, EphemeralSecret, FRAME_MAX, Suite};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let (suite, device, key) = (Suite::ChaChaPolyBlake2s, DeviceId(7), DeviceKey::new([1; 32]));
//!
//! // The node requests a session, and the gateway accepts.
//! let (mut attempt, request) =
//!     JoinAttempt::start(suite, device, &key, 1, false, &EphemeralSecret::random()?);
//! let Frame::JoinRequest(request) = Frame::parse(&request)? else { unreachable!() };
//! let opened = JoinOpened::open(suite, &key, &request)?;
//! assert_eq!(opened.counter(), 1);
//! let (accept, keys) = opened.accept(&EphemeralSecret::random()?, SessionId(9), false)?;
//! let mut gateway = keys.gateway_session();
//!
//! let Frame::JoinAccept(accept) = Frame::parse(&accept)? else { unreachable!() };
//! let mut node = attempt.finish(&accept)?.node_session();
//!
//! // The node sends a reading.
//! let (mut sent, mut read) = ([0; FRAME_MAX], [0; FRAME_MAX]);
//! let sealed = node.seal(b"23.5 C", SealOptions::default(), &mut sent)?;
//! let Frame::Up(data) = Frame::parse(sealed.frame)? else { unreachable!() };
//! assert_eq!(gateway.open(&data, &mut read)?.payload, b"23.5 C");
//! # Ok(())
//! # }
//! ```
#![warn(missing_docs)]

pub mod cookie;
pub mod frame;
pub mod hybrid;
pub mod join;
pub mod noise;
pub mod pair;
pub mod session;

mod device;
mod ephemeral;
#[doc(hidden)]
pub mod fuzzing;
mod kem;
mod keys;
mod primitives;
mod refusal;
mod session_id;
mod suite;
mod x25519;

pub use device::{DeviceId, DeviceKey, ParseDeviceId};
pub use ephemeral::{EphemeralSecret, RandomError, random_bytes};
pub use frame::FRAME_MAX;
pub use kem::Kem;
pub use refusal::{Reason, Refusal};
pub use suite::{Suite, UnknownSuite};

/// Primitives, for programs that recompute the values of the test vectors.
#[doc(hidden)]
pub mod for_vectors {
    pub use crate::primitives::{hash, hkdf, open, seal};
    pub use crate::x25519::shared_secret;
}
