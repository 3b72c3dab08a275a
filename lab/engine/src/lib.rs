//! The lab: board + library -> image -> runner -> samples -> rows.
//!
//! ```text
//! lab/boards/ lab/libraries/ lab/algorithms/ --project--> units --build--> images
//!     --runner + agent--> samples --measure--> rows --store--> rows.jsonl --derive--> all rows
//!                              \--check--> conformance lines
//! ```

pub mod agent;
pub mod algorithm;
pub mod battery;
pub mod bind;
pub mod board;
pub mod build;
mod calls;
mod cargo;
pub mod check;
mod data;
pub mod derive;
pub mod elf;
pub mod energy;
pub mod error;
mod fetch;
pub mod frame;
pub mod import;
pub mod interface;
pub mod library;
pub mod licence;
pub mod loaded;
pub mod measure;
pub mod metrics;
pub mod model;
pub mod project;
pub mod row;
pub mod runner;
pub mod scan;
pub mod schedule;
mod sketch;
pub mod source;
pub mod store;
pub mod survey;

pub use data::read_toml;
pub use error::{Error, Result};
