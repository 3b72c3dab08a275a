//! Rows of exchanges. A row is one line of JSON, written as soon as the exchange succeeds or fails.
//! It keeps the raw time stamps; figures are computed when they are shown.

mod figure;
mod lines;
pub(crate) mod record;
mod times;

pub use self::figure::Figure;
pub use self::lines::{Line, Rows, read};
pub use self::record::{Experiment, Fidelity, Row, SCHEMA, SERVED, Served, Unit};
pub use self::times::{Counted, Delivered, Sealing, Stamps, TlsTimes};
