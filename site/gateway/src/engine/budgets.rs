//! Budgets of tag checks, cookie secrets, and proofs of addresses.

use std::collections::{HashMap, VecDeque};

use selo_link::cookie::CookieSecret;
use selo_link::session::SessionId;

use crate::clock::Now;
use crate::limit::{Bucket, Budget, Pace, Rate, Sources, Tick};
use crate::peer::{Packed, Peer};

/// Limits on hints: per session and address, per address, per radio channel, and in total
/// [docs/protocol.md, A lost session].
const HINTS_OF_SESSION: Rate = Rate::new(1, 1);
const HINTS_OF_ADDRESS: Rate = Rate::new(10, 10);
const HINTS_OF_RADIO: Rate = Rate::new(1, 1);
const HINTS_IN_ALL: Pace = Pace::new(10_000, 1000);

/// Interval between cookie secrets, milliseconds. A cookie is valid for one to two intervals.
pub(super) const SECRET_MS: u64 = 2 * 60 * 1000;

/// Validity of a proof, milliseconds.
const PROVEN_MS: u64 = 2 * 60 * 1000;

/// Maximum number of stored proofs. The oldest is dropped first.
const PROVEN_MAX: usize = 1 << 16;

/// Maximum proofs per host (IPv4) or /64 network (IPv6), so that none fills the table alone.
const PROVEN_OF_HOST: usize = 1 << 10;

/// Allowances of forgeries of one session.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Forgeries {
    pub(super) at_home: Bucket,
    pub(super) elsewhere: Bucket,
}

/// Budgets, cookie secrets and proofs.
#[derive(Debug, Default)]
pub(super) struct Admission {
    pub(super) strangers: Budget,
    pub(super) proven: Budget,
    pub(super) elsewhere: Budget,
    pub(super) cookies: Budget,
    pub(super) secrets: Option<Secrets>,
    pub(super) proofs: Proofs,
    pub(super) hints: Hints,
}

/// Reason for checking the tag of a join. It decides which budget is charged if the tag is
/// invalid.
#[derive(Debug, Clone, Copy)]
pub(super) enum Admitted {
    /// Received by radio. The slow channel is its own limit, and radio senders have no address
    /// to prove.
    Radio,
    Proven,
    Stranger,
}

#[derive(Debug)]
pub(super) struct Secrets {
    pub(super) now: CookieSecret,
    pub(super) before: CookieSecret,
    pub(super) since_ms: u64,
}

/// An address and a device that can be joined from there.
pub(super) type ProofKey = (Packed, u32);

#[derive(Debug)]
pub(super) struct Proof {
    pub(super) until_ms: u64,
    pub(super) checks: Bucket,
}

/// Proofs by place.
#[derive(Debug, Default)]
pub(super) struct Proofs {
    pub(super) of: HashMap<ProofKey, Proof>,
    /// The places of a host, oldest first.
    pub(super) hosts: HashMap<u64, VecDeque<ProofKey>>,
    /// A host for each proof, oldest first. A host that has too many replaces its own and stays
    /// where it is.
    pub(super) order: VecDeque<u64>,
}

impl Proofs {
    pub(super) fn has(&self, place: &ProofKey, rate: Rate, now: Now) -> bool {
        let tick = Tick::from_ms(now.steady_ms);
        self.of
            .get(place)
            .is_some_and(|proof| proof.until_ms > now.steady_ms && proof.checks.has(rate, 1, tick))
    }

    pub(super) fn charge(&mut self, place: &ProofKey, rate: Rate, now: Now) {
        if let Some(proof) = self.of.get_mut(place) {
            proof.checks.charge(rate, 1, Tick::from_ms(now.steady_ms));
        }
    }

    /// Adds a proof, or makes one last longer. It keeps what was charged: who reads along and
    /// sends the proof again gains nothing.
    pub(super) fn add(&mut self, host: u64, place: ProofKey, now: Now) {
        let until_ms = now.steady_ms + PROVEN_MS;
        if let Some(proof) = self.of.get_mut(&place) {
            proof.until_ms = until_ms;
            return;
        }
        let places = self.hosts.entry(host).or_default();
        places.push_back(place);
        if places.len() > PROVEN_OF_HOST {
            let oldest = places.pop_front();
            oldest.map(|oldest| self.of.remove(&oldest));
        } else {
            self.order.push_back(host);
        }
        let checks = Bucket::default();
        self.of.insert(place, Proof { until_ms, checks });
        while self.of.len() > PROVEN_MAX {
            self.forget_oldest();
        }
    }

    pub(super) fn forget_oldest(&mut self) {
        let Some(host) = self.order.pop_front() else {
            return self.of.clear();
        };
        if let Some(places) = self.hosts.get_mut(&host) {
            if let Some(oldest) = places.pop_front() {
                self.of.remove(&oldest);
            }
            if places.is_empty() {
                self.hosts.remove(&host);
            }
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Hints {
    pub(super) all: Budget,
    pub(super) of_address: Sources,
    pub(super) of_session: Sources,
}

impl Hints {
    pub(super) fn take(&mut self, now: Now, to: Peer, session: SessionId) -> bool {
        let tick = Tick::from_ms(now.steady_ms);
        let rate = match to {
            Peer::Radio(_) | Peer::Head(_) => HINTS_OF_RADIO,
            Peer::Udp(_) | Peer::Nowhere => HINTS_OF_ADDRESS,
        };
        let address = to.pack();
        let allowed = self.all.has(HINTS_IN_ALL, now.steady_ms)
            && self.of_address.has(address, rate, 1, tick)
            && self
                .of_session
                .take((address, session), HINTS_OF_SESSION, 1, tick);
        if allowed {
            self.all.charge(HINTS_IN_ALL, now.steady_ms);
            self.of_address.charge(address, rate, 1, tick);
        }
        allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::limits::Checks;

    fn place(host: u32, port: u16) -> (u64, ProofKey) {
        let address = std::net::SocketAddr::from((std::net::Ipv4Addr::from(host), port));
        let peer = Peer::Udp(address);
        (peer.limit_key(), (peer.pack(), 7))
    }

    fn at(steady_ms: u64) -> Now {
        Now {
            steady_ms,
            unix_ms: 0,
        }
    }

    #[test]
    fn proofs_are_few_and_no_host_drives_out_anothers() {
        let rate = Checks::DEFAULT.proven_address;
        let mut proofs = Proofs::default();
        let (honest_host, honest) = place(1, 5000);
        proofs.add(honest_host, honest, at(0));
        for port in 0..5000 {
            let (host, place) = place(2, port);
            proofs.add(host, place, at(1));
        }
        assert_eq!(proofs.of.len(), 1 + PROVEN_OF_HOST);
        assert!(proofs.has(&honest, rate, at(2)));
        assert!(!proofs.has(&place(2, 0).1, rate, at(2)));
        assert!(proofs.has(&place(2, 4999).1, rate, at(2)));
        // With many hosts the oldest proof goes first, and the tables stay bounded and
        // consistent.
        for host in 3..70_003 {
            let (host, place) = place(host, 1);
            proofs.add(host, place, at(3));
        }
        assert!(!proofs.has(&honest, rate, at(4)));
        assert!(proofs.has(&place(70_002, 1).1, rate, at(4)));
        let kept: usize = proofs.hosts.values().map(VecDeque::len).sum();
        assert_eq!(
            (proofs.of.len(), kept, proofs.order.len()),
            (PROVEN_MAX, PROVEN_MAX, PROVEN_MAX)
        );
        assert!(!proofs.has(&place(70_002, 1).1, rate, at(3 + PROVEN_MS)));
    }

    #[test]
    fn a_proof_that_comes_again_buys_nothing_more() {
        let rate = Rate::new(1, 3);
        let mut proofs = Proofs::default();
        let (host, place) = place(1, 5000);
        for _ in 0..3 {
            proofs.add(host, place, at(0));
            assert!(proofs.has(&place, rate, at(0)));
            proofs.charge(&place, rate, at(0));
        }
        proofs.add(host, place, at(0));
        assert!(!proofs.has(&place, rate, at(0)));
        assert!(proofs.has(&place, rate, at(1000)));
    }
}
