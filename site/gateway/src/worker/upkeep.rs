//! The worker's tasks of each second, and its clean end.

use tracing::{error, info, warn};

use super::Loop;
use crate::clock::Now;
use crate::engine::Engine;
use crate::registry::Learnt;

/// Period in which the registry is updated for all sessions, a part each second.
const TELL_SECONDS: u32 = 300;

impl Loop {
    pub(super) fn every_second(&mut self, now: Now) {
        self.tell_registry(now);
        self.remove_obsolete();
        let worker = &self.worker;
        let behind = worker
            .journal
            .segment()
            .saturating_sub(worker.progress.delivered().segment.max(1));
        let full = behind.saturating_mul(worker.segment_bytes) > worker.undelivered_max;
        if full && !self.paused {
            error!(
                "too many undelivered readings; packets are refused until the sink accepts some"
            );
        }
        if !full && self.paused {
            info!("packets are accepted again");
        }
        self.paused = full;
    }

    /// Reports last contacts to the registry, for a part of all sessions.
    fn tell_registry(&mut self, now: Now) {
        let slots = self.worker.engine.slots();
        self.told_seconds += 1;
        let share = u64::from(slots) * u64::from(self.told_seconds) / u64::from(TELL_SECONDS);
        let until = share as u32;
        self.tell(self.told..until, now, 2 * TELL_SECONDS);
        self.told = until.max(self.told);
        if self.told_seconds >= TELL_SECONDS {
            self.told = 0;
            self.told_seconds = 0;
        }
    }

    fn tell(&self, slots: std::ops::Range<u32>, now: Now, seconds: u32) {
        let since = ((now.unix_ms / 1000) as u32).saturating_sub(seconds);
        let learnt = heard(&self.worker.engine, slots, since);
        if !learnt.is_empty() {
            self.worker.recorder.learn(learnt);
        }
    }

    fn remove_obsolete(&mut self) {
        let Some(obsolete) = &mut self.obsolete else {
            return;
        };
        if let Some(registry) = &obsolete.registry {
            if registry.try_recv().is_err() {
                return;
            }
            obsolete.registry = None;
        }
        let delivered = self.worker.progress.delivered().segment;
        match self
            .worker
            .journal
            .remove_before(obsolete.before.min(delivered))
        {
            Ok(_) if delivered >= obsolete.before => self.obsolete = None,
            Ok(_) => {}
            Err(problem) => warn!(%problem, "cannot remove an old journal segment"),
        }
    }

    /// Stops cleanly: writes all pending data and an end entry.
    pub(super) fn finish(&mut self) -> Result<(), String> {
        let now = self.worker.clock.now();
        self.worker
            .engine
            .pairing_close(now, "the gateway is stopping", &mut self.out);
        self.commit(now)?;
        self.tell(0..self.worker.engine.slots(), now, 2 * TELL_SECONDS);
        self.worker.keeper.stop();
        self.worker.recorder.stop();
        self.out.journal.push(&crate::journal::entry::Entry::End);
        self.write(now)?;
        self.worker
            .journal
            .sync_all()
            .map_err(|error| error.to_string())?;
        self.worker.progress.written(self.worker.journal.position());
        self.worker.counters.publish(self.worker.engine.counters());
        Ok(())
    }
}

/// Last contacts of sessions in these slots, in the registry's form.
pub fn heard(engine: &Engine, slots: std::ops::Range<u32>, since: u32) -> Vec<(u32, Learnt)> {
    let learnt = |heard: crate::engine::Heard| {
        let seen = (u64::from(heard.at) * 1000, heard.peer.to_string());
        let new = Learnt {
            join_counter: None,
            seen: Some(seen),
        };
        (heard.row, new)
    };
    engine.heard(slots, since).map(learnt).collect()
}
