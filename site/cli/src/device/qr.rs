//! `selo device qr`: the label, which contains the key.

use std::io::{IsTerminal, Write, stdout};
use std::path::PathBuf;
use std::process::ExitCode;

use selo_gateway::Error;
use selo_gateway::label::{Code, text};

use super::common::{Common, Devices, write_private};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
The code contains selo:1:<id>:<suite>:<key>. Anyone who photographs it can impersonate the device.

Examples:
  selo device qr garden                    on the terminal
  selo device qr garden --out garden.svg   a file for the printer (.svg, .png or .txt)")]
pub struct Args {
    #[command(flatten)]
    common: Common,
    /// Id or name
    device: String,
    /// Write a file of mode 0600. The suffix is the format: .svg, .png, or .txt for the text
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Overwrite an existing file
    #[arg(long, requires = "out")]
    force: bool,
}

pub fn run(args: &Args) -> selo_base::report::Result<ExitCode> {
    let devices = Devices::open(&args.common)?;
    let record = devices.registry.find(&args.device)?;
    let label = text(&record);
    let code = Code::new(&label)?;
    if let Some(path) = &args.out {
        let ending = path.extension().and_then(|ending| ending.to_str());
        let bytes = match ending {
            Some("svg") => code.svg().into_bytes(),
            Some("png") => code.png()?,
            Some("txt") => format!("{}\n", label.as_str()).into_bytes(),
            _ => {
                let what = format!("the suffix of {} is not .svg, .png or .txt", path.display());
                return Err(Error::Invalid(what).into());
            }
        };
        write_private(path, &bytes, args.force)?;
        return Ok(ExitCode::SUCCESS);
    }
    if args.common.json {
        let line = serde_json::json!({ "id": record.id.to_string(), "label": label.as_str() });
        println!("{line}");
        return Ok(ExitCode::SUCCESS);
    }
    // Always white on black, also in a terminal with other colours.
    let colour = stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let mut out = stdout().lock();
    for line in code.terminal().lines() {
        if colour {
            writeln!(out, "\x1b[97;40m{line}\x1b[0m")?;
        } else {
            writeln!(out, "{line}")?;
        }
    }
    eprintln!(
        "{} {}: this code contains the device's key.",
        record.id,
        record.name.unwrap_or_default()
    );
    Ok(ExitCode::SUCCESS)
}
