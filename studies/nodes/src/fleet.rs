//! Many nodes over UDP on few threads. Each thread waits for the sockets of its nodes and for the
//! next due event.
//!
//! Each node has its own socket, and so its own address, while the open-file limit allows it.
//! Beyond that nodes share sockets, and a frame is given to every node on its socket, as on a
//! radio channel.

mod plan;
mod shard;
mod state;
mod tally;

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::error::Result;
use crate::impairment::Strikes;
use crate::latency::Latency;
use crate::node::VirtualNode;
use crate::records::Records;

use shard::{Shard, commit};
use tally::Shared;

pub use plan::{Plan, start_time};
pub(crate) use shard::any_port;
pub use tally::Tally;

/// Open files other than the nodes' sockets.
const OTHER_FILES: u64 = 64;

/// Runs nodes that have device keys, until the plan is complete or `stop` is set. `observe` is
/// called from time to time with the counters.
pub fn run(
    mut nodes: Vec<VirtualNode>,
    records: Records,
    plan: &Plan,
    stop: &AtomicBool,
    mut observe: impl FnMut(&Tally),
) -> Result<Tally> {
    let shared = Shared::default();
    let records = Mutex::new(records);
    let ended = Mutex::new((Strikes::default(), Latency::default()));
    // An error in one thread stops the others.
    let failed = AtomicBool::new(false);
    let sockets = allow_files(nodes.len());
    let threads = plan.threads.clamp(1, nodes.len().max(1));
    let share = nodes.len().div_ceil(threads).max(1);
    let total = nodes.len();
    // Commit the records that the nodes stored at their start, before any of them sends.
    commit(&records, 0, &mut nodes)?;
    std::thread::scope(|scope| {
        let mut workers = Vec::new();
        let mut first = 0;
        while !nodes.is_empty() {
            let rest = nodes.split_off(share.min(nodes.len()));
            let own = std::mem::replace(&mut nodes, rest);
            let (number, shared, records) = (own.len(), &shared, &records);
            let (ended, failed) = (&ended, &failed);
            workers.push(scope.spawn(move || {
                let sockets = (sockets * number / total).max(1);
                let work = || {
                    let mut shard = Shard::new(own, first, total, sockets, plan, shared)?;
                    shard.run(records, || stop.load(Relaxed) || failed.load(Relaxed))?;
                    let mut ended = ended.lock().unwrap_or_else(PoisonError::into_inner);
                    ended.0 += shard.strikes();
                    ended.1.add(&shard.latency);
                    Ok(())
                };
                let result = work();
                failed.fetch_or(result.is_err(), Relaxed);
                result
            }));
            first += number;
        }
        while workers.iter().any(|worker| !worker.is_finished()) {
            std::thread::sleep(Duration::from_millis(100));
            observe(&shared.tally());
        }
        let results = workers.into_iter().map(|worker| match worker.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        results.collect::<Result<()>>()
    })?;
    let (network, latency) = ended.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(Tally {
        network,
        latency,
        ..shared.tally()
    })
}

/// Raises the open-file limit if `nodes` need more. Returns the number of sockets that they may
/// have.
fn allow_files(nodes: usize) -> usize {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let need = nodes as u64 + OTHER_FILES;
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current.is_some_and(|current| current < need) {
        let wanted = limit.maximum.map_or(need, |maximum| maximum.min(need));
        let raised = rustix::process::Rlimit {
            current: Some(wanted),
            ..limit
        };
        if setrlimit(Resource::Nofile, raised).is_ok() {
            limit = raised;
        }
    }
    let room = limit
        .current
        .map_or(u64::MAX, |current| current.saturating_sub(OTHER_FILES));
    usize::try_from(room)
        .unwrap_or(usize::MAX)
        .min(nodes)
        .max(1)
}
