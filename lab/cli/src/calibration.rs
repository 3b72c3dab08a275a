//! `selo lab calibration`: compares a cycle model with public figures, and says whether they
//! suffice to show the model's cycles.

use std::path::Path;
use std::process::ExitCode;

use selo_engine::board::Board;
use selo_engine::build::Builder;
use selo_engine::model::{CycleModel, FIGURES, Here};
use selo_engine::project::{Project, Selection};
use selo_engine::source::Sources;
use selo_report::format;
use selo_report::table::{Cell, Column, Table, TerminalStyle};
use serde::Serialize;

use super::common::{self, fetch_one};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
A published figure calibrates a model if the same code is in this project and can be run
here. A board with too few such figures shows only instructions. The error shown beside
modelled cycles comes from the cycles stored in lab/boards/models (`modelled`). --check
reports stored cycles that differ from those that the model gives now.

Examples:
  selo lab calibration
  selo lab calibration --board stm32f103 --json
  selo lab calibration --check")]
pub struct Args {
    /// Only this board (default: every board with a cycle model)
    #[arg(long, value_name = "NAME")]
    board: Option<String>,
    /// Print JSON Lines on stdout instead of tables
    #[arg(long)]
    json: bool,
    /// Print tables in Markdown, as docs/researcher/boards.md has them
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// Fail if the stored cycles of a figure differ from those found now
    #[arg(long)]
    check: bool,
    /// Download no sources: use those in the cache
    #[arg(long)]
    offline: bool,
}

/// One figure of one board.
#[derive(Debug, Serialize)]
struct Line<'a> {
    board: &'a str,
    model: &'a str,
    what: &'a str,
    source: &'a str,
    how: &'a str,
    /// The published cycles.
    published: f64,
    /// Instructions of the same code here; `None` if it cannot be run.
    instructions: Option<f64>,
    cycles: Option<f64>,
    error_percent: Option<f64>,
    /// The cycles stored with the figure in the model's file.
    kept: Option<f64>,
    /// The reason why it cannot be run.
    missing: Option<&'a str>,
}

impl Line<'_> {
    /// True if the stored cycles equal the found ones, rounded to whole cycles.
    fn is_kept(&self) -> bool {
        self.kept.map(f64::round) == self.cycles.map(f64::round)
    }

    /// The stored cycles and the found ones, which differ.
    fn change(&self) -> String {
        let shown = |cycles: Option<f64>| {
            cycles.map_or("nothing".into(), |cycles| format::exact(cycles.round()))
        };
        format!(
            "{} on {}, {}: kept {}, found {}",
            self.model,
            self.board,
            self.what,
            shown(self.kept),
            shown(self.cycles)
        )
    }
}

pub fn run(args: &Args, root: &Path) -> selo_base::report::Result<ExitCode> {
    let project = Project::load(root)?;
    let sources = Sources::new(root, args.offline);
    let (mut held, mut changed) = (0, Vec::new());
    let boards: Vec<&Board> = match &args.board {
        Some(name) => vec![project.board(name)?],
        None => project.boards.iter().collect(),
    };
    for board in boards {
        let Some(model) = project.model(board) else {
            if args.board.is_some() {
                println!("{}: no cycle model", board.name);
            }
            continue;
        };
        // Without its sources a figure would be skipped silently, so fetch them first.
        for (_, here) in model.reproduced(&project.libraries) {
            fetch_one(&sources, project.library(&here.library)?)?;
        }
        let lines = lines(&project, board, model)?;
        for line in &lines {
            if line.is_kept() {
                held += usize::from(line.cycles.is_some());
            } else {
                changed.push(line.change());
            }
        }
        if args.json {
            for line in &lines {
                println!("{}", serde_json::to_string(line)?);
            }
            continue;
        }
        let mut table = table(board, model, &lines);
        table.remarks.push(verdict(&project, model, lines.len()));
        if args.markdown {
            println!("{}", table.to_markdown());
        } else {
            println!("{}", table.to_terminal(TerminalStyle::detect()));
        }
    }
    if !args.check {
        return Ok(ExitCode::SUCCESS);
    }
    Ok(report_changes(args, held, &changed))
}

/// The remark that says whether the figures suffice to show the model's cycles.
fn verdict(project: &Project, model: &CycleModel, figures: usize) -> String {
    let reproduced = model.reproduced(&project.libraries).count();
    let verdict = match model.error(&project.libraries) {
        Some(error) => format!("cycles are shown beside the instructions; they are {error}"),
        None => "only instructions are shown".to_owned(),
    };
    format!(
        "{}: {reproduced} of {} can be run here, {FIGURES} are needed: {verdict}.",
        model.name,
        format::things(figures, "figure", "figures"),
    )
}

/// Prints the outcome of `--check` and returns its exit code.
fn report_changes(args: &Args, held: usize, changed: &[String]) -> ExitCode {
    for line in changed {
        eprintln!("{line}");
    }
    // Another compiler generates other code, which takes other cycles.
    if !changed.is_empty() {
        eprintln!(
            "hint: if the model, a class of instructions or the compiler was changed on purpose, store the found cycles in lab/boards/models (modelled = ...)"
        );
    }
    let counts = format!("{held} passed, {} failed", changed.len());
    if args.json {
        eprintln!("{counts}");
    } else {
        println!("{counts}");
    }
    ExitCode::from(u8::from(!changed.is_empty()))
}

fn lines<'a>(
    project: &'a Project,
    board: &'a Board,
    model: &'a CycleModel,
) -> selo_base::report::Result<Vec<Line<'a>>> {
    let mut lines = Vec::new();
    for figure in &model.figures {
        let found = model
            .reproduced(&project.libraries)
            .find(|(one, _)| std::ptr::eq(*one, figure));
        let took = match found {
            Some((_, here)) => modelled(project, board, here)?,
            None => None,
        };
        let cycles = took.map(|(_, cycles)| cycles);
        lines.push(Line {
            board: &board.name,
            model: &model.name,
            what: &figure.what,
            source: &figure.source,
            how: &figure.how,
            published: figure.cycles,
            instructions: took.map(|(instructions, _)| instructions),
            cycles,
            error_percent: cycles.map(|cycles| figure.error_of(cycles)),
            kept: figure.modelled,
            missing: figure.missing.as_deref(),
        });
    }
    Ok(lines)
}

/// Instructions and modelled cycles of a measurement of this project.
fn modelled(
    project: &Project,
    board: &Board,
    here: &Here,
) -> selo_base::report::Result<Option<(f64, f64)>> {
    let selection = Selection {
        libraries: vec![here.library.clone()],
        algorithms: vec![here.algorithm.clone()],
        variants: vec![here.variant.clone()],
    };
    let units = project.units(board, &selection)?;
    let Some(unit) = units.iter().find(|unit| unit.offers(&here.operation)) else {
        return Ok(None);
    };
    let catalog = project.catalog()?;
    let lab = common::lab(project, board, Builder::new(project, board)?, &catalog);
    Ok(lab.modelled(unit, &here.operation, here.bytes)?)
}

fn table(board: &Board, model: &CycleModel, lines: &[Line<'_>]) -> Table {
    let mut table = Table::new(
        format!("{}: timings of {}", board.title, model.source),
        vec![
            Column::text("figure"),
            Column::text("source"),
            Column::number("published", "cycles"),
            Column::number("here", "cycles"),
            Column::number("error", "%"),
        ],
    );
    let shown = |value: Option<f64>| match value {
        Some(value) => Cell::number(format::exact(value.round()), value),
        None => Cell::text("cannot be run here"),
    };
    for line in lines {
        table.push(vec![
            Cell::text(line.what),
            Cell::text(line.source),
            shown(Some(line.published)),
            shown(line.cycles),
            line.error_percent.map_or(Cell::text(""), |error| {
                Cell::number(format!("{error:+.1}"), error)
            }),
        ]);
    }
    table
}
