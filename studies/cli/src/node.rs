//! `selo node`: virtual nodes, one or ten thousand, and the firmware on a simulated board.

mod board;
mod pair;
mod radio;
mod station;

use std::net::{SocketAddr, ToSocketAddrs};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use selo_base::report::{Context, machine};
use selo_gateway::device_file::{self, Format};
use selo_gateway::radio::Port;
use selo_gateway::registry::Record;
use selo_gateway::state::StateDir;
use selo_link::{DeviceId, DeviceKey, random_bytes};
use selo_nodes::fleet::{self, Plan, Tally};
use selo_nodes::impairment::{Chance, Impairment};
use selo_nodes::node::{VirtualNode, describe, has_key, provisioned, system_entropy};
use selo_nodes::records::Records;
use selo_report::format;
use selo_sys::node::Suite;

use selo_command::files::{read_file, write_private};
use selo_command::status::StatusLine;

/// The gateway's default port.
const PORT: u16 = 7356;

/// Minimum time between two readings of a node.
const EVERY_MIN: Duration = Duration::from_millis(1);

#[derive(Debug, clap::Args)]
#[command(after_help = "\
A virtual node runs the C library, natively. What it stores (key, seed, join counter) is kept
in the state directory, so that the next run is what a restart of every board would be.

A node needs a key that its gateway knows, in one of these ways:
  --pair                     one node pairs, and a person compares six digits
  --make-registry FILE       makes keys for --count nodes, and the file for the gateway:
                             `selo device import FILE`
  --registry FILE            takes the keys of `selo device export --with-keys FILE`

Readings are 16 bytes of a made-up rain gauge (station/src/selo_station/reading.h). The network between
nodes and gateway can be made worse, in both directions alike.

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
    to: Option<String>,
    /// Reach the gateway by an E32 module on a serial port instead; for one node. With --board:
    /// run the rain gauge with that module, which may be a socket of `selo radio run --board`
    #[arg(long, value_name = "PATH[,BAUD[,RATE]]", conflicts_with_all = ["to", "make_registry"])]
    radio: Option<Port>,
    /// Nodes (default: those of the state directory, else one)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    count: Option<u32>,
    /// Suite of new nodes; a node with a record keeps its own suite [default: chachapoly-blake2s]
    #[arg(long, value_enum)]
    suite: Option<SuiteName>,

    /// Pair first; asks for the digits that the gateway shows
    #[arg(long, conflicts_with_all = ["registry", "make_registry"])]
    pair: bool,
    /// Take ids and keys from a file of `selo device export --with-keys`, JSON or CSV
    #[arg(long, value_name = "FILE", conflicts_with = "make_registry")]
    registry: Option<PathBuf>,
    /// Make keys, write them for `selo device import`, and end; .csv or .json
    #[arg(long, value_name = "FILE")]
    make_registry: Option<PathBuf>,
    /// Directory with the nodes' records (default: nodes/ in $SELO_STATE, in
    /// $XDG_STATE_HOME/selo or in ~/.local/state/selo); made with mode 0700
    #[arg(long, value_name = "DIR", conflicts_with = "eeprom")]
    state: Option<PathBuf>,

    /// Time between two readings of a node
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = parse_every)]
    every: Duration,
    /// Readings of each node (default: until Ctrl-C or --for)
    #[arg(long, value_name = "N")]
    readings: Option<u64>,
    /// Repeat each reading until the gateway acknowledges it
    #[arg(long)]
    confirmed: bool,
    /// Stop after this time
    #[arg(long = "for", value_name = "TIME", value_parser = humantime::parse_duration)]
    limit: Option<Duration>,

    #[command(flatten)]
    network: Network,

    /// Seed of network, weather and start times; never of keys
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Run the firmware on a simulated board instead; `selo lab list boards` names them
    #[arg(long, value_name = "NAME", conflicts_with_all = ["count", "state", "make_registry"])]
    board: Option<String>,
    /// File for the board's EEPROM; created if missing (default: a temporary one)
    #[arg(long, value_name = "FILE", requires = "board")]
    eeprom: Option<PathBuf>,
    /// Simulate the board as fast as possible, not at the pace of the clock
    #[arg(long, requires = "board", conflicts_with = "radio")]
    fast: bool,
    /// Tips of the rain gauge's bucket in an hour, at random, once it has joined; 60 are 12 mm
    #[arg(long, value_name = "TIPS", default_value_t = 60.0, value_parser = parse_rain)]
    rain: f64,
    /// Tips after which it stops raining (default: never)
    #[arg(long, value_name = "N", requires = "board", requires = "radio")]
    tips: Option<u64>,
    /// Start with a clock that lost its power and waits for the gateway's time
    #[arg(long, requires = "board", requires = "radio")]
    clock_lost: bool,

    /// The summary as one JSON object on stdout, nothing else
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "A worse network, in each direction")]
struct Network {
    /// Share of frames that are lost, such as 5%
    #[arg(
        long,
        value_name = "CHANCE",
        default_value = "0",
        conflicts_with = "board"
    )]
    loss: Chance,
    /// Delay in the network, such as 50ms or 20ms..200ms
    #[arg(long, value_name = "TIME[..TIME]", default_value = "0ms", value_parser = parse_delay, conflicts_with = "board")]
    delay: RangeInclusive<Duration>,
    /// Share of frames that later ones overtake
    #[arg(
        long,
        value_name = "CHANCE",
        default_value = "0",
        conflicts_with = "board"
    )]
    reorder: Chance,
    /// Share of frames that arrive twice
    #[arg(
        long,
        value_name = "CHANCE",
        default_value = "0",
        conflicts_with = "board"
    )]
    duplicate: Chance,
    /// Share of frames in which one bit changes
    #[arg(
        long,
        value_name = "CHANCE",
        default_value = "0",
        conflicts_with = "board"
    )]
    corrupt: Chance,
    /// Share of frames that are truncated
    #[arg(
        long,
        value_name = "CHANCE",
        default_value = "0",
        conflicts_with = "board"
    )]
    truncate: Chance,
}

/// The suites, as the link names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum SuiteName {
    #[value(name = "aesgcm-sha3-256")]
    AesGcmSha3,
    #[value(name = "chachapoly-blake2s")]
    ChaChaPolyBlake2s,
    #[value(name = "aesgcm-sha256")]
    AesGcmSha256,
    Ascon,
}

impl SuiteName {
    fn suite(self) -> Suite {
        match self {
            SuiteName::AesGcmSha3 => Suite::AesGcmSha3_256,
            SuiteName::ChaChaPolyBlake2s => Suite::ChaChaPolyBlake2s,
            SuiteName::AesGcmSha256 => Suite::AesGcmSha256,
            SuiteName::Ascon => Suite::Ascon,
        }
    }
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
            "at least {}",
            humantime::format_duration(EVERY_MIN)
        ));
    }
    Ok(every)
}

fn parse_rain(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(tips) if (0.0..=7200.0).contains(&tips) => Ok(tips),
        _ => Err("0 to 7200: a bucket does not tip faster".into()),
    }
}

fn parse_delay(text: &str) -> Result<RangeInclusive<Duration>, String> {
    let time = |text: &str| humantime::parse_duration(text).map_err(|error| error.to_string());
    let (least, most) = match text.split_once("..") {
        Some((least, most)) => (time(least)?, time(most)?),
        None => (time(text)?, time(text)?),
    };
    if least > most {
        return Err("the shortest delay comes first: 20ms..200ms".into());
    }
    Ok(least..=most)
}

/// Makes the error of an impossible request, with a hint.
fn wrong(what: impl Into<String>, hint: impl Into<String>) -> selo_base::report::Report {
    let (what, hint) = (what.into(), hint.into());
    selo_nodes::Error::Wrong { what, hint }.into()
}

impl Args {
    fn gateway(&self) -> selo_base::report::Result<SocketAddr> {
        let name = self.to.as_deref().unwrap_or_default();
        let hint = || format!("such as 192.0.2.1, [2001:db8::1]:{PORT} or gateway.example:{PORT}");
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
            .ok_or_else(|| wrong(format!("--to {name}: there is no such host"), hint()))
    }

    fn suite(&self) -> Suite {
        self.suite
            .map_or(Suite::ChaChaPolyBlake2s, SuiteName::suite)
    }

    fn records(&self) -> selo_base::report::Result<Records> {
        let path = match &self.state {
            Some(path) => path.clone(),
            None => match std::env::var_os("SELO_STATE") {
                Some(state) if !state.is_empty() => PathBuf::from(state).join("nodes"),
                _ => StateDir::default_path()?.join("nodes"),
            },
        };
        Ok(Records::open(&path)?)
    }

    fn impairment(&self) -> Impairment {
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

pub fn run(args: &Args, project: Option<&Path>) -> selo_base::report::Result<ExitCode> {
    if let Some(file) = &args.make_registry {
        return make_registry(args, file);
    }
    // After Ctrl-C the summary follows.
    let stop = selo_base::interrupt::flag();
    if let (Some(name), Some(port)) = (&args.board, &args.radio) {
        return station::run(args, name, port, project, &stop);
    }
    let mut _bridge = None;
    let to = match &args.radio {
        Some(port) => _bridge.insert(radio::Bridge::start(port)?).address(),
        None => args.gateway()?,
    };
    if let Some(name) = &args.board {
        return board::run(args, name, to, project, &stop);
    }
    let mut records = args.records()?;
    if let Some(file) = &args.registry {
        take_registry(args, file, &mut records)?;
    }
    let mut nodes = start(args, &records)?;
    if args.pair && !pair::run(&mut nodes, &mut records, to, &stop)? {
        return Ok(ExitCode::from(1));
    }
    if let Some(number) = nodes.iter_mut().position(|node| !node.node().is_paired()) {
        return Err(wrong(
            format!("node {number} has no key"),
            "--pair, --registry FILE or --make-registry FILE gives it one",
        ));
    }
    if args.readings == Some(0) {
        return Ok(ExitCode::SUCCESS);
    }
    let count = nodes.len();
    let start = Instant::now();
    let tally = drive(args, nodes, records, to, &stop)?;
    let took = start.elapsed();
    let tally = &tally;
    Report { count, tally, took }.print(args, to);
    let whole = tally.joined == count as u64 && tally.lost == 0;
    Ok(ExitCode::from(u8::from(!whole)))
}

fn device_suite(suite: Suite) -> selo_base::report::Result<selo_link::Suite> {
    selo_link::Suite::try_from(suite.code()).map_err(machine)
}

fn node_suite(suite: selo_link::Suite) -> selo_base::report::Result<Suite> {
    Suite::from_code(suite.code()).context("the device library lacks the suite")
}

/// Makes ids and keys for --count nodes, and writes the file for the gateway.
fn make_registry(args: &Args, file: &Path) -> selo_base::report::Result<ExitCode> {
    let mut records = args.records()?;
    if !records.is_empty() {
        return Err(wrong(
            "the state directory holds nodes already",
            "name another one with --state DIR",
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
            format!("{} is there already", file.display()),
            "name another file: nobody could join with keys that were written over",
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
fn first_record(device: &Record) -> selo_base::report::Result<selo_nodes::records::Record> {
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
fn read_registry(args: &Args, file: &Path) -> selo_base::report::Result<Vec<Record>> {
    let bytes = read_file(file)?;
    let what = file.display().to_string();
    let mut devices = device_file::read(&bytes[..], file_format(file), &what)?;
    devices.retain(|device| device.revoked.is_none());
    if let Some(count) = args.count {
        devices.truncate(count as usize);
    }
    if devices.is_empty() {
        return Err(wrong(
            format!("{what} holds no device that may join"),
            "`selo device export --with-keys FILE` writes one that does",
        ));
    }
    Ok(devices)
}

/// Assigns the devices of a file to the nodes. A node that already is one of them keeps its record,
/// because its join counters are used up.
fn take_registry(args: &Args, file: &Path, records: &mut Records) -> selo_base::report::Result<()> {
    for (number, device) in read_registry(args, file)?.iter().enumerate() {
        match records.get(number).map(|record| (describe(record), record)) {
            Some((Some(info), record)) => {
                if info.id != device.id.0 {
                    return Err(wrong(
                        format!(
                            "node {number} of the state directory is {:08x}, in {} it is {}",
                            info.id,
                            file.display(),
                            device.id
                        ),
                        "name another directory with --state DIR",
                    ));
                }
                if has_key(record, device.key.expose()) {
                    continue;
                }
            }
            Some((None, _)) => {
                return Err(wrong(
                    format!("node {number} of the state directory is damaged"),
                    "name another directory with --state DIR",
                ));
            }
            None => {}
        }
        records.set(number, first_record(device)?);
    }
    records.commit()?;
    Ok(())
}

/// Starts the nodes.
fn start(args: &Args, records: &Records) -> selo_base::report::Result<Vec<VirtualNode>> {
    let count = match args.count {
        Some(count) => count as usize,
        None => records.len().max(1),
    };
    if args.radio.is_some() && count != 1 {
        return Err(wrong(
            format!("a module is one node's, not {count}"),
            "--count 1, or another --state DIR",
        ));
    }
    if args.pair && count != 1 {
        return Err(wrong(
            format!("one node pairs at a time, not {count}"),
            "leave --count out, and give each node that pairs a --state DIR of its own",
        ));
    }
    let node = |number: usize| {
        let record = records.get(number).copied();
        let suite = match record.as_ref().and_then(describe) {
            Some(info) if args.suite.is_some_and(|suite| suite.suite() != info.suite) => {
                let kept = device_suite(info.suite)?;
                return Err(wrong(
                    format!("node {number} of the state directory is of suite {kept}"),
                    "leave --suite out, or name another directory with --state DIR",
                ));
            }
            Some(info) => info.suite,
            None => args.suite(),
        };
        let started = VirtualNode::start(suite, record, system_entropy());
        started.map_err(|source| {
            selo_nodes::Error::Node {
                node: number,
                source,
            }
            .into()
        })
    };
    (0..count).map(node).collect()
}

/// Runs the nodes, and shows the progress on a terminal.
fn drive(
    args: &Args,
    nodes: Vec<VirtualNode>,
    records: Records,
    to: SocketAddr,
    stop: &AtomicBool,
) -> selo_base::report::Result<Tally> {
    let plan = Plan {
        to,
        every: args.every,
        readings: args.readings,
        confirmed: args.confirmed,
        impairment: args.impairment(),
        seed: args.seed,
        limit: args.limit,
        threads: std::thread::available_parallelism()
            .map_or(1, usize::from)
            .min(4),
        speed: 1,
    };
    let status = StatusLine::new();
    let count = nodes.len();
    let tally = fleet::run(nodes, records, &plan, stop, |tally| {
        status.say(&words(count, to, tally, args.confirmed));
    })?;
    Ok(tally)
}

fn number(value: u64) -> String {
    format::count(value as f64)
}

fn words(count: usize, to: SocketAddr, tally: &Tally, confirmed: bool) -> String {
    let mut words = format!(
        "{} of {} joined, {} sent",
        number(tally.joined_now),
        number(count as u64),
        number(tally.sent)
    );
    if confirmed {
        words += &format!(
            ", {} acknowledged, {} given up",
            number(tally.acknowledged),
            number(tally.lost)
        );
    }
    if tally.rejoins > 0 {
        words += &format!(", {} rejoins", number(tally.rejoins));
    }
    if tally.frames_in == 0 && tally.frames_out > 0 {
        words += &format!("; no answer from {to} yet");
    }
    words
}

/// The summary of a run.
struct Report<'a> {
    count: usize,
    tally: &'a Tally,
    took: Duration,
}

impl Report<'_> {
    fn print(&self, args: &Args, to: SocketAddr) {
        if args.json {
            println!("{}", self.json());
        } else {
            print!("{}", self.text(args));
        }
        if let Some(hint) = self.hint(to) {
            eprintln!("hint: {hint}");
        }
    }

    fn json(&self) -> serde_json::Value {
        let Report { count, tally, took } = self;
        let milliseconds = |part| {
            let time = tally.latency.quantile(part);
            time.map(|time| time.as_micros() as f64 / 1000.0)
        };
        serde_json::json!({
            "schema": "selo.nodes/1",
            "seconds": took.as_millis() as f64 / 1000.0,
            "nodes": count,
            "joined": tally.joined,
            "joined_at_the_end": tally.joined_now,
            "rejoins": tally.rejoins,
            "sessions_lost": tally.sessions_lost,
            "sent": tally.sent,
            "acknowledged": tally.acknowledged,
            "lost": tally.lost,
            "skipped": tally.skipped,
            "received": tally.received,
            "frames_out": tally.frames_out,
            "frames_in": tally.frames_in,
            "send_errors": tally.send_errors,
            "network": {
                "lost": tally.network.lost,
                "doubled": tally.network.doubled,
                "overtaken": tally.network.overtaken,
                "altered": tally.network.altered,
                "cut": tally.network.cut,
            },
            "acknowledged_ms": {
                "median": milliseconds(0.5),
                "p99": milliseconds(0.99),
                "most": milliseconds(1.0),
            },
        })
    }

    fn text(&self, args: &Args) -> String {
        let Report { count, tally, took } = self;
        let mut text = format!(
            "{} of {} joined, {} rejoins, in {}\n",
            number(tally.joined),
            format::things(*count, "node", "nodes"),
            number(tally.rejoins),
            humantime::format_duration(Duration::from_millis(took.as_millis() as u64))
        );
        text += &format!("{} readings sent", number(tally.sent));
        if args.confirmed {
            text += &format!(
                ": {} acknowledged, {} given up, {} unsettled at the end",
                number(tally.acknowledged),
                number(tally.lost),
                number(tally.unsettled())
            );
        }
        if tally.skipped > 0 {
            text += &format!(
                "; {} skipped, as the one before still waited",
                number(tally.skipped)
            );
        }
        text.push('\n');
        let time = |part| {
            let time = tally.latency.quantile(part)?;
            let seconds = format::significant(time.as_secs_f64() * 1000.0, 2);
            Some(format!("{seconds} ms"))
        };
        if let (Some(median), Some(most_of), Some(most)) = (time(0.5), time(0.99), time(1.0)) {
            text +=
                &format!("acknowledged after {median} (median), {most_of} (99%), {most} (all)\n");
        }
        text += &format!(
            "{} frames out, {} in",
            number(tally.frames_out),
            number(tally.frames_in)
        );
        if args.impairment() != Impairment::default() {
            let network = &tally.network;
            text += &format!(
                "; of both, {} lost, {} doubled, {} overtaken, {} altered, {} cut",
                number(network.lost),
                number(network.doubled),
                number(network.overtaken),
                number(network.altered),
                number(network.cut)
            );
        }
        text.push('\n');
        if tally.received > 0 {
            text += &format!("{} messages received\n", number(tally.received));
        }
        text
    }

    /// A likely reason why nodes did not join, as far as the nodes can tell.
    fn hint(&self, to: SocketAddr) -> Option<String> {
        let Report { count, tally, .. } = self;
        if tally.joined >= *count as u64 {
            return None;
        }
        Some(match (tally.frames_in, tally.send_errors) {
            (0, 1..) => format!("nobody listens at {to}: selo gateway --listen {to}"),
            (0, 0) => format!(
                "no answer from {to}: is a gateway there, and does it know these nodes? \
                 `selo device list` on its machine says"
            ),
            _ => "the gateway knows some of the nodes; give the rest more time, or see \
                  `selo device list` on its machine"
                .into(),
        })
    }
}
