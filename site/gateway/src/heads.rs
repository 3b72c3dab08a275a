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
//! | `credentials` | keys, the file that a head starts with, and the heads that a gateway knows |
//! | `tls` | TLS 1.3 between two ends that know each other |
//! | `link` | one end of a connection |
//! | `gather` | the best of several copies of a frame |
//! | `connected` | the heads that are connected now |
//! | `strangers` | connections that have not proven themselves |
//! | `listener` | the gateway's threads |

mod connected;
mod credentials;
mod gather;
pub(crate) mod link;
mod listener;
mod strangers;
mod tls;
mod way;
pub mod wire;

pub use connected::Connected;
pub use credentials::{
    GATEWAYS_MAX, HEADS_MAX, Head, HeadFile, Identity, Place, SCHEMA, Store, check_name,
};
pub(crate) use listener::{Bound, Listener, bind};
pub(crate) use tls::{client, server_name};
pub use way::{WAY_MAX, Way};
