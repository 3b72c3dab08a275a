//! One call, and the name of calls that are refused.

use crate::interface::{Call, Input};

/// The name of calls whose last one refuses its input.
pub(crate) const REFUSAL: &str = "refusal";

pub(super) fn call(operation: &'static str, inputs: &[Input]) -> Call {
    Call {
        operation,
        inputs: inputs.to_vec(),
    }
}
