//! `selo lab survey --corpus`: the survey of every library of `lab/corpus.toml`, of which the truth
//! is known, and the table of what it bound and whom it accused.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use selo_engine::project::Project;
use selo_engine::survey::{Mark, Question, SurveyLine, SurveyVerdict};
use selo_report::table::{Cell, Column, Table, TerminalStyle};
use serde::{Deserialize, Serialize};

use super::rows;

/// The list of the corpus, below the project's root.
const LIST: &str = "lab/corpus.toml";

/// The folder of results, below the project's root.
const RESULTS: &str = "out/corpus";

#[derive(Debug, Deserialize)]
struct Corpus {
    library: Vec<Entry>,
}

/// A library of the corpus; other fields of the list are for its readers.
#[derive(Clone, Debug, Deserialize)]
struct Entry {
    name: String,
    algorithms: Vec<String>,
    truth: Truth,
    /// Algorithms that are right but for known cases of the official vectors.
    #[serde(default)]
    known_faults: Vec<String>,
    /// Algorithms that are wrong on a board though the library is right, by the board's name.
    #[serde(default)]
    wrong_on: BTreeMap<String, Vec<String>>,
}

impl Entry {
    /// True if the list says that an algorithm has a fault on a board.
    fn is_faulty(&self, algorithm: &str, board: &str) -> bool {
        let there = self.wrong_on.get(board).into_iter().flatten();
        let mut faulty = self.known_faults.iter().chain(there);
        faulty.any(|name| name == algorithm)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Truth {
    Right,
    Wrong,
    NotNative,
}

/// What the survey of one library of the corpus gave.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct CorpusLine {
    library: String,
    board: String,
    truth: Truth,
    /// The algorithms that the library has.
    wanted: Vec<String>,
    /// Those of them for which vectors pass.
    bound: Vec<String>,
    /// Algorithms that are bound and not in the list.
    others: Vec<String>,
    /// The verdict for each algorithm that was surveyed.
    verdicts: BTreeMap<String, SurveyVerdict>,
    /// Algorithms that the survey calls wrong though the library is right.
    accused_falsely: Vec<String>,
    /// Set if the library's folder is not there.
    #[serde(default)]
    missing: bool,
    /// The reason why the lab could not survey the library.
    #[serde(default)]
    failed: Option<String>,
    /// Wall-clock seconds of the survey.
    #[serde(default)]
    seconds: u64,
}

/// Surveys one folder.
type Survey<'s> = &'s mut dyn FnMut(&Path) -> selo_engine::Result<Vec<SurveyLine>>;

/// Surveys every library of the corpus below `folder`, or the one called `only`, unless its result
/// is kept, and prints the table.
pub fn run(
    root: &Path,
    folder: &Path,
    only: Option<&str>,
    board: &str,
    style: Style,
    survey: Survey<'_>,
) -> selo_base::report::Result<()> {
    if !folder.is_dir() {
        return Err(selo_engine::Error::Data {
            path: folder.to_owned(),
            message: "is not a folder; unpack the libraries of the corpus into it".to_owned(),
        }
        .into());
    }
    // Without it every library would be noted as one that no call reaches.
    let project = Project::load(root)?;
    selo_engine::runner::available(root, project.board(board)?)?;
    let entries = entries(root, only)?;
    let mut lines = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        let kept = root
            .join(RESULTS)
            .join(board)
            .join(format!("{}.json", entry.name));
        let line = match read(&kept) {
            Some(line) => line,
            None => {
                eprintln!("[{}/{}] {}", at + 1, entries.len(), entry.name);
                let line = one(entry, &folder.join(&entry.name), board, survey)?;
                eprintln!(
                    "{}: {} of {} algorithms bound, {} s",
                    entry.name,
                    line.bound.len(),
                    line.wanted.len(),
                    line.seconds
                );
                if !line.missing && line.failed.is_none() {
                    rows::write(&kept, &(serde_json::to_string_pretty(&line)? + "\n"))?;
                }
                line
            }
        };
        if style == Style::Json {
            rows::print_lines([&line])?;
        }
        lines.push(line);
    }
    let table = table(&lines, board);
    match style {
        Style::Json => Ok(()),
        Style::Markdown => rows::print(&format!("{}\n{}\n", table.to_markdown(), sums(&lines))),
        Style::Terminal => {
            let text = table.to_terminal(TerminalStyle::detect());
            rows::print(&format!("{text}\n{}\n", sums(&lines)))
        }
    }
}

/// The libraries of the list, or the one called `only`.
fn entries(root: &Path, only: Option<&str>) -> selo_engine::Result<Vec<Entry>> {
    let corpus: Corpus = selo_engine::read_toml(&root.join(LIST))?;
    let Some(name) = only else {
        return Ok(corpus.library);
    };
    let chosen = corpus.library.iter().find(|entry| entry.name == name);
    let known = corpus.library.iter().map(|entry| entry.name.as_str());
    match chosen {
        Some(entry) => Ok(vec![entry.clone()]),
        None => Err(selo_engine::Error::unknown(
            "library of the corpus",
            name,
            known,
        )),
    }
}

/// The form of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    Terminal,
    Markdown,
    Json,
}

/// A result of an earlier run, if it can be read.
fn read(path: &PathBuf) -> Option<CorpusLine> {
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

/// The line of one library. A fault of its survey is told and does not end the others.
fn one(
    entry: &Entry,
    folder: &Path,
    board: &str,
    survey: Survey<'_>,
) -> selo_engine::Result<CorpusLine> {
    let started = std::time::Instant::now();
    let missing = !folder.is_dir();
    let (surveyed, failed) = match missing {
        true => (Vec::new(), None),
        false => match survey(folder) {
            Ok(lines) => (lines, None),
            Err(error @ selo_engine::Error::Interrupted) => return Err(error),
            Err(error) => {
                eprintln!("selo: {}: {error}", entry.name);
                (Vec::new(), Some(error.to_string()))
            }
        },
    };
    Ok(CorpusLine {
        failed,
        seconds: started.elapsed().as_secs(),
        ..judged(entry, board, missing, &surveyed)
    })
}

/// The line of a library, from those of its survey.
fn judged(entry: &Entry, board: &str, missing: bool, surveyed: &[SurveyLine]) -> CorpusLine {
    let mark = |line: &SurveyLine, question: Question| {
        let answer = line.answers.iter().find(|a| a.question == question);
        answer.map(|answer| answer.mark)
    };
    let mut bound: Vec<String> = Vec::new();
    let mut accused: Vec<String> = Vec::new();
    for line in surveyed {
        // Vectors passed in a trial, or the library would not be called wrong.
        let builds = mark(line, Question::Builds) == Some(Mark::Yes);
        let proven = builds && !line.findings.iter().any(|finding| finding.id == "unproven");
        if proven && !bound.contains(&line.algorithm) {
            bound.push(line.algorithm.clone());
        }
        // A library that is right builds, and gives the published values.
        let denied = [Question::Builds, Question::Conforms];
        let wrong = line.verdict == SurveyVerdict::NotSuitable
            && denied
                .iter()
                .any(|question| mark(line, *question) == Some(Mark::No));
        let known = entry.is_faulty(&line.algorithm, board);
        if wrong && !known && entry.truth == Truth::Right && !accused.contains(&line.algorithm) {
            accused.push(line.algorithm.clone());
        }
    }
    let (bound, others): (Vec<String>, Vec<String>) = bound
        .into_iter()
        .partition(|name| entry.algorithms.contains(name));
    CorpusLine {
        library: entry.name.clone(),
        board: board.to_owned(),
        truth: entry.truth,
        wanted: entry.algorithms.clone(),
        bound,
        others,
        verdicts: surveyed
            .iter()
            .map(|line| (line.algorithm.clone(), line.verdict))
            .collect(),
        accused_falsely: accused,
        missing,
        failed: None,
        seconds: 0,
    }
}

fn table(lines: &[CorpusLine], board: &str) -> Table {
    let columns = [
        "Library",
        "Truth",
        "Algorithms",
        "Bound",
        "Not bound",
        "Verdicts",
        "Accused falsely",
        "Seconds",
    ];
    let columns = columns.iter().map(|head| Column::text(*head)).collect();
    let mut table = Table::new(format!("The libraries of the corpus on {board}"), columns);
    for line in lines {
        let left = line.wanted.iter().filter(|name| !line.bound.contains(name));
        let left: Vec<&str> = left.map(String::as_str).collect();
        let bound = match (line.missing, &line.failed) {
            (true, _) => "not unpacked".to_owned(),
            (_, Some(_)) => "the survey failed".to_owned(),
            _ => line.bound.len().to_string(),
        };
        let truth = match line.truth {
            Truth::Right => "right",
            Truth::Wrong => "wrong",
            Truth::NotNative => "does not build",
        };
        table.push(vec![
            Cell::text(&line.library),
            Cell::text(truth),
            Cell::text(line.wanted.len().to_string()),
            Cell::text(bound),
            Cell::text(left.join(", ")),
            Cell::text(verdicts(line)),
            Cell::text(line.accused_falsely.join(", ")),
            Cell::text(line.seconds.to_string()),
        ]);
    }
    table
}

/// How many algorithms have each verdict.
fn verdicts(line: &CorpusLine) -> String {
    let count = |verdict: SurveyVerdict| line.verdicts.values().filter(|v| **v == verdict).count();
    let all = [
        (SurveyVerdict::Suitable, "suitable"),
        (SurveyVerdict::Reservations, "with reservations"),
        (SurveyVerdict::NotSuitable, "not suitable"),
        (SurveyVerdict::NotTold, "not told"),
    ];
    let said: Vec<String> = all
        .iter()
        .map(|(verdict, name)| (count(*verdict), name))
        .filter(|(count, _)| *count > 0)
        .map(|(count, name)| format!("{count} {name}"))
        .collect();
    said.join(", ")
}

fn sums(lines: &[CorpusLine]) -> String {
    let here: Vec<&CorpusLine> = lines.iter().filter(|line| !line.missing).collect();
    let sum = |of: &dyn Fn(&CorpusLine) -> usize| here.iter().map(|line| of(line)).sum::<usize>();
    // Of a library that does not build here, or is wrong, no way to call it can pass vectors.
    let of_right = |line: &CorpusLine, names: &Vec<String>| match line.truth {
        Truth::Right => names.len(),
        Truth::Wrong | Truth::NotNative => 0,
    };
    // A library without an algorithm that the lab knows has nothing to bind.
    let right: Vec<&&CorpusLine> = here
        .iter()
        .filter(|line| line.truth == Truth::Right && !line.wanted.is_empty())
        .collect();
    let every = right
        .iter()
        .filter(|line| line.bound.len() == line.wanted.len());
    let some = right.iter().filter(|line| !line.bound.is_empty());
    format!(
        "{} of {} libraries are here; {} of their {} algorithms are bound, {} of the {} in libraries that build here and are right; {} accused falsely. Of the {} right libraries with such algorithms, {} have every one bound and {} at least one.",
        here.len(),
        lines.len(),
        sum(&|line| line.bound.len()),
        sum(&|line| line.wanted.len()),
        sum(&|line| of_right(line, &line.bound)),
        sum(&|line| of_right(line, &line.wanted)),
        sum(&|line| line.accused_falsely.len()),
        right.len(),
        every.count(),
        some.count(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(bound: &[&str], accused: &[&str], missing: bool) -> CorpusLine {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        CorpusLine {
            library: "a".into(),
            board: "uno".into(),
            truth: Truth::Right,
            wanted: owned(&["aes-128", "aes-256"]),
            bound: owned(bound),
            others: Vec::new(),
            verdicts: BTreeMap::new(),
            accused_falsely: owned(accused),
            missing,
            failed: None,
            seconds: 0,
        }
    }

    #[test]
    fn a_fault_of_one_board_is_no_false_accusation() {
        let text = "name = 'a'\nalgorithms = ['sha3-256']\ntruth = 'right'\n\
                    known_faults = ['ed25519']\nwrong_on = { uno = ['sha3-256'] }\n";
        let entry: Entry = toml::from_str(text).expect("an entry");
        assert!(entry.is_faulty("sha3-256", "uno") && entry.is_faulty("ed25519", "uno"));
        assert!(!entry.is_faulty("sha3-256", "native") && entry.is_faulty("ed25519", "native"));
    }

    #[test]
    fn a_library_that_is_not_unpacked_counts_for_nothing() {
        let lines = [
            line(&["aes-128"], &["aes-128"], false),
            line(&[], &[], true),
        ];
        assert_eq!(
            sums(&lines),
            "1 of 2 libraries are here; 1 of their 2 algorithms are bound, 1 of the 2 in libraries that build here and are right; 1 accused falsely. Of the 1 right libraries with such algorithms, 0 have every one bound and 1 at least one."
        );
        let text = table(&lines, "uno").to_markdown();
        assert!(
            text.contains("not unpacked") && text.contains("aes-256"),
            "{text}"
        );
    }
}
