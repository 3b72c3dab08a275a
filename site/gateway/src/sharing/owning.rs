//! An engine's lease, as its thread renews it.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tracing::{error, info, warn};

use super::PERIOD;
use crate::clock::Clock;
use crate::shards::{Ask, Fence, Former, Instance, Lease, SHARDS, Shard};
use crate::state::private_file;

/// See the [module](self).
#[derive(Debug)]
pub struct Owning {
    lease: Duration,
    clock: Clock,
    /// Holds the last instance and its fences, so that a restarted engine finds its shards.
    file: PathBuf,
    former: Option<Former>,
    /// Fences of the last lease, and their shards.
    fences: Vec<Fence>,
    held: Vec<Shard>,
    /// Start of the time in which no lease has ended, steady milliseconds.
    since_ms: u64,
    /// End of the last lease, steady milliseconds.
    until_ms: u64,
    engines: usize,
    ended: bool,
    /// The file holds the fences of the last lease.
    noted: bool,
}

impl Owning {
    pub fn new(lease: Duration, clock: Clock, file: PathBuf) -> Owning {
        let former = std::fs::read_to_string(&file).ok();
        Owning {
            lease,
            clock,
            former: former.and_then(|text| read(&text)),
            file,
            fences: Vec::new(),
            held: Vec::new(),
            since_ms: 0,
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

    fn lease_ms(&self) -> u64 {
        self.lease.as_millis() as u64
    }

    pub fn ask(&self) -> Ask<'_> {
        let unbroken = self.until_ms.min(self.now_ms()) - self.since_ms.min(self.until_ms);
        Ask {
            lease: self.lease,
            held: &self.held,
            former: self.former.as_ref(),
            settled: self.now_ms() < self.until_ms && unbroken >= self.lease_ms(),
        }
    }

    /// Takes the answer to a request that was made at `asked`. Returns the end of the lease,
    /// which counts from the request: the registry's lease ends later.
    pub fn renewed(&mut self, asked: u64, lease: Option<&Lease>) -> u64 {
        let Some(lease) = lease else {
            if self.now_ms() >= self.until_ms && !std::mem::replace(&mut self.ended, true) {
                error!("the lease has ended: no packet is answered until the registry renews it");
            }
            return self.until_ms;
        };
        self.former = None;
        if asked >= self.until_ms {
            self.since_ms = asked;
        }
        if lease.fences != self.fences || lease.engines != self.engines {
            info!(
                shards = lease.fences.len(),
                engines = lease.engines,
                continued = lease.continued.len(),
                "owns shards"
            );
        }
        if std::mem::take(&mut self.ended) {
            info!("the lease is renewed");
        }
        self.noted &= lease.fences == self.fences;
        self.held = lease.fences.iter().map(|fence| fence.shard).collect();
        self.fences.clone_from(&lease.fences);
        self.engines = lease.engines;
        self.until_ms = asked.saturating_add(self.lease_ms());
        self.until_ms
    }

    /// True if the file does not hold the fences yet.
    pub fn is_unnoted(&self) -> bool {
        !self.noted
    }

    /// Notes the fences. Sessions of other epochs must have ended in the journal before.
    pub fn note(&mut self, instance: Instance) {
        match write(&self.file, &text(instance, &self.fences)) {
            Ok(()) => self.noted = true,
            Err(problem) => {
                warn!(%problem, file = %self.file.display(), "cannot note the engine: after a restart its sessions end");
            }
        }
    }
}

/// The instance, then a line for each fence.
fn text(instance: Instance, fences: &[Fence]) -> String {
    let mut text = hex::encode(instance);
    for Fence { shard, epoch } in fences {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n{shard} {epoch}");
    }
    text + "\n"
}

/// Reads what [`text`] has written. `None` if it is something else, such as a part of it.
fn read(text: &str) -> Option<Former> {
    let mut lines = text.strip_suffix('\n')?.lines();
    let mut instance = Instance::default();
    hex::decode_to_slice(lines.next()?, &mut instance).ok()?;
    let fence = |line: &str| {
        let (shard, epoch) = line.split_once(' ')?;
        Some(Fence {
            shard: shard.parse().ok().filter(|shard| *shard < SHARDS)?,
            epoch: epoch.parse().ok()?,
        })
    };
    let fences = lines.map(fence).collect::<Option<Vec<_>>>()?;
    Some(Former { instance, fences })
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut file = private_file(path, OpenOptions::new().create(true).truncate(true))?;
    file.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lease(epoch: i64) -> Lease {
        Lease {
            fences: vec![Fence { shard: 7, epoch }, Fence { shard: 9, epoch: 3 }],
            ..Lease::default()
        }
    }

    #[test]
    fn what_was_noted_is_found_after_a_restart_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("engine");
        let new = || Owning::new(Duration::from_secs(15), Clock::start(), file.clone());
        let mut owning = new();
        assert_eq!(owning.ask().former, None);
        owning.renewed(1, Some(&lease(4)));
        owning.note([0xab; 16]);
        assert!(!owning.is_unnoted());
        owning.renewed(2, Some(&lease(4)));
        assert!(!owning.is_unnoted(), "the same fences");
        owning.renewed(3, Some(&lease(6)));
        assert!(owning.is_unnoted());
        let expected = Former {
            instance: [0xab; 16],
            fences: lease(4).fences,
        };
        assert_eq!(new().ask().former, Some(&expected));
        let whole = std::fs::read_to_string(&file).expect("reads");
        for end in 0..whole.len() {
            std::fs::write(&file, &whole[..end]).expect("writes");
            let read = new().former;
            assert!(read.is_none_or(|it| it.fences.len() < 2), "{end}");
        }
        for other in ["", "x\n", "\u{e9}", "ab\n1 1\n", &whole.replace('7', "64")] {
            std::fs::write(&file, other).expect("writes");
            assert_eq!(new().former, None, "{other}");
        }
    }

    #[test]
    fn an_engine_is_settled_after_a_lease_without_a_gap() {
        let folder = tempfile::tempdir().expect("a folder");
        let lease_time = Duration::from_millis(300);
        let mut owning = Owning::new(lease_time, Clock::start(), folder.path().join("engine"));
        assert!(!owning.ask().settled);
        let renew = |owning: &mut Owning| {
            let asked = owning.now_ms();
            owning.renewed(asked, Some(&lease(1)));
        };
        renew(&mut owning);
        assert!(!owning.ask().settled, "a first lease");
        for _ in 0..7 {
            std::thread::sleep(Duration::from_millis(50));
            renew(&mut owning);
        }
        assert!(owning.ask().settled);
        std::thread::sleep(Duration::from_millis(350));
        assert!(!owning.ask().settled, "the lease has ended");
        renew(&mut owning);
        assert!(!owning.ask().settled, "a first lease after an outage");
    }
}
