//! The subcommands, for `selo exchange` and for the small program of this crate, which is
//! built for a Raspberry Pi in a minute.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Subcommand};
use selo_engine::energy::PowerProfile;
use selo_engine::project::Project;
use selo_report::format::things;
use selo_report::svg::Picture;
use selo_report::table::{Table, TerminalStyle};
use selo_tls::station::Reading;

use crate::cipher::{BuiltIn, Cipher};
use crate::client::Exchange;
use crate::embedded::Embedded;
use crate::error::{Error, Result};
use crate::implementation::{self, Implementation};
use crate::key::Key;
use crate::link::Handshake;
use crate::payload::Payload;
use crate::row::{self, Experiment, Figure, Row, Rows, Served, Stamps, Unit};
use crate::run::{Measured, Outcome, Plan, run};
use crate::tls::client::{Client, Url, request};
use crate::tls::library::{self, Ask, Features, LIBRARIES};
use crate::tls::{Group, Suite};
use crate::ways::Chip;
use crate::{figures, link, peer, published, server, tls, ways};

/// Where rows are, unless told otherwise.
const ROWS: &str = "out/exchange/rows.jsonl";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make a pre-shared key, or say which one a file holds
    Key(KeyArgs),
    /// Who offers which cipher, and the suites of TLS
    List,
    /// Wait for messages, and send them back
    Serve(ServeArgs),
    /// Send messages to a server and get them back, by every cipher, and time it
    Run(RunArgs),
    /// Wait for readings over TLS 1.3
    ServeTls(ServeTlsArgs),
    /// Send readings to a web server, by every suite of TLS 1.3, and time it
    Tls(TlsArgs),
    /// Let a node join and send a reading by the link, on a board's emulator, and count it
    Link(LinkArgs),
    /// Let the client or the server of C on a board's emulator exchange messages, and count the
    /// instructions of its cipher
    Peer(PeerArgs),
    /// Tables and pictures of what was measured
    Report(ReportArgs),
    /// A published paper's figures, ours beside them
    Compare(CompareArgs),
    /// What one sealed reading costs by each way: the link, TLS 1.3
    Ways(WaysArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  selo exchange key out/exchange/key          a new key, mode 0600; copy it by a safe way
  selo exchange key --id out/exchange/key     a name of the key, to compare two files")]
pub struct KeyArgs {
    /// File of the key
    file: PathBuf,
    /// Make nothing; print the name of the key that the file holds
    #[arg(long)]
    id: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Prints one line, `listening ADDR:PORT`, and serves until it is stopped.

Examples:
  selo exchange serve --key out/exchange/key
  selo exchange serve --key key --listen 0.0.0.0:7390 --store received")]
pub struct ServeArgs {
    /// Where to listen; port 0 takes one that is free
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:7390")]
    listen: String,
    /// File of the pre-shared key
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// Who computes: see `selo exchange list`. A library may be followed by :VARIANT
    #[arg(long, default_value = "selo", value_name = "NAME")]
    implementation: String,
    /// Folder for what was decrypted
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
    /// Largest payload in bytes
    #[arg(long, value_name = "N", default_value_t = 16 << 20, value_parser = clap::value_parser!(u32).range(0..=i64::from(crate::wire::MAX_PAYLOAD)))]
    max_payload: u32,
    #[command(flatten)]
    limits: Limits,
    /// Say that this machine is an emulator: rows are then marked
    #[arg(long)]
    emulated: bool,
}

#[derive(Debug, Args)]
struct Limits {
    /// Clients at a time
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    max_clients: u32,
    /// Seconds that a client may say nothing
    #[arg(long, value_name = "S", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,
}

/// What both experiments have in common.
#[derive(Debug, Args)]
struct Common {
    /// Counted repetitions of each combination
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    repeat: u32,
    /// Repetitions before them that are not counted
    #[arg(long, value_name = "N", default_value_t = 3)]
    warm_up: u32,
    /// Decides the order of the exchanges
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Rows, one a line, as they are made; the same command goes on with them
    #[arg(long, value_name = "FILE", default_value = ROWS)]
    out: PathBuf,
    /// Which machines, in a word that rows carry: two-processes, pc-pi, pi-pi, ...
    #[arg(long, value_name = "WORD", default_value = "two-processes")]
    scenario: String,
    /// What is between the machines, in words
    #[arg(long, value_name = "WORDS", default_value = "loopback")]
    link: String,
    /// Seconds to wait for anything
    #[arg(long, value_name = "S", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,
    /// Say that this machine is an emulator: rows are then marked
    #[arg(long)]
    emulated: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
The experiment of ferreira2020 (docs/exchange.md). Both ends compare what they decrypted with
what was sent. CBC is not authenticated and labelled so; its IV is drawn anew each time.

Examples:
  selo exchange run --key key --cipher aes-128-cbc,aes-192-cbc,aes-256-cbc \\
      --payload string,image --repeat 100
  selo exchange run --key key --to raspberrypi:7390 --cipher all --scenario pc-pi
  selo exchange run --key key --implementation selo,openssl,mbedtls,wolfcrypt:small

Exit codes: 0 all went well, 1 an exchange failed, 2 wrong usage or data, 4 an error of the
machine.")]
pub struct RunArgs {
    /// The server
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:7390")]
    to: String,
    /// File of the pre-shared key
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// Ciphers, or all
    #[arg(long, value_delimiter = ',', default_value = "all")]
    cipher: Vec<String>,
    /// Payloads: string (1,215 bytes), image (2 MB), a number of bytes, or a file
    #[arg(long, value_delimiter = ',', default_value = "string")]
    payload: Vec<String>,
    /// Who computes here: see `selo exchange list`. A library may be followed by :VARIANT
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "selo",
        value_name = "NAME"
    )]
    implementation: Vec<String>,
    /// Folder for what came back
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Takes readings at /api/v1/exchange/reading, and the times that stations report at .../handshake
and .../exchange. Prints one line, `listening ADDR:PORT`, and serves until it is stopped.

Examples:
  selo setup tls
  selo exchange serve-tls --cert tls/server.pem --cert-key tls/server.key
  selo exchange serve-tls --cert tls/server.pem --cert-key tls/server.key \\
      --suite TLS_CHACHA20_POLY1305_SHA256 --group x25519mlkem768")]
pub struct ServeTlsArgs {
    /// Where to listen; port 0 takes one that is free
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:7391")]
    listen: String,
    /// Certificate chain (PEM)
    #[arg(long, value_name = "FILE")]
    cert: PathBuf,
    /// Its private key, mode 0600
    #[arg(long, value_name = "FILE")]
    cert_key: PathBuf,
    /// Suites to offer, or all
    #[arg(long, value_delimiter = ',', default_value = "all")]
    suite: Vec<String>,
    /// Key exchanges to offer, or all
    #[arg(long, value_delimiter = ',', default_value = "all")]
    group: Vec<String>,
    /// Give no tickets: nobody can resume, and clients need not understand them
    #[arg(long)]
    without_tickets: bool,
    /// File for what comes, one JSON object a line
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
    #[command(flatten)]
    limits: Limits,
}

#[derive(Debug, Args)]
#[command(after_help = "\
The experiment of ferreira2021 (docs/exchange.md). The handshake is timed from its first
message until the client may send; the exchange from the request until its whole answer.

Examples:
  selo exchange tls --to https://localhost:7391 --ca tls/ca.pem --suite all
  selo exchange tls --ca tls/ca.pem --client wolfssl,wolfssl@esp8266,mbedtls@esp8266 --repeat 5
  selo exchange tls --ca tls/ca.pem --client wolfssl@esp8266 --group x25519,x25519mlkem768 \
      --handshake full,resumed --repeat 3
  selo exchange tls --to https://station.example:7380 --ca ca.pem --token-file token \\
      --group x25519,x25519mlkem768 --handshake full,resumed --repeat 100

Exit codes: 0 all went well, 1 an exchange failed, 2 wrong usage or data, 4 an error of the
machine.")]
pub struct TlsArgs {
    /// The web server
    #[arg(long, value_name = "URL", default_value = "https://localhost:7391")]
    to: String,
    /// Authority that signed its certificate (PEM)
    #[arg(long, value_name = "FILE")]
    ca: PathBuf,
    /// Who asks: rustls, or a library of embedded systems (wolfssl, mbedtls) on this machine or,
    /// with @BOARD, on a board's emulator
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "rustls",
        value_name = "NAME[@BOARD]"
    )]
    client: Vec<String>,
    /// Suites, or all
    #[arg(long, value_delimiter = ',', default_value = "all")]
    suite: Vec<String>,
    /// Key exchanges, or all
    #[arg(long, value_delimiter = ',', default_value = "x25519")]
    group: Vec<String>,
    /// Handshakes: full, resumed
    #[arg(long, value_delimiter = ',', default_value = "full")]
    handshake: Vec<String>,
    /// What is sent
    #[arg(long, value_name = "LAT,LON,SPEED", default_value = "-23.185100,-50.649700,12.50", value_parser = reading, allow_hyphen_values = true)]
    reading: Reading,
    /// Tell the server each time that was measured
    #[arg(long)]
    report_times: bool,
    /// File with a token that the server wants, mode 0600
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Builds lab/firmware/exchange/peer.c for the board, starts it with the arguments of `peer run`, and adds
to its rows what the emulator's plugin counted. With --served it is the server, for one client after
the other: the file gets the instructions of each exchange, `listening ADDR:PORT` is printed, and it
serves until it is stopped.

Examples:
  selo exchange peer --board rpi3 -- key 127.0.0.1 7390 --cipher all --repeat 3
  selo exchange peer --board rpi3 --served out/exchange/served.jsonl -- key 127.0.0.1 7390")]
pub struct PeerArgs {
    /// A board of Linux
    #[arg(long, default_value = "rpi3")]
    board: String,
    /// Rows, one a line, as they are made
    #[arg(long, value_name = "FILE", default_value = ROWS)]
    out: PathBuf,
    /// Serve, and write what was counted of each exchange into this file
    #[arg(long, value_name = "FILE", conflicts_with = "out")]
    served: Option<PathBuf>,
    /// KEYFILE ADDRESS PORT and options of the client (lab/firmware/exchange/peer.c)
    #[arg(last = true, required = true)]
    arguments: Vec<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
The node is the device library in portable C; the gateway is played here. Its rows stand beside
those of TLS in `selo exchange ways`.

Examples:
  selo exchange link --board esp8266,rpi3 --repeat 3
  selo exchange link --board esp8266 --handshake join,pair,classic
  selo exchange link --board esp8266 --suite all")]
pub struct LinkArgs {
    /// Boards, or native for this machine
    #[arg(long, value_delimiter = ',', default_value = "native")]
    board: Vec<String>,
    /// Suites of the link, or all
    #[arg(long, value_delimiter = ',', default_value = "chachapoly-blake2s")]
    suite: Vec<String>,
    /// What comes before the reading, or all: join; pair, and a join with the key that it gave;
    /// classic, the published protocol, which authenticates nobody
    #[arg(long, value_delimiter = ',', default_value = "join")]
    handshake: Vec<String>,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  selo exchange report
  selo exchange report --pictures out/exchange
  selo exchange report --csv > times.csv
  selo exchange report --served out/exchange/served.jsonl")]
pub struct ReportArgs {
    /// Rows (default: out/exchange/rows.jsonl, unless it is not there and --served is asked for)
    #[arg(value_name = "FILE")]
    rows: Vec<PathBuf>,
    /// What servers on boards' emulators counted (`selo exchange peer --served`)
    #[arg(long, value_name = "FILE")]
    served: Vec<PathBuf>,
    /// Write pictures (SVG) into this folder
    #[arg(long, value_name = "DIR")]
    pictures: Option<PathBuf>,
    #[command(flatten)]
    form: Form,
}

#[derive(Debug, Args)]
#[group(multiple = false)]
struct Form {
    /// Tables as Markdown
    #[arg(long)]
    markdown: bool,
    /// Tables as CSV
    #[arg(long)]
    csv: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  selo exchange compare ferreira2020
  selo exchange compare ferreira2021 out/exchange/rows.jsonl")]
pub struct CompareArgs {
    /// A file of the folder papers, without .toml
    paper: String,
    /// Rows
    #[arg(value_name = "FILE", default_value = ROWS)]
    rows: Vec<PathBuf>,
    /// Folder of the papers (default: the project's)
    #[arg(long, value_name = "DIR")]
    papers: Option<PathBuf>,
    #[command(flatten)]
    form: Form,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  selo exchange tls --ca tls/ca.pem --suite all --handshake full,resumed
  selo exchange ways --pictures out/exchange
  selo exchange ways --readings 24 --suite ascon")]
pub struct WaysArgs {
    /// Rows of `selo exchange tls`
    #[arg(value_name = "FILE", default_value = ROWS)]
    rows: Vec<PathBuf>,
    /// Readings a day
    #[arg(long, value_name = "N", default_value_t = 144, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    readings: u32,
    /// Suite of the link
    #[arg(long, value_name = "NAME", default_value = "chachapoly-blake2s")]
    suite: String,
    /// Kept rows of the link on the board (default: bench/baseline/uno.json of the project)
    #[arg(long, value_name = "FILE")]
    link: Option<PathBuf>,
    /// Power profile of the Uno; other boards have their first
    #[arg(long, value_name = "NAME", default_value = "atmega328p-datasheet")]
    power: String,
    /// Write the picture (SVG) into this folder
    #[arg(long, value_name = "DIR")]
    pictures: Option<PathBuf>,
    #[command(flatten)]
    form: Form,
}

fn reading(text: &str) -> std::result::Result<Reading, String> {
    let numbers: Vec<f64> = text
        .split(',')
        .map(|number| number.trim().parse().unwrap_or(f64::NAN))
        .collect();
    match numbers[..] {
        [latitude, longitude, speed] => {
            let reading = Reading {
                latitude,
                longitude,
                speed,
            };
            reading.check().map(|()| reading)
        }
        _ => Err("degrees north, degrees east, speed, with commas between".into()),
    }
}

/// What words name, each once; `all` is all.
fn named<T: Copy + PartialEq>(
    words: &[String],
    all: &[T],
    by_name: impl Fn(&str) -> Option<T>,
    what: &str,
) -> Result<Vec<T>> {
    let mut found = Vec::new();
    for word in words {
        let some = match word.as_str() {
            "all" => all.to_vec(),
            name => vec![by_name(name).ok_or_else(|| {
                Error::usage(
                    format!("there is no {what} '{name}'"),
                    "`selo exchange list` has what there is",
                )
            })?],
        };
        for one in some {
            if !found.contains(&one) {
                found.push(one);
            }
        }
    }
    Ok(found)
}

fn say(line: &str) {
    eprintln!("{line}");
}

impl Command {
    /// `project` is the folder of the project, where the command line names one.
    pub fn run(&self, project: Option<&Path>) -> Result<()> {
        match self {
            Command::Key(args) => args.run(),
            Command::List => {
                list(project);
                Ok(())
            }
            Command::Serve(args) => args.run(project),
            Command::Run(args) => args.run(project),
            Command::ServeTls(args) => args.run(),
            Command::Tls(args) => args.run(project),
            Command::Link(args) => args.run(project),
            Command::Peer(args) => args.run(project),
            Command::Report(args) => args.run(),
            Command::Compare(args) => args.run(project),
            Command::Ways(args) => args.run(project),
        }
    }
}

impl KeyArgs {
    fn run(&self) -> Result<()> {
        let key = if self.id {
            Key::read(&self.file)?
        } else {
            let key = Key::generate()?;
            key.write(&self.file)?;
            key
        };
        println!("{}", hex::encode(key.id()));
        Ok(())
    }
}

fn list(project: Option<&Path>) {
    // Libraries are those of a project; without one, what is built in is all there is.
    let project = load(project).ok();
    let libraries: Vec<(String, Vec<Cipher>)> = project
        .iter()
        .flat_map(|project| {
            let names = implementation::names(project).into_iter();
            names.filter_map(|name| {
                let ciphers = implementation::offered(project, &name).ok()?;
                Some((name, ciphers))
            })
        })
        .collect();
    for cipher in Cipher::ALL {
        let built_in = BuiltIn::ALL.iter().filter(|one| one.offers(cipher));
        let libraries = libraries.iter().filter(|one| one.1.contains(&cipher));
        let names: Vec<&str> = built_in
            .map(|one| one.name())
            .chain(libraries.map(|one| &*one.0))
            .collect();
        let note = if cipher.authenticated() {
            ""
        } else {
            "  (not authenticated)"
        };
        println!("{:<18} {}{note}", cipher.name(), names.join(" "));
    }
    for suite in Suite::ALL {
        println!("{}", suite.name());
    }
    for group in Group::ALL {
        println!("{}", group.name());
    }
    println!("TLS by rustls, or with @BOARD {}", LIBRARIES.join(", "));
    println!("handshakes of TLS: full, resumed");
    let handshakes = Handshake::ALL.map(Handshake::name);
    println!("handshakes of the link: {}", handshakes.join(", "));
}

fn until_stopped() {
    while selo_engine::schedule::check_interrupt().is_ok() {
        std::thread::sleep(crate::serving::LOOK);
    }
}

impl ServeArgs {
    fn run(&self, project: Option<&Path>) -> Result<()> {
        let implementation =
            Implementation::named(&self.implementation, &Cipher::ALL, || load(project), say)?;
        let options = server::Options {
            implementation,
            max_payload: self.max_payload,
            timeout: Duration::from_secs(self.limits.timeout),
            max_clients: self.limits.max_clients as usize,
            store: self.store.clone(),
            emulated: self.emulated,
        };
        let server = server::start(&self.listen, Key::read(&self.key)?, options, say)?;
        println!("listening {}", server.address);
        until_stopped();
        Ok(())
    }
}

impl ServeTlsArgs {
    fn run(&self) -> Result<()> {
        let options = tls::server::Options {
            chain: tls::certificates(&self.cert)?,
            key: tls::private_key(&self.cert_key)?,
            suites: named(&self.suite, &Suite::ALL, Suite::by_name, "suite")?,
            groups: named(&self.group, &Group::ALL, Group::by_name, "key exchange")?,
            timeout: Duration::from_secs(self.limits.timeout),
            max_clients: self.limits.max_clients as usize,
            tickets: !self.without_tickets,
        };
        let server = tls::server::start(&self.listen, options, self.store.as_deref(), say)?;
        println!("listening {}", server.address);
        until_stopped();
        Ok(())
    }
}

impl Common {
    fn plan(&self, units: Vec<Unit>, clients: BTreeMap<String, String>) -> Plan {
        Plan {
            units,
            repeat: self.repeat,
            warm_up: self.warm_up,
            seed: self.seed,
            link: self.link.clone(),
            emulated: self.emulated,
            clients,
        }
    }

    fn perform(
        &self,
        units: Vec<Unit>,
        clients: BTreeMap<String, String>,
        exchange: impl FnMut(&Unit) -> Result<Measured>,
    ) -> Result<()> {
        let (mut rows, before) = Rows::open(&self.out)?;
        let plan = self.plan(units, clients);
        let Outcome { done, kept } = run(&plan, &mut rows, &before, exchange, |_, _| {})?;
        eprintln!(
            "{} done, {kept} kept: {}",
            things(done, "exchange", "exchanges"),
            self.out.display()
        );
        Ok(())
    }
}

impl RunArgs {
    fn run(&self, project: Option<&Path>) -> Result<()> {
        let key = Key::read(&self.key)?;
        let ciphers = named(&self.cipher, &Cipher::ALL, Cipher::by_name, "cipher")?;
        let payloads: Vec<Payload> = self
            .payload
            .iter()
            .map(|text| Payload::parse(text))
            .collect::<Result<_>>()?;
        if let Some(folder) = &self.store {
            std::fs::create_dir_all(folder).map_err(|error| Error::File {
                path: folder.clone(),
                why: error.to_string(),
                hint: "--store DIR is made if it can be".into(),
            })?;
        }
        let implementations = self
            .implementation
            .iter()
            .map(|spec| Implementation::named(spec, &ciphers, || load(project), say))
            .collect::<Result<Vec<_>>>()?;
        let mut units = Vec::new();
        for payload in &payloads {
            for implementation in &implementations {
                // `all` means all that one offers; who names a cipher is told.
                let all = self.cipher.iter().any(|word| word == "all");
                for cipher in &ciphers {
                    if !implementation.offers(*cipher) {
                        if all {
                            continue;
                        }
                        return Err(Error::usage(
                            format!("{} does not offer {}", implementation.name(), cipher.name()),
                            "`selo exchange list` says who offers what",
                        ));
                    }
                    units.push(Unit {
                        experiment: Experiment::Symmetric,
                        scenario: self.common.scenario.clone(),
                        implementation: implementation.name().into(),
                        device: None,
                        cipher: cipher.name().into(),
                        group: None,
                        handshake: None,
                        payload: payload.name.clone(),
                        bytes: payload.bytes.len() as u64,
                    });
                }
            }
        }
        let mut number = 0;
        self.common.perform(units, BTreeMap::new(), |unit| {
            let unknown = || Error::Protocol("a unit of another run".into());
            let cipher = Cipher::by_name(&unit.cipher).ok_or_else(unknown)?;
            let implementation = implementations
                .iter()
                .find(|one| one.name() == unit.implementation)
                .ok_or_else(unknown)?;
            let payload = payloads
                .iter()
                .find(|payload| payload.name == unit.payload)
                .ok_or_else(unknown)?;
            let store = self.store.as_ref().map(|folder| {
                number += 1;
                folder.join(format!("client-{number:06}-{}.bin", cipher.name()))
            });
            let done = Exchange {
                to: &self.to,
                key: &key,
                cipher,
                implementation,
                payload: &payload.bytes,
                timeout: Duration::from_secs(self.common.timeout),
                store: store.as_deref(),
            }
            .run()?;
            Ok(Measured {
                server: done.machine,
                authenticated: cipher.authenticated(),
                sent: done.sent,
                received: done.received,
                stamps: Some(Stamps {
                    connect: done.connect,
                    t1: done.sealed,
                    t6: done.came,
                    t7: done.opened,
                    t3_less_t2: done.server.opened,
                    t4_less_t2: done.server.began,
                    t5_less_t2: done.server.sealed,
                    instructions: None,
                }),
                tls: None,
                caution: None,
            })
        })
    }
}

/// Who asks in one unit of the second experiment.
enum Asking<'a> {
    Rustls(Box<Client>),
    Library(library::Client<'a>),
}

impl TlsArgs {
    fn run(&self, project: Option<&Path>) -> Result<()> {
        let url = Url::parse(&self.to)?;
        let authorities = tls::certificates(&self.ca)?;
        let suites = named(&self.suite, &Suite::ALL, Suite::by_name, "suite")?;
        let groups = named(&self.group, &Group::ALL, Group::by_name, "key exchange")?;
        let kinds = named(
            &self.handshake,
            &[false, true],
            |word| match word {
                "full" => Some(false),
                "resumed" => Some(true),
                _ => None,
            },
            "handshake",
        )?;
        let token = self.token_file.as_deref().map(token).transpose()?;
        let timeout = Duration::from_secs(self.common.timeout);
        let built = self.built(project, &groups, &kinds)?;
        let request = request(
            &url,
            token.as_ref().map(|token| token.as_str()),
            "reading",
            &self.reading.body(),
            true,
        );
        let mut asking = Vec::new();
        for client in &self.client {
            for &suite in &suites {
                for &group in &groups {
                    for &resumed in &kinds {
                        let embedded = built.get(&(client, Features::of(group, resumed)));
                        let (who, implementation) = match embedded {
                            Some(embedded) => {
                                let ask = Ask {
                                    url: &url,
                                    authorities: &authorities,
                                    suite,
                                    group,
                                    resumed,
                                    request: &request,
                                    timeout,
                                };
                                let name = embedded.implementation.clone();
                                (Asking::Library(library::Client::new(embedded, ask)), name)
                            }
                            None => {
                                let client = Client::new(
                                    url.clone(),
                                    &authorities,
                                    suite,
                                    group,
                                    resumed,
                                    timeout,
                                    token.clone(),
                                )?;
                                (Asking::Rustls(Box::new(client)), "rustls".to_owned())
                            }
                        };
                        let unit = Unit {
                            experiment: Experiment::Tls,
                            scenario: self.common.scenario.clone(),
                            implementation,
                            device: embedded.map(|client| client.device().to_owned()),
                            cipher: suite.name().into(),
                            group: Some(group.name().into()),
                            handshake: Some(if resumed { "resumed" } else { "full" }.into()),
                            payload: "reading".into(),
                            bytes: self.reading.body().len() as u64,
                        };
                        asking.push((unit, who));
                    }
                }
            }
        }
        let units = asking.iter().map(|(unit, _)| unit.clone()).collect();
        let machines = built
            .values()
            .map(|client| (client.device().to_owned(), client.machine.clone()))
            .collect();
        self.common.perform(units, machines, |unit| {
            let (_, who) = asking
                .iter_mut()
                .find(|(known, _)| known == unit)
                .ok_or_else(|| Error::Protocol("a unit of another run".into()))?;
            let done = match who {
                Asking::Rustls(client) => client.exchange(&self.reading, self.report_times)?,
                Asking::Library(client) => client.exchange()?,
            };
            Ok(Measured {
                server: self.to.clone(),
                authenticated: true,
                sent: done.sent,
                received: done.received,
                stamps: None,
                tls: Some(done.times),
                caution: built
                    .values()
                    .find(|client| Some(client.device()) == unit.device.as_deref())
                    .and_then(|client| client.caution.clone()),
            })
        })
    }

    /// The clients that have to be built, by what the command line calls them and what they
    /// have to be able to do.
    fn built(
        &self,
        project: Option<&Path>,
        groups: &[Group],
        kinds: &[bool],
    ) -> Result<BTreeMap<(&String, Features), Embedded>> {
        let mut built = BTreeMap::new();
        for spec in self.client.iter().filter(|client| *client != "rustls") {
            if self.report_times {
                return Err(Error::usage(
                    format!("{spec} tells the server no times"),
                    "without --report-times",
                ));
            }
            let project = load(project)?;
            library::check(&project, spec, groups)?;
            for &group in groups {
                for &resumed in kinds {
                    let features = Features::of(group, resumed);
                    if let Entry::Vacant(place) = built.entry((spec, features)) {
                        place.insert(library::build(&project, spec, features, say)?);
                    }
                }
            }
        }
        Ok(built)
    }
}

impl LinkArgs {
    fn run(&self, project: Option<&Path>) -> Result<()> {
        let by_name = |name: &str| name.parse::<selo_link::Suite>().ok();
        let suites = named(&self.suite, &selo_link::Suite::ALL, by_name, "suite")?;
        let project = load(project)?;
        let timeout = Duration::from_secs(self.common.timeout);
        let handshakes = named(
            &self.handshake,
            &Handshake::ALL,
            Handshake::by_name,
            "handshake",
        )?;
        let mut wanted = Vec::new();
        for handshake in handshakes {
            // The published protocol has no suites.
            let suites = match handshake {
                Handshake::Classic => &suites[..1],
                _ => &suites[..],
            };
            wanted.extend(suites.iter().map(|suite| (handshake, *suite)));
        }
        let mut nodes = Vec::new();
        for board in &self.board {
            for &(handshake, suite) in &wanted {
                let node = link::build(&project, handshake, suite, board, say)?;
                let unit = Unit {
                    experiment: Experiment::Link,
                    scenario: self.common.scenario.clone(),
                    implementation: node.implementation.clone(),
                    device: Some(node.device().to_owned()),
                    cipher: match handshake {
                        Handshake::Classic => "aes-256-ecb",
                        _ => suite.name(),
                    }
                    .into(),
                    group: None,
                    handshake: Some(handshake.name().into()),
                    payload: "reading".into(),
                    bytes: link::READING as u64,
                };
                nodes.push((unit, handshake, suite, node));
            }
        }
        let units = nodes.iter().map(|(unit, ..)| unit.clone()).collect();
        let machines = nodes
            .iter()
            .map(|(.., node)| (node.device().to_owned(), node.machine.clone()))
            .collect();
        self.common.perform(units, machines, |unit| {
            let (_, handshake, suite, node) = nodes
                .iter()
                .find(|(known, ..)| known == unit)
                .ok_or_else(|| Error::Protocol("a unit of another run".into()))?;
            let done = link::exchange(node, *handshake, *suite, timeout)?;
            Ok(Measured {
                server: "selo-link".into(),
                authenticated: *handshake != Handshake::Classic,
                sent: done.sent,
                received: done.received,
                stamps: None,
                tls: Some(done.times),
                caution: node.caution.clone(),
            })
        })
    }
}

impl PeerArgs {
    fn run(&self, project: Option<&Path>) -> Result<()> {
        let project = load(project)?;
        let peer = Embedded::build_peer(&project, &self.board, say)?;
        if let Some(file) = &self.served {
            return self.serve(&peer, file);
        }
        let (mut rows, _) = Rows::open::<Row>(&self.out)?;
        let (mut done, mut failed) = (0, Vec::new());
        let code = peer::run(&peer, &self.arguments, |row| {
            done += 1;
            failed.extend(row.reason.clone());
            rows.push(&row)
        })?;
        eprintln!(
            "{} done: {}",
            things(done, "exchange", "exchanges"),
            self.out.display()
        );
        match failed.first() {
            Some(first) => Err(Error::Failed {
                failed: failed.len(),
                all: done,
                first: first.clone(),
                hint: None,
            }),
            None if code != 0 => Err(Error::usage(
                "the client did not understand its arguments",
                "selo exchange peer --board rpi3 -- KEYFILE ADDRESS PORT",
            )),
            None => Ok(()),
        }
    }
}

impl PeerArgs {
    fn serve(&self, peer: &Embedded, file: &Path) -> Result<()> {
        let (mut rows, _) = Rows::open::<Served>(file)?;
        let listening = |place: &str| println!("listening {place}");
        let code = peer::serve(peer, &self.arguments, listening, |served| {
            rows.push(&served)
        })?;
        match code {
            0 => Ok(()),
            _ => Err(Error::usage(
                "the server did not start: it says why above",
                "selo exchange peer --board rpi3 --served FILE -- KEYFILE ADDRESS PORT",
            )),
        }
    }
}

/// A secret of one line.
fn token(path: &Path) -> Result<zeroize::Zeroizing<String>> {
    use std::os::unix::fs::MetadataExt;
    let wrong = |why: String, hint: &str| Error::File {
        path: path.to_owned(),
        why,
        hint: hint.into(),
    };
    let hint = "a file of mode 0600 with the token in one line";
    let metadata = std::fs::metadata(path).map_err(|error| wrong(error.to_string(), hint))?;
    if metadata.mode() & 0o077 != 0 {
        return Err(wrong("others can read this token".into(), "chmod 600"));
    }
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string(), hint))?;
    let token = zeroize::Zeroizing::new(text.trim().to_owned());
    if token.is_empty() || !token.chars().all(|c| c.is_ascii_graphic()) {
        return Err(wrong("this is no token".into(), hint));
    }
    Ok(token)
}

fn all_rows(files: &[PathBuf]) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for file in files {
        rows.extend(row::read::<Row>(file)?);
    }
    Ok(rows)
}

impl Form {
    fn print(&self, tables: &[Table]) {
        for table in tables.iter().filter(|table| !table.body.is_empty()) {
            if self.markdown {
                println!("{}", table.to_markdown());
            } else if self.csv {
                print!("{}", table.to_csv());
            } else {
                println!("{}", table.to_terminal(TerminalStyle::detect()));
            }
        }
    }
}

impl ReportArgs {
    fn run(&self) -> Result<()> {
        let usual = [PathBuf::from(ROWS)];
        let rows = match &self.rows[..] {
            [] if self.served.is_empty() || usual[0].exists() => all_rows(&usual)?,
            named => all_rows(named)?,
        };
        let mut served = Vec::new();
        for file in &self.served {
            served.extend(row::read::<Served>(file)?);
        }
        self.form.print(&[
            figures::symmetric(&rows),
            figures::served(&served),
            figures::comparisons(&rows, Experiment::Symmetric, Figure::Total),
            figures::tls(&rows, Experiment::Tls),
            figures::tls(&rows, Experiment::Link),
            figures::comparisons(&rows, Experiment::Tls, Figure::Handshake),
            figures::comparisons(&rows, Experiment::Tls, Figure::HandshakeCpu),
            figures::comparisons(&rows, Experiment::Tls, Figure::Exchange),
        ]);
        draw(self.pictures.as_deref(), &figures::pictures(&rows))
    }
}

/// Writes pictures into a folder, if there is to be one.
fn draw(folder: Option<&Path>, pictures: &[Picture]) -> Result<()> {
    let Some(folder) = folder else {
        return Ok(());
    };
    let failed = |error: std::io::Error| Error::File {
        path: folder.to_owned(),
        why: error.to_string(),
        hint: "--pictures DIR is made if it can be".into(),
    };
    std::fs::create_dir_all(folder).map_err(failed)?;
    for picture in pictures {
        let path = folder.join(format!("{}.svg", picture.id));
        std::fs::write(&path, picture.standalone()).map_err(failed)?;
        eprintln!("{}", path.display());
    }
    Ok(())
}

fn load(named: Option<&Path>) -> Result<Project> {
    Ok(Project::load(&root(named)?)?)
}

/// The folder of the project: the one named, or the nearest.
fn root(named: Option<&Path>) -> Result<PathBuf> {
    if let Some(folder) = named {
        return Ok(folder.to_owned());
    }
    let here = std::env::current_dir().map_err(|source| Error::Machine {
        doing: "tell the current folder",
        source,
    })?;
    let program = std::env::current_exe().ok();
    Ok(Project::find(&here, program.as_deref())?)
}

impl WaysArgs {
    fn run(&self, project: Option<&Path>) -> Result<()> {
        let root = root(project)?;
        let project = Project::load(&root)?;
        let uno = project.board("uno")?;
        if !uno.power.iter().any(|power| power.name == self.power) {
            let names: Vec<&str> = uno.power.iter().map(|power| &*power.name).collect();
            return Err(Error::usage(
                format!("there is no power profile '{}'", self.power),
                format!("one of {}", names.join(", ")),
            ));
        }
        // Of every other board the first profile.
        let chips: BTreeMap<&str, Chip<'_>> = project
            .boards
            .iter()
            .filter_map(|board| {
                let named = |power: &&PowerProfile| power.name == self.power;
                let power = board.power.iter().find(named).or(board.power.first())?;
                let clock_hz = board.clock_hz? as f64;
                Some((&*board.name, Chip { clock_hz, power }))
            })
            .collect();
        let kept = root.join("bench/baseline/uno.json");
        let file = ways::baseline(self.link.as_ref().unwrap_or(&kept))?;
        let rows = all_rows(&self.rows)?;
        let ways = ways::ways(&file, &self.suite, &rows, self.readings);
        self.form
            .print(&[ways::table(&ways, self.readings, &chips)]);
        draw(
            self.pictures.as_deref(),
            &[ways::picture(&ways, self.readings)],
        )
    }
}

impl CompareArgs {
    fn run(&self, project: Option<&Path>) -> Result<()> {
        let papers = match &self.papers {
            Some(folder) => folder.clone(),
            None => root(project)?.join("lab/papers"),
        };
        let paper = published::read(&papers, &self.paper)?;
        let rows = all_rows(&self.rows)?;
        self.form.print(&published::compare(&paper, &rows));
        Ok(())
    }
}
