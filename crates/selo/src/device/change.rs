//! `selo device revoke`, `remove` and `rename`.

use std::process::ExitCode;

use selo_gateway::Error;

use super::common::{Common, Devices, print_json};

#[derive(Debug, clap::Args)]
pub struct DeviceArgs {
    #[command(flatten)]
    common: Common,
    /// Id or name
    device: String,
}

#[derive(Debug, clap::Args)]
pub struct RenameArgs {
    #[command(flatten)]
    common: Common,
    /// Id or name
    device: String,
    /// The new name; none: no name
    name: Option<String>,
}

pub fn revoke(args: &DeviceArgs) -> anyhow::Result<ExitCode> {
    let mut devices = Devices::open(&args.common)?;
    let record = devices.registry.find(&args.device)?;
    if !devices.registry.revoke(record.id)? {
        eprintln!("{} was revoked before.", record.id);
    }
    devices.changed(&[record.id])?;
    if args.common.json {
        print_json(&devices.registry.find(&record.id.to_string())?, false)?;
    }
    Ok(ExitCode::SUCCESS)
}

pub fn remove(args: &DeviceArgs) -> anyhow::Result<ExitCode> {
    let mut devices = Devices::open(&args.common)?;
    let record = devices.registry.find(&args.device)?;
    if !devices.registry.remove(record.id)? {
        // Another command was faster.
        return Err(Error::UnknownDevice {
            what: args.device.clone(),
        }
        .into());
    }
    devices.changed(&[record.id])?;
    if args.common.json {
        print_json(&record, false)?;
    }
    Ok(ExitCode::SUCCESS)
}

pub fn rename(args: &RenameArgs) -> anyhow::Result<ExitCode> {
    let mut devices = Devices::open(&args.common)?;
    let record = devices.registry.find(&args.device)?;
    devices.registry.rename(record.id, args.name.as_deref())?;
    devices.changed(&[record.id])?;
    if args.common.json {
        print_json(&devices.registry.find(&record.id.to_string())?, false)?;
    }
    Ok(ExitCode::SUCCESS)
}
