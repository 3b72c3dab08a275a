//! How other threads reach the worker: orders and their handle.

use std::io;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use crate::clock::Now;
use crate::engine::{Engine, Event, Output};
use crate::peer::Peer;

/// Maximum packets that wait for the worker, in memory.
const PACKETS_MAX: usize = 20_000;

/// A function that runs on the worker's thread, between two batches.
pub type Job = Box<dyn FnOnce(&mut Engine, Now, &mut Output) + Send>;

/// A receiver of events.
pub type Listener = mpsc::Sender<Event>;

pub(super) enum Order {
    Job(Job),
    Listen(Listener),
    /// To be told once all earlier orders are in the files.
    Settle(mpsc::Sender<()>),
    /// A packet of a carrier that has its own thread, with its signal strength in dBm.
    Packet(Peer, Option<i16>, Vec<u8>),
}

/// A handle to the worker for other threads.
#[derive(Debug, Clone)]
pub struct Remote {
    pub(super) orders: mpsc::Sender<Order>,
    pub(super) wake: Arc<UnixStream>,
    pub(super) stop: Arc<AtomicBool>,
    /// Packets among the orders.
    pub(super) waiting: Arc<AtomicUsize>,
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

    /// Runs a function on the worker's thread, and does not wait for it.
    pub(crate) fn run(&self, job: impl FnOnce(&mut Engine, Now, &mut Output) + Send + 'static) {
        self.order(Order::Job(Box::new(job)));
    }

    /// Waits until the changes of earlier calls are in the journal, and the keys that they ended
    /// are overwritten. False if that takes longer than `limit`, for example because the disk is
    /// full, or if the worker has stopped.
    pub fn settle(&self, limit: Duration) -> bool {
        let (send, receive) = mpsc::channel();
        self.order(Order::Settle(send));
        receive.recv_timeout(limit).is_ok()
    }

    /// Passes on a packet of a carrier that has its own thread. False if the worker is far behind: the
    /// packet is dropped, and its node repeats it.
    pub(crate) fn packet(&self, from: Peer, rssi: Option<i16>, bytes: Vec<u8>) -> bool {
        if self.waiting.fetch_add(1, Ordering::AcqRel) >= PACKETS_MAX {
            self.waiting.fetch_sub(1, Ordering::AcqRel);
            return false;
        }
        self.order(Order::Packet(from, rssi, bytes));
        true
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
