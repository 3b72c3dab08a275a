//! The calling interfaces of algorithms. Each defines its operations, the calls before a measured
//! operation with their inputs, and the images that measure its flash and RAM.
//!
//! The agent's glue implements an interface (docs/contributor/agent-protocol.md); an algorithm
//! names its interface.

use rand::RngCore;
use serde::Deserialize;

use crate::row::{Fidelity, Metric};

/// The kinds of algorithm that the lab can call.
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
    /// A signature scheme with large keys. The glue keeps the keys and the signature, so each is in
    /// memory once.
    LargeSignature,
    /// Key encapsulation. The glue keeps the keys and the ciphertext, so each is in memory once.
    Kem,
    PublicKey,
    /// The link: a whole node. A gateway plays the other side (`studies/firmware/src/link.rs`).
    Link,
    /// A whole node with a radio, transmitter and receiver (`studies/firmware/src/experiment.rs`).
    Node,
    /// Any operations without inputs, for tests of the instrument.
    Probe,
}

/// An input field of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// Random bytes of this size, new for each sample. A constant-time check treats them as secret.
    Random(u32),
    /// The same for an input that an attacker knows: a counter, an IV, a nonce, associated data. A
    /// constant-time check keeps it while the secrets change.
    Public(u32),
    /// Random coefficients below q, packed as in the keys of ML-KEM, and secret [FIPS203, 4.2.1].
    Coefficients(u32),
    /// The same in a public key.
    PublicCoefficients(u32),
    /// The same bytes each time.
    Fixed(Vec<u8>),
    /// The output of an earlier call of the same plan, by index.
    OutputOf(usize),
    /// The output of an earlier call with one random bit changed.
    AlteredOutputOf(usize),
    /// An input of an earlier call of the same plan: the index of the call, and of its input.
    InputOf(usize, usize),
}

/// The inputs and outputs of the calls of a plan so far.
#[derive(Clone, Debug, Default)]
pub struct Transcript {
    pub inputs: Vec<Vec<Vec<u8>>>,
    pub outputs: Vec<Vec<u8>>,
}

/// Bytes of associated data of a measured message, as in a packet's header.
pub const AD_BYTES: u32 = 5;

/// The roles of a node with a radio. Each is also the operation of one packet.
pub const TRANSMIT: &str = "transmit";
pub const RECEIVE: &str = "receive";

/// The air time of a packet, which is not work of the chip.
pub const AIR: &str = "air";

/// The operations of a node with a radio, with their names in rows.
pub const NODE_OPERATIONS: [&str; 7] = [
    "start-transmit",
    "start-receive",
    "encrypt",
    "decrypt",
    TRANSMIT,
    RECEIVE,
    AIR,
];

/// Bytes of the info of a measured derivation, as in a protocol's label.
pub(crate) const INFO_BYTES: u32 = 16;

/// The operations that together encapsulate in pieces: the public key passes twice, and the
/// ciphertext leaves between and after the passes.
pub(crate) const IN_PIECES: [&str; 4] = ["start", "update", "read", "finish"];

/// One call of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    pub operation: &'static str,
    pub inputs: Vec<Input>,
}

/// The calls that lead to a measurement; the last one is measured, or in pieces all of them.
pub type Plan = Vec<Call>;

/// True if the calls together are one operation, in pieces.
pub fn is_in_pieces(plan: &Plan) -> bool {
    plan.len() > 1 && plan.iter().all(|call| IN_PIECES.contains(&call.operation))
}

/// A program that measures flash and RAM: its name in rows, and the operations linked into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footprint {
    pub name: &'static str,
    pub operations: &'static [&'static str],
}

const fn footprint(name: &'static str, operations: &'static [&'static str]) -> Footprint {
    Footprint { name, operations }
}

// The programs of each kind of interface ([`Interface::footprints`]).
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
const LARGE_SIGNATURE: &[Footprint] = &[
    footprint("keygen", &["keygen"]),
    footprint("sign", &["sign"]),
    footprint("verify", &["verify"]),
    footprint("all", &["keygen", "sign", "verify"]),
];
const KEM: &[Footprint] = &[
    footprint("keygen", &["keygen"]),
    footprint("encapsulate", &["encapsulate"]),
    footprint("encapsulate", &IN_PIECES),
    footprint("decapsulate", &["decapsulate"]),
    footprint("all", &["keygen", "encapsulate", "decapsulate"]),
];
const PUBLIC_KEY: &[Footprint] = &[
    footprint("keygen", &["keygen"]),
    footprint("encrypt", &["encrypt"]),
    footprint("decrypt", &["decrypt"]),
    footprint("both", &["keygen", "encrypt", "decrypt"]),
];

impl Interface {
    /// The timed operations, in the order of tables. Excludes operations that only carry state
    /// (`start`, `update`, `finish`).
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
            Interface::Signature | Interface::LargeSignature => &["keygen", "sign", "verify"],
            Interface::Kem => &["keygen", "encapsulate", "decapsulate"],
            Interface::PublicKey => &["keygen", "encrypt", "decrypt"],
            Interface::Link => &["pair", "join", "seal", "open"],
            Interface::Node => &NODE_OPERATIONS,
            Interface::Probe => &[],
        }
    }

    /// True if `operation` has a message or a derived key whose size is shown in a column.
    pub fn takes_message(self, operation: &str) -> bool {
        match self {
            Interface::BlockCipher
            | Interface::ModeEcb
            | Interface::ModeCbc
            | Interface::ModeCtr
            | Interface::Aead => operation != "key-setup",
            Interface::Hash | Interface::Mac | Interface::Kdf => true,
            Interface::Signature | Interface::LargeSignature => operation != "keygen",
            Interface::Link => matches!(operation, "seal" | "open"),
            Interface::Node => !operation.starts_with("start-"),
            Interface::Dh | Interface::Kem | Interface::PublicKey | Interface::Probe => false,
        }
    }

    /// True if the glue keeps the keys and what is made with them.
    pub fn keeps_parts(self) -> bool {
        matches!(self, Interface::Kem | Interface::LargeSignature)
    }

    /// True if the time may depend on a public key, so that each sample has another one.
    pub fn draws_public_keys(self) -> bool {
        matches!(self, Interface::Kem | Interface::LargeSignature)
    }

    /// True if the operation must take equal time for all inputs. False if all inputs are public,
    /// if it is a search, or if it makes a public matrix by rejection from what the secret seed
    /// gives [FIPS203, algorithm 7]. The time of a signature with large keys depends on what is
    /// rejected, or on the digits that it publishes.
    pub fn keeps_secrets(self, operation: &str) -> bool {
        !matches!(
            (self, operation),
            (Interface::Signature, "verify")
                | (Interface::LargeSignature, _)
                | (Interface::Kem | Interface::PublicKey, "keygen")
        )
    }

    /// True if the operation is a packet of a node with a radio.
    pub fn is_packet(self, operation: &str) -> bool {
        self == Interface::Node && matches!(operation, TRANSMIT | RECEIVE)
    }

    /// The fidelity of figures that do not come from the chip alone; `None` for the board's own.
    pub fn fidelity(self, operation: &str, metric: Metric) -> Option<Fidelity> {
        let of_air = operation == AIR || metric == Metric::Rate;
        (self == Interface::Node && of_air).then_some(Fidelity::RadioModel)
    }

    /// The programs that measure flash and static RAM.
    pub fn footprints(self) -> &'static [Footprint] {
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
            Interface::LargeSignature => LARGE_SIGNATURE,
            Interface::Kem => KEM,
            Interface::PublicKey => PUBLIC_KEY,
            Interface::Link => LINK,
            Interface::Node => NODE,
            Interface::Probe => &[],
        }
    }
}

impl Input {
    /// True if an attacker knows the input.
    pub fn is_public(&self) -> bool {
        matches!(self, Input::Public(_) | Input::PublicCoefficients(_))
    }

    /// Index of the earlier call that this input comes from, if any.
    pub fn call(&self) -> Option<usize> {
        match self {
            Input::Random(_)
            | Input::Public(_)
            | Input::Coefficients(_)
            | Input::PublicCoefficients(_)
            | Input::Fixed(_) => None,
            Input::OutputOf(call) | Input::AlteredOutputOf(call) | Input::InputOf(call, _) => {
                Some(*call)
            }
        }
    }

    /// The bytes of this input, given the calls before it.
    pub fn bytes(&self, rng: &mut dyn RngCore, before: &Transcript) -> Vec<u8> {
        match self {
            Input::Random(size) | Input::Public(size) => {
                let mut bytes = vec![0; *size as usize];
                rng.fill_bytes(&mut bytes);
                bytes
            }
            Input::Coefficients(size) | Input::PublicCoefficients(size) => coefficients(*size, rng),
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

/// Packed pairs of random coefficients, `size` bytes.
fn coefficients(size: u32, rng: &mut dyn RngCore) -> Vec<u8> {
    const Q: u32 = 3329;
    let mut bytes = Vec::new();
    while bytes.len() < size as usize {
        let (a, b) = (rng.next_u32() % Q, rng.next_u32() % Q);
        bytes.extend_from_slice(&(a | b << 12).to_le_bytes()[..3]);
    }
    bytes.truncate(size as usize);
    bytes
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
            Interface::LargeSignature,
            Interface::Kem,
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
            (Interface::LargeSignature, "keygen"),
            (Interface::LargeSignature, "sign"),
            (Interface::LargeSignature, "verify"),
            (Interface::Kem, "keygen"),
            (Interface::PublicKey, "keygen"),
        ];
        assert_eq!(free, expected);
    }
}
