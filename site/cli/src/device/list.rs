//! `selo device list` and `selo device show`.

use std::process::ExitCode;

use selo_base::table::{Cell, Column, Table, TerminalStyle};
use selo_gateway::device_file::Row;
use selo_gateway::label::key_text;
use selo_gateway::registry::Record;

use super::common::{Common, Devices, print_json};

#[derive(Debug, clap::Args)]
pub struct ListArgs {
    #[command(flatten)]
    common: Common,
    /// List only devices that are not revoked
    #[arg(long)]
    active: bool,
}

#[derive(Debug, clap::Args)]
pub struct ShowArgs {
    #[command(flatten)]
    common: Common,
    /// Id or name
    device: String,
    /// Also show the key. Anyone who has it can impersonate the device
    #[arg(long)]
    show_key: bool,
}

pub fn list(args: &ListArgs) -> selo_base::report::Result<ExitCode> {
    let devices = Devices::open(&args.common)?;
    devices.refresh()?;
    let mut records = devices.registry.all()?;
    records.retain(|record| !args.active || record.revoked.is_none());
    if args.common.json {
        for record in &records {
            print_json(record, false)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let head = [
        "id",
        "name",
        "suite",
        "codec",
        "last seen",
        "address",
        "quantum-safe since",
        "state",
    ];
    let mut table = Table::new("", head.map(Column::text).to_vec());
    for record in &records {
        let row = Row::new(record, false);
        let cell = |text: Option<String>| match text {
            Some(text) => Cell::text(text),
            None => Cell::none(),
        };
        table.push(vec![
            Cell::text(row.id),
            cell(row.name),
            Cell::text(row.suite),
            cell(row.codec),
            cell(row.last_seen),
            cell(row.address),
            cell(row.quantum_safe_since.map(|time| date(&time))),
            Cell::text(state(record)),
        ]);
    }
    if !records.is_empty() {
        println!("{}", table.to_terminal(TerminalStyle::detect()));
    } else {
        eprintln!("There are no devices yet. To add one: selo device pair, or selo device add.");
    }
    Ok(ExitCode::SUCCESS)
}

/// The date of a time such as 2026-11-21T23:19:07Z.
fn date(time: &str) -> String {
    time.split('T').next().unwrap_or(time).to_owned()
}

fn state(record: &Record) -> &'static str {
    match (record.revoked, record.join_counter) {
        (Some(_), _) => "revoked",
        (None, 0) => "never joined",
        (None, _) => "active",
    }
}

pub fn show(args: &ShowArgs) -> selo_base::report::Result<ExitCode> {
    let devices = Devices::open(&args.common)?;
    devices.refresh()?;
    let record = devices.registry.find(&args.device)?;
    if args.common.json {
        print_json(&record, args.show_key)?;
        return Ok(ExitCode::SUCCESS);
    }
    let row = Row::new(&record, false);
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".into());
    let lines = [
        ("id", row.id),
        ("name", or_none(row.name)),
        ("suite", row.suite),
        ("codec", or_none(row.codec)),
        ("state", state(&record).into()),
        ("joins", row.join_counter.to_string()),
        ("created", or_none(row.created)),
        ("key from", or_none(row.origin)),
        ("quantum-safe since", or_none(row.quantum_safe_since)),
        ("revoked", or_none(row.revoked)),
        ("last seen", or_none(row.last_seen)),
        ("address", or_none(row.address)),
    ];
    for (what, text) in lines {
        println!("{what:<18} {text}");
    }
    if args.show_key {
        println!("{:<18} {}", "key", key_text(&record.key).as_str());
    }
    Ok(ExitCode::SUCCESS)
}
