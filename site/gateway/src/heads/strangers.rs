//! Connections that have not proven themselves. They are few, and a new one takes the place of the
//! oldest, so idle ones keep nobody out. A head knocks with its first bytes (`tls`), and from then on
//! only another one with the same knock takes its place.

use std::net::{IpAddr, Shutdown, TcpStream};

/// Maximum connections that have not knocked, and of these from one host.
pub(super) const STRANGERS_MAX: usize = 64;
pub(super) const STRANGERS_OF_HOST: usize = 32;

#[derive(Debug)]
struct Stranger {
    number: u64,
    host: IpAddr,
    socket: TcpStream,
    /// The number of the head whose knock it has.
    head: Option<u16>,
}

/// The oldest first.
#[derive(Debug, Default)]
pub(super) struct Strangers {
    next: u64,
    of: Vec<Stranger>,
}

impl Strangers {
    /// Enters a stranger, and returns its number. The oldest one of its host, or of all, makes room.
    pub(super) fn admit(&mut self, host: IpAddr, socket: TcpStream) -> u64 {
        let silent = |stranger: &&Stranger| stranger.head.is_none();
        let all = self.of.iter().filter(silent).count();
        let of_host = self
            .of
            .iter()
            .filter(silent)
            .filter(|stranger| stranger.host == host)
            .count();
        let oldest = self.of.iter().position(|stranger| {
            stranger.head.is_none()
                && (of_host >= STRANGERS_OF_HOST && stranger.host == host
                    || of_host < STRANGERS_OF_HOST && all >= STRANGERS_MAX)
        });
        if let Some(oldest) = oldest {
            end(&self.of.remove(oldest));
        }
        self.next += 1;
        self.of.push(Stranger {
            number: self.next,
            host,
            socket,
            head: None,
        });
        self.next
    }

    /// A stranger has knocked as a head. False if it has lost its place meanwhile.
    pub(super) fn knocked(&mut self, number: u64, head: u16) -> bool {
        self.of.retain(|other| {
            let displaced = other.head == Some(head);
            if displaced {
                end(other);
            }
            !displaced
        });
        let stranger = self
            .of
            .iter_mut()
            .find(|stranger| stranger.number == number);
        stranger
            .map(|stranger| stranger.head = Some(head))
            .is_some()
    }

    /// A stranger is none any more, or is gone.
    pub(super) fn leave(&mut self, number: u64) {
        self.of.retain(|stranger| stranger.number != number);
    }

    pub(super) fn end_all(&self) {
        self.of.iter().for_each(end);
    }
}

/// Wakes the thread of the connection, which then ends.
fn end(stranger: &Stranger) {
    let _ = stranger.socket.shutdown(Shutdown::Both);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{Ipv4Addr, TcpListener};

    fn host(number: u8) -> IpAddr {
        Ipv4Addr::new(192, 0, 2, number).into()
    }

    /// Connections from `hosts`, and which of them are still there.
    fn left(strangers: &mut Strangers, numbers: &[u64]) -> Vec<u64> {
        let there = |number: &&u64| strangers.of.iter().any(|one| one.number == **number);
        numbers.iter().filter(there).copied().collect()
    }

    fn socket(listener: &TcpListener) -> TcpStream {
        let _ = TcpStream::connect(listener.local_addr().expect("bound")).expect("connects");
        listener.accept().expect("accepts").0
    }

    #[test]
    fn the_oldest_of_a_crowded_host_makes_room_and_other_hosts_stay() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("binds");
        let mut strangers = Strangers::default();
        let honest = strangers.admit(host(1), socket(&listener));
        let crowd: Vec<u64> = (0..3 * STRANGERS_OF_HOST)
            .map(|_| strangers.admit(host(2), socket(&listener)))
            .collect();
        assert_eq!(left(&mut strangers, &[honest]), [honest]);
        assert_eq!(left(&mut strangers, &crowd), crowd[2 * STRANGERS_OF_HOST..]);
        // Many hosts: the oldest of all makes room.
        let others: Vec<u64> = (3..200)
            .map(|number| strangers.admit(host(number), socket(&listener)))
            .collect();
        assert_eq!(strangers.of.len(), STRANGERS_MAX);
        assert!(left(&mut strangers, &[honest]).is_empty());
        assert_eq!(left(&mut strangers, &others).len(), STRANGERS_MAX);
    }

    #[test]
    fn a_knock_keeps_the_place_until_the_same_head_knocks_again() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("binds");
        let mut strangers = Strangers::default();
        let head = strangers.admit(host(1), socket(&listener));
        assert!(strangers.knocked(head, 7));
        for _ in 0..2 * STRANGERS_MAX {
            strangers.admit(host(1), socket(&listener));
        }
        assert_eq!(left(&mut strangers, &[head]), [head]);
        let again = strangers.admit(host(2), socket(&listener));
        assert!(strangers.knocked(again, 7));
        assert_eq!(left(&mut strangers, &[head, again]), [again]);
        // Too late: it has lost its place.
        assert!(!strangers.knocked(head, 8));
        strangers.leave(again);
        assert!(left(&mut strangers, &[again]).is_empty());
    }
}
