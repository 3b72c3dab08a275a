//! Options for the connection to an MQTT broker.

use std::path::PathBuf;

use clap::ValueEnum;
use selo_codec::{Catalogue, Language};
use selo_mqtt::client::{BrokerUrl, ClientConfig, read_password};
use selo_mqtt::{Publisher, PublisherConfig, Until, topic};

use crate::address::Address;
use crate::codec::Codecs;

/// The broker, and the credentials for it.
#[derive(Debug, Clone, clap::Args)]
pub struct Connection {
    /// MQTT 5 broker over TLS: mqtts://USER@HOST[:8883]. A gateway publishes its readings there
    /// instead of printing them; a collector receives readings from it
    #[arg(long, value_name = "URL", conflicts_with = "stream", value_parser = Address(str::parse))]
    mqtt: Option<BrokerUrl>,
    /// File with the password, of mode 0600
    #[arg(long, value_name = "FILE", requires = "mqtt")]
    mqtt_password_file: Option<PathBuf>,
    /// Authority that signed the broker's certificate (default: the authorities of the system)
    #[arg(long, value_name = "FILE", requires = "mqtt")]
    mqtt_ca: Option<PathBuf>,
    /// Certificate to present to the broker
    #[arg(long, value_name = "FILE", requires_all = ["mqtt", "mqtt_key"])]
    mqtt_certificate: Option<PathBuf>,
    /// Private key of the certificate, in a file of mode 0600
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

/// The names at the start of topics.
#[derive(Debug, Clone, clap::Args)]
pub struct Names {
    /// Name of this site in topics
    #[arg(long, value_name = "NAME", default_value = topic::DEFAULT_SITE)]
    pub site: String,
    /// Name of this gateway in topics, different for every gateway of a site
    #[arg(long, value_name = "NAME", default_value = topic::DEFAULT_GATEWAY)]
    pub gateway_name: String,
}

/// Options of what Home Assistant is told.
#[derive(Debug, Clone, clap::Args)]
pub struct HomeAssistant {
    /// Do not announce devices and alarms to Home Assistant
    #[arg(long)]
    no_home_assistant: bool,
    /// Language of the names that Home Assistant shows: en or pt-BR
    #[arg(long, value_name = "LANGUAGE", default_value = "en", value_parser = parse_language)]
    language: Language,
}

impl HomeAssistant {
    /// Sets the options of a gateway.
    pub fn set(&self, config: &mut PublisherConfig) {
        config.home_assistant = !self.no_home_assistant;
        config.language = self.language;
    }

    /// Sets the options of a collector.
    pub fn set_collector(&self, config: &mut selo_collector::Config) {
        config.home_assistant = !self.no_home_assistant;
        config.language = self.language;
    }
}

fn parse_language(text: &str) -> Result<Language, String> {
    text.parse()
        .map_err(|error: selo_codec::Error| match error.hint() {
            Some(hint) => format!("{error}; {hint}"),
            None => error.to_string(),
        })
}

/// Options of a gateway that publishes.
#[derive(Debug, Clone, clap::Args)]
pub struct Mqtt {
    #[command(flatten)]
    connection: Connection,
    #[command(flatten)]
    names: Names,
    /// When a reading counts as delivered and leaves the journal: when a collector has `stored`
    /// it, or when the `broker` has accepted it. A broker may still lose it
    #[arg(long, value_name = "WHO", default_value = "stored", requires = "mqtt")]
    until: UntilName,
    #[command(flatten)]
    home_assistant: HomeAssistant,
    /// With --mqtt or --stream: also print readings, after they have been delivered
    #[arg(long)]
    pub print: bool,
    #[command(flatten)]
    codecs: Codecs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum UntilName {
    Broker,
    Stored,
}

impl Mqtt {
    pub fn gateway_name(&self) -> &str {
        &self.names.gateway_name
    }

    pub fn names(&self) -> &Names {
        &self.names
    }

    /// The codecs of the payloads.
    pub fn codecs(&self) -> selo_base::report::Result<Catalogue> {
        Ok(self.codecs.load()?)
    }

    /// The publisher, if the options name a broker.
    pub fn publisher(&self) -> selo_base::report::Result<Option<Publisher>> {
        let Names { site, gateway_name } = &self.names;
        let id = format!("selo-{site}-{gateway_name}");
        let Some(client) = self.connection.client(&id)? else {
            return Ok(None);
        };
        let mut config = PublisherConfig::new(client, self.codecs.load()?);
        config.site.clone_from(site);
        config.gateway.clone_from(gateway_name);
        config.until = match self.until {
            UntilName::Broker => Until::Broker,
            UntilName::Stored => Until::Stored,
        };
        self.home_assistant.set(&mut config);
        Ok(Some(Publisher::new(config)?))
    }
}
