//! One program for the integration tests of this crate, with a real PostgreSQL.

#[path = "../../../../tests/command/postgres.rs"]
#[allow(dead_code, reason = "each crate uses its part")]
mod cluster;

mod address;
mod claims;
mod model;
mod registry;
mod shards;
mod trouble;

use std::path::Path;

use selo_gateway::registry::{Place, Record, Registry, Shared};
use selo_link::{DeviceId, DeviceKey, Suite};
use selo_postgres::InPostgres;

/// Two gateways of one site: the second has a copy of the first one's site key.
#[derive(Debug)]
pub struct Pair {
    pub cluster: cluster::Cluster,
    pub states: [tempfile::TempDir; 2],
}

impl Pair {
    /// `None` if PostgreSQL is not installed; CI requires it.
    pub fn start() -> Option<Pair> {
        let cluster = cluster::Cluster::start()?;
        let states = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
        let pair = Pair { cluster, states };
        pair.place(0).open().expect("creates the tables");
        let key = |index: usize| selo_gateway::site_key::file(pair.states[index].path());
        std::fs::copy(key(0), key(1)).expect("copies the site key");
        Some(pair)
    }

    pub fn place(&self, gateway: usize) -> InPostgres {
        place(&self.cluster.url(), self.states[gateway].path(), gateway)
    }

    pub fn shared(&self, gateway: usize) -> Box<dyn Shared> {
        let place = self.place(gateway);
        place.share().expect("connects").expect("shared")
    }

    pub fn registry(&self, gateway: usize) -> Registry {
        self.place(gateway).open().expect("opens")
    }
}

pub fn place(url: &str, state: &Path, gateway: usize) -> InPostgres {
    InPostgres {
        url: url.into(),
        state: state.into(),
        gateway: format!("gateway {gateway}"),
    }
}

pub fn device(id: u32, name: Option<&str>) -> Record {
    Record {
        name: name.map(str::to_owned),
        ..Record::new(DeviceId(id), Suite::Ascon, DeviceKey::new([id as u8; 32]))
    }
}
