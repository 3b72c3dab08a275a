//! Readings over MQTT 5 [MQTT5]: from a gateway through a broker to the programs that store or
//! show them. `docs/operator/mqtt.md` describes the topics and messages.
//!
//! | module | is |
//! |---|---|
//! | [`topic`], [`message`] | topics and their messages |
//! | [`home_assistant`] | Home Assistant discovery |
//! | [`client`], [`failure`] | connection settings, TLS, and connection errors |
//! | [`publisher`] | a [`selo_gateway::sink::Sink`] that publishes |
//! | [`subscriber`] | messages with manual acknowledgement |
//! | [`broker`], [`access`] | the embedded broker; its users and rights |
//! | [`certificate`], [`setup`] | certificates, passwords and configuration for a first start |

pub mod access;
pub mod broker;
pub mod certificate;
pub mod client;
mod connection;
pub mod error;
pub mod failure;
mod front;
mod guard;
pub mod home_assistant;
pub mod message;
pub mod publisher;
pub mod setup;
pub mod subscriber;
mod throttle;
pub mod topic;

pub use broker::{Broker, BrokerConfig};
pub use client::ClientConfig;
pub use error::{Error, Result};
pub use failure::Failure;
pub use front::Limits;
pub use publisher::{Publisher, PublisherConfig, Until};
pub use subscriber::{Event, Message, Subscriber, SubscriberConfig};
