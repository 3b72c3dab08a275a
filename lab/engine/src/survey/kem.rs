//! Questions about an ML-KEM that vectors leave open or cannot name: does decapsulation compare the
//! ciphertext, and which constant of the transform is wrong?

mod transform;

use super::line::{Evidence, Finding};
use crate::agent::Agent;
use crate::error::Result;
use crate::interface::Interface;
use crate::library::Unit;
use transform::Twist;

/// The parts of the glue (docs/contributor/agent-protocol.md).
const PRIVATE: u8 = 1;
const CIPHERTEXT: u8 = 2;

/// Bytes of a piece that any agent's buffers hold.
const PIECE: usize = 32;

/// Bytes of a polynomial in a key [FIPS203, 5.1], and of z at the end of the private key.
const POLYNOMIAL: usize = 384;
const Z: usize = 32;

/// Bytes of the ciphertext that are altered one after another: this many places, and the last.
const PLACES: usize = 8;

/// A set of ML-KEM.
#[derive(Clone, Copy)]
struct Set {
    rank: usize,
    ciphertext: usize,
}

/// The set of a unit that offers all operations; `None` for everything else.
fn set(unit: &Unit<'_>) -> Option<Set> {
    let all = ["keygen", "encapsulate", "decapsulate", "load", "fetch"];
    let offers = all.iter().all(|operation| unit.offers(operation));
    if unit.algorithm.interface != Interface::Kem || !offers {
        return None;
    }
    match selo_vectors::Algorithm::named(&unit.algorithm.name)
        .ok()?
        .interface()
    {
        selo_vectors::Interface::Kem(sizes) => Some(Set {
            rank: sizes.public_bytes / POLYNOMIAL,
            ciphertext: sizes.ciphertext_bytes,
        }),
        _ => None,
    }
}

/// Adds the finding that decapsulation accepts an altered ciphertext. With an altered one, the
/// secret must come from z, which is in the private key for nothing else [FIPS203, algorithm 18].
pub(super) fn rejection(
    unit: &Unit<'_>,
    start: &mut dyn FnMut() -> Result<Agent>,
    findings: &mut Vec<Finding>,
) -> Result<()> {
    let Some(set) = set(unit) else {
        return Ok(());
    };
    let mut kem = Kem { agent: start()? };
    let Some(shared) = kem.shared()? else {
        return Ok(());
    };
    if kem.decapsulate()?.as_ref() != Some(&shared) {
        return Ok(()); // wrong in another way, which the vectors show
    }
    let z = set.rank * POLYNOMIAL * 2 + 64;
    // Guessed calls may be those of another set, which has z elsewhere.
    if kem.fetch(PRIVATE, z, Z)? != seed()[Z..] {
        return Ok(());
    }
    let mut ignored = Vec::new();
    let mut accepted = None;
    let step = set.ciphertext / PLACES;
    let places = (0..PLACES).map(|number| number * step);
    for place in places.chain([set.ciphertext - 1]) {
        let Some(secrets) = kem.altered(place, z)? else {
            return Ok(());
        };
        if let [first, second] = &secrets[..]
            && first == second
        {
            ignored.push(place.to_string());
            accepted.get_or_insert_with(|| first.clone());
        }
    }
    findings.extend(accepted.map(|secret| skipped(&ignored, &secret)));
    Ok(())
}

/// The finding that some bytes of the ciphertext are not compared.
fn skipped(ignored: &[String], secret: &[u8]) -> Finding {
    Finding {
        citation: Some("FIPS 203 (2024), algorithm 18".to_owned()),
        evidence: vec![
            Evidence::new("altered bytes", ignored.join(", ")),
            Evidence::new("secret", hex::encode(secret)),
        ],
        ..Finding::fault(
            "skipped-comparison",
            match ignored.len() > PLACES {
                true => "Decapsulation does not compare the ciphertext".to_owned(),
                false => format!(
                    "Decapsulation does not compare the whole ciphertext: not byte {}",
                    ignored.join(", ")
                ),
            },
            "For an altered ciphertext the secret does not depend on z of the private key, so the \
             library accepts the ciphertext. An attacker who can ask for secrets learns the key.",
        )
    }
}

/// Adds the constant of the transform whose other value gives exactly the library's private key.
pub(super) fn explain(
    unit: &Unit<'_>,
    start: &mut dyn FnMut() -> Result<Agent>,
    findings: &mut Vec<Finding>,
) -> Result<()> {
    let Some(set) = set(unit) else {
        return Ok(());
    };
    let mut kem = Kem { agent: start()? };
    let seed = seed();
    if kem.agent.run("keygen", 1, false, &[&seed])?.reply.status != 0 {
        return Ok(());
    }
    let got = kem.fetch(PRIVATE, 0, set.rank * POLYNOMIAL)?;
    let Some(Twist {
        number,
        value,
        right,
    }) = transform::twisted(&seed[..32], set.rank, &got)
    else {
        return Ok(());
    };
    findings.push(Finding {
        citation: Some("FIPS 203 (2024), appendix A".to_owned()),
        evidence: vec![
            Evidence::new("seed", hex::encode(&seed)),
            Evidence::new("expected", right.to_string()),
            Evidence::new("got", value.to_string()),
        ],
        ..Finding::fault(
            "wrong-transform",
            format!(
                "The number-theoretic transform is wrong: constant {number} is {value}, not {right}"
            ),
            "A transform with only this constant gives the same private key as the library. In \
             Montgomery form, the constants of the source are these times 2^16 modulo 3329.",
        )
    });
    Ok(())
}

/// The seed of the key pair: d and z.
fn seed() -> Vec<u8> {
    (0..64u8).map(|at| at.wrapping_mul(29) ^ 0x35).collect()
}

/// An implementation that runs.
struct Kem {
    agent: Agent,
}

impl Kem {
    /// Makes a key pair, encapsulates, and returns the secret. `None` if the library refuses.
    fn shared(&mut self) -> Result<Option<Vec<u8>>> {
        if self.agent.run("keygen", 1, false, &[&seed()])?.reply.status != 0 {
            return Ok(None);
        }
        let reply = self
            .agent
            .run("encapsulate", 1, false, &[&[0x42; 32]])?
            .reply;
        Ok((reply.status == 0).then_some(reply.output))
    }

    fn decapsulate(&mut self) -> Result<Option<Vec<u8>>> {
        let reply = self.agent.run("decapsulate", 1, false, &[])?.reply;
        Ok((reply.status == 0).then_some(reply.output))
    }

    /// The secrets for a ciphertext with one byte altered, for two values of z. `None` if the library
    /// does not show its ciphertext.
    fn altered(&mut self, place: usize, z: usize) -> Result<Option<Vec<Vec<u8>>>> {
        let right = self.fetch(CIPHERTEXT, place, 1)?;
        let Some(&byte) = right.first() else {
            return Ok(None);
        };
        self.load(CIPHERTEXT, place, &[byte ^ 1])?;
        let mut secrets = Vec::new();
        for value in [0x5a, 0xa5] {
            self.load(PRIVATE, z, &[value; Z])?;
            secrets.extend(self.decapsulate()?);
        }
        self.load(CIPHERTEXT, place, &right)?;
        Ok(Some(secrets))
    }

    fn load(&mut self, part: u8, offset: usize, bytes: &[u8]) -> Result<()> {
        self.agent
            .run("load", 1, false, &[&[part], &two(offset), bytes])?;
        Ok(())
    }

    fn fetch(&mut self, part: u8, offset: usize, size: usize) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        while bytes.len() < size {
            let (at, now) = (offset + bytes.len(), PIECE.min(size - bytes.len()));
            let inputs: [&[u8]; 3] = [&[part], &two(at), &two(now)];
            let reply = self.agent.run("fetch", 1, false, &inputs)?.reply;
            if reply.status != 0 || reply.output.len() != now {
                break;
            }
            bytes.extend(reply.output);
        }
        Ok(bytes)
    }
}

/// A number as the glue takes it; parts have less than 64 KB.
fn two(number: usize) -> [u8; 2] {
    (number as u16).to_be_bytes()
}
