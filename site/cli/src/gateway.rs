//! `selo gateway`: receives the packets of nodes, and prints or publishes their readings.

use std::io::{IsTerminal, stderr, stdout};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use clap::ValueEnum;
use selo_base::report::Context;
use selo_gateway::journal::Sync;
use selo_gateway::radio::Port;
use selo_gateway::registry::{InState, Place};
use selo_gateway::sink::{Both, JsonLines, Sink};
use selo_gateway::state::StateDir;
use selo_gateway::{Config, Gateway};
use selo_postgres::InPostgres;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use tracing::level_filters::LevelFilter;

use crate::mqtt::Mqtt;
use crate::notify::Manager;
use crate::stream;

/// The option for the state directory.
#[derive(Debug, Clone, clap::Args)]
pub struct State {
    /// Directory with keys, sessions and journal, created with mode 0700 (default:
    /// $XDG_STATE_HOME/selo, or ~/.local/state/selo)
    #[arg(long, env = "SELO_STATE", value_name = "DIR", global = true)]
    state: Option<PathBuf>,
    /// Registry of devices that several gateways share, in PostgreSQL:
    /// postgresql://USER@HOST/DATABASE (default: a SQLite file in the state directory).
    /// docs/operator/beyond-one-machine.md describes it
    #[arg(
        long,
        env = "SELO_REGISTRY",
        value_name = "URL",
        global = true,
        hide_env_values = true,
        value_parser = parse_registry
    )]
    registry: Option<String>,
}

fn parse_registry(text: &str) -> Result<String, String> {
    match selo_postgres::is_url(text) {
        true => Ok(text.into()),
        false => Err("it begins with postgresql://".into()),
    }
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

    /// Where the registry is. `gateway` is the name of this gateway.
    pub fn place(&self, state: &StateDir, gateway: &str) -> Arc<dyn Place> {
        match &self.registry {
            None => Arc::new(InState(state.registry())),
            Some(url) => Arc::new(InPostgres {
                url: url.clone(),
                state: state.path().into(),
                gateway: gateway.into(),
            }),
        }
    }

    /// The connection string of a registry in PostgreSQL.
    pub fn registry(&self) -> Option<&String> {
        self.registry.as_ref()
    }

    /// True if the registry is in the state directory.
    pub fn has_registry(&self) -> bool {
        self.registry.is_none()
    }
}

/// Options for the reception of packets and for the journal.
#[derive(Debug, clap::Args)]
pub struct Nodes {
    /// UDP address and port for nodes; [::]:7356 accepts IPv6 and IPv4
    #[arg(long, value_name = "ADDR:PORT", default_value = "0.0.0.0:7356")]
    pub listen: SocketAddr,
    /// Also receive packets from an E32 module on a serial port; may be given more than once.
    /// BAUD is the port's baud rate (default 9600), RATE the module's air data rate (default
    /// 2.4k). docs/operator/radio.md describes the set-up of the module
    #[arg(long, value_name = "PATH[,BAUD[,RATE]]")]
    radio: Vec<Port>,
    /// Take frames from radio heads that connect to this address (TLS 1.3; `selo head add` makes a
    /// head's key). docs/operator/heads.md describes heads
    #[arg(long, value_name = "ADDR:PORT")]
    heads: Option<SocketAddr>,
    /// Serve the gateway's metrics in the OpenMetrics format at http://ADDR:PORT/metrics
    #[arg(long, value_name = "ADDR:PORT")]
    metrics: Option<SocketAddr>,
    /// When to sync the journal to the disk. `always`: a power failure loses no acknowledged
    /// reading, but each batch waits for the disk. `1s`: a power failure may lose the last
    /// second. `never`: the system decides. A killed gateway loses nothing with any of them.
    /// After a restart of the machine nodes join again
    #[arg(long, value_name = "always|1s|never", default_value = "1s")]
    sync: Sync,
    /// Maximum of undelivered readings in the journal, in megabytes. Above it the gateway
    /// accepts no packets
    #[arg(long, value_name = "MB", default_value_t = 1024)]
    undelivered: u64,
}

impl Nodes {
    pub fn set(&self, config: &mut Config) {
        config.radios.clone_from(&self.radio);
        config.heads = self.heads;
        config.metrics = self.metrics;
        config.sync = self.sync;
        config.undelivered_max = self.undelivered.saturating_mul(1 << 20);
    }
}

/// Options for the log on standard error.
#[derive(Debug, Clone, clap::Args)]
pub struct Log {
    /// Lowest level of the lines in the log
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    log: Level,
    /// Log one JSON object per line
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
Prints every reading as one line of JSON on standard output, with the schema selo.reading/1
(docs/reference.md). The log goes to standard error.

A killed gateway loses no reading that it has acknowledged: the next start prints those that
were not yet printed, with \"redelivered\":true. (device, session, counter) identifies a reading
for ever.

Examples:
  selo gateway                                 receive packets on UDP port 7356
  selo gateway | tee -a readings.jsonl
  selo gateway --metrics 127.0.0.1:9464        metrics for Prometheus
  selo gateway --radio /dev/ttyUSB0            also receive packets from a LoRa module
  selo gateway --mqtt mqtts://gateway@broker.example --mqtt-password-file gateway.password
  selo gateway --stream tls://gateway@nats.example --stream-password-file gateway.password
  selo device pair                             in a second terminal: add a node
  selo device list")]
pub struct Args {
    #[command(flatten)]
    state: State,
    #[command(flatten)]
    nodes: Nodes,
    /// Refused: the published protocol has moved to `selo classic`
    #[arg(long, hide = true, num_args = 0, default_missing_value = "", value_parser = no_classic)]
    allow_classic: Option<String>,
    /// Share the devices with other engines that hear the same nodes: answer only those of the
    /// shards that this engine owns, under a lease in the registry. Needs --registry
    #[arg(long)]
    engine: bool,
    /// Time after which other engines take over the shards of this one if it is gone
    #[arg(
        long,
        value_name = "TIME",
        default_value = "15s",
        requires = "engine",
        value_parser = parse_lease
    )]
    lease: Duration,
    #[command(flatten)]
    log: Log,
    #[command(flatten)]
    mqtt: Mqtt,
    #[command(flatten)]
    stream: stream::Stream,
}

fn parse_lease(text: &str) -> Result<Duration, String> {
    let time = humantime::parse_duration(text).map_err(|error| error.to_string())?;
    match time.as_secs() {
        1..=600 => Ok(time),
        _ => Err("1s to 10m".into()),
    }
}

impl Args {
    /// The publisher into a stream, if the options name a server.
    fn stream_publisher(&self) -> selo_base::report::Result<Option<Box<dyn Sink>>> {
        let names = self.mqtt.names();
        let (site, gateway) = (&names.site, &names.gateway_name);
        let Some(stream) = self.stream.config(site, format!("selo-{site}-{gateway}"))? else {
            return Ok(None);
        };
        let publisher = selo_stream::Publisher::new(selo_stream::PublisherConfig {
            stream,
            gateway: gateway.clone(),
            codecs: Box::new(self.mqtt.codecs()?),
        })?;
        Ok(Some(Box::new(publisher)))
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Level {
    Error,
    Warn,
    Info,
    Debug,
}

/// Refuses `--allow-classic`, and names the command that replaced it.
fn no_classic(_: &str) -> Result<String, String> {
    Err(
        "the gateway does not accept the published protocol, which has no authentication\n\
         hint: `selo classic --listen ADDR:PORT` accepts it, for studies"
            .into(),
    )
}

pub fn run(args: &Args) -> selo_base::report::Result<ExitCode> {
    args.log.start();
    // Register first, so that a signal during the start is not lost.
    let signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).context("cannot handle signals")?;
    let directory = args.state.open()?;
    let registry = args.state.place(&directory, args.mqtt.gateway_name());
    let state = directory.path();
    let print = JsonLines::new(stdout());
    let publisher = match args.stream_publisher()? {
        Some(publisher) => Some(publisher),
        None => args
            .mqtt
            .publisher()?
            .map(|it| Box::new(it) as Box<dyn Sink>),
    };
    let printing = publisher.is_none() || args.mqtt.print;
    let mut config = match publisher {
        None => Config::new(state, args.nodes.listen, print),
        Some(publisher) if printing => {
            Config::new(state, args.nodes.listen, Both::new(publisher, print))
        }
        Some(publisher) => Config::new(state, args.nodes.listen, publisher),
    };
    args.nodes.set(&mut config);
    config.registry = Some(registry);
    config.lease = args.engine.then_some(args.lease);
    let gateway = Gateway::start(config)?;
    if printing && stdout().is_terminal() && stderr().is_terminal() {
        eprintln!(
            "Readings appear here. To add a node, run `selo device pair` in another terminal."
        );
    }

    let (stop, stopped) = channel();
    std::thread::spawn(move || wait_for_signal(signals, &stop, || {}));
    let manager = Manager::find();
    manager.ready();
    // Runs until the gateway fails or a signal arrives.
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

/// SIGINT and SIGTERM end the program. SIGHUP, which a closing terminal also sends, only makes the
/// collector read its certificates again.
pub fn wait_for_signal(mut signals: Signals, stop: &Sender<()>, reload: impl Fn()) {
    for signal in signals.forever() {
        if signal == SIGHUP {
            reload();
        } else {
            let _ = stop.send(());
        }
    }
}
