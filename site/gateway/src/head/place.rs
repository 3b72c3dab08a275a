//! Where a node is for a head, and how it is written for the gateway, which only repeats it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use crate::heads::Way;

/// Where a frame came from, and where its answer goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Udp(SocketAddr),
    /// A radio module, by number.
    Radio(u8),
    Concentrator(Channel),
}

/// A LoRa channel of a concentrator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Channel {
    /// The concentrator's EUI-64.
    pub(super) concentrator: [u8; 8],
    /// Hz.
    pub(super) frequency: u32,
    pub(super) spreading: u8,
    /// kHz.
    pub(super) bandwidth: u16,
}

const UDP_4: u8 = 1;
const UDP_6: u8 = 2;
const RADIO: u8 = 3;
const CONCENTRATOR: u8 = 4;

impl Place {
    /// Kind (1), then address and port (6 or 18), number (1), or EUI (8), frequency (4), spreading
    /// factor (1) and bandwidth (2).
    pub(super) fn way(self) -> Way {
        let mut bytes = Vec::with_capacity(20);
        match self {
            Place::Udp(address) => {
                match address.ip().to_canonical() {
                    IpAddr::V4(ip) => {
                        bytes.push(UDP_4);
                        bytes.extend_from_slice(&ip.octets());
                    }
                    IpAddr::V6(ip) => {
                        bytes.push(UDP_6);
                        bytes.extend_from_slice(&ip.octets());
                    }
                }
                bytes.extend_from_slice(&address.port().to_be_bytes());
            }
            Place::Radio(number) => bytes.extend_from_slice(&[RADIO, number]),
            Place::Concentrator(channel) => {
                bytes.push(CONCENTRATOR);
                bytes.extend_from_slice(&channel.concentrator);
                bytes.extend_from_slice(&channel.frequency.to_be_bytes());
                bytes.push(channel.spreading);
                bytes.extend_from_slice(&channel.bandwidth.to_be_bytes());
            }
        }
        // At most 19 bytes, as the test below shows.
        Way::new(&bytes).unwrap_or_default()
    }

    /// The inverse. `None` if an earlier or later version wrote the way.
    pub(super) fn of(way: Way) -> Option<Place> {
        let (kind, rest) = way.bytes().split_first()?;
        let port = |high: u8, low: u8| u16::from_be_bytes([high, low]);
        Some(match (*kind, rest) {
            (UDP_4, &[a, b, c, d, high, low]) => {
                Place::Udp((Ipv4Addr::new(a, b, c, d), port(high, low)).into())
            }
            (UDP_6, &[ref ip @ .., high, low]) => {
                let ip: [u8; 16] = ip.try_into().ok()?;
                Place::Udp((Ipv6Addr::from(ip), port(high, low)).into())
            }
            (RADIO, &[number]) => Place::Radio(number),
            (CONCENTRATOR, bytes) => {
                let (concentrator, rest) = bytes.split_first_chunk()?;
                let (frequency, rest) = rest.split_first_chunk()?;
                let &[spreading, high, low] = rest else {
                    return None;
                };
                Place::Concentrator(Channel {
                    concentrator: *concentrator,
                    frequency: u32::from_be_bytes(*frequency),
                    spreading,
                    bandwidth: port(high, low),
                })
            }
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_place_comes_back_from_its_way() {
        let udp = |text: &str| Place::Udp(text.parse().expect("an address"));
        for place in [
            udp("192.0.2.1:7356"),
            udp("[2001:db8:ffff:ffff:ffff:ffff:ffff:ffff]:65535"),
            Place::Radio(0),
            Place::Radio(255),
            Place::Concentrator(Channel {
                concentrator: [255; 8],
                frequency: 915_200_000,
                spreading: 12,
                bandwidth: 500,
            }),
        ] {
            assert_eq!(Place::of(place.way()), Some(place));
        }
        assert_eq!(
            Place::of(udp("[::ffff:192.0.2.1]:1").way()),
            Some(udp("192.0.2.1:1"))
        );
    }

    proptest! {
        #[test]
        fn any_way_is_a_place_or_none(bytes in proptest::collection::vec(any::<u8>(), 0..=19)) {
            let way = Way::new(&bytes).expect("short");
            if let Some(place) = Place::of(way) {
                let again = Place::of(place.way());
                prop_assert!(again.is_some());
            }
        }
    }
}
