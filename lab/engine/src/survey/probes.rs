//! Two questions that official vectors may leave open, because few have them: does opening check
//! the tag, and does a length of more than 255 bytes count in full? Each finding here is certain:
//! the library's own answers contradict each other.

use super::line::{Evidence, Finding, Weight};
use crate::agent::Agent;
use crate::error::{Error, Result};
use crate::interface::Interface;
use crate::library::Unit;

/// A message that a length in 8 bits takes for one of 16 bytes.
const LONG: usize = 256 + SHORT;
const SHORT: usize = 16;

/// A message whose length fits 8 bits, also with an IV or padding.
const SAFE: usize = 256 - 2 * SHORT;

/// Bytes of a RUN request beside its fields (docs/contributor/agent-protocol.md).
const OVERHEAD: usize = 13;

/// Bytes of the tag that the interface asks for.
const TAG: usize = 16;

/// Adds what the probes of the unit's interface find.
pub(super) fn examine(
    unit: &Unit<'_>,
    start: &mut dyn FnMut() -> Result<Agent>,
    findings: &mut Vec<Finding>,
) -> Result<()> {
    let needed = match unit.algorithm.interface {
        Interface::Hash => "hash",
        Interface::Mac => "mac",
        Interface::Aead => "seal",
        Interface::ModeEcb | Interface::ModeCbc | Interface::ModeCtr => "encrypt",
        _ => return Ok(()),
    };
    if !unit.offers(needed) {
        return Ok(());
    }
    let mut probe = Probe {
        unit,
        agent: start()?,
        key: (0..unit.algorithm.key_bytes.unwrap_or(16))
            .map(|at| (at * 5 + 3) as u8)
            .collect(),
    };
    let opens = unit
        .implementation
        .operations
        .iter()
        .any(|name| name == "open");
    if unit.algorithm.interface == Interface::Aead && opens {
        findings.extend(probe.tag()?);
    }
    match probe.length() {
        Ok(found) => findings.extend(found),
        Err(error @ (Error::Stopped(_) | Error::Agent(_))) => findings.push(Finding {
            weight: Weight::Remark,
            ..Finding::reservation(
                "long-message",
                format!("It stopped at a message of {LONG} bytes"),
                format!("{error}. It may be made for shorter messages only."),
            )
        }),
        Err(error) => return Err(error),
    }
    Ok(())
}

struct Probe<'p> {
    unit: &'p Unit<'p>,
    agent: Agent,
    key: Vec<u8>,
}

impl Probe<'_> {
    /// Calls an operation after the key is set. `None` if the library refuses or the call is too
    /// large for the agent's buffers.
    fn call(&mut self, operation: &str, inputs: &[&[u8]]) -> Result<Option<Vec<u8>>> {
        let room = usize::from(self.agent.hello().io_bytes);
        let bytes: usize = inputs.iter().map(|input| input.len()).sum();
        if bytes + OVERHEAD > room || self.answer_bytes(inputs) > room {
            return Ok(None);
        }
        let takes_key = [Interface::Hash, Interface::Mac];
        let key = &self.key;
        if !takes_key.contains(&self.unit.algorithm.interface)
            && self.agent.run("key-setup", 1, false, &[key])?.reply.status != 0
        {
            return Ok(None);
        }
        let reply = self.agent.run(operation, 1, false, inputs)?.reply;
        Ok((reply.status == 0).then_some(reply.output))
    }

    /// The most bytes that a call may answer: an IV and padding, or a tag, beside the message.
    fn answer_bytes(&self, inputs: &[&[u8]]) -> usize {
        inputs.last().map_or(0, |message| message.len()) + 2 * TAG
    }

    fn nonce(&self) -> Vec<u8> {
        let bytes = self.unit.algorithm.nonce_bytes.unwrap_or(12);
        (0..bytes).map(|at| (at * 3 + 1) as u8).collect()
    }

    /// Seals a message and changes one bit of its tag. Opening must refuse.
    fn tag(&mut self) -> Result<Option<Finding>> {
        if !self.unit.offers("open") {
            return Ok(None);
        }
        let (nonce, message) = (self.nonce(), message(SHORT));
        let header = [0x48; 5];
        let Some(sealed) = self.call("seal", &[&nonce, &header, &message])? else {
            return Ok(None);
        };
        let opened = self.call("open", &[&nonce, &header, &sealed])?;
        if opened.as_deref() != Some(&message) || sealed.len() != SHORT + TAG {
            return Ok(None); // it does not open its own message: the vectors say so
        }
        let mut forged = sealed.clone();
        forged[SHORT] ^= 1;
        if self.call("open", &[&nonce, &header, &forged])?.is_none() {
            return Ok(None);
        }
        Ok(Some(Finding {
            evidence: vec![
                Evidence::new("key", hex::encode(&self.key)),
                Evidence::new("nonce", hex::encode(&nonce)),
                Evidence::new("associated data", hex::encode(header)),
                Evidence::new("sealed", hex::encode(&sealed)),
                Evidence::new("forged and accepted", hex::encode(&forged)),
            ],
            ..Finding::fault(
                "tag-not-checked",
                "The tag is not checked: a forged message is accepted",
                "Opening succeeds although a bit of the tag is wrong, so anyone can alter \
                 messages. Compare the whole tag, and give no output if it differs.",
            )
        }))
    }

    /// Encrypts or hashes two messages of 272 bytes that differ after their first 16. To a length in
    /// 8 bits they are the same.
    fn length(&mut self) -> Result<Option<Finding>> {
        // Where even the smaller size is not processed, the fault is another one.
        for (bytes, expected) in [(LONG, true), (SAFE, false)] {
            if self.leaves_the_end(bytes)? != Some(expected) {
                return Ok(None);
            }
        }
        let long = message(LONG);
        let output = self.output(&long)?.unwrap_or_default();
        Ok(Some(Finding {
            evidence: vec![
                Evidence::new("message", hex::encode(&long)),
                Evidence::new("output", hex::encode(&output)),
            ],
            ..Finding::fault(
                "length-overflow",
                "A length overflows at 256 bytes: the end of a longer message is not processed",
                format!(
                    "The output for {LONG} bytes does not depend on the end of the message; that \
                     for {SAFE} bytes does. The length is kept in 8 bits. Use size_t, or refuse \
                     longer messages."
                ),
            )
        }))
    }

    /// True if the output for a message of this size does not depend on the message's end. `None`
    /// if the library refuses.
    fn leaves_the_end(&mut self, bytes: usize) -> Result<Option<bool>> {
        let one = message(bytes);
        let mut other = one.clone();
        other[3 * SHORT..].iter_mut().for_each(|byte| *byte ^= 0xa5);
        let (Some(of_one), Some(of_other)) = (self.output(&one)?, self.output(&other)?) else {
            return Ok(None);
        };
        // Behind an IV, and behind what a tag in the wrong place overwrites.
        let (from, at) = match self.unit.algorithm.interface {
            Interface::Hash | Interface::Mac => return Ok(Some(of_one == of_other)),
            Interface::ModeCbc => (4 * SHORT, 3 * SHORT),
            _ => (3 * SHORT, 3 * SHORT),
        };
        let end = from + bytes - at - SHORT;
        let (Some(end_of_one), Some(end_of_other)) =
            (of_one.get(from..end), of_other.get(from..end))
        else {
            return Ok(None);
        };
        let left = end_of_one == &one[at..at + end - from];
        Ok(Some(left || end_of_one == end_of_other))
    }

    /// The output for a message.
    fn output(&mut self, message: &[u8]) -> Result<Option<Vec<u8>>> {
        let nonce = self.nonce();
        let key = self.key.clone();
        match self.unit.algorithm.interface {
            Interface::Hash => self.call("hash", &[message]),
            Interface::Mac => self.call("mac", &[&key, message]),
            Interface::Aead => self.call("seal", &[&nonce, &[], message]),
            Interface::ModeEcb => self.call("encrypt", &[message]),
            _ => self.call("encrypt", &[&[0x31; 16], message]),
        }
    }
}

/// A message without repeated blocks.
fn message(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|at| (at * 7 + at / 16) as u8).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_a_message_differ() {
        let long = message(LONG);
        let mut blocks: Vec<&[u8]> = long.chunks(16).collect();
        blocks.sort_unstable();
        blocks.dedup();
        assert_eq!(blocks.len(), LONG / 16);
    }
}
