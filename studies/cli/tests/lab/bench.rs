//! `selo bench gateway` from end to end, with few devices. Both gateways accept the packets sent to
//! them, and the output has the right form. The speeds are not checked.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn bench(arguments: &[&str]) -> Output {
    Command::new(crate::common::program("selo"))
        .args(["bench", "gateway"])
        .args(arguments)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .output()
        .expect("selo starts")
}

/// The smallest run of each measurement.
const SMALL: [&str; 8] = [
    "--devices",
    "400",
    "--sessions",
    "400",
    "--seconds",
    "1",
    "--rounds",
    "1",
];

/// Whether Python with cryptography is installed. If not, only Selo's gateway is tested, except in
/// CI, where it must be installed.
fn has_baseline() -> bool {
    let has = ["/usr/bin/python3", "python3"].iter().any(|python| {
        Command::new(python)
            .args(["-c", "import cryptography.hazmat.primitives.ciphers"])
            .output()
            .is_ok_and(|output| output.status.success())
    });
    assert!(
        has || std::env::var_os("CI").is_none(),
        "python3-cryptography"
    );
    has
}

#[test]
fn both_gateways_accept_what_is_sent_and_the_rows_say_so() {
    let baseline = has_baseline();
    let mut arguments = vec!["--json"];
    arguments.extend(SMALL);
    if !baseline {
        arguments.push("--without-baseline");
    }
    // The command itself fails if either gateway rejects one of a few readings.
    let output = bench(&arguments);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let text = String::from_utf8(output.stdout).expect("text");
    let rows: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line is an object"))
        .collect();

    let mut found = Vec::new();
    for row in &rows {
        let text = |name: &str| row[name].as_str().expect(name);
        assert_eq!(text("schema"), "selo.bench-gateway/1");
        assert_eq!(text("fidelity"), "wall-clock");
        let metric = text("metric");
        let unit = match metric {
            "bytes-per-session" => "B",
            _ if metric.starts_with("nanoseconds") => "ns",
            _ => "1/s",
        };
        assert_eq!(text("unit"), unit);
        assert!(row["value"].as_f64().expect("a number") > 0.0, "{row}");
        assert_eq!(row["samples"].as_array().expect("samples").len(), 1);
        assert!(row["machine"]["cores"].as_u64().expect("cores") > 0);
        let subject = &row["subject"];
        let name = subject["name"].as_str().expect("a name");
        assert_eq!(name == "selo", subject["suite"] == "chachapoly-blake2s");
        found.push((name, metric));

        let readings = &row["readings"];
        let of_readings = metric.starts_with("readings") || metric == "nanoseconds-per-reading";
        assert_eq!(of_readings, readings.is_object(), "{row}");
        if readings.is_object() {
            let count = |name: &str| readings[name].as_u64().expect(name);
            assert!(count("accepted") > 0, "{row}");
            assert_eq!(count("refused"), 0, "{row}");
            assert!(count("accepted") <= count("sent"), "{row}");
        }
        let compared = baseline && name != "baseline" && metric.ends_with("per-core-second");
        assert_eq!(compared, row["over_baseline"].is_number(), "{row}");
    }
    let mut expected = Vec::new();
    for metric in [
        "nanoseconds-per-reading",
        "nanoseconds-per-join",
        "nanoseconds-per-unknown-join",
        "nanoseconds-per-forged-join",
        "readings-per-core-second",
        "joins-per-core-second",
    ] {
        if metric == "nanoseconds-per-reading" {
            expected.push(("recvmmsg", metric));
        }
        if metric == "nanoseconds-per-join" {
            expected.push(("x25519", metric));
        }
        let of_strangers = metric.contains("unknown") || metric.contains("forged");
        if baseline && !of_strangers {
            expected.extend([("baseline", metric), ("baseline-keep-decryptor", metric)]);
        }
        expected.push(("selo", metric));
    }
    expected.push(("selo", "readings-per-core-second-full"));
    expected.push(("selo", "bytes-per-session"));
    assert_eq!(found, expected);
}

#[test]
fn help_says_what_is_measured() {
    let output = bench(&["--help"]);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).expect("text");
    for word in [
        "CPU time",
        "--sessions",
        "--without-baseline",
        "Examples:",
        "Exit codes:",
        "bench-a-gateway.md",
    ] {
        assert!(text.contains(word), "{word}: {text}");
    }
}

#[test]
fn a_python_that_is_none_is_named() {
    let output = bench(&["--python", "/nowhere/python3", "--sessions", "0"]);
    assert_eq!(output.status.code(), Some(3));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("/nowhere/python3"), "{said}");
    assert!(said.contains("hint:"), "{said}");
}
