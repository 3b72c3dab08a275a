//! `selo attack` from end to end: the command shows that the promises of docs/protocol.md hold.

use crate::gateway_support::{Answer, Site};
use serde_json::Value;

/// The node's message. An attacker who reads it has broken secrecy.
const MESSAGE: &str = "rain  87.5 mm/h";

fn attack(arguments: &[&str]) -> Answer {
    Site::new().selo(&[&["attack"], arguments].concat())
}

/// The rows of the table for a target, without the notes.
fn rows<'a>(answer: &'a Answer, against: &str) -> Vec<&'a str> {
    let table = answer.stdout.lines();
    table
        .filter(|line| line.starts_with(against) && !line.contains(": broken by"))
        .collect()
}

#[test]
fn classic_falls_and_what_is_authenticated_stands() {
    let answer = attack(&["--against", "link"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    for (against, attacks, outcome) in [
        ("classic", 6, "BROKEN"),
        ("pair", 7, "refused"),
        ("join", 7, "refused"),
    ] {
        let rows = rows(&answer, against);
        assert_eq!(rows.len(), attacks, "{}", answer.stdout);
        for row in rows {
            let last = row.split_whitespace().rev().nth(1);
            assert_eq!(last, Some(outcome), "{row}");
        }
        let broken = if against == "classic" { attacks } else { 0 };
        let summary = format!("{against}: broken by {broken} of {attacks} attacks.");
        assert!(answer.stdout.contains(&summary), "{}", answer.stdout);
    }
    // The table shows the proof: the message of the node, and the message delivered in its place.
    let read = format!("read '2026-11-20 06:00{MESSAGE}', delivered '2026-11-20 06:00rain   0.0");
    assert!(answer.stdout.contains(&read), "{}", answer.stdout);
}

#[test]
fn every_line_of_json_is_an_attack_that_ended_as_promised() {
    let answer = attack(&[
        "--suite",
        "all",
        "--attack",
        "mitm,replay,reflect",
        "--json",
    ]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let mut readable = 0;
    let mut suites = std::collections::HashSet::new();
    for line in answer.stdout.lines() {
        let value: Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(value["schema"], "selo.attack/1");
        let classic = value["against"] == "classic";
        let expected = if classic { "broken" } else { "refused" };
        assert_eq!(value["verdict"], expected, "{line}");
        assert_eq!(value["promised"], expected, "{line}");
        let evidence = value["evidence"].as_array().expect("a list");
        assert!(evidence.iter().all(|figure| figure["value"].is_number()));
        if line.contains(MESSAGE) {
            assert!(classic, "{line}");
            readable += 1;
        }
        suites.insert(value["suite"].as_str().map(str::to_owned));
    }
    // Classic appears once, since it has no suites; pair, hybrid and join appear with each of the
    // four suites.
    assert_eq!(answer.stdout.lines().count(), 3 + 3 * 3 * 4);
    assert_eq!((readable, suites.len()), (3, 5), "{}", answer.stdout);
}

#[test]
fn verbose_gives_the_figures() {
    let answer = attack(&["--against", "join", "--attack", "flood", "--verbose"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert!(
        answer
            .stdout
            .contains("scalar multiplications for strangers 0;"),
        "{}",
        answer.stdout
    );
}

#[test]
fn what_is_no_attack_is_refused() {
    for wrong in [
        &["--against", "classic", "--attack", "downgrade"][..],
        &["--against", "192.0.2.1"],
        &["--suite", "none"],
        &["--attack", "no-such-attack"],
        &["--against", "broker", "--attack", "mitm"],
    ] {
        let answer = attack(wrong);
        assert_eq!(answer.code, Some(2), "{answer:?}");
        assert_eq!(answer.stdout, "", "{answer:?}");
        let teaches = ["--help", "--list"]
            .iter()
            .any(|word| answer.stderr.contains(word));
        assert!(teaches, "{answer:?}");
    }
}

#[test]
fn the_list_names_the_attacks_on_link_and_services() {
    let answer = attack(&["--list"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    for line in [
        "join\tflood",
        "broker\tidle-handshake\t",
        "site\tfull-disk\t",
    ] {
        assert!(answer.stdout.contains(line), "{}", answer.stdout);
    }
}

#[test]
fn a_service_under_attack_is_started_and_its_figures_are_told() {
    let answer = attack(&["--against", "broker", "--attack", "not-mqtt", "--json"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let outcome: Value = serde_json::from_str(&answer.stdout).expect("one line of JSON");
    assert_eq!(outcome["verdict"], "held", "{outcome}");
    let evidence = outcome["evidence"].as_array().expect("a list");
    let peak =
        (evidence.iter()).find(|figure| figure["what"] == "peak memory of the broker, bytes");
    let peak = peak.and_then(|figure| figure["value"].as_f64());
    assert!(peak.is_some_and(|bytes| bytes > 1e6), "{outcome}");
    let shows = outcome["shows"].as_str().expect("words");
    assert!(
        shows.contains("newcomer") && shows.contains("publisher"),
        "{shows}"
    );
}
