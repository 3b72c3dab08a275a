//! Libraries that a paper names, bound by trial: fetched or not, surveyed or not.

use crate::compare::{boards, line, near, number};
use crate::support::row;
use selo_engine::row::{Fidelity, Metric, Row};
use selo_engine::survey::{Answer, Mark, Question, SurveyLine, SurveyVerdict};
use selo_report::compare::{
    CellStatus, Comparison, Figure, KnownLibrary, LibraryState, Ours, compare,
};

/// A paper that compares two libraries with Selo beside them.
const LIBRARIES: &str = r#"name = "lib2020"
title = "A test"
authors = ["A. Uthor"]

[[table]]
id = "table-1"
label = "Table 1"
title = "Libraries"
method = "by hand"
measured_by = { board = "uno" }

[[table.column]]
label = "Keys"
measured_by = { survey = "keys" }

[[table.column]]
label = "Fits"
measured_by = { survey = "fits" }

[[table.column]]
label = "Cipher"
measured_by = { survey = "cipher" }

[[table.column]]
label = "IV"
measured_by = { survey = "fresh-iv" }

[[table.row]]
label = "Theirs"
published = ["128", "OK", "X", "X"]
measured_by = { library = "theirs" }

[[table]]
id = "figure-1"
label = "Figure 1"
title = "Cycles"
unit = "cycles"
method = "a counter"
measured_by = { board = "uno", metric = "cycles", operation = "encrypt" }

[[table.column]]
label = "Encrypt"

[[table.row]]
label = "Theirs"
published = ["plotted"]
measured_by = { library = "theirs", algorithm = "aes-128", otherwise = ["aes-128-cbc"], beside = { algorithm = "aes-128", variant = "fast" } }
"#;

fn libraries_compared(rows: &[Row], known: KnownLibrary, surveys: &[SurveyLine]) -> Comparison {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("lib2020.toml");
    std::fs::write(&path, LIBRARIES).expect("a file");
    let paper = selo_report::paper::read(&path).expect("a paper");
    let ours = Ours {
        rows,
        boards: &boards(),
        library: "selo",
        libraries: &[known],
        surveys,
    };
    compare(&paper, ours, |_| true)
}

fn known(state: LibraryState, algorithms: &[&str]) -> KnownLibrary {
    KnownLibrary {
        name: "theirs".to_owned(),
        state,
        algorithms: algorithms.iter().map(|&name| name.to_owned()).collect(),
    }
}

fn of_theirs(algorithm: &str, value: f64) -> Row {
    Row {
        library: "theirs".to_owned(),
        ..row(algorithm, "plain", "encrypt", Metric::Cycles, value)
    }
}

#[test]
fn a_library_that_is_not_here_is_not_fetched_in_every_table() {
    let rows = [row("aes-128", "fast", "encrypt", Metric::Cycles, 3000.0)];
    let comparison = libraries_compared(&rows, known(LibraryState::NotFetched, &[]), &[]);
    for line in comparison.lines() {
        assert_eq!(line.status, CellStatus::NotFetched, "{}", line.cell);
        assert_eq!(line.measured, None);
        let reason = line.reason.as_deref().unwrap_or_default();
        assert!(
            reason.contains("selo lab compare lib2020 --fetch"),
            "{reason}"
        );
    }
    // Selo's figure stands beside it, under its own name.
    let beside = line(&comparison, "figure-1", "Theirs | Encrypt")
        .beside
        .as_ref();
    let beside = beside.expect("a figure beside");
    near(number(&beside.measured), 3000.0);
    assert_eq!(beside.implementation, "selo aes-128 fast");
    let text = comparison.tables[1].to_table(false).to_markdown();
    assert!(
        text.contains("selo aes-128 fast") && text.contains("not-fetched"),
        "{text}"
    );
}

#[test]
fn a_bound_library_fills_its_own_cells_only() {
    let rows = [
        row("aes-128", "fast", "encrypt", Metric::Cycles, 3000.0),
        of_theirs("aes-128-cbc", 5000.0),
    ];
    let here = known(LibraryState::Tried, &["aes-128-cbc"]);
    let comparison = libraries_compared(&rows, here, &[]);
    let cell = line(&comparison, "figure-1", "Theirs | Encrypt");
    near(number(&cell.measured), 5000.0);
    assert_eq!(cell.status, CellStatus::NotPrinted);
    // Without a way to call it, nothing of another library takes its place.
    let here = known(LibraryState::Tried, &["aes-256"]);
    let comparison = libraries_compared(&rows, here, &[]);
    for line in comparison.lines() {
        assert_eq!(line.status, CellStatus::PublishedOnly, "{}", line.cell);
        assert_eq!(line.measured, None);
    }
}

fn surveyed(algorithm: &str, verdict: SurveyVerdict, marks: [Mark; 3]) -> SurveyLine {
    let questions = [Question::Fits, Question::Conforms, Question::FreshIv];
    let answers = questions.into_iter().zip(marks);
    SurveyLine {
        schema: selo_engine::survey::SCHEMA.to_owned(),
        library: "theirs".to_owned(),
        library_version: "1".to_owned(),
        licence: "MIT".to_owned(),
        algorithm: algorithm.to_owned(),
        variant: "plain".to_owned(),
        board: "uno".to_owned(),
        runner: "simavr".to_owned(),
        fidelity: Fidelity::CycleExact,
        compiler: String::new(),
        commit: String::new(),
        verdict,
        why: "it needs a header that is not here".to_owned(),
        answers: answers
            .map(|(question, mark)| Answer {
                question,
                mark,
                detail: None,
            })
            .collect(),
        findings: Vec::new(),
        checks: Vec::new(),
        costs: Vec::new(),
    }
}

#[test]
fn a_survey_fills_the_table_of_libraries() {
    use Mark::{DoesNotApply, No, NotTold, Yes};
    let here = || known(LibraryState::Tried, &["aes-128"]);
    let lines = [
        surveyed(
            "aes-128",
            SurveyVerdict::NotSuitable,
            [Yes, No, DoesNotApply],
        ),
        surveyed(
            "aes-256",
            SurveyVerdict::NotTold,
            [Yes, NotTold, DoesNotApply],
        ),
        surveyed(
            "aes-128-cbc",
            SurveyVerdict::Suitable,
            [Yes, Yes, DoesNotApply],
        ),
    ];
    let words = |lines: &[SurveyLine], column: &str| {
        let comparison = libraries_compared(&[], here(), lines);
        let cell = line(&comparison, "table-1", &format!("Theirs | {column}"));
        match &cell.measured {
            Some(Figure::Words(words)) => words.clone(),
            _ => cell.status.name().to_owned(),
        }
    };
    assert_eq!(
        words(&lines, "Keys"),
        "128",
        "what was not called has no key size"
    );
    assert_eq!(words(&lines, "Fits"), "OK");
    assert_eq!(words(&lines, "Cipher"), "X");
    assert_eq!(words(&lines, "IV"), "the caller's IV");
    // What the lab could not find out is no verdict on the library.
    assert_eq!(words(&lines[1..2], "Cipher"), "published-only");
    assert_eq!(words(&lines[1..2], "Keys"), "published-only");
    assert_eq!(words(&lines[..1], "IV"), "published-only");
    let drawn = surveyed("aes-128-cbc", SurveyVerdict::Suitable, [Yes, Yes, Yes]);
    assert_eq!(words(&[drawn], "IV"), "OK");
    let fixed = surveyed("aes-128-cbc", SurveyVerdict::NotSuitable, [Yes, Yes, No]);
    assert_eq!(words(&[fixed], "IV"), "X");
}
