//! `selo node --board`: runs the firmware on a simulated board, with a gateway at its serial line.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use selo_base::report::Context;
use selo_firmware::node::{Node, factory_record};
use selo_link::random_bytes;
use selo_nodes::board::{Plan, Said, Word, build, run as run_board, write_eeprom};

use super::args::{Args, wrong};
use super::pair;
use super::registry::{first_record, read_registry};
use super::report::Report;
use super::suite::device_suite;

pub fn run(
    args: &Args,
    name: &str,
    to: SocketAddr,
    project: Option<&Path>,
    stop: &AtomicBool,
) -> selo_base::report::Result<ExitCode> {
    let project = self::project(project)?;
    let suite = device_suite(args.suite())?;
    let (board, image) = build(&project, name, suite.name())?;
    let clock_hz = board.clock_hz.ok_or_else(|| {
        wrong(
            format!("board '{name}' has no clock"),
            "use a simulated board, such as uno",
        )
    })?;
    let folder = tempfile::tempdir().context("cannot create a folder for the board's EEPROM")?;
    let eeprom = eeprom(args, folder.path())?;
    let node = Node::start(&project, &board, &image, &eeprom)?;
    let plan = Plan {
        to,
        every: args.every,
        readings: args.readings,
        confirmed: args.confirmed,
        fast: args.fast,
        seed: args.seed,
        limit: args.limit,
    };
    let start = Instant::now();
    let mut rejected = false;
    let tally = run_board(node, clock_hz, &plan, stop, |said| match said {
        Said::Line(line) => {
            eprintln!("{name}: {line}");
            rejected |= line == "pairing failed";
            None
        }
        Said::Payload(payload) => {
            eprintln!("{name}: received {}", hex::encode(payload));
            None
        }
        Said::Digits(digits) => Some(match pair::compare(digits) {
            true => Word::Same,
            false => Word::Different,
        }),
    })?;
    Report {
        count: 1,
        tally: &tally,
        took: start.elapsed(),
    }
    .print(args, to);
    if rejected && tally.joined == 0 {
        eprintln!("selo: the pairing failed");
    }
    let whole = tally.joined == 1 && tally.lost == 0;
    Ok(ExitCode::from(u8::from(!whole)))
}

/// The project's folder, which has the firmware's sources.
pub fn project(named: Option<&Path>) -> selo_base::report::Result<PathBuf> {
    Ok(match named {
        Some(project) => project.to_owned(),
        None => {
            let program = std::env::current_exe().ok();
            selo_engine::project::Project::find(&std::env::current_dir()?, program.as_deref())?
        }
    })
}

/// The board's EEPROM: the existing file, or a new one. A simulated chip has no entropy, so a new
/// EEPROM holds a seed.
pub fn eeprom(args: &Args, folder: &Path) -> selo_base::report::Result<PathBuf> {
    // The simulator rewrites the EEPROM, with its keys, when it ends.
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    let path = match &args.eeprom {
        Some(path) if path.exists() => return Ok(path.clone()),
        Some(path) => path.clone(),
        None => folder.join("eeprom"),
    };
    let record = match &args.registry {
        Some(file) => {
            let devices = read_registry(args, file)?;
            match devices.as_slice() {
                [device] if device.suite == device_suite(args.suite())? => first_record(device)?,
                [device] => {
                    return Err(wrong(
                        format!(
                            "{} contains a device of suite {}",
                            file.display(),
                            device.suite
                        ),
                        format!("use --suite {}", device.suite),
                    ));
                }
                _ => {
                    return Err(wrong(
                        format!(
                            "{} contains more than one device, but a board is one device",
                            file.display()
                        ),
                        "use a file with one device",
                    ));
                }
            }
        }
        None => {
            let id = u32::from_le_bytes(random_bytes().map_err(selo_base::report::machine)?);
            factory_record(
                args.suite().code(),
                id,
                &random_bytes().map_err(selo_base::report::machine)?,
            )
        }
    };
    write_eeprom(&path, &record)?;
    Ok(path)
}
