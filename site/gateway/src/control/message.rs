//! Messages to nodes over the control socket: queued, and followed to their final state.

use std::io;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use selo_link::DeviceId;

use super::reply::{Refusal, STOPPING, hung_up, write};
use super::services::Services;
use super::{Event, Reply};
use crate::engine::{self, Downlink, Ticket};
use crate::error::Result;
use crate::reading::Payload;

impl Services {
    pub(super) fn downlink(
        &self,
        device: &str,
        payload: &str,
        timed: bool,
        confirmed: bool,
        after_uplink: bool,
        seconds: u64,
    ) -> Result<(Ticket, Receiver<engine::Event>), Refusal> {
        let device: DeviceId = device
            .parse()
            .map_err(|_| format!("'{device}' is not a valid device id"))?;
        let bytes = hex::decode(payload).map_err(|error| format!("invalid payload: {error}"))?;
        let payload = Payload::new(&bytes)
            .ok_or_else(|| format!("{} bytes exceed the maximum size of a message", bytes.len()))?;
        let events = self.remote.listen();
        let queued = self.remote.call(move |engine, now, out| {
            let downlink = Downlink {
                device,
                payload,
                timed,
                confirmed,
                after_uplink,
                until_ms: now.steady_ms.saturating_add(seconds.saturating_mul(1000)),
            };
            engine.send(now, downlink, out)
        });
        let ticket = queued.ok_or(STOPPING)?.map_err(|error| error.to_string())?;
        Ok((ticket, events))
    }

    /// Sends events of a message to the client, until its final state or until the client
    /// disconnects.
    pub(super) fn follow_message(
        &self,
        stream: &UnixStream,
        ticket: Ticket,
        confirmed: bool,
        events: &Receiver<engine::Event>,
    ) -> io::Result<()> {
        let followed = write(stream, &Reply::Done).and_then(|()| {
            loop {
                match events.recv_timeout(Duration::from_millis(500)) {
                    Ok(engine::Event::Downlink {
                        ticket: of,
                        outcome,
                    }) if of == ticket => {
                        let event = Event::from(outcome);
                        let last = !confirmed || !matches!(event, Event::Sent { .. });
                        write(stream, &Reply::Event(event))?;
                        if last {
                            return Ok(());
                        }
                    }
                    // On a busy gateway, events of others prevent a time-out; check the
                    // connection on every event.
                    Ok(_) | Err(RecvTimeoutError::Timeout) if hung_up(stream) => return Ok(()),
                    Ok(_) | Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => {
                        return write(stream, &Reply::Error(STOPPING.into()));
                    }
                }
            }
        });
        self.remote
            .call(move |engine, now, out| engine.cancel(now, ticket, out));
        followed
    }
}
