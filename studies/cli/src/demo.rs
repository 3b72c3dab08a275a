//! `selo demo`: the whole chain on this machine. It starts the real commands as separate processes,
//! plays the person who compares digits, and counts the readings at the end.

mod args;
mod process;
mod site;
mod summary;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use selo_base::bail;
use selo_base::report::Context;
use selo_engine::schedule::check_interrupt;
use serde_json::Value;

use selo_command::status::StatusLine;

use process::Process;
use site::{FLEET, Site};
use summary::Summary;

pub use args::Args;

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
    if !summary.is_whole() {
        eprintln!(
            "demo: readings are missing that were not lost in the air. The simulated boards and radios \
             run in real time: if the machine was busy, run it again while nothing else runs"
        );
    }
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

impl Summary {
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
            refused,
            stored,
            ..
        } = self;
        println!(
            "readings sent      {sent} ({by_radio} by LoRa, {} by UDP)",
            sent.saturating_sub(*by_radio)
        );
        println!("received           {received}");
        println!(
            "lost               {} ({dropped} in the air: two nodes sent at once, or the gateway itself was \
             sending; the gateway refused {refused} packets)",
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
