//! Attacks on the pairing [docs/protocol.md, Pair].

mod downgrade;
mod flood;
mod forge;
mod guess;
pub mod hybrid;
mod mitm;
mod reflect;
mod replay;
mod scene;

pub use downgrade::downgrade;
pub use flood::flood;
pub use forge::forge;
pub use guess::{guess, guess_without_commitment};
pub use mitm::mitm;
pub use reflect::reflect;
pub use replay::replay;
pub use scene::{Operator, careful};
