//! Binds an unknown library by trial, with progress on standard error.

use std::fmt::Write as _;
use std::io::{IsTerminal as _, Write as _};
use std::path::Path;
use std::time::Duration;

use selo_engine::algorithm::Algorithm;
use selo_engine::bind::bound::{Binding, Bound, Outcome, Trial};
use selo_engine::bind::manifest::{self, Target};
use selo_engine::bind::trial::{self, Calls, Elsewhere, Given};
use selo_engine::build::Builder;
use selo_engine::library::{Library, MANIFEST};
use selo_engine::measure::Lab;
use selo_engine::project::Project;
use selo_engine::scan::hints::Hints;
use selo_engine::scan::{self, Scanned};
use selo_engine::source::Sources;

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

/// The time that a user gives to trials.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Time {
    /// Minutes for the trials of a library without a manifest, on each board. Algorithms that are
    /// left are named, and nothing is said about them
    #[arg(long, value_name = "N", default_value_t = trial::WHOLE.as_secs() / 60)]
    trial_minutes: u64,
}

impl Time {
    pub fn of_trials(self) -> Duration {
        // More is no limit.
        const YEAR: u64 = 365 * 24 * 60;
        Duration::from_secs(self.trial_minutes.min(YEAR) * 60)
    }
}

/// The algorithms that are tried. An empty list names all.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'w> {
    pub families: &'w [String],
    pub algorithms: &'w [String],
    /// Time for all trials of a library on a board.
    pub time: Duration,
}

impl Wanted<'_> {
    pub const ALL: Wanted<'static> = Wanted {
        families: &[],
        algorithms: &[],
        time: trial::WHOLE,
    };

    fn has(&self, algorithm: &Algorithm) -> bool {
        common::named(self.families, &algorithm.family)
            && common::named(self.algorithms, &algorithm.name)
    }
}

/// What came of binding a library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Came {
    /// A way to call an algorithm passes official vectors.
    Callable,
    /// Algorithms are called, but their results are wrong.
    Suspect,
    /// Algorithms were tried, and no call came to a result.
    Stopped,
    /// No way to call it was found.
    Nothing,
}

/// Binds a library by trial, prints what came of it, and writes manifest and glue into the folder
/// of the target, in place of what was there.
pub fn bind_into(
    project: &Project,
    board: &str,
    folder: &Path,
    wanted: Wanted<'_>,
    target: Target<'_>,
) -> selo_engine::Result<Came> {
    let into = target.into;
    let plain = scan::scan(folder)?;
    let hints = Hints::read(&plain);
    let mut scanned = plain.clone();
    hints.apply(&mut scanned);
    let mut made = bind(project, board, &scanned, wanted)?;
    if made.bound.is_empty() && !hints.is_empty() {
        eprintln!("without the sources and macros of its own build:");
        scanned = plain;
        made = bind(project, board, &scanned, wanted)?;
    }
    eprint!("{}", summary(&made));
    let failed = |source| selo_engine::Error::Write {
        path: into.to_owned(),
        source,
    };
    let parent = into.parent().unwrap_or(into);
    std::fs::create_dir_all(parent).map_err(failed)?;
    // The manifest leads to the library by a relative path, which must not cross a link.
    let parent = parent.canonicalize().map_err(failed)?;
    let mut beside = tempfile::Builder::new();
    let beside = beside
        .prefix(".binding-")
        .tempdir_in(&parent)
        .map_err(failed)?;
    let beside_it = Target {
        into: beside.path(),
        ..target
    };
    let files = manifest::files(&scanned, &made, beside_it);
    manifest::write(&files, beside.path())?;
    if into.exists() {
        std::fs::remove_dir_all(into).map_err(failed)?;
    }
    std::fs::rename(beside.path(), into).map_err(failed)?;
    Ok(match (made.bound.is_empty(), made.suspects.is_empty()) {
        (false, _) => Came::Callable,
        (true, false) if came_to_a_result(&made) => Came::Suspect,
        (true, false) => Came::Stopped,
        (true, true) => Came::Nothing,
    })
}

/// True if a trial had a result, though a wrong one. What stops by a limit or a fault has none.
fn came_to_a_result(made: &Binding<'_>) -> bool {
    let mut trials = made.trials.iter();
    trials.any(|trial| matches!(trial.outcome, Outcome::Wrong { .. }))
}

/// Fetches a library that is bound by trial, and binds it, unless that was done for the same
/// files. Returns true if the lab can call it.
pub fn bind_library(
    project: &mut Project,
    board: &str,
    name: &str,
    again: bool,
) -> selo_engine::Result<bool> {
    let library = project.library(name)?.clone();
    common::fetch_one(&Sources::new(&project.root, false), &library)?;
    let source = library.source.as_ref();
    let folder = source.map(|source| source.folder(&project.root));
    if let (Some(into), Some(folder)) = (library.binding(), folder)
        && (again || !library.is_bound())
    {
        eprintln!("{name}: finding out how to call it");
        let wanted = Wanted {
            families: &library.families,
            ..Wanted::ALL
        };
        let target = Target::new(name, &into);
        match bind_into(project, board, &folder, wanted, target) {
            // The next run must not scan the same files again.
            Err(error @ selo_engine::Error::NoLibrary { .. }) => {
                common::complain(&library, &error);
                manifest::write(&[(MANIFEST.to_owned(), nothing(&library))], &into)?;
            }
            other => {
                other?;
            }
        }
        *project = Project::load(&project.root)?;
    }
    Ok(!project.library(name)?.implementations.is_empty())
}

/// The manifest of a library of which nothing can be called.
fn nothing(library: &Library) -> String {
    let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
    format!(
        "# Its files hold no C or C++.\nname = {}\ntitle = {}\nversion = {}\nlicence = {}\n",
        quoted(&library.name),
        quoted(&library.title),
        quoted(&library.version),
        quoted(&library.licence)
    )
}

/// Binds `scanned` on this machine and then on the board. What cannot be bound there keeps the calls
/// that pass here: a board may lack the room, or a header that a PC has. Trials here are quick, and
/// the board needs few when the call is known.
pub fn bind<'l>(
    project: &'l Project,
    board: &str,
    scanned: &'l Scanned,
    wanted: Wanted<'_>,
) -> selo_engine::Result<Binding<'l>> {
    let algorithms = project.algorithms.iter();
    let all: Vec<&Algorithm> = algorithms.filter(|one| wanted.has(one)).collect();
    let given = Given {
        scanned,
        calls: &Calls::of(scanned),
        algorithms: &all,
        whole: wanted.time,
    };
    let mut more = bind_on(project, NATIVE, given, &Elsewhere::default())?;
    if board == NATIVE {
        return Ok(more);
    }
    let mut made = bind_on(project, board, given, &Elsewhere::of(&more))?;
    let open = |name: &String| made.open.contains(name) || made.untried.contains(name);
    more.bound.retain(|one| open(&one.recipe.algorithm.name));
    more.trials.retain(|trial| open(&trial.algorithm));
    for header in made.remedies.portable() {
        let all = more.bound.iter_mut().chain(&mut more.suspects);
        all.for_each(|one| one.remedies.empty.push(header.clone()));
    }
    let bound = |name: &str| {
        more.bound
            .iter()
            .any(|one| one.recipe.algorithm.name == name)
    };
    made.open.retain(|name| !bound(name));
    made.untried.retain(|name| !bound(name));
    made.suspects
        .retain(|one| !bound(&one.recipe.algorithm.name));
    made.bound.extend(more.bound);
    made.trials.extend(more.trials);
    Ok(made)
}

fn bind_on<'l>(
    project: &'l Project,
    board: &str,
    given: Given<'_, 'l>,
    elsewhere: &Elsewhere<'l>,
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
    let made = trial::bind(&lab, given, elsewhere, &mut progress);
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
            "bound      {:<20} on {}: {} {}{}",
            recipe.algorithm.name,
            bound.proven_on.as_deref().unwrap_or_default(),
            recipe.names().join(", "),
            recipe.flags.join(" "),
            hidden(bound)
        );
    }
    for foreign in &made.foreign {
        let _ = writeln!(text, "not told   {:<20} {}", foreign.name, foreign.why);
    }
    for said in &made.uncalled {
        let _ = writeln!(text, "to fill in {said}");
    }
    if !made.other_sizes.is_empty() {
        let _ = writeln!(
            text,
            "not there  {}: nothing in the library speaks of these key sizes",
            made.other_sizes.join(", ")
        );
    }
    if !made.untried.is_empty() {
        let names = made.untried.join(",");
        let _ = writeln!(
            text,
            "not tried  {names}: the time for trials was over. Give more with \
             --trial-minutes, or try only these with --algorithm {names}"
        );
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

/// What a caller must know of functions that only their own source can call.
fn hidden(bound: &Bound<'_>) -> String {
    bound.recipe.hidden_in().map_or(String::new(), |source| {
        format!(
            "(only a file that includes {} can call it)",
            source.display()
        )
    })
}

/// An outcome in a few words.
pub fn said(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Passed { cases } => format!("{cases} vectors pass"),
        Outcome::Wrong { case, detail, .. } => format!("another output for {case} ({detail})"),
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
