//! Address of the other end of a carrier: the source of a frame and the destination of an
//! answer.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV6};

use crate::heads::{WAY_MAX, Way};

/// The other end of a carrier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Peer {
    /// No address is known yet.
    Nowhere,
    Udp(SocketAddr),
    /// A radio module, by number. Radio is a broadcast medium: everyone in range hears each
    /// packet.
    Radio(u8),
    /// A node that a radio head hears.
    Head(HeadPeer),
}

/// A node behind a radio head.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct HeadPeer {
    /// The number of the head.
    pub head: u16,
    /// Where the head sends an answer.
    pub way: Way,
}

/// A packed peer. Sessions store this form, because there can be a million of them.
pub(crate) const PACKED_BYTES: usize = 23;
pub(crate) type Packed = [u8; PACKED_BYTES];

// 0 means `Nowhere`.
const IPV4: u8 = 1;
const IPV6: u8 = 2;
const RADIO: u8 = 3;
const HEAD: u8 = 4;

// Kind, number, way.
const _: () = assert!(1 + 2 + 1 + WAY_MAX == PACKED_BYTES);

impl Peer {
    /// Layout: kind (1), port (2), address (4 or 16), scope (4, IPv6 only). Port and scope are
    /// little-endian. A head has its number, and size and bytes of the way.
    pub(crate) fn pack(self) -> Packed {
        let mut out = [0; PACKED_BYTES];
        match self {
            Peer::Nowhere => {}
            Peer::Radio(port) => {
                out[0] = RADIO;
                out[1] = port;
            }
            Peer::Head(HeadPeer { head, way }) => {
                out[0] = HEAD;
                out[1..3].copy_from_slice(&head.to_le_bytes());
                out[3..].copy_from_slice(&way.pack());
            }
            Peer::Udp(address) => {
                out[1..3].copy_from_slice(&address.port().to_le_bytes());
                match address {
                    SocketAddr::V4(v4) => {
                        out[0] = IPV4;
                        out[3..7].copy_from_slice(&v4.ip().octets());
                    }
                    SocketAddr::V6(v6) => {
                        out[0] = IPV6;
                        out[3..19].copy_from_slice(&v6.ip().octets());
                        out[19..].copy_from_slice(&v6.scope_id().to_le_bytes());
                    }
                }
            }
        }
        out
    }

    /// The inverse of [`Peer::pack`]. Invalid bytes give [`Peer::Nowhere`].
    pub(crate) fn unpack(packed: &Packed) -> Peer {
        let port = u16::from_le_bytes([packed[1], packed[2]]);
        match packed[0] {
            IPV4 => {
                let mut octets = [0; 4];
                octets.copy_from_slice(&packed[3..7]);
                Peer::Udp(SocketAddr::from((Ipv4Addr::from(octets), port)))
            }
            IPV6 => {
                let mut octets = [0; 16];
                octets.copy_from_slice(&packed[3..19]);
                let mut scope = [0; 4];
                scope.copy_from_slice(&packed[19..]);
                Peer::Udp(SocketAddr::V6(SocketAddrV6::new(
                    Ipv6Addr::from(octets),
                    port,
                    0,
                    u32::from_le_bytes(scope),
                )))
            }
            RADIO => Peer::Radio(packed[1]),
            HEAD => {
                let mut way = [0; 1 + WAY_MAX];
                way.copy_from_slice(&packed[3..]);
                Peer::Head(HeadPeer {
                    head: port,
                    way: Way::unpack(&way),
                })
            }
            _ => Peer::Nowhere,
        }
    }

    /// Number of significant bytes of a packed peer of this kind. The rest are zeros.
    pub(crate) fn packed_size(kind: u8) -> usize {
        match kind {
            IPV4 => 7,
            IPV6 | HEAD => PACKED_BYTES,
            RADIO => 2,
            _ => 1,
        }
    }

    /// Key for rate limits: a host (IPv4), or a /64 network (IPv6), which providers usually
    /// assign to one customer.
    pub(crate) fn limit_key(self) -> u64 {
        match self {
            Peer::Nowhere => 0,
            Peer::Radio(port) => 1 << 40 | u64::from(port),
            // A stolen head could make up any way.
            Peer::Head(peer) => 1 << 42 | u64::from(peer.head),
            Peer::Udp(address) => match address.ip() {
                IpAddr::V4(v4) => 1 << 41 | u64::from(u32::from(v4)),
                IpAddr::V6(v6) => match v6.to_ipv4_mapped() {
                    Some(v4) => 1 << 41 | u64::from(u32::from(v4)),
                    None => (u128::from(v6) >> 64) as u64,
                },
            },
        }
    }
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Peer::Nowhere => f.write_str("-"),
            Peer::Udp(address) => write!(f, "{address}"),
            Peer::Radio(port) => write!(f, "radio:{port}"),
            Peer::Head(peer) => write!(f, "head:{}", peer.head),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_loses_nothing_and_its_tail_is_zeros() {
        for text in [
            "1.2.3.4:5",
            "255.255.255.255:65535",
            "[2001:db8::1]:7356",
            "[fe80::1%7]:1",
        ] {
            let peer = Peer::Udp(text.parse().expect("an address"));
            let packed = peer.pack();
            assert_eq!(Peer::unpack(&packed), peer, "{text}");
            let size = Peer::packed_size(packed[0]);
            assert!(packed[size..].iter().all(|byte| *byte == 0), "{text}");
        }
        let head = |head, way: &[u8]| {
            let way = Way::new(way).expect("short");
            Peer::Head(HeadPeer { head, way })
        };
        let heads = [head(1, &[]), head(65535, &[255; WAY_MAX])];
        for peer in [Peer::Nowhere, Peer::Radio(0), Peer::Radio(255)]
            .into_iter()
            .chain(heads)
        {
            assert_eq!(Peer::unpack(&peer.pack()), peer);
        }
    }

    #[test]
    fn limits_count_hosts_not_ports() {
        let key = |text: &str| Peer::Udp(text.parse().expect("an address")).limit_key();
        assert_eq!(key("1.2.3.4:5"), key("1.2.3.4:6"));
        assert_eq!(key("1.2.3.4:5"), key("[::ffff:1.2.3.4]:6"));
        assert_ne!(key("1.2.3.4:5"), key("1.2.3.5:5"));
        assert_eq!(key("[2001:db8::1]:5"), key("[2001:db8::2]:6"));
        assert_ne!(key("[2001:db8::1]:5"), key("[2001:db8:0:1::1]:5"));
    }
}
