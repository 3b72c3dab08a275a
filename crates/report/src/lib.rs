//! Tables, pictures and comparisons made from measurement rows.

pub mod csv;
pub mod format;
pub mod table;
pub mod svg;
