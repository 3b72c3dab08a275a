//! An engine's lease, as its thread renews it.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tracing::{error, info, warn};

use super::PERIOD;
use crate::clock::Clock;
use crate::shards::{Ask, Instance, Lease, Shard};
use crate::state::private_file;

/// See the [module](self).
#[derive(Debug)]
pub struct Owning {
    lease: Duration,
    clock: Clock,
    /// Holds the last instance, so that a restarted engine finds its shards.
    file: PathBuf,
    former: Option<Instance>,
    /// Shards of the last lease.
    held: Vec<Shard>,
    /// End of the last lease, steady milliseconds.
    until_ms: u64,
    engines: usize,
    ended: bool,
    noted: bool,
}

impl Owning {
    pub fn new(lease: Duration, clock: Clock, file: PathBuf) -> Owning {
        let former = std::fs::read_to_string(&file).ok().and_then(|text| {
            let mut instance = Instance::default();
            hex::decode_to_slice(text.trim(), &mut instance).ok()?;
            Some(instance)
        });
        Owning {
            lease,
            clock,
            file,
            former,
            held: Vec::new(),
            until_ms: 0,
            engines: 0,
            ended: false,
            noted: false,
        }
    }

    /// Time between two requests: five fit into a lease.
    pub fn period(&self) -> Duration {
        (self.lease / 5).min(PERIOD)
    }

    pub fn now_ms(&self) -> u64 {
        self.clock.now().steady_ms
    }

    pub fn ask(&self) -> Ask<'_> {
        Ask {
            lease: self.lease,
            held: &self.held,
            former: self.former,
        }
    }

    /// Takes the answer to a request that was made at `asked`. Returns the end of the lease,
    /// which counts from the request: the registry's lease ends later.
    pub fn renewed(&mut self, asked: u64, lease: Option<&Lease>, instance: Instance) -> u64 {
        let Some(lease) = lease else {
            if self.now_ms() >= self.until_ms && !std::mem::replace(&mut self.ended, true) {
                error!("the lease has ended: no packet is answered until the registry renews it");
            }
            return self.until_ms;
        };
        if !std::mem::replace(&mut self.noted, true) {
            self.note(instance);
        }
        self.former = None;
        let shards: Vec<Shard> = lease.fences.iter().map(|fence| fence.shard).collect();
        if shards != self.held || lease.engines != self.engines {
            info!(
                shards = shards.len(),
                engines = lease.engines,
                continued = lease.continued.len(),
                "owns shards"
            );
        }
        if std::mem::take(&mut self.ended) {
            info!("the lease is renewed");
        }
        self.held = shards;
        self.engines = lease.engines;
        self.until_ms = asked + self.lease.as_millis() as u64;
        self.until_ms
    }

    fn note(&self, instance: Instance) {
        if let Err(problem) = write(&self.file, &hex::encode(instance)) {
            warn!(%problem, file = %self.file.display(), "cannot note the engine: after a restart all sessions end");
        }
    }
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut file = private_file(path, OpenOptions::new().create(true).truncate(true))?;
    file.write_all(text.as_bytes())
}
