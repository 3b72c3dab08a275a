//! The handle of a running gateway, which stops it.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::carriers::Carriers;
use crate::control;
use crate::counters::{Counters, Shared};
use crate::delivery::Progress;
use crate::error::{Error, Result};
use crate::heads::{self, Connected, Store};
use crate::metrics;
use crate::radio;
use crate::state::Lock;
use crate::worker::Remote;

use super::fail::Fail;

/// Maximum time that a blocked sink or registry can delay shutdown. Undelivered readings wait in
/// the journal for the next start.
const PATIENCE: Duration = Duration::from_secs(5);

/// A running gateway. Dropping it stops it.
#[derive(Debug)]
pub struct Handle {
    pub(super) listen: SocketAddr,
    pub(super) metrics: Option<SocketAddr>,
    pub(super) remote: Remote,
    pub(super) counters: Arc<Shared>,
    pub(super) progress: Arc<Progress>,
    pub(super) worker: Option<JoinHandle<Result<(), String>>>,
    pub(super) keeper: Option<JoinHandle<()>>,
    pub(super) recorder: Option<JoinHandle<()>>,
    pub(super) sharing: Option<JoinHandle<()>>,
    pub(super) delivery: Option<JoinHandle<()>>,
    pub(super) control: Option<control::Server>,
    pub(super) radios: Vec<radio::Running>,
    pub(super) heads: Option<heads::Listener>,
    pub(super) fail: Arc<Fail>,
    pub(super) failures: Mutex<mpsc::Receiver<String>>,
    pub(super) _lock: Lock,
}

impl Handle {
    pub(super) fn start_heads(
        &mut self,
        bound: heads::Bound,
        store: Store,
        connected: Arc<Connected>,
    ) -> Result<()> {
        let (remote, counters) = (self.remote.clone(), self.counters.clone());
        self.heads = Some(bound.start(store, connected, remote, counters)?);
        Ok(())
    }

    pub(super) fn serve_metrics(&mut self, address: SocketAddr) -> Result<()> {
        let remote = self.remote.clone();
        let served = metrics::serve(address, self.counters.clone(), move || remote.stopping())?;
        self.metrics = Some(served);
        Ok(())
    }

    /// Starts the modules. Each passes its packets to the gateway.
    pub(super) fn start_radios(
        &mut self,
        radios: Vec<radio::Radio>,
        carriers: &Carriers,
    ) -> Result<()> {
        for (radio, sender) in radios.into_iter().zip(&carriers.radios) {
            let path = radio.path().to_owned();
            let remote = self.remote.clone();
            let running = radio
                // The modules do not report signal strength.
                .start(sender, move |from, frame| {
                    remote.packet(from, None, frame);
                })
                .map_err(|source| Error::Radio { path, source })?;
            self.radios.push(running);
        }
        Ok(())
    }

    /// The UDP address that the gateway listens on.
    pub fn listen(&self) -> SocketAddr {
        self.listen
    }

    /// The address that serves metrics, if enabled.
    pub fn metrics(&self) -> Option<SocketAddr> {
        self.metrics
    }

    /// The address that radio heads connect to, if enabled.
    pub fn heads(&self) -> Option<SocketAddr> {
        self.heads.as_ref().map(heads::Listener::address)
    }

    /// A snapshot of all counters.
    pub fn counters(&self) -> Counters {
        self.counters.snapshot()
    }

    /// The live counters and histograms.
    pub fn shared(&self) -> Arc<Shared> {
        self.counters.clone()
    }

    /// Runs functions on the engine's thread; they return `None` once the gateway has stopped.
    /// Changes to devices made this way are not written to the registry.
    pub fn remote(&self) -> &Remote {
        &self.remote
    }

    /// Waits up to `time` for a fatal error and returns its reason.
    pub fn wait_failure(&self, time: Duration) -> Option<String> {
        let failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        failures.recv_timeout(time).ok()
    }

    /// Stops receiving, writes and delivers all accepted readings, and ends.
    ///
    /// # Errors
    /// The reason of a fatal error or of an incomplete delivery. The journal keeps undelivered
    /// readings.
    pub fn stop(mut self) -> Result<(), String> {
        self.end()
    }

    fn end(&mut self) -> Result<(), String> {
        self.radios.clear();
        self.heads = None;
        self.remote.stop();
        let worker = match self.worker.take().map(JoinHandle::join) {
            Some(Ok(result)) => result,
            Some(Err(_)) => Err("the worker has panicked".into()),
            None => return Ok(()),
        };
        self.control = None;
        if let Some(address) = self.metrics {
            metrics::wake(address);
        }
        if let Some(keeper) = self.keeper.take() {
            let _ = keeper.join();
        }
        self.progress.stop();
        // A registry on a server may not answer. The journal has all join counters.
        for thread in [self.recorder.take(), self.sharing.take()] {
            let _ = thread.is_none_or(joins);
        }
        let mut delivered = Ok(());
        if self
            .delivery
            .take()
            .is_some_and(|delivery| !joins(delivery))
        {
            delivered = Err(
                "the sink accepts no readings; they wait in the journal for the next start"
                    .to_string(),
            );
        }
        let failed = self
            .fail
            .first
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        match failed {
            Some(reason) => Err(reason),
            None => worker.and(delivered),
        }
    }
}

/// Waits until the thread has ended, at most [`PATIENCE`]. Returns false if it goes on.
fn joins(thread: JoinHandle<()>) -> bool {
    let patience = Instant::now() + PATIENCE;
    while !thread.is_finished() && Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(5));
    }
    let ended = thread.is_finished();
    if ended {
        let _ = thread.join();
    }
    ended
}

impl Drop for Handle {
    fn drop(&mut self) {
        let _ = self.end();
    }
}
