//! Alarms.

use serde_json::{Value as Json, json};

use crate::db::Row;
use crate::message::time_text;

/// A row of the alarms as the API shows it.
pub fn row_json(row: &Row) -> Json {
    json!({
        "alarm": row.text(1),
        "device": row.text(2),
        "active": row.opt_int(4).is_none(),
        "since": time_text(row.int(3)),
        "cleared": row.opt_int(4).map(time_text),
        "value": row.opt_real(5),
        "limit": row.real(6),
        "unit": row.text(7),
        "text": row.text(8),
    })
}
