//! Arguments and helpers of `lab run` and `lab check`: units, parallel jobs, progress.

use std::collections::{BTreeMap, BTreeSet};
use std::io::IsTerminal;
use std::path::Path;
use std::process::Command;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use selo_command::config::Cable;
use selo_engine::algorithm::Algorithm;
use selo_engine::board::Board;
use selo_engine::build::Builder;
use selo_engine::check::Effort;
use selo_engine::library::{Library, Unit};
use selo_engine::measure::{self, Lab};
use selo_engine::project::{ALL, Project, Selection};
use selo_engine::row::Fidelity;
use selo_engine::runner::{RUNNERS, SERIAL};
use selo_engine::schedule::Event;
use selo_engine::source::{Sources, Step};
use selo_vectors::Catalog;

/// Selects a board, and units on it.
#[derive(Debug, clap::Args)]
pub struct Select {
    /// Board to measure on; `selo lab list boards` shows them
    #[arg(long, value_name = "NAME")]
    pub board: String,
    #[command(flatten)]
    pub units: Units,
    /// Runner of the images (default: the board's own; avr8js is a second AVR simulator)
    #[arg(long, value_name = "NAME")]
    pub runner: Option<String>,
    #[command(flatten)]
    pub cable: Cable,
}

/// The effort of the constant-time measurement.
#[derive(Debug, clap::Args)]
pub struct Secrets {
    /// Random secrets for each operation of the constant-time measurement
    #[arg(
        long,
        value_name = "N",
        default_value_t = Effort::default().secrets,
        value_parser = clap::value_parser!(u32).range(2..=1_000_000)
    )]
    secrets: u32,

    /// The most random secrets for an operation of more than 2 million cycles
    #[arg(
        long,
        value_name = "N",
        default_value_t = Effort::default().slow_secrets,
        value_parser = clap::value_parser!(u32).range(2..=1_000_000)
    )]
    slow_secrets: u32,
}

impl Secrets {
    /// The default effort with this number of secrets.
    pub fn effort(&self) -> Effort {
        let usual = Effort::default();
        Effort {
            secrets: self.secrets,
            slow_secrets: self.slow_secrets.min(self.secrets),
            ..usual
        }
    }
}

/// Selects units, and how they run.
#[derive(Debug, Default, clap::Args)]
pub struct Units {
    #[command(flatten)]
    pub pick: Pick,
    /// Images that run at the same time (default: one per core; one on wall-clock boards)
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Limit of one operation on a chip, in millions of cycles, or of instructions where those are
    /// counted (default: the limit in the algorithm's entry in lab/algorithms/, or 4000)
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Download nothing; leave out libraries whose sources are not in the cache
    #[arg(long)]
    pub offline: bool,
}

/// Selects units by name.
#[derive(Debug, Default, clap::Args)]
pub struct Pick {
    /// Libraries to measure, or all (default: the project's own, which need no network)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub library: Vec<String>,
    /// Algorithms, such as aes-128 or sha3-256 (default: all)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub algorithm: Vec<String>,
    /// Variants, such as fast, small or tiny (default: all)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub variant: Vec<String>,
}

impl Pick {
    pub fn selection(&self) -> Selection {
        Selection {
            libraries: self.library.clone(),
            algorithms: self.algorithm.clone(),
            variants: self.variant.clone(),
        }
    }

    /// True if the arguments select a unit with these names.
    pub fn keeps(&self, library: &str, algorithm: &str, variant: &str) -> bool {
        let all = self.library.iter().any(|name| name == ALL);
        (all || named(&self.library, library))
            && named(&self.algorithm, algorithm)
            && named(&self.variant, variant)
    }
}

/// True if the name is in the list. An empty list contains every name.
pub fn named(list: &[String], name: &str) -> bool {
    list.is_empty() || list.iter().any(|listed| listed == name)
}

impl Units {
    /// The limit of a call given by `--limit`, in cycles; `None` if not given.
    pub fn cycle_limit(&self) -> Option<u64> {
        self.limit
            .map(|millions| millions.saturating_mul(1_000_000))
    }

    /// True if a call over the limit is not an error, because somebody chose the limit.
    pub fn excuses_limit(&self, project: &Project, algorithm: &str) -> bool {
        let of_name = |found: &&Algorithm| found.name == algorithm;
        let found = project.algorithms.iter().find(of_name);
        found.is_none_or(|found| measure::excuses_limit(self.cycle_limit(), found))
    }

    /// Number of images to run at once. Simulated chips do not disturb each other, but wall-clock
    /// measurements do.
    pub fn jobs(&self, board: &Board, timed: bool) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        if board.runner == SERIAL {
            return 1;
        }
        let default = if timed && board.fidelity == Fidelity::WallClock {
            1
        } else {
            cores
        };
        self.jobs.unwrap_or(default).max(1)
    }
}

impl Select {
    /// The selected board with the requested runner.
    pub fn board(&self, project: &Project) -> selo_engine::Result<Board> {
        let board = project.board(&self.board)?;
        // A port in the environment or the configuration only applies to boards on a serial cable.
        let by_cable = self.cable.port.is_some() && board.serial.is_some();
        if let (Some(port), None) = (&self.cable.port, &board.serial) {
            let port = port.display();
            eprintln!(
                "selo: note: {} is not a board on a serial cable; ignoring {port}",
                board.name
            );
        }
        let name = match &self.runner {
            Some(name) => name.as_str(),
            None if by_cable => SERIAL,
            None => &board.runner,
        };
        if !RUNNERS.contains(&name) {
            return Err(selo_engine::Error::unknown("runner", name, RUNNERS));
        }
        let mut board = board.on(name).into_owned();
        name.clone_into(&mut board.runner);
        if name == SERIAL {
            let port = self
                .cable
                .port
                .as_deref()
                .filter(|port| *port != Path::new("auto"));
            selo_engine::runner::port::choose(&mut board, port)?;
            if let Some(serial) = &mut board.serial {
                serial.patience = self.cable.wait;
            }
        }
        Ok(board)
    }
}

/// Fetches the sources of units. A library that cannot be fetched is reported and left out;
/// the others go on. Also returns the number of libraries left out.
pub fn fetched<'a>(
    root: &Path,
    units: Vec<Unit<'a>>,
    offline: bool,
) -> selo_engine::Result<(Vec<Unit<'a>>, usize)> {
    let sources = Sources::new(root, offline);
    let mut missing: BTreeMap<&str, selo_engine::Error> = BTreeMap::new();
    let mut tried: BTreeSet<&str> = BTreeSet::new();
    for unit in &units {
        let library = unit.library;
        if tried.insert(&library.name)
            && let Err(error) = fetch_one(&sources, library)
        {
            complain(library, &error);
            missing.insert(&library.name, error);
        }
    }
    let (count, first) = (missing.len(), missing.keys().next().copied());
    let left: Vec<Unit<'a>> = units
        .into_iter()
        .filter(|unit| !missing.contains_key(unit.library.name.as_str()))
        .collect();
    if left.is_empty()
        && let Some(error) = first.and_then(|name| missing.remove(name))
    {
        return Err(error);
    }
    Ok((left, count))
}

/// Fetches the sources of one library into the cache, and says so if that takes a while.
pub fn fetch_one(sources: &Sources, library: &Library) -> selo_engine::Result<()> {
    sources.fetch(library, &mut tell)
}

/// Says what is fetched.
pub fn tell(step: Step<'_>) {
    if let Step::Fetching(source) = step {
        eprintln!("fetching {}", source.label());
    }
}

/// Tells which libraries are not considered because they are not here.
pub fn tell_elsewhere(project: &Project) {
    let names: Vec<&str> = project
        .libraries_elsewhere()
        .map(|library| library.name.as_str())
        .collect();
    if !names.is_empty() {
        eprintln!(
            "selo: note: not considered, because they are not fetched or not bound: {}",
            names.join(", ")
        );
        eprintln!("hint: selo lab fetch brings them, and selo lab survey NAME binds one");
    }
}

/// Prints why a library is left out.
pub fn complain(library: &Library, error: &selo_engine::Error) {
    eprintln!("{} is left out: {error}", library.name);
    if let Some(hint) = error.hint() {
        eprintln!("hint: {hint}");
    }
}

/// A progress bar on a terminal; prints nothing elsewhere.
pub struct Progress {
    bar: ProgressBar,
    labels: Vec<String>,
    running: Vec<usize>,
}

impl Progress {
    pub fn new(labels: Vec<String>) -> Progress {
        let bar = ProgressBar::new(labels.len() as u64);
        if std::io::stderr().is_terminal() {
            let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {wide_msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.enable_steady_tick(std::time::Duration::from_millis(200));
        } else {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        Progress {
            bar,
            labels,
            running: Vec::new(),
        }
    }

    pub fn event(&mut self, event: Event) {
        match event {
            Event::Started(index) => self.running.push(index),
            Event::Finished(index) => {
                self.running.retain(|&running| running != index);
                self.bar.inc(1);
            }
        }
        let names: Vec<&str> = self
            .running
            .iter()
            .map(|&index| self.labels[index].as_str())
            .collect();
        self.bar.set_message(names.join("  |  "));
    }

    /// Prints a line above the bar.
    pub fn print(&self, line: &str) {
        self.bar.suspend(|| println!("{line}"));
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// The current commit; `+` is appended if the tree has changes.
pub fn commit(project: &Path) -> String {
    let git = |arguments: &[&str]| {
        let output = Command::new("git")
            .arg("-C")
            .arg(project)
            .args(arguments)
            .output()
            .ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    };
    match git(&["rev-parse", "HEAD"]) {
        Some(commit) => {
            let changed = git(&["status", "--porcelain"]).is_some_and(|text| !text.is_empty());
            format!("{commit}{}", if changed { "+" } else { "" })
        }
        None => "unknown".to_owned(),
    }
}

/// A lab for a board that measures nothing yet: no metrics, no power profile, the default limit.
pub fn lab<'a>(
    project: &'a Project,
    board: &'a Board,
    builder: Builder<'a>,
    catalog: &'a Catalog,
) -> Lab<'a> {
    Lab {
        project,
        board,
        builder,
        catalog,
        runner: board.runner.clone(),
        run: String::new(),
        commit: commit(&project.root),
        metrics: Vec::new(),
        operations: Vec::new(),
        power: None,
        cycle_limit: None,
        whole: crate::whole::registered(),
    }
}
