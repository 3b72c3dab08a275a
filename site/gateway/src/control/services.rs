//! The parts of the gateway that requests use: status, and changes of the registry.

use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use selo_link::DeviceId;
use tracing::info;

use super::reply::{Refusal, STOPPING};
use super::windows::Relay;
use super::{HeadStatus, HeadsStatus, RELOAD_MAX, Status};
use crate::counters::{Count, Shared};
use crate::delivery::{Names, Progress};
use crate::devices::take_over;
use crate::error::{Error, Result};
use crate::heads::Connected;
use crate::recorder::Recorder;
use crate::registry::{Place, Record, Registry};
use crate::worker::{Remote, heard};

/// Sessions examined per job, between two batches of packets.
const PART: u32 = 10_000;

/// Maximum wait until a change of devices is in the gateway's files, or last contacts are in the
/// registry. It takes milliseconds, but for ever while the disk is full or the registry is away.
const SETTLE: Duration = Duration::from_secs(10);
const UNSETTLED: &str = "the device list is changed and in force, but the gateway cannot write its \
    files yet; it overwrites the keys of ended sessions when it can (see its log)";

const UNWRITTEN: &str = "the registry does not take the last contacts yet; the gateway writes \
    them when it answers";

/// Parts of the gateway that requests use.
#[derive(Debug)]
pub struct Services {
    pub remote: Remote,
    pub recorder: Recorder,
    pub counters: Arc<Shared>,
    pub progress: Arc<Progress>,
    /// The folder of the journal.
    pub journal: PathBuf,
    pub names: Arc<Names>,
    pub registry: Arc<dyn Place>,
    pub started: Instant,
    pub listen: String,
    pub metrics: Option<String>,
    /// The address that radio heads connect to.
    pub heads: Option<String>,
    pub connected: Arc<Connected>,
    /// The name that the device of the open window gets.
    pub pairing_name: Mutex<Option<String>>,
    /// The open window, if other gateways open it too.
    pub(crate) relay: Mutex<Option<Arc<Relay>>>,
}

impl Services {
    pub(super) fn status(&self) -> Status {
        let counters = self.counters.snapshot();
        Status {
            version: env!("CARGO_PKG_VERSION").into(),
            pid: std::process::id(),
            uptime_seconds: self.started.elapsed().as_secs(),
            listen: self.listen.clone(),
            metrics: self.metrics.clone(),
            devices: counters.get(Count::Devices),
            sessions: counters.get(Count::Sessions),
            pending: counters.get(Count::Pending),
            readings: counters.get(Count::Readings),
            delivered: counters.get(Count::Delivered),
            undelivered_bytes: self.progress.undelivered(&self.journal),
            dropped: counters.all_dropped(),
        }
    }

    /// The connected heads, by number.
    pub(super) fn heads(&self) -> HeadsStatus {
        let mut heads: Vec<_> = self
            .connected
            .all()
            .into_iter()
            .map(|(number, head)| HeadStatus {
                number,
                name: head.name.clone(),
                from: head.from.to_string(),
                seconds: head.since.elapsed().as_secs(),
                heard: head.counts.heard.load(Relaxed),
                best: head.counts.best.load(Relaxed),
                limited: head.counts.limited.load(Relaxed),
                answers: head.counts.answers.load(Relaxed),
                waited_ms: head.counts.waited_ms.load(Relaxed)
                    / head.counts.heard.load(Relaxed).max(1),
            })
            .collect();
        heads.sort_by_key(|head| head.number);
        HeadsStatus {
            listen: self.heads.clone(),
            heads,
        }
    }

    /// Writes the engine's current knowledge of devices to the registry.
    pub(super) fn flush(&self) -> Result<(), Refusal> {
        let mut slot = 0;
        loop {
            let part = slot..slot + PART;
            let (learnt, slots) = self
                .remote
                .call(move |engine, _, _| (heard(engine, part, 0), engine.slots()))
                .ok_or(STOPPING)?;
            self.recorder.learn(learnt);
            slot += PART;
            if slot >= slots {
                break;
            }
        }
        let written = self.recorder.flush().recv_timeout(SETTLE);
        written.map_err(|error| match error {
            RecvTimeoutError::Timeout => UNWRITTEN.into(),
            RecvTimeoutError::Disconnected => STOPPING.into(),
        })
    }

    pub(super) fn registry(&self) -> Result<Registry, Refusal> {
        self.registry.open().map_err(|error| error.to_string())
    }

    /// Applies changes of the registry to the running gateway.
    pub(super) fn reload(&self, devices: &[String]) -> Result<(), Refusal> {
        if devices.len() > RELOAD_MAX {
            return Err(format!(
                "more than {RELOAD_MAX} devices; send an empty list to reload all"
            ));
        }
        let registry = self.registry()?;
        let failed = |error: Error| error.to_string();
        let (present, absent) = if devices.is_empty() {
            let mut present = Vec::new();
            registry
                .for_each_whole(|record| present.push(record))
                .map_err(failed)?;
            let known = self
                .remote
                .call(|engine, _, _| engine.device_ids().collect::<Vec<_>>())
                .ok_or(STOPPING)?;
            let ids: std::collections::HashSet<_> =
                present.iter().map(|record| record.id).collect();
            let absent = known.into_iter().filter(|id| !ids.contains(id)).collect();
            (present, absent)
        } else {
            let mut present = Vec::new();
            let mut absent = Vec::new();
            for text in devices {
                let id: DeviceId = text
                    .parse()
                    .map_err(|_| format!("'{text}' is not a valid device id"))?;
                match registry.get_whole(id).map_err(failed)? {
                    Some(record) => present.push(record),
                    None => absent.push(id),
                }
            }
            (present, absent)
        };
        self.take_over(present, absent)
    }

    fn take_over(&self, present: Vec<Record>, absent: Vec<DeviceId>) -> Result<(), Refusal> {
        info!(
            changed = present.len(),
            removed = absent.len(),
            "reloaded devices from the registry"
        );
        take_over(&self.remote, &self.names, &present, &absent).ok_or(STOPPING)?;
        if self.remote.settle(SETTLE) {
            Ok(())
        } else {
            Err(UNSETTLED.into())
        }
    }
}
