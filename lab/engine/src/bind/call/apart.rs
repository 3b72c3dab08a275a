//! Functions for blocks that stay in the library: one puts a block there, one runs the cipher, and
//! one gives the result.

use super::name::{begins, says};
use crate::bind::slot::Purpose;
use crate::bind::types::{Shape, shape};
use crate::scan::Scanned;
use crate::scan::declarations::Function;

const LOADS: [&str; 10] = [
    "load", "set", "put", "write", "input", "data", "block", "plain", "state", "in",
];
const FETCHES: [&str; 8] = [
    "read", "get", "fetch", "output", "result", "unload", "store", "out",
];
const RUNS: [&str; 6] = ["run", "do", "start", "execute", "go", "exec"];
const OF_BLOCKS: [&str; 8] = [
    "data", "block", "plain", "state", "input", "output", "text", "result",
];

/// The plausible purposes of a function for blocks that stay in the library. `own`: the words of its
/// name. `ways`: whether they speak of encryption and of decryption.
pub(super) fn purposes(
    own: &[String],
    function: &Function,
    scanned: &Scanned,
    ways: (bool, bool),
) -> Vec<(Purpose, u32)> {
    let shapes: Vec<Shape> = function
        .parameters
        .iter()
        .map(|p| shape(scanned, p))
        .collect();
    let is_buffer = |shape: &&Shape| matches!(shape, Shape::Bytes { .. } | Shape::Untyped);
    let buffers = shapes.iter().filter(is_buffer).count();
    let others = shapes
        .iter()
        .any(|shape| matches!(shape, Shape::Odd | Shape::Words | Shape::StructureOut));
    let (encrypts, decrypts) = ways;
    let mut found = Vec::new();
    if others || shapes.len() > 3 {
        return found;
    }
    match buffers {
        0 if decrypts => found.push((Purpose::RunBack, 1)),
        0 if encrypts => found.push((Purpose::Run, 1)),
        0 if says(own, &RUNS) && !shapes.is_empty() => found.push((Purpose::Run, 3)),
        1 if !says(own, &["key", "iv", "nonce"]) => {
            let dear = 2 * u32::from(!begins(own, &OF_BLOCKS));
            if begins(own, &LOADS) {
                found.push((Purpose::Load, dear));
            }
            if begins(own, &FETCHES) {
                found.push((Purpose::Fetch, dear));
            }
        }
        _ => {}
    }
    found
}
