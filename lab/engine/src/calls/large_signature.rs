//! The calls of a signature scheme with large keys. The key pair and the signature stay in the glue,
//! so no call carries them.

use super::one::call;
use crate::algorithm::Algorithm;
use crate::interface::{Input, Plan};

/// Bytes of a seed and of random numbers, where the algorithm does not say.
const USUAL: u32 = 32;

/// The time of every operation depends on the key pair, and of a signature on the message and on the
/// random bytes, so that all of them are drawn together.
pub(super) fn plan(algorithm: &Algorithm, operation: &str, bytes: u32) -> Option<Plan> {
    use Input::{Fixed, InputOf, OutputOf, Public};
    if !["keygen", "sign", "verify"].contains(&operation) {
        return None;
    }
    let seed = Public(algorithm.seed_bytes.unwrap_or(USUAL));
    let mut plan = vec![call("keygen", &[seed])];
    if operation != "keygen" {
        let random = Public(algorithm.random_bytes.unwrap_or(USUAL));
        let no_context = Fixed(Vec::new());
        plan.push(call("sign", &[Public(bytes), no_context, random]));
    }
    if operation == "verify" {
        // The output of `sign` begins with the size of the signature.
        let inputs = [InputOf(1, 0), InputOf(1, 1), OutputOf(1)];
        plan.push(call("verify", &inputs));
    }
    Some(plan)
}

#[cfg(test)]
mod tests {
    use crate::algorithm::Algorithm;
    use crate::interface::{Input, Interface};

    #[test]
    fn a_plan_carries_no_key_and_no_signature() {
        let text = "name = \"s\"\ntitle = \"S\"\ninterface = \"large-signature\"\nfamily = \"s\"\nseed_bytes = 48";
        let algorithm: Algorithm = toml::from_str(text).expect("an algorithm");
        let interface = Interface::LargeSignature;
        let plan = interface.plan(&algorithm, "verify", 9).expect("a plan");
        let inputs: Vec<&[Input]> = plan.iter().map(|call| &call.inputs[..]).collect();
        let nothing = Input::Fixed(Vec::new());
        assert_eq!(inputs[0], [Input::Public(48)]);
        assert_eq!(inputs[1], [Input::Public(9), nothing, Input::Public(32)]);
        let signed = [
            Input::InputOf(1, 0),
            Input::InputOf(1, 1),
            Input::OutputOf(1),
        ];
        assert_eq!(inputs[2], signed);
        assert!(interface.plan(&algorithm, "encapsulate", 9).is_none());
    }
}
