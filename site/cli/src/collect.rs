//! `selo collect`: stores readings, and serves them over HTTP.

use std::fs::DirBuilder;
use std::io::{BufRead, ErrorKind, IsTerminal, stdin};
use std::net::SocketAddr;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use clap::Subcommand;
use selo_base::report::Context;
use selo_collector::auth::{Role, Users};
use selo_collector::db::Location;
use selo_collector::http::names::Network;
use selo_collector::http::tls::{Offer, TlsFiles};
use selo_collector::titles::Titles;
use selo_collector::{Collector, Config};
use selo_mqtt::topic;
use selo_tls::{Group, Suite};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::codec::Codecs;
use crate::gateway::{Log, State, wait_for_signal};
use crate::mqtt::{Connection, HomeAssistant};
use crate::notify::Manager;
use crate::random::random_bytes;
use crate::stream;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
The first start creates a user `admin` and logs which file contains its password. The log goes
to standard error. docs/operator/collector.md describes API, alarms, backup and PostgreSQL.

Examples:
  selo collect                                  a dashboard at http://127.0.0.1:7380
  selo collect --database postgres://selo@db/selo
  selo collect --mqtt mqtts://collector@localhost --mqtt-ca ca.pem \\
      --mqtt-password-file collector.password
  selo collect --stream tls://collector@nats.example --stream-password-file collector.password \\
      --database postgres://selo@db/selo          several collectors share a stream
  selo collect user add maria --role viewer     reads the password from standard input")]
pub struct Args {
    #[command(flatten)]
    state: State,
    #[command(flatten)]
    dashboard: Dashboard,
    #[command(flatten)]
    mqtt: Connection,
    #[command(flatten)]
    stream: stream::Stream,
    /// The site whose readings are taken from the stream
    #[arg(long, value_name = "NAME", default_value = topic::DEFAULT_SITE, requires = "stream")]
    site: String,
    #[command(flatten)]
    home_assistant: HomeAssistant,
    #[command(flatten)]
    codecs: Codecs,
    #[command(flatten)]
    log: Log,
    #[command(subcommand)]
    command: Option<Command>,
}

/// The collector's database.
#[derive(Debug, clap::Args)]
pub struct Database {
    /// SQLite file, or postgres://USER@HOST/DATABASE (default: readings.db in the folder
    /// `collector` of the state directory)
    #[arg(
        long,
        env = "SELO_DATABASE",
        value_name = "FILE|URL",
        hide_env_values = true
    )]
    database: Option<String>,
}

impl Database {
    /// The database named by the user.
    pub fn place(&self) -> Option<Location> {
        self.database.as_deref().map(Location::parse)
    }
}

/// Options of a collector: database, HTTP, alarms and retention.
#[derive(Debug, clap::Args)]
pub struct Dashboard {
    #[command(flatten)]
    database: Database,
    /// Address and port of the dashboard and the API; any address but loopback needs TLS, or
    /// --behind-proxy
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:7380")]
    http: SocketAddr,
    #[command(flatten)]
    tls: Tls,
    /// Accept exchange readings of stations at /api/v1/exchange from anyone, without a token
    #[arg(long)]
    exchange_without_token: bool,
    /// Page written by `selo lab report`, to serve at /report
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Send alarms to this URL (POST, signed); may be given more than once
    #[arg(long, value_name = "URL", hide_env_values = true)]
    webhook: Vec<String>,
    /// Keep readings for this time; daily roll-ups are kept for ever
    #[arg(long, value_name = "TIME", default_value = "400d")]
    keep_raw: humantime::Duration,
    /// Has no effect any more: minutes are made of the readings, and kept as long as these
    #[arg(long, value_name = "TIME")]
    keep_minutes: Option<humantime::Duration>,
    /// Keep hourly roll-ups for this time
    #[arg(long, value_name = "TIME", default_value = "1830d")]
    keep_hours: humantime::Duration,
}

impl Dashboard {
    /// The configuration of a collector with this state directory.
    pub fn config(&self, state: PathBuf) -> Config {
        let mut config = Config::new(state);
        if let Some(database) = self.database.place() {
            config.database = database;
        }
        config.http = self.http;
        config.tls = self.tls.files();
        config.offer = self.tls.offer();
        config.behind_proxy = self.tls.behind_proxy;
        config.proxies.clone_from(&self.tls.trusted_proxy);
        config.hosts.clone_from(&self.tls.host);
        config.strangers = self.exchange_without_token;
        config.report.clone_from(&self.report);
        config.webhooks.clone_from(&self.webhook);
        let ms = |time: humantime::Duration| i64::try_from(time.as_millis()).ok();
        config.retention.raw = ms(self.keep_raw);
        if self.keep_minutes.is_some_and(|time| *time > *self.keep_raw) {
            eprintln!(
                "selo: note: --keep-minutes has no effect any more: minutes are made of the readings, \
                 which are kept for {}\nhint: give --keep-raw the longer time",
                self.keep_raw
            );
        }
        config.retention.hour = ms(self.keep_hours);
        config
    }
}

/// TLS of the dashboard, or of the proxy in front of it.
#[derive(Debug, clap::Args)]
struct Tls {
    /// Serve HTTPS with this certificate (PEM, the whole chain); it is read again when it
    /// changes, and on SIGHUP
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// Private key of the certificate, in a file of mode 0600
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Offer only TLS 1.3, with these suites, in order of preference:
    /// TLS_AES_128_GCM_SHA256, TLS_AES_256_GCM_SHA384, TLS_CHACHA20_POLY1305_SHA256
    #[arg(long, value_name = "SUITE", value_delimiter = ',', value_parser = Suite::parse)]
    tls_suite: Vec<Suite>,
    /// Offer only TLS 1.3, with these key exchanges, in order of preference: x25519,
    /// secp256r1, x25519mlkem768
    #[arg(long, value_name = "GROUP", value_delimiter = ',', value_parser = Group::parse)]
    tls_group: Vec<Group>,
    /// Send no session tickets: no client can resume a session, and none must parse a ticket
    #[arg(long)]
    tls_without_tickets: bool,
    /// A proxy in front of the dashboard terminates TLS: browsers reach it over TLS only
    #[arg(long, alias = "behind-tls")]
    behind_proxy: bool,
    /// Trust X-Forwarded-For of this proxy, so that failed logins count for each client; an
    /// address, or a network such as 10.0.0.0/8; may be given more than once
    #[arg(long, value_name = "ADDRESS", value_delimiter = ',')]
    trusted_proxy: Vec<Network>,
    /// A host name of the dashboard, in addition to addresses and localhost. Without TLS of its
    /// own, the dashboard refuses requests for other names; may be given more than once
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    host: Vec<String>,
}

impl Tls {
    fn files(&self) -> Option<TlsFiles> {
        let (certificate, key) = self.tls_cert.clone().zip(self.tls_key.clone())?;
        Some(TlsFiles { certificate, key })
    }

    fn offer(&self) -> Offer {
        Offer {
            suites: self.tls_suite.clone(),
            groups: self.tls_group.clone(),
            without_tickets: self.tls_without_tickets,
        }
    }
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Add, list and remove the users who may log in
    #[command(subcommand)]
    User(User),
}

#[derive(Debug, Subcommand)]
enum User {
    /// Add a user, or change a user's password and role; the password is the first line of
    /// standard input
    Add {
        name: String,
        /// A viewer can read everything; an operator can also acknowledge alarms, and name and place
        /// stations; an admin can change everything
        #[arg(long, default_value = "viewer", value_parser = ["viewer", "operator", "admin"])]
        role: String,
    },
    /// List users
    List,
    /// Remove a user, and end their sessions
    Remove { name: String },
}

impl Args {
    /// The users of this collector: in a file, or in the database that it shares with others.
    fn users(&self, state: &Path) -> selo_base::report::Result<Users> {
        Ok(match self.dashboard.database.place() {
            Some(database @ Location::Postgres(_)) if self.stream.is_given() => {
                Users::shared(state, database)?
            }
            _ => Users::open(state)?,
        })
    }
}

pub fn run(args: &Args) -> selo_base::report::Result<ExitCode> {
    let state = args.state.path()?.join("collector");
    match &args.command {
        Some(Command::User(command)) => user(command, &args.users(&state)?),
        None => collect(args, state),
    }
}

fn user(command: &User, users: &Users) -> selo_base::report::Result<ExitCode> {
    match command {
        User::Add { name, role } => {
            if stdin().is_terminal() {
                eprintln!("Type the password, then Enter (the terminal shows it):");
            }
            let mut password = String::new();
            stdin()
                .lock()
                .read_line(&mut password)
                .context("cannot read the password")?;
            let role = Role::parse(role).context("an unknown role")?;
            users.set(name, role, password.trim_end_matches(['\r', '\n']))?;
        }
        User::List => {
            for (name, role) in users.list()? {
                println!("{name}\t{}", role.name());
            }
        }
        User::Remove { name } => users.remove(name)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn collect(args: &Args, state: PathBuf) -> selo_base::report::Result<ExitCode> {
    args.log.start();
    // Register first, so that a signal during the start is not lost.
    let signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).context("cannot handle signals")?;
    let mut config = args.dashboard.config(state);
    let id = client_id(&config.state)?;
    config.mqtt = args.mqtt.client(&id)?;
    config.stream = args.stream.config(&args.site, id)?;
    args.home_assistant.set_collector(&mut config);
    config.titles = Titles::of(&args.codecs.load()?);
    let collector = Collector::start(config)?;
    if let Some(file) = collector.first_password() {
        tracing::info!(
            "created the user admin; its password is in {}",
            file.display()
        );
    }
    tracing::info!("listening on {}", collector.url());
    let (stop, stopped) = channel();
    let reload = collector.reload();
    std::thread::spawn(move || wait_for_signal(signals, &stop, || reload.notify_one()));
    let manager = Manager::find();
    manager.ready();
    // The other error means that the signal thread has ended: stop then, too.
    while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(Duration::from_millis(200)) {
        manager.alive();
    }
    tracing::info!("stopping");
    manager.stopping();
    collector.stop();
    Ok(ExitCode::SUCCESS)
}

/// The collector's client id at the broker. It is the same after a restart, because the broker
/// queues messages for it meanwhile. It is unique, because a broker disconnects the first of two
/// clients with one id.
pub fn client_id(state: &Path) -> selo_base::report::Result<String> {
    let path = state.join("client-id");
    let problem = || {
        format!(
            "cannot store the collector's client id in {}",
            path.display()
        )
    };
    match std::fs::read_to_string(&path) {
        Ok(text) if !text.trim().is_empty() => return Ok(text.trim().to_owned()),
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error).with_context(problem),
    }
    let random = random_bytes::<8>()?;
    let id = format!("selo-collector-{}", hex::encode(random));
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(state)
        .with_context(problem)?;
    std::fs::write(&path, format!("{id}\n")).with_context(problem)?;
    Ok(id)
}
