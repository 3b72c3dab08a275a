//! The figures at the end of the demo.

#[derive(serde::Serialize)]
pub(super) struct Summary {
    pub(super) sent: u64,
    /// Readings received by LoRa; the others came by UDP.
    pub(super) by_radio: u64,
    pub(super) received: u64,
    /// LoRa readings that the gateway's module missed, because of collisions and its own
    /// transmissions.
    pub(super) dropped: u64,
    /// Packets that the gateway refused: not only readings. It tells where a lost reading may be.
    pub(super) refused: u64,
    pub(super) stored: u64,
    /// Readings that reached the collector twice. It dropped the repetition.
    pub(super) duplicates: u64,
    pub(super) rejected: u64,
    pub(super) alarms: u64,
}

impl Summary {
    pub(super) fn lost(&self) -> u64 {
        self.sent.saturating_sub(self.received)
    }

    /// Whether all readings are stored. Loopback loses nothing, so only those that the air dropped
    /// may be missing.
    pub(super) fn is_whole(&self) -> bool {
        self.sent == self.received + self.dropped
            && self.received == self.stored
            && self.rejected == 0
    }
}
