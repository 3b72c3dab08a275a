//! The shards that this engine owns ([`crate::shards`]). It answers no packet of another shard,
//! and none after its lease has ended.

use selo_link::{DeviceId, Reason};

use super::core::Engine;
use super::output::Output;
use super::table::Slot;
use crate::clock::Now;
use crate::counters::Count;
use crate::shards::{Fence, Lease, SHARDS, Shard, shard_of};

impl Engine {
    /// Makes this an engine that owns no shard yet.
    pub fn own_shards(&mut self) {
        self.ownership = Some(Box::default());
    }

    /// Takes over a lease that ends at `until_ms`. Sessions of shards that were lost, or that
    /// another engine had in between, end, and their keys are overwritten.
    pub fn take_lease(&mut self, lease: &Lease, until_ms: u64, out: &mut Output) {
        let Some(mut ownership) = self.ownership.take() else {
            return;
        };
        let ended = ownership.take(lease, until_ms);
        self.counters.set(Count::Shards, ownership.owned() as u64);
        self.ownership = Some(ownership);
        if ended.contains(&true) {
            self.end_shards(&ended, out);
        }
    }

    fn end_shards(&mut self, ended: &[bool; SHARDS as usize], out: &mut Output) {
        for slot in 0..self.devices.slots() {
            let lost = self.devices.get(slot).filter(|known| {
                let shard = shard_of(known.device.id);
                ended[usize::from(shard)]
            });
            if lost.is_some() {
                self.asked.remove(&slot);
                self.end_sessions(slot, "another engine has the shard", out);
            }
        }
    }

    /// The fence of a device's joins; `None` if this engine owns all devices.
    ///
    /// # Errors
    /// [`Reason::NotOwner`] if another engine answers this device.
    #[inline]
    pub(super) fn fence(&self, now: Now, device: DeviceId) -> Result<Option<Fence>, Reason> {
        let Some(ownership) = &self.ownership else {
            return Ok(None);
        };
        let shard = shard_of(device);
        let epoch = ownership.epoch(now, shard).ok_or(Reason::NotOwner)?;
        Ok(Some(Fence { shard, epoch }))
    }

    /// True if this engine answers the shard.
    #[inline]
    pub(super) fn owns(&self, now: Now, shard: Shard) -> bool {
        self.ownership
            .as_ref()
            .is_none_or(|ownership| ownership.epoch(now, shard).is_some())
    }

    /// True if this engine answers the device.
    pub(super) fn serves(&self, now: Now, device: Slot) -> bool {
        self.devices
            .get(device)
            .is_some_and(|known| self.owns(now, shard_of(known.device.id)))
    }
}
