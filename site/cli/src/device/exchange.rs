//! `selo device export` and `selo device import`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum;
use selo_gateway::Error;
use selo_gateway::device_file::{self, Format};
use selo_gateway::registry::Existing;

use super::common::{Common, Devices, print_json, read_file, write_private};
use crate::codec::Codecs;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selo device export                              without keys, as JSON, to standard output
  selo device export --with-keys backup.json      a backup: a file of mode 0600
  selo device export devices.csv")]
pub struct ExportArgs {
    #[command(flatten)]
    common: Common,
    /// The file (default: standard output, without keys)
    file: Option<PathBuf>,
    /// Also write the keys. Needs a file, which gets mode 0600. Anyone who has it can
    /// impersonate every device
    #[arg(long, requires = "file")]
    with_keys: bool,
    /// json or csv (default: by the file's ending, else json)
    #[arg(long, value_name = "FORMAT")]
    format: Option<FormatName>,
    /// Overwrite an existing file
    #[arg(long, requires = "file")]
    force: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Adds all devices of the file, or none. The file comes from `selo device export --with-keys`, or
is a table with the columns id, name, suite and key.

Examples:
  selo device import backup.json
  selo device import - --format csv < devices.csv")]
pub struct ImportArgs {
    #[command(flatten)]
    common: Common,
    /// The file (- for standard input)
    file: PathBuf,
    /// json or csv (default: by the file's ending, else json)
    #[arg(long, value_name = "FORMAT")]
    format: Option<FormatName>,
    /// Handling of devices that the registry already has
    #[arg(long, value_name = "WHAT", default_value = "refuse")]
    existing: ExistingName,
    #[command(flatten)]
    codecs: Codecs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum FormatName {
    Json,
    Csv,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ExistingName {
    /// Import nothing
    Refuse,
    /// Keep the devices of the registry
    Keep,
    /// Replace them by those of the file
    Replace,
}

fn format(given: Option<FormatName>, path: Option<&Path>) -> Format {
    let csv = |path: &Path| path.extension().is_some_and(|ending| ending == "csv");
    match given {
        Some(FormatName::Csv) => Format::Csv,
        Some(FormatName::Json) => Format::Json,
        None if path.is_some_and(csv) => Format::Csv,
        None => Format::Json,
    }
}

pub fn export(args: &ExportArgs) -> selo_base::report::Result<ExitCode> {
    let devices = Devices::open(&args.common)?;
    devices.refresh()?;
    let records = devices.registry.all()?;
    let format = format(args.format, args.file.as_deref());
    let bytes = device_file::write(&records, format, args.with_keys)?;
    match args.file.as_deref() {
        Some(path) if path != Path::new("-") => {
            write_private(path, &bytes, args.force)?;
            eprintln!("{} devices in {}", records.len(), path.display());
        }
        _ if args.with_keys => {
            let what = "keys are written only to a file, which gets mode 0600";
            return Err(Error::Invalid(what.into()).into());
        }
        _ => std::io::stdout().write_all(&bytes)?,
    }
    Ok(ExitCode::SUCCESS)
}

pub fn import(args: &ImportArgs) -> selo_base::report::Result<ExitCode> {
    let format = format(args.format, Some(&args.file));
    let bytes = read_file(&args.file)?;
    let records = device_file::read(&bytes[..], format, &args.file.display().to_string())?;
    let existing = match args.existing {
        ExistingName::Refuse => Existing::Refuse,
        ExistingName::Keep => Existing::Keep,
        ExistingName::Replace => Existing::Replace,
    };
    let codecs = args.codecs.load()?;
    for record in &records {
        codecs.get(&record.codec)?;
    }
    let mut devices = Devices::open(&args.common)?;
    let added = devices.registry.add_all(&records, existing)?;
    let ids: Vec<_> = added.iter().map(|record| record.id).collect();
    devices.changed(&ids)?;
    if args.common.json {
        for record in &added {
            print_json(record, false)?;
        }
    }
    eprintln!("{} of {} devices added", added.len(), records.len());
    Ok(ExitCode::SUCCESS)
}
