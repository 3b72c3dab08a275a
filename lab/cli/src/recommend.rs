//! `selo lab recommend`: ranks the implementations that a device can afford.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use selo_engine::project::Project;
use selo_report::format;
use selo_report::recommend::{Answer, Condition, Evidence, Need, Prefer, Request, recommend};
use selo_report::table::TerminalStyle;

use super::common::named;
use super::{report, rows};

/// Rank the implementations that fit a device, with reasons
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Every figure comes from a row of `selo lab run`. Implementations that were not checked and
measured are not recommended; the output lists them with the reason. RAM includes static
data, the deepest stack, and the caller's buffers for one message. Speed says nothing
about security: read the footnotes. All measured libraries are compared, with their
licences. If a board has no clock, instructions decide. Implementations that failed an
official vector (selo lab check) are never recommended.

Examples:
  selo lab recommend --board uno --flash 4096 --ram 512
  selo lab recommend --board uno --flash 2000 --ram 300 --need decrypt --prefer size
  selo lab recommend --board uno --need seal,open --require constant-time,conformity
  selo lab recommend --board uno --flash 16384 --ram 1200 --need seal,open,key-exchange

Exit codes: 0 something fits, 1 nothing fits (or no set that does all the jobs),
2 unknown board, 3 no rows yet.")]
pub struct Args {
    /// Board, such as uno
    #[arg(long, value_name = "NAME")]
    board: String,
    /// Bytes of flash that cryptography may take [default: all of the board's]
    #[arg(long, value_name = "BYTES")]
    flash: Option<u64>,
    /// Bytes of RAM that cryptography may take [default: all of the board's]
    #[arg(long, value_name = "BYTES")]
    ram: Option<u64>,
    /// Capabilities that the device needs; several may be given
    #[arg(long, value_enum, value_delimiter = ',', default_value = "encrypt")]
    need: Vec<NeedArg>,
    /// Criterion that ranks the implementations that fit
    #[arg(long, value_enum, default_value = "time")]
    prefer: PreferArg,
    /// Properties that selo lab check must have confirmed on this board
    #[arg(long, value_enum, value_delimiter = ',')]
    require: Vec<ConditionArg>,
    /// Size of a message
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    bytes: u32,
    /// JSON Lines on stdout, one line per implementation, nothing else
    #[arg(long)]
    json: bool,
    /// Libraries to choose among (default: all that were measured)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    library: Vec<String>,
    /// Rows to choose from: files, or folders with rows.jsonl [default: out/lab/*]; the
    /// check.jsonl beside them is read too
    #[arg(long, value_name = "FILE|DIR", num_args = 1..)]
    rows: Vec<PathBuf>,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum NeedArg {
    Encrypt,
    Decrypt,
    /// Encrypt and authenticate
    Seal,
    /// Verify and decrypt
    Open,
    Hash,
    KeyExchange,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum PreferArg {
    Time,
    Energy,
    /// Flash and RAM, each as a share of its limit
    Size,
}

pub fn run(args: &Args, project: &Path) -> selo_base::report::Result<ExitCode> {
    let data = Project::load(project)?;
    let board = data.board(&args.board)?;
    let test_only: BTreeSet<&str> = data
        .libraries
        .iter()
        .filter(|c| c.test_only)
        .map(|c| c.name.as_str())
        .collect();
    let mut rows = rows::read(&args.rows, project)?;
    for name in &args.library {
        let known = || data.libraries.iter().map(|c| c.name.as_str());
        if !known().any(|library| library == name) {
            return Err(selo_engine::Error::unknown("library", name, known()).into());
        }
    }
    rows.retain(|row| {
        named(&args.library, &row.library) && !test_only.contains(row.library.as_str())
    });
    if !rows.iter().any(|row| row.board == board.name) {
        return Ok(rows::none(&board.name));
    }
    let whole = |given: Option<u64>, memory: Option<u64>| given.or(memory).unwrap_or(u64::MAX);
    let request = Request {
        board: board.name.clone(),
        flash: whole(args.flash, board.memory.map(|memory| memory.flash)),
        ram: whole(args.ram, board.memory.map(|memory| memory.ram)),
        needs: args.need.iter().map(|need| need.need()).collect(),
        prefer: args.prefer.prefer(),
        bytes: args.bytes,
        conditions: args.require.iter().map(|arg| arg.condition()).collect(),
    };
    let mut checks = Vec::new();
    for file in report::check_files(&args.rows, project) {
        checks.extend(report::read_checks(&file)?);
    }
    let licences: Vec<(String, String)> = data
        .libraries
        .iter()
        .map(|library| (library.name.clone(), library.licence.clone()))
        .collect();
    let evidence = Evidence {
        checks: &checks,
        licences: &licences,
    };
    let answer = recommend(&request, &rows, &data.algorithms, evidence);
    if args.json {
        rows::print_lines(&answer.advice)?;
    } else {
        rows::print(&text(&answer))?;
    }
    if answer.is_complete() {
        return Ok(ExitCode::SUCCESS);
    }
    eprintln!(
        "selo: no implementation measured on '{}' does all of this within these limits",
        board.name
    );
    eprintln!(
        "hint: the lines marked excluded say why; selo lab run --board {} measures more",
        board.name
    );
    Ok(ExitCode::from(1))
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum ConditionArg {
    /// The cycle count does not depend on the secret
    ConstantTime,
    /// Official test vectors were run, and none failed
    Conformity,
}

impl ConditionArg {
    fn condition(self) -> Condition {
        match self {
            ConditionArg::ConstantTime => Condition::ConstantTime,
            ConditionArg::Conformity => Condition::Conformity,
        }
    }
}

impl NeedArg {
    fn need(self) -> Need {
        match self {
            NeedArg::Encrypt => Need::Encrypt,
            NeedArg::Decrypt => Need::Decrypt,
            NeedArg::Seal => Need::Seal,
            NeedArg::Open => Need::Open,
            NeedArg::Hash => Need::Hash,
            NeedArg::KeyExchange => Need::KeyExchange,
        }
    }
}

impl PreferArg {
    fn prefer(self) -> Prefer {
        match self {
            PreferArg::Time => Prefer::Time,
            PreferArg::Energy => Prefer::Energy,
            PreferArg::Size => Prefer::Size,
        }
    }
}

fn text(answer: &Answer) -> String {
    let mut text = String::new();
    for table in answer.tables() {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&table.to_terminal(TerminalStyle::detect()));
    }
    for job in &answer.jobs {
        if let Some(first) = answer.ranked(*job).next() {
            text.push_str(&format!("\n{}: {}", first.name(), first.reasons.join("; ")));
        }
    }
    if let Some((flash, ram)) = answer.together {
        let set: Vec<String> = answer
            .advice
            .iter()
            .filter(|advice| advice.together)
            .map(|advice| advice.name())
            .collect();
        text.push_str(&format!(
            "\n* together: {}; flash {} bytes at most (shared code counted twice), RAM {} bytes",
            set.join(" + "),
            format::count(flash as f64),
            format::count(ram as f64)
        ));
    }
    text.push('\n');
    text
}
