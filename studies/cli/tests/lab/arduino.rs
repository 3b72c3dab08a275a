//! Libraries for Arduino in the usual styles (`planted/arduino/`): the survey on the Uno binds each
//! unedited, and calls none of them wrong.

use std::path::Path;

use serde_json::Value;

use crate::common::{Project, sample};
use crate::paper_libraries::{core, core_in_flash};

/// A library, and the algorithms for which a way to call it must be found. A library without any
/// must be `not told`.
struct Style {
    folder: &'static str,
    bound: &'static [&'static str],
}

const STYLES: [Style; 28] = [
    style("each-call", &["aes-128", "aes-128-cbc"]),
    style(
        "class-with-modes",
        &["aes-128", "aes-192", "aes-256", "aes-256-cbc"],
    ),
    style("globals", &["aes-128"]),
    style(
        "templates",
        &["aes-128", "aes-256", "aes-128-cbc", "aes-256-ctr"],
    ),
    style("other-chip", &[]),
    style("key-of-constructor", &["aes-128"]),
    style("older-tiny", &["aes-128", "aes-128-cbc"]),
    style("byte-oriented-256", &["aes-256"]),
    style("one-function-two-directions", &["aes-128"]),
    style("matrix", &["aes-128"]),
    style("mode-of-constructor", &["aes-128-cbc", "aes-256-cbc"]),
    style("void-pointers", &["aes-128"]),
    style("words-of-key", &["aes-128", "aes-256", "aes-192-cbc"]),
    style("schedule-on-the-fly", &["aes-128"]),
    // Its messages have IVs of its own; its source shows the block cipher.
    style("stored-key", &["aes-128"]),
    style("macros-of-modes", &["aes-128", "aes-256", "aes-128-cbc"]),
    style("strings", &["aes-128"]),
    style("header-only", &["aes-128", "aes-192", "aes-256"]),
    style("static-methods", &["aes-128", "aes-128-cbc"]),
    style("bits-and-iv-wrapper", &["aes-128-cbc", "aes-256-cbc"]),
    style("unnamed-parameters", &["aes-128", "aes-192", "aes-256"]),
    style("kept-pointers", &["aes-128", "aes-128-cbc"]),
    style("room-of-the-output", &["aes-256", "aes-128-cbc"]),
    style("iv-after-constructor", &["aes-128-cbc"]),
    style("members", &["aes-256-ctr"]),
    style("names-of-glue", &["aes-128"]),
    style("core-header", &["aes-128", "aes-128-ecb"]),
    style("expanded-key", &["aes-256"]),
];

const fn style(folder: &'static str, bound: &'static [&'static str]) -> Style {
    Style { folder, bound }
}

/// Copies a library, with the rounds of AES in place of the comments that stand for them.
fn plant(project: &Project, name: &str) -> String {
    let planted = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lab/planted");
    let into = format!("arduino/{name}");
    copy(project, &planted.join("arduino").join(name), &into);
    let table = std::fs::read_to_string(planted.join("box.h")).expect("a text");
    project.write(&format!("{into}/box.inc"), &table);
    into
}

fn copy(project: &Project, from: &Path, into: &str) {
    for entry in std::fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let place = format!("{into}/{name}");
        if path.is_dir() {
            copy(project, &path, &place);
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a text");
        let text = text.replace("// CORE-PROGMEM\n", &core_in_flash());
        project.write(&place, &text.replace("// CORE\n", &core()));
    }
}

#[test]
fn libraries_in_the_usual_styles_get_a_true_verdict() {
    let project = Project::new();
    for style in sample(&STYLES, 2) {
        let folder = plant(&project, style.folder);
        let algorithms = match style.bound {
            [] => "aes-128".to_owned(),
            names => names.join(","),
        };
        let arguments = [
            "lab",
            "survey",
            &folder,
            "--board",
            "uno",
            "--budget",
            "1",
            "--secrets",
            "100",
        ];
        let answer =
            project.selo(&[&arguments[..], &["--json", "--algorithm", &algorithms]].concat());
        let said = answer.all();
        let lines: Vec<Value> = match style.bound {
            [] => Vec::new(),
            _ => answer.lines(),
        };
        assert!(!said.contains("not-suitable"), "{}: {said}", style.folder);
        for name in style.bound {
            let of = |line: &&Value| line["algorithm"] == *name;
            let line = lines
                .iter()
                .find(of)
                .unwrap_or_else(|| panic!("{}: {said}", style.folder));
            let verdict = line["verdict"].as_str().unwrap_or_default();
            let is_right = ["suitable", "reservations"].contains(&verdict);
            assert!(is_right, "{} {name}: {line:#}", style.folder);
        }
        if style.bound.is_empty() {
            assert_eq!(answer.code, Some(5), "{}: {said}", style.folder);
        }
    }
}

/// Nothing is said of key sizes that the library does not have, nor of what only its parts resemble.
#[test]
fn no_algorithm_is_named_that_the_library_does_not_offer() {
    let project = Project::new();
    let names = [
        "members",
        "byte-oriented-256",
        "core-header",
        "mode-of-constructor",
    ];
    for &name in sample(&names, 1) {
        let folder = plant(&project, name);
        let arguments = [
            "lab",
            "new-library",
            &folder,
            "--print",
            "--board",
            "native",
        ];
        let answer = project.selo(&arguments);
        let said = answer.all();
        assert_eq!(answer.code, Some(0), "{name}: {said}");
        assert!(said.contains("bound "), "{name}: {said}");
        assert!(!said.contains("not bound"), "{name}: {said}");
        assert!(
            name != "core-header" || said.contains("not there"),
            "{name}: {said}"
        );
    }
}

/// A table in flash that is read as if it were in RAM is named, and right code is not accused of it.
#[test]
fn a_table_in_flash_that_is_read_as_ram_is_named() {
    let project = Project::new();
    let folder = plant(&project, "read-from-flash");
    let source = project.path().join(&folder).join("aes.c");
    let text = std::fs::read_to_string(&source).expect("a text");
    let marked =
        "#ifdef ARDUINO_ARCH_AVR\n#define IN_FLASH PROGMEM\n#else\n#define IN_FLASH\n#endif\n";
    let text = text.replace(
        "static const uint8_t sbox[256]",
        &format!("{marked}static const uint8_t sbox[256] IN_FLASH"),
    );
    assert!(text.contains("IN_FLASH ="), "{text}");
    std::fs::write(&source, text).expect("the source is written");
    let arguments = ["lab", "survey", &folder, "--board", "uno", "--json"];
    let less = ["--algorithm", "aes-128", "--budget", "1", "--secrets", "10"];
    let answer = project.selo(&[&arguments[..], &less].concat());
    let lines = answer.lines();
    let line = lines.first().unwrap_or_else(|| panic!("{}", answer.all()));
    assert_eq!(line["verdict"], "not-suitable", "{line:#}");
    let findings = line["findings"].as_array().expect("findings");
    assert_eq!(findings[0]["id"], "flash-read-as-ram", "{line:#}");
    assert!(!line.to_string().contains("has 16 bits"), "{line:#}");
}
