//! Tests of the instrument. Libraries made to be wrong, leaky, too large, to hang and to crash must
//! each be reported correctly. The same image must take the same cycles on a second, independent
//! simulator.

use crate::common::{Project, everything};
use serde_json::Value;

/// Rows of one library on the simulated Uno.
fn rows(library: &str, more: &[&str]) -> Vec<Value> {
    let project = Project::new();
    let mut arguments = vec![
        "lab",
        "run",
        "--board",
        "uno",
        "--json",
        "--library",
        library,
    ];
    arguments.extend(more);
    let answer = project.selo(&arguments);
    let rows = answer.lines();
    assert!(!rows.is_empty(), "{}", answer.all());
    rows
}

fn find<'a>(rows: &'a [Value], operation: &str, metric: &str) -> &'a Value {
    rows.iter()
        .find(|row| row["operation"] == operation && row["metric"] == metric)
        .unwrap_or_else(|| panic!("no row for {operation} {metric}"))
}

fn reason(row: &Value) -> String {
    let row = selo_engine::row::old::read(&row.to_string()).expect("a row");
    row.reason().unwrap_or_default()
}

#[test]
fn a_wrong_cipher_gets_no_number() {
    let all = rows("test-wrong", &["--algorithm", "aes-128"]);
    let memory = rows(
        "test-wrong",
        &["--algorithm", "aes-128", "--metric", "flash"],
    );
    assert!(all.iter().any(|row| row["metric"] == "flash"));
    for row in all.iter().chain(&memory) {
        assert_eq!(row["status"], "failed", "{row}");
        assert!(row["value"].is_null(), "{row}");
        assert!(reason(row).contains("fips197"), "{row}");
    }
}

/// The cipher seals correctly and opens unaltered messages. Only altered messages reveal the fault.
#[test]
fn a_tag_that_is_not_checked_is_noticed() {
    let rows = rows("test-wrong", &["--algorithm", "chacha20-poly1305"]);
    for row in &rows {
        assert_eq!(row["status"], "failed", "{row}");
        assert!(row["value"].is_null(), "{row}");
    }
    let of = |variant: &str| {
        let row = rows.iter().find(|row| row["variant"] == variant);
        row.map(reason).expect("a row")
    };
    let unchecked = of("unchecked");
    assert!(
        unchecked.contains("2.8.2 open: `open` with one bit of the nonce changed")
            && unchecked.ends_with("expected status 6, got status 0"),
        "{unchecked}"
    );
    let unwiped = of("unwiped");
    assert!(
        unwiped.contains("2.8.2 open: output of `open` with one bit of the nonce changed"),
        "{unwiped}"
    );
}

#[test]
fn a_wrong_cipher_fails_its_check() {
    let project = Project::new();
    let answer = project.selo(&[
        "lab",
        "check",
        "--board",
        "uno",
        "--library",
        "test-wrong",
        "--algorithm",
        "aes-128",
        "--budget",
        "20",
        "--json",
    ]);
    assert_eq!(answer.code, Some(1), "{}", answer.all());
    let lines = answer.lines();
    let set = lines
        .iter()
        .find(|line| line["source"] == "aesavs-kat-ecb")
        .expect("a line");
    assert!(
        set["failed"].as_u64() > Some(0) && set["first_failure"].is_string(),
        "{set}"
    );
}

#[test]
#[ignore = "takes long: make test-all runs it"]
fn a_node_that_disagrees_with_its_gateway_gets_no_number() {
    let rows = rows("test-node", &[]);
    for (suite, telling) in [
        ("chachapoly-blake2s", "disagrees about the six digits"),
        ("ascon", "sent an invalid sealed frame"),
    ] {
        let mine: Vec<&Value> = rows.iter().filter(|row| row["variant"] == suite).collect();
        for operation in ["all", "pair", "join", "seal", "open"] {
            assert!(mine.iter().any(|row| row["operation"] == operation));
        }
        for row in mine {
            assert_eq!(row["status"], "failed", "{row}");
            assert!(row["value"].is_null(), "{row}");
            assert!(reason(row).contains(telling), "{row}");
        }
    }
}

#[test]
fn a_check_keeps_the_lines_of_other_images() {
    let project = Project::new();
    let kept = |folder: &str| {
        let path = project.path().join(folder).join("uno/check.jsonl");
        std::fs::read_to_string(path).unwrap_or_default()
    };
    let check = |more: &[&str]| {
        let mut arguments = vec![
            "lab",
            "check",
            "--board",
            "uno",
            "--budget",
            "1",
            "--secrets",
            "100",
        ];
        arguments.push("--no-constant-time");
        arguments.extend(more);
        project.selo(&arguments);
    };
    check(&["--algorithm", "aes-128", "--variant", "tiny"]);
    let first = kept("out/lab");
    check(&["--algorithm", "aes-256", "--variant", "tiny"]);
    let both = kept("out/lab");
    assert!(
        both.starts_with(&first) && both.contains("aes-256"),
        "{both}"
    );
    check(&["--algorithm", "aes-256", "--variant", "tiny"]);
    assert_eq!(kept("out/lab"), both, "replaced, not repeated");
    // Rows of the instrument's tests stay out of the reports.
    check(&["--library", "test-wrong"]);
    assert_eq!(kept("out/lab"), both);
    assert!(kept("out/instrument").contains("test-wrong"));
}

#[test]
fn a_secret_dependent_branch_is_seen() {
    let rows = rows(
        "test-leaky",
        &["--algorithm", "aes-128", "--metric", "cycles"],
    );
    let row = find(&rows, "encrypt", "cycles");
    assert_eq!(row["status"], "variable-time", "{row}");
    assert!(row["min"].as_f64() < row["max"].as_f64(), "{row}");
    assert!(reason(row).contains("cycles for"), "{row}");

    leaky_but_right("uno", "aes-128", "fips197");
}

/// The constant-time verdict of the leaky implementation, which passes all vectors.
#[test]
fn the_number_of_secrets_can_be_chosen() {
    let project = Project::new();
    let check = |secrets: &str| {
        let mut arguments = vec!["lab", "check", "--board", "uno", "--budget", "1", "--json"];
        arguments.extend([
            "--algorithm",
            "aes-128",
            "--variant",
            "tiny",
            "--secrets",
            secrets,
        ]);
        project.selo(&arguments)
    };
    let answer = check("7");
    let lines = answer.lines();
    let line = lines.iter().find(|line| line["source"] == "constant-time");
    let tried = line.and_then(|line| line["tried"].as_u64());
    // Key set-up and encryption.
    assert_eq!(tried, Some(14), "{}", answer.all());
    assert_eq!(check("1").code, Some(2));
}

#[test]
fn the_number_of_secrets_of_slow_operations_can_be_chosen() {
    let project = Project::new();
    let mut arguments = vec!["lab", "check", "--board", "uno", "--budget", "1", "--json"];
    arguments.extend([
        "--library",
        "selo",
        "--algorithm",
        "x25519",
        "--variant",
        "fast",
    ]);
    arguments.extend(["--secrets", "4", "--slow-secrets", "2"]);
    let answer = project.selo(&arguments);
    let lines = answer.lines();
    let timed = |line: &&Value| line["source"] == "constant-time";
    let tried = lines.iter().find(timed).map(|line| &line["tried"]);
    // Key pair and shared secret.
    assert_eq!(tried.and_then(Value::as_u64), Some(4), "{}", answer.all());
}

fn leaky_but_right(board: &str, algorithm: &str, set: &str) -> Value {
    let project = Project::new();
    let answer = project.selo(&[
        "lab",
        "check",
        "--board",
        board,
        "--library",
        "test-leaky",
        "--algorithm",
        algorithm,
        "--budget",
        "20",
        "--json",
    ]);
    assert_eq!(answer.code, Some(1));
    let lines = answer.lines();
    let line = |source: &str| {
        let line = lines.iter().find(|line| line["source"] == source);
        line.expect("a line").clone()
    };
    let right = line(set);
    assert_eq!(right["failed"], 0, "leaky, but right: {right}");
    let verdict = line("constant-time");
    assert!(verdict["failed"].as_u64() > Some(0), "{verdict}");
    verdict
}

#[test]
fn a_tag_that_is_compared_until_it_differs_is_seen() {
    let verdict = leaky_but_right("uno", "chacha20-poly1305", "rfc8439");
    let first = verdict["first_failure"].as_str().expect("a failure");
    assert!(first.starts_with("refusal: "), "{verdict}");
    // Unaltered messages take equal time. Only the hundred refusals differ.
    assert!(verdict["tried"].as_u64() > Some(3_000), "{verdict}");
    assert!(verdict["failed"].as_u64() <= Some(100), "{verdict}");
}

/// Every ciphertext has a secret, so that nothing but the time shows a rejection.
#[test]
fn a_decapsulation_whose_time_shows_a_rejection_is_seen() {
    let verdict = leaky_but_right("mega2560", "ml-kem-512", "acvp-ml-kem");
    let first = verdict["first_failure"].as_str().expect("a failure");
    assert!(first.starts_with("other key: "), "{verdict}");
    // Twenty with another key, twenty of an altered ciphertext; the rest is accepted.
    assert_eq!(verdict["failed"], 40, "{verdict}");
}

/// A chip without room for a key encapsulates in pieces, and all pieces are one figure.
#[test]
fn an_encapsulation_in_pieces_is_one_figure() {
    let rows = rows("selo", &["--algorithm", "ml-kem-512", "--metric", "cycles"]);
    let of = |variant: &str| {
        let found = rows
            .iter()
            .find(|row| row["variant"] == variant && row["operation"] == "encapsulate");
        found.unwrap_or_else(|| panic!("no row of {variant}"))
    };
    let pieces = of("pieces");
    assert_eq!(pieces["status"], "ok", "{pieces}");
    // Twice the key is hashed or multiplied: a row of a few calls would be far less.
    let cycles = pieces["value"].as_f64().expect("cycles");
    assert!((4e6..8e6).contains(&cycles), "{pieces}");
    assert!(reason(pieces).contains("public keys"), "{pieces}");
    let whole = of("fast");
    assert_eq!(whole["status"], "does-not-fit", "{whole}");
    assert!(reason(whole).contains("bytes of 2048"), "{whole}");
}

#[test]
fn frames_of_known_depth_read_so() {
    let rows = rows("test-frames", &["--metric", "stack"]);
    assert_eq!(find(&rows, "frame-400", "stack")["value"], 400.0);
    assert_eq!(find(&rows, "frame-800", "stack")["value"], 800.0);
}

#[test]
fn a_stack_hog_does_not_fit() {
    let rows = rows("test-stack-hog", &["--metric", "stack,cycles"]);
    for row in &rows {
        assert_eq!(row["status"], "does-not-fit", "{row}");
        assert!(reason(row).contains("stack-collision"), "{row}");
    }
}

#[test]
fn what_is_too_large_is_named_with_its_bytes() {
    let rows = rows("test-too-large", &["--operation", "encrypt"]);
    for row in &rows {
        assert_eq!(row["status"], "does-not-fit", "{row}");
        assert!(reason(row).contains("over; largest:"), "{row}");
    }
    let of = |variant: &str| {
        rows.iter()
            .find(|row| row["variant"] == variant)
            .map(reason)
            .expect("a row")
    };
    assert!(of("flash").contains("flash: "), "{}", of("flash"));
    assert!(of("ram").contains("RAM: "), "{}", of("ram"));
}

#[test]
fn a_hang_ends_at_the_cycle_limit() {
    let rows = rows("test-hang", &["--metric", "cycles", "--limit", "50"]);
    let row = find(&rows, "hang", "cycles");
    assert_eq!(row["status"], "over-limit", "{row}");
    assert!(reason(row).contains("cycle-limit"), "{row}");
}

/// A scalar multiplication takes more than a million cycles on the Uno.
#[test]
fn a_call_over_the_limit_is_neither_passed_nor_failed() {
    let project = Project::new();
    let select = [
        "--board",
        "uno",
        "--algorithm",
        "x25519",
        "--library",
        "selo",
        "--variant",
        "fast",
        "--limit",
    ];
    let with = |command: &str, limit: &str, more: &[&str]| {
        let arguments = [&["lab", command], &select[..], &[limit, "--json"], more].concat();
        project.selo(&arguments)
    };
    let answer = with("check", "1", &[]);
    assert_eq!(answer.code, Some(0), "{}", answer.stderr);
    let lines = answer.lines();
    let sum = |key: &str| -> u64 { lines.iter().filter_map(|line| line[key].as_u64()).sum() };
    assert_eq!(sum("failed"), 0, "{lines:?}");
    assert_eq!(sum("passed"), 0, "{lines:?}");
    let line = lines.iter().find(|line| line["source"] == "over-limit");
    let said = line.and_then(|line| line["first_failure"].as_str());
    let said = said.expect("a line that says why");
    assert!(
        said.contains("over the limit of 1 million cycles: raise --limit"),
        "{said}"
    );
    assert!(
        answer.stderr.contains("over the limit"),
        "{}",
        answer.stderr
    );

    let metrics = ["--metric", "cycles,flash"];
    let rows = |limit: &str| {
        let answer = with("run", limit, &metrics);
        assert_eq!(answer.code, Some(0), "{}", answer.stderr);
        answer.lines()
    };
    let reasons = |rows: &[Value]| -> Vec<String> { rows.iter().map(reason).collect() };
    let first = rows("1");
    assert!(!first.is_empty());
    for row in &first {
        assert_eq!(row["status"], "over-limit", "{row}");
        assert!(row["value"].is_null(), "{row}");
    }
    // The rows are reused under the same limit and a lower one, and measured again under a higher
    // one.
    let kept =
        std::fs::read_to_string(project.path().join("out/lab/uno/rows.jsonl")).expect("rows");
    assert_eq!(reasons(&rows("1")), reasons(&first));
    let now = std::fs::read_to_string(project.path().join("out/lab/uno/rows.jsonl")).expect("rows");
    assert_eq!(now, kept);
    for row in rows("400") {
        assert_eq!(row["status"], "ok", "{row}");
    }
}

#[test]
fn each_crash_is_told_apart() {
    let rows = rows("test-crash", &["--metric", "cycles", "--limit", "50"]);
    for (operation, word) in [
        ("invalid-read", "invalid-read"),
        ("invalid-write", "invalid-write"),
        ("invalid-opcode", "invalid-opcode"),
        ("read-past-flash", "flash-read-out-of-bounds"),
        ("mark-order", "mark-order"),
        ("halt", "halted"),
    ] {
        let row = find(&rows, operation, "cycles");
        assert_eq!(row["status"], "crashed", "{row}");
        assert!(reason(row).contains(word), "{row}");
    }
    assert_eq!(
        find(&rows, "jump-past-flash", "cycles")["status"],
        "crashed"
    );
}

/// The part of the rows on which two runs, or two simulators, must agree.
fn figures(rows: &[Value]) -> Vec<String> {
    rows.iter()
        .map(|row| {
            format!(
                "{} {} {} {} {}: {} {}",
                row["algorithm"],
                row["variant"],
                row["operation"],
                row["bytes"],
                row["metric"],
                row["value"],
                row["status"]
            )
        })
        .collect()
}

#[test]
fn a_second_simulator_counts_the_same_cycles() {
    let algorithms = match everything() {
        true => "aes-128,aes-256-cbc,speck128/128,sha-256,sha3-256,chacha20-poly1305",
        false => "aes-128,speck128/128,sha3-256",
    };
    let arguments = ["--algorithm", algorithms, "--metric", "cycles,stack"];
    let on = |runner: &str| {
        let mut arguments = arguments.to_vec();
        arguments.extend(["--runner", runner]);
        rows("selo", &arguments)
    };
    let (first, second) = (on("simavr"), on("avr8js"));
    assert!(first.len() > 3 * algorithms.split(',').count());
    assert_eq!(figures(&first), figures(&second));
    let images = |rows: &[Value]| -> Vec<String> {
        rows.iter()
            .map(|row| row["firmware_sha256"].to_string())
            .collect()
    };
    assert_eq!(images(&first), images(&second), "the images are the same");
    assert!(second.iter().all(|row| row["runner"] == "avr8js"));
}

#[test]
fn two_runs_give_the_same_figures() {
    let arguments = [
        "--algorithm",
        "aes-192,sha-512,hmac-sha-256",
        "--metric",
        "cycles,flash,ram,stack",
    ];
    assert_eq!(
        figures(&rows("selo", &arguments)),
        figures(&rows("selo", &arguments))
    );
}
