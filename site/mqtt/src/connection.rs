//! A connection to the broker. A separate task polls it, so that pings are sent even while the
//! handler of its events is busy.

use rumqttc::v5::mqttbytes::v5::Packet;
use rumqttc::v5::{AsyncClient, Event, EventLoop, MqttOptions};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

use crate::client::BrokerUrl;
use crate::failure::{Failure, Kind};

/// Maximum requests that wait for the network.
const REQUESTS: usize = 1024;

/// An established connection. Dropping it closes it without DISCONNECT.
pub(crate) struct Connection {
    pub client: AsyncClient,
    events: mpsc::Receiver<Result<Event, Failure>>,
    task: AbortHandle,
}

impl Connection {
    /// Connects. `room` is the number of events that may wait for their handler.
    pub async fn open(
        broker: &BrokerUrl,
        options: MqttOptions,
        room: usize,
    ) -> Result<Connection, Failure> {
        let (client, mut network) = AsyncClient::new(options, REQUESTS);
        accepted(&mut network, broker).await?;
        let (send, events) = mpsc::channel(room);
        let broker = broker.clone();
        let task = tokio::spawn(async move {
            loop {
                let polled = network.poll().await;
                let event = polled.map_err(|error| Failure::of(&broker, &error));
                let over = event.is_err();
                if send.send(event).await.is_err() || over {
                    return;
                }
            }
        });
        Ok(Connection {
            client,
            events,
            task: task.abort_handle(),
        })
    }

    /// The next event. An error ends the connection.
    pub async fn next(&mut self) -> Result<Event, Failure> {
        let ended = || Failure::new(Kind::Away, "the connection ended", "check the broker's log");
        self.events.recv().await.unwrap_or_else(|| Err(ended()))
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Polls until the broker has accepted the connection.
async fn accepted(network: &mut EventLoop, broker: &BrokerUrl) -> Result<(), Failure> {
    loop {
        match network.poll().await {
            Ok(Event::Incoming(Packet::ConnAck(_))) => return Ok(()),
            Ok(_) => {}
            Err(error) => return Err(Failure::of(broker, &error)),
        }
    }
}
