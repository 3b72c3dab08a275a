//! How the pages write a figure and its variant.

use maud::{Markup, html};
use selo_engine::row::Row;

use crate::format;

/// The variant and the point of a sweep.
pub fn variant(row: &Row) -> String {
    match &row.sweep {
        Some(point) => format!("{} [{point}]", row.variant),
        None => row.variant.clone(),
    }
}

/// The figure with its unit, or the reason why there is none.
pub fn value(row: &Row) -> Markup {
    let Some(value) = row.value else {
        return html! { span .bad { (format::status_words(row.status)) } };
    };
    let range = row.min.zip(row.max).filter(|(min, max)| min < max);
    html! {
        (format::interval(row.metric, value, row.ci95))
        @if let Some((min, max)) = range {
            small { (format::quantity(row.metric, min)) " to " (format::quantity(row.metric, max)) }
        }
    }
}
