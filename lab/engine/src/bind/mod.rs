//! Binds an unknown library by trial. The official vectors are the oracle: [`call`] lists the
//! plausible ways to call each function, [`recipe`] combines them into operations of an interface,
//! and [`trial`] builds them, runs vectors, and keeps the first recipe that passes.
//!
//! ```text
//! scan -> calls: functions, the purpose and arguments of each
//!      -> recipes: set-up, encryption, decryption together, the most plausible first
//!      -> glue: the text of each recipe
//!      -> trial: build, link what is needed, run vectors
//!      -> bound: glue and manifest; or what was tried, and what came of it
//! ```

pub mod bound;
mod call;
pub mod foreign;
mod glue;
mod link;
pub mod manifest;
mod recipe;
pub mod remedy;
mod slot;
pub mod trial;
mod types;
mod uncalled;
