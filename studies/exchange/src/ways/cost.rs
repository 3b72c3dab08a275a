//! Costs, and their sums.

/// Bytes of the reading.
pub(super) const READING: usize = 16;

/// The computing of a device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Computing {
    /// Cycles of the chip.
    Cycles(f64),
    /// Instructions of a core without a model of its cycles.
    Instructions(f64),
    /// Instructions, and their cycles by the model of the core.
    Modelled {
        instructions: f64,
        cycles: f64,
    },
    /// Seconds of the processor on which the rows were made.
    Seconds(f64),
    Unknown,
}

impl Computing {
    /// Both of one kind, with each of their numbers made of the two; else unknown.
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
    /// How often the device waits for an answer.
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
    /// The RAM of the part, if RAM and stack together exceed it.
    pub exceeded: Option<f64>,
}

/// One way to a server.
#[derive(Clone, Debug)]
pub struct Way {
    pub name: String,
    /// The board that computes.
    pub on: String,
    /// The first reading, with all that must come before it.
    pub alone: Cost,
    /// One of a day's readings.
    pub of_a_day: Cost,
    /// Bytes on the device, where they were measured.
    pub memory: Memory,
    pub note: &'static str,
    /// The limits of its modelled cycles.
    pub caution: Option<String>,
}
