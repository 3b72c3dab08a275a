//! `selo lab run`: build, run and measure on a board.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;

use clap::builder::PossibleValuesParser;
use selo_lab::build::Builder;
use selo_lab::measure::{self, Lab};
use selo_lab::project::Project;
use selo_lab::row::{Metric, Row, Status};
use selo_lab::store::{self, Store};
use selo_report::format;
use selo_report::table::{Cell, Column, Table, TerminalStyle, Tone};

use super::common::{Progress, Select, commit};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Rows are kept in DIR/rows.jsonl as they are made. The same command continues an
interrupted run, and does not measure again what has not changed.

Examples:
  selo lab run --board uno
  selo lab run --board uno --algorithm aes-128,speck128/128 --metric cycles,flash
  selo lab run --board native --json > rows.jsonl
  selo lab run --board uno --port /dev/ttyACM0 --algorithm aes-128    a real one")]
pub struct Args {
    #[command(flatten)]
    select: Select,
    /// Operations, such as encrypt, hash or shared-secret (default: all)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    operation: Vec<String>,
    /// Metrics (default: all that the board can give)
    #[arg(long, value_name = "NAME", value_delimiter = ',',
          value_parser = PossibleValuesParser::new(Metric::ALL.map(Metric::name)))]
    metric: Vec<String>,
    /// Power profile behind energy, of those in the board file (default: its first)
    #[arg(long, value_name = "NAME")]
    power: Option<String>,
    /// Print rows as JSON Lines on stdout instead of a table
    #[arg(long)]
    json: bool,
    /// Folder for rows.jsonl (default: out/lab/BOARD in the project)
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Name of the run on every row (default: date and board)
    #[arg(long, value_name = "NAME")]
    run: Option<String>,
    /// Measure everything again instead of continuing
    #[arg(long)]
    fresh: bool,
}

pub fn run(args: &Args, root: &Path) -> anyhow::Result<ExitCode> {
    let project = Project::load(root)?;
    let board = &args.select.board(&project)?;
    let units = project.units(board, &args.select.selection())?;
    let operations = known_operations(&units, &args.operation)?;
    let catalog = project.catalog()?;
    let power = match &args.power {
        None => board.power.first().cloned(),
        Some(name) => Some(
            board
                .power
                .iter()
                .find(|p| &p.name == name)
                .cloned()
                .ok_or_else(|| {
                    selo_lab::Error::unknown(
                        "power profile",
                        name,
                        board.power.iter().map(|p| p.name.as_str()),
                    )
                })?,
        ),
    };
    let metrics: Vec<Metric> = if args.metric.is_empty() {
        measure::default_metrics(board)
    } else {
        Metric::ALL
            .into_iter()
            .filter(|m| args.metric.iter().any(|name| name == m.name()))
            .collect()
    };
    let lab = Lab {
        project: &project,
        board,
        builder: Builder::new(&project, board)?,
        catalog: &catalog,
        runner: board.runner.clone(),
        run: args
            .run
            .clone()
            .unwrap_or_else(|| format!("{}-{}", today(), board.name)),
        commit: commit(root),
        metrics,
        operations,
        power,
        cycle_limit: args.select.cycle_limit(),
    };
    let folder = args
        .out
        .clone()
        .unwrap_or_else(|| measure::default_folder(&project, board, &units));
    if args.fresh {
        Store::discard(&folder)?;
    }
    let store = Store::open(&folder)?;
    let earlier: HashMap<_, Row> = store
        .rows()
        .iter()
        .map(|row| (store::key(row), row.clone()))
        .collect();
    let path = store.path().to_owned();
    let store = Mutex::new(store);
    let known = |blank: &Row| {
        earlier
            .get(&store::key(blank))
            .filter(|row| same_measurement(row, blank))
            .cloned()
    };
    let mut progress = Progress::new(units.iter().map(selo_lab::contender::Unit::label).collect());
    let printer = std::cell::RefCell::new(Vec::new());
    let result = {
        let progress = std::cell::RefCell::new(&mut progress);
        selo_lab::schedule::run(
            units.len(),
            args.select.jobs(board, true),
            |index| lab.measure(&units[index], &known),
            |event| progress.borrow_mut().event(event),
            |rows: &Vec<Row>| {
                let new: Vec<Row> = rows
                    .iter()
                    .filter(|row| !is_kept(&earlier, row))
                    .cloned()
                    .collect();
                match store.lock() {
                    Ok(mut store) if !new.is_empty() => store.append(new),
                    _ => Ok(()),
                }
            },
            |rows| {
                if args.json {
                    for row in &rows {
                        progress.borrow().print(&store::to_line(row));
                    }
                }
                printer.borrow_mut().extend(rows);
                Ok(())
            },
        )
    };
    progress.finish();
    let rows = printer.into_inner();
    if !args.json && !rows.is_empty() {
        println!(
            "{}",
            table(&rows, board.title.as_str()).to_terminal(TerminalStyle::detect())
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
        path.display(),
    );
    result?;
    let bad = count(Status::Failed) + count(Status::Crashed);
    Ok(if bad == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    })
}

/// Every operation asked for must exist in one of the selected algorithms.
fn known_operations(
    units: &[selo_lab::contender::Unit<'_>],
    wanted: &[String],
) -> selo_lab::Result<Vec<String>> {
    let mut known: Vec<&str> = Vec::new();
    for unit in units {
        known.extend(unit.algorithm.interface.timed_operations());
        known.extend(unit.algorithm.interface.footprints().iter().map(|f| f.name));
        known.extend(unit.implementation.operations.iter().map(String::as_str));
    }
    for name in wanted {
        if !known.contains(&name.as_str()) {
            return Err(selo_lab::Error::unknown("operation", name, known));
        }
    }
    Ok(wanted.to_vec())
}

/// Whether an earlier row stands for the measurement that `blank` would become.
fn same_measurement(row: &Row, blank: &Row) -> bool {
    row.firmware_sha256 == blank.firmware_sha256
        && row.runner == blank.runner
        && row.compiler == blank.compiler
        && row.clock_hz == blank.clock_hz
        && row.fidelity == blank.fidelity
        && row.schema == blank.schema
}

/// Whether exactly this row, but for when it was made, is in the file already.
fn is_kept(earlier: &HashMap<store::Key, Row>, row: &Row) -> bool {
    earlier.get(&store::key(row)).is_some_and(|kept| {
        let mut same = row.clone();
        same.run.clone_from(&kept.run);
        same.commit.clone_from(&kept.commit);
        same == *kept
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
    let mut fidelities: Vec<&str> = Vec::new();
    for row in rows {
        if !fidelities.contains(&row.fidelity.name()) {
            fidelities.push(row.fidelity.name());
        }
    }
    let fidelities = fidelities.join(" and ");
    let mut table = Table::new(format!("{board}, {fidelities}"), columns);
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

/// Today's date in UTC, as run names have it.
fn today() -> String {
    let seconds = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    date_of(seconds / 86_400)
}

/// The civil date of a day number since 1970-01-01.
fn date_of(days: u64) -> String {
    let leap = |year: u64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let (mut year, mut days) = (1970, days);
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let months = [
        31,
        28 + u64::from(leap(year)),
        31,
        30,
        31,
        30,
        31,
        31,
        30,
        31,
        30,
        31,
    ];
    let mut month = 0;
    while days >= months[month] {
        days -= months[month];
        month += 1;
    }
    format!("{year:04}-{:02}-{:02}", month + 1, days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_known_days() {
        assert_eq!(date_of(0), "1970-01-01");
        assert_eq!(date_of(19_782), "2024-02-29");
        assert_eq!(date_of(20_778), "2026-11-21");
    }
}
