//! `selo lab publish`: rows as a static site with an address for every figure.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use selo_engine::project::Project;
use selo_report::publish::{self, Given};

use super::{lines, report, rows};

#[derive(Debug, clap::Args)]
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
}

pub fn run(args: &Args, root: &Path) -> selo_base::report::Result<ExitCode> {
    let project = Project::load(root)?;
    let rows = rows::read(&args.rows, root)?;
    if rows.is_empty() {
        return Ok(rows::none("BOARD"));
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
    let published = publish::publish(given, &args.dir)?;
    for run in &published.left_out {
        eprintln!(
            "selo: note: left out the run '{}': {}",
            run.name, run.reason
        );
    }
    rows::print(&format!(
        "{} pages, {} figures, {} runs\n{}\n",
        published.pages,
        published.figures,
        published.runs.len(),
        args.dir.join("index.html").display()
    ))?;
    Ok(ExitCode::SUCCESS)
}
