//! The experiments over loopback, the clients of boards and of TLS libraries on this machine, and the
//! combined table.

#[path = "support/authority.rs"]
mod authority;
mod clients;
mod implementations;
mod libraries;
mod loopback;
mod peer;
mod support;
mod tls;
mod ways;
