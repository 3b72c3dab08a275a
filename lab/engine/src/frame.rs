//! Frames of the agent protocol: COBS, a CRC, and the two messages
//! (docs/contributor/agent-protocol.md). No input from the wire makes this module panic.

use crate::error::{Error, Result};

/// Asks the agent for its description.
pub const HELLO: u8 = 0x01;
/// Asks the agent to run one operation.
pub const RUN: u8 = 0x02;
/// This bit is set in the command of a reply.
const REPLY: u8 = 0x80;
/// The command of an error reply.
const REFUSED: u8 = 0xFF;

/// The agent's description of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello {
    pub protocol: u8,
    /// Ticks per second of the counter in [`RunReply::counter`]; 0 without a counter.
    pub counter_hz: u32,
    pub counter_bits: u8,
    /// Largest input and largest output of one operation, in bytes.
    pub io_bytes: u16,
    pub port: String,
    pub library: String,
    pub version: String,
    pub algorithm: String,
    pub variant: String,
    /// Names of the operations; the first is `empty`.
    pub operations: Vec<String>,
}

/// The result of one operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunReply {
    /// 0, or the operation's own error (`enum selo_status`).
    pub status: u8,
    /// Number of runs of the operation between the marks.
    pub repeats: u16,
    /// Ticks between the marks, for all repeats together.
    pub counter: u64,
    /// The counter wrapped, so the sample is void.
    pub wrapped: bool,
    /// An allocation of the operation was refused, on ports that can tell.
    pub refused: bool,
    /// Depth of the stack in bytes, if the agent painted it.
    pub stack: Option<u32>,
    /// Heap used, in bytes.
    pub heap: u16,
    /// Ticks of CPU time between the marks, if the port can tell.
    pub cpu: Option<u64>,
    /// Instructions between the marks, if the port can tell.
    pub instructions: Option<u64>,
    pub output: Vec<u8>,
}

/// An image that counts the heap has two numbers of bytes in the place of the counter.
impl RunReply {
    /// The most of the heap in use at once.
    pub fn heap_most(&self) -> u32 {
        (self.counter >> 32) as u32
    }

    /// The part of the heap in use after the operation.
    pub fn heap_in_use(&self) -> u32 {
        self.counter as u32
    }
}

/// CRC-16/CCITT-FALSE.
pub fn crc16(data: &[u8]) -> u16 {
    data.iter().fold(0xFFFF, |crc: u16, &byte| {
        (crc << 8) ^ CRC16_OF_BYTE[usize::from((crc >> 8) as u8 ^ byte)]
    })
}

/// The remainder of each first byte. Every byte to and from a board passes here, and a remainder by
/// single bits took a twentieth of a survey's time.
const CRC16_OF_BYTE: [u16; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < table.len() {
        let mut crc = (byte as u16) << 8;
        let mut bit = 0;
        while bit < 8 {
            let carry = crc >> 15;
            crc = (crc << 1) ^ (carry * 0x1021);
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
};

/// A request, delimiter included.
pub fn encode(command: u8, sequence: u8, payload: &[u8]) -> Vec<u8> {
    encode_body(&[&[command, sequence], payload].concat())
}

/// A complete frame around any body: CRC added, COBS-encoded, delimiter included.
pub fn encode_body(content: &[u8]) -> Vec<u8> {
    let mut body = content.to_vec();
    body.extend(crc16(&body).to_le_bytes());
    let mut frame = cobs_encode(&body);
    frame.push(0);
    frame
}

/// The content of a frame without its CRC. `frame` has no delimiter. `None` if it is damaged.
pub fn decode(frame: &[u8]) -> Option<Vec<u8>> {
    let mut body = cobs_decode(frame)?;
    let (content, crc) = body.split_last_chunk::<2>()?;
    if crc16(content) != u16::from_le_bytes(*crc) {
        return None;
    }
    body.truncate(content.len());
    Some(body)
}

/// The payload of the reply to `command` with `sequence`. `frame` has no delimiter. `Ok(None)` if
/// the frame is damaged or answers another request; an error if the agent refused the request.
pub fn decode_reply(frame: &[u8], command: u8, sequence: u8) -> Result<Option<Vec<u8>>> {
    let Some(content) = decode(frame) else {
        return Ok(None);
    };
    match content.as_slice() {
        [got, number, payload @ ..] if *got == command | REPLY && *number == sequence => {
            Ok(Some(payload.to_vec()))
        }
        [REFUSED, number, code] if *number == sequence => {
            let what = match code {
                1 => "the agent does not know the command",
                2 => "the agent does not know the operation",
                3 => "the agent says that the request is malformed",
                4 => "the inputs or outputs exceed the agent's buffers",
                _ => "the agent refused for an unknown reason",
            };
            Err(Error::Agent(format!("{what} (code {code})")))
        }
        _ => Ok(None),
    }
}

/// The payload of a RUN request. Fails with more than 4 inputs, or an input longer than 65,535
/// bytes.
pub fn run_payload(operation: u8, flags: u8, repeat: u16, inputs: &[&[u8]]) -> Result<Vec<u8>> {
    let too_many = || Error::Agent("an operation takes at most 4 inputs of 65,535 bytes".into());
    if inputs.len() > 4 {
        return Err(too_many());
    }
    let mut payload = vec![operation, flags];
    payload.extend(repeat.to_le_bytes());
    payload.push(inputs.len() as u8);
    for input in inputs {
        payload.extend(
            u16::try_from(input.len())
                .map_err(|_| too_many())?
                .to_le_bytes(),
        );
        payload.extend(*input);
    }
    Ok(payload)
}

impl Hello {
    /// Parses the payload of a HELLO reply.
    pub fn parse(payload: &[u8]) -> Result<Hello> {
        let mut reader = Reader(payload);
        let hello = Hello {
            protocol: reader.u8()?,
            counter_hz: reader.u32()?,
            counter_bits: reader.u8()?,
            io_bytes: reader.u16()?,
            port: reader.string()?,
            library: reader.string()?,
            version: reader.string()?,
            algorithm: reader.string()?,
            variant: reader.string()?,
            operations: {
                let count = reader.u8()?;
                (0..count).map(|_| reader.string()).collect::<Result<_>>()?
            },
        };
        reader.end()?;
        if hello.protocol != 1 {
            return Err(Error::Agent(format!(
                "the agent speaks protocol {}, but this program speaks 1",
                hello.protocol
            )));
        }
        Ok(hello)
    }
}

impl RunReply {
    /// Parses the payload of a RUN reply.
    pub fn parse(payload: &[u8]) -> Result<RunReply> {
        let mut reader = Reader(payload);
        let some = |value: u64| (value != 0).then_some(value);
        let status = reader.u8()?;
        let repeats = reader.u16()?;
        let counter = reader.u64()?;
        let flags = reader.u8()?;
        let stack = reader.u16()?;
        let heap = reader.u16()?;
        let cpu = some(reader.u64()?);
        let instructions = some(reader.u64()?);
        let size = reader.u16()?;
        let output = reader.take(usize::from(size))?.to_vec();
        reader.end()?;
        Ok(RunReply {
            status,
            repeats,
            counter,
            wrapped: flags & 1 != 0,
            refused: flags & 2 != 0,
            stack: (stack != u16::MAX)
                .then(|| u32::from(stack) * if flags & 4 != 0 { 4 } else { 1 }),
            heap,
            cpu,
            instructions,
            output,
        })
    }
}

/// Reads little-endian fields from a payload.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, size: usize) -> Result<&'a [u8]> {
        let (head, tail) = self
            .0
            .split_at_checked(size)
            .ok_or_else(|| Error::Agent("a reply is shorter than its length fields say".into()))?;
        self.0 = tail;
        Ok(head)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        bytes.copy_from_slice(self.take(N)?);
        Ok(bytes)
    }

    fn u8(&mut self) -> Result<u8> {
        Ok(self.array::<1>()?[0])
    }

    fn u16(&mut self) -> Result<u16> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    fn u64(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    fn string(&mut self) -> Result<String> {
        let size = self.u8()?;
        let bytes = self.take(usize::from(size))?;
        String::from_utf8(bytes.to_vec())
            .map_err(|_| Error::Agent("a name in a reply is not text".into()))
    }

    fn end(self) -> Result<()> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(Error::Agent(
                "a reply is longer than its length fields say".into(),
            ))
        }
    }
}

/// Consistent Overhead Byte Stuffing: the output has no zero byte.
fn cobs_encode(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(data.len() + data.len() / 254 + 2);
    let mut blocks = data.split(|&byte| byte == 0).peekable();
    while let Some(block) = blocks.next() {
        let mut chunks = block.chunks(254).peekable();
        if block.is_empty() {
            out.push(1);
        }
        while let Some(chunk) = chunks.next() {
            out.push(chunk.len() as u8 + 1);
            out.extend(chunk);
            // A full chunk implies no zero; one that ends its block needs another code
            // only if a zero follows.
            if chunk.len() == 254 && chunks.peek().is_none() && blocks.peek().is_some() {
                out.push(1);
            }
        }
    }
    out
}

/// Reverses [`cobs_encode`]; `None` if the stuffing is damaged.
fn cobs_decode(data: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(data.len());
    let mut rest = data;
    while let [code, tail @ ..] = rest {
        let size = usize::from(*code).checked_sub(1)?;
        let (chunk, tail) = tail.split_at_checked(size)?;
        if chunk.contains(&0) {
            return None;
        }
        out.extend(chunk);
        if *code != 0xFF && !tail.is_empty() {
            out.push(0);
        }
        rest = tail;
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn crc_has_the_catalogue_check_value() {
        assert_eq!(crc16(b"123456789"), 0x29B1);
    }

    #[test]
    fn a_refusal_is_an_error_with_words() {
        let frame = encode(REFUSED, 7, &[4]);
        let error = decode_reply(&frame[..frame.len() - 1], RUN, 7).expect_err("refused");
        assert!(error.to_string().contains("exceed the agent's buffers"));
    }

    proptest! {
        #[test]
        fn frames_survive_the_way(payload in proptest::collection::vec(any::<u8>(), 0..1100), sequence: u8) {
            let frame = encode(RUN | REPLY, sequence, &payload);
            prop_assert_eq!(frame.iter().filter(|&&b| b == 0).count(), 1);
            prop_assert_eq!(decode_reply(&frame[..frame.len() - 1], RUN, sequence).expect("not refused"), Some(payload));
        }

        #[test]
        fn a_damaged_frame_is_not_taken(payload in proptest::collection::vec(any::<u8>(), 1..300), at: prop::sample::Index, bit in 0..8u8) {
            let mut frame = encode(RUN | REPLY, 1, &payload);
            frame.pop();
            let at = at.index(frame.len());
            frame[at] ^= 1 << bit;
            prop_assert_ne!(decode_reply(&frame, RUN, 1).ok().flatten(), Some(payload));
        }

        #[test]
        fn garbage_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = decode_reply(&bytes, RUN, 1);
            let _ = Hello::parse(&bytes);
            let _ = RunReply::parse(&bytes);
        }
    }
}
