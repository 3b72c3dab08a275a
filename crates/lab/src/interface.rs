//! The interfaces through which algorithms are called: which operations each
//! has, which calls come before an operation is measured, with which inputs,
//! and which images weigh its memory.
//!
//! An interface is what the agent's glue implements (docs/agent-protocol.md);
//! an algorithm names the one that it has.

use rand::RngCore;
use serde::Deserialize;

use crate::algorithm::Algorithm;

/// The kinds of algorithm that the lab knows how to call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Interface {
    BlockCipher,
    ModeEcb,
    ModeCbc,
    ModeCtr,
    Hash,
    Mac,
    Dh,
    PublicKey,
    /// Free-form operations that take nothing; for testing the instrument.
    Probe,
}

/// An input field of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// Fresh random bytes: secret as far as constant time is concerned.
    Random(u32),
    /// The output of an earlier call of the same plan, by index.
    OutputOf(usize),
}

/// One call of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    pub operation: &'static str,
    pub inputs: Vec<Input>,
}

/// The calls that lead to a measurement; the last one is measured.
pub type Plan = Vec<Call>;

/// A program whose memory is weighed: its name in rows, and the operations linked into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footprint {
    pub name: &'static str,
    pub operations: &'static [&'static str],
}

const fn footprint(name: &'static str, operations: &'static [&'static str]) -> Footprint {
    Footprint { name, operations }
}

fn call(operation: &'static str, inputs: &[Input]) -> Call {
    Call {
        operation,
        inputs: inputs.to_vec(),
    }
}

impl Interface {
    /// The operations that are timed, in the order of tables. Operations that
    /// only carry state (`start`, `update`, `finish`) are not among them.
    pub fn timed_operations(self) -> &'static [&'static str] {
        match self {
            Interface::BlockCipher
            | Interface::ModeEcb
            | Interface::ModeCbc
            | Interface::ModeCtr => &["key-setup", "encrypt", "decrypt"],
            Interface::Hash => &["hash"],
            Interface::Mac => &["mac"],
            Interface::Dh => &["keygen", "shared-secret"],
            Interface::PublicKey => &["keygen", "encrypt", "decrypt"],
            Interface::Probe => &[],
        }
    }

    /// Whether `operation` takes a message whose size is worth a column.
    pub fn takes_message(self, operation: &str) -> bool {
        match self {
            Interface::BlockCipher
            | Interface::ModeEcb
            | Interface::ModeCbc
            | Interface::ModeCtr => operation != "key-setup",
            Interface::Hash | Interface::Mac => true,
            Interface::Dh | Interface::PublicKey | Interface::Probe => false,
        }
    }

    /// The images that weigh flash and static RAM.
    pub fn footprints(self) -> &'static [Footprint] {
        const CIPHER: &[Footprint] = &[
            footprint("encrypt", &["key-setup", "encrypt"]),
            footprint("decrypt", &["key-setup", "decrypt"]),
            footprint("both", &["key-setup", "encrypt", "decrypt"]),
        ];
        const HASH: &[Footprint] = &[footprint("hash", &["hash"])];
        const MAC: &[Footprint] = &[footprint("mac", &["mac"])];
        const DH: &[Footprint] = &[
            footprint("keygen", &["keygen"]),
            footprint("shared-secret", &["shared-secret"]),
            footprint("both", &["keygen", "shared-secret"]),
        ];
        const PUBLIC_KEY: &[Footprint] = &[
            footprint("keygen", &["keygen"]),
            footprint("encrypt", &["encrypt"]),
            footprint("decrypt", &["decrypt"]),
            footprint("both", &["keygen", "encrypt", "decrypt"]),
        ];
        match self {
            Interface::BlockCipher
            | Interface::ModeEcb
            | Interface::ModeCbc
            | Interface::ModeCtr => CIPHER,
            Interface::Hash => HASH,
            Interface::Mac => MAC,
            Interface::Dh => DH,
            Interface::PublicKey => PUBLIC_KEY,
            Interface::Probe => &[],
        }
    }

    /// The calls that measure `operation` on a message of `bytes` bytes, every
    /// secret drawn afresh. `None` for an operation that the interface does not have.
    pub fn plan(self, algorithm: &Algorithm, operation: &str, bytes: u32) -> Option<Plan> {
        use Input::{OutputOf, Random};
        let key = Random(algorithm.key_bytes.unwrap_or(32));
        let setup = call("key-setup", std::slice::from_ref(&key));
        let plan = match (self, operation) {
            (
                Interface::BlockCipher
                | Interface::ModeEcb
                | Interface::ModeCbc
                | Interface::ModeCtr,
                "key-setup",
            ) => vec![setup],
            (Interface::BlockCipher, "encrypt") => vec![setup, call("encrypt", &[Random(16)])],
            (Interface::BlockCipher, "decrypt") => vec![setup, call("decrypt", &[Random(16)])],
            (Interface::ModeEcb, "encrypt") => vec![setup, call("encrypt", &[Random(bytes)])],
            (Interface::ModeEcb, "decrypt") => vec![setup, call("decrypt", &[Random(bytes)])],
            (Interface::ModeCbc, "encrypt") => {
                vec![setup, call("encrypt", &[Random(16), Random(bytes)])]
            }
            (Interface::ModeCbc, "decrypt") => vec![
                setup,
                call("encrypt", &[Random(16), Random(bytes)]),
                call("decrypt", &[OutputOf(1)]),
            ],
            (Interface::ModeCtr, "encrypt") => {
                vec![setup, call("encrypt", &[Random(16), Random(bytes)])]
            }
            (Interface::ModeCtr, "decrypt") => {
                vec![setup, call("decrypt", &[Random(16), Random(bytes)])]
            }
            (Interface::Hash, "hash") => vec![call("hash", &[Random(bytes)])],
            (Interface::Mac, "mac") => vec![call("mac", &[key, Random(bytes)])],
            (Interface::Dh, "keygen") => vec![call("keygen", &[Random(32)])],
            (Interface::Dh, "shared-secret") => {
                vec![call("shared-secret", &[Random(32), Random(32)])]
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
}

impl Input {
    /// The bytes of this input, given the outputs of the calls before it.
    pub fn bytes(&self, rng: &mut dyn RngCore, outputs: &[Vec<u8>]) -> Vec<u8> {
        match self {
            Input::Random(size) => {
                let mut bytes = vec![0; *size as usize];
                rng.fill_bytes(&mut bytes);
                bytes
            }
            Input::OutputOf(index) => outputs[*index].clone(),
        }
    }
}
