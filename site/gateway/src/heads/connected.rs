//! The heads that are connected now, and the way of answers to them.

use std::collections::HashMap;
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Instant;

use super::way::Way;
use crate::peer::HeadPeer;

/// Maximum queued answers of a head. Further ones would arrive too late to be useful.
const QUEUE: usize = 256;

/// What a head did since it connected.
#[derive(Debug, Default)]
pub struct Counts {
    /// Frames that it heard.
    pub heard: AtomicU64,
    /// Frames of these that it heard best, or alone.
    pub best: AtomicU64,
    /// Frames that were too many for one head.
    pub limited: AtomicU64,
    /// Answers that it got to send.
    pub answers: AtomicU64,
    /// Time that its frames waited for the connection, milliseconds in all.
    pub waited_ms: AtomicU64,
}

/// A connected head.
#[derive(Debug)]
pub struct Connection {
    pub name: String,
    pub from: SocketAddr,
    pub since: Instant,
    pub counts: Counts,
    answers: SyncSender<(Way, Vec<u8>)>,
    wake: UnixStream,
    /// The connection has to end.
    over: AtomicBool,
}

impl Connection {
    /// Ends the connection, from any thread.
    pub(super) fn end(&self) {
        self.over.store(true, Relaxed);
        self.wake();
    }

    pub(super) fn is_over(&self) -> bool {
        self.over.load(Relaxed)
    }

    fn wake(&self) {
        let _ = (&self.wake).write(&[0]);
    }
}

/// The connection thread's side.
#[derive(Debug)]
pub(super) struct Mine {
    pub(super) connection: Arc<Connection>,
    pub(super) answers: Receiver<(Way, Vec<u8>)>,
    pub(super) awake: UnixStream,
}

/// The connected heads by number.
#[derive(Debug, Default)]
pub struct Connected(RwLock<HashMap<u16, Arc<Connection>>>);

impl Connected {
    /// Makes the two sides of a connection.
    pub(super) fn sides(name: String, from: SocketAddr) -> io::Result<Mine> {
        let (wake, awake) = UnixStream::pair()?;
        wake.set_nonblocking(true)?;
        awake.set_nonblocking(true)?;
        let (answers, taken) = sync_channel(QUEUE);
        let connection = Arc::new(Connection {
            name,
            from,
            since: Instant::now(),
            counts: Counts::default(),
            answers,
            wake,
            over: AtomicBool::new(false),
        });
        Ok(Mine {
            connection,
            answers: taken,
            awake,
        })
    }

    /// Enters a connection. An earlier one of the same head ends: the head has started again, or its
    /// network has changed.
    pub(super) fn enter(&self, number: u16, connection: &Arc<Connection>) {
        let mut heads = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = heads.insert(number, connection.clone()) {
            before.end();
        }
    }

    /// Removes a connection, unless a later one has taken its place.
    pub(super) fn leave(&self, number: u16, connection: &Arc<Connection>) {
        let mut heads = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if heads
            .get(&number)
            .is_some_and(|now| Arc::ptr_eq(now, connection))
        {
            heads.remove(&number);
        }
    }

    /// Sends a frame through a head.
    ///
    /// # Errors
    /// `NotConnected` if the head is away, `WouldBlock` if too much waits for it.
    pub fn send(&self, to: HeadPeer, frame: &[u8]) -> io::Result<()> {
        let connection = self.get(to.head).ok_or(io::ErrorKind::NotConnected)?;
        connection
            .answers
            .try_send((to.way, frame.to_vec()))
            .map_err(|error| match error {
                TrySendError::Full(_) => io::ErrorKind::WouldBlock,
                TrySendError::Disconnected(_) => io::ErrorKind::NotConnected,
            })?;
        connection.counts.answers.fetch_add(1, Relaxed);
        connection.wake();
        Ok(())
    }

    pub fn get(&self, number: u16) -> Option<Arc<Connection>> {
        let heads = self.0.read().unwrap_or_else(PoisonError::into_inner);
        heads.get(&number).cloned()
    }

    /// All connections with their heads' numbers.
    pub fn all(&self) -> Vec<(u16, Arc<Connection>)> {
        let heads = self.0.read().unwrap_or_else(PoisonError::into_inner);
        heads
            .iter()
            .map(|(number, connection)| (*number, connection.clone()))
            .collect()
    }
}
