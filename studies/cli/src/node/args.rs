//! The arguments of `selo node`.

use std::net::{SocketAddr, ToSocketAddrs};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use selo_gateway::radio::Port;
use selo_gateway::state::StateDir;
use selo_nodes::impairment::{Chance, Impairment};
use selo_nodes::records::Records;
use selo_sys::node::Suite;

use super::suite::SuiteName;

/// The gateway's default port.
const PORT: u16 = 7356;

/// Minimum time between two readings of a node.
const EVERY_MIN: Duration = Duration::from_millis(1);

#[derive(Debug, clap::Args)]
#[command(after_help = "\
A virtual node runs the C library natively. Its key, seed and join counter are stored in the
state directory, so the next run acts like a restart of every board.

A node needs a key that its gateway knows, in one of these ways:
  --pair                     one node pairs, and a person compares six digits
  --make-registry FILE       makes keys for --count nodes, and the file for the gateway:
                             `selo device import FILE`
  --registry FILE            takes the keys of `selo device export --with-keys FILE`

Readings are 16 bytes of a made-up rain gauge (station/src/selo_station/reading.h). Options can impair the
network between nodes and gateway, in both directions alike.

Examples:
  selo node --to 127.0.0.1 --pair
  selo node --count 10000 --make-registry nodes.csv --state ten-thousand
  selo device import nodes.csv
  selo node --to 127.0.0.1 --state ten-thousand --every 5s --for 1m
  selo node --to 127.0.0.1 --readings 20 --confirmed --loss 20% --delay 20ms..200ms
  selo node --board uno --to 127.0.0.1 --eeprom uno.eeprom --every 10s
  selo node --radio /dev/ttyUSB0 --pair        by a LoRa module (docs/operator/radio.md)
  selo node --board uno --radio uno.air        the rain gauge, with a virtual LoRa module

Exit codes: 0 every node had a session and no confirmed reading was lost, 1 otherwise,
2 wrong usage, 3 the simulator is missing.")]
pub struct Args {
    /// The gateway; without a port, 7356
    #[arg(
        long,
        value_name = "ADDR[:PORT]",
        required_unless_present_any = ["make_registry", "radio"]
    )]
    pub(super) to: Option<String>,
    /// Reach the gateway by an E32 module on a serial port instead; for one node. With --board:
    /// run the rain gauge with that module, which may be a socket of `selo radio run --board`
    #[arg(long, value_name = "PATH[,BAUD[,RATE]]", conflicts_with_all = ["to", "make_registry"])]
    pub(super) radio: Option<Port>,
    /// Nodes (default: those of the state directory, else one)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(super) count: Option<u32>,
    /// Suite of new nodes; a node with a record keeps its own suite [default: chachapoly-blake2s]
    #[arg(long, value_enum)]
    pub(super) suite: Option<SuiteName>,

    /// Pair first; asks for the digits that the gateway shows
    #[arg(long, conflicts_with_all = ["registry", "make_registry"])]
    pub(super) pair: bool,
    /// Take ids and keys from a file of `selo device export --with-keys`, JSON or CSV
    #[arg(long, value_name = "FILE", conflicts_with = "make_registry")]
    pub(super) registry: Option<PathBuf>,
    /// Make keys, write them for `selo device import`, and exit; .csv or .json
    #[arg(long, value_name = "FILE")]
    pub(super) make_registry: Option<PathBuf>,
    /// Directory with the nodes' records (default: nodes/ in $SELO_STATE, in
    /// $XDG_STATE_HOME/selo or in ~/.local/state/selo); made with mode 0700
    #[arg(long, value_name = "DIR", conflicts_with = "eeprom")]
    pub(super) state: Option<PathBuf>,

    /// Time between two readings of a node
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = parse_every)]
    pub(super) every: Duration,
    /// Readings of each node (default: until Ctrl-C or --for)
    #[arg(long, value_name = "N")]
    pub(super) readings: Option<u64>,
    /// Repeat each reading until the gateway acknowledges it
    #[arg(long)]
    pub(super) confirmed: bool,
    /// Stop after this time
    #[arg(long = "for", value_name = "TIME", value_parser = humantime::parse_duration)]
    pub(super) limit: Option<Duration>,

    #[command(flatten)]
    pub(super) network: Network,

    /// Seed of network, weather and start times; never of keys
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,

    /// Run the firmware on a simulated board instead; `selo lab list boards` names them
    #[arg(long, value_name = "NAME", conflicts_with_all = ["count", "state", "make_registry"])]
    pub(super) board: Option<String>,
    /// File for the board's EEPROM; created if missing (default: a temporary one)
    #[arg(long, value_name = "FILE", requires = "board")]
    pub(super) eeprom: Option<PathBuf>,
    /// Simulate the board as fast as possible, not at the pace of the clock
    #[arg(long, requires = "board", conflicts_with = "radio")]
    pub(super) fast: bool,
    /// Tips of the rain gauge's bucket per hour, at random times, after it has joined; 60 tips are 12 mm
    #[arg(long, value_name = "TIPS", default_value_t = 60.0, value_parser = parse_rain)]
    pub(super) rain: f64,
    /// Tips after which it stops raining (default: never)
    #[arg(long, value_name = "N", requires = "board", requires = "radio")]
    pub(super) tips: Option<u64>,
    /// Start with a clock that lost its power and waits for the gateway's time
    #[arg(long, requires = "board", requires = "radio")]
    pub(super) clock_lost: bool,

    /// The summary as one JSON object on stdout, nothing else
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Network impairments, in each direction")]
pub(super) struct Network {
    /// Share of frames that are lost, such as 5%
    #[arg(
        long,
        value_name = "CHANCE",
        default_value = "0",
        conflicts_with = "board"
    )]
    pub(super) loss: Chance,
    /// Delay in the network, such as 50ms or 20ms..200ms
    #[arg(long, value_name = "TIME[..TIME]", default_value = "0ms", value_parser = parse_delay, conflicts_with = "board")]
    pub(super) delay: RangeInclusive<Duration>,
    /// Share of frames that later ones overtake
    #[arg(
        long,
        value_name = "CHANCE",
        default_value = "0",
        conflicts_with = "board"
    )]
    pub(super) reorder: Chance,
    /// Share of frames that arrive twice
    #[arg(
        long,
        value_name = "CHANCE",
        default_value = "0",
        conflicts_with = "board"
    )]
    pub(super) duplicate: Chance,
    /// Share of frames in which one bit changes
    #[arg(
        long,
        value_name = "CHANCE",
        default_value = "0",
        conflicts_with = "board"
    )]
    pub(super) corrupt: Chance,
    /// Share of frames that are truncated
    #[arg(
        long,
        value_name = "CHANCE",
        default_value = "0",
        conflicts_with = "board"
    )]
    pub(super) truncate: Chance,
}

fn without_brackets(host: &str) -> &str {
    host.strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'))
        .unwrap_or(host)
}

fn parse_every(text: &str) -> Result<Duration, String> {
    let every = humantime::parse_duration(text).map_err(|error| error.to_string())?;
    if every < EVERY_MIN {
        return Err(format!(
            "must be at least {}",
            humantime::format_duration(EVERY_MIN)
        ));
    }
    Ok(every)
}

fn parse_rain(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(tips) if (0.0..=7200.0).contains(&tips) => Ok(tips),
        _ => Err("must be between 0 and 7200, the most that a bucket can tip".into()),
    }
}

fn parse_delay(text: &str) -> Result<RangeInclusive<Duration>, String> {
    let time = |text: &str| humantime::parse_duration(text).map_err(|error| error.to_string());
    let (least, most) = match text.split_once("..") {
        Some((least, most)) => (time(least)?, time(most)?),
        None => (time(text)?, time(text)?),
    };
    if least > most {
        return Err("write the shortest delay first, such as 20ms..200ms".into());
    }
    Ok(least..=most)
}

/// Makes the error of an impossible request, with a hint.
pub(super) fn wrong(what: impl Into<String>, hint: impl Into<String>) -> selo_base::report::Report {
    let (what, hint) = (what.into(), hint.into());
    selo_nodes::Error::Wrong { what, hint }.into()
}

impl Args {
    pub(super) fn gateway(&self) -> selo_base::report::Result<SocketAddr> {
        let name = self.to.as_deref().unwrap_or_default();
        let hint = || {
            format!(
                "use an address such as 192.0.2.1, [2001:db8::1]:{PORT} or gateway.example:{PORT}"
            )
        };
        // A second colon without brackets belongs to an IPv6 address.
        let port = name.rsplit_once(':').filter(|(host, _)| {
            !host.contains(':') || (host.starts_with('[') && host.ends_with(']'))
        });
        let found = match port {
            Some((host, port)) => {
                let port: u16 = port.parse().ok().filter(|port| *port != 0).ok_or_else(|| {
                    wrong(format!("--to {name}: '{port}' is not a valid port"), hint())
                })?;
                (without_brackets(host), port).to_socket_addrs()
            }
            None => (without_brackets(name), PORT).to_socket_addrs(),
        };
        found
            .ok()
            .and_then(|mut addresses| addresses.next())
            .ok_or_else(|| wrong(format!("--to {name}: the host is unknown"), hint()))
    }

    pub(super) fn suite(&self) -> Suite {
        self.suite
            .map_or(Suite::ChaChaPolyBlake2s, SuiteName::suite)
    }

    pub(super) fn records(&self) -> selo_base::report::Result<Records> {
        let path = match &self.state {
            Some(path) => path.clone(),
            None => match std::env::var_os("SELO_STATE") {
                Some(state) if !state.is_empty() => PathBuf::from(state).join("nodes"),
                _ => StateDir::default_path()?.join("nodes"),
            },
        };
        Ok(Records::open(&path)?)
    }

    pub(super) fn impairment(&self) -> Impairment {
        let network = &self.network;
        Impairment {
            loss: network.loss,
            delay: network.delay.clone(),
            reorder: network.reorder,
            duplicate: network.duplicate,
            corrupt: network.corrupt,
            truncate: network.truncate,
        }
    }
}
