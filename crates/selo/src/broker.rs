//! `selo broker`: the embedded MQTT broker alone.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use selo_mqtt::{Broker, BrokerConfig, certificate};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::gateway::{Level, start_log};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
It speaks MQTT 5 over TLS, with the certificate, users and rights that `selo setup DIR` made,
and keeps nothing on disk. Mosquitto takes its place with DIR/mosquitto.conf.

Example:
  selo setup farm && selo broker farm")]
pub struct Args {
    /// Folder of `selo setup`
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Address and port
    #[arg(long, value_name = "ADDR:PORT", default_value = "0.0.0.0:8883")]
    listen: SocketAddr,
    /// Ask clients for a certificate that this authority signed, beside the password
    #[arg(long, value_name = "FILE")]
    client_ca: Option<PathBuf>,
    /// What is worth a line of the log
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    log: Level,
    /// Log one JSON object a line
    #[arg(long)]
    json_log: bool,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    start_log(args.log, args.json_log);
    let mut signals = Signals::new([SIGINT, SIGTERM]).context("cannot take signals")?;
    let mut config = BrokerConfig::of_folder(&args.folder, args.listen);
    config.client_ca.clone_from(&args.client_ca);
    let files = certificate::Files::of(&args.folder);
    if files.ca_key.exists() {
        let names = certificate::read(&files.server)?.names;
        certificate::ensure(&files, &names)?;
        config.renew = Some((files, names));
    }
    let broker = Broker::start(config)?;
    signals.forever().next();
    tracing::info!("stopping");
    broker.stop();
    Ok(ExitCode::SUCCESS)
}
