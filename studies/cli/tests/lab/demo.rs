//! `selo demo` with few nodes: the whole chain in processes of its own, counted at both ends.

use std::path::Path;

use crate::gateway_support::Site;
use serde_json::Value;

#[test]
fn everything_that_is_sent_is_stored_once() {
    let site = Site::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = root.canonicalize().expect("the repository");
    let mut arguments = vec!["demo", "--project", root.to_str().expect("text"), "--json"];
    arguments.extend(["--seconds", "10", "--nodes", "20", "--unos", "1"]);
    arguments.extend(["--every", "2s", "--out", "chain"]);
    let answer = site.selo(&arguments);
    assert_eq!(
        answer.code,
        Some(0),
        "{answer:?}\n{}",
        logs(&site.path().join("chain"))
    );
    let summary: Value = serde_json::from_str(&answer.stdout).expect("JSON");
    let count = |name: &str| summary[name].as_u64().expect("a number");
    assert_eq!(count("sent"), count("received") + count("dropped"));
    assert_eq!(count("received"), count("stored"), "{summary}");
    assert!(count("by_radio") >= 2, "{summary}");
    assert!(count("sent") >= 20 * 4 + count("by_radio"), "{summary}");

    // The database itself.
    let database = site.path().join("chain/state/collector/readings.db");
    let rows: u64 = rusqlite::Connection::open(database)
        .and_then(|database| {
            database.query_row("SELECT count(*) FROM reading", [], |row| row.get(0))
        })
        .expect("counts");
    assert_eq!(rows, count("stored"));

    // The password is in its file, and in no log.
    let password = site.path().join("chain/state/collector/admin-password");
    let password = std::fs::read_to_string(password).expect("there");
    assert!(!password.trim().is_empty());
    assert!(answer.stderr.contains("admin-password"), "{answer:?}");
    for log in std::fs::read_dir(site.path().join("chain")).expect("there") {
        let log = log.expect("an entry").path();
        if log.extension().is_some_and(|extension| extension == "log") {
            let text = std::fs::read_to_string(&log).expect("text");
            assert!(!text.contains(password.trim()), "{}", log.display());
        }
    }

    // A second demo removes the files of the first, and does not count them.
    let mut arguments = vec!["demo", "--json", "--seconds", "2", "--unos", "0"];
    arguments.extend(["--nodes", "3", "--every", "1s", "--out", "chain"]);
    let again = site.selo(&arguments);
    let again: Value = serde_json::from_str(&again.stdout).expect("JSON");
    assert!(again["sent"].as_u64().expect("a number") < 20, "{again}");
    assert_eq!(again["stored"], again["sent"]);
}

/// The demo's logs, which tell where a reading was lost.
fn logs(folder: &Path) -> String {
    let entries = std::fs::read_dir(folder)
        .expect("the demo's folder")
        .flatten();
    let logs = entries.map(|entry| entry.path());
    let logs = logs.filter(|path| path.extension().is_some_and(|end| end == "log"));
    let text = |path: std::path::PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        format!("{}:\n{text}\n", path.display())
    };
    logs.map(text).collect()
}

#[test]
fn a_folder_that_is_not_a_demos_is_left_alone() {
    let site = Site::new();
    let folder = site.path().join("mine");
    std::fs::create_dir(&folder).expect("made");
    std::fs::write(folder.join("thesis.txt"), "years").expect("written");
    let answer = site.selo(&["demo", "--out", "mine", "--seconds", "1"]);
    assert_eq!(answer.code, Some(4), "{answer:?}");
    assert!(
        answer.stderr.contains("not the folder of a demo"),
        "{answer:?}"
    );
    let left = std::fs::read_to_string(folder.join("thesis.txt"));
    assert_eq!(left.expect("there"), "years");
}
