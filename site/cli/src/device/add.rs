//! `selo device add`: adds a device with a known or new key, without pairing.

use std::path::PathBuf;
use std::process::ExitCode;

use selo_gateway::Error;
use selo_gateway::label::{KeyFile, parse_key_file};
use selo_gateway::registry::{Existing, Origin, Record};
use selo_link::{DeviceId, DeviceKey, Suite};

use super::common::{Common, Devices, print_json, read_file};
use crate::codec::Codecs;
use crate::random::random_bytes;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
A key file contains 64 hexadecimal digits, 43 characters of base64url, 32 bytes, or a whole
label (selo:1:<id>:<suite>:<key>), which also has id and suite.

Examples:
  selo device add --generate --name garden            new id and key; then: selo device qr
  selo device add --id 3f9a01c2 --key-file node.key   a key from elsewhere
  selo device add --key-file -  < label.txt           from a label")]
pub struct Args {
    #[command(flatten)]
    common: Common,
    /// Device id (default: from the label, or random)
    #[arg(long, value_name = "HEX")]
    id: Option<DeviceId>,
    /// File with the key (- for standard input)
    #[arg(long, value_name = "FILE", required_unless_present = "generate")]
    key_file: Option<PathBuf>,
    /// Generate a random key
    #[arg(long, conflicts_with = "key_file")]
    generate: bool,
    /// Suite for which the node is compiled [default: that of the label, else chachapoly-blake2s]
    #[arg(long, value_name = "NAME", value_parser = parse_suite)]
    suite: Option<Suite>,
    /// Name of the device
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Codec of its payloads (see `selo codec list`) [default: rain-gauge]
    #[arg(long, value_name = "CODEC")]
    codec: Option<String>,
    #[command(flatten)]
    codecs: Codecs,
}

fn parse_suite(name: &str) -> Result<Suite, String> {
    let known = Suite::ALL.map(Suite::name).join(", ");
    name.parse().map_err(|_| format!("the suites are {known}"))
}

pub fn run(args: &Args) -> selo_base::report::Result<ExitCode> {
    let file = match &args.key_file {
        Some(path) => parse_key_file(&read_file(path)?)?,
        None => KeyFile {
            key: DeviceKey::new(random_bytes()?),
            device: None,
        },
    };
    let (label_id, label_suite) = file.device.unzip();
    let differ = |what| Error::Invalid(format!("the label has another {what}"));
    let id = match (args.id, label_id) {
        (Some(id), Some(label)) if id != label => return Err(differ("id").into()),
        (Some(id), _) | (None, Some(id)) => id,
        (None, None) => DeviceId::from_bytes(random_bytes()?),
    };
    let suite = match (args.suite, label_suite) {
        (Some(suite), Some(label)) if suite != label => return Err(differ("suite").into()),
        (Some(suite), _) | (None, Some(suite)) => suite,
        (None, None) => Suite::ChaChaPolyBlake2s,
    };
    let mut record = Record::new(id, suite, file.key);
    record.name.clone_from(&args.name);
    record.origin = Some(Origin::Hand);
    if let Some(codec) = &args.codec {
        record
            .codec
            .clone_from(&args.codecs.load()?.get(codec)?.name);
    }
    let mut devices = Devices::open(&args.common)?;
    let added = devices.registry.add(&record, Existing::Refuse)?;
    devices.changed(&[added.id])?;
    if args.common.json {
        print_json(&added, false)?;
    } else {
        println!("{}", added.id);
        if args.generate {
            eprintln!(
                "The key is in the registry. To bring it to the node: selo device qr {}",
                added.id
            );
        }
    }
    Ok(ExitCode::SUCCESS)
}
