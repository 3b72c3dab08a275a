//! The thread of a gateway that shares its registry with others. It claims joins before the
//! engine answers them, takes over changes of devices that others have made, and renews the lease
//! of an engine's shards.

mod owning;

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tracing::{debug, error, info};

use crate::delivery::Names;
use crate::devices::take_over;
use crate::engine::Claim;
use crate::error::Error;
use crate::registry::{JoinClaim, Shared, Verdict, leave_out};
use crate::worker::Remote;

pub use owning::Owning;

/// Maximum claims that wait. More are refused, and their nodes ask again.
const WAITING_MAX: usize = 8192;
/// Maximum claims in one transaction.
const BATCH: usize = 512;
/// Period in which changes are asked for.
const PERIOD: Duration = Duration::from_secs(1);

/// The way of claims from the worker to this thread; `None` if the registry is not shared.
pub fn channel(shared: bool) -> (Option<SyncSender<Claim>>, Option<Receiver<Claim>>) {
    shared.then(|| sync_channel(WAITING_MAX)).unzip()
}

/// See the [module](self).
#[derive(Debug)]
pub struct Sharing {
    shared: Box<dyn Shared>,
    /// The last change of the registry that the engine knows.
    since: i64,
    claims: Receiver<Claim>,
    remote: Remote,
    names: Arc<Names>,
    /// The registry did not answer the last time.
    away: bool,
    owning: Option<Owning>,
}

impl Sharing {
    pub fn new(
        shared: (Box<dyn Shared>, i64),
        claims: Receiver<Claim>,
        remote: Remote,
        names: Arc<Names>,
    ) -> Sharing {
        let (shared, since) = shared;
        Sharing {
            shared,
            since,
            claims,
            remote,
            names,
            away: false,
            owning: None,
        }
    }

    /// Starts the thread. It ends with the worker.
    pub fn start(mut self, owning: Option<Owning>) -> io::Result<JoinHandle<()>> {
        self.owning = owning;
        std::thread::Builder::new()
            .name("sharing".into())
            .spawn(move || self.run())
    }

    fn run(&mut self) {
        let period = self.owning.as_ref().map_or(PERIOD, Owning::period);
        let mut next = Instant::now();
        loop {
            let wait = next.saturating_duration_since(Instant::now());
            match self.claims.recv_timeout(wait) {
                Ok(first) => {
                    let mut batch = vec![first];
                    batch.extend(self.claims.try_iter().take(BATCH - 1));
                    self.claim(batch);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            if Instant::now() >= next {
                if self.hold().and_then(|()| self.follow()).is_none() {
                    return;
                }
                next = Instant::now() + period;
            }
        }
    }

    fn claim(&mut self, batch: Vec<Claim>) {
        let asked: Vec<_> = batch
            .iter()
            .map(|claim| JoinClaim {
                row: claim.row,
                counter: claim.counter,
                fence: claim.fence,
            })
            .collect();
        let answer = self.shared.claim(&asked);
        let verdicts = self
            .heard(answer)
            .unwrap_or_else(|| vec![Verdict::Unknown; batch.len()]);
        debug!(claims = batch.len(), ?verdicts, "claimed joins");
        self.remote.run(move |engine, now, out| {
            for (claim, verdict) in batch.iter().zip(verdicts) {
                engine.claimed(now, claim, verdict, out);
            }
        });
    }

    /// Renews the lease. `None` if the gateway has stopped.
    fn hold(&mut self) -> Option<()> {
        let Some(mut owning) = self.owning.take() else {
            return Some(());
        };
        let asked = owning.now_ms();
        let answer = self.shared.hold(&owning.ask());
        let lease = self.heard(answer);
        let until_ms = owning.renewed(asked, lease.as_ref());
        let taken = lease.map(|lease| {
            // Wait for the engine: the next request frees the shards that it gives up here.
            self.remote
                .call(move |engine, _, out| engine.take_lease(&lease, until_ms, out))
        });
        // A restarted engine continues sessions of the noted epochs, so the end of all others
        // must be in the journal. If the disk is full, the next turn tries again.
        if taken == Some(Some(())) && owning.is_unnoted() && self.remote.settle(owning.period()) {
            owning.note(self.shared.instance());
        }
        self.owning = Some(owning);
        taken.unwrap_or(Some(()))
    }

    /// Takes over changes. `None` if the gateway has stopped.
    fn follow(&mut self) -> Option<()> {
        let answer = self.shared.changes(self.since);
        let Some(changes) = self.heard(answer) else {
            return Some(());
        };
        for damage in changes.damaged {
            // It is a damaged row, or would not be here.
            let _ = leave_out(damage);
        }
        let (changed, removed) = (&changes.changed, &changes.removed);
        if !changed.is_empty() || !removed.is_empty() {
            info!(
                changed = changed.len(),
                removed = removed.len(),
                "took over devices that others have changed in the registry"
            );
            take_over(&self.remote, &self.names, changed, removed)?;
        }
        self.since = changes.until;
        Some(())
    }

    /// Logs the first failure and the first success after it.
    fn heard<T>(&mut self, answer: Result<T, Error>) -> Option<T> {
        match answer {
            Ok(answer) => {
                if std::mem::take(&mut self.away) {
                    info!("the registry answers again: joins are answered");
                }
                Some(answer)
            }
            Err(problem) => {
                if !self.away {
                    let hint = problem.hint();
                    error!(%problem, hint, "joins are refused until the registry can grant them");
                }
                self.away = true;
                None
            }
        }
    }
}
