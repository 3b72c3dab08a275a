//! The thread that maintains the connection: it connects, serves, and connects again.

use std::time::Duration;

use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::LastWill;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tracing::{info, warn};

use super::outbox::Outbox;
use super::session;
use super::shared::Command;
use crate::connection::Connection;
use crate::failure::Failure;

/// First and longest pause before reconnecting.
const BACK_OFF: (Duration, Duration) = (Duration::from_millis(250), Duration::from_secs(30));
/// Maximum events that wait for their handler.
const EVENTS: usize = 1024;

pub struct Worker {
    pub outbox: Outbox,
    pub commands: mpsc::UnboundedReceiver<Command>,
}

impl Worker {
    pub async fn run(mut self) {
        let mut said: Option<Failure> = None;
        let mut wait = BACK_OFF.0;
        loop {
            let failure = match self.open().await {
                Ok(connection) => {
                    info!(broker = %self.outbox.config.client.broker, "connected to the broker");
                    said = None;
                    wait = BACK_OFF.0;
                    self.outbox.shared.change(|progress| {
                        progress.away = None;
                        progress.connected = true;
                    });
                    match session::serve(&mut self.outbox, &mut self.commands, connection).await {
                        Ok(()) => return,
                        Err(failure) => failure,
                    }
                }
                Err(failure) => failure,
            };
            self.outbox.shared.change(|progress| {
                progress.away = Some(failure.to_string());
                progress.connected = false;
            });
            if said.as_ref() != Some(&failure) {
                warn!(reason = %failure.what, hint = %failure.hint, "the broker is unreachable; readings wait in the journal");
                said = Some(failure);
            }
            let again = Instant::now() + wait;
            wait = (wait * 2).min(BACK_OFF.1);
            loop {
                tokio::select! {
                    () = tokio::time::sleep_until(again) => break,
                    command = self.commands.recv() => match command {
                        Some(Command::Batch(id, readings)) => self.outbox.begin(id, readings),
                        Some(Command::Stop) | None => return,
                    },
                }
            }
        }
    }

    async fn open(&self) -> Result<Connection, Failure> {
        let client = &self.outbox.config.client;
        let mut options = client
            .options()
            .map_err(|error| Failure::configuration(&error))?;
        options.set_clean_start(true);
        let will = self.outbox.status(false);
        options.set_last_will(LastWill::new(
            self.outbox.topics.status(),
            will,
            QoS::AtLeastOnce,
            true,
            None,
        ));
        Connection::open(&client.broker, options, EVENTS).await
    }
}
