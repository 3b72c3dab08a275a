//! The identity of a node: its id and its key.

use std::fmt;
use std::str::FromStr;

use zeroize::{Zeroize, ZeroizeOnDrop};

/// A device id: 4 bytes, little-endian in frames, shown as eight hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeviceId(pub u32);

/// Error: the text is not a device id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{given:?} is not a device id\nhint: a device id has eight hexadecimal digits, such as 04c11db7"
)]
pub struct ParseDeviceId {
    given: String,
}

impl DeviceId {
    /// The id in the byte order of frames.
    pub const fn to_bytes(self) -> [u8; 4] {
        self.0.to_le_bytes()
    }

    /// Decodes an id from the bytes of a frame.
    pub const fn from_bytes(bytes: [u8; 4]) -> Self {
        DeviceId(u32::from_le_bytes(bytes))
    }
}

impl fmt::Display for DeviceId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:08x}", self.0)
    }
}

impl fmt::Debug for DeviceId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "DeviceId({self})")
    }
}

impl FromStr for DeviceId {
    type Err = ParseDeviceId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        digits
            .then(|| u32::from_str_radix(text, 16).ok())
            .flatten()
            .map(DeviceId)
            .ok_or_else(|| ParseDeviceId {
                given: text.to_owned(),
            })
    }
}

/// A device key: the pre-shared key of all joins of a device. Wiped on drop; `Debug` hides it.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct DeviceKey([u8; 32]);

impl DeviceKey {
    /// Makes a key from its bytes.
    pub const fn new(bytes: [u8; 32]) -> Self {
        DeviceKey(bytes)
    }

    /// The secret bytes. Use them only to store the key.
    pub const fn expose(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for DeviceKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("DeviceKey(..)")
    }
}
