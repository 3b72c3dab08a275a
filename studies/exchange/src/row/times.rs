//! Times and counts of one exchange.

use serde::{Deserialize, Serialize};

/// The stamps of [ferreira2020], in nanoseconds: the client's since t0, the server's since t2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamps {
    pub connect: u64,
    pub t1: u64,
    pub t6: u64,
    pub t7: u64,
    pub t3_less_t2: u64,
    pub t4_less_t2: u64,
    pub t5_less_t2: u64,
    /// Those of the client, where its machine was emulated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<Sealing>,
}

/// Instructions that the cipher of one end executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sealing {
    pub encrypt: u64,
    pub decrypt: u64,
}

/// Times of [ferreira2021], in nanoseconds, and what was counted meanwhile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TlsTimes {
    pub connect: u64,
    pub handshake: u64,
    pub exchange: u64,
    /// The client's own computing: processor time of its thread.
    pub handshake_cpu: u64,
    pub exchange_cpu: u64,
    /// Bytes that TCP carried, records' heads included.
    pub handshake_sent: u64,
    pub handshake_received: u64,
    /// How often the client had to wait for an answer.
    pub handshake_trips: u64,
    pub exchange_trips: u64,
    /// The client's instructions, where its machine was emulated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<Counted>,
    /// Their cycles by the model of the board's core, where its error is known
    /// (`selo lab calibration`): [`Row::caution`] has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycles: Option<Counted>,
    /// Code and constants of the client's image, its variables, and the RAM that the part has
    /// for them, heap and stack, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flash: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variables: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
    /// Most bytes of heap at a time, and of stack, where the client can tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heap: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack: Option<u64>,
}

/// What was counted of the client of an exchange by TLS.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted {
    pub handshake: u64,
    pub exchange: u64,
}

impl TlsTimes {
    /// What the client takes of the RAM: variables, heap, stack.
    pub fn ram(&self) -> Option<u64> {
        Some(self.variables? + self.heap? + self.stack?)
    }

    /// Whether that is more than the part has.
    pub fn exceeds(&self) -> Option<bool> {
        Some(self.ram()? > self.memory?)
    }
}

/// A reading that was delivered by TLS or by the link.
#[derive(Clone, Debug)]
pub struct Delivered {
    pub times: TlsTimes,
    /// Bytes from the client and to it, handshake included.
    pub sent: u64,
    pub received: u64,
}
