//! One program for the integration tests of this crate: it links the crate once.

mod accounts;
mod alarms;
mod api;
mod backlog;
mod blocking;
mod bounds;
mod channels;
mod common;
mod durability;
mod earlier;
mod grafana;
mod home_assistant;
mod late;
mod leases;
mod limits;
mod many;
mod map;
mod mqtt;
mod packed;
mod posted;
mod public;
mod rights;
mod store;
mod timeline;
mod tls;
