//! Configuration of a publisher.

use selo_codec::Language;

use super::codecs::Codecs;
use crate::client::ClientConfig;
use crate::topic;

/// Condition under which a reading counts as delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// The broker has acknowledged it. A reading that the broker then loses is lost.
    Broker,
    /// The collector has committed it.
    Stored,
}

/// Configuration of a publisher.
pub struct PublisherConfig {
    pub client: ClientConfig,
    pub site: String,
    pub gateway: String,
    pub until: Until,
    pub codecs: Box<dyn Codecs>,
    /// Publish Home Assistant discovery for every device.
    pub home_assistant: bool,
    /// Language of the names in discovery.
    pub language: Language,
    /// Program version, for status and discovery.
    pub version: String,
}

impl PublisherConfig {
    /// A configuration with the default names that waits for the broker only.
    pub fn new(client: ClientConfig, codecs: impl Codecs + 'static) -> PublisherConfig {
        PublisherConfig {
            client,
            site: topic::DEFAULT_SITE.into(),
            gateway: topic::DEFAULT_GATEWAY.into(),
            until: Until::Broker,
            codecs: Box::new(codecs),
            home_assistant: true,
            language: Language::default(),
            version: env!("CARGO_PKG_VERSION").into(),
        }
    }
}

impl std::fmt::Debug for PublisherConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PublisherConfig")
            .field("client", &self.client)
            .field("site", &self.site)
            .field("gateway", &self.gateway)
            .finish_non_exhaustive()
    }
}
