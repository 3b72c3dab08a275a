//! Shards: each device id belongs to one, and each shard to one engine at a time.
//!
//! An engine holds a shard under a lease of the registry. Each owner has another epoch, a number
//! that only grows. The registry grants a join only in the shard's current epoch, so an engine
//! that was paused past its lease is granted none, whatever it believes. The session keys of a
//! join belong to its epoch: an engine that loses a shard overwrites them.

use std::time::Duration;

use selo_link::DeviceId;

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
    /// The engine's instance before its restart, which has left its shards.
    pub former: Option<Instance>,
}

/// An engine's shards until its lease ends.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lease {
    pub fences: Vec<Fence>,
    /// Shards that the engine's former instance held, and nobody since.
    pub continued: Vec<Shard>,
    /// Number of engines with a lease.
    pub engines: usize,
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
