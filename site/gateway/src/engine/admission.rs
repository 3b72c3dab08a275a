//! Limits on tag checks [docs/protocol.md, Under load, Forgeries].
//!
//! Source addresses can be forged, so no packet is dropped for earlier packets from its
//! address. A valid tag costs no allowance. Checks of invalid tags from unknown senders share
//! budgets. If a join finds its budget spent, the gateway asks the sender with a cookie to
//! prove that it receives packets at its address; a proven address has a budget of its own.
//! Packets from the last known address of a session depend only on that session's allowance.

use selo_link::Reason;
use selo_link::cookie::CookieSecret;
use selo_link::frame::{Cookie, CookieEcho, JoinRequest};
use selo_link::session::SessionId;

use super::budgets::{Admitted, SECRET_MS, Secrets};
use super::core::Engine;
use super::device::Held;
use super::output::{Handled, Output};
use super::table::Slot;
use crate::clock::Now;
use crate::counters::{Count, Kind};
use crate::limit::Tick;
use crate::peer::Peer;

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
        // A head's frames are few (`heads/listener.rs`).
        if let Peer::Radio(_) | Peer::Head(_) = from {
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
