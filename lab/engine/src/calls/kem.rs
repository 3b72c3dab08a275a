//! The calls of a key encapsulation. The key pair and the ciphertext stay in the glue, so no call
//! carries them. In pieces, the host has the public key.

use super::one::{REFUSAL, call};
use crate::algorithm::Algorithm;
use crate::interface::{Call, Input, Plan};

/// Bytes of the seed of a key pair, and of the random input of an encapsulation.
const SEED: u32 = 64;
const RANDOM: u32 = 32;

/// Bytes of a polynomial in a key, and of the seed of the matrix at the end of a public key
/// [FIPS203, 5.1].
const POLYNOMIAL: u32 = 384;
const MATRIX_SEED: u32 = 32;

/// Bytes of a piece of a key, which has whole pairs of coefficients, and of a ciphertext.
const KEY_PIECE: u32 = 48;
const CIPHERTEXT_PIECE: u32 = 64;

/// The parts that `load` takes.
const PRIVATE: u8 = 1;
const CIPHERTEXT: u8 = 2;

/// The time of encapsulation and decapsulation may depend on the public key, so that the seed is
/// public there.
pub(super) fn plan(operation: &str) -> Option<Plan> {
    use Input::{Public, Random};
    match operation {
        "keygen" => Some(vec![call("keygen", &[Random(SEED)])]),
        "encapsulate" => Some(vec![
            call("keygen", &[Public(SEED)]),
            call("encapsulate", &[Random(RANDOM)]),
        ]),
        "decapsulate" => {
            let mut plan = plan("encapsulate")?;
            plan.push(call("decapsulate", &[]));
            Some(plan)
        }
        _ => None,
    }
}

/// Decapsulations of an altered ciphertext, and with another secret in the private key.
pub(super) fn refusals(algorithm: &Algorithm) -> Vec<(&'static str, Plan)> {
    let with = |loads: Vec<Call>| {
        let mut calls = plan("decapsulate").unwrap_or_default();
        let last = calls.len().saturating_sub(1);
        calls.splice(last..last, loads);
        calls
    };
    let altered = load(CIPHERTEXT, 0, Input::Random(CIPHERTEXT_PIECE));
    let pieces = rank(algorithm).unwrap_or(0) * POLYNOMIAL / KEY_PIECE;
    let secret = (0..pieces).map(|number| {
        let offset = (number * KEY_PIECE) as u16;
        load(PRIVATE, offset, Input::Coefficients(KEY_PIECE))
    });
    vec![
        (REFUSAL, with(vec![altered])),
        ("other key", with(secret.collect())),
    ]
}

fn load(part: u8, offset: u16, bytes: Input) -> Call {
    let place = [vec![part], offset.to_be_bytes().to_vec()].map(Input::Fixed);
    let [part, offset] = place;
    call("load", &[part, offset, bytes])
}

/// An encapsulation in pieces. `None` if the algorithm is not of the shape of ML-KEM.
pub(super) fn in_pieces(algorithm: &Algorithm) -> Option<Plan> {
    let rank = rank(algorithm)?;
    // The first part of the ciphertext has 10 or 11 bits for each coefficient, the second 4 or 5
    // [FIPS203, table 2].
    let (first, second) = if rank == 4 { (352, 160) } else { (320, 128) };
    let mut calls = vec![call("start", &[Input::Random(RANDOM)])];
    let pieces = rank * POLYNOMIAL / KEY_PIECE;
    for _ in 0..pieces {
        calls.push(call("update", &[Input::PublicCoefficients(KEY_PIECE)]));
    }
    calls.push(call("update", &[Input::Public(MATRIX_SEED)]));
    read(&mut calls, rank * first);
    for piece in 0..=pieces {
        calls.push(call("update", &[Input::InputOf(1 + piece as usize, 0)]));
    }
    read(&mut calls, second);
    calls.push(call("finish", &[]));
    Some(calls)
}

fn read(calls: &mut Plan, bytes: u32) {
    let mut left = bytes;
    while left > 0 {
        let now = left.min(CIPHERTEXT_PIECE);
        let size = (now as u16).to_be_bytes().to_vec();
        calls.push(call("read", &[Input::Fixed(size)]));
        left -= now;
    }
}

/// Polynomials of a public key.
fn rank(algorithm: &Algorithm) -> Option<u32> {
    let polynomials = algorithm.public_bytes?.checked_sub(MATRIX_SEED)?;
    polynomials
        .is_multiple_of(POLYNOMIAL)
        .then_some(polynomials / POLYNOMIAL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interface::{Interface, Transcript};

    fn algorithm(public_bytes: u32) -> Algorithm {
        let text = format!(
            "name = \"k\"\ntitle = \"K\"\ninterface = \"kem\"\nfamily = \"k\"\npublic_bytes = {public_bytes}"
        );
        toml::from_str(&text).expect("an algorithm")
    }

    /// The bytes that the calls of an operation carry.
    fn carried(plan: &Plan, operation: &str) -> usize {
        let mut made = Transcript::default();
        let mut rng = crate::measure::rng_for("carried", 0);
        let mut bytes = 0;
        for call in plan {
            let inputs = call.inputs.iter();
            let inputs: Vec<Vec<u8>> = inputs.map(|input| input.bytes(&mut rng, &made)).collect();
            if call.operation == operation {
                bytes += inputs.iter().map(Vec::len).sum::<usize>();
            }
            made.inputs.push(inputs);
            made.outputs.push(Vec::new());
        }
        bytes
    }

    #[test]
    fn the_key_passes_twice_and_is_the_same() {
        for (public, ciphertext) in [(800, 768), (1184, 1088), (1568, 1568)] {
            let algorithm = algorithm(public);
            let plan = Interface::Kem.plan_in_pieces(&algorithm, "encapsulate");
            let plan = plan.expect("a plan");
            assert_eq!(carried(&plan, "update"), 2 * public as usize);
            let read = plan.iter().filter(|call| call.operation == "read");
            let sizes = read.map(|call| match &call.inputs[..] {
                [Input::Fixed(size)] => usize::from(size[0]) << 8 | usize::from(size[1]),
                _ => 0,
            });
            assert_eq!(sizes.sum::<usize>(), ciphertext);
        }
        assert!(
            Interface::Kem
                .plan_in_pieces(&algorithm(800), "keygen")
                .is_none()
        );
        assert!(
            Interface::Kem
                .plan_in_pieces(&algorithm(33), "encapsulate")
                .is_none()
        );
    }

    #[test]
    fn a_refusal_replaces_the_secret_part_of_the_private_key() {
        let refusals = Interface::Kem.refusals(&algorithm(800), 0);
        let [(_, altered), (_, other)] = &refusals[..] else {
            panic!("two refusals");
        };
        // Part and offset take 3 bytes.
        assert_eq!(carried(altered, "load"), 3 + 64);
        assert_eq!(carried(other, "load"), 768 + 16 * 3);
        for (_, plan) in &refusals {
            assert_eq!(plan.last().map(|call| call.operation), Some("decapsulate"));
        }
    }

    #[test]
    fn coefficients_are_below_q() {
        let mut rng = crate::measure::rng_for("coefficients", 0);
        let bytes = Input::PublicCoefficients(48).bytes(&mut rng, &Transcript::default());
        assert_eq!(bytes.len(), 48);
        for three in bytes.chunks(3) {
            let pair = u32::from_le_bytes([three[0], three[1], three[2], 0]);
            assert!(pair & 0xfff < 3329 && pair >> 12 < 3329);
        }
    }
}
