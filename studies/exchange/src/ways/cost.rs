//! Costs, and their sums.

/// Bytes of the reading.
pub(super) const READING: usize = 16;

/// The computing effort of a device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Computing {
    /// Cycles of the chip.
    Cycles(f64),
    /// Instructions of a core that has no cycle model.
    Instructions(f64),
    /// Instructions, and the cycles that the core's model computes from them.
    Modelled {
        instructions: f64,
        cycles: f64,
    },
    /// Seconds of the processor that made the rows.
    Seconds(f64),
    Unknown,
}

impl Computing {
    /// Combines two values of the same kind, number by number. Different kinds give unknown.
    fn with(self, other: Computing, each: impl Fn(f64, f64) -> f64) -> Computing {
        match (self, other) {
            (Computing::Cycles(a), Computing::Cycles(b)) => Computing::Cycles(each(a, b)),
            (Computing::Instructions(a), Computing::Instructions(b)) => {
                Computing::Instructions(each(a, b))
            }
            (
                Computing::Modelled {
                    instructions,
                    cycles,
                },
                Computing::Modelled {
                    instructions: others,
                    cycles: other,
                },
            ) => Computing::Modelled {
                instructions: each(instructions, others),
                cycles: each(cycles, other),
            },
            (Computing::Seconds(a), Computing::Seconds(b)) => Computing::Seconds(each(a, b)),
            _ => Computing::Unknown,
        }
    }

    pub(super) fn plus(self, times: f64, other: Computing) -> Computing {
        self.with(other, |a, b| a + times * b)
    }

    pub(super) fn shared(self, among: f64) -> Computing {
        self.with(self, |a, _| a / among)
    }
}

/// The cost of one step or of one reading.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    pub sent: f64,
    pub received: f64,
    /// Number of times that the device waits for an answer.
    pub trips: f64,
    pub computing: Computing,
}

impl Cost {
    pub(super) fn plus(self, times: f64, other: Cost) -> Cost {
        Cost {
            sent: self.sent + times * other.sent,
            received: self.received + times * other.received,
            trips: self.trips + times * other.trips,
            computing: self.computing.plus(times, other.computing),
        }
    }

    pub(super) fn shared(self, among: f64) -> Cost {
        Cost {
            sent: self.sent / among,
            received: self.received / among,
            trips: self.trips / among,
            computing: self.computing.shared(among),
        }
    }

    pub fn bytes(&self) -> f64 {
        self.sent + self.received
    }
}

/// Bytes on a device.
#[derive(Clone, Copy, Debug, Default)]
pub struct Memory {
    pub flash: Option<f64>,
    /// Variables and heap.
    pub ram: Option<f64>,
    pub stack: Option<f64>,
    /// The part's RAM in bytes, if RAM and stack together exceed it.
    pub exceeded: Option<f64>,
}

/// One way to send readings to a server.
#[derive(Clone, Debug)]
pub struct Way {
    pub name: String,
    /// The board that does the computing.
    pub on: String,
    /// The first reading, including all steps that must come before it.
    pub alone: Cost,
    /// One of a day's readings.
    pub of_a_day: Cost,
    /// Bytes on the device, where they were measured.
    pub memory: Memory,
    pub note: &'static str,
    /// The caution for its modelled cycles.
    pub caution: Option<String>,
}
