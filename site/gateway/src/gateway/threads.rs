//! The threads of a gateway, and what they share.

use std::sync::Arc;
use std::thread::JoinHandle;

use crate::carriers::Carriers;
use crate::clock::Clock;
use crate::counters::Shared;
use crate::delivery::{Delivery, Mark, Names, Progress};
use crate::error::{Error, Result};
use crate::journal::Position;
use crate::keeper::{Keeper, Tools};
use crate::recorder::Recorder;
use crate::sharing::{self, Owning, Sharing};
use crate::sink::Sink;
use crate::state::StateDir;
use crate::udp;
use crate::worker::{Remote, Worker};

use super::config::Config;
use super::fail::Fail;
use super::restored::Restored;

/// What the threads of a gateway share.
pub(super) struct Parts {
    pub(super) state: StateDir,
    pub(super) carriers: Arc<Carriers>,
    pub(super) counters: Arc<Shared>,
    pub(super) names: Arc<Names>,
    pub(super) progress: Arc<Progress>,
    pub(super) fail: Arc<Fail>,
}

impl Parts {
    /// Tells the gateway that a thread failed.
    fn failed(&self) -> Box<dyn Fn(String) + Send> {
        let fail = self.fail.clone();
        Box::new(move |reason| fail.fail(reason))
    }

    /// The thread that hands readings to the sink, from the position `from` on.
    fn delivery(
        &self,
        mark: Mark,
        from: Position,
        first_of_run: u64,
        sink: Box<dyn Sink>,
    ) -> Delivery {
        Delivery {
            unnoted: false,
            directory: self.state.journal(),
            mark,
            from,
            first_of_run,
            sink,
            names: self.names.clone(),
            progress: self.progress.clone(),
            counters: self.counters.clone(),
            gone: self.failed(),
        }
    }

    pub(super) fn start_threads(
        &self,
        config: Config,
        udp: udp::Receiver,
        restored: Restored,
    ) -> Result<Threads> {
        let Restored { journal, keys, .. } = restored;
        let (claims, claimed) = sharing::channel(restored.shared.is_some());
        let thread = |source| Error::Write {
            path: self.state.path().into(),
            source,
        };
        let tools = Tools {
            sync: config.sync,
            file: journal.file()?,
            keys: keys.file()?,
            carriers: self.carriers.clone(),
            progress: self.progress.clone(),
            counters: self.counters.clone(),
            failed: self.failed(),
        };
        let (keeper, keeper_thread) = Keeper::start(tools).map_err(thread)?;
        let (recorder, recorder_thread) = Recorder::start(restored.registry).map_err(thread)?;
        self.progress.written(journal.position());
        let delivery = self.delivery(restored.mark, restored.from, journal.segment(), config.sink);
        let delivery = delivery.start().map_err(thread)?;
        self.counters.publish(restored.engine.counters());
        let clock = Clock::start();
        let worker = Worker {
            engine: restored.engine,
            clock,
            udp,
            carriers: self.carriers.clone(),
            journal,
            keys,
            sync: config.sync,
            keeper,
            recorder: recorder.clone(),
            claims,
            progress: self.progress.clone(),
            counters: self.counters.clone(),
            undelivered_max: config.undelivered_max,
            segment_bytes: config.segment_bytes,
            failed: self.failed(),
        };
        let (remote, worker) = worker.start().map_err(thread)?;
        self.fail.watch(&remote);
        let sharing = restored.shared.zip(claimed).map(|(shared, claims)| {
            let owning = config
                .lease
                .map(|lease| Owning::new(lease, clock, self.state.engine()));
            Sharing::new(shared, claims, remote.clone(), self.names.clone()).start(owning)
        });
        let sharing = sharing.transpose().map_err(thread)?;
        Ok(Threads {
            recorder,
            recorder_thread,
            keeper_thread,
            sharing,
            delivery,
            remote,
            worker,
        })
    }
}

/// The running threads, and the handles to two of them.
pub(super) struct Threads {
    pub(super) recorder: Recorder,
    pub(super) recorder_thread: JoinHandle<()>,
    /// Only if other gateways share the registry.
    pub(super) sharing: Option<JoinHandle<()>>,
    pub(super) keeper_thread: JoinHandle<()>,
    pub(super) delivery: JoinHandle<()>,
    pub(super) remote: Remote,
    pub(super) worker: JoinHandle<std::result::Result<(), String>>,
}
