//! What the commands about devices share.

use std::fs::OpenOptions;
use std::io::{Read, Write, stdout};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use selo_gateway::control::{Client, RELOAD_MAX, Request};
use selo_gateway::device_file::Row;
use selo_gateway::registry::{Record, Registry};
use selo_gateway::state::StateDir;
use selo_gateway::{Error, Result};
use selo_link::DeviceId;

use crate::gateway::State;

/// Options that every command about devices has.
#[derive(Debug, clap::Args)]
pub struct Common {
    #[command(flatten)]
    pub state: State,
    /// Print one JSON object a line
    #[arg(long)]
    pub json: bool,
}

/// The registry, and what else is in the state directory.
pub struct Devices {
    pub state: StateDir,
    pub registry: Registry,
}

impl Devices {
    pub fn open(common: &Common) -> Result<Devices> {
        let state = common.state.open()?;
        let registry = Registry::open(&state.registry())?;
        Ok(Devices { state, registry })
    }

    /// The gateway, if one runs.
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

    /// Has a running gateway write into the registry what it knows.
    pub fn refresh(&self) -> Result<()> {
        match self.gateway()? {
            Some(mut gateway) => gateway.ask(&Request::Flush).map(|_| ()),
            None => Ok(()),
        }
    }
}

/// Prints a device as one line of JSON.
pub fn print_json(record: &Record, with_key: bool) -> anyhow::Result<()> {
    let mut line = serde_json::to_vec(&Row::new(record, with_key))?;
    line.push(b'\n');
    stdout().write_all(&line)?;
    Ok(())
}

/// Reads a file of at most 64 MB; `-` is standard input.
pub fn read_file(path: &Path) -> Result<Vec<u8>> {
    const MAX: u64 = 64 << 20;
    let read = |source| Error::Read {
        path: path.into(),
        source,
    };
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        std::io::stdin().take(MAX).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path)
            .map_err(read)?
            .take(MAX)
            .read_to_end(&mut bytes)
    }
    .map_err(read)?;
    Ok(bytes)
}

/// Writes a new file that only its owner may read.
pub fn write_private(path: &Path, bytes: &[u8], overwrite: bool) -> Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).mode(0o600);
    if overwrite {
        // A file that is there may be open to others: it goes first.
        match std::fs::remove_file(path) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(source) => {
                return Err(Error::Write {
                    path: path.into(),
                    source,
                });
            }
        }
    }
    options
        .create_new(true)
        .open(path)
        .and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        })
        .map_err(|source| match source.kind() {
            std::io::ErrorKind::AlreadyExists => Error::Invalid(format!(
                "{} is there already; --force writes over it",
                path.display()
            )),
            _ => Error::Write {
                path: path.into(),
                source,
            },
        })
}

/// Ctrl-C ends a command that waits; the gateway takes back what it began.
pub fn exit_on_interrupt() {
    std::thread::spawn(|| {
        while selo_engine::schedule::check_interrupt().is_ok() {
            std::thread::sleep(Duration::from_millis(50));
        }
        std::process::exit(130);
    });
}
