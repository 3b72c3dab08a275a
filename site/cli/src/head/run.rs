//! `selo head run`: the head itself.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use selo_base::report::Context;
use selo_gateway::head::{Head, Settings};
use selo_gateway::heads::HeadFile;
use selo_gateway::radio::Port;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::gateway::{Log, wait_for_signal};
use crate::notify::Manager;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
A head keeps nothing but its file. If a gateway is away, frames are dropped after two seconds, and
their nodes repeat them.

Examples:
  selo head run hill.head --radio /dev/ttyUSB0            an E32 module
  selo head run hill.head --forwarder 127.0.0.1:1700      a LoRa concentrator on this machine
  selo head run hill.head --listen 0.0.0.0:7356           nodes with a network")]
#[command(group = clap::ArgGroup::new("carriers").required(true).multiple(true).args(["listen", "radio", "forwarder"]))]
pub struct Args {
    /// The file of the head, from `selo head add`
    file: PathBuf,
    /// Hear nodes on this UDP address
    #[arg(long, value_name = "ADDR:PORT")]
    listen: Option<SocketAddr>,
    /// Hear nodes through an E32 module on a serial port; may be given more than once. As for
    /// `selo gateway`
    #[arg(long, value_name = "PATH[,BAUD[,RATE]]")]
    radio: Vec<Port>,
    /// Hear nodes through the packet forwarder of a LoRa concentrator (Semtech's UDP protocol), which
    /// sends to this address. The protocol authenticates nobody: use an address of this machine
    #[arg(long, value_name = "ADDR:PORT")]
    forwarder: Option<SocketAddr>,
    /// Power of answers through a concentrator, dBm
    #[arg(long, value_name = "DBM", default_value_t = 14, allow_negative_numbers = true, requires = "forwarder", value_parser = clap::value_parser!(i8).range(-20..=30))]
    power: i8,
    #[command(flatten)]
    log: Log,
}

pub fn run(args: &Args) -> selo_base::report::Result<ExitCode> {
    args.log.start();
    // Register first, so that a signal during the start is not lost.
    let signals = Signals::new([SIGINT, SIGTERM]).context("cannot handle signals")?;
    let head = Head::start(Settings {
        file: HeadFile::read(&args.file)?,
        listen: args.listen,
        radios: args.radio.clone(),
        forwarder: args.forwarder,
        power: args.power,
    })?;
    for (what, address) in [("nodes", head.listen()), ("forwarders", head.forwarder())] {
        if let Some(address) = address {
            eprintln!("{what} {address}");
        }
    }
    let (stop, stopped) = channel();
    std::thread::spawn(move || wait_for_signal(signals, &stop, || {}));
    let manager = Manager::find();
    manager.ready();
    while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(Duration::from_millis(500)) {
        manager.alive();
    }
    manager.stopping();
    drop(head);
    Ok(ExitCode::SUCCESS)
}
