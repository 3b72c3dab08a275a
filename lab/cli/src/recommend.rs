//! `selo lab recommend`: ranks the implementations that a device can afford.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use selo_engine::board::Board;
use selo_engine::library::Unit;
use selo_engine::project::{Project, Selection};
use selo_report::format;
use selo_report::recommend::{Answer, Condition, Evidence, Need, Prefer, Request, recommend};
use selo_report::table::TerminalStyle;

use super::common::named;
use super::{common, lines, measuring, rows};

/// Rank the implementations that fit a device, with reasons
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Every figure comes from a row of `selo lab run`. Implementations that were not checked and
measured are not recommended; the output lists them with the reason. RAM includes static
data, the deepest stack, and the caller's buffers for one message. Speed says nothing
about security: read the footnotes. All libraries whose sources are on this machine are
considered, with their licences. Those without a row are named, and --measure measures them
first. If a board has no clock, instructions decide. Implementations that failed an
official vector (selo lab check) are never recommended.

Examples:
  selo lab recommend --board uno --flash 4096 --ram 512
  selo lab recommend --board uno --flash 2000 --ram 300 --need decrypt --prefer size
  selo lab recommend --board uno --need seal,open --require constant-time,conformity
  selo lab recommend --board uno --need hash --measure
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
    /// Measure the implementations that have no row yet, before ranking; this may take long
    #[arg(long, conflicts_with = "rows")]
    measure: bool,
    /// Libraries to choose among (default: all that are here, and all that were measured)
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
    for name in &args.library {
        data.library(name)?;
    }
    let request = request(args, board);
    let offered = offered(&data, board, &args.library, &request)?;
    if args.measure {
        let catalog = data.catalog()?;
        measuring::measure_into(&data, &catalog, board, &offered, &[])?;
    }
    let mut rows = rows::read(&args.rows, project)?;
    let is_test = |name: &str| data.libraries.iter().any(|c| c.name == name && c.test_only);
    rows.retain(|row| named(&args.library, &row.library) && !is_test(&row.library));
    if !rows.iter().any(|row| row.board == board.name) {
        return Ok(rows::none(&board.name));
    }
    let mut checks = Vec::new();
    for file in lines::check_files(&args.rows, project) {
        checks.extend(lines::read_checks(&file)?);
    }
    let licences: Vec<(String, String)> = data
        .libraries
        .iter()
        .map(|library| (library.name.clone(), library.licence.clone()))
        .collect();
    let names: Vec<(String, String, String)> = offered.iter().map(names).collect();
    let evidence = Evidence {
        checks: &checks,
        licences: &licences,
        offered: &names,
    };
    let answer = recommend(&request, &rows, &data.algorithms, evidence);
    if args.json {
        rows::print_lines(&answer.advice)?;
    } else {
        rows::print(&text(&answer))?;
    }
    tell_scope(&answer, &data, args);
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

fn request(args: &Args, board: &Board) -> Request {
    let whole = |given: Option<u64>, memory: Option<u64>| given.or(memory).unwrap_or(u64::MAX);
    Request {
        board: board.name.clone(),
        flash: whole(args.flash, board.memory.map(|memory| memory.flash)),
        ram: whole(args.ram, board.memory.map(|memory| memory.ram)),
        needs: args.need.iter().map(|need| need.need()).collect(),
        prefer: args.prefer.prefer(),
        bytes: args.bytes,
        conditions: args.require.iter().map(|arg| arg.condition()).collect(),
    }
}

/// The units that the board can have and that do one of the jobs.
fn offered<'p>(
    project: &'p Project,
    board: &Board,
    libraries: &[String],
    request: &Request,
) -> selo_engine::Result<Vec<Unit<'p>>> {
    let here = project.libraries_here();
    let here = here.map(|library| library.name.clone());
    let selection = Selection {
        libraries: here.filter(|name| named(libraries, name)).collect(),
        ..Selection::default()
    };
    if selection.libraries.is_empty() {
        return Ok(Vec::new());
    }
    let units = match project.units(board, &selection) {
        Err(selo_engine::Error::NothingSelected { .. }) => Vec::new(),
        other => other?,
    };
    // A guess that no vector confirms is not offered.
    let wanted =
        |unit: &Unit<'_>| request.wants(unit.algorithm.interface) && !unit.implementation.unproven;
    Ok(units.into_iter().filter(wanted).collect())
}

fn names(unit: &Unit<'_>) -> (String, String, String) {
    (
        unit.library.name.clone(),
        unit.algorithm.name.clone(),
        unit.variant.to_owned(),
    )
}

/// Tells among which libraries the answer chose, and what it could not consider.
fn tell_scope(answer: &Answer, project: &Project, args: &Args) {
    let of = |unmeasured: bool| -> BTreeSet<&str> {
        let advice = answer.advice.iter();
        let chosen = advice.filter(|advice| advice.is_unmeasured() == unmeasured);
        chosen.map(|advice| advice.library.as_str()).collect()
    };
    let (measured, open) = (of(false), of(true));
    if let (1, Some(only)) = (measured.len(), measured.first()) {
        eprintln!(
            "selo: note: only {only} is measured for this, so it is compared with no other library"
        );
    }
    if !open.is_empty() {
        let open: Vec<&str> = open.into_iter().collect();
        eprintln!(
            "selo: note: not everything is measured of: {}",
            open.join(", ")
        );
        eprintln!("hint: the same command with --measure measures it first");
    }
    if args.library.is_empty() {
        common::tell_elsewhere(project);
    }
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
