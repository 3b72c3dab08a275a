//! Units and statistics that all houses share. This crate depends on none of them.
//!
//! | module | is |
//! |---|---|
//! | [`openmetrics`] | the text of a service's metrics |
//! | [`stats`] | means, intervals, ratios and tests of samples |
//! | [`units`] | units of measurement, and conversions between them |

pub mod csv;
pub mod interrupt;
pub mod openmetrics;
pub mod report;
pub mod stats;
pub mod table;
pub mod units;
