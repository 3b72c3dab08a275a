//! Times and counts of one exchange.

use serde::{Deserialize, Serialize};

/// The stamps of [ferreira2020], in nanoseconds: the client's are relative to t0, the server's to
/// t2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamps {
    pub connect: u64,
    pub t1: u64,
    pub t6: u64,
    pub t7: u64,
    pub t3_less_t2: u64,
    pub t4_less_t2: u64,
    pub t5_less_t2: u64,
    /// The client's instructions, if its machine was emulated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<Sealing>,
}

/// Instructions that the cipher executed at one end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sealing {
    pub encrypt: u64,
    pub decrypt: u64,
}

/// The times of [ferreira2021] in nanoseconds, with the counts of the same exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TlsTimes {
    pub connect: u64,
    pub handshake: u64,
    pub exchange: u64,
    /// Processor time of the client's thread.
    pub handshake_cpu: u64,
    pub exchange_cpu: u64,
    /// Bytes that TCP carried, including the heads of records.
    pub handshake_sent: u64,
    pub handshake_received: u64,
    /// Number of times that the client waited for an answer.
    pub handshake_trips: u64,
    pub exchange_trips: u64,
    /// The client's instructions, if its machine was emulated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<Counted>,
    /// The cycles that the core's model computes from these instructions, if the model's error is
    /// known (`selo lab calibration`). [`Row::caution`] names the error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycles: Option<Counted>,
    /// Bytes of the client's image: its code and constants, its variables, and the RAM that the
    /// part has for variables, heap and stack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flash: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variables: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
    /// Peak heap and peak stack in bytes, if the client can measure them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heap: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack: Option<u64>,
}

/// Counts of the client of a TLS exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted {
    pub handshake: u64,
    pub exchange: u64,
}

impl TlsTimes {
    /// The RAM that the client uses: variables, heap and stack.
    pub fn ram(&self) -> Option<u64> {
        Some(self.variables? + self.heap? + self.stack?)
    }

    /// Returns true if the client uses more RAM than the part has.
    pub fn exceeds(&self) -> Option<bool> {
        Some(self.ram()? > self.memory?)
    }
}

/// A reading delivered by TLS or by the link.
#[derive(Clone, Debug)]
pub struct Delivered {
    pub times: TlsTimes,
    /// Bytes from the client and to it, including the handshake.
    pub sent: u64,
    pub received: u64,
}
