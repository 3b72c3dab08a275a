//! UDP: receives packets in batches and sends packets.

use std::io::{self, IoSliceMut};
use std::net::{IpAddr, Ipv6Addr, SocketAddr, UdpSocket};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;

use quinn_udp::{BATCH_SIZE, RecvMeta, Transmit, UdpSockRef, UdpSocketState};
use socket2::{Domain, Protocol, Socket, Type};

use crate::engine::Outgoing;
use crate::error::{Error, Result};
use crate::peer::Peer;

/// Size of one buffer. The kernel may join packets of one sender up to this size (generic
/// receive offload).
const BUFFER_BYTES: usize = 64 << 10;

/// Distance between two buffers. Three cache lines more than a power of two, so that the
/// packets of a batch, which lie at the start of their buffers, do not compete for one cache
/// set.
const BUFFER_STRIDE: usize = BUFFER_BYTES + 3 * 64;

/// Requested size of the socket's receive buffer. The kernel may grant less.
const WAITING_BYTES: usize = 16 << 20;

/// Sends packets; shared between threads.
#[derive(Debug)]
pub struct Sender {
    socket: UdpSocket,
    state: UdpSocketState,
    ipv6: bool,
}

/// Receives packets.
#[derive(Debug)]
pub struct Receiver {
    sender: Arc<Sender>,
    buffers: Vec<u8>,
    metas: [RecvMeta; BATCH_SIZE],
    /// Number of buffers that hold packets of the current batch.
    received: usize,
}

/// A packet of the batch.
#[derive(Debug, Clone, Copy)]
pub struct Packet<'a> {
    pub from: Peer,
    /// Local address that the packet was sent to. `None` if the socket is bound to one address.
    pub local: Option<IpAddr>,
    pub bytes: &'a [u8],
}

/// Binds a socket. An IPv6 wildcard address also receives IPv4.
///
/// # Errors
/// [`Error::Listen`] if the system refuses the address.
pub fn bind(address: SocketAddr) -> Result<Receiver> {
    let listen = |source| Error::Listen { address, source };
    let ipv6 = address.is_ipv6();
    let domain = if ipv6 { Domain::IPV6 } else { Domain::IPV4 };
    let socket = Socket::new(domain, Type::DGRAM, Some(Protocol::UDP)).map_err(listen)?;
    if ipv6 {
        socket.set_only_v6(false).map_err(listen)?;
    }
    socket.bind(&address.into()).map_err(listen)?;
    let socket = UdpSocket::from(socket);
    let state = UdpSocketState::new(UdpSockRef::from(&socket)).map_err(listen)?;
    say_less(&socket, address);
    // A smaller buffer is acceptable: a burst may lose packets, and nodes repeat them.
    let _ = state.set_recv_buffer_size(UdpSockRef::from(&socket), WAITING_BYTES);
    // Root may exceed net.core.rmem_max, which leaves room for honest packets during a flood.
    #[cfg(target_os = "linux")]
    let _ = rustix::net::sockopt::set_socket_recv_buffer_size_force(&socket, WAITING_BYTES);
    Ok(Receiver {
        sender: Arc::new(Sender {
            socket,
            state,
            ipv6,
        }),
        buffers: vec![0; BATCH_SIZE * BUFFER_STRIDE],
        metas: [RecvMeta::default(); BATCH_SIZE],
        received: 0,
    })
}

/// Turns off control messages that the gateway does not use: each one costs time per packet. A
/// refusal only makes reception slower.
fn say_less(socket: &UdpSocket, address: SocketAddr) {
    let _ = rustix::net::sockopt::set_ip_recvtos(socket, false);
    if address.is_ipv6() {
        let _ = rustix::net::sockopt::set_ipv6_recvtclass(socket, false);
    }
    // A socket bound to one address needs no packet info: that address is always the local one.
    #[cfg(target_os = "linux")]
    if !address.ip().is_unspecified() {
        use nix::sys::socket::{setsockopt, sockopt};
        let _ = if address.is_ipv6() {
            setsockopt(socket, sockopt::Ipv6RecvPacketInfo, &false)
        } else {
            setsockopt(socket, sockopt::Ipv4PacketInfo, &false)
        };
    }
}

impl Receiver {
    pub fn sender(&self) -> Arc<Sender> {
        self.sender.clone()
    }

    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.sender.socket.local_addr()
    }

    /// Receives the next batch with one system call. Does not wait. Returns false if no packet
    /// was waiting.
    pub fn receive(&mut self) -> io::Result<bool> {
        self.received = 0;
        let mut chunks = self.buffers.chunks_exact_mut(BUFFER_STRIDE);
        let mut slices: [IoSliceMut<'_>; BATCH_SIZE] = std::array::from_fn(|_| {
            IoSliceMut::new(&mut chunks.next().unwrap_or_default()[..BUFFER_BYTES])
        });
        let sender = &self.sender;
        let received = sender.state.recv(
            UdpSockRef::from(&sender.socket),
            &mut slices,
            &mut self.metas,
        );
        match received {
            Ok(received) => {
                self.received = received;
                Ok(received > 0)
            }
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
                ) =>
            {
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// The packets of the batch.
    pub fn packets(&self) -> impl Iterator<Item = Packet<'_>> {
        let buffers = self.buffers.chunks_exact(BUFFER_STRIDE);
        let filled = self.metas.iter().zip(buffers).take(self.received);
        filled.flat_map(|(meta, buffer)| {
            let packet = Packet {
                from: Peer::Udp(unmapped(meta.addr)),
                local: meta.dst_ip,
                bytes: &[],
            };
            let bytes = &buffer[..meta.len.min(BUFFER_BYTES)];
            // An empty datagram counts as a packet.
            let empty = bytes.is_empty().then_some(packet);
            let parts = bytes.chunks(meta.stride.max(1));
            empty
                .into_iter()
                .chain(parts.map(move |bytes| Packet { bytes, ..packet }))
        })
    }

    /// True if the batch has filled all buffers, so that more packets may be waiting.
    pub fn is_full(&self) -> bool {
        self.received == BATCH_SIZE
    }
}

impl AsFd for Receiver {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.sender.socket.as_fd()
    }
}

impl Sender {
    /// Sends a packet. Drops it if the system does not accept it now.
    pub fn send(&self, packet: &Outgoing) -> io::Result<()> {
        let Peer::Udp(to) = packet.to else {
            return Err(io::ErrorKind::AddrNotAvailable.into());
        };
        let destination = match to {
            SocketAddr::V4(v4) if self.ipv6 => {
                SocketAddr::from((v4.ip().to_ipv6_mapped(), v4.port()))
            }
            address => address,
        };
        let transmit = Transmit {
            destination,
            ecn: None,
            contents: packet.frame(),
            segment_size: None,
            src_ip: packet.local.filter(|local| usable(*local)),
        };
        self.state
            .try_send(UdpSockRef::from(&self.socket), &transmit)
    }
}

/// True if an answer can be sent from this address. Multicast and broadcast addresses cannot be
/// a source.
fn usable(local: IpAddr) -> bool {
    match local {
        IpAddr::V4(v4) => !v4.is_multicast() && !v4.is_broadcast(),
        IpAddr::V6(v6) => !v6.is_multicast(),
    }
}

/// Converts an IPv4-mapped IPv6 address, as a dual-stack socket reports it, to IPv4.
fn unmapped(address: SocketAddr) -> SocketAddr {
    match address {
        SocketAddr::V6(v6) => match Ipv6Addr::to_ipv4_mapped(v6.ip()) {
            Some(v4) => SocketAddr::from((v4, v6.port())),
            None => address,
        },
        v4 => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(receiver: &Receiver) {
        let mut fds = [rustix::event::PollFd::new(
            receiver,
            rustix::event::PollFlags::IN,
        )];
        rustix::event::poll(&mut fds, None).expect("polls");
    }

    #[test]
    fn packets_of_any_size_come_and_go_on_both_families() {
        for (ours, theirs) in [
            ("127.0.0.1:0", "127.0.0.1:0"),
            ("[::1]:0", "[::1]:0"),
            ("[::]:0", "127.0.0.1:0"),
        ] {
            let Ok(mut receiver) = bind(ours.parse().expect("an address")) else {
                // No IPv6 on this machine.
                assert!(ours.starts_with('['));
                continue;
            };
            let node = UdpSocket::bind(theirs).expect("binds");
            let port = receiver.local_addr().expect("bound").port();
            let to = SocketAddr::new(node.local_addr().expect("bound").ip(), port);
            let mut sizes = Vec::new();
            for size in [0, 1, 29, 58, 59, 1400] {
                node.send_to(&vec![7; size], to).expect("sends");
                sizes.push(size);
            }
            let mut got = Vec::new();
            while got.len() < sizes.len() {
                wait(&receiver);
                let mut answers = Vec::new();
                receiver.receive().expect("receives");
                for packet in receiver.packets() {
                    assert_eq!(packet.from, Peer::Udp(node.local_addr().expect("bound")));
                    got.push(packet.bytes.len());
                    let mut answer = Outgoing::for_test(packet.from, &[1, 2, 3]);
                    answer.local = packet.local;
                    answers.push(answer);
                }
                for answer in &answers {
                    receiver.sender().send(answer).expect("sends");
                }
            }
            assert_eq!(got, sizes);
            let mut buffer = [0; 10];
            let (size, from) = node.recv_from(&mut buffer).expect("an answer");
            assert_eq!((&buffer[..size], from), (&[1, 2, 3][..], to));
        }
    }

    #[test]
    fn a_taken_port_is_named() {
        let first = bind("127.0.0.1:0".parse().expect("an address")).expect("binds");
        let error = bind(first.local_addr().expect("bound")).expect_err("taken");
        assert!(error.to_string().starts_with("cannot listen on 127.0.0.1:"));
        assert!(error.hint().expect("a hint").contains("--listen"));
    }
}
