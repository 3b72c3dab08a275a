//! Radio heads: programs at other places that hear nodes for a gateway [docs/operator/heads.md].
//!
//! A head forwards frames and keeps nothing: no key of a device, no session, no counter. It connects
//! to the gateway over TLS 1.3, and each end accepts one certificate of the other. A stolen head can
//! drop and delay frames, and repeat those that it heard; the engine refuses repetitions.
//!
//! | module | contents |
//! |---|---|
//! | `wire` | the messages |
//! | `way` | the way back to a node, in the head's own words |
//! | `identity`, `file`, `store` | keys, the file that a head starts with, the heads that a gateway knows |
//! | `json` | their files |
//! | `tls` | TLS 1.3 between two ends that know each other |
//! | `link` | one end of a connection |
//! | `gather` | the best of several copies of a frame |
//! | `connected` | the heads that are connected now |
//! | `strangers` | connections that have not proven themselves |
//! | `listener` | the gateway's port and threads |
//! | `served` | what they do for a head |

mod connected;
mod file;
mod gather;
mod identity;
mod json;
pub(crate) mod link;
mod listener;
mod served;
mod store;
mod strangers;
mod tls;
mod way;
pub mod wire;

pub use connected::Connected;
pub use file::{GATEWAYS_MAX, HeadFile, Place, SCHEMA, check_name};
pub use identity::Identity;
pub(crate) use listener::{Bound, Listener, bind};
pub use store::{Head, Store};
pub(crate) use tls::{client, server_name};
pub use way::{WAY_MAX, Way};
