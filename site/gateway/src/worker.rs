//! The worker thread. For each batch it receives packets, runs the engine, writes the journal
//! and sends the answers, in this order.

mod commit;
mod log;
mod remote;
mod upkeep;

use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, SyncSender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};

use crate::carriers::Carriers;
use crate::clock::{Clock, Now};
use crate::counters::Shared;
use crate::delivery::Progress;
use crate::engine::{Checkpoint, Claim, Engine, Output};
use crate::journal::{Sync, Writer};
use crate::keeper::Keeper;
use crate::keys::{Change, KeyFile};
use crate::recorder::Recorder;
use crate::udp;

use remote::Order;

pub use remote::{Listener, Remote};
pub use upkeep::heard;

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
    pub recorder: Recorder,
    /// To the thread that claims joins in a shared registry.
    pub claims: Option<SyncSender<Claim>>,
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
            waiting: Arc::default(),
        };
        let stop = remote.stop.clone();
        let waiting = remote.waiting.clone();
        let handle = std::thread::Builder::new()
            .name("worker".into())
            .spawn(move || {
                let now = self.clock.now();
                Loop {
                    worker: self,
                    out: Output::default(),
                    orders: taken,
                    waiting,
                    more_orders: false,
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
    /// Receives a message once the registry holds the join counters of these segments. `None`: a
    /// shared registry has granted them, so it holds them.
    registry: Option<mpsc::Receiver<()>>,
}

struct Loop {
    worker: Worker,
    out: Output,
    orders: mpsc::Receiver<Order>,
    /// Packets among the orders.
    waiting: Arc<AtomicUsize>,
    /// Orders were left for the next pass.
    more_orders: bool,
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
            if !busy && !self.more_orders {
                self.wait().map_err(|error| format!("poll: {error}"))?;
            } else if !pause.is_zero() {
                std::thread::sleep(pause);
            }
            self.take_orders();
            let mut now = self.worker.clock.now();
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

    /// Carries out orders, at most [`PACKETS`]: a flood of one carrier does not hold up the others.
    fn take_orders(&mut self) {
        self.more_orders = true;
        for _ in 0..PACKETS {
            let Ok(order) = self.orders.try_recv() else {
                self.more_orders = false;
                return;
            };
            if let Order::Packet(..) = order {
                self.waiting.fetch_sub(1, Ordering::AcqRel);
            }
            // An order may have waited for others: a lease may have ended meanwhile.
            let now = self.worker.clock.now();
            match order {
                Order::Job(job) => job(&mut self.worker.engine, now, &mut self.out),
                Order::Listen(listener) => self.listeners.push(listener),
                Order::Settle(told) => self.settling.push(told),
                // Like UDP packets, these are dropped while too many readings are undelivered.
                Order::Packet(..) if self.paused => {}
                Order::Packet(from, rssi, bytes) => {
                    // The engine counts dropped packets.
                    let engine = &mut self.worker.engine;
                    let _ = engine.handle(now, from, rssi, &bytes, &mut self.out);
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
                let (before, claims) = (out.send.len(), out.claims.len());
                // The engine counts dropped packets.
                let _ = engine.handle(now, packet.from, None, packet.bytes, out);
                for answer in &mut out.send[before..] {
                    answer.local = packet.local.filter(|_| answer.to == packet.from);
                }
                for claim in &mut out.claims[claims..] {
                    claim.local = packet.local;
                }
                received += 1;
            }
            if !udp.is_full() || received >= PACKETS {
                break;
            }
        }
        Ok(received)
    }
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
