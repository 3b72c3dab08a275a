//! One program for the integration tests of this crate: it links the crate once.

mod alarms;
mod api;
mod backlog;
mod blocking;
mod bounds;
mod common;
mod durability;
mod exchange;
mod grafana;
mod late;
mod limits;
mod mqtt;
mod rights;
mod store;
mod tls;
