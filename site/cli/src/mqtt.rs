//! The options by which commands reach an MQTT broker.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use selo_gateway::state::StateDir;
use selo_mqtt::client::{BrokerUrl, ClientConfig, read_password};
use selo_mqtt::publisher::RegistryCodecs;
use selo_mqtt::{Publisher, PublisherConfig, Until, topic};

use crate::codec::Codecs;

/// Which broker, and how to show it who we are.
#[derive(Debug, Clone, clap::Args)]
pub struct Connection {
    /// The MQTT 5 broker to which a gateway publishes readings (nothing is printed then), and
    /// from which a collector takes them, over TLS: mqtts://USER@HOST[:8883]
    #[arg(long, value_name = "URL", value_parser = parse_url)]
    mqtt: Option<BrokerUrl>,
    /// File of mode 0600 with the password
    #[arg(long, value_name = "FILE", requires = "mqtt")]
    mqtt_password_file: Option<PathBuf>,
    /// The authority that signed the broker's certificate (default: those of the system)
    #[arg(long, value_name = "FILE", requires = "mqtt")]
    mqtt_ca: Option<PathBuf>,
    /// Show this certificate to the broker
    #[arg(long, value_name = "FILE", requires_all = ["mqtt", "mqtt_key"])]
    mqtt_certificate: Option<PathBuf>,
    /// Its private key, of mode 0600
    #[arg(long, value_name = "FILE", requires = "mqtt_certificate")]
    mqtt_key: Option<PathBuf>,
}

impl Connection {
    pub fn client(&self, id: &str) -> selo_base::report::Result<Option<ClientConfig>> {
        let Some(broker) = &self.mqtt else {
            return Ok(None);
        };
        let mut client = ClientConfig::new(broker.clone(), id);
        if let Some(path) = &self.mqtt_password_file {
            client.password = Some(read_password(path)?);
        }
        client.ca.clone_from(&self.mqtt_ca);
        client.certificate = self.mqtt_certificate.clone().zip(self.mqtt_key.clone());
        Ok(Some(client))
    }
}

/// What topics begin with.
#[derive(Debug, Clone, clap::Args)]
pub struct Names {
    /// Names this place in topics
    #[arg(long, value_name = "NAME", default_value = topic::DEFAULT_SITE)]
    pub site: String,
    /// Names this gateway in topics; every gateway of a site has its own
    #[arg(long, value_name = "NAME", default_value = topic::DEFAULT_GATEWAY)]
    pub gateway_name: String,
}

/// Options of a gateway that publishes.
#[derive(Debug, Clone, clap::Args)]
pub struct Mqtt {
    #[command(flatten)]
    connection: Connection,
    #[command(flatten)]
    names: Names,
    /// When a reading counts as delivered: a collector has `stored` it, or the `broker` has
    /// taken it, which may lose it. Until then it stays in the journal
    #[arg(long, value_name = "WHO", default_value = "stored", requires = "mqtt")]
    until: UntilName,
    /// Do not tell Home Assistant about devices
    #[arg(long, requires = "mqtt")]
    no_home_assistant: bool,
    /// Print readings, too, when they have been delivered
    #[arg(long, requires = "mqtt")]
    pub print: bool,
    #[command(flatten)]
    codecs: Codecs,
}

fn parse_url(text: &str) -> Result<BrokerUrl, String> {
    text.parse()
        .map_err(|error: selo_mqtt::Error| match error.hint() {
            Some(hint) => format!("{error}; {hint}"),
            None => error.to_string(),
        })
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum UntilName {
    Broker,
    Stored,
}

impl Mqtt {
    pub fn publishes(&self) -> bool {
        self.connection.mqtt.is_some()
    }

    /// The publisher, if the options want one. It knows devices by the registry in `state`.
    pub fn publisher(&self, state: &Path) -> selo_base::report::Result<Option<Publisher>> {
        let Names { site, gateway_name } = &self.names;
        let id = format!("selo-{site}-{gateway_name}");
        let Some(client) = self.connection.client(&id)? else {
            return Ok(None);
        };
        let state = StateDir::open(state)?;
        let codecs = RegistryCodecs::open(&state.registry(), self.codecs.load()?)?;
        let mut config = PublisherConfig::new(client, codecs);
        config.site.clone_from(site);
        config.gateway.clone_from(gateway_name);
        config.until = match self.until {
            UntilName::Broker => Until::Broker,
            UntilName::Stored => Until::Stored,
        };
        config.home_assistant = !self.no_home_assistant;
        Ok(Some(Publisher::new(config)?))
    }
}
