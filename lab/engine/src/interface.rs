//! The interfaces through which algorithms are called: which operations each
//! has, which calls come before an operation is measured, with which inputs,
//! and which images weigh its memory.
//!
//! An interface is what the agent's glue implements (docs/contributor/agent-protocol.md);
//! an algorithm names the one that it has.

use rand::RngCore;
use serde::Deserialize;

use crate::row::{Fidelity, Metric};

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
    /// Authenticated encryption with associated data.
    Aead,
    /// Key derivation: HKDF.
    Kdf,
    Dh,
    Signature,
    PublicKey,
    /// The link: a whole node, which is played to by a gateway (`link.rs`) and not called.
    Link,
    /// A whole node with a radio, transmitter and receiver (`experiment.rs`).
    Node,
    /// Free-form operations that take nothing; for testing the instrument.
    Probe,
}

/// An input field of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// Fresh random bytes: secret as far as constant time is concerned.
    Random(u32),
    /// The same bytes each time.
    Fixed(Vec<u8>),
    /// The output of an earlier call of the same plan, by index.
    OutputOf(usize),
    /// The same with one bit changed, which one at random.
    AlteredOutputOf(usize),
    /// An input of an earlier call of the same plan, by the index of the call and its own.
    InputOf(usize, usize),
}

/// What the calls of a plan were given, and what they gave, as far as it was followed.
#[derive(Clone, Debug, Default)]
pub struct Transcript {
    pub inputs: Vec<Vec<Vec<u8>>>,
    pub outputs: Vec<Vec<u8>>,
}

/// Bytes of associated data that a measured message carries: a header of a packet.
pub const AD_BYTES: u32 = 5;

/// The roles of a node with a radio, and the operations of one packet.
pub const TRANSMIT: &str = "transmit";
pub const RECEIVE: &str = "receive";

/// The time of a packet on the air, which is no work of the chip.
pub const AIR: &str = "air";

/// The operations of a node with a radio, as rows have them.
pub const NODE_OPERATIONS: [&str; 7] = [
    "start-transmit",
    "start-receive",
    "encrypt",
    "decrypt",
    TRANSMIT,
    RECEIVE,
    AIR,
];

/// Bytes of the info of a measured derivation: a label of a protocol.
pub(crate) const INFO_BYTES: u32 = 16;

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
            Interface::Aead => &["key-setup", "seal", "open"],
            Interface::Kdf => &["derive"],
            Interface::Dh => &["keygen", "shared-secret"],
            Interface::Signature => &["keygen", "sign", "verify"],
            Interface::PublicKey => &["keygen", "encrypt", "decrypt"],
            Interface::Link => &["pair", "join", "seal", "open"],
            Interface::Node => &NODE_OPERATIONS,
            Interface::Probe => &[],
        }
    }

    /// Whether `operation` takes a message, or gives a key, whose size is worth a column.
    pub fn takes_message(self, operation: &str) -> bool {
        match self {
            Interface::BlockCipher
            | Interface::ModeEcb
            | Interface::ModeCbc
            | Interface::ModeCtr
            | Interface::Aead => operation != "key-setup",
            Interface::Hash | Interface::Mac | Interface::Kdf => true,
            Interface::Signature => operation != "keygen",
            Interface::Link => matches!(operation, "seal" | "open"),
            Interface::Node => !operation.starts_with("start-"),
            Interface::Dh | Interface::PublicKey | Interface::Probe => false,
        }
    }

    /// Whether an operation tries random numbers until one will do: how long that takes is a
    /// matter of luck, and differs from seed to seed in any implementation.
    pub fn is_search(self, operation: &str) -> bool {
        self == Interface::PublicKey && operation == "keygen"
    }

    /// Whether an operation must take equal time for any inputs: not if everybody may know all
    /// that it is given, nor if it is a search.
    pub fn keeps_secrets(self, operation: &str) -> bool {
        let public = self == Interface::Signature && operation == "verify";
        !public && !self.is_search(operation)
    }

    /// Whether an operation is a packet of a node with its radio.
    pub fn is_packet(self, operation: &str) -> bool {
        self == Interface::Node && matches!(operation, TRANSMIT | RECEIVE)
    }

    /// What a figure rests on beside the chip, if it does.
    pub fn fidelity(self, operation: &str, metric: Metric) -> Option<Fidelity> {
        let of_air = operation == AIR || metric == Metric::Rate;
        (self == Interface::Node && of_air).then_some(Fidelity::RadioModel)
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
        const AEAD: &[Footprint] = &[
            footprint("seal", &["key-setup", "seal"]),
            footprint("open", &["key-setup", "open"]),
            footprint("both", &["key-setup", "seal", "open"]),
        ];
        const KDF: &[Footprint] = &[footprint("derive", &["derive"])];
        const LINK: &[Footprint] = &[footprint("all", &["pair", "join", "seal", "open"])];
        const NODE: &[Footprint] = &[
            footprint("transmit", &["transmit"]),
            footprint("receive", &["receive"]),
        ];
        const DH: &[Footprint] = &[
            footprint("keygen", &["keygen"]),
            footprint("shared-secret", &["shared-secret"]),
            footprint("both", &["keygen", "shared-secret"]),
        ];
        const SIGNATURE: &[Footprint] = &[
            footprint("sign", &["sign"]),
            footprint("verify", &["verify"]),
            footprint("both", &["keygen", "sign", "verify"]),
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
            Interface::Aead => AEAD,
            Interface::Kdf => KDF,
            Interface::Dh => DH,
            Interface::Signature => SIGNATURE,
            Interface::PublicKey => PUBLIC_KEY,
            Interface::Link => LINK,
            Interface::Node => NODE,
            Interface::Probe => &[],
        }
    }
}

impl Input {
    /// The earlier call of the plan that it comes from.
    pub fn call(&self) -> Option<usize> {
        match self {
            Input::Random(_) | Input::Fixed(_) => None,
            Input::OutputOf(call) | Input::AlteredOutputOf(call) | Input::InputOf(call, _) => {
                Some(*call)
            }
        }
    }

    /// The bytes of this input, given the calls before it.
    pub fn bytes(&self, rng: &mut dyn RngCore, before: &Transcript) -> Vec<u8> {
        match self {
            Input::Random(size) => {
                let mut bytes = vec![0; *size as usize];
                rng.fill_bytes(&mut bytes);
                bytes
            }
            Input::Fixed(bytes) => bytes.clone(),
            Input::OutputOf(index) => before.outputs[*index].clone(),
            Input::AlteredOutputOf(index) => {
                let mut bytes = before.outputs[*index].clone();
                let bit = rng.next_u32() as usize % (8 * bytes.len()).max(1);
                if let Some(byte) = bytes.get_mut(bit / 8) {
                    *byte ^= 1 << (bit % 8);
                }
                bytes
            }
            Input::InputOf(call, input) => before.inputs[*call][*input].clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_verifying_and_searching_may_take_unequal_time() {
        let all = [
            Interface::BlockCipher,
            Interface::ModeEcb,
            Interface::ModeCbc,
            Interface::ModeCtr,
            Interface::Hash,
            Interface::Mac,
            Interface::Aead,
            Interface::Kdf,
            Interface::Dh,
            Interface::Signature,
            Interface::PublicKey,
        ];
        let mut free = Vec::new();
        for interface in all {
            let operations = interface.timed_operations().iter();
            let unequal = operations.filter(|operation| !interface.keeps_secrets(operation));
            free.extend(unequal.map(|operation| (interface, *operation)));
        }
        let expected = [
            (Interface::Signature, "verify"),
            (Interface::PublicKey, "keygen"),
        ];
        assert_eq!(free, expected);
    }
}
