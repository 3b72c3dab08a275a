//! Planted faults: five small libraries of different shapes (`planted/`) are bound by trial. Each is
//! right as it is; with one change of its text, the survey must find the fault and name it.

use std::path::Path;

use serde_json::Value;

use crate::common::Project;

/// A change of one file, and what the survey must say.
struct Fault {
    algorithm: &'static str,
    file: &'static str,
    from: &'static str,
    to: &'static str,
    finding: &'static str,
    words: &'static str,
}

fn fault(
    (algorithm, file): (&'static str, &'static str),
    (from, to): (&'static str, &'static str),
    (finding, words): (&'static str, &'static str),
) -> Fault {
    Fault {
        algorithm,
        file,
        from,
        to,
        finding,
        words,
    }
}

/// Copies a library of `planted/` into the project, with a change if there is one.
fn plant(project: &Project, shape: &str, into: &str, change: Option<&Fault>) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lab/planted");
    let mut files: Vec<_> = std::fs::read_dir(source.join(shape))
        .expect("the library's folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    if ["context", "global", "class"].contains(&shape) {
        files.push(source.join("box.h"));
    }
    let mut changed = false;
    for path in files {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let mut text = std::fs::read_to_string(&path).expect("a text");
        if let Some(fault) = change.filter(|fault| fault.file == name) {
            assert_eq!(text.matches(fault.from).count(), 1, "{}", fault.from);
            text = text.replace(fault.from, fault.to);
            changed = true;
        }
        project.write(&format!("{into}/{name}"), &text);
    }
    assert_eq!(changed, change.is_some());
}

/// The lines of a survey of a planted library, and what it said.
fn survey(project: &Project, folder: &str, algorithm: &str) -> (Vec<Value>, String) {
    let arguments = ["lab", "survey", folder, "--board", "uno", "--budget", "4"];
    let more = ["--algorithm", algorithm, "--json"];
    let answer = project.selo(&[&arguments[..], &more].concat());
    let said = answer.all();
    (answer.lines(), said)
}

fn check(shape: &str, algorithms: &[&str], faults: &[Fault]) {
    let project = Project::new();
    plant(&project, shape, shape, None);
    let (lines, said) = survey(&project, shape, &algorithms.join(","));
    assert_eq!(lines.len(), algorithms.len(), "{said}");
    for line in &lines {
        assert_eq!(line["verdict"], "suitable", "{line:#}");
    }
    for (number, fault) in faults.iter().enumerate() {
        let folder = format!("{shape}-{number}");
        plant(&project, shape, &folder, Some(fault));
        let (lines, said) = survey(&project, &folder, fault.algorithm);
        let line = lines.first().unwrap_or_else(|| panic!("{said}"));
        assert_eq!(line["verdict"], "not-suitable", "{}: {line:#}", fault.to);
        let findings = line["findings"].as_array().expect("findings");
        let found = findings
            .iter()
            .find(|finding| finding["id"] == fault.finding)
            .unwrap_or_else(|| panic!("{}: no {} in {line:#}", fault.to, fault.finding));
        assert_eq!(found["weight"], "fault");
        let title = found["title"].as_str().unwrap_or_default();
        assert!(title.contains(fault.words), "{title}");
    }
}

#[test]
fn c_with_a_context() {
    const BLOCK: (&str, &str) = ("aes-128", "aes.c");
    let faults = [
        fault(
            ("aes-128", "box.h"),
            ("0xed", "0xec"),
            ("wrong-s-box", "0x53 becomes 0xec, not 0xed"),
        ),
        fault(
            BLOCK,
            ("{0, 1, 2, 3}", "{0, 2, 1, 3}"),
            ("wrong-rounds", "ShiftRows exchanges rows"),
        ),
        fault(
            BLOCK,
            ("constant = 1;", "constant = 2;"),
            ("wrong-key-schedule", "off by one"),
        ),
        fault(
            ("aes-128-ctr", "aes.c"),
            (
                "column < 4; column++)\n            mix",
                "column < 0; column++)\n            mix",
            ),
            ("wrong-rounds", "MixColumns is missing"),
        ),
    ];
    check("context", &["aes-128", "aes-128-ctr"], &faults);
}

#[test]
fn c_in_place_with_a_global_key() {
    const CBC: (&str, &str) = ("aes-128-cbc", "cipher.c");
    let faults = [
        fault(
            ("aes-128", "cipher.c"),
            ("constants[at / 16]", "constants[at / 16 - 1]"),
            ("wrong-key-schedule", "off by one: they begin with 0"),
        ),
        fault(
            CBC,
            (
                "*before = iv;",
                "*before = memset((uint8_t *)iv, 0x24, 16);",
            ),
            ("fixed-iv", "The IV is fixed"),
        ),
        fault(
            CBC,
            (
                "data[at + i] ^= before[i];",
                "data[at + i] ^= 0 & before[i];",
            ),
            ("ecb-called-cbc", "really ECB"),
        ),
        fault(
            CBC,
            (
                "uint16_t at = 0; at < size",
                "uint8_t at = 0; at < (uint8_t)size",
            ),
            ("length-overflow", "256 bytes"),
        ),
    ];
    check("global", &["aes-128", "aes-128-cbc"], &faults);
}

#[test]
fn a_class_for_arduino() {
    let faults = [
        fault(
            ("aes-128", "AES128.cpp"),
            (
                "state[(i + 4 * (i % 4)) % 16]",
                "state[(i + 12 * (i % 4)) % 16]",
            ),
            ("wrong-rounds", "ShiftRows goes the wrong way"),
        ),
        fault(
            ("aes-128", "box.h"),
            ("0x16", "0x61"),
            ("wrong-s-box", "0xff becomes 0x61, not 0x16"),
        ),
        fault(
            ("aes-128-cbc", "AES128.cpp"),
            ("memcpy(chain, iv, 16);", "memset(chain, 0 * iv[0], 16);"),
            ("zero-iv", "always zero"),
        ),
    ];
    check("class", &["aes-128", "aes-128-cbc"], &faults);
}

#[test]
fn an_aead_with_the_interface_of_nist() {
    const FILE: (&str, &str) = ("ascon-aead128", "ascon_aead128.c");
    let faults = [
        fault(
            FILE,
            ("if (differs != 0)", "if (0 * differs != 0)"),
            ("tag-not-checked", "The tag is not checked"),
        ),
        fault(
            FILE,
            (
                "typedef unsigned long long message_size",
                "typedef uint8_t message_size",
            ),
            ("length-overflow", "256 bytes"),
        ),
    ];
    check("nist", &["ascon-aead128"], &faults);
}

#[test]
fn a_hash_in_pieces() {
    const HASH: &str = "ascon-hash256";
    let faults = [
        fault(
            (HASH, "ascon_hash256.c"),
            ("absorb(state, 0x01)", "absorb(state, 0x80)"),
            ("wrong-padding", "the padding is wrong"),
        ),
        fault(
            (HASH, "ascon_hash256.c"),
            ("absorb(state, 0x01)", "absorb(state, 0)"),
            ("wrong-padding", "the padding is missing"),
        ),
        fault(
            (HASH, "ascon_hash256.h"),
            ("typedef uint16_t hash_size", "typedef uint8_t hash_size"),
            ("length-overflow", "256 bytes"),
        ),
    ];
    check("digest", &[HASH], &faults);
}
