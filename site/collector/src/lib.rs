//! The collector: receives readings, stores them in a database, and answers queries about them.
//!
//! ```text
//! MQTT, HTTP -> ingest -> writer (one thread, one transaction a batch) -> database
//!                                   |                                       |
//!                                events -> live listeners               readers -> API
//! ```
//!
//! A message is confirmed after its transaction has been committed. It is identified by (site,
//! device, session, counter); a duplicate changes nothing.

pub mod alarm;
pub mod auth;
mod background;
pub mod beside;
mod blocking;
pub mod channel;
pub mod clock;
mod collector;
mod config;
mod days;
pub mod db;
mod error;
pub mod events;
mod follow;
mod geojson;
mod home_assistant;
pub mod http;
pub mod ingest;
mod journal;
mod live;
pub mod message;
pub mod metrics;
pub mod mqtt;
pub mod outbox;
mod overview;
pub mod plausible;
pub mod posted;
pub mod public;
pub mod query;
pub mod readers;
pub mod retention;
pub mod rollup;
pub mod schema;
mod settings;
mod shown;
mod sql;
pub mod status;
pub mod store;
pub mod stream;
pub mod timeline;
pub mod titles;

pub use crate::background::watch_clock;
pub use crate::collector::Collector;
pub use crate::config::Config;
pub use crate::error::{Error, Result};
