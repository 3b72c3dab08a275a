//! The readings that the gateway has delivered and that are not confirmed yet.

use std::collections::HashMap;

use selo_gateway::reading::Reading;
use selo_link::DeviceId;

/// Maximum readings that are published but not yet confirmed as stored. More would fill the
/// broker's queue for the collector and delay the readings of other gateways.
const WINDOW: usize = 256;

/// The current batch.
pub struct Batch {
    pub id: u64,
    pub readings: Vec<Reading>,
    /// Sequence number of its first reading.
    pub first: u64,
    pub confirmed: Vec<bool>,
    pub left: usize,
    /// Index of the next reading to publish.
    pub cursor: usize,
    /// Readings published since the batch was started or rewound, and not confirmed.
    pub under_way: usize,
    /// Index of each device's last reading, which becomes the retained state.
    pub last: HashMap<DeviceId, usize>,
}

impl Batch {
    pub fn new(id: u64, readings: Vec<Reading>, first: u64) -> Batch {
        let last = readings
            .iter()
            .enumerate()
            .map(|(index, reading)| (reading.device, index))
            .collect();
        Batch {
            id,
            first,
            confirmed: vec![false; readings.len()],
            left: readings.len(),
            cursor: 0,
            under_way: 0,
            last,
            readings,
        }
    }

    pub fn confirm(&mut self, index: usize) {
        if let Some(confirmed) = self.confirmed.get_mut(index)
            && !std::mem::replace(confirmed, true)
        {
            self.left -= 1;
            if index < self.cursor {
                self.under_way = self.under_way.saturating_sub(1);
            }
        }
    }

    /// Returns true if the window is full: no reading is published before one is confirmed.
    pub fn is_waiting(&self) -> bool {
        self.cursor == self.readings.len() || self.under_way >= WINDOW
    }

    /// Starts again with the unconfirmed readings.
    pub fn rewind(&mut self) {
        self.cursor = 0;
        self.under_way = 0;
        for reading in &mut self.readings {
            reading.redelivered = true;
        }
    }
}
