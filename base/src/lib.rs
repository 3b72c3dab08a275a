//! Units and statistics that the product and the lab share. It knows neither of them.
//!
//! | module | is |
//! |---|---|
//! | [`stats`] | means, intervals, ratios and tests of samples |
//! | [`units`] | the units of figures, and how they convert |

pub mod stats;
pub mod units;
