//! Tables, pictures and comparisons made from measurement rows.

pub mod compare;
pub mod context;
pub mod csv;
mod document;
pub mod export;
pub mod findings;
pub mod format;
pub mod gate;
mod html;
pub mod language;
mod markdown;
pub mod matrix;
pub mod pair;
pub mod paper;
mod pivot;
pub mod pqm4;
pub mod publish;
pub mod recommend;
pub mod report;
#[cfg(test)]
mod sample;
mod sections;
pub mod survey;
pub mod svg;
pub mod sweep;
pub mod table;
