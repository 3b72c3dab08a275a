//! Limits on tag checks [docs/protocol.md, Under load, Forgeries].
//!
//! Source addresses can be forged, so no packet is dropped for earlier packets from its
//! address. A valid tag costs no allowance. Checks of invalid tags from unknown senders share
//! budgets. If a join finds its budget spent, the gateway asks the sender with a cookie to
//! prove that it receives packets at its address; a proven address has a budget of its own.
//! Packets from the last known address of a session depend only on that session's allowance.

use std::collections::{HashMap, VecDeque};

use selo_link::Reason;
use selo_link::cookie::CookieSecret;
use selo_link::frame::{Cookie, CookieEcho, JoinRequest};
use selo_link::session::SessionId;

use super::costs::Costs;
use super::table::Slot;
use super::{Bucket, Engine, Handled, Held, Output, Rate, Sources, Tick};
use crate::clock::Now;
use crate::counters::{Count, Kind};
use crate::limit::{Budget, Pace};
use crate::peer::{Packed, Peer};

/// Limits on checks without result: the tag was invalid, or the packet was a repetition.
#[derive(Debug, Clone, Copy)]
pub struct Checks {
    /// Joins in one device's name, from unproven addresses.
    pub strangers_of_device: Rate,
    /// Joins from unproven addresses, for all devices together.
    pub strangers: Pace,
    /// Joins from one proven address.
    pub proven_address: Rate,
    /// Joins from all proven addresses together.
    pub proven: Pace,
    /// Session packets from an address other than the node's last one.
    pub elsewhere: Pace,
    /// COOKIEs sent.
    pub cookies: Pace,
    /// Forgeries per session from the node's last address, in [seconds](Tick::from_seconds).
    pub forged_at_home: Rate,
    /// Forgeries per session from other addresses, in seconds.
    pub forged_elsewhere: Rate,
}

impl Checks {
    /// Assumes about 10 microseconds for the check of a join (hashing) and about one for a
    /// packet.
    pub(super) const DEFAULT: Checks = Checks {
        strangers_of_device: Rate::new(2, 8),
        strangers: Pace::new(1000, 1000),
        // The request follows the proof at once. Until it arrives, a flood from the same
        // address must not exhaust the allowance: at 100,000 packets a second, 1,000 checks
        // last 10 ms.
        proven_address: Rate::new(20, 1000),
        proven: Pace::new(4000, 4000),
        elsewhere: Pace::new(200_000, 20_000),
        cookies: Pace::new(100_000, 10_000),
        forged_at_home: Rate::each_tick(1 << 28),
        forged_elsewhere: Rate::each_tick(1 << 24),
    };

    /// Adjusts the budgets to the costs of this machine: at most the defaults and at least a
    /// tenth of them, so that an outlier in the measurement cannot block all joins. Shares of
    /// one core: strangers' joins 1 %, proven joins 4 %, packets from elsewhere 20 %.
    #[must_use]
    pub fn for_costs(self, costs: Costs) -> Checks {
        let (join, packet) = costs.factors();
        let slower = |pace: Pace, times: f64| pace.slower(times.clamp(1.0, 10.0));
        Checks {
            strangers: slower(self.strangers, join),
            proven: slower(self.proven, join),
            elsewhere: slower(self.elsewhere, packet),
            ..self
        }
    }

    pub(super) const UNLIMITED: Checks = Checks {
        strangers_of_device: Rate::UNLIMITED,
        strangers: Pace::UNLIMITED,
        proven_address: Rate::UNLIMITED,
        proven: Pace::UNLIMITED,
        elsewhere: Pace::UNLIMITED,
        cookies: Pace::UNLIMITED,
        forged_at_home: Rate::UNLIMITED,
        forged_elsewhere: Rate::UNLIMITED,
    };
}

/// Limits on hints: per session and address, per address, per radio channel, and in total
/// [docs/protocol.md, A lost session].
const HINTS_OF_SESSION: Rate = Rate::new(1, 1);
const HINTS_OF_ADDRESS: Rate = Rate::new(10, 10);
const HINTS_OF_RADIO: Rate = Rate::new(1, 1);
const HINTS_IN_ALL: Pace = Pace::new(10_000, 1000);

/// Interval between cookie secrets, milliseconds. A cookie is valid for one to two intervals.
const SECRET_MS: u64 = 2 * 60 * 1000;
/// Validity of a proof, milliseconds.
const PROVEN_MS: u64 = 2 * 60 * 1000;
/// Maximum number of stored proofs. The oldest is dropped first.
const PROVEN_MAX: usize = 1 << 16;
/// Maximum proofs per host (IPv4) or /64 network (IPv6), so that none fills the table alone.
const PROVEN_OF_HOST: usize = 1 << 10;

/// Allowances of forgeries of one session.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Forgeries {
    at_home: Bucket,
    elsewhere: Bucket,
}

/// Budgets, cookie secrets and proofs.
#[derive(Debug, Default)]
pub(super) struct Admission {
    strangers: Budget,
    proven: Budget,
    elsewhere: Budget,
    cookies: Budget,
    secrets: Option<Secrets>,
    proofs: Proofs,
    hints: Hints,
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
struct Secrets {
    now: CookieSecret,
    before: CookieSecret,
    since_ms: u64,
}

/// An address and a device that can be joined from there.
type ProofKey = (Packed, u32);

#[derive(Debug)]
struct Proof {
    until_ms: u64,
    checks: Bucket,
}

/// Proofs by place.
#[derive(Debug, Default)]
struct Proofs {
    of: HashMap<ProofKey, Proof>,
    /// The places of a host, oldest first.
    hosts: HashMap<u64, VecDeque<ProofKey>>,
    /// A host for each proof, oldest first. A host that has too many replaces its own and stays
    /// where it is.
    order: VecDeque<u64>,
}

impl Proofs {
    fn has(&self, place: &ProofKey, rate: Rate, now: Now) -> bool {
        let tick = Tick::from_ms(now.steady_ms);
        self.of
            .get(place)
            .is_some_and(|proof| proof.until_ms > now.steady_ms && proof.checks.has(rate, 1, tick))
    }

    fn charge(&mut self, place: &ProofKey, rate: Rate, now: Now) {
        if let Some(proof) = self.of.get_mut(place) {
            proof.checks.charge(rate, 1, Tick::from_ms(now.steady_ms));
        }
    }

    /// Adds a proof, or makes one last longer. It keeps what was charged: who reads along and
    /// sends the proof again gains nothing.
    fn add(&mut self, host: u64, place: ProofKey, now: Now) {
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

    fn forget_oldest(&mut self) {
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
struct Hints {
    all: Budget,
    of_address: Sources,
    of_session: Sources,
}

impl Hints {
    fn take(&mut self, now: Now, to: Peer, session: SessionId) -> bool {
        let tick = Tick::from_ms(now.steady_ms);
        let rate = match to {
            Peer::Radio(_) => HINTS_OF_RADIO,
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

impl Engine {
    /// Decides whether to check the tag of a join. If not, the sender may be asked for a proof.
    ///
    /// # Errors
    /// [`Reason::Unproven`] or [`Reason::RateLimited`] if the tag is not checked.
    pub(super) fn admit_join(
        &mut self,
        now: Now,
        from: Peer,
        device: Slot,
        request: &JoinRequest<'_>,
        out: &mut Output,
    ) -> Result<Admitted, Reason> {
        if let Peer::Radio(_) = from {
            return Ok(Admitted::Radio);
        }
        let checks = self.settings.limits.checks;
        let place = (from.pack(), request.device.0);
        if self
            .admission
            .proofs
            .has(&place, checks.proven_address, now)
        {
            return match self.admission.proven.has(checks.proven, now.steady_ms) {
                true => Ok(Admitted::Proven),
                false => Err(Reason::RateLimited),
            };
        }
        let tick = Tick::from_ms(now.steady_ms);
        let known = self.devices.get(device).ok_or(Reason::UnknownDevice)?;
        if known.strangers.has(checks.strangers_of_device, 1, tick)
            && self
                .admission
                .strangers
                .has(checks.strangers, now.steady_ms)
        {
            return Ok(Admitted::Stranger);
        }
        self.ask_for_proof(now, from, request, out);
        Err(Reason::Unproven)
    }

    /// Charges an admitted join that was invalid or a repetition.
    pub(super) fn charge_join(&mut self, now: Now, from: Peer, device: Slot, by: Admitted) {
        let checks = self.settings.limits.checks;
        let Some(known) = self.devices.get_mut(device) else {
            return;
        };
        match by {
            Admitted::Radio => {}
            Admitted::Proven => {
                let place = (from.pack(), known.device.id.0);
                let admission = &mut self.admission;
                admission.proofs.charge(&place, checks.proven_address, now);
                admission.proven.charge(checks.proven, now.steady_ms);
            }
            Admitted::Stranger => {
                let tick = Tick::from_ms(now.steady_ms);
                known.strangers.charge(checks.strangers_of_device, 1, tick);
                self.admission
                    .strangers
                    .charge(checks.strangers, now.steady_ms);
            }
        }
    }

    fn ask_for_proof(&mut self, now: Now, from: Peer, request: &JoinRequest<'_>, out: &mut Output) {
        let pace = self.settings.limits.checks.cookies;
        if !self.admission.cookies.take(pace, now.steady_ms) {
            self.counters.add(Count::CookiesWithheld, 1);
            return;
        }
        let Some(secrets) = self.cookie_secrets(now, out) else {
            return;
        };
        let cookie = secrets.now.cookie(request.device, &from.pack());
        let frame = Cookie::encode(&request.mark(), &cookie);
        self.answer(from, Kind::Cookie, &frame, out);
    }

    /// Handles a COOKIE-ECHO, which proves that the sender receives packets at its address.
    pub(super) fn cookie_echo(
        &mut self,
        now: Now,
        from: Peer,
        echo: &CookieEcho<'_>,
        out: &mut Output,
    ) -> Handled {
        let slot = self.devices.find(echo.device.0);
        let known = slot.and_then(|slot| self.devices.get(slot));
        let known = known.ok_or(Reason::UnknownDevice)?;
        if known.device.revoked {
            return Err(Reason::Revoked);
        }
        let Peer::Udp(_) = from else {
            return Err(Reason::Unproven);
        };
        let address = from.pack();
        let secrets = self.cookie_secrets(now, out).ok_or(Reason::Unproven)?;
        let right = [&secrets.now, &secrets.before]
            .iter()
            .any(|secret| secret.verify(echo.device, &address, echo.cookie));
        if !right {
            return Err(Reason::Unproven);
        }
        self.counters.add(Count::Proven, 1);
        let place = (address, echo.device.0);
        self.admission.proofs.add(from.limit_key(), place, now);
        Ok(())
    }

    /// The current cookie secrets. Old ones are replaced first.
    fn cookie_secrets(&mut self, now: Now, out: &mut Output) -> Option<&Secrets> {
        let age = self
            .admission
            .secrets
            .as_ref()
            .map(|secrets| now.steady_ms.saturating_sub(secrets.since_ms));
        if age.is_none_or(|age| age >= SECRET_MS) {
            let fresh = CookieSecret::new(self.random::<32>(out)?);
            let recent = age.is_some_and(|age| age < 2 * SECRET_MS);
            let before = match self.admission.secrets.take() {
                Some(secrets) if recent => secrets.now,
                _ => fresh.clone(),
            };
            self.admission.secrets = Some(Secrets {
                now: fresh,
                before,
                since_ms: now.steady_ms,
            });
        }
        self.admission.secrets.as_ref()
    }

    /// True if the tag of a session packet may be checked.
    #[inline]
    pub(super) fn may_open(&self, now: Now, held: &Held, at_home: bool) -> bool {
        let checks = &self.settings.limits.checks;
        let tick = Tick::from_seconds(now.steady_ms);
        if at_home {
            return held.forgeries.at_home.has(checks.forged_at_home, 1, tick);
        }
        held.forgeries
            .elsewhere
            .has(checks.forged_elsewhere, 1, tick)
            && self
                .admission
                .elsewhere
                .has(checks.elsewhere, now.steady_ms)
    }

    /// Charges a check without result: a forgery, or a repetition.
    pub(super) fn charge_packet(&mut self, now: Now, slot: Slot, at_home: bool, forged: bool) {
        let checks = self.settings.limits.checks;
        if !at_home {
            self.admission
                .elsewhere
                .charge(checks.elsewhere, now.steady_ms);
        }
        let Some(held) = self.sessions.get_mut(slot).filter(|_| forged) else {
            return;
        };
        let tick = Tick::from_seconds(now.steady_ms);
        let forgeries = &mut held.forgeries;
        if at_home {
            forgeries.at_home.charge(checks.forged_at_home, 1, tick);
        } else {
            forgeries.elsewhere.charge(checks.forged_elsewhere, 1, tick);
        }
    }

    /// True if a hint may be sent. Counts suppressed hints.
    pub(super) fn may_hint(&mut self, now: Now, to: Peer, session: SessionId) -> bool {
        let allowed = self.admission.hints.take(now, to, session);
        if !allowed {
            self.counters.add(Count::HintsWithheld, 1);
        }
        allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn slow_machines_check_less_and_none_is_shut() {
        let of = |micros| {
            let cost = std::time::Duration::from_micros(micros);
            let checks = Checks::DEFAULT.for_costs(Costs {
                join: cost * 10,
                packet: cost,
            });
            (checks.strangers.per_second(), checks.elsewhere.per_second())
        };
        assert_eq!(of(0), (Some(1000), Some(200_000)));
        assert_eq!(of(1), (Some(1000), Some(200_000)));
        assert_eq!(of(4), (Some(250), Some(50_000)));
        assert_eq!(of(1_000_000), (Some(100), Some(20_000)));
        let none = Checks::UNLIMITED.for_costs(Costs::REFERENCE);
        assert_eq!(none.strangers.per_second(), None);
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
