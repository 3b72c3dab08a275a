//! The way back to a node through a head. The head writes it, and the gateway only repeats it.

/// Maximum bytes of a way.
pub const WAY_MAX: usize = 19;

/// Bytes that mean something to one head only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Way {
    size: u8,
    /// The rest are zeros.
    bytes: [u8; WAY_MAX],
}

impl Way {
    /// `None` for more than [`WAY_MAX`] bytes.
    pub fn new(bytes: &[u8]) -> Option<Way> {
        let mut way = Way {
            size: bytes.len() as u8,
            ..Way::default()
        };
        way.bytes.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(way)
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.size).min(WAY_MAX)]
    }

    /// Size and bytes, as messages have them.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.push(self.bytes().len() as u8);
        out.extend_from_slice(self.bytes());
    }

    /// Reads what [`Way::write`] wrote, and returns the rest.
    pub(super) fn read(bytes: &[u8]) -> Option<(Way, &[u8])> {
        let (size, rest) = bytes.split_first()?;
        let (way, rest) = rest.split_at_checked(usize::from(*size))?;
        Some((Way::new(way)?, rest))
    }

    /// Size and bytes, with zeros behind them.
    pub(crate) fn pack(&self) -> [u8; 1 + WAY_MAX] {
        let mut out = [0; 1 + WAY_MAX];
        out[0] = self.size;
        out[1..].copy_from_slice(&self.bytes);
        out
    }

    /// The inverse of [`Way::pack`]. Invalid bytes give an empty way.
    pub(crate) fn unpack(packed: &[u8; 1 + WAY_MAX]) -> Way {
        let size = usize::from(packed[0]).min(WAY_MAX);
        Way::new(&packed[1..1 + size]).unwrap_or_default()
    }
}
