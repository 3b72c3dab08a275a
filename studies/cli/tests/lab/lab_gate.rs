//! `selo lab matrix`, `compare LEFT RIGHT`, `gate` and `export` as a user runs them, on one
//! small cipher.

use crate::common::{Project, TINY};
use serde_json::Value;

fn with<'a>(first: &[&'a str], rest: &[&'a str]) -> Vec<&'a str> {
    [first, &TINY, rest].concat()
}

fn lines(text: &str) -> Vec<Value> {
    let parse = |line| serde_json::from_str(line).unwrap_or_else(|_| panic!("JSON: {line}"));
    text.lines().map(parse).collect()
}

#[test]
fn a_matrix_has_a_cell_for_every_board_and_measures_once() {
    let project = Project::new();
    let start = ["lab", "matrix", "--board", "uno,native", "--operation"];
    let end = ["encrypt,decrypt", "--metric", "cycles,time,flash"];
    let (head, options) = ([&start[..], &end[..1]].concat(), &end[1..]);
    let json = with(&head, &[options, &["--json"]].concat());
    let answer = project.selo(&json);
    assert_eq!(answer.code, Some(0), "{}", answer.all());
    let cells = lines(&answer.stdout);
    let cell = |board: &str, operation: &str, metric: &str| {
        let is = |cell: &&Value| {
            cell["board"] == board && cell["operation"] == operation && cell["metric"] == metric
        };
        cells
            .iter()
            .find(is)
            .unwrap_or_else(|| panic!("{board} {operation} {metric}"))
    };
    let cycles = cell("uno", "encrypt", "cycles");
    assert_eq!(
        (&cycles["state"], &cycles["fidelity"]),
        (&"measured".into(), &"cycle-exact".into())
    );
    assert!(cycles["value"].as_f64() > Some(1000.0));
    // A PC counts no cycles, and the variant tiny does not decrypt.
    assert_eq!(cell("native", "encrypt", "cycles")["state"], "not-measured");
    assert_eq!(cell("native", "encrypt", "time")["fidelity"], "wall-clock");
    assert_eq!(cell("uno", "decrypt", "cycles")["state"], "not-offered");
    assert!(cells.len().is_multiple_of(2), "a cell for each board");

    // Measured rows are reused: the row files do not change.
    let rows = project.path().join("out/lab/uno/rows.jsonl");
    let before = std::fs::read_to_string(&rows).expect("rows");
    let text = project.selo(&with(&head, options));
    assert_eq!(text.code, Some(0), "{}", text.all());
    assert!(text.stdout.contains("cycles ="), "{}", text.stdout);
    assert!(text.stdout.contains("~ wall-clock"), "{}", text.stdout);
    assert_eq!(std::fs::read_to_string(&rows).expect("rows"), before);

    // From rows only, in the other formats.
    let of_rows = |format: &str| {
        let answer = project.selo(&["lab", "matrix", "--rows", "out/lab", format]);
        assert_eq!(answer.code, Some(0), "{}", answer.all());
        answer.stdout
    };
    assert!(of_rows("--markdown").contains("| encrypt | 16 | selo | tiny |"));
    assert!(of_rows("--csv").starts_with("algorithm,operation,bytes,metric,"));
}

#[test]
fn a_board_without_its_compiler_is_left_out_with_the_line_that_installs_it() {
    let project = Project::new();
    let uno = std::fs::read_to_string(project.path().join("lab/boards/uno.toml")).expect("the Uno");
    let other = uno
        .replace("name = \"uno\"", "name = \"other\"")
        .replace("cc = \"avr-gcc\"", "cc = \"no-such-cc\"");
    project.write("lab/boards/other.toml", &other);
    let answer = project.selo(&with(
        &["lab", "matrix", "--board", "uno,other"],
        &["--metric", "flash"],
    ));
    assert_eq!(answer.code, Some(3), "{}", answer.all());
    assert!(answer.stdout.contains("1,238 bytes") || answer.stdout.contains(" bytes ="));
    assert!(
        answer
            .stderr
            .contains("other: left out: no-such-cc is not installed"),
        "{}",
        answer.stderr
    );
    assert!(
        answer.stderr.contains("sudo apt-get install gcc-avr"),
        "{}",
        answer.stderr
    );
}

#[test]
fn a_gate_stays_shut_until_what_got_worse_is_written_down() {
    let project = Project::new();
    let gate = ["lab", "gate", "--baseline", "base.jsonl"];
    let update = with(
        &gate,
        &["--board", "uno", "--update", "--metric", "cycles,flash"],
    );
    let answer = project.selo(&update);
    assert_eq!(answer.code, Some(0), "{}", answer.all());
    assert!(answer.stderr.contains("3 new"), "{}", answer.stderr);
    let same = project.selo(&gate);
    assert_eq!(same.code, Some(0), "{}", same.all());
    assert!(same.stderr.contains("3 unchanged"), "{}", same.stderr);

    // Lower the baseline's cycles, so that the current value has regressed.
    let path = project.path().join("base.jsonl");
    let text = std::fs::read_to_string(&path).expect("the baseline");
    let lowered: String = text
        .lines()
        .map(|line| {
            let mut line: Value = serde_json::from_str(line).expect("JSON");
            if line["metric"] == "cycles" && line["operation"] == "encrypt" {
                let value = line["value"].as_f64().expect("a value");
                line["value"] = (value - 10.0).into();
            }
            format!("{line}\n")
        })
        .collect();
    std::fs::write(&path, lowered).expect("a written file");
    let worse = project.selo(&[&gate[..], &["--markdown", "sum.md"]].concat());
    assert_eq!(worse.code, Some(1), "{}", worse.all());
    assert!(worse.stdout.contains("regressed"), "{}", worse.stdout);
    let summary = std::fs::read_to_string(project.path().join("sum.md")).expect("a summary");
    assert!(
        summary.starts_with("### selo lab gate: failed\n\n1 regressed, 2 unchanged."),
        "{summary}"
    );
    // Ten cycles are within 2 %, and within 16 cycles.
    for limit in ["2%", "cycles=16 cycles"] {
        let within = project.selo(&[&gate[..], &["--max-regression", limit]].concat());
        assert_eq!(within.code, Some(0), "{}", within.all());
    }
    let wrong = project.selo(&[&gate[..], &["--max-regression", "2"]].concat());
    assert_eq!(wrong.code, Some(2), "{}", wrong.all());
    assert!(wrong.stderr.contains("hint:"), "{}", wrong.stderr);
    // A missing figure also fails the gate.
    let rows = ["--rows", "out/lab", "--metric", "ram,cycles,flash"];
    let mut missing = std::fs::read_to_string(&path).expect("the baseline");
    missing.push_str(&format!(
        "{}\n",
        text.lines()
            .nth(1)
            .expect("a figure")
            .replace("\"tiny\"", "\"gone\"")
    ));
    std::fs::write(&path, &missing).expect("a written file");
    let gone = project.selo(&[&gate[..], &rows, &["--max-regression", "9%"]].concat());
    assert_eq!(gone.code, Some(1), "{}", gone.all());
    assert!(gone.stdout.contains("missing"), "{}", gone.stdout);
    // After an update the gate passes. Other figures stay in the baseline.
    assert_eq!(project.selo(&update).code, Some(0));
    let kept = std::fs::read_to_string(&path).expect("the baseline");
    assert!(
        kept.contains("\"gone\""),
        "what was not selected stays: {kept}"
    );

    let none = project.selo(&["lab", "gate", "--baseline", "nothing.jsonl"]);
    assert_eq!(none.code, Some(2), "{}", none.all());
    assert!(none.stderr.contains("--update"), "{}", none.stderr);
}

#[test]
fn two_are_compared_with_what_their_ratio_is_worth() {
    let project = Project::new();
    for board in ["uno", "native"] {
        let run = with(
            &["lab", "run", "--board", board],
            &["--operation", "encrypt"],
        );
        let answer = project.selo(&run);
        assert_eq!(answer.code, Some(0), "{}", answer.all());
    }
    let answer = project.selo(&[
        "lab",
        "compare",
        "uno:selo:aes-128:tiny",
        "native:selo:aes-128",
        "--json",
    ]);
    assert_eq!(answer.code, Some(0), "{}", answer.all());
    let found = lines(&answer.stdout);
    let line = |metric: &str| {
        let is = |line: &&Value| line["metric"] == metric;
        found
            .iter()
            .find(is)
            .unwrap_or_else(|| panic!("no {metric}"))
    };
    let time = line("time");
    assert_eq!(time["note"], "cycle-exact over wall-clock");
    assert!(time["ratio"]["value"].as_f64() > Some(1.0), "{time}");
    let flash = line("flash");
    assert_eq!(flash["ratio"]["low"], flash["ratio"]["high"]);
    assert!(line("cycles")["ratio"].is_null());

    let by_flags = project.selo(&[
        "lab",
        "compare",
        "--left",
        "board=uno,library=selo,algorithm=aes-128",
        "--right",
        "board=uno,library=selo,algorithm=aes-128,variant=tiny",
    ]);
    assert_eq!(by_flags.code, Some(0), "{}", by_flags.all());
    assert!(by_flags.stdout.contains("exact"), "{}", by_flags.stdout);

    let missing = project.selo(&["lab", "compare", "uno:selo:sha-256", "uno:selo:aes-128"]);
    assert_eq!(missing.code, Some(3), "{}", missing.all());
    assert!(
        missing
            .stderr
            .contains("selo lab run --board uno --library selo --algorithm sha-256")
    );
    let unknown = project.selo(&["lab", "compare", "uno:sello:aes-128", "uno:selo:aes-128"]);
    assert_eq!(unknown.code, Some(2), "{}", unknown.all());
    let bad = project.selo(&["lab", "compare", "uno", "native"]);
    assert_eq!(bad.code, Some(2), "{}", bad.all());

    // The same rows in the formats of dashboards.
    for format in ["github-action-benchmark", "bencher"] {
        let answer = project.selo(&[
            "lab",
            "export",
            "--format",
            format,
            "--metric",
            "cycles,time",
        ]);
        assert_eq!(answer.code, Some(0), "{}", answer.all());
        let value: Value = serde_json::from_str(&answer.stdout).expect("JSON");
        assert!(value.is_array() == (format == "github-action-benchmark"));
    }
    for format in ["csv", "jsonl"] {
        let answer = project.selo(&["lab", "export", "--format", format, "--board", "uno"]);
        assert_eq!(answer.code, Some(0), "{}", answer.all());
        assert!(answer.stdout.lines().count() > 3);
    }
    let none = project.selo(&["lab", "export", "--format", "csv", "--algorithm", "sha-256"]);
    assert_eq!(none.code, Some(3), "{}", none.all());
}

#[test]
#[ignore = "takes long: make test-all runs it"]
fn a_sweep_keeps_each_combination_and_marks_the_best() {
    let project = Project::new();
    let run = with(
        &[
            "lab", "run", "--board", "native", "--flags", "-O1;-O3", "--metric", "flash",
        ],
        &[],
    );
    let answer = project.selo(&run);
    assert_eq!(answer.code, Some(0), "{}", answer.all());
    assert!(answer.stdout.contains("cc -O1") && answer.stdout.contains("cc -O3"));
    assert!(answer.stdout.contains(" bytes *"), "{}", answer.stdout);
    let path = project.path().join("out/sweep/native/rows.jsonl");
    let kept = std::fs::read_to_string(&path).expect("rows of the sweep");
    let rows = lines(&kept);
    for flag in ["-O1", "-O3"] {
        let of_flag = |row: &&Value| row["sweep"] == format!("cc {flag}");
        let row = rows.iter().find(of_flag).expect("a row of each");
        let flags = row["flags"].as_str().expect("flags");
        assert!(flags.ends_with(flag), "{flags}");
        // The options replace the library's own.
        assert_eq!(flags.matches("-O").count(), 1, "{flags}");
    }
    // A second run adds nothing.
    assert_eq!(project.selo(&run).code, Some(0));
    assert_eq!(std::fs::read_to_string(&path).expect("rows"), kept);
    // No report mixes them with the library's own rows.
    assert!(!project.path().join("out/lab/native/rows.jsonl").exists());
    let missing = project.selo(&with(
        &[
            "lab",
            "run",
            "--board",
            "native",
            "--compilers",
            "no-such-cc",
            "--metric",
            "flash",
        ],
        &[],
    ));
    assert_eq!(missing.code, Some(3), "{}", missing.all());
    assert!(
        missing.stderr.contains("no-such-cc is not installed"),
        "{}",
        missing.stderr
    );
}
