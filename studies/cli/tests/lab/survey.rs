//! `selo lab survey` and `new-library`: they find and name the classic faults, pass a correct
//! library, and give a clear answer for any content of a folder.

use crate::common::{Answer, Project};
use serde_json::Value;

mod classes;
mod folders;
mod hashes;
pub mod kem;
mod sealing;

/// The lines of a survey. The budget is small, because the first vectors reveal each fault.
pub fn survey(project: &Project, library: &str, more: &[&str]) -> (Answer, Vec<Value>) {
    let mut arguments = vec![
        "lab",
        "survey",
        library,
        "--json",
        "--budget",
        "10",
        "--secrets",
        "100",
    ];
    arguments.extend(more);
    let answer = project.selo(&arguments);
    let lines = answer.lines();
    assert!(!lines.is_empty(), "{}", answer.all());
    (answer, lines)
}

pub fn finding<'a>(line: &'a Value, id: &str) -> &'a Value {
    let all = line["findings"].as_array().expect("findings");
    all.iter()
        .find(|finding| finding["id"] == id)
        .unwrap_or_else(|| panic!("no {id} in {line:#}"))
}

pub fn mark<'a>(line: &'a Value, question: &str) -> &'a str {
    let all = line["answers"].as_array().expect("answers");
    let answer = all.iter().find(|answer| answer["question"] == question);
    answer
        .and_then(|answer| answer["mark"].as_str())
        .expect("a mark")
}

fn evidence<'a>(finding: &'a Value, name: &str) -> Vec<&'a str> {
    let all = finding["evidence"].as_array().expect("evidence").iter();
    all.filter(|one| one["name"] == name)
        .filter_map(|one| one["value"].as_str())
        .collect()
}

#[test]
fn a_wrong_key_schedule_is_named_with_its_vector() {
    let project = Project::new();
    let (answer, lines) = survey(
        &project,
        "test-wrong-key-schedule",
        &["--board", "uno,native"],
    );
    assert_eq!(answer.code, Some(1), "{}", answer.all());
    assert_eq!(lines.len(), 2);
    for line in &lines {
        assert_eq!(line["verdict"], "not-suitable");
        assert_eq!(mark(line, "conforms"), "no");
        let named = finding(line, "wrong-key-schedule");
        assert!(
            named["title"]
                .as_str()
                .expect("a title")
                .contains("256-bit"),
            "{named}"
        );
        assert_eq!(named["citation"], "FIPS 197 (2001), 5.2");
        let wrong = finding(line, "wrong-output");
        let vector = wrong["vector"].as_str().expect("a vector");
        assert!(vector.starts_with("fips197: "), "{vector}");
        // [FIPS197, appendix C.3]
        assert_eq!(
            evidence(wrong, "expected"),
            ["8ea2b7ca516745bfeafc49904b496089"]
        );
        assert_ne!(evidence(wrong, "got"), evidence(wrong, "expected"));
        assert!(line["costs"].as_array().expect("costs").is_empty());
    }
}

#[test]
fn each_wrong_iv_has_its_name() {
    let project = Project::new();
    let (answer, lines) = survey(&project, "test-fixed-iv", &["--board", "native"]);
    assert_eq!(answer.code, Some(1), "{}", answer.all());
    for (variant, id) in [
        ("fixed", "fixed-iv"),
        ("zero", "zero-iv"),
        ("counter", "counter-iv"),
        ("chained", "chained-iv"),
        ("unseeded", "repeated-iv"),
        ("half", "partly-fixed-iv"),
    ] {
        let line = lines
            .iter()
            .find(|line| line["variant"] == variant)
            .expect("a line");
        let finding = finding(line, id);
        assert_eq!(finding["citation"], "NIST SP 800-38A (2001), appendix C");
        assert!(evidence(finding, "IV").len() >= 2, "{finding}");
        assert_eq!(mark(line, "fresh-iv"), "no");
        assert_eq!(line["verdict"], "not-suitable");
    }
}

#[test]
fn ecb_called_cbc_is_named_on_the_uno() {
    let project = Project::new();
    let (answer, lines) = survey(&project, "test-ecb-called-cbc", &["--board", "uno"]);
    assert_eq!(answer.code, Some(1), "{}", answer.all());
    let named = finding(&lines[0], "ecb-called-cbc");
    let shown = evidence(named, "ciphertext")[0];
    assert_eq!(shown[..32], shown[32..64], "equal blocks show");
    assert!(finding(&lines[0], "wrong-output")["vector"].is_string());
}

#[test]
fn a_right_library_passes_with_its_costs() {
    let project = Project::new();
    let more = [
        "--board",
        "uno",
        "--algorithm",
        "aes-128-cbc",
        "--variant",
        "fast",
    ];
    let (answer, lines) = survey(&project, "selo", &more);
    assert_eq!(answer.code, Some(0), "{}", answer.all());
    let line = &lines[0];
    assert_eq!(line["verdict"], "suitable", "{line:#}");
    for question in ["builds", "fits", "conforms", "fresh-iv", "constant-time"] {
        assert_eq!(mark(line, question), "yes", "{question}");
    }
    let costs = line["costs"].as_array().expect("costs");
    for operation in ["encrypt", "decrypt", "both"] {
        let flash = costs
            .iter()
            .find(|cost| cost["operation"] == operation && cost["metric"] == "flash");
        assert!(
            flash.is_some_and(|cost| cost["value"].as_f64() > Some(100.0)),
            "{operation}"
        );
    }
    assert!(costs.iter().any(|cost| cost["metric"] == "cycles"));
}

#[test]
fn too_large_and_crashing_libraries_are_not_suitable_and_say_why() {
    let project = Project::new();
    let (answer, lines) = survey(&project, "test-too-large", &["--board", "uno"]);
    assert_eq!(answer.code, Some(1));
    assert!(lines.iter().any(|line| {
        mark(line, "fits") == "no" && line["why"].as_str().is_some_and(|why| why.contains("fit"))
    }));
    let text = finding(&lines[0], "does-not-fit")["text"].to_string();
    assert!(text.contains("over; largest:"), "{text}");
}

#[test]
fn the_report_has_the_verdict_and_the_fault() {
    let project = Project::new();
    let arguments = [
        "lab",
        "survey",
        "test-ecb-called-cbc",
        "--board",
        "native",
        "--budget",
        "10",
        "--out",
        "told",
    ];
    let answer = project.selo(&arguments);
    assert_eq!(answer.code, Some(1), "{}", answer.all());
    for (file, words) in [
        ("told/survey.html", "<!DOCTYPE html>"),
        ("told/survey.md", "# ECB called CBC on purpose"),
        ("told/survey.jsonl", "selo.survey/2"),
    ] {
        let text = std::fs::read_to_string(project.path().join(file)).expect("a file");
        assert!(text.contains(words), "{file}");
        assert!(text.contains("This CBC is really ECB"), "{file}");
    }
    assert!(answer.stdout.contains("FAULT") && answer.stdout.contains("found by"));
}

/// Surveys `folder`. Its lines must be for exactly these algorithms, and their mark `conforms` must
/// be `expected`.
#[track_caller]
fn conforms(project: &Project, folder: &str, algorithms: &[&str], expected: &str) {
    let (answer, lines) = survey(project, folder, &["--board", "native"]);
    let mut of: Vec<&str> = lines
        .iter()
        .filter_map(|line| line["algorithm"].as_str())
        .collect();
    of.sort_unstable();
    assert_eq!(of, algorithms, "{}", answer.all());
    for line in &lines {
        assert_eq!(mark(line, "builds"), "yes", "{line:#}");
        assert_eq!(mark(line, "conforms"), expected, "{line:#}");
    }
}
