//! The keeper: a thread that brings the journal to the disk and writes what the gateway
//! learns into the registry, so that the thread that handles packets never waits for
//! either.
//!
//! Packets that promise something wait here until the disk has it. While one
//! synchronisation runs, more of them gather for the next, so a storm of joins costs few.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Instant;

use tracing::{error, info};

use crate::carriers::Carriers;
use crate::counters::{Count, Shared};
use crate::delivery::Progress;
use crate::engine::Outgoing;
use crate::journal::{Position, Sync};
use crate::registry::{Learnt, Registry};

/// What the keeper is asked to do.
enum Work {
    /// The journal goes on in this file.
    File(File),
    /// Synchronise; then send these, and let readings up to there be delivered.
    Release(Vec<Outgoing>, Option<Position>),
    /// Write into the registry, soon.
    Learn(Vec<(u32, Learnt)>),
    /// Write into the registry what there is, then answer.
    Flush(Sender<()>),
    Stop,
}

/// Tells the keeper what to do.
#[derive(Debug, Clone)]
pub struct Keeper {
    work: Sender<Work>,
    /// Bytes that the journal has grown by.
    written: Arc<AtomicU64>,
    /// Key slots were written since they were brought to the disk.
    keys_written: Arc<AtomicBool>,
}

/// What the thread works with.
pub struct Tools {
    pub sync: Sync,
    pub file: File,
    /// The file of keys.
    pub keys: File,
    pub registry: Registry,
    pub carriers: Arc<Carriers>,
    pub progress: Arc<Progress>,
    pub counters: Arc<Shared>,
    /// Called when the disk refuses.
    pub failed: Box<dyn Fn(String) + Send>,
}

impl std::fmt::Debug for Tools {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Tools({:?})", self.sync)
    }
}

impl Keeper {
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
            learnt: HashMap::new(),
            written: keeper.written.clone(),
            keys_written: keeper.keys_written.clone(),
            synced: None,
            waiting: Vec::new(),
            broken: false,
            complained: false,
        };
        let handle = std::thread::Builder::new()
            .name("keeper".into())
            .spawn(move || thread.run())?;
        Ok((keeper, handle))
    }

    /// The thread lives as long as the gateway, and outlives who calls this.
    fn send(&self, work: Work) {
        let _ = self.work.send(work);
    }

    pub fn written(&self, bytes: u64) {
        self.written.fetch_add(bytes, Ordering::Release);
    }

    pub fn keys_written(&self) {
        self.keys_written.store(true, Ordering::Release);
    }

    pub fn file(&self, file: File) {
        self.send(Work::File(file));
    }

    pub fn release(&self, packets: Vec<Outgoing>, position: Option<Position>) {
        self.send(Work::Release(packets, position));
    }

    pub fn learn(&self, learnt: Vec<(u32, Learnt)>) {
        self.send(Work::Learn(learnt));
    }

    /// Waits until the registry has all that was learnt.
    pub fn flush(&self) -> Receiver<()> {
        let (done, wait) = channel();
        self.send(Work::Flush(done));
        wait
    }

    pub fn stop(&self) {
        self.send(Work::Stop);
    }
}

struct Thread {
    tools: Tools,
    orders: Receiver<Work>,
    learnt: HashMap<u32, Learnt>,
    written: Arc<AtomicU64>,
    keys_written: Arc<AtomicBool>,
    /// What `written` was when the file was last synchronised; `None` if it is another file.
    synced: Option<u64>,
    /// Who waits for the registry.
    waiting: Vec<Sender<()>>,
    /// The disk has refused: nothing is promised any more.
    broken: bool,
    /// The registry could not be written at the last attempt.
    complained: bool,
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
                    Work::Learn(learnt) => self.learn(learnt),
                    Work::Flush(done) => self.waiting.push(done),
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
            if due || stop || !self.waiting.is_empty() {
                self.write_registry();
            }
            if stop {
                return;
            }
        }
    }

    fn learn(&mut self, learnt: Vec<(u32, Learnt)>) {
        for (row, new) in learnt {
            let known = self.learnt.entry(row).or_default();
            known.join_counter = known.join_counter.max(new.join_counter);
            known.seen = new.seen.or(known.seen.take());
        }
    }

    /// Brings to the disk what was written before now.
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
            // What the disk has now nobody knows: stop, before more depends on it.
            Err(error) => {
                self.broken = true;
                (self.tools.failed)(format!("cannot bring the journal to the disk: {error}"));
            }
        }
    }

    /// The keys that records name, before the records.
    fn sync_keys(&self) -> io::Result<()> {
        if self.keys_written.swap(false, Ordering::AcqRel) {
            self.tools.keys.sync_data()?;
        }
        Ok(())
    }

    fn write_registry(&mut self) {
        if !self.learnt.is_empty() {
            if let Err(problem) = self.tools.registry.learn(&self.learnt) {
                // Once, not at every attempt.
                if !self.complained {
                    let hint = problem.hint();
                    error!(%problem, hint, "the registry cannot be written; it is tried again");
                }
                self.complained = true;
                return;
            }
            if std::mem::take(&mut self.complained) {
                info!("the registry can be written again");
            }
            self.learnt.clear();
        }
        for done in self.waiting.drain(..) {
            let _ = done.send(());
        }
    }
}
