//! Attacks on the join and on the packets of its session [docs/protocol.md, Join, Data].

mod downgrade;
mod flood;
mod forge;
mod guess;
mod mitm;
mod reflect;
mod replay;
mod scene;

pub use downgrade::downgrade;
pub use flood::flood;
pub use forge::forge;
pub use guess::guess;
pub use mitm::mitm;
pub use reflect::reflect;
pub use replay::replay;
