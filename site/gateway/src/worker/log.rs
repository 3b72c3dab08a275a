//! The log lines of events.

use tracing::{debug, error, info, warn};

use crate::engine::{Event, WindowState};

/// Logs an event: ids and numbers, never keys or payloads.
pub(super) fn log(event: &Event) {
    match event {
        Event::Joined {
            device,
            counter,
            session,
            from,
            ..
        } => debug!(%device, join = counter, %session, %from, "a node joined"),
        Event::Live { device, session } => debug!(%device, %session, "a session is live"),
        Event::Ended {
            device,
            session,
            why,
        } => warn!(%device, %session, why, "a session has ended"),
        Event::NoRandom(problem) => {
            error!(%problem, "no random numbers available; dropped a packet")
        }
        Event::Downlink { ticket, outcome } => debug!(ticket, ?outcome, "a message to a node"),
        Event::Pairing(_, state) => match state {
            WindowState::Closed { why } => info!(why, "pairing window closed"),
            WindowState::Open { entries_left } => info!(entries_left, "pairing window open"),
            WindowState::Opened {
                device, suite, kem, ..
            } => info!(%device, %suite, %kem, "a node requests hybrid pairing"),
            WindowState::Keyed { device, suite, .. } => {
                info!(%device, %suite, "a node requests pairing");
            }
            WindowState::Comparing { device, .. } => {
                info!(%device, "a node shows its digits; enter them with `selo device pair`");
            }
            WindowState::Failed { device, why, .. } => {
                warn!(%device, why, "a pairing failed");
            }
            WindowState::Paired { device, kem, .. } => {
                let kem = kem.map_or("none", |kem| kem.name());
                info!(%device, kem, "a device was paired");
            }
        },
    }
}
