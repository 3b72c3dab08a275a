//! Binds an unknown library by trial, with progress on standard error.

use std::fmt::Write as _;
use std::io::{IsTerminal as _, Write as _};

use selo_engine::algorithm::Algorithm;
use selo_engine::bind::bound::{Binding, Outcome, Trial};
use selo_engine::bind::trial;
use selo_engine::build::Builder;
use selo_engine::measure::Lab;
use selo_engine::project::Project;
use selo_engine::scan::Scanned;

use super::common;

/// Exit code if no way to call a library was found. It says nothing about the library.
pub const NOT_BOUND: u8 = 5;

/// The board that is this machine.
const NATIVE: &str = "native";

/// The simulated board.
const UNO: &str = "uno";

/// Limit of one call in a trial: a block or a short message takes far less.
const LIMIT: u64 = 60_000_000;

/// The board of the trials, if the user names none: the simulated Uno, or this machine if the
/// Uno's compiler is not installed.
pub fn default_board(project: &Project) -> &'static str {
    let uno = project
        .board(UNO)
        .and_then(|board| Builder::new(project, board));
    if uno.is_ok() { UNO } else { NATIVE }
}

/// Binds `scanned` on the board, and on this machine what cannot be bound there: a board may lack
/// the room, or a header that a PC has.
pub fn bind<'l>(
    project: &'l Project,
    board: &str,
    scanned: &'l Scanned,
) -> selo_engine::Result<Binding<'l>> {
    let all: Vec<&Algorithm> = project.algorithms.iter().collect();
    let mut made = bind_on(project, board, scanned, &all)?;
    if board == NATIVE || made.open.is_empty() {
        return Ok(made);
    }
    let left: Vec<&Algorithm> = all
        .into_iter()
        .filter(|algorithm| made.open.contains(&algorithm.name))
        .collect();
    let more = bind_on(project, NATIVE, scanned, &left)?;
    let bound = |name: &str| {
        more.bound
            .iter()
            .any(|one| one.recipe.algorithm.name == name)
    };
    made.open.retain(|name| !bound(name));
    made.suspects
        .retain(|one| !bound(&one.recipe.algorithm.name));
    made.bound.extend(more.bound);
    made.trials.extend(more.trials);
    Ok(made)
}

fn bind_on<'l>(
    project: &'l Project,
    board: &str,
    scanned: &'l Scanned,
    algorithms: &[&'l Algorithm],
) -> selo_engine::Result<Binding<'l>> {
    let board = project.board(board)?;
    let catalog = project.catalog()?;
    let lab = Lab {
        cycle_limit: Some(LIMIT),
        ..common::lab(project, board, Builder::new(project, board)?, &catalog)
    };
    let mut stderr = std::io::stderr();
    let shows = stderr.is_terminal();
    let logs = std::env::var_os("SELO_BIND_LOG").is_some();
    let mut count = 0;
    let mut progress = |trial: &Trial| {
        count += 1;
        if shows {
            let _ = write!(
                stderr,
                "\r\x1b[Ktrial {count} on {}: {}",
                board.name, trial.algorithm
            );
            let _ = stderr.flush();
        }
        if logs {
            eprintln!("{trial:?}");
        }
    };
    let made = trial::bind(&lab, scanned, algorithms, &mut progress);
    if shows {
        eprint!("\r\x1b[K");
    }
    made
}

/// A line for each algorithm: how it is called, or what came of the trials.
pub fn summary(made: &Binding<'_>) -> String {
    let mut text = String::new();
    for bound in &made.bound {
        let recipe = &bound.recipe;
        let _ = writeln!(
            text,
            "bound      {:<20} on {}: {} {}",
            recipe.algorithm.name,
            bound.proven_on.as_deref().unwrap_or_default(),
            recipe.names().join(", "),
            recipe.flags.join(" ")
        );
    }
    for foreign in &made.foreign {
        let _ = writeln!(text, "not told   {:<20} {}", foreign.name, foreign.why);
    }
    for name in &made.open {
        let tried: Vec<&Trial> = made
            .trials
            .iter()
            .filter(|trial| trial.algorithm == *name)
            .collect();
        let first = tried
            .first()
            .map_or(String::new(), |trial| said(&trial.outcome));
        let _ = writeln!(
            text,
            "not bound  {name:<20} {} trials; the likeliest: {first}",
            tried.len()
        );
    }
    text
}

/// An outcome in a few words.
pub fn said(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Passed { cases } => format!("{cases} vectors pass"),
        Outcome::Wrong { case, detail } => format!("another output for {case} ({detail})"),
        Outcome::Stopped { reason } => format!("it stopped: {reason}"),
        Outcome::DoesNotBuild { message } => {
            format!("it does not compile: {}", first_error(message))
        }
        Outcome::NoRoom => "the measured program is larger than the board".to_owned(),
        Outcome::NoVector => "no vector could be run".to_owned(),
    }
}

fn first_error(message: &str) -> &str {
    let error = message
        .lines()
        .find(|line| line.contains("error") || line.contains("undefined"));
    error
        .or_else(|| message.lines().next())
        .unwrap_or(message)
        .trim()
}
