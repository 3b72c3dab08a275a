//! `selo up`: gateway, broker, collector and dashboard of a small site, in one process.

mod clocks;

use std::io::{IsTerminal, stderr};
use std::net::SocketAddr;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use selo_base::report::Context;
use selo_collector::Collector;
use selo_collector::auth::Users;
use selo_collector::beside::Beside;
use selo_collector::http::tls::TlsFiles;
use selo_collector::titles::Titles;
use selo_gateway::sink::Both;
use selo_gateway::state::StateDir;
use selo_gateway::{Config as GatewayConfig, Gateway};
use selo_mqtt::client::{ClientConfig, read_password};
use selo_mqtt::setup::{self, Setup, password_file};
use selo_mqtt::{Broker, BrokerConfig, Publisher, PublisherConfig, Until, certificate};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use self::clocks::Clocks;
use crate::codec::Codecs;
use crate::collect::Dashboard;
use crate::gateway::{Log, Nodes, State, wait_for_signal};
use crate::mqtt::{HomeAssistant, Names};
use crate::notify::Manager;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Nodes -> gateway -> broker -> collector -> dashboard. A reading leaves the gateway's journal
when the collector has stored it. Any part may therefore be killed at any time: no acknowledged
reading is lost, and none is stored twice.

The first start creates certificates, passwords and a user `admin`; the log names the file with
its password. All data is in the state directory: registry, journal and keys of the gateway,
broker/ and collector/.

Dashboard and broker are reachable only from this machine, unless --http and --broker say
otherwise. The dashboard then needs --tls, a certificate of your own, or a proxy.
The log goes to standard error.

Examples:
  selo up                                      a dashboard at http://127.0.0.1:7380
  selo up --http 0.0.0.0:7380 --tls --name farm.example.org
  selo up --broker 0.0.0.0:8883                other programs may subscribe, with a password
  selo up --database postgres://selo@db/selo
  selo device pair                             in a second terminal, or on the dashboard")]
pub struct Args {
    #[command(flatten)]
    state: State,
    #[command(flatten)]
    nodes: Nodes,
    #[command(flatten)]
    dashboard: Dashboard,
    /// Serve HTTPS with the broker's certificate, which selo creates and renews; browsers need
    /// its authority, broker/ca.pem in the state directory
    #[arg(long = "tls", conflicts_with = "tls_cert")]
    own_tls: bool,
    /// Address and port of the MQTT broker, which needs TLS and passwords
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:8883")]
    broker: SocketAddr,
    /// A name or address of this machine, for the certificate; may be given more than once
    #[arg(long, value_name = "NAME")]
    name: Vec<String>,
    #[command(flatten)]
    names: Names,
    #[command(flatten)]
    home_assistant: HomeAssistant,
    #[command(flatten)]
    log: Log,
    #[command(flatten)]
    codecs: Codecs,
}

pub fn run(args: &Args) -> selo_base::report::Result<ExitCode> {
    args.log.start();
    // Register first, so that a signal during the start is not lost.
    let signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).context("cannot handle signals")?;
    let state = args.state.open()?;
    let registry = args.state.place(&state, &args.names.gateway_name);
    let folder = state.path().join("broker");

    let broker = start_broker(args, &folder)?;
    let client = |user: &str| -> selo_base::report::Result<ClientConfig> {
        let url = format!("mqtts://{user}@localhost:{}", broker.listen().port());
        let mut client = ClientConfig::new(url.parse()?, format!("selo-up-{user}"));
        client.password = Some(read_password(&password_file(&folder, user))?);
        client.ca = Some(certificate::Files::of(&folder).ca);
        Ok(client)
    };
    // Start the collector before the gateway, so that it receives the first reading.
    let codecs = args.codecs.load()?.names().map(str::to_string).collect();
    let beside = Beside::new(state.path().into())
        .registry_at(registry.clone())
        .with_codecs(codecs);
    let collector = start_collector(args, &state, beside, client("collector")?)?;
    let publisher = publisher(args, client("gateway")?)?;
    let clocks =
        Clocks::start(state.path().into(), args.codecs.load()?).context("cannot start a thread")?;
    let readings = Both::new(clocks, publisher);
    let mut config = GatewayConfig::new(state.path(), args.nodes.listen, readings);
    args.nodes.set(&mut config);
    config.registry = Some(registry);
    let gateway = Gateway::start(config)?;

    let dashboard = collector.url();
    tracing::info!(%dashboard, "everything is up");
    let manager = Manager::find();
    manager.ready();
    if stderr().is_terminal() {
        match first_link(&state, &dashboard) {
            // Only to a terminal, never to the log: the link holds a password.
            Some(link) => eprintln!("First run: open {link}"),
            None => eprintln!("Dashboard: {dashboard}   To add a node: selo device pair"),
        }
    }
    let (stop, stopped) = channel();
    let reload = collector.reload();
    std::thread::spawn(move || wait_for_signal(signals, &stop, || reload.notify_one()));
    let failure = loop {
        if let Some(reason) = gateway.wait_failure(Duration::from_millis(200)) {
            break Some(reason.to_string());
        }
        if stopped.try_recv().is_ok() {
            break None;
        }
        manager.alive();
    };
    tracing::info!("stopping");
    manager.stopping();
    // Stop in the direction of the readings, so that each part passes on what it has.
    let stopped = gateway.stop();
    collector.stop();
    broker.stop();
    match (failure, stopped) {
        (Some(reason), _) => selo_base::bail!("the gateway had to stop: {reason}"),
        (None, Err(reason)) => selo_base::bail!("the gateway did not stop cleanly: {reason}"),
        (None, Ok(())) => Ok(ExitCode::SUCCESS),
    }
}

fn start_broker(args: &Args, folder: &Path) -> selo_base::report::Result<Broker> {
    let done = setup::run(&Setup {
        folder: folder.into(),
        names: args.name.clone(),
        site: args.names.site.clone(),
        listen: args.broker,
    })?;
    let mut config = BrokerConfig::of_folder(folder, args.broker);
    let files = certificate::Files::of(folder);
    if files.ca_key.exists() {
        config.renew = Some((files, done.names));
    }
    Ok(Broker::start(config)?)
}

fn start_collector(
    args: &Args,
    state: &StateDir,
    beside: Beside,
    client: ClientConfig,
) -> selo_base::report::Result<Collector> {
    let mut config = args.dashboard.config(state.path().join("collector"));
    if args.own_tls {
        let files = certificate::Files::of(&state.path().join("broker"));
        config.tls = Some(TlsFiles {
            certificate: files.server,
            key: files.server_key,
        });
    }
    if config.tls.is_none() {
        config.hosts.extend(args.name.iter().cloned());
    }
    config.mqtt = Some(client);
    args.home_assistant.set_collector(&mut config);
    config.titles = Titles::of(&args.codecs.load()?);
    config.gateway = Some(Arc::new(beside));
    let collector = Collector::start(config)?;
    if let Some(file) = collector.first_password() {
        tracing::info!(
            "created the user admin; its password is in {}",
            file.display()
        );
    }
    Ok(collector)
}

/// The address of the first-run page, until somebody has chosen a password there.
fn first_link(state: &StateDir, dashboard: &str) -> Option<String> {
    let users = Users::open(&state.path().join("collector")).ok()?;
    let password = users.first_password()?;
    Some(format!("{dashboard}/#/first/{}", password.as_str()))
}

fn publisher(args: &Args, client: ClientConfig) -> selo_base::report::Result<Publisher> {
    let mut config = PublisherConfig::new(client, args.codecs.load()?);
    config.site.clone_from(&args.names.site);
    config.gateway.clone_from(&args.names.gateway_name);
    config.until = Until::Stored;
    args.home_assistant.set(&mut config);
    Ok(Publisher::new(config)?)
}
