//! What all houses need, and nothing else. It knows none of them.
//!
//! | module | is |
//! |---|---|
//! | [`stats`] | means, intervals, ratios and tests of samples |
//! | [`units`] | the units of figures, and how they convert |
//! | [`report`] | errors on their way to a person: hint and exit code |
//! | [`interrupt`] | Ctrl-C |
//! | [`table`], [`csv`] | every table, rendered for a terminal, Markdown and CSV |

pub mod csv;
pub mod interrupt;
pub mod report;
pub mod stats;
pub mod table;
pub mod units;
