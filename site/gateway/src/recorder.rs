//! The recorder: a thread that writes changes to the registry. Neither the worker nor the keeper
//! waits for it, because the registry may be on a server that does not answer.

use std::collections::HashMap;
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Instant;

use tracing::{error, info};

use crate::journal::Sync;
use crate::registry::{Learnt, Registry};

/// Orders to the recorder.
enum Work {
    /// Write to the registry at the next interval.
    Learn(Vec<(u32, Learnt)>),
    /// Write pending changes now, then answer.
    Flush(Sender<()>),
    Stop,
}

/// A handle to the recorder's thread.
#[derive(Debug, Clone)]
pub struct Recorder {
    work: Sender<Work>,
}

impl Recorder {
    /// Starts the thread.
    pub fn start(registry: Registry) -> io::Result<(Recorder, JoinHandle<()>)> {
        let (work, orders) = channel();
        let mut thread = Thread {
            registry,
            orders,
            learnt: HashMap::new(),
            waiting: Vec::new(),
            complained: false,
        };
        let handle = std::thread::Builder::new()
            .name("recorder".into())
            .spawn(move || thread.run())?;
        Ok((Recorder { work }, handle))
    }

    /// Ignores a failure: it can only happen after the thread has stopped.
    fn send(&self, work: Work) {
        let _ = self.work.send(work);
    }

    /// Queues changes for the registry, as (row, change).
    pub fn learn(&self, learnt: Vec<(u32, Learnt)>) {
        self.send(Work::Learn(learnt));
    }

    /// Starts writing all pending changes. The receiver gets a message when they are written.
    pub fn flush(&self) -> Receiver<()> {
        let (done, wait) = channel();
        self.send(Work::Flush(done));
        wait
    }

    /// Stops the thread after it has handled all earlier orders.
    pub fn stop(&self) {
        self.send(Work::Stop);
    }
}

struct Thread {
    registry: Registry,
    orders: Receiver<Work>,
    learnt: HashMap<u32, Learnt>,
    /// Callers that wait until everything is written.
    waiting: Vec<Sender<()>>,
    /// The last write failed.
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
            let mut stop = false;
            let mut flush = false;
            while let Some(work) = next_work {
                match work {
                    Work::Learn(learnt) => self.learn(learnt),
                    Work::Flush(done) => {
                        flush = true;
                        self.waiting.push(done);
                    }
                    Work::Stop => stop = true,
                }
                next_work = self.orders.try_recv().ok();
            }
            let due = Instant::now() >= next;
            // A server that is away is asked once in each interval, whoever waits.
            if due || stop || (flush && !self.complained) {
                self.write();
                next = Instant::now() + Sync::INTERVAL;
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

    fn write(&mut self) {
        if !self.learnt.is_empty() {
            if let Err(problem) = self.registry.learn(&self.learnt) {
                // Log the first failure only.
                if !self.complained {
                    let hint = problem.hint();
                    error!(%problem, hint, "cannot write the registry; will retry");
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
