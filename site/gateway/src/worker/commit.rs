//! The end of a batch: the journal is written, then answers are sent and events reported.

use std::sync::atomic::Ordering;
use std::sync::mpsc::TrySendError;
use std::time::Duration;

use tracing::{error, info};

use super::log::log;
use super::{Loop, Obsolete, Pass, Worker};
use crate::clock::Now;
use crate::counters::Count;
use crate::engine::{Checkpoint, Event, Output};
use crate::journal::Sync;
use crate::keys::Change;
use crate::registry::{Learnt, Verdict};

/// Minimum bytes of session states written with a batch during a checkpoint pass.
const CHECKPOINT_BYTES: usize = 4096;

/// Delay before a failed write of the journal is retried.
const RETRY: Duration = Duration::from_millis(500);

impl Loop {
    /// Writes the changes to the journal, then sends packets and reports events.
    pub(super) fn commit(&mut self, now: Now) -> Result<(), String> {
        let wrote = !self.out.journal.is_empty();
        let mut position = None;
        if wrote {
            position = Some(self.write(now)?);
        }
        let Worker {
            keeper,
            recorder,
            claims,
            sync,
            carriers,
            progress,
            counters,
            engine,
            ..
        } = &mut self.worker;
        if wrote && *sync != Sync::Always {
            progress.written(position.unwrap_or_default());
            position = None;
        }
        let mut held_back = Vec::new();
        for packet in self.out.send.drain(..) {
            let hold = match *sync {
                Sync::Always => wrote || packet.after_sync,
                Sync::EverySecond => packet.after_sync,
                Sync::Never => false,
            };
            if hold {
                held_back.push(packet);
            } else if carriers.send(&packet).is_err() {
                counters.add(Count::SendErrors, 1);
            }
        }
        if !held_back.is_empty() || position.is_some() {
            keeper.release(held_back, position);
        }
        let mut learnt = Vec::new();
        for event in self.out.events.drain(..) {
            log(&event);
            if let Event::Joined { row, counter, .. } = event {
                let new = Learnt {
                    join_counter: Some(counter),
                    seen: None,
                };
                learnt.push((row, new));
            }
            self.listeners
                .retain(|listener| listener.send(event.clone()).is_ok());
        }
        if !learnt.is_empty() {
            recorder.learn(learnt);
        }
        for claim in self.out.claims.drain(..) {
            // The queue is full, or its thread has ended.
            let refused = match claims {
                Some(claims) => claims.try_send(claim).err(),
                None => None,
            };
            if let Some(TrySendError::Full(claim) | TrySendError::Disconnected(claim)) = refused {
                engine.claimed(now, &claim, Verdict::Unknown, &mut Output::default());
            }
        }
        counters.publish(engine.counters());
        // Keys that could not be overwritten are still here.
        if self.keys.is_empty() {
            for told in self.settling.drain(..) {
                let _ = told.send(());
            }
        }
        Ok(())
    }

    /// Appends the batch to the journal. Waits while the disk is full, because unwritten
    /// packets must be neither answered nor delivered.
    pub(super) fn write(&mut self, now: Now) -> Result<crate::journal::Position, String> {
        self.continue_pass();
        let mut complained = false;
        loop {
            match self.try_write(now) {
                Ok(position) => {
                    if complained {
                        info!("the journal can be written again");
                    }
                    return Ok(position);
                }
                Err(problem) => {
                    if !complained {
                        let hint = problem.hint();
                        error!(%problem, hint, "cannot write the journal; packets are refused until it can be written");
                    }
                    complained = true;
                    if self.stop.load(Ordering::Acquire) {
                        return Err(problem.to_string());
                    }
                    std::thread::sleep(RETRY);
                }
            }
        }
    }

    fn try_write(&mut self, now: Now) -> crate::Result<crate::journal::Position> {
        let worker = &mut self.worker;
        self.keys.append(&mut worker.engine.take_key_changes());
        // Write the keys before the journal names their slots.
        worker.keys.write_kept(&self.keys)?;
        if worker.journal.is_full() {
            let file = worker.journal.rotate()?;
            worker.keeper.file(file);
            let enough = worker
                .segment_bytes
                .max(2 * worker.engine.checkpoint_bytes());
            if self.pass.is_none() && self.obsolete.is_none() && self.before_pass > enough {
                self.before_pass = 0;
                self.pass = Some(Pass {
                    checkpoint: Checkpoint::default(),
                    from: worker.journal.segment(),
                });
            }
        }
        let before = worker.journal.position();
        let position = worker.journal.append(&mut self.out.journal, now.unix_ms)?;
        let bytes = position.offset - before.offset;
        self.before_pass += bytes;
        worker.keeper.written(bytes);
        if !self.keys.is_empty() {
            self.forget_keys();
        }
        let worker = &mut self.worker;
        let counters = worker.engine.counters_mut();
        counters.add(Count::Batches, 1);
        counters.add(Count::JournalBytes, bytes);
        counters.set(
            Count::JournalSegments,
            worker.journal.segment_count() as u64,
        );
        Ok(position)
    }

    /// Overwrites the keys of sessions whose end is now in the journal. A failure is retried
    /// with the next batch.
    fn forget_keys(&mut self) {
        let worker = &mut self.worker;
        match worker.keys.write_forgotten(&self.keys) {
            Ok(()) => {
                self.keys.clear();
                worker.keeper.keys_written();
            }
            Err(problem) => {
                let hint = problem.hint();
                error!(%problem, hint, "cannot overwrite the keys of ended sessions yet; will retry");
                self.keys.retain(Change::is_forgotten);
            }
        }
    }

    /// Adds session states to the batch, about as many bytes as it already has.
    fn continue_pass(&mut self) {
        let Some(pass) = &mut self.pass else {
            return;
        };
        let journal = &mut self.out.journal;
        let bytes = journal.len().max(CHECKPOINT_BYTES);
        let complete = self
            .worker
            .engine
            .checkpoint(&mut pass.checkpoint, bytes, journal);
        if complete {
            self.obsolete = Some(Obsolete {
                before: pass.from,
                registry: match &self.worker.claims {
                    Some(_) => None,
                    None => Some(self.worker.recorder.flush()),
                },
            });
            self.pass = None;
        }
    }
}
