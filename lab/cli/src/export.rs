//! `selo lab export`: rows in the formats of benchmark dashboards.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use selo_engine::row::{Metric, Row};
use selo_engine::store;
use selo_report::{csv, export};

use super::common::{Pick, named};
use super::rows;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Formats:
  github-action-benchmark  the JSON of its tool customSmallerIsBetter: an array of name,
                           unit, value, range, extra
  bencher                  Bencher Metric Format: benchmark, measure, value with lower and
                           upper end; time is the measure latency, in nanoseconds
  csv                      one line per row, one column per field, raw values
  jsonl                    rows as stored, selo.measurement/2

The first two contain only figures; rows without one (does not fit, failed) are left out,
and their number is printed on stderr. `selo lab gate` fails on such rows.

Examples:
  selo lab export --format bencher --board uno --metric cycles,flash > bmf.json
  selo lab export --format github-action-benchmark --out benchmark.json

Exit codes: 0 exported, 3 no rows yet.")]
pub struct Args {
    /// Output format
    #[arg(long, value_enum)]
    format: Format,
    /// Boards (default: all that have rows)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    board: Vec<String>,
    #[command(flatten)]
    pick: Pick,
    /// Metrics (default: all)
    #[arg(long, value_name = "NAME", value_delimiter = ',',
          value_parser = PossibleValuesParser::new(Metric::ALL.map(Metric::name)))]
    metric: Vec<String>,
    /// Rows to export: files, or folders with rows.jsonl [default: out/lab/*]
    #[arg(long, value_name = "FILE|DIR", num_args = 1..)]
    rows: Vec<PathBuf>,
    /// File to write (default: stdout)
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    GithubActionBenchmark,
    Bencher,
    Csv,
    Jsonl,
}

pub fn run(args: &Args, root: &Path) -> selo_base::report::Result<ExitCode> {
    let mut rows = rows::read(&args.rows, root)?;
    rows.retain(|row| {
        named(&args.board, &row.board)
            && args.pick.keeps(&row.library, &row.algorithm, &row.variant)
            && named(&args.metric, row.metric.name())
    });
    if rows.is_empty() {
        let board = args.board.first().map_or("BOARD", String::as_str);
        return Ok(rows::none(board));
    }
    let figures = matches!(args.format, Format::GithubActionBenchmark | Format::Bencher);
    let left_out = rows.iter().filter(|row| row.value.is_none()).count();
    if figures && left_out > 0 {
        eprintln!(
            "left out {left_out} of {} rows, which have no figure",
            rows.len()
        );
    }
    if args.format == Format::GithubActionBenchmark
        && rows.iter().any(|row| row.metric == Metric::Rate)
    {
        eprintln!(
            "left out the rows of packets a second: this format needs metrics where less is better"
        );
    }
    let text = match args.format {
        Format::GithubActionBenchmark => export::github_action_benchmark(&rows),
        Format::Bencher => export::bencher(&rows),
        Format::Csv => csv::rows(&rows),
        Format::Jsonl => rows.iter().map(line).collect(),
    };
    match &args.out {
        None => rows::print(&text)?,
        Some(path) => rows::write(path, &text)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn line(row: &Row) -> String {
    store::to_line(row) + "\n"
}
