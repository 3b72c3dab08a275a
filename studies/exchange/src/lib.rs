//! Secure exchanges between two machines, timed.
//!
//! Two published experiments, repeatable: [ferreira2020], in which a message goes to a server
//! and back, encrypted by a symmetric cipher each way, and [ferreira2021], in which a reading
//! goes to a web server by each suite of TLS 1.3. docs/researcher/exchange.md is the guide.
//!
//! | module | is |
//! |---|---|
//! | [`cipher`], [`key`] | what is computed, with which key |
//! | [`implementation`] | by whom: parts of this program, libraries of the lab |
//! | [`wire`], [`server`], [`client`] | the first experiment: frames, and the two ends |
//! | [`tls`] | the second: the two ends; what they share with the collector is in `selo_tls` |
//! | [`serving`] | what both servers have in common |
//! | [`embedded`], [`link`] | clients of C on boards: TLS libraries, and the link in their place |
//! | [`peer`] | the first experiment's client of C, with its instructions |
//! | [`payload`] | what is sent |
//! | [`row`], [`run`] | what is kept of an exchange; the order of exchanges, and going on |
//! | [`figures`], [`published`] | tables and pictures of rows; the papers' figures beside them |
//! | [`ways`] | what a reading costs by the link and by TLS |
//! | [`cli`] | the subcommands, for `selo exchange` and for the small program of this crate |

pub mod cipher;
pub mod cli;
pub mod client;
pub mod embedded;
pub mod error;
pub mod figures;
pub mod implementation;
pub mod key;
pub mod link;
mod net;
pub mod payload;
pub mod peer;
pub mod published;
pub mod row;
pub mod run;
pub mod server;
pub mod serving;
pub mod tls;
pub mod ways;
pub mod wire;

pub use error::{Error, Fault, Result};
