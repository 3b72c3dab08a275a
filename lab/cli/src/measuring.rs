//! Measures units of a board into its row file, and resumes an interrupted run. Shared by
//! `lab run`, `lab matrix` and `lab gate`.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use clap::builder::PossibleValuesParser;
use selo_engine::board::Board;
use selo_engine::build::{Builder, SweepPoint};
use selo_engine::derive;
use selo_engine::energy::PowerProfile;
use selo_engine::library::Unit;
use selo_engine::measure::{self, Lab};
use selo_engine::project::Project;
use selo_engine::row::{Metric, Row};
use selo_engine::store::{self, Store};

use super::common::{self, Progress, Units};

/// Selects what to measure of each unit.
#[derive(Clone, Debug, clap::Args)]
pub struct What {
    /// Operations, such as encrypt, hash or shared-secret (default: all)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub operation: Vec<String>,
    /// Metrics (default: all that the board can give)
    #[arg(long, value_name = "NAME", value_delimiter = ',',
          value_parser = PossibleValuesParser::new(Metric::ALL.map(Metric::name)))]
    pub metric: Vec<String>,
    /// Name of the run on every row (default: date and board)
    #[arg(long, value_name = "NAME")]
    pub run: Option<String>,
    /// Measure everything again instead of continuing
    #[arg(long)]
    pub fresh: bool,
}

impl What {
    /// The named metrics, in the order of tables; empty if all are selected.
    pub fn metrics(&self) -> Vec<Metric> {
        Metric::ALL
            .into_iter()
            .filter(|metric| self.metric.iter().any(|name| name == metric.name()))
            .collect()
    }

    /// The named metrics, or else those that the board has by default.
    fn metrics_of(&self, project: &Project, board: &Board) -> Vec<Metric> {
        match self.metrics() {
            named if named.is_empty() => measure::default_metrics(project, board),
            named => named,
        }
    }
}

/// Compilers and flags that replace those of the board and the libraries.
#[derive(Debug, clap::Args)]
pub struct Sweep {
    /// Compilers to build with, each with every set of --flags, such as "gcc,clang -march=native";
    /// rows go to out/sweep/BOARD
    #[arg(long, value_name = "CC", value_delimiter = ',')]
    pub compilers: Vec<String>,
    /// Sets of flags to build with, separated by semicolons, such as "-O1;-O2;-Os -flto": flags
    /// that begin with -O replace those of board and library, other flags are added
    #[arg(
        long,
        value_name = "FLAGS",
        value_delimiter = ';',
        allow_hyphen_values = true
    )]
    pub flags: Vec<String>,
}

/// A board under one combination of a sweep.
pub struct Swept {
    pub board: Board,
    pub sweep: Option<SweepPoint>,
}

impl Swept {
    /// The combination in brackets, to follow the board's name; empty without a sweep.
    pub fn name(&self) -> String {
        let name = self.sweep.as_ref().map(|v| format!(" [{}]", v.name));
        name.unwrap_or_default()
    }
}

impl Sweep {
    pub fn is_empty(&self) -> bool {
        self.compilers.is_empty() && self.flags.is_empty()
    }

    /// Each combination, or only the board itself if there is no sweep.
    pub fn points(&self, board: &Board) -> Vec<Swept> {
        if self.is_empty() {
            let (board, sweep) = (board.clone(), None);
            return vec![Swept { board, sweep }];
        }
        let own = [board.toolchain.cc.clone()];
        let compilers = if self.compilers.is_empty() {
            &own[..]
        } else {
            &self.compilers[..]
        };
        let as_they_are = [String::new()];
        let flags = if self.flags.is_empty() {
            &as_they_are[..]
        } else {
            &self.flags[..]
        };
        let mut all = Vec::new();
        for compiler in compilers {
            for set in flags {
                let words = compiler.split_whitespace().chain(set.split_whitespace());
                let words: Vec<String> = words.map(str::to_owned).collect();
                let Some((cc, flags)) = words.split_first() else {
                    continue;
                };
                let mut board = board.clone();
                if board.toolchain.cc != *cc {
                    board.toolchain.cc.clone_from(cc);
                    board.toolchain.debian = vec![cc.clone()];
                }
                let (name, flags) = (words.join(" "), flags.to_vec());
                let sweep = Some(SweepPoint { name, flags });
                all.push(Swept { board, sweep });
            }
        }
        all
    }

    /// The folder for rows. Rows of a sweep have their own folder, so that no report mistakes
    /// them for the library's.
    pub fn folder(&self, project: &Project, board: &Board, units: &[Unit<'_>]) -> PathBuf {
        if self.is_empty() {
            return measure::default_folder(project, board, units);
        }
        project.root.join("out/sweep").join(&board.name)
    }
}

/// Units of a board under one build, and the folder for their rows.
pub struct Job<'a> {
    pub project: &'a Project,
    pub catalog: &'a selo_vectors::Catalog,
    pub board: &'a Board,
    pub units: &'a [Unit<'a>],
    pub what: &'a What,
    /// Replaces the board's flags in a sweep.
    pub sweep: Option<SweepPoint>,
    pub runner: String,
    pub power: Option<PowerProfile>,
    pub folder: PathBuf,
    /// Skip units that cannot be built here, such as those of a library that was not fetched.
    pub lenient: bool,
}

/// The result of a job.
pub struct JobResult {
    /// Rows in the order of the units. After an error, the rows finished before it.
    pub rows: Vec<Row>,
    /// Units that a lenient job skipped, with the reason.
    pub skipped: Vec<(String, selo_engine::Error)>,
    pub result: selo_engine::Result<()>,
}

/// Measures the units that have no valid row, into the board's own folder of rows. Without named
/// metrics, it takes all that the board gives. A unit that cannot be built here is told, and the
/// others go on.
pub fn measure_into(
    project: &Project,
    catalog: &selo_vectors::Catalog,
    board: &Board,
    units: &[Unit<'_>],
    metrics: &[Metric],
) -> selo_base::report::Result<()> {
    let what = What {
        operation: Vec::new(),
        metric: metrics
            .iter()
            .map(|metric| metric.name().to_owned())
            .collect(),
        run: None,
        fresh: false,
    };
    let job = Job {
        project,
        catalog,
        board,
        units,
        what: &what,
        sweep: None,
        runner: board.runner.clone(),
        power: power(board, None)?,
        folder: project.root.join("out/lab").join(&board.name),
        lenient: true,
    };
    let outcome = measure(job, &Units::default(), &|_, _| {})?;
    for (unit, error) in &outcome.skipped {
        eprintln!("{}: {unit} left out: {error}", board.name);
    }
    Ok(outcome.result?)
}

/// Measures every unit without a valid row. Calls `on_row` with each row in order, as soon as
/// its turn has come, and with the progress bar, for output above it.
pub fn measure(
    job: Job<'_>,
    how: &Units,
    on_row: &dyn Fn(&Progress, &Row),
) -> selo_base::report::Result<JobResult> {
    let Job { project, board, .. } = job;
    let lab = lab_of(&job, how)?;
    let store = opened(&job.folder, job.what.fresh)?;
    let earlier = rows_of(&store);
    let store = Mutex::new(store);
    let known = |blank: &Row| valid_row(&earlier, blank);
    let skipped = Mutex::new(Vec::new());
    let work = |index: usize| {
        let unit = &job.units[index];
        match lab.measure(unit, &known) {
            Err(error) if job.lenient && error.is_of_one_unit() => {
                let mut skipped = skipped.lock().unwrap_or_else(PoisonError::into_inner);
                skipped.push((unit.label(), error));
                Ok(Vec::new())
            }
            other => other,
        }
    };
    let progress = RefCell::new(Progress::new(job.units.iter().map(Unit::label).collect()));
    let all = RefCell::new(Vec::new());
    let result = selo_engine::schedule::run(
        job.units.len(),
        how.jobs(board, true),
        work,
        |event| progress.borrow_mut().event(event),
        |rows: &Vec<Row>| add_new(&store, &earlier, rows),
        |rows| {
            let rows = derive::wanted(project, board, &lab.metrics, rows);
            for row in &rows {
                on_row(&progress.borrow(), row);
            }
            all.borrow_mut().extend(rows);
            Ok(())
        },
    );
    progress.borrow().finish();
    let (rows, skipped) = (all.into_inner(), skipped.into_inner());
    Ok(JobResult {
        rows,
        skipped: skipped.unwrap_or_default(),
        result,
    })
}

/// The lab that measures a job.
fn lab_of<'a>(job: &Job<'a>, how: &Units) -> selo_base::report::Result<Lab<'a>> {
    let Job {
        project,
        board,
        what,
        ..
    } = *job;
    let operations = known_operations(job.units, &what.operation)?;
    let builder = Builder::new(project, board)?.swept(job.sweep.clone());
    let run = || format!("{}-{}", today(), board.name);
    Ok(Lab {
        runner: job.runner.clone(),
        run: what.run.clone().unwrap_or_else(run),
        metrics: what.metrics_of(project, board),
        operations,
        power: job.power.clone(),
        cycle_limit: how.cycle_limit(),
        ..common::lab(project, board, builder, job.catalog)
    })
}

/// The file of rows in a folder. Earlier rows are discarded if all are to be measured again.
fn opened(folder: &Path, fresh: bool) -> selo_engine::Result<Store> {
    if fresh {
        Store::discard(folder)?;
    }
    Store::open(folder)
}

/// The rows of a file, by what they measure.
fn rows_of(store: &Store) -> Earlier {
    let rows = store.rows().iter();
    rows.map(|row| (store::key(row), row.clone())).collect()
}

/// The earlier row of the same measurement.
fn valid_row(earlier: &Earlier, blank: &Row) -> Option<Row> {
    earlier
        .get(&store::key(blank))
        .filter(|row| same_measurement(row, blank))
        .cloned()
}

/// Adds to the file the rows that it did not contain.
fn add_new(store: &Mutex<Store>, earlier: &Earlier, rows: &[Row]) -> selo_engine::Result<()> {
    let new: Vec<Row> = rows
        .iter()
        .filter(|row| !is_kept(earlier, row))
        .cloned()
        .collect();
    match store.lock() {
        Ok(mut store) if !new.is_empty() => store.append(new),
        _ => Ok(()),
    }
}

/// The board's power profile with this name, or its first.
pub fn power(board: &Board, name: Option<&str>) -> selo_engine::Result<Option<PowerProfile>> {
    let Some(name) = name else {
        return Ok(board.power.first().cloned());
    };
    let found = board.power.iter().find(|profile| profile.name == name);
    let known = board.power.iter().map(|profile| profile.name.as_str());
    let unknown = || selo_engine::Error::unknown("power profile", name, known);
    found.cloned().map(Some).ok_or_else(unknown)
}

/// Returns `wanted` if each operation exists in a selected algorithm, else an error.
fn known_operations(units: &[Unit<'_>], wanted: &[String]) -> selo_engine::Result<Vec<String>> {
    let mut known: Vec<&str> = Vec::new();
    for unit in units {
        known.extend(unit.algorithm.interface.timed_operations());
        known.extend(unit.algorithm.interface.footprints().iter().map(|f| f.name));
        known.extend(unit.implementation.operations.iter().map(String::as_str));
    }
    for name in wanted {
        if !known.contains(&name.as_str()) {
            return Err(selo_engine::Error::unknown("operation", name, known));
        }
    }
    Ok(wanted.to_vec())
}

/// True if an earlier row can stand for the measurement that `blank` describes.
fn same_measurement(row: &Row, blank: &Row) -> bool {
    row.firmware_sha256 == blank.firmware_sha256
        && row.runner == blank.runner
        && row.compiler == blank.compiler
        && row.clock_hz == blank.clock_hz
        && row.fidelity == blank.fidelity
        && row.schema == blank.schema
}

/// The rows that a file already has.
type Earlier = HashMap<store::Key, Row>;

/// True if the file already has this row, apart from run and commit.
fn is_kept(earlier: &Earlier, row: &Row) -> bool {
    earlier.get(&store::key(row)).is_some_and(|kept| {
        let mut same = row.clone();
        same.run.clone_from(&kept.run);
        same.commit.clone_from(&kept.commit);
        same == *kept
    })
}

/// Today's date in UTC, in the format of run names: 2026-11-25.
fn today() -> String {
    let now = humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string();
    now.chars().take("2026-11-25".len()).collect()
}
