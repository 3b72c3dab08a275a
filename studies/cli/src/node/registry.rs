//! Nodes from a file of devices, and such a file for new nodes.

use std::path::Path;
use std::process::ExitCode;

use selo_base::report::machine;
use selo_command::files::{read_file, write_private};
use selo_gateway::device_file::{self, Format};
use selo_gateway::registry::Record;
use selo_link::{DeviceId, DeviceKey, random_bytes};
use selo_nodes::node::{describe, has_key, provisioned};
use selo_nodes::records::Records;
use selo_report::format;

use super::args::{Args, wrong};
use super::suite::{device_suite, node_suite};

/// Makes ids and keys for --count nodes, and writes the file for the gateway.
pub(super) fn make_registry(args: &Args, file: &Path) -> selo_base::report::Result<ExitCode> {
    let mut records = args.records()?;
    if !records.is_empty() {
        return Err(wrong(
            "the state directory already contains nodes",
            "use another one with --state DIR",
        ));
    }
    let count = args.count.unwrap_or(1) as usize;
    let suite = device_suite(args.suite())?;
    let mut ids = std::collections::HashSet::new();
    let mut devices = Vec::with_capacity(count);
    while devices.len() < count {
        let id = DeviceId(u32::from_le_bytes(random_bytes().map_err(machine)?));
        if ids.insert(id) {
            devices.push(Record::new(
                id,
                suite,
                DeviceKey::new(random_bytes().map_err(machine)?),
            ));
        }
    }
    for (number, device) in devices.iter().enumerate() {
        records.set(number, first_record(device)?);
    }
    let bytes = device_file::write(&devices, file_format(file), true)?;
    if file.exists() {
        return Err(wrong(
            format!("{} already exists", file.display()),
            "use another file: nodes with overwritten keys could not join",
        ));
    }
    write_private(file, &bytes, false)?;
    records.commit()?;
    eprintln!(
        "{} in {}; give them to the gateway with: selo device import {}",
        format::things(count, "node", "nodes"),
        file.display(),
        file.display()
    );
    Ok(ExitCode::SUCCESS)
}

fn file_format(file: &Path) -> Format {
    if file.extension().is_some_and(|ending| ending == "csv") {
        Format::Csv
    } else {
        Format::Json
    }
}

/// The stored record of a node before its first start. Its gateway has accepted join counters up to
/// the one in its registry.
pub(super) fn first_record(
    device: &Record,
) -> selo_base::report::Result<selo_nodes::records::Record> {
    let seed = random_bytes().map_err(machine)?;
    let next = device.join_counter.saturating_add(1);
    let suite = node_suite(device.suite)?;
    Ok(provisioned(
        suite,
        device.id.0,
        device.key.expose(),
        &seed,
        next,
    ))
}

/// Reads the devices of a file that are not revoked, at most --count. Fails if there are none.
pub(super) fn read_registry(args: &Args, file: &Path) -> selo_base::report::Result<Vec<Record>> {
    let bytes = read_file(file)?;
    let what = file.display().to_string();
    let mut devices = device_file::read(&bytes[..], file_format(file), &what)?;
    devices.retain(|device| device.revoked.is_none());
    if let Some(count) = args.count {
        devices.truncate(count as usize);
    }
    if devices.is_empty() {
        return Err(wrong(
            format!("{what} contains no device that may join"),
            "write a file with: selo device export --with-keys FILE",
        ));
    }
    Ok(devices)
}

/// Assigns the devices of a file to the nodes. A node that already is one of them keeps its record,
/// because its join counters are used up.
pub(super) fn take_registry(
    args: &Args,
    file: &Path,
    records: &mut Records,
) -> selo_base::report::Result<()> {
    for (number, device) in read_registry(args, file)?.iter().enumerate() {
        match records.get(number).map(|record| (describe(record), record)) {
            Some((Some(info), record)) => {
                if info.id != device.id.0 {
                    return Err(wrong(
                        format!(
                            "node {number} is {:08x} in the state directory, but {} has {}",
                            info.id,
                            file.display(),
                            device.id
                        ),
                        "use another directory with --state DIR",
                    ));
                }
                if has_key(record, device.key.expose()) {
                    continue;
                }
            }
            Some((None, _)) => {
                return Err(wrong(
                    format!("node {number} of the state directory is damaged"),
                    "use another directory with --state DIR",
                ));
            }
            None => {}
        }
        records.set(number, first_record(device)?);
    }
    records.commit()?;
    Ok(())
}
