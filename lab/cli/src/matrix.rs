//! `selo lab matrix`: many libraries on many boards, side by side.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use selo_engine::board::Board;
use selo_engine::build::Builder;
use selo_engine::library::Unit;
use selo_engine::measure;
use selo_engine::project::Project;
use selo_engine::row::{Metric, Row};
use selo_engine::{Error, runner};
use selo_report::matrix::{Matrix, MatrixCell, State};
use selo_report::table::TerminalStyle;

use super::common::{self, Units, fetched, named};
use super::measuring::{self, Job, Sweep, What};
use super::{report, rows};

/// Metrics shown by default: memory, and the counts behind time and energy.
const SHOWN: [Metric; 6] = [
    Metric::Cycles,
    Metric::Instructions,
    Metric::Time,
    Metric::Flash,
    Metric::Ram,
    Metric::Stack,
];

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Measures every selected implementation on every board that can be measured here, as
`selo lab run` does and into the same files (out/lab/BOARD/rows.jsonl), and prints a
table for each algorithm and metric: libraries down, boards across. The same command
continues an interrupted run, and does not measure again what has not changed.

Without --library, it takes the project's own libraries and all whose sources are on this
machine, and names the others; selo lab fetch brings them.

Without --board, it measures all boards whose compiler and runner are installed. For the
others it prints the command that installs what is missing. Simulated boards run one image
per core, wall-clock boards one image at a time.

The sign after a figure is its fidelity: = every cycle counted, ≈ by a timing model,
# instructions, ~ read from a clock. A cell without a figure gives the reason: does not fit
(with the missing bytes), over the limit of a call (--limit), wrong, does not build, crashed,
not offered, not measured. A board that cannot give a metric has no column for it; a line
below the table gives the reason.

Examples:
  selo lab matrix --algorithm aes-128,sha-256 --metric cycles,time,flash
  selo lab matrix --board uno,native --library selo --algorithm aes-128
  selo lab matrix --rows out/lab --algorithm x25519 --markdown > x25519.md
  selo lab matrix --rows out/lab --algorithm x25519,sha-256 --picture libraries.svg

Exit codes: 0 measured, 1 something is wrong, does not build or crashed, 2 unknown name,
3 a compiler or runner is missing for a named board or for all boards, 130 interrupted.")]
pub struct Args {
    /// Boards (default: all whose compiler and runner are installed)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    board: Vec<String>,
    #[command(flatten)]
    units: Units,
    #[command(flatten)]
    what: What,
    #[command(flatten)]
    sweep: Sweep,
    /// JSON Lines on stdout, one line per cell, nothing else
    #[arg(long, conflicts_with_all = ["markdown", "csv"])]
    json: bool,
    /// Tables in Markdown on stdout
    #[arg(long, conflicts_with = "csv")]
    markdown: bool,
    /// Comma-separated values on stdout, one line per cell
    #[arg(long)]
    csv: bool,
    /// Also draw the figures into this SVG file: the best variant of each library
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    /// Title of the picture
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "Libraries on boards",
        requires = "picture"
    )]
    title: String,
    /// Measure nothing: show the rows of these files, or folders with rows.jsonl
    #[arg(long, value_name = "FILE|DIR", num_args = 1..)]
    rows: Vec<PathBuf>,
}

pub fn run(args: &Args, root: &Path) -> selo_base::report::Result<ExitCode> {
    let project = Project::load(root)?;
    for name in &args.board {
        project.board(name)?;
    }
    let mut wanted: Vec<&Board> = project.boards.iter().collect();
    if !args.board.is_empty() {
        // Keep the order of the command line.
        let place = |board: &Board| args.board.iter().position(|name| *name == board.name);
        wanted.retain(|board| place(board).is_some());
        wanted.sort_by_key(|board| place(board));
    } else if args.rows.is_empty() {
        wanted.retain(|board| board.is_here());
    }
    let done = if args.rows.is_empty() {
        measure(args, &project, &wanted)?
    } else {
        kept(args, root, &wanted)?
    };
    let matrix = arrange(args, &project, &done)?;
    print(args, &matrix)?;
    if let Some(file) = &args.picture {
        draw(&matrix, &args.title, file)?;
    }
    if args.units.pick.library.is_empty() {
        common::tell_elsewhere(&project);
    }
    let counts: Vec<String> = matrix
        .counts()
        .iter()
        .map(|(state, count)| format!("{count} {}", state.words()))
        .collect();
    eprintln!(
        "{} boards, {} cells: {}",
        matrix.boards.len(),
        matrix.cells().count(),
        counts.join(", ")
    );
    if done.interrupted {
        return Err(Error::Interrupted.into());
    }
    if done.boards.is_empty() || (done.left_out && !args.board.is_empty()) {
        return Ok(ExitCode::from(rows::MISSING));
    }
    let bad = |cell: &MatrixCell| match cell.state {
        State::Wrong | State::DoesNotBuild | State::Crashed => true,
        // A call that reaches a default limit counts as hung.
        State::OverLimit => !args.units.excuses_limit(&project, &cell.algorithm),
        _ => false,
    };
    Ok(if matrix.cells().any(bad) {
        ExitCode::from(1)
    } else {
        ExitCode::SUCCESS
    })
}

/// The selected units of a board. Without a named library, all libraries are selected that are
/// here, without guesses that no official vector confirms.
fn selected<'p>(
    args: &Args,
    project: &'p Project,
    board: &Board,
) -> selo_engine::Result<Vec<Unit<'p>>> {
    let mut selection = args.units.pick.selection();
    if !selection.libraries.is_empty() {
        return project.units(board, &selection);
    }
    let here = project.libraries_here();
    selection.libraries = here.map(|library| library.name.clone()).collect();
    let mut units = project.units(board, &selection)?;
    units.retain(|unit| !unit.implementation.unproven);
    Ok(units)
}

/// The rows to show, and their boards.
#[derive(Default)]
struct Done {
    boards: Vec<String>,
    rows: Vec<Row>,
    left_out: bool,
    interrupted: bool,
}

fn measure(args: &Args, project: &Project, boards: &[&Board]) -> selo_base::report::Result<Done> {
    let catalog = project.catalog()?;
    let mut done = Done::default();
    let mut nothing = None;
    for &board in boards {
        if let Err(error) = available(project, board) {
            leave_out(board, &error);
            done.left_out = true;
            continue;
        }
        let units = match selected(args, project, board) {
            Ok(units) => units,
            Err(error @ Error::NothingSelected { .. }) => {
                nothing = Some(error);
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        let (units, _) = match fetched(&project.root, units, args.units.offline) {
            Ok(units) => units,
            Err(error) => {
                leave_out(board, &error);
                continue;
            }
        };
        done.boards.push(board.name.clone());
        measure_board(args, project, &catalog, board, &units, &mut done)?;
        if done.interrupted {
            return Ok(done);
        }
    }
    match nothing {
        Some(error) if done.boards.is_empty() && !done.left_out => Err(error.into()),
        _ => Ok(done),
    }
}

/// Measures the units of one board at each point of the sweep.
fn measure_board(
    args: &Args,
    project: &Project,
    catalog: &selo_vectors::Catalog,
    board: &Board,
    units: &[Unit<'_>],
    done: &mut Done,
) -> selo_base::report::Result<()> {
    for (number, swept) in args.sweep.points(board).into_iter().enumerate() {
        let name = swept.name();
        eprintln!("{}{name}: {} units", board.name, units.len());
        if let Err(error) = Builder::new(project, &swept.board) {
            leave_out(&swept.board, &error);
            continue;
        }
        let what = What {
            fresh: args.what.fresh && number == 0,
            ..args.what.clone()
        };
        let job = Job {
            project,
            catalog,
            board: &swept.board,
            units,
            what: &what,
            sweep: swept.sweep,
            runner: board.runner.clone(),
            power: measuring::power(board, None)?,
            folder: args.sweep.folder(project, board, units),
            lenient: true,
        };
        let outcome = measuring::measure(job, &args.units, &|_, _| {})?;
        for (unit, error) in &outcome.skipped {
            eprintln!("{}: {unit} left out: {error}", board.name);
            if let Some(hint) = error.hint() {
                eprintln!("  hint: {hint}");
            }
        }
        done.rows.extend(outcome.rows);
        if let Err(Error::Interrupted) = outcome.result {
            done.interrupted = true;
            return Ok(());
        }
        outcome.result?;
    }
    Ok(())
}

/// Fails if images for the board cannot be built and run here.
fn available(project: &Project, board: &Board) -> selo_engine::Result<()> {
    Builder::new(project, board)?;
    if !board.toolchain.has_headers() {
        return Err(Error::MissingProgram {
            program: format!("the C library of {}", board.toolchain.cc),
            needed_for: format!("building for {}", board.title),
            packages: board.toolchain.debian.clone(),
            install: String::new(),
        });
    }
    runner::available(&project.root, board)
}

fn leave_out(board: &Board, error: &Error) {
    eprintln!("{}: left out: {error}", board.name);
    if let Some(hint) = error.hint() {
        eprintln!("  hint: {hint}");
    }
}

/// The selected rows of the given files.
fn kept(args: &Args, root: &Path, boards: &[&Board]) -> selo_base::report::Result<Done> {
    let mut rows = rows::read(&args.rows, root)?;
    rows.retain(|row| {
        let pick = &args.units.pick;
        boards.iter().any(|board| board.name == row.board)
            && pick.keeps(&row.library, &row.algorithm, &row.variant)
            && named(&args.what.operation, &row.operation)
    });
    let has_rows = |name: &String| rows.iter().any(|row| row.board == *name);
    let boards: Vec<String> = boards.iter().map(|board| board.name.clone()).collect();
    Ok(Done {
        boards: boards.into_iter().filter(has_rows).collect(),
        rows,
        ..Done::default()
    })
}

fn arrange(args: &Args, project: &Project, done: &Done) -> selo_base::report::Result<Matrix> {
    let mut shown = args.what.metrics();
    if shown.is_empty() {
        shown = SHOWN.to_vec();
    }
    let rows: Vec<Row> = done
        .rows
        .iter()
        .filter(|row| shown.contains(&row.metric))
        .cloned()
        .collect();
    let mut offered = BTreeSet::new();
    for name in &done.boards {
        let board = project.board(name)?;
        for unit in selected(args, project, board)? {
            let (library, algorithm) = (&unit.library.name, &unit.algorithm.name);
            offered.insert((name.as_str(), library, algorithm, unit.variant));
        }
    }
    let offers = |board: &str, library: &str, algorithm: &str, variant: &str| {
        offered.iter().any(|(b, c, a, s)| {
            (*b, c.as_str(), a.as_str(), *s) == (board, library, algorithm, variant)
        })
    };
    let lacks = |board: &str, metric: Metric| {
        let board = project.board(board).ok()?;
        measure::never_given(project, board, metric)
    };
    let context = report::context(project);
    let boards = &done.boards;
    Ok(Matrix::new(&rows, boards, &offers, &lacks, &context))
}

fn draw(matrix: &Matrix, title: &str, file: &Path) -> selo_engine::Result<()> {
    let Some(picture) = matrix.picture(title) else {
        eprintln!(
            "{}: not drawn: there is no figure of cycles, instructions or time",
            file.display()
        );
        return Ok(());
    };
    std::fs::write(file, picture.standalone()).map_err(|source| Error::Write {
        path: file.to_owned(),
        source,
    })
}

fn print(args: &Args, matrix: &Matrix) -> selo_base::report::Result<()> {
    if args.json {
        return rows::print_lines(matrix.cells());
    }
    if args.csv {
        return rows::print(&matrix.to_csv());
    }
    if matrix.is_empty() {
        return Ok(());
    }
    let mut text = String::new();
    for table in matrix.tables() {
        text.push_str(&if args.markdown {
            table.to_markdown()
        } else {
            table.to_terminal(TerminalStyle::detect())
        });
        text.push('\n');
    }
    text.push_str(&matrix.legend());
    text.push('\n');
    rows::print(&text)
}
