//! `selo collect`: keeps readings, and answers questions about them over HTTP.

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
use selo_collector::{Collector, Config};
use selo_tls::{Group, Suite};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::gateway::{Log, State, wait_for_signal};
use crate::mqtt::Connection;
use crate::notify::Manager;
use crate::random::random_bytes;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
The first start makes a user `admin` and says which file holds its password. The log is on
standard error. docs/operator/collector.md has the API, alarms, backup and PostgreSQL.

Examples:
  selo collect                                  a dashboard at http://127.0.0.1:7380
  selo collect --database postgres://selo@db/selo
  selo collect --mqtt mqtts://collector@localhost --mqtt-ca ca.pem \\
      --mqtt-password-file collector.password
  selo collect user add maria --role viewer     the password comes on standard input")]
pub struct Args {
    #[command(flatten)]
    state: State,
    #[command(flatten)]
    dashboard: Dashboard,
    #[command(flatten)]
    mqtt: Connection,
    #[command(flatten)]
    log: Log,
    #[command(subcommand)]
    command: Option<Command>,
}

/// Where a collector keeps its readings.
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
    /// The one that was named.
    pub fn place(&self) -> Option<Location> {
        self.database.as_deref().map(Location::parse)
    }
}

/// What a collector keeps, and how it shows it.
#[derive(Debug, clap::Args)]
pub struct Dashboard {
    #[command(flatten)]
    database: Database,
    /// Where the dashboard and the API listen; beyond this machine only with TLS
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:7380")]
    http: SocketAddr,
    #[command(flatten)]
    tls: Tls,
    /// Take what stations say of themselves at /api/v1/exchange from anyone, without a token
    #[arg(long)]
    exchange_without_token: bool,
    /// Page of `selo lab report` to serve at /report
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Tell this URL of alarms (POST, signed); may be given more than once
    #[arg(long, value_name = "URL", hide_env_values = true)]
    webhook: Vec<String>,
    /// How long readings are kept; roll-ups to days stay for ever
    #[arg(long, value_name = "TIME", default_value = "400d")]
    keep_raw: humantime::Duration,
    /// How long roll-ups to minutes are kept
    #[arg(long, value_name = "TIME", default_value = "60d")]
    keep_minutes: humantime::Duration,
    /// How long roll-ups to hours are kept
    #[arg(long, value_name = "TIME", default_value = "1830d")]
    keep_hours: humantime::Duration,
}

impl Dashboard {
    /// The configuration of a collector that keeps its things in `state`.
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
        config.retention.minute = ms(self.keep_minutes);
        config.retention.hour = ms(self.keep_hours);
        config
    }
}

/// How browsers reach the dashboard safely.
#[derive(Debug, clap::Args)]
struct Tls {
    /// Speak HTTPS with this certificate (PEM, the whole chain); it is read again when it
    /// changes, and at SIGHUP
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// Its private key, of mode 0600
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Offer TLS 1.3 alone, with these suites, in order of preference:
    /// TLS_AES_128_GCM_SHA256, TLS_AES_256_GCM_SHA384, TLS_CHACHA20_POLY1305_SHA256
    #[arg(long, value_name = "SUITE", value_delimiter = ',', value_parser = Suite::parse)]
    tls_suite: Vec<Suite>,
    /// Offer TLS 1.3 alone, with these key exchanges, in order of preference: x25519,
    /// secp256r1, x25519mlkem768
    #[arg(long, value_name = "GROUP", value_delimiter = ',', value_parser = Group::parse)]
    tls_group: Vec<Group>,
    /// Give no tickets: nobody can resume a session, and clients need not understand them
    #[arg(long)]
    tls_without_tickets: bool,
    /// A proxy with TLS stands before it: browsers reach it over TLS only
    #[arg(long, alias = "behind-tls")]
    behind_proxy: bool,
    /// Believe this proxy's X-Forwarded-For, so that failed logins count for each client; an
    /// address, or a network as 10.0.0.0/8; may be given more than once
    #[arg(long, value_name = "ADDRESS", value_delimiter = ',')]
    trusted_proxy: Vec<Network>,
    /// A name by which browsers ask for the dashboard, beside addresses and localhost; other
    /// names are refused if it speaks no TLS itself; may be given more than once
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

pub fn run(args: &Args) -> selo_base::report::Result<ExitCode> {
    let state = args.state.path()?.join("collector");
    match &args.command {
        Some(Command::User(command)) => user(command, &Users::open(&state)?),
        None => collect(args, state),
    }
}

fn user(command: &User, users: &Users) -> selo_base::report::Result<ExitCode> {
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

fn collect(args: &Args, state: PathBuf) -> selo_base::report::Result<ExitCode> {
    args.log.start();
    // Before anything is opened, so that a signal during the start is not lost.
    let signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).context("cannot take signals")?;
    let mut config = args.dashboard.config(state);
    config.mqtt = args.mqtt.client(&client_id(&config.state)?)?;
    let collector = Collector::start(config)?;
    if let Some(file) = collector.first_password() {
        tracing::info!("user admin is made; its password is in {}", file.display());
    }
    tracing::info!("listening on {}", collector.url());
    let (stop, stopped) = channel();
    let reload = collector.reload();
    std::thread::spawn(move || wait_for_signal(signals, &stop, || reload.notify_one()));
    let manager = Manager::find();
    manager.ready();
    // Another error means that the thread is gone, which is a reason to stop, too.
    while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(Duration::from_millis(200)) {
        manager.alive();
    }
    tracing::info!("stopping");
    manager.stopping();
    collector.stop();
    Ok(ExitCode::SUCCESS)
}

/// The collector's name at the broker, which keeps what comes for it while it is away: the
/// same after a restart, and no other collector's, because a second client of one name throws
/// out the first.
fn client_id(state: &Path) -> selo_base::report::Result<String> {
    let path = state.join("client-id");
    let problem = || format!("cannot keep the collector's name in {}", path.display());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collector_keeps_its_name_and_no_other_has_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let of = |name: &str| client_id(&folder.path().join(name)).expect("a name");
        let first = of("a");
        assert_eq!(of("a"), first);
        assert_ne!(of("b"), first);
        // What a full disk left is not a name.
        std::fs::write(folder.path().join("a/client-id"), "").expect("writes");
        assert!(of("a").starts_with("selo-collector-"));
    }
}
