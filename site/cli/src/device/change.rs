//! `selo device revoke`, `remove`, `rename` and `set`.

use std::process::ExitCode;

use selo_gateway::Error;

use super::common::{Common, Devices, print_json};
use crate::codec::Codecs;

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
    /// The new name (default: remove the name)
    name: Option<String>,
}

#[derive(Debug, clap::Args)]
pub struct SetArgs {
    #[command(flatten)]
    common: Common,
    /// Id or name
    device: String,
    /// Codec of its payloads (see `selo codec list`)
    #[arg(long, value_name = "CODEC")]
    codec: String,
    #[command(flatten)]
    codecs: Codecs,
}

pub fn revoke(args: &DeviceArgs) -> selo_base::report::Result<ExitCode> {
    let mut devices = Devices::open(&args.common)?;
    let record = devices.registry.find(&args.device)?;
    if !devices.registry.revoke(record.id)? {
        eprintln!("{} was already revoked.", record.id);
    }
    devices.changed(&[record.id])?;
    if args.common.json {
        print_json(&devices.registry.find(&record.id.to_string())?, false)?;
    }
    Ok(ExitCode::SUCCESS)
}

pub fn remove(args: &DeviceArgs) -> selo_base::report::Result<ExitCode> {
    let mut devices = Devices::open(&args.common)?;
    let record = devices.registry.find(&args.device)?;
    if !devices.registry.remove(record.id)? {
        // Another command has removed it meanwhile.
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

pub fn rename(args: &RenameArgs) -> selo_base::report::Result<ExitCode> {
    let mut devices = Devices::open(&args.common)?;
    let record = devices.registry.find(&args.device)?;
    devices.registry.rename(record.id, args.name.as_deref())?;
    devices.changed(&[record.id])?;
    if args.common.json {
        print_json(&devices.registry.find(&record.id.to_string())?, false)?;
    }
    Ok(ExitCode::SUCCESS)
}

pub fn set(args: &SetArgs) -> selo_base::report::Result<ExitCode> {
    let codecs = args.codecs.load()?;
    let codec = codecs.get(&args.codec)?;
    let mut devices = Devices::open(&args.common)?;
    let record = devices.registry.find(&args.device)?;
    devices.registry.set_codec(record.id, &codec.name)?;
    devices.changed(&[record.id])?;
    if args.common.json {
        print_json(&devices.registry.find(&record.id.to_string())?, false)?;
    }
    Ok(ExitCode::SUCCESS)
}
