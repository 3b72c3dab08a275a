//! Options for the connection to a NATS server with JetStream.

use std::collections::VecDeque;
use std::path::PathBuf;

use selo_mqtt::client::{BrokerUrl, ClientConfig, read_password};
use selo_stream::StreamConfig;
use selo_stream::client::parse_url;

use crate::address::Address;

/// The NATS server, and the credentials for it.
#[derive(Debug, Clone, clap::Args)]
pub struct Stream {
    /// NATS server with JetStream, over TLS: tls://USER@HOST[:4222]. Several gateways publish their
    /// readings into the stream of the site, and several collectors share them. Other servers of
    /// the same stream follow after commas: the next one is taken when one fails
    #[arg(
        long,
        value_name = "URL[,URL]...",
        value_delimiter = ',',
        value_parser = Address(parse_url)
    )]
    stream: Vec<BrokerUrl>,
    /// File with the password of the user, of mode 0600
    #[arg(long, value_name = "FILE", requires = "stream")]
    stream_password_file: Option<PathBuf>,
    /// File with the credentials of a user (JWT and seed, as `nsc` writes it), of mode 0600
    #[arg(long, value_name = "FILE", requires = "stream")]
    stream_credentials: Option<PathBuf>,
    /// Authority that signed the server's certificate (default: the authorities of the system)
    #[arg(long, value_name = "FILE", requires = "stream")]
    stream_ca: Option<PathBuf>,
    /// Certificate to present to the server
    #[arg(long, value_name = "FILE", requires_all = ["stream", "stream_key"])]
    stream_certificate: Option<PathBuf>,
    /// Private key of the certificate, in a file of mode 0600
    #[arg(long, value_name = "FILE", requires = "stream_certificate")]
    stream_key: Option<PathBuf>,
}

/// The other servers. There is one password, so one without a user has that of the first.
pub fn with_user(others: &[BrokerUrl], first: &BrokerUrl) -> VecDeque<BrokerUrl> {
    let mut others: VecDeque<BrokerUrl> = others.iter().cloned().collect();
    for server in &mut others {
        server.user = server.user.take().or_else(|| first.user.clone());
    }
    others
}

impl Stream {
    /// Returns true if the options name a server.
    pub fn is_given(&self) -> bool {
        !self.stream.is_empty()
    }

    /// The stream of a site, if the options name a server. `id` names this client there.
    pub fn config(
        &self,
        site: &str,
        id: String,
    ) -> selo_base::report::Result<Option<StreamConfig>> {
        let Some((first, others)) = self.stream.split_first() else {
            return Ok(None);
        };
        let mut client = ClientConfig::new(first.clone(), id);
        if let Some(path) = &self.stream_password_file {
            client.password = Some(read_password(path)?);
        }
        client.ca.clone_from(&self.stream_ca);
        let certificate = self.stream_certificate.clone();
        client.certificate = certificate.zip(self.stream_key.clone());
        Ok(Some(StreamConfig {
            client,
            others: with_user(others, first),
            credentials: self.stream_credentials.clone(),
            site: site.into(),
        }))
    }
}
