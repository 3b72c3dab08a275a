//! What a node does between its packets, with its own random numbers.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use selo_sys::node::{Event, Node};

use super::plan::Plan;
use super::tally::{Shared, count};
use crate::error::Result;
use crate::impairment::Path;
use crate::latency::Latency;
use crate::reading::{RainGauge, wall_clock};

/// State kept for a node in addition to the node itself.
pub(super) struct State {
    gauge: RainGauge,
    pub(super) up: Path,
    pub(super) down: Path,
    pub(super) sent: u64,
    /// Time at which the next reading is due.
    pub(super) next_reading: Duration,
    /// A reading is due, but waits for a session or for the previous acknowledgement.
    pub(super) reading_due: bool,
    /// Time at which the outstanding confirmed reading was sent.
    unconfirmed: Option<Duration>,
    pub(super) has_joined: bool,
    joined_now: bool,
    pub(super) finished: bool,
}

impl State {
    /// A node that has not started. `stream` is the first of its streams of random numbers.
    pub(super) fn new(plan: &Plan, stream: u64) -> State {
        let path = |stream| Path::new(plan.impairment.clone(), plan.seed, stream);
        State {
            gauge: RainGauge::new(plan.seed, stream + 1),
            up: path(stream + 2),
            down: path(stream + 3),
            sent: 0,
            next_reading: Duration::ZERO,
            reading_due: false,
            unconfirmed: None,
            has_joined: false,
            joined_now: false,
            finished: false,
        }
    }
}

impl State {
    pub(super) fn take(
        &mut self,
        event: Event,
        now: Duration,
        shared: &Shared,
        latency: &mut Latency,
    ) {
        match event {
            Event::Joined if self.has_joined => count(&shared.rejoins),
            Event::Joined => {
                self.has_joined = true;
                count(&shared.joined);
            }
            Event::Lost => count(&shared.sessions_lost),
            Event::Received(_) => count(&shared.received),
            Event::Delivered => {
                if let Some(sent) = self.unconfirmed.take() {
                    latency.record(now.saturating_sub(sent));
                }
                count(&shared.acknowledged);
            }
            Event::Undelivered => {
                self.unconfirmed = None;
                count(&shared.lost);
            }
            Event::Digits(_) | Event::Paired | Event::PairFailed => {}
        }
    }

    /// Sends the due reading if possible.
    pub(super) fn read(
        &mut self,
        node: &mut Node,
        now: Duration,
        plan: &Plan,
        shared: &Shared,
    ) -> Result<(), selo_sys::Error> {
        if !self.reading_due || self.unconfirmed.is_some() || !node.is_joined() {
            return Ok(());
        }
        match node.send(&self.gauge.read(wall_clock()), plan.confirmed) {
            Ok(()) => {
                self.reading_due = false;
                self.unconfirmed = plan.confirmed.then_some(now);
                self.sent += 1;
                count(&shared.sent);
                Ok(())
            }
            // The session has just ended. The reading waits for the next one.
            Err(selo_sys::Error::State) => Ok(()),
            Err(error) => Err(error),
        }
    }

    pub(super) fn follow(&mut self, joined: bool, shared: &Shared) {
        match (self.joined_now, joined) {
            (false, true) => count(&shared.joined_now),
            (true, false) => {
                shared.joined_now.fetch_sub(1, Relaxed);
            }
            _ => {}
        }
        self.joined_now = joined;
    }

    pub(super) fn is_finished(&self, plan: &Plan) -> bool {
        plan.readings.is_some_and(|readings| self.sent >= readings) && self.unconfirmed.is_none()
    }
}
