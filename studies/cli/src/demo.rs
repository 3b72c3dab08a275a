//! `selo demo`: the whole chain on this machine. It starts the real commands as separate processes,
//! plays the person who compares digits, and counts the readings at the end.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitCode, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use selo_base::bail;
use selo_base::report::{Context, machine};
use selo_engine::schedule::check_interrupt;
use selo_gateway::control::{Client, Event, Reply, Request, Status};
use selo_gateway::state::StateDir;
use serde_json::Value;

use selo_command::status::StatusLine;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Simulated Arduino Unos run the rain gauge's firmware, each with a clock, a bucket and a
virtual LoRa module. They pair with a gateway by six digits, as a person would type them.
Virtual nodes run the device library natively, with imported keys. They use UDP, because one
LoRa channel cannot carry so many. All send sealed readings to `selo up`, which also has a
LoRa module: gateway, MQTT broker with TLS, collector, dashboard.

At the end the demo counts the readings at the nodes, on the air, at the gateway and in the
database. The exit code is 0 if only readings that the radio dropped are missing, and no
reading is stored twice.

Examples:
  selo demo
  selo demo --stay                       keep the dashboard until Ctrl-C
  DEMO_SECONDS=10 selo demo --nodes 1000")]
pub struct Args {
    /// How long the nodes report
    #[arg(
        long,
        env = "DEMO_SECONDS",
        value_name = "SECONDS",
        default_value_t = 60
    )]
    seconds: u64,
    /// Virtual nodes
    #[arg(long, value_name = "N", default_value_t = 200)]
    nodes: u32,
    /// Simulated Arduino Unos
    #[arg(long, value_name = "N", default_value_t = 2)]
    unos: u32,
    /// Time between two readings of a node
    #[arg(long, value_name = "TIME", default_value = "5s")]
    every: String,
    /// Folder for state and logs; the files of an earlier demo in it are removed
    #[arg(long, value_name = "DIR", default_value = "out/demo/chain")]
    out: PathBuf,
    /// Address of the dashboard; port 0 selects a free port
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:0")]
    http: SocketAddr,
    /// Keep everything running until Ctrl-C
    #[arg(long)]
    stay: bool,
    /// Print the summary as one JSON object on stdout, nothing else
    #[arg(long)]
    json: bool,
}

/// Time limit for each expected event, on any machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// Tips of each Uno's bucket in an hour. This is a downpour of 60 mm, so that some tips fall within
/// a minute.
const RAIN: &str = "300";

/// The name of the virtual nodes' process.
const FLEET: &str = "nodes";

/// Bytes of a reading on the link [docs/protocol.md, Data].
const READING_FRAME: u64 = 29;

/// A file that marks a folder as a demo's, which may be removed.
const MARK: &str = "selo-demo";

pub fn run(args: &Args, project: Option<&Path>) -> selo_base::report::Result<ExitCode> {
    let folder = fresh_folder(&args.out)?;
    let status = StatusLine::new();
    status.say("starting gateway, broker, collector and dashboard");
    let mut site = Site::start(args, &folder, project)?;
    status.aside(|| {
        eprintln!(
            "dashboard      {}   user admin, password: {}",
            site.dashboard,
            site.password.display()
        );
    });

    let crew = crew(args, &mut site, &status)?;
    let end = Instant::now() + Duration::from_secs(args.seconds);
    while Instant::now() < end {
        let state = site.status()?;
        status.say(&format!(
            "{} sessions, {} readings received, {} stored; {} s to go",
            state.sessions,
            state.readings,
            state.delivered,
            end.saturating_duration_since(Instant::now()).as_secs()
        ));
        check_interrupt()?;
        std::thread::sleep(Duration::from_millis(500));
    }
    if args.stay {
        status.aside(|| eprintln!("Press Ctrl-C to stop."));
        status.say("running");
        while check_interrupt().is_ok() {
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    status.say("stopping the nodes");
    let (sent, by_radio) = stop(crew)?;
    status.say("waiting for the last readings");
    let mut summary = site.settle(sent)?;
    summary.by_radio = by_radio;
    if let Some(air) = site.air.take() {
        summary.dropped = dropped(air)?;
    }
    drop(status);
    summary.print(args, &site, &folder);
    site.stop()?;
    Ok(ExitCode::from(u8::from(!summary.is_whole())))
}

/// Starts the virtual nodes, and pairs the simulated boards.
fn crew(
    args: &Args,
    site: &mut Site,
    status: &StatusLine,
) -> selo_base::report::Result<Vec<Process>> {
    let mut crew = Vec::new();
    if args.nodes > 0 {
        crew.push(site.fleet(args)?);
        status.aside(|| eprintln!("by UDP         {} virtual nodes", args.nodes));
    }
    if args.unos > 0 {
        let way = format!("by LoRa        {} simulated Unos, 2.4 kbit/s", args.unos);
        status.aside(|| eprintln!("{way}"));
    }
    for number in 1..=args.unos {
        status.say(&format!("pairing the simulated Uno {number}"));
        let (uno, digits) = site.uno(args, number)?;
        status.aside(|| eprintln!("uno-{number}          paired with the digits {digits}"));
        crew.push(uno);
    }
    Ok(crew)
}

/// Stops the nodes. Returns the readings that all of them sent, and those sent by radio.
fn stop(crew: Vec<Process>) -> selo_base::report::Result<(u64, u64)> {
    let (mut sent, mut by_radio) = (0, 0);
    for node in crew {
        let name = node.name.clone();
        let tally = node
            .tally()
            .with_context(|| format!("{name} did not stop cleanly"))?;
        let readings = tally["sent"].as_u64().unwrap_or(0);
        sent += readings;
        by_radio += if name == FLEET { 0 } else { readings };
    }
    Ok((sent, by_radio))
}

/// Empties the folder. Refuses a folder that holds anything other than an earlier demo.
fn fresh_folder(path: &Path) -> selo_base::report::Result<PathBuf> {
    if path.join(MARK).exists() {
        std::fs::remove_dir_all(path)
            .with_context(|| format!("cannot remove {} of the last demo", path.display()))?;
    } else if path.exists() && path.read_dir()?.next().is_some() {
        bail!(
            "{} exists and is not the folder of a demo; use another folder with --out",
            path.display()
        );
    }
    std::fs::create_dir_all(path).with_context(|| format!("cannot create {}", path.display()))?;
    std::fs::write(
        path.join(MARK),
        "Made by selo demo, and removed by the next one.\n",
    )?;
    Ok(path.canonicalize()?)
}

/// A process of the demo. It is killed when dropped.
struct Process {
    name: String,
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    out: Option<std::thread::JoinHandle<String>>,
    log: PathBuf,
}

impl Process {
    /// Starts `selo` with these arguments; `selo` runs `selo-lab` for the laboratory's subcommands.
    /// The log goes to a file, and line by line to [`Process::wait`].
    fn start(folder: &Path, name: &str, arguments: &[&str]) -> selo_base::report::Result<Process> {
        let log = folder.join(format!("{name}.log"));
        let mut child = Command::new(selo_command::external::require("selo")?)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {name}"))?;
        let (send, lines) = channel();
        let mut copy = std::fs::File::create(&log)?;
        if let Some(stderr) = child.stderr.take() {
            std::thread::spawn(move || {
                for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                    // A failed write to the log does not stop the demo.
                    _ = writeln!(copy, "{line}");
                    _ = send.send(line);
                }
            });
        }
        let out = child.stdout.take().map(|mut stdout| {
            std::thread::spawn(move || {
                let mut text = String::new();
                _ = stdout.read_to_string(&mut text);
                text
            })
        });
        Ok(Process {
            name: name.into(),
            stdin: child.stdin.take(),
            child,
            lines,
            out,
            log,
        })
    }

    /// Waits for the next line of the log that contains these words.
    fn wait(&self, words: &str) -> selo_base::report::Result<String> {
        let end = Instant::now() + PATIENCE;
        loop {
            check_interrupt()?;
            match self.lines.recv_timeout(Duration::from_millis(100)) {
                Ok(line) if line.contains(words) => return Ok(line),
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) if Instant::now() < end => {}
                Err(_) => bail!(
                    "{} did not print '{words}': see {}",
                    self.name,
                    self.log.display()
                ),
            }
        }
    }

    fn interrupt(&self) {
        _ = kill_process(Pid::from_child(&self.child), Signal::INT);
    }

    /// Stops the process as Ctrl-C would, and returns its output.
    fn end(mut self) -> selo_base::report::Result<String> {
        self.interrupt();
        let code = self.child.wait()?;
        let out = self.out.take().and_then(|out| out.join().ok());
        if !code.success() {
            bail!(
                "{} ended with {code}: see {}",
                self.name,
                self.log.display()
            );
        }
        Ok(out.unwrap_or_default())
    }

    /// Stops a node, and returns its counters.
    fn tally(self) -> selo_base::report::Result<Value> {
        let log = self.log.clone();
        serde_json::from_str(&self.end()?)
            .with_context(|| format!("a node printed no summary: see {}", log.display()))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// Stops the air, and returns the number of readings that the gateway's module missed.
fn dropped(air: Process) -> selo_base::report::Result<u64> {
    let events = air.end()?;
    let mut missed = 0;
    for line in events.lines() {
        let event: Value =
            serde_json::from_str(line).context("cannot parse an event of the virtual radio")?;
        let at_gateway = event["module"] == "gateway" && event["event"] == "missed";
        missed += u64::from(at_gateway && event["bytes"] == READING_FRAME);
    }
    Ok(missed)
}

/// `selo up` and the air, with their addresses.
struct Site {
    up: Process,
    air: Option<Process>,
    folder: PathBuf,
    state: String,
    gateway: String,
    dashboard: String,
    password: PathBuf,
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
    fn start(
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

    fn status(&self) -> selo_base::report::Result<Status> {
        match self.client()?.ask(&Request::Status)? {
            Reply::Status(status) => Ok(*status),
            other => bail!("the gateway did not answer with its status but with {other:?}"),
        }
    }

    /// Starts virtual nodes, after their keys have been imported into the registry.
    fn fleet(&self, args: &Args) -> selo_base::report::Result<Process> {
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
    fn uno(&self, args: &Args, number: u32) -> selo_base::report::Result<(Process, String)> {
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

    /// Waits until every received reading is stored, and counts them.
    fn settle(&self, sent: u64) -> selo_base::report::Result<Summary> {
        let end = Instant::now() + PATIENCE;
        let mut last = (0, Instant::now());
        loop {
            check_interrupt()?;
            let status = self.status()?;
            if status.readings != last.0 {
                last = (status.readings, Instant::now());
            }
            // After a second without readings, nothing is in transit.
            let calm = last.1.elapsed() > Duration::from_secs(1);
            let done = calm && status.delivered >= status.readings;
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
            stored: metric("readings_stored")?,
            duplicates: metric("readings_duplicate")?,
            rejected: metric("readings_rejected")?,
            alarms: metric("alarms_raised")?,
        })
    }

    fn stop(self) -> selo_base::report::Result<()> {
        self.up.end().map(drop)
    }
}

#[derive(serde::Serialize)]
struct Summary {
    sent: u64,
    /// Readings received by LoRa; the others came by UDP.
    by_radio: u64,
    received: u64,
    /// LoRa readings that the gateway's module missed, because of collisions and its own
    /// transmissions.
    dropped: u64,
    stored: u64,
    /// Readings that reached the collector twice. It dropped the repetition.
    duplicates: u64,
    rejected: u64,
    alarms: u64,
}

impl Summary {
    fn lost(&self) -> u64 {
        self.sent.saturating_sub(self.received)
    }

    /// Whether all readings are stored. Loopback loses nothing, so only those that the air dropped
    /// may be missing.
    fn is_whole(&self) -> bool {
        self.sent == self.received + self.dropped
            && self.received == self.stored
            && self.rejected == 0
    }

    fn print(&self, args: &Args, site: &Site, folder: &Path) {
        if args.json {
            // The value holds numbers only, so serialisation cannot fail.
            println!("{}", serde_json::to_string(self).unwrap_or_default());
            return;
        }
        let Summary {
            sent,
            by_radio,
            received,
            dropped,
            stored,
            ..
        } = self;
        println!(
            "readings sent      {sent} ({by_radio} by LoRa, {} by UDP)",
            sent.saturating_sub(*by_radio)
        );
        println!("received           {received}");
        println!(
            "lost               {} ({dropped} of them dropped by the radio)",
            self.lost()
        );
        println!(
            "stored             {stored} ({} duplicates were dropped)",
            self.duplicates
        );
        println!("alarms raised      {}", self.alarms);
        println!("database           {}/collector/readings.db", site.state);
        println!("logs               {}", folder.display());
        println!("look at it         selo up --state {}", site.state);
    }
}

fn digits(line: &str) -> String {
    line.chars().filter(char::is_ascii_digit).collect()
}

fn text(path: impl AsRef<Path>) -> selo_base::report::Result<String> {
    let path = path.as_ref();
    let text = path
        .to_str()
        .with_context(|| format!("the path {} is not valid UTF-8", path.display()))?;
    Ok(text.into())
}
