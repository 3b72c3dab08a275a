//! `selo lab survey` of a library that is an archive, a git repository, or a name of Arduino's index.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::common::{Answer, Project};
use crate::paper_libraries::core;

const HEADER: &str = "#include <stdint.h>
void aes128_set_key(uint8_t *schedule, const uint8_t *key);
void aes128_encrypt(const uint8_t *schedule, const uint8_t *in, uint8_t *out);
";

/// A correct cipher that needs the macro `WORDS` of its own build.
fn source() -> String {
    let functions = "
void aes128_set_key(uint8_t *schedule, const uint8_t *key) { expand(key, WORDS, schedule); }
void aes128_encrypt(const uint8_t *schedule, const uint8_t *in, uint8_t *out)
{ memmove(out, in, 16); forward(schedule, WORDS + 6, out); (void)backward; }
";
    format!("#include \"aes.h\"\n{}{functions}", core())
}

/// A wrong cipher with the same functions, which the library's own build leaves out.
const WRONG: &str = "#include \"aes.h\"
#include <string.h>
void aes128_set_key(uint8_t *schedule, const uint8_t *key) { memcpy(schedule, key, 16); }
void aes128_encrypt(const uint8_t *schedule, const uint8_t *in, uint8_t *out) { memmove(out, in, 16); out[0] ^= schedule[0]; }
";

const PLATFORMIO: &str = "{\n\"version\": \"3.1\",\n\"build\": {\"flags\": \"-DWORDS=4\", \"srcFilter\": \"+<*> -<a_port/>\"}\n}\n";

/// Writes the library into a folder of the project.
fn library(project: &Project, folder: &str) {
    project.write(&format!("{folder}/aes.h"), HEADER);
    project.write(&format!("{folder}/aes.c"), &source());
    project.write(&format!("{folder}/a_port/wrong.c"), WRONG);
    project.write(&format!("{folder}/library.json"), PLATFORMIO);
}

fn run(folder: &Path, program: &str, arguments: &[&str]) {
    let output = Command::new(program)
        .current_dir(folder)
        .args(arguments)
        .output()
        .expect("the program runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {said}");
}

fn is_bound(answer: &Answer) {
    let text = answer
        .stdout
        .lines()
        .find(|line| line.contains("\"aes-128\""));
    let line = text.unwrap_or_else(|| panic!("{}", answer.all()));
    let line: Value = serde_json::from_str(line).expect("a line of JSON");
    assert_eq!(line["library_version"], "3.1", "{line:#}");
    assert_ne!(line["verdict"], "not-told", "{}", answer.all());
}

fn survey(given: &str) -> Vec<&str> {
    let fixed = [
        "--board",
        "native",
        "--algorithm",
        "aes-128",
        "--budget",
        "1",
        "--json",
    ];
    [&["lab", "survey", given][..], &fixed].concat()
}

#[test]
fn an_archive_a_repository_and_a_folder_are_surveyed_alike() {
    let project = Project::new();
    library(&project, "theirs/aes");
    let at = project.path().join("theirs");
    run(&at, "tar", &["-czf", "aes.tar.gz", "aes"]);
    run(&at, "tar", &["-cJf", "aes.tar.xz", "aes"]);
    let folder = at.join("aes");
    run(&folder, "git", &["init", "--quiet"]);
    run(&folder, "git", &["add", "--all"]);
    let who = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
    run(
        &folder,
        "git",
        &[&who[..], &["commit", "--quiet", "--message=one"]].concat(),
    );
    let address = format!("file://{}", folder.display());
    for given in [
        "theirs/aes.tar.gz",
        "theirs/aes.tar.xz",
        "theirs/aes",
        &address,
    ] {
        is_bound(&project.selo(&survey(given)));
    }
    let left: Vec<_> = std::fs::read_dir(&folder)
        .expect("a folder")
        .flatten()
        .collect();
    assert_eq!(
        left.len(),
        5,
        "nothing was written into the user's folder: {left:?}"
    );
}

#[test]
fn what_is_no_library_says_why() {
    let project = Project::new();
    project.write("aes.zip", "not an archive");
    project.write("aes.txt", "a text");
    std::fs::create_dir(project.path().join("empty")).expect("a folder");
    for (given, words) in [
        ("empty", "selo-lab: empty is empty"),
        ("https://example.org/o/aes.zip", "download an archive first"),
        ("aes.zip", "not readable as zip"),
        ("aes.txt", "or an archive (.tar.gz"),
        (
            "http://example.org/o/aes",
            "is not the address of a git repository",
        ),
        (
            "file:///nowhere/at/all",
            "does not appear to be a git repository",
        ),
    ] {
        let answer = project.selo(&survey(given));
        assert!(!matches!(answer.code, Some(0)), "{}", answer.all());
        assert!(answer.stderr.contains(words), "{words}: {}", answer.all());
        assert!(answer.stdout.is_empty());
    }
    let answer = project.selo(&["lab", "survey", "--corpus", "nowhere"]);
    assert_eq!(answer.code, Some(2), "{}", answer.all());
    assert!(
        answer.stderr.contains("nowhere: is not a folder"),
        "{}",
        answer.all()
    );
}

#[test]
fn a_name_of_arduinos_index_is_downloaded_by_arduino_cli() {
    let project = Project::new();
    library(&project, "index/Toy_AES");
    // Takes the place of arduino-cli: it installs one library into the folder that it is given.
    let script = format!(
        "#!/bin/sh\n[ \"$*\" = 'lib install --no-deps Toy AES' ] || {{ echo \"Error: $4 not found\" >&2; exit 1; }}\n\
         mkdir -p \"$ARDUINO_DIRECTORIES_USER/libraries\"\n\
         cp -r '{}' \"$ARDUINO_DIRECTORIES_USER/libraries/\"\n",
        project.path().join("index/Toy_AES").display()
    );
    project.write("bin/arduino-cli", &script);
    run(project.path(), "chmod", &["+x", "bin/arduino-cli"]);
    let with = |given: &str| {
        let path = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:{path}", project.path().join("bin").display());
        let output = project.command(&survey(given)).env("PATH", path).output();
        Answer::of(output.expect("the command runs"))
    };
    is_bound(&with("Toy AES"));
    let unknown = with("Other");
    assert_eq!(unknown.code, Some(2), "{}", unknown.all());
    assert!(
        unknown.stderr.contains("Error: Other not found"),
        "{}",
        unknown.all()
    );
    let without = project.selo(&survey("Toy AES"));
    assert_eq!(without.code, Some(2), "{}", without.all());
    assert!(
        without.stderr.contains("with arduino-cli"),
        "{}",
        without.all()
    );
}

/// What was not tried is named, and nothing is said about the library.
#[test]
fn trials_without_time_judge_nothing() {
    let project = Project::new();
    library(&project, "theirs");
    let answer = project.selo(&[&survey("theirs")[..], &["--trial-minutes", "0"]].concat());
    let said = answer.all();
    assert_eq!(answer.code, Some(5), "{said}");
    assert!(answer.stdout.is_empty(), "{said}");
    assert!(
        said.contains("not tried  aes-128: the time for trials was over"),
        "{said}"
    );
    assert!(said.contains("--trial-minutes"), "{said}");
    is_bound(&project.selo(&survey("theirs")));
}

#[test]
fn what_does_not_exist_is_named_and_no_library_of_tests_is_offered() {
    let project = Project::new();
    let answer = project.selo(&survey("no/such/folder"));
    assert_eq!(answer.code, Some(2));
    assert!(
        answer.stderr.contains("no/such/folder: does not exist"),
        "{}",
        answer.stderr
    );
    let answer = project.selo(&survey("unheard-of"));
    assert_eq!(answer.code, Some(2));
    assert!(answer.stderr.contains("'unheard-of'"), "{}", answer.stderr);
    assert!(!answer.stderr.contains("test-"), "{}", answer.stderr);
}
