//! Code that the servers of both experiments share: a thread that accepts connections until the
//! server is dropped.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::error::{Error, Result};

/// Counters of a server.
#[derive(Debug, Default)]
pub struct Counts {
    pub exchanges: AtomicU64,
    /// Exchanges in which the digests of server and client agreed.
    pub verified: AtomicU64,
    /// Connections that ended with an error.
    pub bad: AtomicU64,
}

/// A running server. Dropping it stops it.
#[derive(Debug)]
pub struct Server {
    pub address: SocketAddr,
    pub counts: Arc<Counts>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// Interval at which an idle server checks whether it should stop.
pub(crate) const LOOK: Duration = Duration::from_millis(50);

impl Server {
    /// Accepts connections in a thread of its own. `take` must not block.
    pub(crate) fn start(
        (listener, address): (TcpListener, SocketAddr),
        counts: Arc<Counts>,
        take: impl FnMut(TcpStream, SocketAddr) + Send + 'static,
    ) -> Server {
        let stop = Arc::new(AtomicBool::new(false));
        let stopping = stop.clone();
        let thread = std::thread::spawn(move || accept(&listener, &stopping, take));
        Server {
            address,
            counts,
            stop,
            thread: Some(thread),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

pub(crate) fn bind(listen: &str) -> Result<(TcpListener, SocketAddr)> {
    let bound = TcpListener::bind(listen).and_then(|listener| {
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        Ok((listener, address))
    });
    bound.map_err(|error| {
        Error::usage(
            format!("cannot listen on {listen}: {error}"),
            "use --listen ADDR:PORT with an address of this machine and a free port",
        )
    })
}

/// Accepts connections until it must stop.
fn accept(listener: &TcpListener, stop: &AtomicBool, mut take: impl FnMut(TcpStream, SocketAddr)) {
    while !stop.load(Ordering::Relaxed) {
        match listener.accept() {
            Ok((stream, peer)) => {
                if stream.set_nonblocking(false).is_ok() {
                    take(stream, peer);
                }
            }
            // No client, a client that left at once, or too many open files: try again later.
            Err(_) => wait(listener),
        }
    }
}

/// Waits for a connection, or for a moment.
fn wait(listener: &TcpListener) {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let mut fds = [PollFd::new(listener, PollFlags::IN)];
    let limit = Timespec {
        tv_sec: 0,
        tv_nsec: LOOK.subsec_nanos().into(),
    };
    if poll(&mut fds, Some(&limit)).is_err() {
        std::thread::sleep(LOOK);
    }
}
