//! `selo lab gate`: compares rows with a baseline, for continuous integration.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use selo_engine::board::Board;
use selo_engine::library::Unit;
use selo_engine::measure::default_folder;
use selo_engine::project::{Project, Selection};
use selo_engine::row::{Metric, Row};
use selo_report::gate::{Baseline, Gate, Key, Limits, gate};
use selo_report::table::TerminalStyle;

use super::common::{Units, fetched, named};
use super::measuring::{self, Job, What};
use super::rows;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Measures the figures of the baseline (unchanged images are not measured again) and compares
them. Exact figures, such as cycles on a simulated chip or sizes, are compared exactly.
A figure that varies, such as a time on a PC, counts as worse only if it is worse by more
than the limit AND its 95 % interval does not overlap the baseline's, so noise does not
fail. A missing or failed figure, or one of another fidelity, fails. New and better
figures are reported.

A limit is a percentage or an amount, for all metrics or for one: 2%, cycles=1%, flash=64B,
time=5us. Separate several with commas. By default exact figures may not get worse at all,
and varying figures by at most 5 %.

The baseline is sorted JSON Lines with one figure per line, so that a changed figure is a
changed line. --update writes it; keep it in version control.

Examples:
  selo lab gate --baseline bench/uno.jsonl --update --board uno --algorithm aes-128
  selo lab gate --baseline bench/uno.jsonl --max-regression 2%,flash=64B
  selo lab gate --baseline bench/uno.jsonl --rows out/lab --markdown \"$GITHUB_STEP_SUMMARY\"

Exit codes: 0 nothing got worse, 1 something got worse, 2 wrong usage or no readable
baseline, 3 a compiler, a runner or every row is missing.")]
pub struct Args {
    /// File to compare with, or to write with --update
    #[arg(long, value_name = "FILE")]
    baseline: PathBuf,
    /// Allowed regression, such as 2% or cycles=1%,flash=64B
    #[arg(long, value_name = "LIMIT", allow_hyphen_values = true)]
    max_regression: Vec<String>,
    /// Write the measured figures into the baseline; unselected figures stay as they are
    #[arg(long)]
    update: bool,
    /// Compare these rows instead of measuring: files, or folders with rows.jsonl
    #[arg(long, value_name = "FILE|DIR", num_args = 1..)]
    rows: Vec<PathBuf>,
    /// Write the outcome as Markdown, for a pull request or $GITHUB_STEP_SUMMARY
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// JSON Lines on stdout, one line per figure, nothing else
    #[arg(long)]
    json: bool,
    /// Boards (default: those of the baseline)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    board: Vec<String>,
    #[command(flatten)]
    units: Units,
    #[command(flatten)]
    what: What,
}

pub fn run(args: &Args, root: &Path) -> selo_base::report::Result<ExitCode> {
    let limits = match Limits::parse(&args.max_regression) {
        Ok(limits) => limits,
        Err(message) => {
            eprintln!("selo: --max-regression: {message}");
            eprintln!("hint: write 2%, or cycles=1%,flash=64B");
            return Ok(ExitCode::from(2));
        }
    };
    let mut before = match Baseline::read(&args.baseline) {
        Ok(baseline) => baseline,
        Err(selo_engine::Error::Read { source, .. })
            if args.update && source.kind() == std::io::ErrorKind::NotFound =>
        {
            Baseline::default()
        }
        Err(error) => {
            eprintln!("selo: {error}");
            eprintln!(
                "hint: make a baseline with: selo lab gate --baseline FILE --update --board BOARD"
            );
            return Ok(ExitCode::from(2));
        }
    };
    let project = Project::load(root)?;
    let asked = |key: &Key| {
        let pick = &args.units.pick;
        named(&args.board, &key.board)
            && pick.keeps(&key.library, &key.algorithm, &key.variant)
            && named(&args.what.operation, &key.operation)
            && named(&args.what.metric, key.metric.name())
            // Figures of a sweep are only compared if --rows gives their rows.
            && (key.sweep.is_none() || !args.rows.is_empty())
    };
    let Some(now) = now(args, &project, &before, &asked)? else {
        return Ok(rows::none(
            args.board.first().map_or("BOARD", String::as_str),
        ));
    };
    let outcome = gate(&before, &now, &limits, asked);
    tell(args, &outcome)?;
    if args.update {
        before.update(now, asked);
        rows::write(&args.baseline, &before.to_text())?;
        eprintln!(
            "{} figures in {}",
            before.figures.len(),
            args.baseline.display()
        );
        return Ok(ExitCode::SUCCESS);
    }
    Ok(if outcome.passes() {
        ExitCode::SUCCESS
    } else {
        eprintln!("hint: if the change is intended, run the same command with --update");
        ExitCode::from(1)
    })
}

fn tell(args: &Args, outcome: &Gate) -> selo_base::report::Result<()> {
    if let Some(path) = &args.markdown {
        rows::write(path, &outcome.to_markdown())?;
    }
    if args.json {
        rows::print_lines(&outcome.lines)?;
    } else {
        let table = outcome.table();
        if !table.body.is_empty() {
            rows::print(&table.to_terminal(TerminalStyle::detect()))?;
        }
    }
    eprintln!("{}", outcome.summary());
    Ok(())
}

/// The current figures of the selected keys; `None` if there are no rows.
fn now(
    args: &Args,
    project: &Project,
    before: &Baseline,
    asked: &dyn Fn(&Key) -> bool,
) -> selo_base::report::Result<Option<Baseline>> {
    let known: BTreeSet<&str> = before
        .figures
        .keys()
        .filter(|key| asked(key))
        .map(|key| key.board.as_str())
        .collect();
    let mut all = Vec::new();
    if args.rows.is_empty() {
        let boards = match args.board.is_empty() {
            true => known.iter().map(|&board| board.to_owned()).collect(),
            false => args.board.clone(),
        };
        if boards.is_empty() {
            return Err(selo_engine::Error::NothingSelected {
                what: format!(
                    "{} has no figures for this selection; give a --board",
                    args.baseline.display()
                ),
            }
            .into());
        }
        for board in &boards {
            all.extend(measure(args, project, before, asked, board)?);
        }
    } else {
        all = rows::read(&args.rows, &project.root)?;
        all.retain(|row| asked(&Key::of(row)));
    }
    if all.is_empty() {
        return Ok(None);
    }
    let boards: BTreeSet<String> = all.iter().map(|row| row.board.clone()).collect();
    let mut now = Baseline::default();
    for board in &boards {
        let of_board: Vec<Row> = all.iter().filter(|r| r.board == *board).cloned().collect();
        let found = Baseline::of(&of_board, &metrics(args, before, board));
        now.figures.extend(found.figures);
        now.compilers.extend(found.compilers);
    }
    Ok(Some(now))
}

/// The named metrics, or else those that the baseline has for a board.
fn metrics(args: &Args, before: &Baseline, board: &str) -> Vec<Metric> {
    let named = args.what.metrics();
    if !named.is_empty() {
        return named;
    }
    let of_board = before.figures.keys().filter(|key| key.board == board);
    let kept: BTreeSet<Metric> = of_board.map(|key| key.metric).collect();
    kept.into_iter().collect()
}

fn measure(
    args: &Args,
    project: &Project,
    before: &Baseline,
    asked: &dyn Fn(&Key) -> bool,
    name: &str,
) -> selo_base::report::Result<Vec<Row>> {
    let board = project.board(name)?;
    let catalog = project.catalog()?;
    let keys: Vec<&Key> = before
        .figures
        .keys()
        .filter(|key| key.board == name && asked(key))
        .collect();
    let Some(units) = units(args, project, board, &keys)? else {
        return Ok(Vec::new());
    };
    // Units that cannot be fetched count as missing, so the gate fails.
    let (units, _) = fetched(&project.root, units, args.units.offline)?;
    let metrics = metrics(args, before, name);
    let what = What {
        metric: metrics.iter().map(|m| m.name().to_owned()).collect(),
        ..args.what.clone()
    };
    let job = Job {
        project,
        catalog: &catalog,
        board,
        units: &units,
        what: &what,
        sweep: None,
        runner: board.runner.clone(),
        power: measuring::power(board, None)?,
        folder: default_folder(project, board, &units),
        lenient: false,
    };
    let outcome = measuring::measure(job, &args.units, &|_, _| {})?;
    outcome.result?;
    Ok(outcome.rows)
}

/// The named units, or else those of the baseline; `None` if the project has none of these.
fn units<'a>(
    args: &Args,
    project: &'a Project,
    board: &Board,
    keys: &[&Key],
) -> selo_base::report::Result<Option<Vec<Unit<'a>>>> {
    let pick = &args.units.pick;
    let named = !(pick.library.is_empty() && pick.algorithm.is_empty() && pick.variant.is_empty());
    if named || keys.is_empty() {
        return Ok(Some(project.units(board, &pick.selection())?));
    }
    // If the project no longer has a name, its figures count as missing.
    let is = |name: &str| project.libraries.iter().any(|c| c.name == name);
    let has = |name: &str| project.algorithm(name).is_ok();
    let libraries = distinct(keys, |key| &key.library, is);
    let algorithms = distinct(keys, |key| &key.algorithm, has);
    if libraries.is_empty() || algorithms.is_empty() {
        return Ok(None);
    }
    let selection = Selection {
        libraries,
        algorithms,
        variants: Vec::new(),
    };
    let mut units = project.units(board, &selection)?;
    units.retain(|unit| {
        keys.iter().any(|key| {
            key.library == unit.library.name
                && key.algorithm == unit.algorithm.name
                && key.variant == unit.variant
        })
    });
    Ok(Some(units))
}

fn distinct(
    keys: &[&Key],
    name: impl Fn(&Key) -> &String,
    known: impl Fn(&str) -> bool,
) -> Vec<String> {
    let names: BTreeSet<String> = keys
        .iter()
        .map(|key| name(key).clone())
        .filter(|name| known(name))
        .collect();
    names.into_iter().collect()
}
