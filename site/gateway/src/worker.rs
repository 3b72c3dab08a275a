//! The worker thread. For each batch it receives packets, runs the engine, writes the journal
//! and sends the answers, in this order.

use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use tracing::{debug, error, info, warn};

use crate::carriers::Carriers;
use crate::clock::{Clock, Now};
use crate::counters::{Count, Shared};
use crate::delivery::Progress;
use crate::engine::{Checkpoint, Engine, Event, Output, WindowState};
use crate::journal::{Sync, Writer};
use crate::keeper::Keeper;
use crate::keys::{Change, KeyFile};
use crate::peer::Peer;
use crate::registry::Learnt;
use crate::udp;

/// Maximum receive calls per journal record. Under load a record holds hundreds of packets;
/// without load it holds one.
const RECEIVES: usize = 32;
/// Maximum packets per journal record.
const PACKETS: usize = 4096;
/// Minimum batch before waiting briefly for more packets: each pass has a fixed cost.
const BUSY: usize = 16;
/// Batch size at which waiting stops.
const GATHER: u32 = 1024;
/// Maximum wait, and so the maximum extra delay of readings and answers.
const GATHER_TIME: Duration = Duration::from_millis(2);
/// Minimum bytes of session states written with a batch during a checkpoint pass.
const CHECKPOINT_BYTES: usize = 4096;
/// Period in which the registry is updated for all sessions, a part each second.
const TELL_SECONDS: u32 = 300;
/// Delay before a failed write of the journal is retried.
const RETRY: Duration = Duration::from_millis(500);

/// A function that runs on the worker's thread, between two batches.
pub type Job = Box<dyn FnOnce(&mut Engine, Now, &mut Output) + Send>;

/// A receiver of events.
pub type Listener = mpsc::Sender<Event>;

enum Order {
    Job(Job),
    Listen(Listener),
    /// To be told once all earlier orders are in the files.
    Settle(mpsc::Sender<()>),
    /// A packet of a carrier that has its own thread.
    Packet(Peer, Vec<u8>),
}

/// A handle to the worker for other threads.
#[derive(Debug, Clone)]
pub struct Remote {
    orders: mpsc::Sender<Order>,
    wake: Arc<UnixStream>,
    stop: Arc<AtomicBool>,
}

impl Remote {
    fn order(&self, order: Order) {
        let _ = self.orders.send(order);
        self.wake();
    }

    fn wake(&self) {
        // A full pipe wakes the worker as well.
        let _ = io::Write::write(&mut &*self.wake, &[0]);
    }

    /// Runs a function on the worker's thread and returns its result. `None` if the worker has
    /// stopped.
    pub fn call<R: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Engine, Now, &mut Output) -> R + Send + 'static,
    ) -> Option<R> {
        let (send, receive) = mpsc::channel();
        self.order(Order::Job(Box::new(move |engine, now, out| {
            let _ = send.send(job(engine, now, out));
        })));
        receive.recv().ok()
    }

    /// Waits until the changes of earlier calls are in the journal, and the keys that they ended
    /// are overwritten. False if that takes longer than `limit`, for example because the disk is
    /// full, or if the worker has stopped.
    pub fn settle(&self, limit: Duration) -> bool {
        let (send, receive) = mpsc::channel();
        self.order(Order::Settle(send));
        receive.recv_timeout(limit).is_ok()
    }

    /// Passes on a packet of a carrier that has its own thread.
    pub(crate) fn packet(&self, from: Peer, bytes: Vec<u8>) {
        self.order(Order::Packet(from, bytes));
    }

    /// Subscribes to all later events.
    pub fn listen(&self) -> mpsc::Receiver<Event> {
        let (send, receive) = mpsc::channel();
        self.order(Order::Listen(send));
        receive
    }

    /// Asks the worker to stop.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Release);
        self.wake();
    }

    /// True once the worker has been asked to stop.
    pub fn stopping(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }
}

/// Resources of the worker.
pub struct Worker {
    pub engine: Engine,
    pub clock: Clock,
    pub udp: udp::Receiver,
    pub carriers: Arc<Carriers>,
    pub journal: Writer,
    pub keys: KeyFile,
    pub sync: Sync,
    pub keeper: Keeper,
    pub progress: Arc<Progress>,
    pub counters: Arc<Shared>,
    /// Maximum undelivered bytes. Above this, the worker accepts no packets.
    pub undelivered_max: u64,
    pub segment_bytes: u64,
    /// Called when the gateway cannot continue, with the reason.
    pub failed: Box<dyn Fn(String) + Send>,
}

impl std::fmt::Debug for Worker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Worker({:?})", self.engine)
    }
}

impl Worker {
    /// Starts the worker's thread. It returns the reason if the gateway could not continue.
    pub fn start(self) -> io::Result<(Remote, JoinHandle<Result<(), String>>)> {
        let (orders, taken) = mpsc::channel();
        let (wake, awake) = UnixStream::pair()?;
        wake.set_nonblocking(true)?;
        awake.set_nonblocking(true)?;
        let remote = Remote {
            orders,
            wake: Arc::new(wake),
            stop: Arc::default(),
        };
        let stop = remote.stop.clone();
        let handle = std::thread::Builder::new()
            .name("worker".into())
            .spawn(move || {
                let now = self.clock.now();
                Loop {
                    worker: self,
                    out: Output::default(),
                    orders: taken,
                    awake,
                    stop,
                    listeners: Vec::new(),
                    settling: Vec::new(),
                    pass: None,
                    before_pass: 0,
                    obsolete: None,
                    keys: Vec::new(),
                    next_second: now.steady_ms + 1000,
                    told: 0,
                    told_seconds: 0,
                    paused: false,
                }
                .run()
            })?;
        Ok((remote, handle))
    }
}

/// A pass over all sessions. Once it is complete, sessions no longer need the segments before
/// `from`.
struct Pass {
    checkpoint: Checkpoint,
    from: u64,
}

/// Segments to be removed.
struct Obsolete {
    before: u64,
    /// Receives a message once the registry holds the join counters of these segments.
    registry: mpsc::Receiver<()>,
    written: bool,
}

struct Loop {
    worker: Worker,
    out: Output,
    orders: mpsc::Receiver<Order>,
    awake: UnixStream,
    stop: Arc<AtomicBool>,
    listeners: Vec<Listener>,
    settling: Vec<mpsc::Sender<()>>,
    pass: Option<Pass>,
    /// Bytes written since the last pass began.
    before_pass: u64,
    obsolete: Option<Obsolete>,
    /// Changes of key slots that belong to the batch being written.
    keys: Vec<Change>,
    next_second: u64,
    /// Next slot to report to the registry.
    told: u32,
    told_seconds: u32,
    /// Packets are refused because too many readings are undelivered.
    paused: bool,
}

impl Loop {
    fn run(mut self) -> Result<(), String> {
        let ended = self.work().and_then(|()| self.finish());
        if let Err(reason) = &ended {
            (self.worker.failed)(reason.clone());
        }
        ended
    }

    fn work(&mut self) -> Result<(), String> {
        let mut busy = false;
        let mut pause = Duration::ZERO;
        let mut start = Instant::now();
        while !self.stop.load(Ordering::Acquire) {
            if !busy {
                self.wait().map_err(|error| format!("poll: {error}"))?;
            } else if !pause.is_zero() {
                std::thread::sleep(pause);
            }
            let mut now = self.worker.clock.now();
            self.take_orders(now);
            let before = std::mem::replace(&mut start, Instant::now());
            let received = if self.paused {
                0
            } else {
                self.receive(now)
                    .map_err(|error| format!("cannot receive packets: {error}"))?
            };
            busy = received > 0;
            pause = gathering(received, start - before);
            now = self.worker.clock.now();
            let due = self.worker.engine.deadline();
            if due.is_some_and(|due| due <= now.steady_ms) {
                self.worker.engine.tick(now, &mut self.out);
            }
            self.commit(now)?;
            if received > 0 {
                let nanoseconds = start.elapsed().as_nanos() as u64;
                self.worker
                    .counters
                    .accepting
                    .record(nanoseconds, received as u64);
            }
            if now.steady_ms >= self.next_second {
                self.next_second = now.steady_ms + 1000;
                self.every_second(now);
            }
        }
        Ok(())
    }

    /// Waits for packets, orders, or the next deadline.
    fn wait(&mut self) -> io::Result<()> {
        let now = self.worker.clock.now().steady_ms;
        let deadline = self.worker.engine.deadline().unwrap_or(u64::MAX);
        let until = deadline.min(self.next_second);
        let ms = until.saturating_sub(now);
        let timeout = Timespec {
            tv_sec: (ms / 1000) as i64,
            tv_nsec: (ms % 1000 * 1_000_000) as i64,
        };
        let awake = PollFd::new(&self.awake, PollFlags::IN);
        let udp = self.worker.udp.as_fd();
        let packets = PollFd::from_borrowed_fd(udp, PollFlags::IN);
        let mut both = [awake, packets];
        let fds = if self.paused {
            &mut both[..1]
        } else {
            &mut both[..]
        };
        match rustix::event::poll(fds, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
        let woken = !both[0].revents().is_empty();
        if woken {
            let mut bytes = [0; 64];
            while io::Read::read(&mut &self.awake, &mut bytes).is_ok_and(|read| read > 0) {}
        }
        Ok(())
    }

    fn take_orders(&mut self, now: Now) {
        while let Ok(order) = self.orders.try_recv() {
            match order {
                Order::Job(job) => job(&mut self.worker.engine, now, &mut self.out),
                Order::Listen(listener) => self.listeners.push(listener),
                Order::Settle(told) => self.settling.push(told),
                // Like UDP packets, these are dropped while too many readings are undelivered.
                Order::Packet(..) if self.paused => {}
                Order::Packet(from, bytes) => {
                    // The engine counts dropped packets. The modules do not report signal
                    // strength.
                    let engine = &mut self.worker.engine;
                    let _ = engine.handle(now, from, None, &bytes, &mut self.out);
                }
            }
        }
    }

    /// Passes packets to the engine until none are left or the batch is full.
    fn receive(&mut self, now: Now) -> io::Result<usize> {
        let Worker { engine, udp, .. } = &mut self.worker;
        let out = &mut self.out;
        let mut received = 0;
        for _ in 0..RECEIVES {
            if !udp.receive()? {
                break;
            }
            udp.packets()
                .for_each(|packet| engine.foresee(packet.bytes));
            for packet in udp.packets() {
                let before = out.send.len();
                // The engine counts dropped packets.
                let _ = engine.handle(now, packet.from, None, packet.bytes, out);
                for answer in &mut out.send[before..] {
                    answer.local = packet.local.filter(|_| answer.to == packet.from);
                }
                received += 1;
            }
            if !udp.is_full() || received >= PACKETS {
                break;
            }
        }
        Ok(received)
    }

    /// Writes the changes to the journal, then sends packets and reports events.
    fn commit(&mut self, now: Now) -> Result<(), String> {
        let wrote = !self.out.journal.is_empty();
        let mut position = None;
        if wrote {
            position = Some(self.write(now)?);
        }
        let Worker {
            keeper,
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
            keeper.learn(learnt);
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
    fn write(&mut self, now: Now) -> Result<crate::journal::Position, String> {
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
                registry: self.worker.keeper.flush(),
                written: false,
            });
            self.pass = None;
        }
    }

    fn every_second(&mut self, now: Now) {
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
            self.worker.keeper.learn(learnt);
        }
    }

    fn remove_obsolete(&mut self) {
        let Some(obsolete) = &mut self.obsolete else {
            return;
        };
        obsolete.written |= obsolete.registry.try_recv().is_ok();
        if !obsolete.written {
            return;
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
    fn finish(&mut self) -> Result<(), String> {
        let now = self.worker.clock.now();
        self.worker
            .engine
            .pairing_close(now, "the gateway is stopping", &mut self.out);
        self.commit(now)?;
        self.tell(0..self.worker.engine.slots(), now, 2 * TELL_SECONDS);
        self.worker.keeper.stop();
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

/// Delay before the next pass. `received` is the number of packets in the last pass, `since`
/// the time since the pass before it.
fn gathering(received: usize, since: Duration) -> Duration {
    match u32::try_from(received) {
        Ok(received) if received >= BUSY as u32 && received < GATHER => {
            (since.min(GATHER_TIME) * GATHER / received).min(GATHER_TIME)
        }
        _ => Duration::ZERO,
    }
}

/// Logs an event: ids and numbers, never keys or payloads.
fn log(event: &Event) {
    match event {
        Event::Joined {
            device,
            counter,
            session,
            from,
            ..
        } => debug!(%device, join = counter, %session, %from, "a node joined"),
        Event::Live { device, session } => debug!(%device, %session, "a session is live"),
        Event::Ended {
            device,
            session,
            why,
        } => warn!(%device, %session, why, "a session has ended"),
        Event::NoRandom(problem) => {
            error!(%problem, "no random numbers available; dropped a packet")
        }
        Event::Downlink { ticket, outcome } => debug!(ticket, ?outcome, "a message to a node"),
        Event::Pairing(_, state) => match state {
            WindowState::Closed { why } => info!(why, "pairing window closed"),
            WindowState::Open { entries_left } => info!(entries_left, "pairing window open"),
            WindowState::Keyed { device, suite, .. } => {
                info!(%device, %suite, "a node requests pairing");
            }
            WindowState::Comparing { device, .. } => {
                info!(%device, "a node shows its digits; enter them with `selo device pair`");
            }
            WindowState::Failed { device, why, .. } => {
                warn!(%device, why, "a pairing failed");
            }
            WindowState::Paired { device, .. } => info!(%device, "a device was paired"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_is_waited_for_only_while_packets_keep_coming() {
        let ms = Duration::from_millis;
        // Too few packets, or already enough.
        assert_eq!(gathering(0, ms(1)), Duration::ZERO);
        assert_eq!(gathering(BUSY - 1, ms(1)), Duration::ZERO);
        assert_eq!(gathering(GATHER as usize, ms(1)), Duration::ZERO);
        assert_eq!(gathering(usize::MAX, ms(1)), Duration::ZERO);
        // The time that a batch takes to arrive at that rate, up to the maximum.
        assert_eq!(gathering(GATHER as usize / 2, ms(1) / 2), ms(1));
        assert_eq!(gathering(BUSY, ms(1)), GATHER_TIME);
        assert_eq!(gathering(BUSY, Duration::MAX), GATHER_TIME);
    }
}
