//! Tables and pictures of rows. Warm-ups and failed exchanges are in neither, but failures are
//! counted.

mod comparisons;
mod group;
mod pictures;
mod tables;

pub use self::comparisons::comparisons;
pub use self::group::{Group, groups};
pub use self::pictures::pictures;
pub use self::tables::{cautions, ram, served, symmetric, tls};
