//! Tables, pictures and comparisons made from measurement rows.

pub mod compare;
pub mod context;
pub mod csv;
mod document;
pub mod findings;
pub mod format;
mod html;
mod markdown;
pub mod paper;
mod pivot;
pub mod recommend;
pub mod report;
#[cfg(test)]
mod sample;
mod sections;
pub mod survey;
pub mod svg;
pub mod table;
