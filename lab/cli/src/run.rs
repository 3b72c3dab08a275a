//! `selo lab run`: build, run and measure on a board.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use selo_engine::board::Board;
use selo_engine::build::Builder;
use selo_engine::project::Project;
use selo_engine::row::{Metric, Note, Row, Status};
use selo_engine::store;
use selo_report::format::{self, Scale};
use selo_report::sweep;
use selo_report::table::{Cell, Column, Table, TerminalStyle, Tone};

use super::common::{Select, Units, fetched};
use super::measuring::{self, Job, Sweep, What};
use super::rows;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Each row is added to DIR/rows.jsonl as soon as it is measured. The same command continues
an interrupted run, and does not measure again what has not changed.

--compilers and --flags make a sweep: each combination is measured separately, stored in
out/sweep/BOARD, and shown in a table sorted by the first metric, with the best marked.

Examples:
  selo lab run --board uno
  selo lab run --board uno --algorithm aes-128,speck128/128 --metric cycles,flash
  selo lab run --board uno --algorithm aes-128 --flags \"-O1;-O2;-O3;-Os\" --metric cycles,flash
  selo lab run --board native --algorithm sha-256 --compilers gcc,clang --flags \"-O2;-O3\"
  selo lab run --board native --json > rows.jsonl
  selo lab run --board uno --port /dev/ttyACM0 --algorithm aes-128    a real board")]
pub struct Args {
    #[command(flatten)]
    select: Select,
    #[command(flatten)]
    what: What,
    #[command(flatten)]
    sweep: Sweep,
    /// Power profile behind energy, of those in the board file (default: its first)
    #[arg(long, value_name = "NAME")]
    power: Option<String>,
    /// Print rows as JSON Lines on stdout instead of a table
    #[arg(long)]
    json: bool,
    /// Folder for rows.jsonl (default: out/lab/BOARD in the project)
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub fn run(args: &Args, root: &Path) -> selo_base::report::Result<ExitCode> {
    let project = Project::load(root)?;
    let board = &args.select.board(&project)?;
    let how = &args.select.units;
    let units = project.units(board, &how.pick.selection())?;
    let (units, missing) = fetched(root, units, how.offline)?;
    let catalog = project.catalog()?;
    let own_folder = || args.sweep.folder(&project, board, &units);
    let folder = args.out.clone().unwrap_or_else(own_folder);
    let mut rows = Vec::new();
    let mut result = Ok(());
    let mut left_out = 0;
    for (number, swept) in args.sweep.points(board).into_iter().enumerate() {
        let name = swept.name();
        let job = Job {
            project: &project,
            catalog: &catalog,
            board: &swept.board,
            units: &units,
            what: &What {
                fresh: args.what.fresh && number == 0,
                ..args.what.clone()
            },
            sweep: swept.sweep,
            runner: board.runner.clone(),
            power: measuring::power(board, args.power.as_deref())?,
            folder: folder.clone(),
            lenient: false,
        };
        if !args.sweep.is_empty() {
            eprintln!("{}{name}", board.name);
            if !can_build(&project, &swept.board) {
                left_out += 1;
                continue;
            }
        }
        let outcome = measuring::measure(job, how, &|progress, row| {
            if args.json {
                progress.print(&store::to_line(row));
            }
        })?;
        rows.extend(outcome.rows);
        result = outcome.result;
        if result.is_err() {
            break;
        }
    }
    if !args.json && !rows.is_empty() {
        rows::print(&text(args, &rows, board.title.as_str()))?;
    }
    eprintln!("{}", summary(&rows, units.len(), &folder));
    result?;
    if left_out > 0 {
        return Ok(ExitCode::from(rows::MISSING));
    }
    let is_good = bad(&rows, &project, how) + missing == 0;
    Ok(ExitCode::from(u8::from(!is_good)))
}

/// The rows that failed, crashed, or hung. A call that reaches a default limit counts as hung.
fn bad(rows: &[Row], project: &Project, how: &Units) -> usize {
    let hangs =
        |row: &&Row| row.status == Status::OverLimit && !how.excuses_limit(project, &row.algorithm);
    let hung = rows.iter().filter(hangs).count();
    count(rows, Status::Failed) + count(rows, Status::Crashed) + hung
}

/// False, and the reason on stderr, if this machine cannot build for the board.
fn can_build(project: &Project, board: &Board) -> bool {
    let Err(error) = Builder::new(project, board) else {
        return true;
    };
    eprintln!("left out: {error}");
    if let Some(hint) = error.hint() {
        eprintln!("hint: {hint}");
    }
    false
}

fn count(rows: &[Row], status: Status) -> usize {
    rows.iter().filter(|row| row.status == status).count()
}

/// Numbers of units and rows, and the file with the rows.
fn summary(rows: &[Row], units: usize, folder: &Path) -> String {
    let over_limit = match count(rows, Status::OverLimit) {
        0 => String::new(),
        n => format!(", {n} over the limit"),
    };
    let measured: BTreeSet<_> = rows
        .iter()
        .map(|r| (&r.library, &r.algorithm, &r.variant))
        .collect();
    format!(
        "{} of {units} units, {} rows ({} ok, {} variable-time, {} do not fit, {} not supported, {} failed, {} crashed{over_limit}) in {}",
        measured.len(),
        rows.len(),
        count(rows, Status::Ok),
        count(rows, Status::VariableTime),
        count(rows, Status::DoesNotFit),
        count(rows, Status::NotSupported),
        count(rows, Status::Failed),
        count(rows, Status::Crashed),
        folder.join(store::ROWS).display(),
    )
}

/// The table of a run, or the tables of a sweep.
fn text(args: &Args, rows: &[Row], board: &str) -> String {
    let style = TerminalStyle::detect();
    if args.sweep.is_empty() {
        return table(rows, board).to_terminal(style) + "\n";
    }
    let mut text = String::new();
    for table in sweep::tables(rows, &args.what.metrics()) {
        text.push_str(&table.to_terminal(style));
        text.push('\n');
    }
    text.push_str(
        "* best of its column. The -O flags of each line replace those of the board and the library; its other flags are added.\n",
    );
    text
}

/// One line per operation, one column per metric.
fn table(rows: &[Row], board: &str) -> Table {
    let metrics: Vec<(Metric, Scale)> = Metric::ALL
        .into_iter()
        .filter(|metric| rows.iter().any(|row| row.metric == *metric))
        .map(|metric| (metric, scale(rows, metric)))
        .collect();
    let mut columns = vec![
        Column::text("library"),
        Column::text("algorithm"),
        Column::text("variant"),
        Column::text("operation"),
        Column::number("message", "bytes"),
    ];
    let metric_column = |(metric, scale): &(Metric, Scale)| {
        Column::number(format::metric_title(*metric), scale.symbol)
    };
    columns.extend(metrics.iter().map(metric_column));
    let mut table = Table::new(format!("{board}, {}", fidelities(rows)), columns);
    let cautions = format::model_cautions(rows).into_iter();
    table.remarks.extend(cautions);
    fill(&mut table, rows, &metrics);
    sort_by_unit(&mut table, rows);
    table.without_empty_columns()
}

fn scale(rows: &[Row], metric: Metric) -> Scale {
    let of_metric = rows.iter().filter(|row| row.metric == metric);
    let largest = of_metric.filter_map(|row| row.value).fold(0.0, f64::max);
    format::column_scale(metric, largest)
}

fn fidelities(rows: &[Row]) -> String {
    let mut fidelities: Vec<&str> = Vec::new();
    for row in rows {
        if !fidelities.contains(&row.fidelity.name()) {
            fidelities.push(row.fidelity.name());
        }
    }
    fidelities.join(" and ")
}

/// Adds a line for each operation and size, and the figure of each row to its line. Flash and RAM
/// belong to an operation of any size: they are added to its first line.
fn fill(table: &mut Table, rows: &[Row], metrics: &[(Metric, Scale)]) {
    let mut places: HashMap<([&str; 4], Option<u32>), usize> = HashMap::new();
    let mut first: HashMap<[&str; 4], Option<u32>> = HashMap::new();
    let of_image = |row: &&Row| row.metric.is_of_image();
    let ordered = rows
        .iter()
        .filter(|row| !of_image(row))
        .chain(rows.iter().filter(of_image));
    for row in ordered {
        let names = [
            row.library.as_str(),
            row.algorithm.as_str(),
            row.variant.as_str(),
            row.operation.as_str(),
        ];
        let first = *first.entry(names).or_insert(row.bytes);
        let bytes = if of_image(&row) { first } else { row.bytes };
        let line = *places.entry((names, bytes)).or_insert_with(|| {
            let mut cells: Vec<Cell> = names.map(Cell::text).into();
            cells.push(bytes.map_or_else(Cell::none, |b| Cell::number(b.to_string(), b.into())));
            table.push(cells);
            table.body.len() - 1
        });
        let Some(column) = metrics.iter().position(|(m, _)| *m == row.metric) else {
            continue;
        };
        table.body[line][5 + column] = figure(row, metrics[column].1);
    }
}

/// True if the figure is a mean of figures that differ for a reason.
fn is_mean(row: &Row) -> bool {
    let public = |note: &Note| matches!(note, Note::PublicKeys { .. } | Note::Seeds { .. });
    row.notes.iter().any(public)
}

fn figure(row: &Row, scale: Scale) -> Cell {
    let cell = match (format::row_figure(row, scale), row.value) {
        (Some(text), Some(value)) => Cell::number(text, value),
        _ => Cell::label(format::status_words(row.status), Tone::Warn),
    };
    match (row.reason(), row.status) {
        (Some(reason), status) if status != Status::Ok || is_mean(row) => cell.with_note(reason),
        _ => cell,
    }
}

/// Sorts the lines in the order of the units. Images with several operations come last.
fn sort_by_unit(table: &mut Table, rows: &[Row]) {
    let order: Vec<(&str, &str, &str)> = rows
        .iter()
        .map(|r| (r.library.as_str(), r.algorithm.as_str(), r.variant.as_str()))
        .collect();
    table.body.sort_by_key(|line| {
        let unit = (
            line[0].text.as_str(),
            line[1].text.as_str(),
            line[2].text.as_str(),
        );
        order.iter().position(|&known| known == unit)
    });
}
