//! `selo lab compare`: compares our figures with a paper's, or any two implementations.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use selo_engine::project::Project;
use selo_engine::row::Row;
use selo_report::compare::{Comparison, KnownBoard, Ours, compare};
use selo_report::pair::{self, Side};
use selo_report::paper::{self, Paper};
use selo_report::table::TerminalStyle;

use super::{common, paper_libraries, report, rows};

/// Compare measured figures with those of a paper or of any other implementation
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The papers are the files of lab/papers/ in the project. Each file states how the paper's
figures were measured and which rows of the lab belong to them. A cell without a measured
figure has a status and a reason:
  ok              published and measured
  not-printed     measured; the paper prints a dash, or plots it without a number
  not-measured    no row yet; the reason says how to measure it
  needs-hardware  only the real device can give this; the reason has the command to run
  needs-board     the board has no file yet
  does-not-fit    too large for the board, by the bytes in the reason
  over-limit      a call takes longer than the limit in the reason
  not-supported   the implementation does not offer the operation
  not-fetched     the sources of the library are not on this machine (--fetch)
  published-only  the lab does not measure this, such as a current that it takes from the paper

--fetch brings the libraries that the paper names: it pins the newest commit of each that is
not pinned yet (lab/libraries.lock), finds out by trial how to call it, surveys it, and
measures it on the paper's board. The rest is compared as before.

To compare two implementations, on any two boards, name each one as
BOARD:LIBRARY:ALGORITHM[:VARIANT] or board=..,library=..,algorithm=..[,variant=..]. The
default variant is fast, or else the first. Every figure has the sign of its fidelity. The
ratio is left over right, with its 95 % interval (Fieller); it is exact if both figures
are. A note warns of different fidelities. Instructions and cycles give no ratio.

Examples:
  selo lab compare uno:selo:aes-128:fast uno:selo:speck128/128:fast
  selo lab compare --left board=uno,library=selo,algorithm=aes-128 --right native:selo:aes-128
  selo lab compare albarello2020 --table 2
  selo lab compare ramalho2024 --table figure-4
  selo lab compare rocha-securino --json
  selo lab compare rocha-securino --fetch

Exit codes: 0 compared, 2 unknown paper or table, or an error in a paper's file,
3 no rows yet.")]
pub struct Args {
    /// Name of the paper (albarello2020, ramalho2024, rocha-securino), or the left implementation
    #[arg(value_name = "PAPER|LEFT", required_unless_present = "left")]
    paper: Option<String>,
    /// The right implementation
    #[arg(value_name = "RIGHT", conflicts_with_all = ["left", "right"])]
    with: Option<String>,
    /// The left implementation, as an option
    #[arg(
        long,
        value_name = "WHAT",
        requires = "right",
        conflicts_with = "paper"
    )]
    left: Option<String>,
    /// The right implementation, as an option
    #[arg(long, value_name = "WHAT", requires = "left")]
    right: Option<String>,
    /// Only this table or figure, such as 2, table-2-time or figure-3
    #[arg(long, value_name = "N")]
    table: Option<String>,
    /// JSON Lines on stdout, one line per cell, nothing else
    #[arg(long)]
    json: bool,
    /// Also show cells of boards that have no file yet
    #[arg(long)]
    all: bool,
    /// Rows to compare with: files, or folders with rows.jsonl [default: out/lab/*]; BOARD=DIR
    /// reads them as rows of that board, such as rpi3=DIR for rows from a Raspberry Pi
    #[arg(long, value_name = "FILE|DIR", num_args = 1..)]
    rows: Vec<PathBuf>,
    /// Library to compare if the paper's file names none
    #[arg(long, value_name = "NAME", default_value = "selo")]
    library: String,
    /// Fetch the libraries that the paper names, find out how to call them, and measure them
    #[arg(long, conflicts_with_all = ["left", "right", "with", "rows"])]
    fetch: bool,
    /// With --fetch: bind and survey again what was bound and surveyed
    #[arg(long, requires = "fetch")]
    fresh: bool,
    #[command(flatten)]
    secrets: common::Secrets,
}

pub fn run(args: &Args, project: &Path) -> selo_base::report::Result<ExitCode> {
    let left = args.left.as_ref().or(args.paper.as_ref());
    match (left, args.right.as_ref().or(args.with.as_ref())) {
        (Some(left), Some(right)) => two(args, project, left, right),
        (Some(name), None) => of_paper(args, project, name),
        (None, _) => selo_base::bail!("nothing to compare"), // the parser does not let it through
    }
}

/// Two implementations side by side.
fn two(args: &Args, root: &Path, left: &str, right: &str) -> selo_base::report::Result<ExitCode> {
    let project = Project::load(root)?;
    let mut sides = Vec::new();
    for text in [left, right] {
        let side = match Side::parse(text) {
            Ok(side) => side,
            Err(message) => {
                eprintln!("selo: {message}");
                eprintln!("hint: such as uno:selo:aes-128:fast");
                return Ok(ExitCode::from(2));
            }
        };
        project.board(&side.board)?;
        project.algorithm(&side.algorithm)?;
        sides.push(side);
    }
    let rows = rows::read(&args.rows, root)?;
    for side in &sides {
        known_library(&side.library, &project, &rows)?;
    }
    let context = report::context(&project);
    let pair = match pair::compare(&sides[0], &sides[1], &rows, &context) {
        Ok(pair) => pair,
        Err(missing) => {
            eprintln!("selo: no rows for {}", missing.join(" and "));
            for side in sides.iter().filter(|side| lacks(&missing, side)) {
                eprintln!(
                    "hint: measure it first: selo lab run --board {} --library {} --algorithm {}",
                    side.board, side.library, side.algorithm
                );
            }
            return Ok(ExitCode::from(rows::MISSING));
        }
    };
    if args.json {
        rows::print_lines(&pair.lines)?;
    } else {
        rows::print(&pair.table().to_terminal(TerminalStyle::detect()))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn lacks(missing: &[String], side: &Side) -> bool {
    let start = format!("{}:{}:{}", side.board, side.library, side.algorithm);
    let of_side = |name: &String| {
        name.strip_prefix(&start).is_some_and(|rest| {
            rest.is_empty() || rest.strip_prefix(':') == side.variant.as_deref()
        })
    };
    missing.iter().any(of_side)
}

fn of_paper(args: &Args, project: &Path, name: &str) -> selo_base::report::Result<ExitCode> {
    let folder = project.join("lab/papers");
    let names = paper::names(&folder)?;
    if !names.iter().any(|known| known == name) {
        let known = names.iter().map(String::as_str);
        return Err(selo_engine::Error::unknown("paper", name, known).into());
    }
    let paper = match paper::read(&folder.join(format!("{name}.toml"))) {
        Ok(paper) => paper,
        Err(error) => {
            eprintln!("selo: {error}");
            eprintln!("hint: lab/papers/README.md explains the format");
            return Ok(ExitCode::from(2));
        }
    };
    let wanted = wanted(&paper, args.table.as_deref())?;
    let data = if args.fetch {
        paper_libraries::bring(project, &paper, args.fresh, &args.secrets)?
    } else {
        Project::load(project)?
    };
    let rows = rows::read(&args.rows, project)?;
    let (libraries, surveys) = (
        paper_libraries::known(&data),
        paper_libraries::surveys(&data, &args.rows)?,
    );
    if let Err(error) = known_library(&args.library, &data, &rows) {
        return Err(error.into());
    }
    let boards: Vec<KnownBoard> = data
        .boards
        .into_iter()
        .filter(|board| board.is_here() || rows.iter().any(|row| row.board == board.name))
        .map(|board| KnownBoard {
            name: board.name,
            power: board.power,
        })
        .collect();
    let ours = Ours {
        rows: &rows,
        boards: &boards,
        library: &args.library,
        libraries: &libraries,
        surveys: &surveys,
    };
    let comparison = compare(&paper, ours, |table| wanted.contains(&table.id.as_str()));

    if args.json {
        rows::print_lines(comparison.lines())?;
    } else if rows.is_empty() {
        // Print no table: without rows all cells are empty. The hint below says what is missing.
    } else {
        rows::print(&text(&comparison, args.all))?;
    }
    Ok(finish(&comparison, rows.is_empty()))
}

/// The ids of the tables to show: all, or those that `--table` names.
fn wanted<'p>(paper: &'p Paper, named: Option<&str>) -> selo_engine::Result<Vec<&'p str>> {
    let ids = || paper.tables.iter().map(|table| table.id.as_str());
    let Some(name) = named else {
        return Ok(ids().collect());
    };
    let tables = paper.tables_named(name);
    if tables.is_empty() {
        return Err(selo_engine::Error::unknown("table", name, ids()));
    }
    Ok(tables.iter().map(|table| table.id.as_str()).collect())
}

fn known_library(name: &str, data: &Project, rows: &[Row]) -> selo_engine::Result<()> {
    let known = data.libraries.iter().map(|library| library.name.as_str());
    let known: Vec<&str> = known
        .chain(rows.iter().map(|row| row.library.as_str()))
        .collect();
    if known.contains(&name) {
        return Ok(());
    }
    Err(selo_engine::Error::unknown("library", name, known))
}

fn text(comparison: &Comparison, all: bool) -> String {
    let style = TerminalStyle::detect();
    let mut text = format!("{}: {}\n", comparison.paper, comparison.title);
    for note in &comparison.notes {
        text.push_str(&format!("- {note}\n"));
    }
    for table in &comparison.tables {
        text.push('\n');
        text.push_str(&table.to_table(all).to_terminal(style));
    }
    text
}

/// Prints the summary and the commands for the missing rows on stderr.
fn finish(comparison: &Comparison, no_rows: bool) -> ExitCode {
    let counts: Vec<String> = comparison
        .counts()
        .iter()
        .map(|(status, count)| format!("{count} {}", status.name()))
        .collect();
    eprintln!("{}: {}", comparison.paper, counts.join(", "));
    for board in comparison.boards_to_run() {
        eprintln!("hint: measure the missing rows with: selo lab run --board {board}");
    }
    if no_rows {
        eprintln!("selo: nothing is measured yet");
        return ExitCode::from(rows::MISSING);
    }
    ExitCode::SUCCESS
}
