//! Tables and pictures of rows. Warm-ups and failed exchanges are left out; the number of failures
//! is shown.

mod comparisons;
mod group;
mod pictures;
mod tables;

pub use self::comparisons::comparisons;
pub use self::group::{Group, groups};
pub use self::pictures::pictures;
pub use self::tables::{cautions, ram, served, symmetric, tls};
