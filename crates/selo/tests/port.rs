//! `selo lab --port` as a user runs it: a board behind a pseudo-terminal, found, flashed,
//! measured, and asked again for nothing that is known.

mod common;
#[allow(dead_code)]
#[path = "../../lab/tests/pty_board/mod.rs"]
mod pty_board;

use common::{Project, TINY};
use pty_board::{Faults, PtyBoard};
use serde_json::Value;

/// A project whose Uno is flashed by what stands in for avrdude, and that board.
fn bench() -> (Project, PtyBoard) {
    let project = Project::new();
    let lab = selo_lab::project::Project::load(&common::root()).expect("the data files");
    let uno = lab.board("uno").expect("the Uno");
    let board = PtyBoard::new(&common::root(), uno, Faults::default());
    let path = project.path().join("boards/uno.toml");
    let text = std::fs::read_to_string(&path).expect("the Uno's file");
    let lines = text.lines().map(|line| match line.split(' ').next() {
        Some("flash") if line.contains("avrdude") => format!("flash = {:?}", board.flash()),
        Some("boot_seconds") => "boot_seconds = 0.1".into(),
        _ => line.to_owned(),
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    assert!(text.contains("flash.sh"));
    project.write("boards/uno.toml", &text);
    (project, board)
}

fn run<'a>(port: &'a str, rest: &[&'a str]) -> Vec<&'a str> {
    let start = ["lab", "run", "--board", "uno", "--port", port];
    [&start[..], &TINY, rest].concat()
}

#[test]
fn a_board_on_a_port_is_measured_once() {
    let (project, board) = bench();
    let port = board.port().display().to_string();
    let answer = project.selo(&run(&port, &[]));
    assert_eq!(answer.code, Some(0), "{}", answer.all());
    let file = project.path().join("out/serial/uno/rows.jsonl");
    let rows = std::fs::read_to_string(&file).expect("rows");
    let row = |line: &str| serde_json::from_str::<Value>(line).expect("JSON");
    let cycles = rows
        .lines()
        .map(row)
        .find(|row| row["metric"] == "cycles" && row["operation"] == "encrypt")
        .expect("a row");
    assert_eq!(cycles["runner"], "serial");
    assert_eq!(cycles["fidelity"], "cycle-exact");

    // The simulator says the same, and its rows are elsewhere.
    let simulated = [&["lab", "run", "--board", "uno"][..], &TINY].concat();
    assert_eq!(project.selo(&simulated).code, Some(0));
    let other = std::fs::read_to_string(project.path().join("out/lab/uno/rows.jsonl"));
    let other = other
        .expect("rows")
        .lines()
        .map(row)
        .find(|row| row["metric"] == "cycles" && row["operation"] == "encrypt")
        .expect("a row");
    assert_eq!(cycles["value"], other["value"]);

    // What is known is neither flashed nor measured again.
    let flashed = board.seen().flashed;
    let again = project.selo(&run(&port, &[]));
    assert_eq!(again.code, Some(0), "{}", again.all());
    assert_eq!(board.seen().flashed, flashed);
    assert_eq!(std::fs::read_to_string(&file).expect("rows"), rows);
}

#[test]
fn a_port_that_is_not_there_is_named() {
    let (project, board) = bench();
    let answer = project.selo(&run("/nowhere/ttyACM0", &["--wait", "1s"]));
    assert_ne!(answer.code, Some(0));
    assert!(
        answer.stderr.contains("/nowhere/ttyACM0"),
        "{}",
        answer.all()
    );
    assert!(answer.stderr.contains("hint:"), "{}", answer.all());
    assert_eq!(board.seen().flashed, 0);
    let rows = std::fs::read_to_string(project.path().join("out/serial/uno/rows.jsonl"));
    assert_eq!(rows.unwrap_or_default(), "");
}
