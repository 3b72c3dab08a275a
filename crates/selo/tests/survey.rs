//! `selo lab survey` and `new-contender`: the classic faults are found and named, a right
//! library passes, and whatever lies in a folder gets a clear answer.

mod common;

use common::{Answer, Project};
use serde_json::Value;

/// The lines of a survey. A small budget: each fault shows in the first vectors.
fn survey(project: &Project, library: &str, more: &[&str]) -> (Answer, Vec<Value>) {
    let mut arguments = vec!["lab", "survey", library, "--json", "--budget", "10"];
    arguments.extend(more);
    let answer = project.selo(&arguments);
    let lines = answer.lines();
    assert!(!lines.is_empty(), "{}", answer.all());
    (answer, lines)
}

fn finding<'a>(line: &'a Value, id: &str) -> &'a Value {
    let all = line["findings"].as_array().expect("findings");
    all.iter()
        .find(|finding| finding["id"] == id)
        .unwrap_or_else(|| panic!("no {id} in {line:#}"))
}

fn mark<'a>(line: &'a Value, question: &str) -> &'a str {
    let all = line["answers"].as_array().expect("answers");
    let answer = all.iter().find(|answer| answer["question"] == question);
    answer
        .and_then(|answer| answer["mark"].as_str())
        .expect("a mark")
}

fn evidence<'a>(finding: &'a Value, name: &str) -> Vec<&'a str> {
    let all = finding["evidence"].as_array().expect("evidence").iter();
    all.filter(|one| one["name"] == name)
        .filter_map(|one| one["value"].as_str())
        .collect()
}

#[test]
fn a_wrong_key_schedule_is_named_with_its_vector() {
    let project = Project::new();
    let (answer, lines) = survey(
        &project,
        "test-wrong-key-schedule",
        &["--board", "uno,native"],
    );
    assert_eq!(answer.code, Some(1), "{}", answer.all());
    assert_eq!(lines.len(), 2);
    for line in &lines {
        assert_eq!(line["verdict"], "not-suitable");
        assert_eq!(mark(line, "conforms"), "no");
        let named = finding(line, "wrong-key-schedule");
        assert!(
            named["title"]
                .as_str()
                .expect("a title")
                .contains("256-bit"),
            "{named}"
        );
        assert_eq!(named["citation"], "FIPS 197 (2001), 5.2");
        let wrong = finding(line, "wrong-output");
        let vector = wrong["vector"].as_str().expect("a vector");
        assert!(vector.starts_with("fips197: "), "{vector}");
        // [FIPS197, appendix C.3]
        assert_eq!(
            evidence(wrong, "expected"),
            ["8ea2b7ca516745bfeafc49904b496089"]
        );
        assert_ne!(evidence(wrong, "got"), evidence(wrong, "expected"));
        assert!(line["costs"].as_array().expect("costs").is_empty());
    }
}

#[test]
fn each_wrong_iv_has_its_name() {
    let project = Project::new();
    let (answer, lines) = survey(&project, "test-fixed-iv", &["--board", "native"]);
    assert_eq!(answer.code, Some(1), "{}", answer.all());
    for (strategy, id) in [
        ("fixed", "fixed-iv"),
        ("zero", "zero-iv"),
        ("counter", "counter-iv"),
        ("chained", "chained-iv"),
        ("unseeded", "repeated-iv"),
        ("half", "partly-fixed-iv"),
    ] {
        let line = lines
            .iter()
            .find(|line| line["strategy"] == strategy)
            .expect("a line");
        let finding = finding(line, id);
        assert_eq!(finding["citation"], "NIST SP 800-38A (2001), appendix C");
        assert!(evidence(finding, "IV").len() >= 2, "{finding}");
        assert_eq!(mark(line, "fresh-iv"), "no");
        assert_eq!(line["verdict"], "not-suitable");
    }
}

#[test]
fn ecb_called_cbc_is_named_on_the_uno() {
    let project = Project::new();
    let (answer, lines) = survey(&project, "test-ecb-called-cbc", &["--board", "uno"]);
    assert_eq!(answer.code, Some(1), "{}", answer.all());
    let named = finding(&lines[0], "ecb-called-cbc");
    let shown = evidence(named, "ciphertext")[0];
    assert_eq!(shown[..32], shown[32..64], "equal blocks show");
    assert!(finding(&lines[0], "wrong-output")["vector"].is_string());
}

#[test]
fn a_right_library_passes_with_its_costs() {
    let project = Project::new();
    let more = [
        "--board",
        "uno",
        "--algorithm",
        "aes-128-cbc",
        "--strategy",
        "fast",
    ];
    let (answer, lines) = survey(&project, "selo", &more);
    assert_eq!(answer.code, Some(0), "{}", answer.all());
    let line = &lines[0];
    assert_eq!(line["verdict"], "suitable", "{line:#}");
    for question in ["builds", "fits", "conforms", "fresh-iv", "constant-time"] {
        assert_eq!(mark(line, question), "yes", "{question}");
    }
    let costs = line["costs"].as_array().expect("costs");
    for operation in ["encrypt", "decrypt", "both"] {
        let flash = costs
            .iter()
            .find(|cost| cost["operation"] == operation && cost["metric"] == "flash");
        assert!(
            flash.is_some_and(|cost| cost["value"].as_f64() > Some(100.0)),
            "{operation}"
        );
    }
    assert!(costs.iter().any(|cost| cost["metric"] == "cycles"));
}

#[test]
fn too_large_and_crashing_libraries_are_not_suitable_and_say_why() {
    let project = Project::new();
    let (answer, lines) = survey(&project, "test-too-large", &["--board", "uno"]);
    assert_eq!(answer.code, Some(1));
    assert!(lines.iter().any(|line| {
        mark(line, "fits") == "no" && line["why"].as_str().is_some_and(|why| why.contains("fit"))
    }));
    let text = finding(&lines[0], "does-not-fit")["text"].to_string();
    assert!(text.contains("over; largest:"), "{text}");
}

/// A cipher like many in the wild: a header, a source, a context, blocks in place.
const HEADER: &str = "
#include <stdint.h>
#define NOTHING_KEYLEN 16
struct toy_ctx { uint8_t rk[176]; };
void toy_aes_init(struct toy_ctx *ctx, const uint8_t *key);
void toy_aes_encrypt(const struct toy_ctx *ctx, uint8_t *block);
";

const SOURCE: &str = "
#include \"toy.h\"
#include <string.h>
void toy_aes_init(struct toy_ctx *ctx, const uint8_t *key) { memcpy(ctx->rk, key, 16); }
void toy_aes_encrypt(const struct toy_ctx *ctx, uint8_t *block)
{
    for (int i = 0; i < 16; i++)
        block[i] ^= ctx->rk[i];
}
";

#[test]
fn a_folder_becomes_a_contender_and_is_never_overwritten() {
    let project = Project::new();
    project.write("elsewhere/toy/toy.h", HEADER);
    project.write("elsewhere/toy/toy.c", SOURCE);
    let before = project.selo(&["lab", "survey", "elsewhere/toy"]);
    assert_eq!(before.code, Some(2), "{}", before.all());
    assert!(
        before.stderr.contains("selo lab new-contender"),
        "{}",
        before.all()
    );
    let made = project.selo(&["lab", "new-contender", "elsewhere/toy"]);
    assert_eq!(made.code, Some(0), "{}", made.all());
    assert!(made.stdout.contains("glue for aes-128"), "{}", made.all());
    let (answer, lines) = survey(&project, "elsewhere/toy", &["--board", "uno,native"]);
    assert_eq!(answer.code, Some(1));
    for line in &lines {
        assert_eq!(mark(line, "builds"), "yes", "{line:#}");
        assert_eq!(mark(line, "conforms"), "no");
        assert!(finding(line, "wrong-output")["vector"].is_string());
    }
    let again = project.selo(&["lab", "new-contender", "elsewhere/toy"]);
    assert_eq!(again.code, Some(2), "{}", again.all());
    assert!(again.stderr.contains("not overwritten") && again.stderr.contains("hint:"));
}

#[test]
fn a_class_for_arduino_is_surveyed() {
    let project = Project::new();
    project.write(
        "ino/Toy.h",
        "#include <Arduino.h>
class ToyAES {
public:
    virtual ~ToyAES() {}
    virtual bool setKey(const uint8_t *key, size_t len);
    virtual void encryptBlock(uint8_t *output, const uint8_t *input);
private:
    byte schedule[16];
};
",
    );
    project.write(
        "ino/Toy.cpp",
        "#include \"Toy.h\"
static const byte table[2] PROGMEM = {1, 2};
bool ToyAES::setKey(const uint8_t *key, size_t len) { memcpy(schedule, key, 16); return len == 16; }
void ToyAES::encryptBlock(uint8_t *output, const uint8_t *input)
{
    Serial.println(F(\"hello\"));
    for (byte i = 0; i < 16; i++)
        output[i] = input[i] ^ schedule[i] ^ pgm_read_byte(&table[i & 1]);
}
",
    );
    let made = project.selo(&["lab", "new-contender", "ino"]);
    assert_eq!(made.code, Some(0), "{}", made.all());
    let manifest = std::fs::read_to_string(project.path().join("ino/contender.toml"));
    assert!(manifest.expect("a manifest").contains("\narduino = true"));
    let more = ["--board", "uno,native", "--algorithm", "aes-128"];
    let (_, lines) = survey(&project, "ino", &more);
    assert_eq!(lines.len(), 2);
    for line in &lines {
        assert_eq!(mark(line, "builds"), "yes", "{line:#}");
        assert_eq!(mark(line, "conforms"), "no", "{line:#}");
    }
}

#[test]
fn what_does_not_build_shows_the_compilers_first_error() {
    let project = Project::new();
    project.write("broken/toy.h", HEADER);
    project.write("broken/toy.c", "#include \"toy.h\"\nvoid toy_aes_init( {\n");
    assert_eq!(
        project.selo(&["lab", "new-contender", "broken"]).code,
        Some(0)
    );
    let (answer, lines) = survey(&project, "broken", &["--board", "uno"]);
    assert_eq!(answer.code, Some(1));
    let found = finding(&lines[0], "does-not-build");
    assert!(
        found["text"]
            .as_str()
            .is_some_and(|text| text.contains("toy.c:2") && text.contains("error")),
        "{found}"
    );
}

#[test]
fn glue_that_promises_too_much_is_told() {
    let project = Project::new();
    project.write("liar/toy.h", HEADER);
    project.write("liar/toy.c", SOURCE);
    assert_eq!(
        project.selo(&["lab", "new-contender", "liar"]).code,
        Some(0)
    );
    let manifest = project.path().join("liar/contender.toml");
    let text = std::fs::read_to_string(&manifest).expect("a manifest");
    let lie = text.replace(
        "\"key-setup\", \"encrypt\"",
        "\"key-setup\", \"encrypt\", \"decrypt\"",
    );
    assert_ne!(text, lie);
    project.write("liar/contender.toml", &lie);
    let (answer, lines) = survey(&project, "liar", &["--board", "native"]);
    assert_eq!(answer.code, Some(1));
    let found = finding(&lines[0], "does-not-start");
    assert!(
        found["text"]
            .as_str()
            .is_some_and(|text| text.contains("'decrypt'")),
        "{found}"
    );
}

#[test]
fn whatever_lies_in_a_folder_gets_an_answer() {
    let project = Project::new();
    let refuse = |folder: &str, words: &str| {
        let answer = project.selo(&["lab", "new-contender", folder]);
        assert_eq!(answer.code, Some(2), "{folder}: {}", answer.all());
        assert!(
            answer.stderr.contains(words) && answer.stderr.contains("hint:"),
            "{folder}: {}",
            answer.all()
        );
    };
    std::fs::create_dir_all(project.path().join("empty")).expect("a folder");
    refuse("empty", "is empty");
    refuse("nowhere", "does not exist");
    project.write("file.c", "int x;");
    refuse("file.c", "is a file");
    project.write("prose/readme.md", "# nothing");
    refuse("prose", "holds no C or C++");
    project.write("junk/aes.h", "void aes(\0\0\u{1}");
    refuse("junk", "binary");
    // One of 100 MB, which takes no room, and a good one beside it.
    project.write("large/toy.h", HEADER);
    let file = std::fs::File::create(project.path().join("large/big.c")).expect("a file");
    file.set_len(100 << 20).expect("a hole");
    let loop_path = project.path().join("large/round");
    std::os::unix::fs::symlink(project.path().join("large"), loop_path).expect("a link");
    std::fs::write(
        project.path().join("large/latin.h"),
        b"/* caf\xe9 */ int caf\xe9(void);\n",
    )
    .expect("a file");
    let answer = project.selo(&["lab", "new-contender", "large", "--print"]);
    assert_eq!(answer.code, Some(0), "{}", answer.all());
    assert!(
        answer.stdout.contains("100 MB is more than a source has"),
        "{}",
        answer.all()
    );
    assert!(
        answer.stdout.contains("round is a link to a folder"),
        "{}",
        answer.all()
    );
    let unknown = project.selo(&["lab", "survey", "sello"]);
    assert_eq!(unknown.code, Some(2));
    assert!(
        unknown.stderr.contains("did you mean 'selo'"),
        "{}",
        unknown.all()
    );
}

#[test]
fn the_report_has_the_verdict_and_the_fault() {
    let project = Project::new();
    let arguments = [
        "lab",
        "survey",
        "test-ecb-called-cbc",
        "--board",
        "native",
        "--budget",
        "10",
        "--out",
        "told",
    ];
    let answer = project.selo(&arguments);
    assert_eq!(answer.code, Some(1), "{}", answer.all());
    for (file, words) in [
        ("told/survey.html", "<!DOCTYPE html>"),
        ("told/survey.md", "# ECB called CBC on purpose"),
        ("told/survey.jsonl", "selo.survey/1"),
    ] {
        let text = std::fs::read_to_string(project.path().join(file)).expect("a file");
        assert!(text.contains(words), "{file}");
        assert!(text.contains("It is ECB, called CBC"), "{file}");
    }
    assert!(answer.stdout.contains("FAULT") && answer.stdout.contains("found by"));
}
