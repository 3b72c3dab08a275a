//! `selo lab survey`: a library on boards, from "does it build" to a verdict.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use selo_engine::bind::manifest;
use selo_engine::board::Board;
use selo_engine::build::Builder;
use selo_engine::check::Effort;
use selo_engine::measure::{Lab, default_metrics};
use selo_engine::project::{Project, Selection};
use selo_engine::row::{Fidelity, Metric};
use selo_engine::source::Sources;
use selo_engine::survey::{self, SurveyLine, SurveyVerdict};
use selo_report::table::TerminalStyle;

use super::binding::Wanted;
use super::common::{self, Progress};
use super::corpus::{self, Style};
use super::rows;
use super::{binding, given};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
For each board, algorithm and variant of the library, the survey answers: does it build,
does it fit, do the official vectors pass, is the IV of every CBC message fresh, does the
time depend on secrets, and what do encryption, decryption and both cost. Each fault is
shown with the vector that found it. The verdict for each algorithm:

  suitable                    every vector passes, and nothing was found against it
  suitable with reservations  every vector passes, but read the findings
  not suitable                it does not build or fit, or has a fault
  not told                    the lab could not find out; this says nothing about the library

A library without library.toml is bound by trial: plausible ways to call its functions are tried
against official vectors, on the first of the boards. The glue and the manifest that result are
in out/survey/; selo lab new-library writes them into the library's folder.

The library may be a folder, an archive (.zip, .tar.gz, .tgz, .tar.xz, .crate), the https://,
ssh:// or file:// address of a git repository, of which the newest commit is taken, or the name
of a library in Arduino's index, which arduino-cli downloads. Everything is copied into
target/inputs or target/sources first. library.json, library.properties, CMakeLists.txt and
Makefile are read for sources and macros.

Examples:
  selo lab survey selo --board uno --algorithm aes-128,aes-128-cbc
  selo lab survey ~/aes-library --board uno,native --out report/
  selo lab survey aes-library.zip --board uno
  selo lab survey https://example.org/owner/aes-library
  selo lab survey --corpus ~/corpus --board native --budget 1 --markdown
  selo lab survey ~/aes-library --json | jq -r '.algorithm + \" \" + .verdict'

Exit codes: 0 all is suitable, 1 something is \"not suitable\", 2 wrong usage or data,
3 a compiler or runner is missing, 4 machine error, 5 something could not be told.")]
pub struct Args {
    /// Folder, archive or git address of a library, or the name of one that the lab knows or that
    /// Arduino's index has
    #[arg(
        value_name = "FOLDER|ARCHIVE|URL|LIBRARY",
        required_unless_present = "corpus"
    )]
    library: Option<String>,
    /// Survey the libraries of lab/corpus.toml, of which the truth is known, unpacked in FOLDER/NAME.
    /// Results are kept in out/corpus/; delete one to survey that library again. A LIBRARY
    /// restricts it to that one
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["out", "variant"])]
    corpus: Option<PathBuf>,
    /// With --corpus: print the table as Markdown
    #[arg(long, requires = "corpus", conflicts_with = "json")]
    markdown: bool,
    /// Boards (default: all whose compiler is installed); `selo lab list boards` shows them
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    board: Vec<String>,
    /// Algorithms, such as aes-128-cbc (default: all that the library offers)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    algorithm: Vec<String>,
    /// Variants of the manifest (default: all)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    variant: Vec<String>,
    /// Run all vectors, not a sample of each source
    #[arg(long)]
    full: bool,
    /// Limit for one source without --full: millions of simulated cycles; on a PC, hundreds of
    /// blocks
    #[arg(long, value_name = "N", default_value_t = Effort::default().cycles / 1_000_000)]
    budget: u64,
    #[command(flatten)]
    time: binding::Time,
    #[command(flatten)]
    secrets: common::Secrets,
    /// Millions of cycles after which an operation on a chip counts as hung
    #[arg(long, value_name = "N", default_value_t = selo_engine::measure::CYCLE_LIMIT / 1_000_000)]
    limit: u64,
    /// Print JSON Lines on stdout instead of tables
    #[arg(long)]
    json: bool,
    /// Folder for survey.html, survey.md and survey.jsonl (default: none are written)
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub fn run(args: &Args, root: &Path) -> selo_base::report::Result<ExitCode> {
    let mut project = Project::load(root)?;
    let board = match args.board.first() {
        Some(board) => board.as_str(),
        None => binding::default_board(&project),
    }
    .to_owned();
    if let Some(corpus) = &args.corpus {
        return of_corpus(args, root, corpus, &board);
    }
    let library = args.library.as_deref().unwrap_or_default();
    let Some(name) = given::library(&mut project, library, &board, wanted(args))? else {
        return Ok(ExitCode::from(binding::NOT_BOUND));
    };
    let title = project
        .libraries
        .iter()
        .find(|library| library.name == name)
        .map(|library| library.title.clone())
        .unwrap_or_default();
    let boards = boards(&project, &args.board)?;
    let selection = Selection {
        libraries: vec![name],
        algorithms: args.algorithm.clone(),
        variants: args.variant.clone(),
    };
    let lines = on_boards(args, &project, boards, &selection)?;
    if !args.json {
        rows::print(&selo_report::survey::text(&lines, TerminalStyle::detect()))?;
    }
    if let Some(folder) = &args.out {
        write(&lines, &title, folder)?;
    }
    Ok(exit_code(&lines))
}

/// Surveys the selected units on each board. A board without any is told, unless none has any.
fn on_boards(
    args: &Args,
    project: &Project,
    boards: Vec<(&Board, Builder<'_>)>,
    selection: &Selection,
) -> selo_base::report::Result<Vec<SurveyLine>> {
    let catalog = project.catalog()?;
    let effort = effort(args);
    let mut lines: Vec<SurveyLine> = Vec::new();
    let mut nothing = None;
    for (board, builder) in boards {
        let units = match project.units(board, selection) {
            Ok(units) => units,
            // This board has nothing of the library, but another board may.
            Err(error @ selo_engine::Error::NothingSelected { .. }) => {
                eprintln!("selo: {error}");
                nothing = Some(error);
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        let lab = Lab {
            metrics: figures(project, board),
            cycle_limit: Some(args.limit.saturating_mul(1_000_000)),
            ..common::lab(project, board, builder, &catalog)
        };
        lines.extend(on_board(&lab, &units, &effort, args.json)?);
    }
    match nothing {
        Some(error) if lines.is_empty() => Err(error.into()),
        _ => Ok(lines),
    }
}

/// The metrics of a board's survey: with cycles, where a calibrated model gives them.
fn figures(project: &Project, board: &Board) -> Vec<Metric> {
    let mut metrics = survey::metrics(board.fidelity);
    if board.fidelity == Fidelity::Instructions
        && default_metrics(project, board).contains(&Metric::Cycles)
    {
        metrics.push(Metric::Cycles);
    }
    metrics
}

/// Writes the page, the Markdown and the lines, and tells their paths.
fn write(lines: &[SurveyLine], title: &str, folder: &Path) -> selo_base::report::Result<()> {
    for path in selo_report::survey::write(lines, title, folder)? {
        eprintln!("{}", path.display());
    }
    let path = folder.join("survey.jsonl");
    let text: Vec<String> = lines
        .iter()
        .map(serde_json::to_string)
        .collect::<Result<_, _>>()?;
    std::fs::write(&path, text.join("\n") + "\n").map_err(|source| selo_engine::Error::Write {
        path: path.clone(),
        source,
    })?;
    eprintln!("{}", path.display());
    Ok(())
}

fn exit_code(lines: &[SurveyLine]) -> ExitCode {
    let has = |verdict: SurveyVerdict| lines.iter().any(|line| line.verdict == verdict);
    ExitCode::from(if has(SurveyVerdict::NotSuitable) {
        1
    } else if has(SurveyVerdict::NotTold) {
        binding::NOT_BOUND
    } else {
        0
    })
}

fn wanted(args: &Args) -> Wanted<'_> {
    Wanted {
        algorithms: &args.algorithm,
        time: args.time.of_trials(),
        ..Wanted::ALL
    }
}

fn effort(args: &Args) -> Effort {
    Effort {
        full: args.full,
        cycles: args.budget.saturating_mul(1_000_000),
        // A call for one block takes some microseconds on a PC and some thousand cycles on a chip.
        calls: Some(args.budget.saturating_mul(100)),
        ..args.secrets.effort()
    }
}

/// Surveys the corpus, each library on one board.
fn of_corpus(
    args: &Args,
    root: &Path,
    corpus: &Path,
    board: &str,
) -> selo_base::report::Result<ExitCode> {
    let style = match (args.json, args.markdown) {
        (true, _) => Style::Json,
        (_, true) => Style::Markdown,
        _ => Style::Terminal,
    };
    let mut survey = |folder: &Path| on_first_board(args, root, folder, board);
    let only = args.library.as_deref();
    corpus::run(root, corpus, only, board, style, &mut survey)?;
    Ok(ExitCode::SUCCESS)
}

/// The lines of one unprepared library on one board; none if nothing could be bound.
fn on_first_board(
    args: &Args,
    root: &Path,
    folder: &Path,
    board: &str,
) -> selo_engine::Result<Vec<SurveyLine>> {
    let mut project = Project::load(root)?;
    let (given, name) = (folder.to_string_lossy(), manifest::library_name(folder));
    // The copy has the files around the folder that it includes, as for any other folder.
    let copy = Sources::new(root, false).copied(folder)?;
    let Some(name) = given::bound(&mut project, &given, &copy, &name, board, wanted(args))? else {
        return Ok(Vec::new());
    };
    let selection = Selection {
        libraries: vec![name],
        algorithms: args.algorithm.clone(),
        variants: Vec::new(),
    };
    let catalog = project.catalog()?;
    let board = project.board(board)?;
    let units = match project.units(board, &selection) {
        Ok(units) => units,
        // The library has nothing for this board, or none of the chosen algorithms.
        Err(selo_engine::Error::NothingSelected { .. }) => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let lab = Lab {
        metrics: survey::metrics(board.fidelity),
        cycle_limit: Some(args.limit.saturating_mul(1_000_000)),
        ..common::lab(&project, board, Builder::new(&project, board)?, &catalog)
    };
    on_board(&lab, &units, &effort(args), false)
}

/// The named boards, or else all boards with an installed compiler.
fn boards<'p>(
    project: &'p Project,
    named: &[String],
) -> selo_base::report::Result<Vec<(&'p Board, Builder<'p>)>> {
    let mut boards = Vec::new();
    for name in named {
        let board = project.board(name)?;
        boards.push((board, Builder::new(project, board)?));
    }
    if !named.is_empty() {
        return Ok(boards);
    }
    let mut last = None;
    for board in project.boards.iter().filter(|board| board.is_here()) {
        match Builder::new(project, board) {
            Ok(builder) => boards.push((board, builder)),
            Err(error @ selo_engine::Error::MissingProgram { .. }) => {
                eprintln!("selo: {} is left out: {error}", board.name);
                last = Some(error);
            }
            Err(error) => return Err(error.into()),
        }
    }
    match last {
        Some(error) if boards.is_empty() => Err(error.into()),
        _ => Ok(boards),
    }
}

fn on_board(
    lab: &Lab<'_>,
    units: &[selo_engine::library::Unit<'_>],
    effort: &Effort,
    json: bool,
) -> selo_engine::Result<Vec<SurveyLine>> {
    let mut lines = Vec::new();
    let labels = units.iter().map(selo_engine::library::Unit::label);
    let mut progress = Progress::new(labels.collect());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    // Simulated chips do not disturb each other; wall-clock measurements do.
    let jobs = match lab.board.fidelity {
        selo_engine::row::Fidelity::WallClock => 1,
        _ => cores,
    };
    let result = {
        let progress = std::cell::RefCell::new(&mut progress);
        selo_engine::schedule::run(
            units.len(),
            jobs,
            |index| lab.survey(&units[index], effort),
            |event| progress.borrow_mut().event(event),
            |_| Ok(()),
            |line| {
                if json {
                    let text = serde_json::to_string(&line).unwrap_or_default();
                    progress.borrow().print(&text);
                }
                lines.push(line);
                Ok(())
            },
        )
    };
    progress.finish();
    result.map(|()| lines)
}
