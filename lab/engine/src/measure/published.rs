//! Calls that verify published signatures of a scheme with large keys, for a board on which the
//! library has no room to sign.

use selo_vectors::{Case, CaseKind, Catalog, place};

use crate::error::Result;
use crate::interface::{Call, Input, Plan};

/// Public keys whose signatures are verified.
const KEYS: usize = 10;

/// Bytes of a piece of a key or signature, which fit any agent's buffers.
const PIECE: usize = 64;

/// Most bytes of a message and its context.
const MESSAGE: usize = 512;

/// The parts that `load` takes.
const PUBLIC: u8 = 0;
const SIGNATURE: u8 = 2;

/// The calls for signatures of several public keys.
pub(super) fn published_signatures(catalog: &Catalog, algorithm: &str) -> Result<Vec<Plan>> {
    let mut keys: Vec<Vec<u8>> = Vec::new();
    let mut plans = Vec::new();
    for set in catalog.sets_for(algorithm) {
        for case in set.cases(algorithm)? {
            let Some([public, message, context, signature]) = parts(case) else {
                continue;
            };
            if keys.len() < KEYS && !keys.contains(&public) {
                plans.push(plan(&public, [&message, &context], &signature));
                keys.push(public);
            }
        }
    }
    Ok(plans)
}

/// Public key, message, context and signature of a case with a message that any board takes.
fn parts(case: Case) -> Option<[Vec<u8>; 4]> {
    match case.kind {
        CaseKind::LargeSign {
            public,
            message,
            context,
            signature,
            ..
        }
        | CaseKind::LargeVerify {
            public,
            message,
            context,
            signature,
            valid: true,
        } => (message.len() + context.len() <= MESSAGE)
            .then_some([public, message, context, signature]),
        _ => None,
    }
}

fn plan(public: &[u8], [message, context]: [&[u8]; 2], signature: &[u8]) -> Plan {
    let mut calls = Vec::new();
    for (part, bytes) in [(PUBLIC, public), (SIGNATURE, signature)] {
        for (number, piece) in bytes.chunks(PIECE).enumerate() {
            let inputs = [vec![part], place(number * PIECE), piece.to_vec()];
            calls.push(Call {
                operation: "load",
                inputs: inputs.map(Input::Fixed).to_vec(),
            });
        }
    }
    let inputs = [message.to_vec(), context.to_vec(), place(signature.len())];
    calls.push(Call {
        operation: "verify",
        inputs: inputs.map(Input::Fixed).to_vec(),
    });
    calls
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_and_a_signature_are_loaded_whole() {
        let plan = plan(&[1; 130], [&[2; 5], &[]], &[3; 64]);
        let [first, .., last] = &plan[..] else {
            panic!("several calls");
        };
        assert_eq!(plan.len(), 3 + 1 + 1);
        assert_eq!(first.inputs[2], Input::Fixed(vec![1; 64]));
        assert_eq!(plan[2].inputs[1], Input::Fixed(vec![0, 128]));
        assert_eq!(plan[2].inputs[2], Input::Fixed(vec![1; 2]));
        assert_eq!(last.operation, "verify");
        assert_eq!(last.inputs[2], Input::Fixed(vec![0, 64]));
    }
}
