//! Algorithms that became a standard with changes: what implements the version before is not called
//! wrong, unless it says that it is the standard.

use std::path::Path;

use serde_json::Value;

use crate::common::Project;

/// Copies a library of `planted/` with changes of its text and of the names of its files.
fn plant(project: &Project, shape: &str, into: &str, changes: &[(&str, &str)]) {
    let planted = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lab/planted");
    for entry in std::fs::read_dir(planted.join(shape)).expect("a folder") {
        let path = entry.expect("an entry").path();
        let mut name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let mut text = std::fs::read_to_string(&path).expect("a text");
        for (from, to) in changes {
            (text, name) = (text.replace(from, to), name.replace(from, to));
        }
        project.write(&format!("{into}/{name}"), &text);
    }
}

/// The line of a survey on this machine.
fn line(project: &Project, folder: &str, algorithm: &str) -> Value {
    let arguments = [
        "lab", "survey", folder, "--board", "native", "--budget", "1", "--json",
    ];
    let answer = project.selo(&[&arguments[..], &["--algorithm", algorithm]].concat());
    let lines = answer.lines();
    assert_eq!(lines.len(), 1, "{}", answer.all());
    lines[0].clone()
}

/// The changes that make Ascon-Hash256 the Ascon-Hash of version 1.2.
const HASH: [(&str, &str); 4] = [
    ("0x0000080100cc0002", "0x00400c0000000100"),
    ("<< (8 * state->used)", "<< (56 - 8 * state->used)"),
    ("absorb(state, 0x01)", "absorb(state, 0x80)"),
    ("(state->x[0] >> (8 * i))", "(state->x[0] >> (56 - 8 * i))"),
];

/// The changes that make Ascon-AEAD128 the Ascon-128a of version 1.2.
const AEAD: [(&str, &str); 6] = [
    ("0x00001000808c0001", "0x80800c0800000000"),
    ("from[i] << (8 * i)", "from[i] << (56 - 8 * i)"),
    ("(word >> (8 * i))", "(word >> (56 - 8 * i))"),
    (
        "(uint64_t)1 << (8 * now) :",
        "(uint64_t)0x80 << (56 - 8 * now) :",
    ),
    (
        "now < 8 ? ((uint64_t)1 << (8 * now)) - 1 : ~(uint64_t)0",
        "now < 8 ? ~(~(uint64_t)0 >> (8 * now)) : ~(uint64_t)0",
    ),
    (
        "*lane ^= (uint64_t)1 << (8 * now)",
        "*lane ^= (uint64_t)0x80 << (56 - 8 * now)",
    ),
];

#[test]
fn ascon_of_version_1_2_is_no_fault_unless_it_says_the_standard() {
    let project = Project::new();
    plant(&project, "digest", "says-hash256", &HASH);
    let found = line(&project, "says-hash256", "ascon-hash256");
    assert_eq!(found["verdict"], "not-suitable", "{found:#}");
    let renamed = [
        &HASH[..],
        &[
            ("hash256", "hash"),
            ("Hash256", "Hash"),
            ("SP800-232", "1.2"),
        ],
    ];
    plant(&project, "digest", "hash", &renamed.concat());
    let (domain, end) = (
        ("x[4] ^= (uint64_t)1 << 63", "x[4] ^= 1"),
        ("aead128", "128a"),
    );
    let renamed = [
        &AEAD[..],
        &[domain, end, ("AEAD128", "128a"), ("SP800-232", "1.2")],
    ];
    plant(&project, "nist", "aead", &renamed.concat());
    for (folder, algorithm, name) in [
        ("hash", "ascon-hash256", "Ascon-Hash of version 1.2"),
        ("aead", "ascon-aead128", "Ascon-128a of version 1.2"),
    ] {
        let found = line(&project, folder, algorithm);
        assert_eq!(found["verdict"], "not-told", "{found:#}");
        let why = found["why"].as_str().expect("a reason");
        assert!(why.contains(name), "{found:#}");
        // The vectors of the standard are no findings of their own.
        let findings = found["findings"].as_array().expect("findings");
        assert!(
            findings
                .iter()
                .all(|one| one["id"] != "wrong-output" && one["id"] != "unproven"),
            "{found:#}"
        );
    }
}
