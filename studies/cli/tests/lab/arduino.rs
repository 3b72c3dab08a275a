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

/// What `new-library` says of a library on this machine.
fn bound(project: &Project, folder: &str, more: &[&str]) -> String {
    let arguments = ["lab", "new-library", folder, "--print", "--board", "native"];
    let answer = project.selo(&[&arguments[..], more].concat());
    let said = answer.all();
    assert_eq!(answer.code, Some(0), "{folder}: {said}");
    assert!(said.contains("bound "), "{folder}: {said}");
    assert!(!said.contains("not bound"), "{folder}: {said}");
    said
}

/// Nothing is said of key sizes that the library does not have, nor of what only its parts resemble.
#[test]
fn no_algorithm_is_named_that_the_library_does_not_offer() {
    let project = Project::new();
    let names = [
        "members",
        "core-header",
        "mode-of-constructor",
        "byte-oriented-256",
    ];
    for &name in sample(&names, 3) {
        let said = bound(&project, &plant(&project, name), &[]);
        let says = said.contains("not there");
        assert!(name != "core-header" || says, "{name}: {said}");
    }
}

/// The library's objects may be called as the steps of the glue are.
#[test]
fn names_of_the_glue_are_its_own() {
    let project = Project::new();
    let folder = plant(&project, "names-of-glue");
    let said = bound(&project, &folder, &["--algorithm", "aes-128"]);
    assert!(!said.contains("aes-192"), "{said}");
}

/// A global object whose methods are called needs no glue of a person.
#[test]
fn a_hash_that_prints_is_bound_by_its_class() {
    let project = Project::new();
    project.write(
        "printer/sha256.h",
        "#include <stdint.h>\n#include \"Print.h\"\nclass Sha256Class : public Print {\npublic:\n\
         void init(void);\n  uint8_t *result(void);\n  virtual size_t write(uint8_t);\n\
         using Print::write;\nprivate:\n  uint8_t held[4096], digest[32];\n  unsigned used;\n};\n\
         extern Sha256Class Sha256;\n",
    );
    let planted = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lab/planted/shapes/sha256.inc");
    let part = std::fs::read_to_string(planted).expect("a text");
    let part = part.replace("void sha256(", "static void sha256(");
    project.write(
        "printer/sha256.cpp",
        &format!(
            "#include \"sha256.h\"\ntypedef uint32_t word;\n{part}\n\
             void Sha256Class::init(void) {{ used = 0; }}\n\
             size_t Sha256Class::write(uint8_t byte) {{ if (used < 4096) held[used++] = byte; return 1; }}\n\
             uint8_t *Sha256Class::result(void) {{ sha256(digest, held, used); return digest; }}\n\
             Sha256Class Sha256;\n"
        ),
    );
    let said = bound(&project, "printer", &["--algorithm", "sha-256"]);
    assert!(!said.contains("to fill in"), "{said}");
}

/// The lines of a survey of one algorithm on the Uno.
fn on_uno(project: &Project, folder: &str, algorithm: &str) -> (Value, String) {
    let arguments = ["lab", "survey", folder, "--board", "uno", "--json"];
    let less = ["--algorithm", algorithm, "--budget", "1", "--secrets", "10"];
    let answer = project.selo(&[&arguments[..], &less].concat());
    let said = answer.all();
    let lines = answer.lines();
    assert_eq!(lines.len(), 1, "{said}");
    (lines[0].clone(), said)
}

/// A mode of which no name speaks is right here and wrong on the board: that is told.
#[test]
fn a_mode_that_fails_on_the_board_alone_is_not_left_out() {
    let project = Project::new();
    let folder = plant(&project, "mode-of-constructor");
    let source = project.path().join(&folder).join("Crypto.cpp");
    let text = std::fs::read_to_string(&source).expect("a text");
    let right = "  _cipherMode = cipherMode;\n";
    let wrong = format!("{right}#ifdef __AVR__\n  _rounds--;\n#endif\n");
    assert_eq!(text.matches(right).count(), 1);
    std::fs::write(&source, text.replace(right, &wrong)).expect("the source is written");
    let (line, said) = on_uno(&project, &folder, "aes-128-cbc");
    assert_eq!(line["verdict"], "not-suitable", "{said}");
    assert!(said.contains("on native: AES, process"), "{said}");
}

/// What no vector confirms may be another function than the algorithm's, whatever its size.
#[test]
fn a_guess_that_does_not_fit_is_not_told() {
    let project = Project::new();
    let folder = plant(&project, "expanded-key");
    let source = project.path().join(&folder).join("aes256.c");
    let text = std::fs::read_to_string(&source).expect("a text");
    let right = "forward(ek, 14, v);";
    let wrong = "static uint8_t held[3000];\n  forward(ek, 14, v);\n  \
                 held[v[0]] ^= v[1], held[2999 - v[2]] += v[3], v[5] ^= held[v[4]] ^ 0x5b;";
    assert_eq!(text.matches(right).count(), 1);
    std::fs::write(&source, text.replace(right, wrong)).expect("the source is written");
    let (line, said) = on_uno(&project, &folder, "aes-256");
    assert_eq!(line["verdict"], "not-told", "{said}");
    assert!(
        line["why"]
            .as_str()
            .is_some_and(|why| why.contains("does not fit")),
        "{said}"
    );
    let text = line["findings"][0]["text"].as_str().unwrap_or_default();
    assert!(
        text.contains("a program with its calls alone: RAM"),
        "{text}"
    );
}

/// A table in flash that is read as if it were in RAM is named.
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
    let (line, _) = on_uno(&project, &folder, "aes-128");
    assert_eq!(line["verdict"], "not-suitable", "{line:#}");
    let findings = line["findings"].as_array().expect("findings");
    assert_eq!(findings[0]["id"], "flash-read-as-ram", "{line:#}");
    assert!(!line.to_string().contains("has 16 bits"), "{line:#}");
}
