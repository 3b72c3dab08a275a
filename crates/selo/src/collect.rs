//! `selo collect`: keeps readings, and answers questions about them over HTTP.

use std::io::{BufRead, IsTerminal, stdin};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc::channel;

use anyhow::Context;
use clap::Subcommand;
use selo_collector::auth::{Role, Users};
use selo_collector::db::Place;
use selo_collector::http::tls::TlsFiles;
use selo_collector::mqtt::{BrokerUrl, ClientConfig, read_password};
use selo_collector::{Collector, Config};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::gateway::{Level, State, start_log, wait_for_signal};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
The first start makes a user `admin` and says which file holds its password. The log is on
standard error. docs/collector.md has the API, alarms, backup and PostgreSQL.

Examples:
  selo collect                                  a dashboard at http://127.0.0.1:7380
  selo collect --database postgres://selo@db/selo
  selo collect --mqtt mqtts://collector@localhost --mqtt-ca ca.pem \\
      --mqtt-password-file collector.password
  selo collect user add maria --role viewer     the password comes on standard input")]
pub struct Args {
    #[command(flatten)]
    state: State,
    /// SQLite file, or postgres://USER@HOST/DATABASE (default: readings.db in the folder
    /// `collector` of the state directory)
    #[arg(
        long,
        env = "SELO_DATABASE",
        value_name = "FILE|URL",
        hide_env_values = true
    )]
    database: Option<String>,
    /// Where the dashboard and the API listen; beyond this machine only with TLS
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:7380")]
    http: SocketAddr,
    #[command(flatten)]
    tls: Tls,
    /// Page of `selo lab report` to serve at /report
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Take readings from this MQTT 5 broker, over TLS: mqtts://USER@HOST[:8883]
    #[arg(long, value_name = "URL")]
    mqtt: Option<BrokerUrl>,
    /// File of mode 0600 with the password
    #[arg(long, value_name = "FILE", requires = "mqtt")]
    mqtt_password_file: Option<PathBuf>,
    /// The authority that signed the broker's certificate (default: those of the system)
    #[arg(long, value_name = "FILE", requires = "mqtt")]
    mqtt_ca: Option<PathBuf>,
    /// Show this certificate to the broker
    #[arg(long, value_name = "FILE", requires_all = ["mqtt", "mqtt_key"])]
    mqtt_certificate: Option<PathBuf>,
    /// Its private key, of mode 0600
    #[arg(long, value_name = "FILE", requires = "mqtt_certificate")]
    mqtt_key: Option<PathBuf>,
    /// Tell this URL of alarms (POST, signed); may be given more than once
    #[arg(long, value_name = "URL")]
    webhook: Vec<String>,
    /// How long readings are kept, and their roll-ups to minutes and hours; days stay
    #[arg(long, value_name = "TIME", default_value = "400d")]
    keep_raw: humantime::Duration,
    #[arg(long, value_name = "TIME", default_value = "60d")]
    keep_minutes: humantime::Duration,
    #[arg(long, value_name = "TIME", default_value = "1830d")]
    keep_hours: humantime::Duration,
    #[command(subcommand)]
    command: Option<Command>,
}

/// How browsers reach the dashboard safely.
#[derive(Debug, clap::Args)]
pub struct Tls {
    /// Speak HTTPS with this certificate (PEM, the whole chain); it is read again when it
    /// changes, and at SIGHUP
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// Its private key, of mode 0600
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// A proxy with TLS stands before it: browsers reach it over TLS only
    #[arg(long, alias = "behind-tls")]
    pub behind_proxy: bool,
}

impl Tls {
    pub fn files(&self) -> Option<TlsFiles> {
        let (certificate, key) = self.tls_cert.clone().zip(self.tls_key.clone())?;
        Some(TlsFiles { certificate, key })
    }
}

#[derive(Debug, Subcommand)]
enum Command {
    /// The users who may log in
    #[command(subcommand)]
    User(User),
}

#[derive(Debug, Subcommand)]
enum User {
    /// Add a user, or set the password and role of one; the password is the first line of
    /// standard input
    Add {
        name: String,
        /// viewer sees everything, admin changes things
        #[arg(long, default_value = "viewer", value_parser = ["viewer", "admin"])]
        role: String,
    },
    /// List users
    List,
    /// Remove a user; their sessions end
    Remove { name: String },
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let state = args.state.path()?.join("collector");
    match &args.command {
        Some(Command::User(command)) => user(command, &Users::open(&state)?),
        None => collect(args, state),
    }
}

fn user(command: &User, users: &Users) -> anyhow::Result<ExitCode> {
    match command {
        User::Add { name, role } => {
            if stdin().is_terminal() {
                eprintln!("Password, then Enter (it is shown):");
            }
            let mut password = String::new();
            stdin()
                .lock()
                .read_line(&mut password)
                .context("cannot read the password")?;
            let role = Role::parse(role).context("a role that clap let pass")?;
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

fn collect(args: &Args, state: PathBuf) -> anyhow::Result<ExitCode> {
    start_log(Level::Info, false);
    // Before anything is opened, so that a signal during the start is not lost.
    let signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).context("cannot take signals")?;
    let mut config = Config::new(state);
    if let Some(database) = &args.database {
        config.database = Place::parse(database);
    }
    config.http = args.http;
    config.tls = args.tls.files();
    config.behind_proxy = args.tls.behind_proxy;
    config.report.clone_from(&args.report);
    config.mqtt = mqtt(args)?;
    config.webhooks.clone_from(&args.webhook);
    let ms = |time: humantime::Duration| i64::try_from(time.as_millis()).ok();
    config.retention.raw = ms(args.keep_raw);
    config.retention.minute = ms(args.keep_minutes);
    config.retention.hour = ms(args.keep_hours);
    let collector = Collector::start(config)?;
    if let Some(file) = collector.first_password() {
        tracing::info!("user admin is made; its password is in {}", file.display());
    }
    tracing::info!("listening on {}", collector.url());
    let (stop, stopped) = channel();
    let reload = collector.reload();
    std::thread::spawn(move || wait_for_signal(signals, &stop, || reload.notify_one()));
    // An error means that the thread is gone, which is a reason to stop, too.
    let _ = stopped.recv();
    tracing::info!("stopping");
    collector.stop();
    Ok(ExitCode::SUCCESS)
}

fn mqtt(args: &Args) -> anyhow::Result<Option<ClientConfig>> {
    let Some(broker) = &args.mqtt else {
        return Ok(None);
    };
    // A second client of the same name would throw out the first.
    let id = format!("selo-collector-{}", std::process::id());
    let mut client = ClientConfig::new(broker.clone(), id);
    if let Some(path) = &args.mqtt_password_file {
        client.password = Some(read_password(path)?);
    }
    client.ca.clone_from(&args.mqtt_ca);
    client.certificate = args.mqtt_certificate.clone().zip(args.mqtt_key.clone());
    Ok(Some(client))
}
