//! `selo lab report`: rows as a page, as Markdown and as CSV.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use selo_engine::project::Project;
use selo_engine::row::Row;
use selo_report::compare::{self, Comparison, KnownBoard, Ours};
use selo_report::context::{AlgorithmNote, BoardNote, Context, LibraryNote, PowerNote};
use selo_report::language::{Language, Translator};
use selo_report::paper;
use selo_report::report::{self, Formats};

use super::{lines, paper_libraries, rows};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Without --rows, the rows of every board measured so far are used: the files
out/lab/BOARD/rows.jsonl of the project, and check.jsonl beside them.

The page report.html is a single file that needs no network. report.md contains the same
tables, with its pictures in pictures/; rows.csv has one line per row. The same rows always
give the same files.

Examples:
  selo lab report
  selo lab report --rows out/lab/uno --out /tmp/uno --format html
  selo lab report --language pt-BR
  selo lab report --open")]
pub struct Args {
    /// Row files, or folders that hold rows.jsonl and check.jsonl (default: out/lab/* in the project)
    #[arg(long, value_name = "FILE|DIR", num_args = 1..)]
    rows: Vec<PathBuf>,
    /// Folder for the report (default: out/report in the project)
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Formats to write
    #[arg(long, value_name = "FORMAT", value_delimiter = ',', default_values = ["html", "markdown", "csv"])]
    format: Vec<Format>,
    /// Library to compare with a paper that names no library
    #[arg(long, value_name = "NAME", default_value = "selo")]
    library: String,
    /// Language of the report
    #[arg(long, value_name = "LANGUAGE", default_value = "en")]
    language: Tongue,
    /// Open the page in a browser
    #[arg(long)]
    open: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Html,
    Markdown,
    Csv,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Tongue {
    En,
    #[value(name = "pt-BR", alias = "pt")]
    PtBr,
}

pub fn run(args: &Args, root: &Path) -> selo_base::report::Result<ExitCode> {
    let project = Project::load(root)?;
    let rows = rows::read(&args.rows, root)?;
    if rows.is_empty() {
        // Suggest a board with limited memory, because most users want one.
        let mut known = project.boards.iter().filter(|board| board.is_here());
        let limited = known.find(|board| board.memory.is_some());
        return Ok(rows::none(limited.map_or("BOARD", |board| &board.name)));
    }
    let mut checks = Vec::new();
    for file in lines::check_files(&args.rows, root) {
        checks.extend(lines::read_checks(&file)?);
    }
    let papers = papers(&project, &rows, args)?;
    let context = context(&project);
    let formats = Formats {
        html: args.format.contains(&Format::Html),
        markdown: args.format.contains(&Format::Markdown),
        csv: args.format.contains(&Format::Csv),
    };
    let words = Translator::new(match args.language {
        Tongue::En => Language::English,
        Tongue::PtBr => Language::Portuguese,
    });
    let folder = args.out.clone().unwrap_or_else(|| root.join("out/report"));
    let paths = report::write(&rows, &papers, &checks, &context, formats, &words, &folder)?;

    let mut lines = report::summary(&rows, &papers, &checks, &context, &words);
    lines.push(String::new());
    let written = [&paths.html, &paths.markdown, &paths.csv];
    lines.extend(
        written
            .into_iter()
            .flatten()
            .map(|path| path.display().to_string()),
    );
    lines.push(String::new());
    rows::print(&lines.join("\n"))?;
    if args.open {
        match &paths.html {
            Some(path) => open(path),
            None => eprintln!("hint: --open needs the page: add html to --format"),
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Compares every paper of the project with our rows.
fn papers(
    project: &Project,
    rows: &[Row],
    args: &Args,
) -> selo_base::report::Result<Vec<Comparison>> {
    let boards: Vec<KnownBoard> = project
        .boards
        .iter()
        .filter(|board| board.is_here() || rows.iter().any(|row| row.board == board.name))
        .map(|board| KnownBoard {
            name: board.name.clone(),
            power: board.power.clone(),
        })
        .collect();
    let ours = Ours {
        rows,
        boards: &boards,
        library: &args.library,
        libraries: &paper_libraries::known(project),
        surveys: &paper_libraries::surveys(project, &args.rows)?,
    };
    let papers = paper::read_all(&project.root.join("lab/papers"))?;
    Ok(papers
        .iter()
        .map(|paper| compare::compare(paper, ours, |_| true))
        .collect())
}

/// Titles, interfaces and power figures from the project's data files.
pub fn context(project: &Project) -> Context {
    let boards = project
        .boards
        .iter()
        .map(|board| BoardNote {
            name: board.name.clone(),
            title: board.title.clone(),
            power: power_notes(board),
            flash: board.memory.map(|memory| memory.flash),
            ram: board.memory.map(|memory| memory.ram),
        })
        .collect();
    let algorithms = project
        .algorithms
        .iter()
        .map(|algorithm| AlgorithmNote {
            name: algorithm.name.clone(),
            title: algorithm.title.clone(),
            interface: Some(algorithm.interface),
            family: algorithm.family.clone(),
            bytes: algorithm.bytes.first().copied(),
        })
        .collect();
    let libraries = project
        .libraries
        .iter()
        .map(|library| LibraryNote {
            name: library.name.clone(),
            title: library.title.clone(),
            licence: library.licence.clone(),
            source: library.origin(),
            note: library.note.clone().unwrap_or_default(),
        })
        .collect();
    Context {
        boards,
        algorithms,
        libraries,
    }
}

/// The power figures of a board as text, under the profile names that rows use.
fn power_notes(board: &selo_engine::board::Board) -> Vec<PowerNote> {
    let note = |power: &selo_engine::energy::PowerProfile| PowerNote {
        name: power.name.clone(),
        text: format!(
            "{} V, {} mA active, {} mA idle; {}",
            power.supply_volts, power.active_milliamps, power.idle_milliamps, power.source
        ),
    };
    board.power.iter().map(note).collect()
}

/// Opens the page in the desktop's browser. A failure only prints a hint.
fn open(path: &Path) {
    let opener = if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };
    let started = Command::new(opener)
        .arg(path)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    if let Err(error) = started {
        eprintln!(
            "cannot start {opener}: {error}\nhint: open {} in a browser",
            path.display()
        );
    }
}
