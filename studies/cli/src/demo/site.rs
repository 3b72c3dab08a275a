//! The site of the demo: the air, the services and the nodes.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use selo_base::bail;
use selo_base::report::{Context, machine};
use selo_engine::schedule::check_interrupt;
use selo_gateway::control::{Client, Event, Reply, Request, Status};
use selo_gateway::state::StateDir;
use serde_json::Value;

use super::args::Args;
use super::process::{PATIENCE, Process, text};
use super::summary::Summary;

/// Tips of each Uno's bucket in an hour. This is a downpour of 60 mm, so that some tips fall within
/// a minute.
const RAIN: &str = "300";

/// Time without a reading after which none is in transit.
const QUIET: Duration = Duration::from_secs(5);

/// The name of the virtual nodes' process.
pub(super) const FLEET: &str = "nodes";

/// `selo up` and the air, with their addresses.
pub(super) struct Site {
    up: Process,
    pub(super) air: Option<Process>,
    folder: PathBuf,
    pub(super) state: String,
    gateway: String,
    pub(super) dashboard: String,
    pub(super) password: PathBuf,
    project: Option<String>,
}

/// The serial port of the gateway's module, and the socket of an Uno's module.
const GATEWAY_PORT: &str = "gateway.port";

fn socket(folder: &Path, number: u32) -> selo_base::report::Result<String> {
    text(folder.join(format!("uno-{number}.air")))
}

/// Starts one LoRa channel: a module for the gateway, and one for each Uno around it.
fn start_air(folder: &Path, unos: u32) -> selo_base::report::Result<Process> {
    let gateway = text(folder.join(GATEWAY_PORT))?;
    let sockets: selo_base::report::Result<Vec<String>> =
        (1..=unos).map(|n| socket(folder, n)).collect();
    let sockets = sockets?;
    let mut arguments = vec!["radio", "run", "--json", "--gateway", &gateway];
    for socket in &sockets {
        arguments.extend(["--board", socket]);
    }
    let air = Process::start(folder, "air", &arguments)?;
    air.wait("Ctrl-C")?;
    Ok(air)
}

impl Site {
    pub(super) fn start(
        args: &Args,
        folder: &Path,
        project: Option<&Path>,
    ) -> selo_base::report::Result<Site> {
        let state = text(folder.join("state"))?;
        let http = args.http.to_string();
        let (air, radio) = match args.unos {
            0 => (None, None),
            unos => (
                Some(start_air(folder, unos)?),
                Some(text(folder.join(GATEWAY_PORT))?),
            ),
        };
        let mut arguments = vec!["up", "--state", &state, "--json-log", "--http", &http];
        arguments.extend(["--listen", "127.0.0.1:0", "--broker", "127.0.0.1:0"]);
        if let Some(radio) = &radio {
            arguments.extend(["--radio", radio]);
        }
        let report = project.map(|project| text(project.join("out/report/index.html")));
        let report = report.transpose()?.filter(|path| Path::new(path).exists());
        if let Some(report) = &report {
            arguments.extend(["--report", report]);
        }
        let up = Process::start(folder, "up", &arguments)?;
        let member = |line: String, name: &str| -> selo_base::report::Result<String> {
            let line: Value = serde_json::from_str(&line)?;
            let value = line[name]
                .as_str()
                .with_context(|| format!("no {name}: {line}"))?;
            Ok(value.into())
        };
        Ok(Site {
            gateway: member(up.wait("the gateway listens")?, "listen")?,
            dashboard: member(up.wait("everything is up")?, "dashboard")?,
            up,
            air,
            folder: folder.into(),
            password: folder.join("state/collector/admin-password"),
            state,
            project: project.map(text).transpose()?,
        })
    }

    fn client(&self) -> selo_base::report::Result<Client> {
        Ok(Client::connect(&StateDir::open(Path::new(&self.state))?)?)
    }

    pub(super) fn status(&self) -> selo_base::report::Result<Status> {
        match self.client()?.ask(&Request::Status)? {
            Reply::Status(status) => Ok(*status),
            other => bail!("the gateway did not answer with its status but with {other:?}"),
        }
    }

    /// Starts virtual nodes, after their keys have been imported into the registry.
    pub(super) fn fleet(&self, args: &Args) -> selo_base::report::Result<Process> {
        let (nodes, file) = (self.folder.join("nodes"), self.folder.join("nodes.csv"));
        let (nodes, file, count) = (text(&nodes)?, text(&file)?, args.nodes.to_string());
        let prepare = |name: &str, arguments: &[&str]| -> selo_base::report::Result<()> {
            let mut process = Process::start(&self.folder, name, arguments)?;
            match process.child.wait()?.success() {
                true => Ok(()),
                false => bail!("{name} failed: see {}", process.log.display()),
            }
        };
        let keys = [
            "node",
            "--make-registry",
            &file,
            "--count",
            &count,
            "--state",
            &nodes,
        ];
        prepare("keys", &keys)?;
        prepare(
            "import",
            &["device", "import", "--state", &self.state, &file],
        )?;
        let run = [
            "node",
            "--to",
            &self.gateway,
            "--state",
            &nodes,
            "--every",
            &args.every,
            "--json",
        ];
        Process::start(&self.folder, FLEET, &run)
    }

    /// Starts and pairs a simulated Uno. Returns the digits that it showed.
    pub(super) fn uno(
        &self,
        args: &Args,
        number: u32,
    ) -> selo_base::report::Result<(Process, String)> {
        let name = format!("uno-{number}");
        let mut window = self.client()?;
        window.ask(&Request::Pair {
            seconds: PATIENCE.as_secs(),
            name: Some(name.clone()),
        })?;
        let eeprom = text(self.folder.join(format!("{name}.eeprom")))?;
        let radio = socket(&self.folder, number)?;
        let seed = number.to_string();
        let mut arguments = vec!["node", "--board", "uno", "--radio", &radio, "--json"];
        arguments.extend(["--rain", RAIN, "--seed", &seed]);
        arguments.extend(["--eeprom", &eeprom, "--every", &args.every]);
        if let Some(project) = &self.project {
            arguments.extend(["--project", project]);
        }
        let mut uno = Process::start(&self.folder, &name, &arguments)?;

        let shown = digits(&uno.wait("Digits here")?);
        loop {
            match window.receive()? {
                Reply::Event(Event::Comparing { .. }) => window.send(&Request::Confirm {
                    digits: shown.clone(),
                    name: Some(name.clone()),
                })?,
                // The operator holds the node's button only after the gateway has paired.
                Reply::Event(Event::Paired { .. }) => {
                    if let Some(stdin) = &mut uno.stdin {
                        writeln!(stdin, "yes").context("the simulated Uno ended")?;
                    }
                    break;
                }
                Reply::Event(Event::Failed { why, .. } | Event::Closed { why }) => {
                    bail!("{name} was not paired: {why}")
                }
                _ => {}
            }
        }
        uno.wait("joined")?;
        Ok((uno, shown))
    }

    /// Waits until every reading that was sent is received, or none has come for a while, and until
    /// what was received is stored. Counts them.
    pub(super) fn settle(&self, sent: u64) -> selo_base::report::Result<Summary> {
        let end = Instant::now() + PATIENCE;
        let mut last = (0, Instant::now());
        loop {
            check_interrupt()?;
            let status = self.status()?;
            if status.readings != last.0 {
                last = (status.readings, Instant::now());
            }
            // A radio may have dropped some. On a busy machine, others are only late.
            let arrived = status.readings >= sent || last.1.elapsed() > QUIET;
            let done = arrived && status.delivered >= status.readings;
            if done || Instant::now() > end {
                return self.summary(sent, &status);
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    fn summary(&self, sent: u64, status: &Status) -> selo_base::report::Result<Summary> {
        let url = format!("{}/metrics", self.dashboard);
        let metrics = ureq::get(&url)
            .call()
            .map_err(machine)?
            .body_mut()
            .read_to_string()
            .map_err(machine)?;
        let metric = |name: &str| -> selo_base::report::Result<u64> {
            let line = metrics.lines().find_map(|line| {
                line.strip_prefix("selo_collector_")?
                    .strip_prefix(name)?
                    .strip_prefix("_total ")
            });
            let value = line.with_context(|| format!("{url} does not contain {name}"))?;
            value.trim().parse().map_err(machine)
        };
        Ok(Summary {
            sent,
            by_radio: 0,
            dropped: 0,
            received: status.readings,
            refused: status.dropped,
            stored: metric("readings_stored")?,
            duplicates: metric("readings_duplicate")?,
            rejected: metric("readings_rejected")?,
            alarms: metric("alarms_raised")?,
        })
    }

    pub(super) fn stop(self) -> selo_base::report::Result<()> {
        self.up.end().map(drop)
    }
}

fn digits(line: &str) -> String {
    line.chars().filter(char::is_ascii_digit).collect()
}
