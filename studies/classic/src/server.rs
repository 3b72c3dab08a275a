//! The gateway over UDP, in a thread of its own.

use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use selo_link::Reason;

use crate::gateway::{Gateway, Reading, Taken};

/// Interval between checks for a stop.
const LOOK: Duration = Duration::from_millis(50);
/// Longer packets are truncated, which makes them invalid frames.
const PACKET_MAX: usize = 2048;

/// Counters of a server since its start.
#[derive(Debug, Default)]
struct Counts {
    packets: AtomicU64,
    accepted: AtomicU64,
    multiplications: AtomicU64,
    dropped: Mutex<Vec<Reason>>,
}

/// A gateway that runs until it is stopped or dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    counts: Arc<Counts>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl Server {
    /// Listens on `listen`; port 0 takes a free port. `sink` gets each reading before the next
    /// packet is processed.
    ///
    /// # Errors
    ///
    /// The system's error if it cannot listen on the address.
    pub fn start(
        listen: SocketAddr,
        sink: impl FnMut(Reading) -> io::Result<()> + Send + 'static,
    ) -> io::Result<Server> {
        let socket = UdpSocket::bind(listen)?;
        socket.set_read_timeout(Some(LOOK))?;
        let address = socket.local_addr()?;
        let (counts, stop) = (Arc::<Counts>::default(), Arc::<AtomicBool>::default());
        let (counting, stopping) = (Arc::clone(&counts), Arc::clone(&stop));
        let thread = std::thread::Builder::new()
            .name("classic".into())
            .spawn(move || serve(&socket, &counting, &stopping, sink))?;
        Ok(Server {
            address,
            counts,
            stop,
            thread: Some(thread),
        })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Packets processed.
    pub fn packets(&self) -> u64 {
        self.counts.packets.load(Ordering::Acquire)
    }

    /// Readings accepted. The sink has received all of them, except perhaps the last.
    pub fn accepted(&self) -> u64 {
        self.counts.accepted.load(Ordering::Acquire)
    }

    pub fn multiplications(&self) -> u64 {
        self.counts.multiplications.load(Ordering::Acquire)
    }

    /// Packets dropped for this reason.
    pub fn dropped(&self, reason: Reason) -> u64 {
        let dropped = self.counts.dropped.lock();
        let dropped = dropped.unwrap_or_else(PoisonError::into_inner);
        dropped.iter().filter(|one| **one == reason).count() as u64
    }

    /// Returns true if the thread has ended because the socket or the sink failed.
    pub fn has_ended(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Stops the thread. Returns the error that ended it earlier, if any.
    pub fn stop(mut self) -> io::Result<()> {
        self.stop.store(true, Ordering::Relaxed);
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(result)) => result,
            Some(Err(_)) => Err(io::Error::other("the gateway crashed")),
            None => Ok(()),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

fn serve(
    socket: &UdpSocket,
    counts: &Counts,
    stop: &AtomicBool,
    mut sink: impl FnMut(Reading) -> io::Result<()>,
) -> io::Result<()> {
    let mut gateway = Gateway::default();
    let mut packet = [0; PACKET_MAX];
    while !stop.load(Ordering::Relaxed) {
        let (size, from) = match socket.recv_from(&mut packet) {
            Ok(received) => received,
            Err(error) if is_momentary(&error) => continue,
            Err(error) => return Err(error),
        };
        match gateway.take(from, &packet[..size]) {
            // If the answer is lost, the node asks again.
            Ok(Taken::Answer(answer)) => drop(socket.send_to(&answer, from)),
            Ok(Taken::Keyed) => {}
            Ok(Taken::Reading(reading)) => {
                counts.accepted.fetch_add(1, Ordering::Release);
                sink(reading)?;
            }
            Err(reason) => {
                let dropped = counts.dropped.lock();
                dropped.unwrap_or_else(PoisonError::into_inner).push(reason);
            }
        }
        counts
            .multiplications
            .store(gateway.multiplications(), Ordering::Release);
        counts.packets.fetch_add(1, Ordering::Release);
    }
    Ok(())
}

/// Returns true if the error is a timeout, a signal, or a node with a closed port.
fn is_momentary(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionRefused, Interrupted, TimedOut, WouldBlock};
    matches!(
        error.kind(),
        WouldBlock | TimedOut | Interrupted | ConnectionRefused
    )
}
