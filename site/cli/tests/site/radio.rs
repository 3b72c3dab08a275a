//! Tests `selo radio plan`, which needs no laboratory.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use serde_json::Value;

use crate::gateway_support::{Answer, Site};

fn plan(arguments: &str) -> Answer {
    let site = Site::new();
    let all: Vec<&str> = ["radio", "plan"]
        .into_iter()
        .chain(arguments.split(' '))
        .collect();
    let mut command = site.command(&all);
    // Nothing else is found: no selo-lab.
    Answer::of(command.env("PATH", "/nowhere").output().expect("runs"))
}

#[test]
fn the_first_line_says_if_a_plan_fits_and_what_would() {
    for (arguments, words) in [
        (
            "--nodes 80 --period 10m --region BR",
            "80 stations every 10m fit: 0.864 % of the readings are lost, and 1 % may be; the shortest period is 10m.",
        ),
        (
            "--nodes 1 --period 5s --region EU",
            "1 station every 5s does not fit, because a station sends for 6.98 % of the time, and may for 1 %; the shortest period that fits is 35s.",
        ),
        (
            "--nodes 80 --period 10m --region EU",
            "80 stations every 10m do not fit, because the gateway's acknowledgements take 3.64 % of the time, and may take 1 % (--once has none); the shortest period that fits is 34m.",
        ),
        (
            "--nodes 300 --period 15m --region EU --sf 7 --once",
            "300 stations every 15m do not fit, because 4.34 % of the readings are lost in collisions, and 1 % may be; the shortest period that fits is 1h 7m.",
        ),
        (
            "--nodes 10 --period 10m --region US --sf 9",
            "10 stations every 10m do not fit, because on one channel the signal must be 500 kHz wide, and it is 125 kHz (--air-rate 2.4k, 9.6k or 19.2k, or --bandwidth 500, has them); no period changes that.",
        ),
    ] {
        let answer = plan(arguments);
        assert_eq!(answer.code, Some(0), "{answer:?}");
        assert_eq!(answer.stdout.lines().next(), Some(words));
        assert!(answer.stdout.lines().count() <= 20, "{}", answer.stdout);
        let json: Value =
            serde_json::from_str(&plan(&format!("{arguments} --json")).stdout).expect("JSON");
        assert_eq!(json["fits"], !words.contains("not fit"), "{json}");
    }
}

#[test]
fn a_wrong_plan_is_refused_and_says_why() {
    for (arguments, words) in [
        (
            "--nodes 5 --period 1m --region MARS",
            "one of EU, EU433, EU869, US, BR",
        ),
        ("--nodes 5 --period 1x --region BR", "such as 10m"),
        ("--nodes 5 --period 400d --region BR", "from 1s to 30d"),
        ("--nodes 0 --period 1m --region BR", "1..=100000"),
        ("--nodes 5 --period 1m --region BR --payload 46", "0..=45"),
        (
            "--nodes 5 --period 1m --region BR --sf 7 --air-rate 2.4k",
            "cannot be used with",
        ),
        (
            "--nodes 5 --period 1m --region BR --bandwidth 250",
            "--sf <SF>",
        ),
        (
            "--nodes 5 --period 1m --region BR --battery nan",
            "must be a number from 1 to 1000000",
        ),
        (
            "--nodes 5 --period 1m --region BR --loss 0",
            "must be a number from",
        ),
    ] {
        let answer = plan(arguments);
        assert_eq!(answer.code, Some(2), "{arguments}: {answer:?}");
        assert!(
            answer.stderr.contains(words),
            "{arguments}: {}",
            answer.stderr
        );
    }
}

/// The program looks for `selo-lab` beside itself: here is one that prints its arguments.
#[test]
fn the_other_subcommands_are_still_the_laboratorys() {
    let site = Site::new();
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("selo");
    let built = crate::gateway_support::program("selo");
    // A link to the program would lead to its own folder. The folder may be on another disk.
    std::fs::hard_link(&built, &program)
        .or_else(|_| std::fs::copy(&built, &program).map(|_| ()))
        .expect("copies");
    let lab = folder.path().join("selo-lab");
    std::fs::write(&lab, "#!/bin/sh\necho \"$@\"\n").expect("writes");
    std::fs::set_permissions(&lab, std::fs::Permissions::from_mode(0o755)).expect("ours");
    for (arguments, handed_on) in [
        (
            "radio airtime --bytes 16 --json",
            "radio airtime --bytes 16 --json",
        ),
        ("radio study --help", "radio study --help"),
        (
            "--project x radio run --node a",
            "--project x radio run --node a",
        ),
        ("radio --project x airtime", "--project x radio airtime"),
        ("lab table --help", "table --help"),
    ] {
        let mut command = Command::new(&program);
        command.args(arguments.split(' ')).current_dir(site.path());
        let answer = Answer::of(command.env_remove("SELO_PROJECT").output().expect("runs"));
        assert_eq!(answer.stdout.trim(), handed_on, "{answer:?}");
    }
}
