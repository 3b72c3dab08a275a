//! What all houses share: units, statistics, errors, addresses. This crate depends on none of them.
//!
//! | module | is |
//! |---|---|
//! | [`address`] | addresses of clients, as limits count them |
//! | [`openmetrics`] | the text of a service's metrics |
//! | [`stats`] | means, intervals, ratios and tests of samples |
//! | [`units`] | units of measurement, and conversions between them |

pub mod address;
pub mod csv;
pub mod interrupt;
pub mod openmetrics;
pub mod report;
pub mod stats;
pub mod table;
pub mod units;
