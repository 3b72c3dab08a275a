//! `selo broker`: the embedded MQTT broker alone.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use selo_base::report::Context;
use selo_mqtt::{Broker, BrokerConfig, certificate};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::gateway::Log;
use crate::notify::Manager;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
The broker speaks MQTT 5 over TLS, with the certificate, users and rights that `selo setup DIR`
created, and stores nothing on disk. To use Mosquitto instead: DIR/mosquitto.conf.

Example:
  selo setup farm && selo broker farm")]
pub struct Args {
    /// Folder that `selo setup` has created
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Address and port on which the broker listens
    #[arg(long, value_name = "ADDR:PORT", default_value = "0.0.0.0:8883")]
    listen: SocketAddr,
    /// Require from clients a certificate signed by this authority, in addition to the password
    #[arg(long, value_name = "FILE")]
    client_ca: Option<PathBuf>,
    #[command(flatten)]
    log: Log,
}

pub fn run(args: &Args) -> selo_base::report::Result<ExitCode> {
    args.log.start();
    let mut signals = Signals::new([SIGINT, SIGTERM]).context("cannot handle signals")?;
    let mut config = BrokerConfig::of_folder(&args.folder, args.listen);
    config.client_ca.clone_from(&args.client_ca);
    let files = certificate::Files::of(&args.folder);
    if files.ca_key.exists() {
        let names = certificate::read(&files.server)?.names;
        certificate::ensure(&files, &names)?;
        config.renew = Some((files, names));
    }
    let broker = Broker::start(config)?;
    let manager = Manager::find();
    manager.ready();
    while signals.pending().next().is_none() {
        manager.alive();
        std::thread::sleep(Duration::from_millis(200));
    }
    tracing::info!("stopping");
    manager.stopping();
    broker.stop();
    Ok(ExitCode::SUCCESS)
}
