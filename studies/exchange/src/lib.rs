//! Secure exchanges between two machines, timed.
//!
//! This crate repeats two published experiments. In [ferreira2020] a message goes to a server and
//! back, encrypted by a symmetric cipher each way. In [ferreira2021] a reading goes to a web server
//! by each suite of TLS 1.3. docs/researcher/exchange.md is the guide.
//!
//! | module | contents |
//! |---|---|
//! | [`cipher`], [`key`] | the ciphers and their keys |
//! | [`implementation`] | implementations: parts of this program, libraries of the lab |
//! | [`wire`], [`server`], [`client`] | the first experiment: frames and the two ends |
//! | [`tls`] | the second experiment: the two ends; `selo_tls` has the parts shared with the collector |
//! | [`serving`] | code that both servers share |
//! | [`embedded`], [`link`] | clients in C on boards: TLS libraries, and the link in their place |
//! | [`peer`] | the first experiment's ends in C, with their instructions |
//! | [`payload`] | the messages |
//! | [`row`], [`run`] | rows of exchanges; the order of exchanges, and resuming a run |
//! | [`figures`], [`published`] | tables and pictures of rows; the papers' figures beside them |
//! | [`ways`] | the cost of a reading by the link and by TLS |
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
mod random;
pub mod row;
pub mod run;
pub mod server;
pub mod serving;
pub mod tls;
pub mod ways;
pub mod wire;

pub use error::{Error, Fault, Result};
