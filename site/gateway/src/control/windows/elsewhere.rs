//! Requests of the operator that reach the other gateways of a window too.

use std::sync::{Arc, PoisonError};

use super::Relay;
use crate::control::reply::Refusal;
use crate::control::services::Services;
use crate::engine::{Event, Window, WindowState};

impl Services {
    /// Opens a window at all other gateways that share the registry, until the relay is closed.
    pub(in crate::control) fn open_elsewhere(&self, window: Window, seconds: u64) -> Arc<Relay> {
        let relay = Arc::new(Relay::default());
        let (place, remote) = (self.registry.clone(), self.remote.clone());
        let thread = relay.clone();
        let run = move || {
            let show = |state: WindowState| {
                let paired = matches!(state, WindowState::Paired { .. });
                remote.run(move |engine, now, out| {
                    if engine.pairing_window() == window {
                        out.events.push(Event::Pairing(window, state));
                    }
                    if paired {
                        engine.pairing_leave(now, window, "a device was paired", out);
                    }
                });
            };
            thread.run(place.as_ref(), seconds, show);
        };
        if std::thread::Builder::new().spawn(run).is_ok() {
            let mut current = self.relay.lock().unwrap_or_else(PoisonError::into_inner);
            *current = Some(relay.clone());
        }
        relay
    }

    pub(in crate::control) fn close_elsewhere(&self, relay: &Arc<Relay>) {
        relay.close();
        let mut current = self.relay.lock().unwrap_or_else(PoisonError::into_inner);
        current.take_if(|it| Arc::ptr_eq(it, relay));
    }

    /// Looks for the attempt with these digits at this gateway, then at the others.
    pub(in crate::control) fn confirm_anywhere(
        &self,
        digits: &str,
        name: Option<String>,
    ) -> Result<(), Refusal> {
        let Some(relay) = self.comparing_elsewhere() else {
            return self.confirm(digits, name);
        };
        if self.compares_here() && self.confirm(digits, name.clone()).is_ok() {
            return Ok(());
        }
        let name = name.or_else(|| self.window_name());
        relay.enter(digits, name)
    }

    /// Rejects the attempts whose digits are shown, at this gateway and at the others.
    pub(in crate::control) fn reject_anywhere(&self) -> Result<(), Refusal> {
        let Some(relay) = self.comparing_elsewhere() else {
            return self.reject();
        };
        let here = self.reject();
        relay.reject().or(here)
    }

    /// The relay of the open window, if another gateway shows digits.
    fn comparing_elsewhere(&self) -> Option<Arc<Relay>> {
        let current = self.relay.lock().unwrap_or_else(PoisonError::into_inner);
        current.clone().filter(|relay| relay.compares())
    }

    fn compares_here(&self) -> bool {
        let here = self.remote.call(|engine, _, _| {
            let mut states = engine.pairing_states().into_iter();
            states.any(|state| matches!(state, WindowState::Comparing { .. }))
        });
        here == Some(true)
    }

    /// The name that the device of the open window gets.
    fn window_name(&self) -> Option<String> {
        let name = self.pairing_name.lock();
        name.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A window of an operator elsewhere has no name of its own: the digits come with one.
    pub(in crate::control) fn forget_window_name(&self) {
        let mut name = self
            .pairing_name
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *name = None;
    }
}
