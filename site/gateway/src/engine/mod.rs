//! The engine: the protocol logic of the gateway, without sockets, clocks or files.
//!
//! The caller passes in the time and the randomness. The engine returns journal entries,
//! packets to send once those entries are written, and events. Equal calls give equal results,
//! whatever carries the packets.
//!
//! | file | contents |
//! |---|---|
//! | `core.rs` | the engine, its devices, dispatch of packets |
//! | `sessions.rs` | sessions: pending, live, ended |
//! | `join.rs` | from JOIN-REQUEST to pending session |
//! | `claim.rs`, `claims.rs` | joins that a shared registry has to grant |
//! | `ownership.rs` | the shards that this engine owns |
//! | `limits.rs` | limits on packets, joins and tag checks |
//! | `admission.rs`, `budgets.rs` | tag checks within budgets, cookies, allowances of forgeries |
//! | `data.rs` | from UP to reading; acknowledgements, hints |
//! | `downlink.rs`, `queue.rs` | messages to nodes: queued, sealed, repeated |
//! | `pairing.rs`, `window.rs` | the pairing window, as the operator uses it |
//! | `attempts.rs` | the packets of pairing nodes |
//! | `restore.rs`, `restoring.rs` | sessions into the journal and back |
//! | `output.rs`, `packet.rs` | packets and events for the caller |

mod admission;
mod attempts;
mod budgets;
mod claim;
mod claims;
mod core;
mod costs;
mod data;
mod device;
mod downlink;
mod hybrid;
mod join;
mod limits;
mod output;
mod ownership;
mod packet;
mod pairing;
mod queue;
mod random;
mod restore;
mod restoring;
mod sessions;
mod table;
mod window;

pub use claim::Claim;
pub use core::{Engine, Settings};
pub use costs::Costs;
pub use device::{Device, Heard};
pub use limits::{Checks, HANDSHAKE_COST, Limits, PACKETS_BURST, PACKETS_PER_SECOND};
pub use output::{Event, Output};
pub use packet::Outgoing;
pub use queue::{Downlink, DownlinkOutcome, PAYLOAD_MAX as MESSAGE_MAX, QueueError, Ticket};
pub use random::{Random, SystemRandom};
pub use restoring::Checkpoint;
pub use window::{Attempt, Matched, PairError, WINDOW_MAX_MS, Window, WindowState};
