//! Bad input gets a clear error and the documented exit code, and no data is lost.

use crate::common::{Answer, Project};

/// A run that is short enough to repeat.
const QUICK: [&str; 10] = [
    "lab",
    "run",
    "--board",
    "uno",
    "--algorithm",
    "aes-128",
    "--variant",
    "tiny",
    "--metric",
    "cycles,flash",
];

#[test]
fn an_unknown_name_suggests_the_nearest() {
    let project = Project::new();
    for (arguments, words) in [
        (
            ["lab", "run", "--board", "unno"].as_slice(),
            "did you mean 'uno'",
        ),
        (
            &["lab", "run", "--board", "uno", "--algorithm", "aes128"],
            "did you mean 'aes-128'",
        ),
        (
            &["lab", "run", "--board", "uno", "--library", "sello"],
            "did you mean 'selo'",
        ),
        (
            &["lab", "run", "--board", "uno", "--variant", "smal"],
            "did you mean 'small'",
        ),
        (
            &["lab", "run", "--board", "uno", "--operation", "encript"],
            "did you mean 'encrypt'",
        ),
        (
            &["lab", "run", "--board", "uno", "--runner", "simavrr"],
            "did you mean 'simavr'",
        ),
        (
            &["lab", "run", "--board", "uno", "--power", "nothing-like-it"],
            "unknown power profile",
        ),
    ] {
        let answer = project.selo(arguments);
        assert_eq!(answer.code, Some(2), "{arguments:?}: {}", answer.all());
        assert!(
            answer.stderr.contains(words),
            "{arguments:?}: {}",
            answer.all()
        );
        assert!(answer.stdout.is_empty());
    }
}

#[test]
fn broken_toml_points_at_the_line() {
    let project = Project::new();
    let text =
        std::fs::read_to_string(project.path().join("lab/boards/uno.toml")).expect("a board");
    project.write(
        "lab/boards/uno.toml",
        &text.replace("clock_hz = 16_000_000", "clock_hz = sixteen"),
    );
    let answer = project.selo(&QUICK);
    assert_eq!(answer.code, Some(2), "{}", answer.all());
    assert!(
        answer.stderr.contains("lab/boards/uno.toml"),
        "{}",
        answer.all()
    );
    assert!(
        answer.stderr.contains("line ") && answer.stderr.contains("sixteen"),
        "{}",
        answer.all()
    );
}

#[test]
fn an_unknown_key_is_no_typing_mistake_that_passes() {
    let project = Project::new();
    project.append("lab/libraries/selo/library.toml", "\noperatons = []\n");
    let answer = project.selo(&QUICK);
    assert_eq!(answer.code, Some(2));
    assert!(answer.stderr.contains("operatons"), "{}", answer.all());
}

#[test]
fn a_missing_compiler_names_its_package() {
    let project = Project::new();
    let text =
        std::fs::read_to_string(project.path().join("lab/boards/uno.toml")).expect("a board");
    project.write(
        "lab/boards/uno.toml",
        &text.replace("cc = \"avr-gcc\"", "cc = \"no-such-avr-gcc\""),
    );
    let answer = project.selo(&QUICK);
    assert_eq!(answer.code, Some(3), "{}", answer.all());
    assert!(
        answer.stderr.contains("no-such-avr-gcc is not installed"),
        "{}",
        answer.all()
    );
    assert!(
        answer.stderr.contains("apt-get install gcc-avr"),
        "{}",
        answer.all()
    );
    let doctor = project.selo(&["lab", "doctor"]);
    assert_eq!(doctor.code, Some(3));
    assert!(
        doctor.stdout.contains("MISSING  no-such-avr-gcc"),
        "{}",
        doctor.all()
    );
}

#[test]
fn a_library_that_does_not_compile_is_a_row() {
    let project = Project::new();
    project.append("lab/libraries/test-wrong/glue.c", "\nthis is not C\n");
    let answer = project.selo(&[
        "lab",
        "run",
        "--board",
        "uno",
        "--library",
        "test-wrong",
        "--algorithm",
        "aes-128",
        "--json",
    ]);
    assert_eq!(answer.code, Some(1), "{}", answer.all());
    for row in answer.lines() {
        assert_eq!(row["status"], "failed", "{row}");
        assert!(row["cause"]["kind"] == "does-not-build", "{row}");
    }
}

/// Replaces the simulator's runner with a script.
fn replace_runner(project: &Project, script: &str) {
    let target = project.path().join("target");
    if target.is_symlink() {
        std::fs::remove_file(&target).expect("the link");
    }
    project.write("target/sims/selo-simavr", &format!("#!/bin/sh\n{script}\n"));
    let runner = target.join("sims/selo-simavr");
    let mut mode = std::fs::metadata(&runner)
        .expect("the runner")
        .permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut mode, 0o755);
    std::fs::set_permissions(&runner, mode).expect("made executable");
}

#[test]
fn what_is_known_is_not_measured_again() {
    let project = Project::new();
    // The run includes energies, which depend on the power figures and must agree to the last bit
    // but one.
    let run = [
        "lab",
        "run",
        "--board",
        "uno",
        "--algorithm",
        "aes-256,sha-256",
        "--json",
    ];
    let first = project.selo(&run);
    assert_eq!(first.code, Some(0), "{}", first.all());
    // From here on no measurement succeeds.
    replace_runner(&project, "exit 9");
    let again = project.selo(&run);
    assert_eq!(again.code, Some(0), "{}", again.all());
    assert_eq!(first.stdout, again.stdout);
    // Other power figures give another energy. It is derived from the measured rows.
    let board =
        std::fs::read_to_string(project.path().join("lab/boards/uno.toml")).expect("a board");
    project.write(
        "lab/boards/uno.toml",
        &board.replace("active_milliamps = 1.0", "active_milliamps = 2.0"),
    );
    let other = project.selo(&run);
    assert_eq!(other.code, Some(0), "{}", other.all());
    let energies = |answer: &Answer| -> Vec<f64> {
        let rows = answer.stdout.lines();
        rows.map(|line| serde_json::from_str::<serde_json::Value>(line).expect("a row"))
            .filter(|row| row["metric"] == "energy")
            .map(|row| row["value"].as_f64().expect("a value"))
            .collect()
    };
    let (before, after) = (energies(&first), energies(&other));
    assert!(!before.is_empty(), "{}", first.stdout);
    assert_eq!(before.len(), after.len());
    for (before, after) in before.iter().zip(&after) {
        assert!(after > before, "{before} J became {after} J");
    }
}

#[test]
fn a_simulator_that_dies_keeps_earlier_rows() {
    let project = Project::new();
    assert_eq!(project.selo(&QUICK).code, Some(0));
    let rows = project.path().join("out/lab/uno/rows.jsonl");
    let before = std::fs::read_to_string(&rows).expect("rows");

    // The same images, but with a runner that prints something else and ends.
    replace_runner(&project, "echo ready\necho recv zz");
    let other = [
        "lab",
        "run",
        "--board",
        "uno",
        "--algorithm",
        "aes-256",
        "--variant",
        "tiny",
    ];
    let answer = project.selo(&other);
    assert_eq!(answer.code, Some(4), "{}", answer.all());
    assert!(answer.stderr.contains("runner simavr"), "{}", answer.all());

    replace_runner(&project, "echo last words >&2\nexit 9");
    let answer = project.selo(&other);
    assert_eq!(answer.code, Some(4), "{}", answer.all());
    assert!(answer.stderr.contains("last words"), "{}", answer.all());
    assert!(
        std::fs::read_to_string(&rows)
            .expect("rows")
            .starts_with(&before)
    );
}

#[test]
fn a_full_disk_is_said_and_earlier_rows_stay() {
    let project = Project::new();
    let folder = project.path().join("full");
    std::fs::create_dir(&folder).expect("a folder");
    std::os::unix::fs::symlink("/dev/full", folder.join("rows.jsonl")).expect("a link");
    let mut arguments = QUICK.to_vec();
    arguments.extend(["--out", "full"]);
    let answer = project.selo(&arguments);
    assert_eq!(answer.code, Some(4), "{}", answer.all());
    assert!(
        answer.stderr.contains("cannot write full/rows.jsonl"),
        "{}",
        answer.all()
    );
    assert!(
        answer.stderr.contains("hint: free some space"),
        "{}",
        answer.all()
    );
}

#[test]
fn an_interrupted_run_continues() {
    let project = Project::new();
    // An interrupted run leaves whole rows, then half of one.
    assert_eq!(project.selo(&QUICK).code, Some(0));
    let path = project.path().join("out/lab/uno/rows.jsonl");
    let whole = std::fs::read_to_string(&path).expect("rows");
    std::fs::write(&path, format!("{whole}{{\"schema\":\"selo.mea")).expect("cut");
    let answer = project.selo(&QUICK);
    assert_eq!(answer.code, Some(0), "{}", answer.all());
    assert_eq!(
        std::fs::read_to_string(&path).expect("rows"),
        whole,
        "nothing new, nothing lost"
    );

    // An invalid line in the middle of the file is an error.
    std::fs::write(&path, format!("not a row\n{whole}")).expect("broken");
    let answer = project.selo(&QUICK);
    assert!(
        answer
            .stderr
            .contains("rows.jsonl:1: not a measurement row"),
        "{}",
        answer.all()
    );
    assert_eq!(
        project.selo(&[&QUICK[..], &["--fresh"]].concat()).code,
        Some(0)
    );
}

#[test]
fn ctrl_c_keeps_rows_and_says_how_to_go_on() {
    let project = Project::new();
    let mut child = project
        .command(&[
            "lab",
            "run",
            "--board",
            "uno",
            "--library",
            "selo",
            "--jobs",
            "1",
            "--json",
        ])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the command runs");
    // The first row has arrived, so the run is in progress.
    let mut stdout = std::io::BufReader::new(child.stdout.take().expect("a pipe"));
    let mut line = String::new();
    std::io::BufRead::read_line(&mut stdout, &mut line).expect("a row");
    let interrupt = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .expect("kill runs");
    assert!(interrupt.success());
    let mut rest = String::new();
    std::io::Read::read_to_string(&mut stdout, &mut rest).expect("the other rows");
    let answer = crate::common::Answer::of(child.wait_with_output().expect("an end"));
    assert_eq!(answer.code, Some(130), "{}", answer.all());
    assert!(
        answer.stderr.contains("continues where it stopped"),
        "{}",
        answer.all()
    );
    let kept =
        std::fs::read_to_string(project.path().join("out/lab/uno/rows.jsonl")).expect("rows");
    assert!(
        kept.contains(line.trim()),
        "the rows printed are the rows kept"
    );
    assert!(kept.ends_with('\n'));
}

#[test]
fn a_binary_file_in_place_of_rows_is_said() {
    let project = Project::new();
    std::fs::write(project.path().join("photo.jpg"), [0xff, 0xd8, 0xff]).expect("a file");
    let answer = project.selo(&["lab", "report", "--rows", "photo.jpg", "--out", "page.html"]);
    assert_eq!(answer.code, Some(4), "{}", answer.all());
    assert!(
        answer.stderr.contains("photo.jpg is not a text file"),
        "{}",
        answer.all()
    );
}

#[test]
fn outside_a_project_it_says_so() {
    let elsewhere = tempfile::tempdir().expect("a folder");
    let output = std::process::Command::new(crate::common::program("selo"))
        .args(["lab", "list", "boards"])
        .env_remove("SELO_PROJECT")
        .current_dir(elsewhere.path())
        .output()
        .expect("the command runs");
    let answer = crate::common::Answer::of(output);
    assert_eq!(answer.code, Some(2));
    assert!(
        answer.stderr.contains("not inside a Selo project"),
        "{}",
        answer.all()
    );
}

#[test]
fn a_reader_that_goes_away_ends_the_command_quietly() {
    for arguments in [&["list", "boards"][..], &["attack", "--list"][..]] {
        let mut child = std::process::Command::new(crate::common::program("selo-lab"))
            .args(arguments)
            .current_dir(crate::common::root())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .expect("the command runs");
        // Nobody reads stdout, not even the first line.
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("an end");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {said}");
        assert!(!said.contains("panicked"), "{arguments:?}: {said}");
    }
}
