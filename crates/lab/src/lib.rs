//! The lab: board + contender -> image -> runner -> samples -> rows.

pub mod row;
