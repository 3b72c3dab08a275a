//! Changes of a device of the gateway on this machine: its name, its codec, its end.

use axum::http::StatusCode;
use selo_gateway::control::{Client, Request as Ask};
use selo_gateway::state::StateDir;
use serde::Deserialize;

use super::{Answer, Beside, bad, refused};
use crate::http::ApiError;

/// A change of a device. Absent members stay unchanged.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Change {
    /// Empty: no name.
    name: Option<String>,
    codec: Option<String>,
    /// True revokes it for ever.
    #[serde(default)]
    revoked: bool,
}

impl Beside {
    /// Changes a device in the registry, and tells the gateway.
    pub(super) fn change(&self, id: &str, change: Change) -> Answer {
        let unknown = |error: selo_gateway::Error| {
            ApiError::new(StatusCode::NOT_FOUND, "not-found", error.to_string(), None)
        };
        let mut registry = self.registry()?;
        let id = registry.find(id).map_err(unknown)?.id;
        if let Some(codec) = &change.codec {
            if !self.codecs.contains(codec) {
                return Err(bad("there is no such codec"));
            }
            registry.set_codec(id, codec).map_err(refused)?;
        }
        if let Some(name) = &change.name {
            let name = Some(name.trim()).filter(|name| !name.is_empty());
            registry.rename(id, name).map_err(refused)?;
        }
        if change.revoked {
            registry.revoke(id).map_err(refused)?;
        }
        drop(registry);
        let state = StateDir::open(&self.state).map_err(refused)?;
        let devices = vec![id.to_string()];
        let told = Client::connect(&state)
            .and_then(|mut gateway| gateway.ask(&Ask::Reload { devices }).map(|_| ()));
        match told {
            // A gateway that is not running reads the registry when it starts.
            Ok(()) | Err(selo_gateway::Error::NotRunning { .. }) => self.devices(),
            Err(error) => Err(refused(error)),
        }
    }
}
