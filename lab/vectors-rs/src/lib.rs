//! Official test vectors as typed cases, run against any implementation.
//!
//! The files and their sources are data, in `lab/vectors/` of the repository; see its README.md.
//! This crate knows no board and no library. A caller provides an [`Implementation`] that
//! carries out one operation at a time, on a simulated chip, a real board or natively. Each
//! [`Case`] then returns its result.
//!
//! ```no_run
//! # fn example(implementation: &mut dyn selo_vectors::Implementation) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
//! let catalog = selo_vectors::Catalog::load(std::path::Path::new("vectors"))?;
//! for set in catalog.sets_for("aes-128-cbc") {
//!     for case in set.cases("aes-128-cbc")? {
//!         println!("{} {} {:?}", set.id, case.id, case.run(implementation)?);
//!     }
//! }
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod algorithm;
mod case;
mod catalog;
mod error;
mod implementation;
pub mod parse;
mod run;
mod sample;
mod show;

pub use algorithm::{Aead, AeadSizes, Algorithm, Hash, Interface, Kem, LargeSignature};
pub use case::{AeadMessage, Case, CaseKind, CaseResult, CbcNext, Direction, LargeKey};
pub use catalog::{Catalog, Set, VectorFile};
pub use error::Error;
pub use implementation::{CallError, CallOutput, Implementation, status};
pub use run::place;
pub use sample::stratified;
