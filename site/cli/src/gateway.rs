//! `selo gateway`: takes packets of nodes, prints their readings.

use std::io::{IsTerminal, stderr, stdout};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use clap::ValueEnum;
use selo_base::report::Context;
use selo_gateway::journal::Sync;
use selo_gateway::radio::Port;
use selo_gateway::sink::{Both, JsonLines};
use selo_gateway::state::StateDir;
use selo_gateway::{Config, Gateway};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use tracing::level_filters::LevelFilter;

use crate::mqtt::Mqtt;
use crate::notify::Manager;

/// Where commands find the state.
#[derive(Debug, Clone, clap::Args)]
pub struct State {
    /// Directory with keys, sessions and journal (default: $XDG_STATE_HOME/selo, or
    /// ~/.local/state/selo); made with mode 0700
    #[arg(long, env = "SELO_STATE", value_name = "DIR", global = true)]
    state: Option<PathBuf>,
}

impl State {
    pub fn path(&self) -> selo_gateway::Result<PathBuf> {
        match &self.state {
            Some(path) => Ok(path.clone()),
            None => StateDir::default_path(),
        }
    }

    pub fn open(&self) -> selo_gateway::Result<StateDir> {
        StateDir::open(&self.path()?)
    }
}

/// Where packets of nodes come in, and how safely they are kept.
#[derive(Debug, clap::Args)]
pub struct Nodes {
    /// UDP address and port for nodes; [::]:7356 takes IPv6 and IPv4
    #[arg(long, value_name = "ADDR:PORT", default_value = "0.0.0.0:7356")]
    pub listen: SocketAddr,
    /// Take packets of an E32 module on a serial port, too; may be given again. BAUD: of the
    /// port, 9600 if left out; RATE: the module's air data rate, 2.4k if left out. How to set
    /// the module up is in docs/operator/radio.md
    #[arg(long, value_name = "PATH[,BAUD[,RATE]]")]
    radio: Vec<Port>,
    /// Serve the gateway's numbers in OpenMetrics form at http://ADDR:PORT/metrics
    #[arg(long, value_name = "ADDR:PORT")]
    metrics: Option<SocketAddr>,
    /// When the journal goes to the disk: `always` loses nothing that was acknowledged when
    /// power fails and costs a wait for each batch; `1s` may lose the last second then; `never`
    /// leaves it to the system. Kills lose nothing. After a start of the machine nodes join again
    #[arg(long, value_name = "always|1s|never", default_value = "1s")]
    sync: Sync,
    /// Megabytes of the journal that may wait for the reader of the readings before no more
    /// packets are taken
    #[arg(long, value_name = "MB", default_value_t = 1024)]
    undelivered: u64,
}

impl Nodes {
    pub fn set(&self, config: &mut Config) {
        config.radios.clone_from(&self.radio);
        config.metrics = self.metrics;
        config.sync = self.sync;
        config.undelivered_max = self.undelivered.saturating_mul(1 << 20);
    }
}

/// What goes to standard error.
#[derive(Debug, Clone, clap::Args)]
pub struct Log {
    /// What is worth a line of the log
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    log: Level,
    /// Log one JSON object a line
    #[arg(long)]
    json_log: bool,
}

impl Log {
    pub fn start(&self) {
        let level = match self.log {
            Level::Error => LevelFilter::ERROR,
            Level::Warn => LevelFilter::WARN,
            Level::Info => LevelFilter::INFO,
            Level::Debug => LevelFilter::DEBUG,
        };
        crate::log::start(level, self.json_log);
    }
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Every reading is one line of JSON on standard output, with the schema selo.reading/1
(docs/reference.md). The log is on standard error.

What nodes sent and the gateway acknowledged survives a kill: readings that were not yet
printed are printed after the next start, with \"redelivered\":true, and (device, session,
counter) names a reading for ever.

Examples:
  selo gateway                                 take packets on UDP port 7356
  selo gateway | tee -a readings.jsonl
  selo gateway --metrics 127.0.0.1:9464        numbers for Prometheus
  selo gateway --radio /dev/ttyUSB0            packets of a LoRa module, too
  selo gateway --mqtt mqtts://gateway@broker.example --mqtt-password-file gateway.password
  selo device pair                             in a second terminal: add a node
  selo device list")]
pub struct Args {
    #[command(flatten)]
    state: State,
    #[command(flatten)]
    nodes: Nodes,
    /// Refused since the published protocol is a study
    #[arg(long, hide = true, num_args = 0, default_missing_value = "", value_parser = no_classic)]
    allow_classic: Option<String>,
    #[command(flatten)]
    log: Log,
    #[command(flatten)]
    mqtt: Mqtt,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Level {
    Error,
    Warn,
    Info,
    Debug,
}

/// Refuses `--allow-classic`, with the command that has taken its place.
fn no_classic(_: &str) -> Result<String, String> {
    Err(
        "the gateway does not take the published protocol, which authenticates nobody\n\
         hint: `selo classic --listen ADDR:PORT` takes it, for studies"
            .into(),
    )
}

pub fn run(args: &Args) -> selo_base::report::Result<ExitCode> {
    args.log.start();
    // Before anything is opened, so that a signal during the start is not lost.
    let signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).context("cannot take signals")?;
    let state = args.state.path()?;
    let print = JsonLines::new(stdout());
    let mut config = match args.mqtt.publisher(&state)? {
        None => Config::new(state, args.nodes.listen, print),
        Some(publisher) if args.mqtt.print => {
            Config::new(state, args.nodes.listen, Both::new(publisher, print))
        }
        Some(publisher) => Config::new(state, args.nodes.listen, publisher),
    };
    let printing = !args.mqtt.publishes() || args.mqtt.print;
    args.nodes.set(&mut config);
    let gateway = Gateway::start(config)?;
    if printing && stdout().is_terminal() && stderr().is_terminal() {
        eprintln!("Readings appear here. To add a node: selo device pair, in another terminal.");
    }

    let (stop, stopped) = channel();
    std::thread::spawn(move || wait_for_signal(signals, &stop, || {}));
    let manager = Manager::find();
    manager.ready();
    // A failure of the gateway, or the word of the operator.
    loop {
        if let Some(reason) = gateway.wait_failure(Duration::from_millis(200)) {
            let _ = gateway.stop();
            selo_base::bail!("the gateway had to stop: {reason}");
        }
        if stopped.try_recv().is_ok() {
            break;
        }
        manager.alive();
    }
    tracing::info!("stopping");
    manager.stopping();
    match gateway.stop() {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(reason) => selo_base::bail!("the gateway did not stop cleanly: {reason}"),
    }
}

/// SIGINT and SIGTERM end the program; SIGHUP, as when a terminal closes, does not, but has
/// certificates read again.
pub fn wait_for_signal(mut signals: Signals, stop: &Sender<()>, reload: impl Fn()) {
    for signal in signals.forever() {
        if signal == SIGHUP {
            reload();
        } else {
            let _ = stop.send(());
        }
    }
}
