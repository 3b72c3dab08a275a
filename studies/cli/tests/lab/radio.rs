//! `selo radio` from end to end: air times compared with hand-computed ones, a study that is
//! repeatable, and readings that go from node to module, air, module and gateway, each a process of
//! its own.

use std::process::{Child, Stdio};

use crate::gateway_support::{Lines, Site};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

fn rows(text: &str) -> Vec<Value> {
    let rows = text.lines().map(serde_json::from_str);
    rows.collect::<Result<_, _>>().expect("JSON")
}

fn near(value: &Value, expected: f64) {
    let value = value.as_f64().expect("a number");
    assert!((value - expected).abs() < 1e-6, "{value}, not {expected}");
}

/// By hand from the formula [SX1276, 4.1.1.7], (8 + blocks (CR + 4) + 12.25) 2^SF / BW:
///
/// - 16 bytes are 44 on the air; SF11: 352 - 44 + 28 + 16 = 352 bits, 8 blocks of 44, 60.25
///   symbols of 4.096 ms. The line: 16 bytes and 3 of silence of 10 / 9600 s.
/// - 29 bytes are 70; SF12 with the optimisation: 556 bits, 14 blocks of 40, 90.25 symbols of
///   32.768 ms.
/// - 29 bytes without correction are 36; SF7, 4/6: 304 bits, 11 blocks of 28, 86.25 symbols of
///   0.256 ms.
#[test]
fn airtimes_are_the_hand_computed_ones() {
    let site = Site::new();
    for (arguments, on_air, airtime) in [
        ("--bytes 16 --rate 2.4k", 44, 0.246_784),
        ("--rate 0.3k", 70, 2.957_312),
        ("--rate 19.2k --no-fec", 36, 0.022_08),
    ] {
        let mut command = vec!["radio", "airtime", "--json"];
        command.extend(arguments.split(' '));
        let row = &rows(&site.ok(&command))[0];
        assert_eq!(row["schema"], "selo.airtime/1");
        assert_eq!(row["bytes_on_air"], on_air, "{arguments}");
        near(&row["airtime_s"], airtime);
        if row["bytes"] == 16 {
            near(&row["from_write_s"], 0.246_784 + 19.0 * 10.0 / 9_600.0);
        }
    }
    let table = site.ok(&["radio", "airtime"]);
    assert_eq!(table.matches("observed").count(), 4, "{table}");
    assert_eq!(table.matches("assumed").count(), 2, "{table}");
}

#[test]
fn a_study_repeats_itself_and_follows_its_seed() {
    let site = Site::new();
    let study = |more: &[&str]| {
        let mut command = vec!["radio", "study", "--period", "10s", "--rate", "19.2k"];
        command.extend(["--readings", "500", "--json"]);
        command.extend(more);
        site.ok(&command)
    };
    let first = study(&[]);
    assert_eq!(first, study(&[]));
    assert_ne!(first, study(&["--seed", "2"]));
    let rows = rows(&first);
    assert!(rows.iter().all(|row| row["schema"] == "selo.radio-study/1"));
    for acknowledged in [false, true] {
        let curve = rows
            .iter()
            .filter(|row| row["acknowledged"] == acknowledged);
        let loss: Vec<f64> = curve.filter_map(|row| row["loss"].as_f64()).collect();
        assert!(loss.len() > 5 && loss.last() > loss.first(), "{loss:?}");
    }
    study(&["--svg", "pictures"]);
    for name in ["radio-10s-once.svg", "radio-10s-acknowledged.svg"] {
        let picture = std::fs::read_to_string(site.path().join("pictures").join(name));
        assert!(picture.expect("a picture").contains("19.2k"));
    }
}

struct Modules(Child);

impl Drop for Modules {
    fn drop(&mut self) {
        let _ = kill_process(Pid::from_child(&self.0), Signal::TERM);
        let _ = self.0.wait();
    }
}

#[test]
fn modules_that_are_named_hear() {
    let site = Site::new();
    let mut command = site.command(&["radio", "run", "--gateway", "gw", "--node", "a"]);
    command.args(["--rate", "19.2k", "--baud", "115200", "--json"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut modules = Modules(command.spawn().expect("starts"));
    let events = Lines::of(modules.0.stdout.take().expect("piped"));
    Lines::of(modules.0.stderr.take().expect("piped")).wait("Ctrl-C");
    // Write at once. The module already listens, although one just after power-up would not.
    std::fs::write(site.path().join("a"), [7; 58]).expect("writes");
    let sent = events.wait("\"sends\"");
    assert!(sent.contains("\"bytes\":58"), "{sent}");
}

#[test]
fn readings_go_from_a_process_by_virtual_modules_to_a_gateway() {
    let site = Site::new();
    let mut command = site.command(&["radio", "run", "--gateway", "gw", "--node", "a"]);
    command.args(["--rate", "19.2k", "--baud", "115200", "--json"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut modules = Modules(command.spawn().expect("starts"));
    let events = Lines::of(modules.0.stdout.take().expect("piped"));
    Lines::of(modules.0.stderr.take().expect("piped")).wait("Ctrl-C");

    site.ok(&["node", "--make-registry", "a.csv", "--state", "node"]);
    site.ok(&["device", "import", "a.csv"]);
    let gateway = site.gateway(&["--radio", "gw,115200,19.2k"]);
    let summary = site.ok(&[
        "node",
        "--radio",
        "a,115200,19.2k",
        "--state",
        "node",
        "--readings",
        "3",
        "--every",
        "200ms",
        "--confirmed",
        "--json",
    ]);
    let summary = &rows(&summary)[0];
    assert_eq!(summary["acknowledged"], 3, "{summary}");
    for counter in 0..3 {
        let reading = gateway.readings.next_json();
        assert_eq!(reading["counter"], counter);
        assert_eq!(reading["source"], "radio:0");
    }
    let sent = events.wait("\"sends\"");
    assert!(sent.contains("\"bytes\":58"), "the join request: {sent}");
    assert!(events.wait("\"heard\"").contains("\"from\":\"node 1\""));
    assert_eq!(gateway.stop().0, Some(0));
    drop(modules);
    assert!(
        std::fs::symlink_metadata(site.path().join("gw")).is_err(),
        "removed"
    );
}

#[test]
fn a_wrong_port_is_named_with_what_to_do() {
    let site = Site::new();
    site.file("file", b"");
    for (port, code, says) in [
        ("none", 4, "is it plugged in"),
        ("file", 4, "takes a serial port"),
        ("none,9601", 2, "the baud rate must be one of"),
        ("none,9600,3k", 2, "the air data rate must be one of"),
    ] {
        for command in ["gateway", "up", "node"] {
            let mut arguments = vec![command, "--radio", port];
            if command != "node" {
                arguments.extend(["--listen", "127.0.0.1:0"]);
            }
            if command == "up" {
                arguments.extend(["--http", "127.0.0.1:0", "--broker", "127.0.0.1:0"]);
            }
            let answer = site.selo(&arguments);
            assert_eq!(answer.code, Some(code), "{command} {port}: {answer:?}");
            assert!(answer.stderr.contains(says), "{command} {port}: {answer:?}");
        }
    }
    let both = site.selo(&["node", "--radio", "none", "--to", "127.0.0.1"]);
    assert_eq!(both.code, Some(2), "{both:?}");
    let taken = site.selo(&["radio", "run", "--gateway", "file", "--node", "a"]);
    assert!(
        taken.stderr.contains("not a link from an earlier run"),
        "{taken:?}"
    );
}
