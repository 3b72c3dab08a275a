//! Readings over MQTT 5 [MQTT5]: from a gateway to a broker to whoever stores or shows them.
//! What is said on which topic is described in `docs/mqtt.md`.
//!
//! | module | is |
//! |---|---|
//! | [`topic`], [`message`] | the topics, and what is said there |
//! | [`home_assistant`] | how Home Assistant learns of a device |
//! | [`client`], [`failure`] | where the broker is, TLS, and why it cannot be reached |
//! | [`publisher`] | a [`selo_gateway::sink::Sink`] that publishes |
//! | [`subscriber`] | messages with manual acknowledgement |
//! | [`broker`], [`access`] | the embedded broker; who may do what |
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
