//! Readings as both databases keep them: a row of numbers.

use crate::message::Message;

/// A new reading, with the numbers of its station and its layout.
#[derive(Debug, Clone, Copy)]
pub struct Packed<'a> {
    pub message: &'a Message,
    pub station: i32,
    pub layout: i32,
    /// The collector's time.
    pub stored: i64,
    /// The batch whose consequences are not stored yet, or 0.
    pub batch: i64,
    /// It may be kept apart until they are ([`Database::keeps_apart`](super::Database::keeps_apart)).
    pub apart: bool,
}
