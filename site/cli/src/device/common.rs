//! Shared by the commands of `selo device`.

use std::io::{Write, stdout};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use selo_base::report::exit;
use selo_gateway::control::{Client, RELOAD_MAX, Request};
use selo_gateway::device_file::Row;
use selo_gateway::registry::{Record, Registry};
use selo_gateway::state::StateDir;
use selo_gateway::{Error, Result};
use selo_link::DeviceId;
use signal_hook::consts::SIGINT;
use signal_hook::flag::register_conditional_shutdown;

pub use selo_command::files::{read_file, write_private};

use crate::gateway::State;

/// Options of every command of `selo device`.
#[derive(Debug, clap::Args)]
pub struct Common {
    #[command(flatten)]
    pub state: State,
    /// Print one JSON object per line
    #[arg(long)]
    pub json: bool,
}

/// The state directory and its registry.
pub struct Devices {
    pub state: StateDir,
    pub registry: Registry,
}

impl Devices {
    pub fn open(common: &Common) -> Result<Devices> {
        let state = common.state.open()?;
        let registry = common.state.place(&state, "").open()?;
        Ok(Devices { state, registry })
    }

    /// A connection to the gateway, if one runs.
    pub fn gateway(&self) -> Result<Option<Client>> {
        match Client::connect(&self.state) {
            Ok(client) => Ok(Some(client)),
            Err(Error::NotRunning { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Tells a running gateway that these devices have changed.
    pub fn changed(&self, ids: &[DeviceId]) -> Result<()> {
        let Some(mut gateway) = self.gateway()? else {
            return Ok(());
        };
        let devices = if ids.len() > RELOAD_MAX {
            Vec::new()
        } else {
            ids.iter().map(DeviceId::to_string).collect()
        };
        gateway.ask(&Request::Reload { devices }).map(|_| ())
    }

    /// Makes a running gateway write its current data to the registry.
    pub fn refresh(&self) -> Result<()> {
        match self.gateway()? {
            Some(mut gateway) => gateway.ask(&Request::Flush).map(|_| ()),
            None => Ok(()),
        }
    }
}

/// Prints a device as one line of JSON.
pub fn print_json(record: &Record, with_key: bool) -> selo_base::report::Result<()> {
    let mut line = serde_json::to_vec(&Row::new(record, with_key))?;
    line.push(b'\n');
    stdout().write_all(&line)?;
    Ok(())
}

/// Makes Ctrl-C end a waiting command. The gateway then cancels what the command began.
pub fn exit_on_interrupt() {
    let at_once = Arc::new(AtomicBool::new(true));
    // If the registration fails, the handler of `selo_command::main` remains: the second Ctrl-C
    // ends the command.
    let _ = register_conditional_shutdown(SIGINT, exit::INTERRUPTED.into(), at_once);
}
