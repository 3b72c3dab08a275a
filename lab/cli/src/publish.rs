//! `selo lab publish`: rows as a static site with an address for every figure.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use selo_engine::project::Project;
use selo_engine::schedule::Event;
use selo_report::format;
use selo_report::publish::{self, Given, Published, STEPS};

use super::common::Progress;
use super::{lines, report, rows};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
DIR is a site of files. Any web server can serve it, below any path, and a browser can open it from
a disk. Each call adds the rows as a run, and never changes a run that is there:

  index.html                      the newest figures, and the list of the runs
  latest/                         the newest run, with the values of the earlier runs
  latest/changes/                 what changed since the run before, worst first
  runs/NAME/                      a run, as it was published
  .../figures/BOARD/LIBRARY/ALGORITHM/VARIANT/index.html#OPERATION-BYTES-METRIC
                                  a figure, with its row and the command that measures it again
  .../board/NAME/, library/NAME/, algorithm/NAME/
                                  lists and tables, with CSV and JSON beside them

The pages are written beside the old ones and put in place at the end: an error or a full disk
leaves the site as it was. The same rows again change nothing. docs/researcher/publish.md has more.

Examples:
  selo lab run --board uno --algorithm aes-128,speck128/128
  selo lab publish results                             then open results/index.html
  selo lab publish results --name v1.2                 a name of your own
  selo lab publish results --rows out/lab/uno --json   what was published, for a script

Exit codes: 0 published, 2 a name that is taken or a folder of something else, 3 no rows yet,
4 DIR cannot be written.")]
pub struct Args {
    /// Folder of the site; it is made if needed, and keeps the runs that it has
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// Row files, or folders that hold rows.jsonl and check.jsonl (default: out/lab/* in the project)
    #[arg(long, value_name = "FILE|DIR", num_args = 1..)]
    rows: Vec<PathBuf>,
    /// Name of the run, a part of its addresses (default: date, row schema and commit of the rows)
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Print what was published as one line of JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args, root: &Path) -> selo_base::report::Result<ExitCode> {
    let project = Project::load(root)?;
    let rows = rows::read(&args.rows, root)?;
    if rows.is_empty() {
        let mut known = project.boards.iter().filter(|board| board.is_here());
        let limited = known.find(|board| board.memory.is_some());
        return Ok(rows::none(limited.map_or("BOARD", |board| &board.name)));
    }
    let mut checks = Vec::new();
    for file in lines::check_files(&args.rows, root) {
        checks.extend(lines::read_checks(&file)?);
    }
    let context = report::context(&project);
    let now = humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string();
    let given = Given {
        rows: &rows,
        checks: &checks,
        context: &context,
        name: args.name.as_deref(),
        now: &now,
    };
    let mut progress = Progress::new(STEPS.map(str::to_owned).to_vec());
    let mut current = None;
    let published = publish::publish(given, &args.dir, |step| {
        if let Some(done) = current.replace(step) {
            progress.event(Event::Finished(done));
        }
        progress.event(Event::Started(step));
    });
    progress.finish();
    let published = published?;
    for run in &published.left_out {
        eprintln!(
            "selo: note: left out the run '{}': {}",
            run.name, run.reason
        );
    }
    if args.json {
        rows::print_lines([&published])?;
    } else {
        rows::print(&text(&published, &args.dir))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What was published, and where to look.
fn text(published: &Published, dir: &Path) -> String {
    let name = &published.run.name;
    let mut lines = Vec::new();
    if !published.is_new {
        lines.push(format!("these rows are published as the run {name}"));
    } else if published.runs.len() > 1 {
        lines.push(format!(
            "since the run before: {}",
            published.changes.words()
        ));
    }
    lines.push(format!(
        "{} written; {} in the run {name}; {} in the site",
        format::things(published.pages, "page", "pages"),
        format::things(published.figures, "figure", "figures"),
        format::things(published.runs.len(), "run", "runs")
    ));
    lines.push(dir.join("index.html").display().to_string());
    lines.join("\n") + "\n"
}
