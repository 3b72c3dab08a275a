//! The load generator: many device addresses, presealed frames and as few system calls as
//! possible, so that the gateway is the bottleneck.
//!
//! Every frame is a separate datagram, without segmentation offload (UDP_SEGMENT). A gateway that
//! received offloaded segments as one would be measured faster than real devices' packets allow.

use std::io::{self, IoSlice};
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, UdpSocket};
use std::time::{Duration, Instant};

use rustix::net::{MMsgHdr, SendAncillaryBuffer, SendFlags};
use socket2::{Domain, Socket, Type};

use crate::error::{Error, Result};

/// Bytes of a reading before sealing.
pub const READING_BYTES: usize = 16;

/// Frames passed to the kernel in one call, all from one address.
pub const BATCH: usize = 16;

/// Requested socket buffer size in bytes, the same as the gateways'.
const BUFFER: usize = 4 << 20;

/// Sockets of one process, below the usual open-file limit of 1,024.
pub const ADDRESSES_MAX: usize = 900;

/// The addresses of the devices: 127.64.x.y, each with its own port, connected to the gateway.
#[derive(Debug)]
pub struct Addresses {
    sockets: Vec<UdpSocket>,
}

impl Addresses {
    /// Opens `count` sockets to `gateway`, which is on loopback.
    pub fn open(count: usize, gateway: SocketAddr) -> Result<Addresses> {
        let sockets = (0..count.min(ADDRESSES_MAX))
            .map(|index| {
                let socket = Socket::new(Domain::IPV4, Type::DGRAM, None)?;
                socket.set_send_buffer_size(BUFFER)?;
                let own = Ipv4Addr::new(127, 64, (index >> 8) as u8, index as u8);
                socket.bind(&SocketAddrV4::new(own, 0).into())?;
                socket.connect(&gateway.into())?;
                socket.set_read_timeout(Some(Duration::from_secs(2)))?;
                Ok(socket.into())
            })
            .collect::<io::Result<_>>()
            .map_err(|source| Error::Network { source })?;
        Ok(Addresses { sockets })
    }

    /// Number of addresses.
    pub fn len(&self) -> usize {
        self.sockets.len()
    }

    pub fn is_empty(&self) -> bool {
        self.sockets.is_empty()
    }

    /// The socket of a session.
    pub fn of(&self, session: usize) -> &UdpSocket {
        &self.sockets[session % self.sockets.len()]
    }
}

/// Bytes that a frame occupies in [`Frames`].
const STRIDE: usize = 64;

/// Sealed frames in sending order.
#[derive(Debug, Default)]
pub struct Frames {
    bytes: Vec<u8>,
    sizes: Vec<u8>,
}

impl Frames {
    /// An empty list with room for `frames`.
    pub fn with_capacity(frames: usize) -> Frames {
        Frames {
            bytes: Vec::with_capacity(frames * STRIDE),
            sizes: Vec::with_capacity(frames),
        }
    }

    /// Adds a frame: a join's, or that of a 16-byte reading.
    pub fn push(&mut self, frame: &[u8]) {
        assert!(frame.len() <= STRIDE, "a frame of the link");
        let start = self.bytes.len();
        self.bytes.extend_from_slice(frame);
        self.bytes.resize(start + STRIDE, 0);
        self.sizes.push(frame.len() as u8);
    }

    /// Number of frames.
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    /// The frames from `first` on, at most [`BATCH`] of them.
    fn batch(&self, first: usize) -> impl ExactSizeIterator<Item = &[u8]> {
        let last = (first + BATCH).min(self.len());
        (first..last).map(|index| &self.bytes[index * STRIDE..][..self.sizes[index].into()])
    }
}

/// Number of sent frames, and the time taken.
#[derive(Debug, Clone, Copy)]
pub struct Sent {
    pub frames: u64,
    pub elapsed: Duration,
}

/// Sends frames as fast as the kernel accepts them, [`BATCH`] at a time from each address in
/// turn, until all are sent or `limit` has passed.
pub fn send(addresses: &Addresses, frames: &Frames, limit: Duration) -> Result<Sent> {
    let start = Instant::now();
    let (mut sent, mut turn) = (0, 0);
    while sent < frames.len() {
        if turn % 64 == 0 && start.elapsed() >= limit {
            break;
        }
        sent += send_batch(addresses.of(turn), frames.batch(sent))
            .map_err(|source| Error::Network { source })?;
        turn += 1;
    }
    Ok(Sent {
        frames: sent as u64,
        elapsed: start.elapsed(),
    })
}

/// Sends the frames again and again until `limit` has passed. Returns the number sent.
pub fn send_again(addresses: &Addresses, frames: &Frames, limit: Duration) -> Result<u64> {
    let (start, mut sent) = (Instant::now(), 0);
    while start.elapsed() < limit {
        sent += send(addresses, frames, limit.saturating_sub(start.elapsed()))?.frames;
    }
    Ok(sent)
}

/// Sends at most [`BATCH`] frames. Returns their number.
fn send_batch<'f>(
    socket: &UdpSocket,
    frames: impl ExactSizeIterator<Item = &'f [u8]>,
) -> io::Result<usize> {
    let mut slices = [[IoSlice::new(&[])]; BATCH];
    let count = frames.len();
    for (slice, frame) in slices.iter_mut().zip(frames) {
        *slice = [IoSlice::new(frame)];
    }
    let mut controls: [SendAncillaryBuffer; BATCH] = std::array::from_fn(|_| Default::default());
    let mut headers = Vec::with_capacity(BATCH);
    for (slice, control) in slices[..count].iter().zip(&mut controls) {
        headers.push(MMsgHdr::new(slice, control));
    }
    let mut done = 0;
    while done < headers.len() {
        match rustix::net::sendmmsg(socket, &mut headers[done..], SendFlags::empty()) {
            Ok(count) => done += count,
            Err(rustix::io::Errno::INTR) => {}
            // The kernel reports an earlier frame that found no listener, because the gateway has
            // just started or ended.
            Err(rustix::io::Errno::CONNREFUSED) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_frame_arrives_once_and_whole_from_its_address() {
        let gateway = UdpSocket::bind("127.0.0.1:0").expect("a socket");
        gateway
            .set_read_timeout(Some(Duration::from_secs(5)))
            .expect("a limit");
        let addresses = Addresses::open(3, gateway.local_addr().expect("bound")).expect("opens");
        // Two full batches and a remainder.
        let count = 2 * BATCH + 5;
        let mut frames = Frames::default();
        for index in 0..count {
            frames.push(&[index as u8; 31][..29 + 2 * (index % 2)]);
        }
        let sent = send(&addresses, &frames, Duration::from_secs(60)).expect("sends");
        assert_eq!(sent.frames, count as u64);
        let mut buffer = [0; 64];
        for index in 0..count {
            let (size, from) = gateway.recv_from(&mut buffer).expect("a frame");
            assert_eq!(buffer[..size], [index as u8; 31][..29 + 2 * (index % 2)]);
            let session = index / BATCH;
            let own = addresses.of(session).local_addr().expect("bound");
            assert_eq!(from, own);
        }
    }
}
