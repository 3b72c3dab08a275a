//! The keeper: a thread that synchronises the journal to disk. The worker, which handles packets,
//! never waits for the disk.
//!
//! Packets that depend on a record wait here until the record is on disk. While one
//! synchronisation runs, more packets collect for the next one, so a storm of joins costs few
//! synchronisations.

use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Instant;

use crate::carriers::Carriers;
use crate::counters::{Count, Shared};
use crate::delivery::Progress;
use crate::engine::Outgoing;
use crate::journal::{Position, Sync};

/// Orders to the keeper.
enum Work {
    /// The journal continues in this file.
    File(File),
    /// Synchronise the journal, then send these packets and allow delivery up to the position.
    Release(Vec<Outgoing>, Option<Position>),
    Stop,
}

/// A handle to the keeper thread.
#[derive(Debug, Clone)]
pub struct Keeper {
    work: Sender<Work>,
    /// Total bytes written to the journal.
    written: Arc<AtomicU64>,
    /// Key slots were written since the last synchronisation.
    keys_written: Arc<AtomicBool>,
}

/// Resources of the thread.
pub struct Tools {
    pub sync: Sync,
    pub file: File,
    /// The file of session keys.
    pub keys: File,
    pub carriers: Arc<Carriers>,
    pub progress: Arc<Progress>,
    pub counters: Arc<Shared>,
    /// Called once if the disk fails, with the reason.
    pub failed: Box<dyn Fn(String) + Send>,
}

impl std::fmt::Debug for Tools {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Tools({:?})", self.sync)
    }
}

impl Keeper {
    /// Starts the keeper's thread.
    pub fn start(tools: Tools) -> io::Result<(Keeper, JoinHandle<()>)> {
        let (work, orders) = channel();
        let keeper = Keeper {
            work,
            written: Arc::default(),
            keys_written: Arc::default(),
        };
        let mut thread = Thread {
            tools,
            orders,
            written: keeper.written.clone(),
            keys_written: keeper.keys_written.clone(),
            synced: None,
            broken: false,
        };
        let handle = std::thread::Builder::new()
            .name("keeper".into())
            .spawn(move || thread.run())?;
        Ok((keeper, handle))
    }

    /// Ignores a failure: it can only happen after the thread has stopped.
    fn send(&self, work: Work) {
        let _ = self.work.send(work);
    }

    /// Reports `bytes` more bytes written to the journal.
    pub fn written(&self, bytes: u64) {
        self.written.fetch_add(bytes, Ordering::Release);
    }

    /// Reports that key slots were written.
    pub fn keys_written(&self) {
        self.keys_written.store(true, Ordering::Release);
    }

    /// Switches to a new journal file. Synchronises the old one first.
    pub fn file(&self, file: File) {
        self.send(Work::File(file));
    }

    /// Synchronises the journal, then sends `packets` and allows delivery up to `position`.
    pub fn release(&self, packets: Vec<Outgoing>, position: Option<Position>) {
        self.send(Work::Release(packets, position));
    }

    /// Stops the thread after it has handled all earlier orders.
    pub fn stop(&self) {
        self.send(Work::Stop);
    }
}

struct Thread {
    tools: Tools,
    orders: Receiver<Work>,
    written: Arc<AtomicU64>,
    keys_written: Arc<AtomicBool>,
    /// Value of `written` at the last synchronisation; `None` after a change of file.
    synced: Option<u64>,
    /// The disk failed: packets that depend on it are no longer sent.
    broken: bool,
}

impl Thread {
    fn run(&mut self) {
        let mut next = Instant::now() + Sync::INTERVAL;
        loop {
            let wait = next.saturating_duration_since(Instant::now());
            let mut next_work = match self.orders.recv_timeout(wait) {
                Ok(work) => Some(work),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => Some(Work::Stop),
            };
            let mut packets = Vec::new();
            let mut position = None;
            let mut stop = false;
            let mut release = false;
            while let Some(work) = next_work {
                match work {
                    Work::File(file) => {
                        if self.tools.sync != Sync::Never {
                            self.sync();
                        }
                        self.tools.file = file;
                        self.synced = None;
                    }
                    Work::Release(more, up_to) => {
                        release = true;
                        packets.extend(more);
                        position = up_to.or(position);
                    }
                    Work::Stop => stop = true,
                }
                next_work = self.orders.try_recv().ok();
            }
            let due = Instant::now() >= next;
            if due {
                next = Instant::now() + Sync::INTERVAL;
            }
            if release || ((due || stop) && self.tools.sync != Sync::Never) {
                self.sync();
            }
            if self.broken {
                packets.clear();
                position = None;
            }
            for packet in &packets {
                if self.tools.carriers.send(packet).is_err() {
                    self.tools.counters.add(Count::SendErrors, 1);
                }
            }
            if let Some(position) = position {
                self.tools.progress.written(position);
            }
            if stop {
                return;
            }
        }
    }

    /// Synchronises everything written so far to disk.
    fn sync(&mut self) {
        let written = self.written.load(Ordering::Acquire);
        if self.synced == Some(written) || self.broken {
            return;
        }
        let start = Instant::now();
        match self.sync_keys().and_then(|()| self.tools.file.sync_data()) {
            Ok(()) => {
                self.synced = Some(written);
                let nanoseconds = start.elapsed().as_nanos() as u64;
                self.tools.counters.syncing.record(nanoseconds, 1);
                self.tools.counters.add(Count::Syncs, 1);
            }
            // The state of the disk is unknown after a failure. Stop before more depends on it.
            Err(error) => {
                self.broken = true;
                (self.tools.failed)(format!("cannot synchronise the journal to disk: {error}"));
            }
        }
    }

    /// Synchronises the keys before the records that name them.
    fn sync_keys(&self) -> io::Result<()> {
        if self.keys_written.swap(false, Ordering::AcqRel) {
            self.tools.keys.sync_data()?;
        }
        Ok(())
    }
}
