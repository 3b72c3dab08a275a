//! Configuration of a connection to a NATS server, and the connection.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::Duration;

use async_nats::jetstream::{self, Context};
use async_nats::{Client, ConnectOptions, Event};
use selo_mqtt::client::{BrokerUrl, ClientConfig, Scheme, check_private};
use selo_mqtt::error::{Error, Result};
use tokio::sync::mpsc;
use zeroize::Zeroizing;

use crate::failure::{self, Failure};

/// Standard port of NATS, with and without TLS.
const PORT: u16 = 4222;

/// Addresses of NATS servers.
const NATS: Scheme = Scheme {
    tls: ("tls", PORT),
    plain: ("nats", PORT),
    form: "expected tls://USER@HOST:PORT, for example tls://gateway@nats.example:4222",
    password: "other users can read the command line; put the password into a file with mode \
        0600 and pass --stream-password-file FILE",
    clear: "use tls://; nats:// is allowed to localhost only",
};

/// Timeout of a connection, and of each request.
const ANSWER: Duration = Duration::from_secs(5);
/// Ping interval. A server that answers none of three pings counts as away.
const PING: Duration = Duration::from_secs(5);

/// Reads the address of a server.
pub fn parse_url(text: &str) -> Result<BrokerUrl> {
    BrokerUrl::read(text, &NATS)
}

/// Configuration of a connection to a NATS server.
#[derive(Debug, Clone)]
pub struct StreamConfig {
    /// The current server, user, password and TLS.
    pub client: ClientConfig,
    /// Other servers of the same stream, in the order in which they are tried.
    pub others: VecDeque<BrokerUrl>,
    /// File with a user's credentials, as `nsc` writes it.
    pub credentials: Option<PathBuf>,
    pub site: String,
}

/// A connection. It ends when it is dropped.
pub(crate) struct Connection {
    pub client: Client,
    pub context: Context,
    events: mpsc::UnboundedReceiver<Event>,
}

impl StreamConfig {
    /// The current server.
    pub fn server(&self) -> &BrokerUrl {
        &self.client.broker
    }

    /// Number of servers.
    pub fn servers(&self) -> usize {
        1 + self.others.len()
    }

    /// Makes the next server the current one.
    pub fn take_next(&mut self) {
        if let Some(next) = self.others.pop_front() {
            let last = std::mem::replace(&mut self.client.broker, next);
            self.others.push_back(last);
        }
    }

    /// Checks names and files.
    pub fn check(&self) -> Result<()> {
        selo_mqtt::topic::check_name(&self.site)?;
        self.options().map(drop)
    }

    fn options(&self) -> Result<ConnectOptions> {
        let (client, server) = (&self.client, self.server());
        let mut options = ConnectOptions::new()
            .name(&client.client_id)
            // Of its own, so that permissions can keep others from reading its answers.
            .custom_inbox_prefix(format!("_INBOX.{}", client.client_id))
            .connection_timeout(ANSWER)
            .request_timeout(Some(ANSWER))
            .ping_interval(PING)
            // A lost connection is made anew here, at the next server. The client would go on trying
            // after it is dropped, and at servers that this one names.
            .max_reconnects(1)
            .ignore_discovered_servers()
            .require_tls(server.tls);
        if server.tls {
            options = options.tls_client_config(client.tls()?);
        }
        if let Some(user) = &server.user {
            let password = client.password.as_ref().map_or("", |text| text.as_str());
            options = options.user_and_password(user.clone(), password.to_owned());
        }
        if let Some(path) = &self.credentials {
            let unusable = |why: String| Error::File {
                path: path.clone(),
                why,
                hint: "pass the file that `nsc generate creds` writes, of mode 0600".into(),
            };
            let read = std::fs::read_to_string(path);
            let text = Zeroizing::new(read.map_err(|error| unusable(error.to_string()))?);
            check_private(path)?;
            options = options.credentials(&text).map_err(|error| {
                unusable(format!("not the credentials of a NATS user: {error}"))
            })?;
        }
        Ok(options)
    }

    pub(crate) async fn connect(&self) -> Result<Connection, Failure> {
        let server = self.server();
        let options = self.options();
        let options = options.map_err(|error| Failure::configuration(&error))?;
        let (told, events) = mpsc::unbounded_channel();
        let options = options.event_callback(move |event| {
            // The receiver may be gone.
            _ = told.send(event);
            std::future::ready(())
        });
        let scheme = if server.tls { "tls" } else { "nats" };
        let connecting = options.connect(format!("{scheme}://{server}"));
        let client = match tokio::time::timeout(ANSWER * 2, connecting).await {
            Ok(Ok(client)) => client,
            Ok(Err(error)) => return Err(failure::connect(server, &error)),
            Err(_) => return Err(failure::away(server, "does not answer")),
        };
        let mut context = jetstream::new(client.clone());
        context.set_timeout(ANSWER);
        Ok(Connection {
            client,
            context,
            events,
        })
    }
}

impl Connection {
    /// What the server has refused so far, if anything. A request that it refuses has no answer.
    pub fn refusal(&mut self, server: &BrokerUrl) -> Option<Failure> {
        while let Ok(event) = self.events.try_recv() {
            if let Event::ServerError(error) = event {
                return Some(failure::refused(server, &error.to_string()));
            }
        }
        None
    }

    /// Waits until the connection is lost, or the server refuses a subject.
    pub async fn ended(&mut self, server: &BrokerUrl) -> Failure {
        while let Some(event) = self.events.recv().await {
            match event {
                Event::Disconnected | Event::Closed => break,
                Event::ServerError(error) => return failure::refused(server, &error.to_string()),
                _ => {}
            }
        }
        failure::away(server, "has ended the connection")
    }
}
