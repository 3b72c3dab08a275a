//! `selo lab check`: official test vectors in the running image, and constant time.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use selo_engine::build::Builder;
use selo_engine::check::{CONSTANT_INSTRUCTIONS, CheckLine, Effort, OVER_LIMIT};
use selo_engine::measure::{self, Lab};
use selo_engine::project::Project;
use selo_report::table::{Cell, Column, Table, TerminalStyle, Tone};

use super::common::{self, Progress, Select, fetched};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
On a simulated chip, a sample of each source is run, spread over its files and flags;
--full runs everything. On native boards everything is run, unless --calls sets a limit.

Images that do not fit the board, and calls that exceed the limit set by the algorithm or
by --limit, are skipped: they count as neither passed nor failed, and are listed with the
reason. If neither sets a limit, a call that reaches the default limit counts as hung, and
fails.

Examples:
  selo lab check --board uno
  selo lab check --board native --json
  selo lab check --board uno --algorithm x25519 --full
  selo lab check --board uno --port /dev/ttyACM0    a real board")]
pub struct Args {
    #[command(flatten)]
    select: Select,
    /// Run every case on a simulated chip too, except chains that take hours (the million
    /// iterations of RFC 7748); native boards run those as well
    #[arg(long)]
    full: bool,
    /// Limit for one source and image without --full, in millions of simulated cycles
    #[arg(long, value_name = "N", default_value_t = Effort::default().cycles / 1_000_000)]
    budget: u64,
    /// Limit of calls for one source and image on a PC without --full (default: none). A link of a
    /// Monte Carlo chain counts as 1000 calls or more
    #[arg(long, value_name = "N")]
    calls: Option<u64>,
    #[command(flatten)]
    secrets: common::Secrets,
    /// Leave out the constant-time measurement
    #[arg(long)]
    no_constant_time: bool,
    /// Print JSON Lines on stdout instead of a table
    #[arg(long)]
    json: bool,
    /// Folder for check.jsonl, which the report shows (default: out/lab/BOARD in the project)
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub fn run(args: &Args, root: &Path) -> selo_base::report::Result<ExitCode> {
    let project = Project::load(root)?;
    let board = &args.select.board(&project)?;
    let units = project.units(board, &args.select.units.pick.selection())?;
    let (units, missing) = fetched(root, units, args.select.units.offline)?;
    let catalog = project.catalog()?;
    let lab = Lab {
        cycle_limit: args.select.units.cycle_limit(),
        ..common::lab(&project, board, Builder::new(&project, board)?, &catalog)
    };
    let effort = Effort {
        full: args.full,
        cycles: args.budget.saturating_mul(1_000_000),
        calls: args.calls,
        ..args.secrets.effort()
    };
    let mut progress = Progress::new(
        units
            .iter()
            .map(selo_engine::library::Unit::label)
            .collect(),
    );
    let mut lines: Vec<CheckLine> = Vec::new();
    let result = {
        let progress = std::cell::RefCell::new(&mut progress);
        selo_engine::schedule::run(
            units.len(),
            args.select.units.jobs(board, false),
            |index| lab.check(&units[index], &effort, !args.no_constant_time),
            |event| progress.borrow_mut().event(event),
            |_| Ok(()),
            |new| {
                for line in new.iter().filter(|_| args.json) {
                    let text = serde_json::to_string(line).unwrap_or_default();
                    progress.borrow().print(&text);
                }
                lines.extend(new);
                Ok(())
            },
        )
    };
    progress.finish();
    if !args.json && !lines.is_empty() {
        show(&lines, &board.title);
    }
    result?;
    let folder = args
        .out
        .clone()
        .unwrap_or_else(|| measure::default_folder(&project, board, &units));
    keep(&folder.join("check.jsonl"), &lines)?;
    let passed: u64 = lines.iter().map(|line| line.passed).sum();
    let failed: u64 = lines.iter().map(|line| line.failed).sum();
    eprintln!("{passed} passed, {failed} failed{}", over_limit(&lines));
    Ok(if failed == 0 && missing == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    })
}

/// Adds the lines to the file.
fn keep(path: &Path, lines: &[CheckLine]) -> selo_engine::Result<()> {
    write_lines(path, &with_earlier(path, lines)).map_err(|source| selo_engine::Error::Write {
        path: path.to_owned(),
        source,
    })
}

/// Prints the table, the failures and the skipped lines.
fn show(lines: &[CheckLine], board: &str) {
    println!(
        "{}",
        by_source(lines, board).to_terminal(TerminalStyle::detect())
    );
    if lines
        .iter()
        .any(|line| line.source == CONSTANT_INSTRUCTIONS)
    {
        println!(
            "{CONSTANT_INSTRUCTIONS}: the number of instructions of each class is the same for every secret; effects of caches, wait states and early-terminating multiplications are not measured\n"
        );
    }
    for line in lines.iter().filter(|line| line.failed > 0) {
        println!(
            "FAILED {} {} {} {}: {} of {}; first: {}",
            line.source,
            line.library,
            line.algorithm,
            line.variant,
            line.failed,
            line.tried,
            line.first_failure.as_deref().unwrap_or("?")
        );
    }
    for (line, reason) in skipped(lines) {
        println!(
            "SKIPPED {} {} {} {}: {reason}",
            line.source, line.library, line.algorithm, line.variant,
        );
    }
}

/// The end of the last line, if images are over the limit.
fn over_limit(lines: &[CheckLine]) -> String {
    let over = |line: &&CheckLine| line.source == OVER_LIMIT;
    match lines.iter().filter(over).count() {
        0 => String::new(),
        1 => ", 1 image over the limit".to_owned(),
        images => format!(", {images} images over the limit"),
    }
}

/// The lines that could not be tried, with the reason.
fn skipped(lines: &[CheckLine]) -> impl Iterator<Item = (&CheckLine, &str)> {
    let untried = lines.iter().filter(|line| line.tried == 0);
    untried.filter_map(|line| Some((line, line.first_failure.as_deref()?)))
}

/// Earlier lines of other images, followed by these.
fn with_earlier(path: &Path, lines: &[CheckLine]) -> Vec<CheckLine> {
    let image = |line: &CheckLine| {
        (
            line.library.clone(),
            line.algorithm.clone(),
            line.variant.clone(),
            line.runner.clone(),
        )
    };
    let new: BTreeSet<_> = lines.iter().map(image).collect();
    let text = std::fs::read_to_string(path).unwrap_or_default();
    // Lines that do not parse are dropped: every check rewrites the file.
    let earlier = text
        .lines()
        .filter_map(|line| serde_json::from_str::<CheckLine>(line).ok());
    earlier
        .filter(|line| !new.contains(&image(line)))
        .chain(lines.iter().cloned())
        .collect()
}

/// Replaces the file atomically, so that a reader never sees half of it.
fn write_lines(path: &Path, lines: &[CheckLine]) -> std::io::Result<()> {
    let mut text = String::new();
    for line in lines {
        text.push_str(&serde_json::to_string(line)?);
        text.push('\n');
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let temporary = path.with_extension("jsonl.new");
    std::fs::write(&temporary, text)?;
    std::fs::rename(temporary, path)
}

/// One line per source, all algorithms and variants together.
fn by_source(lines: &[CheckLine], board: &str) -> Table {
    let mut sums: BTreeMap<&str, [u64; 5]> = BTreeMap::new();
    for line in lines {
        let sum = sums.entry(&line.source).or_default();
        for (total, part) in
            sum.iter_mut()
                .zip([1, line.tried, line.passed, line.failed, line.available])
        {
            *total += part;
        }
    }
    let mut table = Table::new(
        format!("Conformance on {board}"),
        vec![
            Column::text("source"),
            Column::number("images", ""),
            Column::number("tried", ""),
            Column::number("passed", ""),
            Column::number("failed", ""),
            Column::number("available", ""),
        ],
    );
    for (source, sum) in sums {
        let mut cells = vec![Cell::text(source)];
        for (index, value) in sum.into_iter().enumerate() {
            let cell = Cell::number(value.to_string(), value as f64);
            cells.push(if index == 3 && value > 0 {
                cell.with_tone(Tone::Bad)
            } else {
                cell
            });
        }
        table.push(cells);
    }
    table
}
