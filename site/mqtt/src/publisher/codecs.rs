//! The codec of each reading's payload.

use std::sync::Arc;

use selo_codec::{Catalogue, Codec};
use selo_gateway::reading::Reading;
use selo_gateway::registry::DEFAULT_CODEC;

use crate::error::Result;

/// Looks up the codec of a reading's payload. It must not wait: it runs among the tasks of the
/// connection.
pub trait Codecs: Send {
    /// The codec, or the name of one that is not known here.
    fn codec_of(&mut self, reading: &Reading) -> Result<Arc<Codec>, Arc<str>>;
}

/// The same codec for all readings.
impl Codecs for Arc<Codec> {
    fn codec_of(&mut self, _reading: &Reading) -> Result<Arc<Codec>, Arc<str>> {
        Ok(self.clone())
    }
}

/// The codec that the reading names.
impl Codecs for Catalogue {
    fn codec_of(&mut self, reading: &Reading) -> Result<Arc<Codec>, Arc<str>> {
        let name = reading.codec.as_deref().unwrap_or(DEFAULT_CODEC);
        self.get(name).cloned().map_err(|_| name.into())
    }
}
