//! Readings over NATS JetStream: from several gateways of a site to several collectors.
//! `docs/operator/stream.md` describes the set-up, ARCHITECTURE.md why it is so.
//!
//! | module | is |
//! |---|---|
//! | [`names`] | subjects, partitions, and the names of messages |
//! | [`client`], [`failure`] | connection settings, connections, and what can be wrong with them |
//! | [`tries`] | what follows a failure: another server, a pause, a word in the log |
//! | [`stored`] | a collector's confirmation |
//! | [`publisher`] | a [`selo_gateway::sink::Sink`] that publishes |
//! | [`stream`], [`puller`] | a collector's side: the stream, and the messages of a partition |
//! | [`status`] | what an onlooker may see of the stream |

pub mod client;
pub mod failure;
pub mod names;
pub mod publisher;
pub mod puller;
pub mod status;
pub mod stored;
pub mod stream;
pub mod tries;

pub use client::StreamConfig;
pub use failure::{Failure, Kind};
pub use publisher::{Publisher, PublisherConfig};
