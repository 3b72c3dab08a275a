//! The sequence of calls that measures an operation, with sizes from the algorithm.

mod kem;
mod large_signature;
mod one;

use crate::algorithm::Algorithm;
pub(crate) use one::REFUSAL;
use one::call;

use crate::interface::{AD_BYTES, INFO_BYTES, Input, Interface, Plan};

impl Interface {
    /// The calls that measure `operation` on a message (for a derivation, a key) of `bytes` bytes.
    /// Every secret is random, and so is every public input. `None` if the interface lacks the operation.
    pub fn plan(self, algorithm: &Algorithm, operation: &str, bytes: u32) -> Option<Plan> {
        use Input::Random;
        match self {
            Interface::BlockCipher
            | Interface::ModeEcb
            | Interface::ModeCbc
            | Interface::ModeCtr
            | Interface::Aead => self.plan_with_key(algorithm, operation, bytes),
            Interface::Hash => (operation == "hash").then(|| vec![call("hash", &[Random(bytes)])]),
            Interface::Mac => {
                let key = Random(algorithm.key_bytes.unwrap_or(32));
                (operation == "mac").then(|| vec![call("mac", &[key, Random(bytes)])])
            }
            Interface::Kdf => (operation == "derive").then(|| derive(bytes)),
            Interface::Dh => agree(algorithm, operation),
            Interface::Signature => sign(operation, bytes),
            Interface::LargeSignature => large_signature::plan(algorithm, operation, bytes),
            Interface::Kem => kem::plan(operation),
            Interface::PublicKey => encrypt_public(operation),
            Interface::Link | Interface::Node | Interface::Probe => None,
        }
    }

    /// The calls of a cipher: its key first, then a message.
    fn plan_with_key(self, algorithm: &Algorithm, operation: &str, bytes: u32) -> Option<Plan> {
        use Input::{InputOf, OutputOf, Public, Random};
        let known = ["key-setup", "encrypt", "decrypt", "seal", "open"];
        let operation = known.into_iter().find(|known| *known == operation)?;
        let setup = call("key-setup", &[Random(algorithm.key_bytes.unwrap_or(32))]);
        if operation == "key-setup" {
            return Some(vec![setup]);
        }
        let plan = match (self, operation) {
            (Interface::BlockCipher, "encrypt" | "decrypt") => {
                vec![setup, call(operation, &[Random(16)])]
            }
            (Interface::ModeEcb, "encrypt" | "decrypt") => {
                vec![setup, call(operation, &[Random(bytes)])]
            }
            (Interface::ModeCtr, "encrypt" | "decrypt") | (Interface::ModeCbc, "encrypt") => {
                vec![setup, call(operation, &[Public(16), Random(bytes)])]
            }
            (Interface::ModeCbc, "decrypt") => vec![
                setup,
                call("encrypt", &[Public(16), Random(bytes)]),
                call("decrypt", &[OutputOf(1)]),
            ],
            (Interface::Aead, "seal" | "open") => {
                let nonce = Public(algorithm.nonce_bytes.unwrap_or(12));
                let mut plan = vec![
                    setup,
                    call("seal", &[nonce, Public(AD_BYTES), Random(bytes)]),
                ];
                if operation == "open" {
                    let inputs = [InputOf(1, 0), InputOf(1, 1), OutputOf(1)];
                    plan.push(call("open", &inputs));
                }
                plan
            }
            _ => return None,
        };
        Some(plan)
    }

    /// Calls whose last one refuses its input, with names for them. Their time must not depend on
    /// what is wrong.
    ///
    /// A message is opened with one random bit changed. A decapsulation gets a ciphertext that was
    /// altered, and then a private key whose secret part is another.
    pub fn refusals(self, algorithm: &Algorithm, bytes: u32) -> Vec<(&'static str, Plan)> {
        match self {
            Interface::Aead => {
                let mut plan = self.plan(algorithm, "open", bytes).unwrap_or_default();
                let last = plan.last_mut().and_then(|call| call.inputs.last_mut());
                if let Some(sealed) = last {
                    *sealed = Input::AlteredOutputOf(1);
                }
                vec![(REFUSAL, plan)]
            }
            Interface::Kem => kem::refusals(algorithm),
            _ => Vec::new(),
        }
    }

    /// The operation whose time a refusal must have too. `None` if a refusal shows anyway.
    pub fn hides_refusals(self) -> Option<&'static str> {
        (self == Interface::Kem).then_some("decapsulate")
    }

    /// The calls that together are one operation, for an implementation that takes its inputs and
    /// gives its outputs in pieces.
    pub fn plan_in_pieces(self, algorithm: &Algorithm, operation: &str) -> Option<Plan> {
        let has_pieces = self == Interface::Kem && operation == "encapsulate";
        has_pieces.then(|| kem::in_pieces(algorithm)).flatten()
    }
}

/// The calls of a key derivation that gives `bytes` bytes.
fn derive(bytes: u32) -> Plan {
    use Input::{Fixed, Random};
    let size = u16::try_from(bytes).unwrap_or(u16::MAX).to_be_bytes();
    let inputs = [
        Random(32),
        Random(32),
        Random(INFO_BYTES),
        Fixed(size.to_vec()),
    ];
    vec![call("derive", &inputs)]
}

/// The calls of a key agreement.
fn agree(algorithm: &Algorithm, operation: &str) -> Option<Plan> {
    use Input::{OutputOf, Random};
    let keygen = call("keygen", &[Random(32)]);
    match operation {
        "keygen" => Some(vec![keygen]),
        // For most curves, random bytes are rarely a point.
        "shared-secret" if algorithm.public_bytes.is_some() => Some(vec![
            keygen,
            call("shared-secret", &[Random(32), OutputOf(0)]),
        ]),
        "shared-secret" => Some(vec![call("shared-secret", &[Random(32), Random(32)])]),
        _ => None,
    }
}

/// The calls of a signature of a message of `bytes` bytes.
fn sign(operation: &str, bytes: u32) -> Option<Plan> {
    use Input::{InputOf, OutputOf, Random};
    if !["keygen", "sign", "verify"].contains(&operation) {
        return None;
    }
    let mut plan = vec![call("keygen", &[Random(32)])];
    if operation != "keygen" {
        // The last input is the randomness of a signer that needs it.
        let inputs = [InputOf(0, 0), OutputOf(0), Random(bytes), Random(32)];
        plan.push(call("sign", &inputs));
    }
    if operation == "verify" {
        let inputs = [OutputOf(0), InputOf(1, 2), OutputOf(1)];
        plan.push(call("verify", &inputs));
    }
    Some(plan)
}

/// The calls of public-key encryption.
fn encrypt_public(operation: &str) -> Option<Plan> {
    use Input::{OutputOf, Random};
    let mut plan = vec![call("keygen", &[Random(32)])];
    if ["encrypt", "decrypt"].contains(&operation) {
        plan.push(call("encrypt", &[Random(32)]));
    }
    if operation == "decrypt" {
        plan.push(call("decrypt", &[OutputOf(1)]));
    }
    ["keygen", "encrypt", "decrypt"]
        .contains(&operation)
        .then_some(plan)
}
