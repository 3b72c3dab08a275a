//! `selo lab --port` as a user runs it: a board behind a pseudo-terminal is found, flashed and
//! measured. Known rows are not measured again.

#[allow(dead_code)]
use crate::common::{Project, TINY};
use crate::pty_board::{Faults, PtyBoard};
use serde_json::Value;

/// A project whose Uno is flashed by a substitute for avrdude, and that board.
fn bench() -> (Project, PtyBoard) {
    let project = Project::new();
    let lab = selo_engine::project::Project::load(&crate::common::root()).expect("the data files");
    let uno = lab.board("uno").expect("the Uno");
    let board = PtyBoard::new(&crate::common::root(), uno, Faults::default());
    let path = project.path().join("lab/boards/uno.toml");
    let text = std::fs::read_to_string(&path).expect("the Uno's file");
    let lines = text.lines().map(|line| match line.split(' ').next() {
        Some("flash") if line.contains("avrdude") => format!("flash = {:?}", board.flash()),
        Some("boot_seconds") => "boot_seconds = 0.1".into(),
        _ => line.to_owned(),
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    assert!(text.contains("flash.sh"));
    project.write("lab/boards/uno.toml", &text);
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

    // The simulator gives the same rows, stored elsewhere.
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

    // A known row causes neither flashing nor measurement.
    let flashed = board.seen().flashed;
    let again = project.selo(&run(&port, &[]));
    assert_eq!(again.code, Some(0), "{}", again.all());
    assert_eq!(board.seen().flashed, flashed);
    assert_eq!(std::fs::read_to_string(&file).expect("rows"), rows);
}

/// The Uno with Arduino's core and tools, in the same way as the ESP32 uses Espressif's.
const SKETCH: &str = r#"
name = "uno-sketch"
title = "Arduino Uno, by its core"
mcu = "atmega328p"
clock_hz = 16_000_000
port = "arduino"
runner = "serial"
fidelity = "wall-clock"

[memory]
flash = 32_256
ram = 2_048

[toolchain]
cc = "avr-gcc"

[toolchain.sketch]
compile = ["COMPILE", "{sketch}", "{build}", "{flags}"]
image = "agent.ino.elf"

[agent]
io_bytes = 304

[serial]
baud = 115_200
fidelity = "wall-clock"
flash = FLASH
boot_seconds = 0.1
"#;

#[test]
fn a_board_that_a_core_is_there_for_is_measured_by_a_sketch() {
    let (project, board) = bench();
    let compile = crate::common::root().join("tests/arduino/compile-agent.sh");
    let text = SKETCH
        .replace("COMPILE", &compile.display().to_string())
        .replace("FLASH", &format!("{:?}", board.flash()));
    project.write("lab/boards/uno-sketch.toml", &text);
    let port = board.port().display().to_string();
    let with = |command: &'static str, rest: &[&str]| {
        let arguments = ["lab", command, "--board", "uno-sketch", "--port", &port];
        project.selo(&[&arguments[..], &TINY, rest].concat())
    };

    let answer = with("run", &["--json"]);
    assert_eq!(answer.code, Some(0), "{}", answer.all());
    let rows = answer.lines();
    let find = |operation: &str, metric: &str| {
        let wanted = |row: &&Value| row["operation"] == operation && row["metric"] == metric;
        let row = rows.iter().find(wanted);
        row.unwrap_or_else(|| panic!("{operation} {metric}: {rows:?}"))
    };
    let encrypt = find("encrypt", "time");
    assert_eq!(
        (&encrypt["status"], &encrypt["fidelity"]),
        (&"ok".into(), &"wall-clock".into())
    );
    // The sketch takes the same time as the lab's own image with the same code and compiler, except
    // for the core's interrupts and a clock with steps of 4 us.
    let seconds = encrypt["value"].as_f64().expect("a number");
    let own = [&["lab", "run", "--board", "uno", "--json"][..], &TINY].concat();
    let own = project.selo(&own).lines();
    let own = own
        .iter()
        .find(|row| row["operation"] == "encrypt" && row["metric"] == "time")
        .and_then(|row| row["value"].as_f64())
        .expect("a row");
    assert!((seconds / own - 1.0).abs() < 0.05, "{seconds} and {own}");
    // Its flash is the difference from an empty sketch.
    let flash = find("encrypt", "flash")["value"]
        .as_f64()
        .expect("a number");
    assert!((100.0..4000.0).contains(&flash), "{flash}");

    let answer = with("check", &["--budget", "5", "--secrets", "100"]);
    assert_eq!(answer.code, Some(0), "{}", answer.all());
    assert!(answer.all().contains("fips197"), "{}", answer.all());

    // Built once, as every image is.
    let flashed = board.seen().flashed;
    assert_eq!(with("run", &[]).code, Some(0));
    assert_eq!(board.seen().flashed, flashed);
}

#[test]
fn tools_that_make_something_else_are_told() {
    let (project, board) = bench();
    let text = SKETCH
        .replace("\"COMPILE\"", "\"true\"")
        .replace("FLASH", &format!("{:?}", board.flash()));
    project.write("lab/boards/uno-sketch.toml", &text);
    let port = board.port().display().to_string();
    let run = ["lab", "run", "--board", "uno-sketch", "--port", &port];
    for _ in 0..2 {
        let answer = project.selo(&[&run[..], &TINY].concat());
        assert_eq!(answer.code, Some(1), "{}", answer.all());
        let said = "does not build: error: the command did not create {build}/agent.ino.elf";
        assert!(answer.all().contains(said), "{}", answer.all());
    }
    assert_eq!(board.seen().flashed, 0);
}

#[test]
fn tools_that_are_not_there_are_named_with_a_way_to_get_them() {
    let project = Project::new();
    let answer = project.selo(&["lab", "run", "--board", "esp32", "--port", "/dev/null"]);
    assert_eq!(answer.code, Some(3), "{}", answer.all());
    for words in ["arduino-cli", "ESP32-DevKitC", "core install esp32:esp32"] {
        assert!(answer.stderr.contains(words), "{}", answer.all());
    }
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
