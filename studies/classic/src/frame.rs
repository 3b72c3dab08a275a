//! The frames of the published protocol [docs/protocol.md, Classic].

const REQUEST: u8 = 0xc0;
const GATEWAY_KEY: u8 = 0xc1;
const NODE_KEY: u8 = 0xc2;
pub(crate) const BLOCKS: u8 = 0xc3;

/// Blocks of the longest message.
const BLOCKS_MAX: usize = 3;

/// A frame of the published protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Frame<'a> {
    /// Node: the request to join.
    Request,
    /// Gateway: its raw public key.
    GatewayKey(&'a [u8; 32]),
    /// Node: its raw public key.
    NodeKey(&'a [u8; 32]),
    /// Node: 1 to 3 blocks of 16 bytes, AES-256 in ECB mode.
    Blocks(&'a [u8]),
}

impl<'a> Frame<'a> {
    /// The request to join.
    pub const REQUEST: [u8; 1] = [REQUEST];

    /// Parses any bytes. `None` if they are not a frame of this protocol.
    pub fn parse(bytes: &'a [u8]) -> Option<Frame<'a>> {
        let (first, rest) = bytes.split_first()?;
        match *first {
            REQUEST if rest.is_empty() => Some(Frame::Request),
            GATEWAY_KEY => rest.try_into().ok().map(Frame::GatewayKey),
            NODE_KEY => rest.try_into().ok().map(Frame::NodeKey),
            BLOCKS if (1..=BLOCKS_MAX).any(|blocks| rest.len() == blocks * 16) => {
                Some(Frame::Blocks(rest))
            }
            _ => None,
        }
    }

    /// The frame with the gateway's public key.
    pub fn encode_gateway_key(key: &[u8; 32]) -> [u8; 33] {
        with_key(GATEWAY_KEY, key)
    }

    /// The frame with the node's public key.
    pub fn encode_node_key(key: &[u8; 32]) -> [u8; 33] {
        with_key(NODE_KEY, key)
    }
}

fn with_key(first: u8, key: &[u8; 32]) -> [u8; 33] {
    let mut frame = [first; 33];
    frame[1..].copy_from_slice(key);
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_first_byte_and_size() {
        for first in 0..=255 {
            for bytes in 1..=70 {
                let mut packet = vec![1; bytes];
                packet[0] = first;
                let expected = match first {
                    0xc0 => bytes == 1,
                    0xc1 | 0xc2 => bytes == 33,
                    0xc3 => matches!(bytes, 17 | 33 | 49),
                    _ => false,
                };
                let parsed = Frame::parse(&packet);
                assert_eq!(parsed.is_some(), expected, "{first:02x}, {bytes} bytes");
                // The gateway of site/ names the same packets when it refuses them.
                let refused = selo_link::frame::Frame::parse(&packet);
                let classic = matches!(refused, Ok(selo_link::frame::Frame::Classic(_)));
                assert_eq!(classic, expected, "{first:02x}, {bytes} bytes");
            }
        }
        assert_eq!(Frame::parse(&[]), None);
    }

    #[test]
    fn frames_come_back() {
        let key = [7; 32];
        assert_eq!(Frame::parse(&Frame::REQUEST), Some(Frame::Request));
        let gateway = Frame::encode_gateway_key(&key);
        assert_eq!(Frame::parse(&gateway), Some(Frame::GatewayKey(&key)));
        let node = Frame::encode_node_key(&key);
        assert_eq!(Frame::parse(&node), Some(Frame::NodeKey(&key)));
    }
}
