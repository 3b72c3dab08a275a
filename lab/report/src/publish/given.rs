//! What a publication is given.

use selo_engine::check::CheckLine;
use selo_engine::row::Row;

use crate::context::Context;

/// What is published.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    pub rows: &'a [Row],
    pub checks: &'a [CheckLine],
    pub context: &'a Context,
    /// The name of the run; `None` takes that of a published run with the same rows, or else
    /// makes one of the date and the rows.
    pub name: Option<&'a str>,
    /// The moment of publication, as RFC 3339 writes it.
    pub now: &'a str,
}
