//! `selo lab table pqm4`: the rows of key encapsulations and signatures in one table.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use selo_engine::project::Project;
use selo_report::table::TerminalStyle;

use super::common::{Pick, named};
use super::{report, rows};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Shows rows that `selo lab run` and `selo lab matrix` have measured, as pqm4's benchmarks do: mean,
least and most of each operation, stack, heap, flash and RAM, for every scheme, implementation and
board. The column Counted says whether cycles or instructions were counted, and how.

Examples:
  selo lab table pqm4 --board stm32f407
  selo lab table pqm4 --algorithm ml-kem-512 --markdown > ml-kem-512.md
  selo lab table pqm4 --csv > benchmarks.csv

Exit codes: 0 printed, 2 unknown name, 3 no rows yet.")]
pub struct Args {
    /// Form of the table
    #[arg(value_enum)]
    form: Form,
    /// Boards (default: all that have rows)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    board: Vec<String>,
    #[command(flatten)]
    pick: Pick,
    /// Rows: files, or folders with rows.jsonl [default: out/lab/*]
    #[arg(long, value_name = "FILE|DIR", num_args = 1..)]
    rows: Vec<PathBuf>,
    /// Print the table as Markdown
    #[arg(long, conflicts_with = "csv")]
    markdown: bool,
    /// Print comma-separated values
    #[arg(long)]
    csv: bool,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Form {
    Pqm4,
}

pub fn run(args: &Args, root: &Path) -> selo_base::report::Result<ExitCode> {
    let Form::Pqm4 = args.form;
    let project = Project::load(root)?;
    for name in &args.board {
        project.board(name)?;
    }
    let mut found = rows::read(&args.rows, root)?;
    found.retain(|row| {
        let (library, algorithm) = (&row.library, &row.algorithm);
        named(&args.board, &row.board) && args.pick.keeps(library, algorithm, &row.variant)
    });
    let context = report::context(&project);
    let Some(table) = selo_report::pqm4::table(&found, &context) else {
        eprintln!("selo: no rows of a key encapsulation or a signature");
        eprintln!(
            "hint: measure some first: selo lab run --board stm32f407 --algorithm ml-kem-512"
        );
        return Ok(ExitCode::from(rows::MISSING));
    };
    rows::print(&match (args.csv, args.markdown) {
        (true, _) => table.to_csv(),
        (_, true) => table.to_markdown(),
        _ => table.to_terminal(TerminalStyle::detect()),
    })?;
    Ok(ExitCode::SUCCESS)
}
