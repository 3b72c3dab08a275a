//! Changes of a device of the gateway on this machine: its name, its codec, its end.

use axum::http::StatusCode;
use selo_gateway::control::{Client, Request as Ask};
use selo_gateway::registry::{Record, Registry};
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
        if let Some(codec) = &change.codec
            && !self.codecs.contains(codec)
        {
            return Err(bad("there is no such codec"));
        }
        let mut registry = self.registry()?;
        let record = registry.find(id).map_err(unknown)?;
        let done = apply(&mut registry, &record, &change);
        drop(registry);
        // Also after a failure: a change before it may have been made.
        let state = StateDir::open(&self.state).map_err(refused)?;
        let devices = vec![record.id.to_string()];
        let told = Client::connect(&state)
            .and_then(|mut gateway| gateway.ask(&Ask::Reload { devices }).map(|_| ()));
        done.map_err(refused)?;
        match told {
            // A gateway that is not running reads the registry when it starts.
            Ok(()) | Err(selo_gateway::Error::NotRunning { .. }) => self.devices(),
            Err(error) => Err(refused(error)),
        }
    }
}

/// Makes the changes in turn, until one fails. The end of a device comes first: nothing may keep
/// it from being made.
fn apply(registry: &mut Registry, record: &Record, change: &Change) -> selo_gateway::Result<()> {
    let id = record.id;
    if change.revoked {
        registry.revoke(id)?;
    }
    if let Some(codec) = &change.codec {
        registry.set_codec(id, codec)?;
    }
    if let Some(name) = &change.name {
        let name = Some(name.trim()).filter(|name| !name.is_empty());
        registry.rename(id, name)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use selo_gateway::registry::Existing;
    use selo_link::{DeviceId, DeviceKey, Suite};

    use super::*;

    #[test]
    fn a_name_that_is_refused_keeps_no_device_from_being_revoked() {
        let folder = tempfile::tempdir().expect("a folder");
        let state = StateDir::open(&folder.path().join("state")).expect("opens");
        let mut registry = Registry::open(&state.registry()).expect("opens");
        for (id, name) in [(1, "garden"), (2, "river")] {
            let mut record = Record::new(DeviceId(id), Suite::ALL[0], DeviceKey::new([7; 32]));
            record.name = Some(name.into());
            registry.add(&record, Existing::Refuse).expect("added");
        }
        drop(registry);
        let beside = Beside::new(folder.path().join("state"));
        let change = Change {
            name: Some("garden".into()),
            codec: None,
            revoked: true,
        };
        beside
            .change("river", change)
            .expect_err("the name is taken");
        let registry = Registry::open(&state.registry()).expect("opens");
        let river = registry.find("river").expect("there");
        assert!(river.revoked.is_some());
    }
}
