//! Shards: each device id belongs to one, and each shard to one engine at a time.
//!
//! An engine holds a shard under a lease of the registry. Each owner has another epoch, a number
//! that only grows. The registry grants a join only in the shard's current epoch, so an engine
//! that was paused past its lease is granted none, whatever it believes. The session keys of a
//! join belong to its epoch: an engine that loses a shard overwrites them.

use std::time::Duration;

use selo_link::DeviceId;

use crate::clock::Now;

/// Number of shards. It divides the range of session ids.
pub const SHARDS: u16 = 64;

/// Shard of a device, or of a session id ([`shard_of_session`]).
pub type Shard = u16;

/// An engine since one start. Another start is another engine.
pub type Instance = [u8; 16];

/// A shard, and the epoch in which an engine holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fence {
    pub shard: Shard,
    pub epoch: i64,
}

/// What an engine asks for when it renews its lease.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    pub lease: Duration,
    /// Shards that the engine still acts on. The registry frees all others of this engine.
    pub held: &'a [Shard],
    /// The engine before its restart, which has left its shards.
    pub former: Option<&'a Former>,
    /// The engine has held its lease without a gap for at least as long as a lease lasts. Only
    /// then does it take shards whose lease has ended: after an outage of the registry all leases
    /// have, and their owners come back one after the other.
    pub settled: bool,
}

/// An engine before its restart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Former {
    pub instance: Instance,
    /// The shards whose sessions are in its journal, each with the epoch of these sessions.
    pub fences: Vec<Fence>,
}

/// An engine's shards until its lease ends.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lease {
    pub fences: Vec<Fence>,
    /// Shards that the engine's former instance held in the same epoch, and nobody since.
    pub continued: Vec<Shard>,
    /// Number of engines with a lease.
    pub engines: usize,
}

/// The shards of an engine, as it knows them.
#[derive(Debug)]
pub(crate) struct Ownership {
    epochs: [Option<i64>; SHARDS as usize],
    /// End of the lease, steady milliseconds.
    until_ms: u64,
}

impl Default for Ownership {
    fn default() -> Self {
        Ownership {
            epochs: [None; SHARDS as usize],
            until_ms: 0,
        }
    }
}

impl Ownership {
    /// The epoch of a shard that the engine owns.
    pub(crate) fn epoch(&self, now: Now, shard: Shard) -> Option<i64> {
        if now.steady_ms >= self.until_ms {
            return None;
        }
        self.epochs.get(usize::from(shard)).copied().flatten()
    }

    /// Number of shards.
    pub(crate) fn owned(&self) -> usize {
        self.epochs.iter().flatten().count()
    }

    /// Takes over a lease that ends at `until_ms`. Returns the shards whose sessions end: they
    /// were lost, or another engine had them in between.
    pub(crate) fn take(&mut self, lease: &Lease, until_ms: u64) -> [bool; SHARDS as usize] {
        let mut epochs = [None; SHARDS as usize];
        for fence in &lease.fences {
            if let Some(epoch) = epochs.get_mut(usize::from(fence.shard)) {
                *epoch = Some(fence.epoch);
            }
        }
        // Before the first lease there may be sessions of an earlier start in any shard.
        let first = self.until_ms == 0;
        let mut ended = [false; SHARDS as usize];
        for (shard, epoch) in (0..SHARDS).zip(&epochs) {
            let same = self.epochs[usize::from(shard)] == *epoch && !first;
            ended[usize::from(shard)] = !same && !lease.continued.contains(&shard);
        }
        *self = Ownership { epochs, until_ms };
        ended
    }
}

/// The shard of a device. Ids may count up, so a multiplication spreads them.
pub const fn shard_of(device: DeviceId) -> Shard {
    (device.0.wrapping_mul(0x9e37_79b1) >> (32 - SHARDS.trailing_zeros())) as Shard
}

/// The shard of a session id that an engine with shards has drawn. An engine that does not know
/// a session can tell whether it should.
pub const fn shard_of_session(id: u32) -> Shard {
    id as u16 % SHARDS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_spread_over_all_shards() {
        for step in [1, 2, 64, 0x0100_0000, 0x0001_0000] {
            let mut counts = [0; SHARDS as usize];
            for n in 0..6400_u32 {
                counts[usize::from(shard_of(DeviceId(n.wrapping_mul(step))))] += 1;
            }
            let most = counts.iter().max().expect("shards");
            // 100 on average. Ids that differ in few bits only cannot be spread evenly.
            assert!(
                *most <= if step < 1000 { 200 } else { 6400 },
                "step {step}: {counts:?}"
            );
        }
    }
}
