//! Guessing the digits of a pairing. This shows why the first message is a commitment.
//!
//! An attacker in the middle makes two pairings and needs both to show the same digits. Without a
//! commitment it knows the node's digits before it must send its own key to the gateway, so it
//! tries key pairs until the digits match. With the commitment, each of its keys is fixed before
//! it can know the resulting digits, so only luck is left.
//!
//! Both experiments use fewer than six digits. The first then ends within a second, and the
//! second has enough lucky matches to count.

use std::time::{Duration, Instant};

use selo_classic::ClassicKey;
use selo_link::frame::Frame;
use selo_link::pair::{GatewayPairing, NodePairing};
use selo_link::{DeviceId, EphemeralSecret, Suite, random_bytes};
use selo_sys::Sha3_256;

use crate::error::{Error, Result};

/// Result of the guessing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Guessed {
    /// Attacked pairings.
    pub attempts: u64,
    /// Pairings in which both sides showed the same digits.
    pub matches: u64,
    /// Key pairs that the attacker tried.
    pub tries: u64,
    /// Duration.
    pub elapsed: Duration,
}

/// Digits for Algorithm 2 of [albarello2020] if it had any: a hash of the shared key and of both
/// public keys as this side saw them.
fn plain_digits(key: &ClassicKey, gateway: &[u8; 32], node: &[u8; 32], modulus: u32) -> u32 {
    let mut hash = Sha3_256::new();
    for part in [key.expose(), gateway, node] {
        hash.update(part);
    }
    let digest = hash.finish();
    u32::from_le_bytes([digest[0], digest[1], digest[2], digest[3]]) % modulus
}

fn agree(secret: &EphemeralSecret, peer: &[u8; 32]) -> Result<ClassicKey> {
    ClassicKey::agree(secret, peer).map_err(|_| Error::Setup("a public key is zero"))
}

/// Attacks pairings that compare digits without a commitment, by trying at most `tries_max` key
/// pairs each.
pub fn without_commitment(modulus: u32, attempts: u64, tries_max: u64) -> Result<Guessed> {
    let start = Instant::now();
    let (mut matches, mut tries) = (0, 0);
    for _ in 0..attempts {
        // The gateway's key comes first. The attacker gives the node a key of its own.
        let gateway = EphemeralSecret::random()?;
        let gateway_public = gateway.public_key();
        let to_node = EphemeralSecret::random()?;
        // The node answers with its key, and shows its digits.
        let node = EphemeralSecret::random()?;
        let node_key = agree(&node, &to_node.public_key())?;
        let node_public = node.public_key();
        let shown = plain_digits(&node_key, &to_node.public_key(), &node_public, modulus);
        // The attacker knows the digits and has not yet sent its own key to the gateway.
        for _ in 0..tries_max {
            tries += 1;
            let own = EphemeralSecret::random()?;
            let public = own.public_key();
            let key = agree(&own, &gateway_public)?;
            if plain_digits(&key, &gateway_public, &public, modulus) != shown {
                continue;
            }
            // The digits that the gateway shows for that key.
            let gateway_key = agree(&gateway, &public)?;
            let at_gateway = plain_digits(&gateway_key, &gateway_public, &public, modulus);
            matches += u64::from(at_gateway == shown);
            break;
        }
    }
    Ok(Guessed {
        attempts,
        matches,
        tries,
        elapsed: start.elapsed(),
    })
}

/// Attacks pairings of the real protocol, comparing only the last digits.
///
/// The attacker committed to its key before it saw the gateway's, and gave the node a key before
/// the node opened its commitment. No remaining choice affects any digits, so it tries one key
/// pair per side.
pub fn with_commitment(suite: Suite, modulus: u32, attempts: u64) -> Result<Guessed> {
    let start = Instant::now();
    let mut matches = 0;
    for number in 0..attempts {
        let device = DeviceId(number as u32);
        let (node, own) = (EphemeralSecret::random()?, EphemeralSecret::random()?);
        let (node, commit) = NodePairing::start(suite, device, node, random_bytes()?);
        let (as_node, own_commit) = NodePairing::start(suite, device, own, random_bytes()?);

        let gateway = answer(&own_commit, EphemeralSecret::random()?)?;
        let as_gateway = answer(&commit, EphemeralSecret::random()?)?;
        let (at_node, _) = reveal(node, as_gateway.key())?;
        let (_, own_reveal) = reveal(as_node, gateway.key())?;
        let Ok(Frame::PairReveal(own_reveal)) = Frame::parse(&own_reveal) else {
            return Err(Error::Setup("a PAIR-REVEAL is invalid"));
        };
        let at_gateway = gateway
            .reveal(&own_reveal)
            .map_err(|_| Error::Setup("the attacker's own commitment does not open"))?;
        matches += u64::from(at_gateway.digits().value() % modulus == at_node % modulus);
    }
    Ok(Guessed {
        attempts,
        matches,
        tries: 2 * attempts,
        elapsed: start.elapsed(),
    })
}

fn answer(commit: &[u8], secret: EphemeralSecret) -> Result<GatewayPairing> {
    match Frame::parse(commit) {
        Ok(Frame::PairCommit(commit)) => Ok(GatewayPairing::start(&commit, secret).0),
        _ => Err(Error::Setup("a PAIR-COMMIT is invalid")),
    }
}

/// The digits that a node shows, and the PAIR-REVEAL that it sends.
fn reveal(node: NodePairing, key: &[u8]) -> Result<(u32, [u8; 53])> {
    let Ok(Frame::PairKey(key)) = Frame::parse(key) else {
        return Err(Error::Setup("a PAIR-KEY is invalid"));
    };
    match node.key(&key) {
        Ok((compared, reveal)) => Ok((compared.digits().value(), reveal)),
        Err(_) => Err(Error::Setup("a PAIR-KEY was refused")),
    }
}

/// Upper bound for matches by chance, exceeded in less than one of a million experiments:
/// `expected` plus six standard deviations of a Poisson distribution, plus six for small numbers.
pub fn luck_at_most(expected: f64) -> u64 {
    (expected + 6.0 * expected.sqrt() + 6.0) as u64
}
