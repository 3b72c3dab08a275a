//! The least that a gateway must do: receives datagrams with `recvmmsg` and discards them.

use std::io::{self, IoSliceMut};
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use quinn_udp::{BATCH_SIZE, RecvMeta, UdpSockRef, UdpSocketState};

use crate::error::{Error, Result};
use crate::process::thread_seconds;

/// Room of a datagram, or of several of one sender that the kernel joins.
const ROOM: usize = 64 << 10;

/// Requested size of the socket's buffer, as a gateway's.
const BUFFER: usize = 16 << 20;

/// Time in which datagrams gather, as in a gateway under load.
const GATHER_TIME: Duration = Duration::from_millis(2);

/// A thread that receives.
#[derive(Debug)]
pub struct Receiver {
    pub address: SocketAddr,
    ends: Arc<AtomicBool>,
    thread: JoinHandle<io::Result<Received>>,
}

/// What was received, and the CPU time of the thread.
#[derive(Debug, Clone, Copy)]
pub struct Received {
    pub datagrams: u64,
    pub cpu_seconds: f64,
}

impl Receiver {
    /// Starts to receive on a port of loopback.
    pub fn start() -> Result<Receiver> {
        Receiver::open().map_err(|source| Error::Network { source })
    }

    fn open() -> io::Result<Receiver> {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = socket.local_addr()?;
        let state = UdpSocketState::new(UdpSockRef::from(&socket))?;
        let _ = state.set_recv_buffer_size(UdpSockRef::from(&socket), BUFFER);
        let _ = rustix::net::sockopt::set_socket_recv_buffer_size_force(&socket, BUFFER);
        let ends = Arc::new(AtomicBool::new(false));
        let seen = ends.clone();
        let thread = std::thread::Builder::new()
            .name("receiving".to_owned())
            .spawn(move || receive(&socket, &state, &seen))?;
        Ok(Receiver {
            address,
            ends,
            thread,
        })
    }

    /// Ends when nothing is left to receive.
    pub fn stop(self) -> Result<Received> {
        self.ends.store(true, Ordering::Release);
        let ended = self.thread.join();
        let received = ended.unwrap_or_else(|_| Err(io::Error::other("the receiver panicked")));
        received.map_err(|source| Error::Network { source })
    }
}

fn receive(socket: &UdpSocket, state: &UdpSocketState, ends: &AtomicBool) -> io::Result<Received> {
    let mut buffers = vec![0; BATCH_SIZE * ROOM];
    let mut metas = [RecvMeta::default(); BATCH_SIZE];
    let mut datagrams = 0;
    loop {
        let ended = ends.load(Ordering::Acquire);
        let mut rooms = buffers.chunks_exact_mut(ROOM);
        let mut slices: [IoSliceMut<'_>; BATCH_SIZE] =
            std::array::from_fn(|_| IoSliceMut::new(rooms.next().unwrap_or_default()));
        match state.recv(UdpSockRef::from(socket), &mut slices, &mut metas) {
            Ok(received) => {
                let of = |meta: &RecvMeta| meta.len.div_ceil(meta.stride.max(1)) as u64;
                datagrams += metas.iter().take(received).map(of).sum::<u64>();
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                if ended {
                    break;
                }
                std::thread::sleep(GATHER_TIME);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(Received {
        datagrams,
        cpu_seconds: thread_seconds(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_datagram_is_counted() {
        let receiver = Receiver::start().expect("starts");
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a socket");
        for size in 1..=100 {
            let to = receiver.address;
            socket.send_to(&[0; 100][..size], to).expect("sends");
        }
        let received = receiver.stop().expect("received");
        assert_eq!(received.datagrams, 100);
        assert!(received.cpu_seconds > 0.0);
    }
}
