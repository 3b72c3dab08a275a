//! The libraries that a paper names, when they are bound by trial: how far the lab has come with
//! each, and `selo lab compare --fetch`, which fetches, binds, surveys and measures them.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use selo_engine::board::Board;
use selo_engine::build::Builder;
use selo_engine::check::Effort;
use selo_engine::library::{Library, Unit};
use selo_engine::measure::Lab;
use selo_engine::project::{Project, Selection};
use selo_engine::row::Metric;
use selo_engine::source::{Lock, Sources};
use selo_engine::survey::{self, SurveyLine};
use selo_report::compare::{KnownLibrary, LibraryState};
use selo_report::paper::Paper;

use super::{binding, common, fetch, lines, measuring};

/// Name of the file with the lines of surveys, in the folder of the rows.
const SURVEYS: &str = "survey.jsonl";

/// Millions of simulated cycles for each source of vectors.
const BUDGET: u64 = 10;

/// How far the lab has come with each library that is bound by trial.
pub fn known(project: &Project) -> Vec<KnownLibrary> {
    let by_trial = project.libraries.iter().filter(|library| library.by_trial);
    by_trial.map(state).collect()
}

fn state(library: &Library) -> KnownLibrary {
    let state = match (library.is_cached(), library.is_bound()) {
        (false, _) => LibraryState::NotFetched,
        (true, false) => LibraryState::NotTried,
        (true, true) => LibraryState::Tried,
    };
    let proven = library.implementations.iter().filter(|one| !one.unproven);
    KnownLibrary {
        name: library.name.clone(),
        state,
        algorithms: proven.flat_map(|one| one.algorithms.clone()).collect(),
    }
}

/// The lines of surveys beside the rows, for the files of the libraries that are here now. A line
/// of other files is no statement about these.
pub fn surveys(project: &Project, named: &[PathBuf]) -> selo_base::report::Result<Vec<SurveyLine>> {
    let mut lines: Vec<SurveyLine> = Vec::new();
    for file in lines::files_beside(named, &project.root, SURVEYS) {
        lines.extend(lines::read_lines(&file, "selo lab compare --fetch")?);
    }
    lines.retain(|line| {
        let library = project
            .libraries
            .iter()
            .find(|known| known.name == line.library);
        library.is_some_and(|library| library.version == line.library_version)
    });
    Ok(lines)
}

/// Fetches, binds, surveys and measures the libraries of a paper. A library that cannot be fetched
/// or bound is told, and the others go on. Returns the project with what was found.
pub fn bring(
    root: &Path,
    paper: &Paper,
    again: bool,
    secrets: &common::Secrets,
) -> selo_base::report::Result<Project> {
    let mut project = Project::load(root)?;
    let board = binding::default_board(&project).to_owned();
    let cells = || paper.tables.iter().flat_map(|table| &table.cells);
    let names: BTreeSet<&str> = cells().filter_map(|cell| cell.library()).collect();
    let mut bound = Vec::new();
    for name in names {
        let known = project.libraries.iter().find(|known| known.name == name);
        let Some(library) = known.filter(|known| known.by_trial).cloned() else {
            continue;
        };
        match brought(&mut project, &library, &board, again) {
            Ok(true) => bound.push(name.to_owned()),
            Ok(false) => eprintln!("{name}: the lab found no way to call it"),
            Err(error @ selo_engine::Error::Interrupted) => return Err(error.into()),
            Err(error) => common::complain(&library, &error),
        }
    }
    let boards: BTreeSet<&str> = paper.library_boards();
    for name in boards.into_iter().filter(|_| !bound.is_empty()) {
        let board = project.board(name)?;
        examine(&project, board, &bound, again, secrets)?;
    }
    Ok(project)
}

/// Fetches one library, whose commit is pinned if it is open, and binds it.
fn brought(
    project: &mut Project,
    library: &Library,
    board: &str,
    again: bool,
) -> selo_engine::Result<bool> {
    if library.is_unpinned() {
        let sources = Sources::new(&project.root, false);
        let mut lock = Lock::read(&project.root)?;
        fetch::pin_library(library, &sources, &mut lock)?;
        *project = Project::load(&project.root)?;
    }
    binding::bind_library(project, board, &library.name, again)
}

/// Measures and surveys libraries on one board. Rows and lines go beside those of the board.
fn examine(
    project: &Project,
    board: &Board,
    libraries: &[String],
    again: bool,
    secrets: &common::Secrets,
) -> selo_base::report::Result<()> {
    let builder = Builder::new(project, board)?;
    let catalog = project.catalog()?;
    let selection = Selection {
        libraries: libraries.to_vec(),
        ..Selection::default()
    };
    let units = match project.units(board, &selection) {
        Ok(units) => units,
        Err(selo_engine::Error::NothingSelected { .. }) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    let folder = project.root.join("out/lab").join(&board.name);
    // A guess that no vector confirms has no figures.
    let proven = units.iter().filter(|unit| !unit.implementation.unproven);
    let proven: Vec<Unit<'_>> = proven.cloned().collect();
    let metrics = [Metric::Cycles, Metric::Flash, Metric::Ram, Metric::Stack];
    measuring::measure_into(project, &catalog, board, &proven, &metrics)?;
    let lab = Lab {
        metrics: survey::metrics(board.fidelity),
        ..common::lab(project, board, builder, &catalog)
    };
    let effort = Effort {
        cycles: BUDGET * 1_000_000,
        calls: Some(BUDGET * 100),
        ..secrets.effort()
    };
    survey_units(&lab, &units, &folder.join(SURVEYS), again, &effort)
}

/// Surveys the units that have no line yet, and adds the lines to the file.
fn survey_units(
    lab: &Lab<'_>,
    units: &[Unit<'_>],
    path: &Path,
    again: bool,
    effort: &Effort,
) -> selo_base::report::Result<()> {
    let mut kept: Vec<SurveyLine> = match path.is_file() {
        true => lines::read_lines(path, "selo lab compare --fetch")?,
        false => Vec::new(),
    };
    for unit in units {
        let of_unit = |line: &SurveyLine| {
            line.library == unit.library.name
                && line.algorithm == unit.algorithm.name
                && line.variant == unit.variant
        };
        let same = |line: &SurveyLine| line.library_version == unit.library.version;
        if !again && kept.iter().any(|line| of_unit(line) && same(line)) {
            continue;
        }
        eprintln!("{}: surveying {}", lab.board.name, unit.label());
        let line = lab.survey(unit, effort)?;
        kept.retain(|line| !of_unit(line));
        kept.push(line);
        write(path, &kept)?;
    }
    Ok(())
}

fn write(path: &Path, lines: &[SurveyLine]) -> selo_base::report::Result<()> {
    let failed = |source| selo_engine::Error::Write {
        path: path.to_owned(),
        source,
    };
    let mut text = Vec::new();
    for line in lines {
        serde_json::to_writer(&mut text, line)?;
        text.push(b'\n');
    }
    let mut file = std::fs::File::create(path).map_err(failed)?;
    file.write_all(&text).map_err(failed)?;
    Ok(())
}
