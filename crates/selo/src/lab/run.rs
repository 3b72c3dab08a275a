//! `selo lab run`: build, run and measure on a board.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use selo_lab::measure::default_folder;
use selo_lab::project::Project;
use selo_lab::row::{Metric, Row, Status};
use selo_lab::store;
use selo_report::format;
use selo_report::table::{Cell, Column, Table, TerminalStyle, Tone};

use super::common::Select;
use super::measuring::{self, Job, What};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Rows are kept in DIR/rows.jsonl as they are made. The same command continues an
interrupted run, and does not measure again what has not changed.

Examples:
  selo lab run --board uno
  selo lab run --board uno --algorithm aes-128,speck128/128 --metric cycles,flash
  selo lab run --board native --json > rows.jsonl")]
pub struct Args {
    #[command(flatten)]
    select: Select,
    #[command(flatten)]
    what: What,
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

pub fn run(args: &Args, root: &Path) -> anyhow::Result<ExitCode> {
    let project = Project::load(root)?;
    let board = project.board(&args.select.board)?;
    let how = &args.select.units;
    let units = project.units(board, &how.pick.selection())?;
    let catalog = project.catalog()?;
    let folder = args
        .out
        .clone()
        .unwrap_or_else(|| default_folder(&project, board, &units));
    let job = Job {
        project: &project,
        catalog: &catalog,
        board,
        units: &units,
        what: &args.what,
        variant: None,
        runner: args.select.runner(board)?,
        power: measuring::power(board, args.power.as_deref())?,
        folder,
        lenient: false,
    };
    let outcome = measuring::measure(job, how, &|progress, row| {
        if args.json {
            progress.print(&store::to_line(row));
        }
    })?;
    let rows = &outcome.rows;
    if !args.json && !rows.is_empty() {
        println!(
            "{}",
            table(rows, board.title.as_str()).to_terminal(TerminalStyle::detect())
        );
    }
    let count = |status: Status| rows.iter().filter(|row| row.status == status).count();
    eprintln!(
        "{} of {} units, {} rows ({} ok, {} variable-time, {} do not fit, {} not supported, {} failed, {} crashed) in {}",
        rows.iter()
            .map(|r| (&r.contender, &r.algorithm, &r.strategy))
            .collect::<std::collections::BTreeSet<_>>()
            .len(),
        units.len(),
        rows.len(),
        count(Status::Ok),
        count(Status::VariableTime),
        count(Status::DoesNotFit),
        count(Status::NotSupported),
        count(Status::Failed),
        count(Status::Crashed),
        outcome.path.display(),
    );
    outcome.result?;
    let bad = count(Status::Failed) + count(Status::Crashed);
    Ok(if bad == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    })
}

/// One line an operation, one column a metric.
fn table(rows: &[Row], board: &str) -> Table {
    let metrics: Vec<Metric> = Metric::ALL
        .into_iter()
        .filter(|m| rows.iter().any(|row| row.metric == *m))
        .collect();
    let mut columns = vec![
        Column::text("contender"),
        Column::text("algorithm"),
        Column::text("strategy"),
        Column::text("operation"),
        Column::number("message", "bytes"),
    ];
    let mut scales = Vec::new();
    for &metric in &metrics {
        let largest = rows
            .iter()
            .filter(|row| row.metric == metric)
            .filter_map(|row| row.value)
            .fold(0.0, f64::max);
        let scale = format::column_scale(metric, largest);
        columns.push(Column::number(format::metric_title(metric), scale.symbol));
        scales.push(scale);
    }
    let fidelity = rows
        .first()
        .map(|row| row.fidelity.name())
        .unwrap_or_default();
    let mut table = Table::new(format!("{board}, {fidelity}"), columns);
    let mut places: HashMap<(&str, &str, &str, &str, Option<u32>), usize> = HashMap::new();
    // Flash and RAM belong to an operation of any size: they join its first line.
    let of_image = |row: &&Row| matches!(row.metric, Metric::Flash | Metric::Ram);
    let mut first: HashMap<(&str, &str, &str, &str), Option<u32>> = HashMap::new();
    let ordered = rows
        .iter()
        .filter(|row| !of_image(row))
        .chain(rows.iter().filter(of_image));
    for row in ordered {
        let unit = (
            row.contender.as_str(),
            row.algorithm.as_str(),
            row.strategy.as_str(),
            row.operation.as_str(),
        );
        let bytes = *first.entry(unit).or_insert(row.bytes);
        let place = (
            row.contender.as_str(),
            row.algorithm.as_str(),
            row.strategy.as_str(),
            row.operation.as_str(),
            if of_image(&row) { bytes } else { row.bytes },
        );
        let line = *places.entry(place).or_insert_with(|| {
            table.push(vec![
                Cell::text(place.0),
                Cell::text(place.1),
                Cell::text(place.2),
                Cell::text(place.3),
                place
                    .4
                    .map_or_else(Cell::none, |b| Cell::number(b.to_string(), b.into())),
            ]);
            table.body.len() - 1
        });
        let Some(column) = metrics.iter().position(|&m| m == row.metric) else {
            continue;
        };
        let cell = match (format::row_figure(row, scales[column]), row.value) {
            (Some(text), Some(value)) => Cell::number(text, value),
            _ => Cell::label(format::status_words(row.status), Tone::Warn),
        };
        let cell = match (&row.reason, row.status) {
            (Some(reason), status) if status != Status::Ok => cell.with_note(reason.clone()),
            _ => cell,
        };
        table.body[line][5 + column] = cell;
    }
    // Lines stand in the order of the units, images with several operations last.
    let order: Vec<(&str, &str, &str)> = rows
        .iter()
        .map(|r| {
            (
                r.contender.as_str(),
                r.algorithm.as_str(),
                r.strategy.as_str(),
            )
        })
        .collect();
    table.body.sort_by_key(|line| {
        let unit = (
            line[0].text.as_str(),
            line[1].text.as_str(),
            line[2].text.as_str(),
        );
        order.iter().position(|&known| known == unit)
    });
    table.without_empty_columns()
}
