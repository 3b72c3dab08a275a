//! The options by which commands reach an MQTT broker.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use selo_gateway::state::StateDir;
use selo_mqtt::client::{BrokerUrl, ClientConfig, read_password};
use selo_mqtt::publisher::RegistryCodecs;
use selo_mqtt::{Publisher, PublisherConfig, Until, topic};

use crate::codec::Codecs;

/// Options of a gateway that publishes.
#[derive(Debug, Clone, clap::Args)]
pub struct Mqtt {
    /// Publish readings to this MQTT 5 broker, over TLS: mqtts://USER@HOST[:8883]. Nothing is
    /// printed then
    #[arg(long, value_name = "URL", value_parser = parse_url)]
    pub mqtt: Option<BrokerUrl>,
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
    /// Names this place in topics
    #[arg(long, value_name = "NAME", default_value = topic::DEFAULT_SITE)]
    site: String,
    /// Names this gateway in topics; every gateway of a site has its own
    #[arg(long, value_name = "NAME", default_value = topic::DEFAULT_GATEWAY)]
    gateway_name: String,
    /// When a reading counts as delivered: `broker` has taken it, or a collector has `stored`
    /// it. Until then it stays in the journal
    #[arg(long, value_name = "WHO", default_value = "broker", requires = "mqtt")]
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
    /// The publisher, if the options want one. It knows devices by the registry in `state`.
    pub fn publisher(&self, state: &Path) -> anyhow::Result<Option<Publisher>> {
        let Some(broker) = &self.mqtt else {
            return Ok(None);
        };
        let id = format!("selo-{}-{}", self.site, self.gateway_name);
        let mut client = ClientConfig::new(broker.clone(), id);
        if let Some(path) = &self.mqtt_password_file {
            client.password = Some(read_password(path)?);
        }
        client.ca.clone_from(&self.mqtt_ca);
        client.certificate = self.mqtt_certificate.clone().zip(self.mqtt_key.clone());
        let state = StateDir::open(state)?;
        let codecs = RegistryCodecs::open(&state.registry(), self.codecs.load()?)?;
        let mut config = PublisherConfig::new(client, codecs);
        config.site.clone_from(&self.site);
        config.gateway.clone_from(&self.gateway_name);
        config.until = match self.until {
            UntilName::Broker => Until::Broker,
            UntilName::Stored => Until::Stored,
        };
        config.home_assistant = !self.no_home_assistant;
        Ok(Some(Publisher::new(config)?))
    }
}
