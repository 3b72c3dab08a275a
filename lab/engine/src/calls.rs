//! The sequence of calls that measures an operation, with sizes from the algorithm.

use crate::algorithm::Algorithm;

use crate::interface::{AD_BYTES, Call, INFO_BYTES, Input, Interface, Plan};

impl Interface {
    /// The calls that measure `operation` on a message (for a derivation, a key) of `bytes` bytes.
    /// Every secret is random, and so is every public input. `None` if the interface lacks the operation.
    pub fn plan(self, algorithm: &Algorithm, operation: &str, bytes: u32) -> Option<Plan> {
        use Input::{Fixed, InputOf, OutputOf, Public, Random};
        let key = Random(algorithm.key_bytes.unwrap_or(32));
        let setup = call("key-setup", std::slice::from_ref(&key));
        let plan = match (self, operation) {
            (
                Interface::BlockCipher
                | Interface::ModeEcb
                | Interface::ModeCbc
                | Interface::ModeCtr
                | Interface::Aead,
                "key-setup",
            ) => vec![setup],
            (Interface::BlockCipher, "encrypt") => vec![setup, call("encrypt", &[Random(16)])],
            (Interface::BlockCipher, "decrypt") => vec![setup, call("decrypt", &[Random(16)])],
            (Interface::ModeEcb, "encrypt") => vec![setup, call("encrypt", &[Random(bytes)])],
            (Interface::ModeEcb, "decrypt") => vec![setup, call("decrypt", &[Random(bytes)])],
            (Interface::ModeCbc, "encrypt") => {
                vec![setup, call("encrypt", &[Public(16), Random(bytes)])]
            }
            (Interface::ModeCbc, "decrypt") => vec![
                setup,
                call("encrypt", &[Public(16), Random(bytes)]),
                call("decrypt", &[OutputOf(1)]),
            ],
            (Interface::ModeCtr, "encrypt") => {
                vec![setup, call("encrypt", &[Public(16), Random(bytes)])]
            }
            (Interface::ModeCtr, "decrypt") => {
                vec![setup, call("decrypt", &[Public(16), Random(bytes)])]
            }
            (Interface::Hash, "hash") => vec![call("hash", &[Random(bytes)])],
            (Interface::Mac, "mac") => vec![call("mac", &[key, Random(bytes)])],
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
            (Interface::Kdf, "derive") => {
                let size = u16::try_from(bytes).unwrap_or(u16::MAX).to_be_bytes();
                let inputs = [
                    Random(32),
                    Random(32),
                    Random(INFO_BYTES),
                    Fixed(size.to_vec()),
                ];
                vec![call("derive", &inputs)]
            }
            (Interface::Dh, "keygen") => vec![call("keygen", &[Random(32)])],
            // For most curves, random bytes are rarely a point.
            (Interface::Dh, "shared-secret") if algorithm.public_bytes.is_some() => vec![
                call("keygen", &[Random(32)]),
                call("shared-secret", &[Random(32), OutputOf(0)]),
            ],
            (Interface::Dh, "shared-secret") => {
                vec![call("shared-secret", &[Random(32), Random(32)])]
            }
            (Interface::Signature, "keygen" | "sign" | "verify") => {
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
                plan
            }
            (Interface::PublicKey, "keygen") => vec![call("keygen", &[Random(32)])],
            (Interface::PublicKey, "encrypt") => {
                vec![
                    call("keygen", &[Random(32)]),
                    call("encrypt", &[Random(32)]),
                ]
            }
            (Interface::PublicKey, "decrypt") => vec![
                call("keygen", &[Random(32)]),
                call("encrypt", &[Random(32)]),
                call("decrypt", &[OutputOf(1)]),
            ],
            _ => return None,
        };
        Some(plan)
    }

    /// The calls that open a sealed message with one random bit changed. The time of such a refusal
    /// must not depend on which bit is wrong. `None` unless the interface is [`Interface::Aead`].
    pub fn refusal(self, algorithm: &Algorithm, bytes: u32) -> Option<Plan> {
        let Interface::Aead = self else {
            return None;
        };
        let mut plan = self.plan(algorithm, "open", bytes)?;
        *plan.last_mut()?.inputs.last_mut()? = Input::AlteredOutputOf(1);
        Some(plan)
    }
}

fn call(operation: &'static str, inputs: &[Input]) -> Call {
    Call {
        operation,
        inputs: inputs.to_vec(),
    }
}
