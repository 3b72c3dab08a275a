//! Whatever a folder holds gets a clear answer, and nothing of it is overwritten.

use super::{finding, mark, survey};
use crate::common::Project;

/// A typical cipher: a header, a source, a context, blocks in place.
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
fn a_folder_becomes_a_library_and_is_never_overwritten() {
    let project = Project::new();
    project.write("elsewhere/toy/toy.h", HEADER);
    project.write("elsewhere/toy/toy.c", SOURCE);
    // It is not AES, and no known mistake explains its outputs: that is a question, not a fault.
    let (answer, lines) = survey(&project, "elsewhere/toy", &["--board", "uno"]);
    assert_eq!(answer.code, Some(5), "{}", answer.all());
    assert_eq!(lines[0]["verdict"], "not-told", "{}", answer.all());
    assert!(!project.path().join("elsewhere/toy/library.toml").exists());
    let made = project.selo(&["lab", "new-library", "elsewhere/toy"]);
    assert_eq!(made.code, Some(5), "{}", made.all());
    assert!(made.stdout.contains("not bound  aes-128"), "{}", made.all());
    let (answer, lines) = survey(&project, "elsewhere/toy", &["--board", "uno,native"]);
    assert_eq!(answer.code, Some(5));
    for line in &lines {
        assert_eq!(mark(line, "builds"), "yes", "{line:#}");
        assert_eq!(mark(line, "conforms"), "not-told");
        assert!(finding(line, "unproven")["vector"].is_string());
    }
    let again = project.selo(&["lab", "new-library", "elsewhere/toy"]);
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
    let made = project.selo(&["lab", "new-library", "ino"]);
    assert_eq!(made.code, Some(5), "{}", made.all());
    let manifest = std::fs::read_to_string(project.path().join("ino/library.toml"));
    assert!(manifest.expect("a manifest").contains("\narduino = true"));
    let more = ["--board", "uno,native", "--algorithm", "aes-128"];
    let (_, lines) = survey(&project, "ino", &more);
    assert_eq!(lines.len(), 2);
    for line in &lines {
        assert_eq!(mark(line, "builds"), "yes", "{line:#}");
        assert_eq!(mark(line, "conforms"), "not-told", "{line:#}");
    }
}

#[test]
fn what_does_not_build_shows_the_compilers_first_error() {
    let project = Project::new();
    project.write("broken/toy.h", HEADER);
    project.write("broken/toy.c", "#include \"toy.h\"\nvoid toy_aes_init( {\n");
    assert_eq!(
        project.selo(&["lab", "new-library", "broken"]).code,
        Some(5)
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
fn sources_for_other_machines_are_no_fault() {
    let project = Project::new();
    project.write(
        "many/aes.h",
        "#include <stdint.h>
void aes_neon_encrypt(const uint8_t *key, const uint8_t *in, uint8_t *out);
void aes_avx_encrypt(const uint8_t *key, const uint8_t *in, uint8_t *out);
",
    );
    for (file, function) in [("neon.c", "aes_neon_encrypt"), ("avx.c", "aes_avx_encrypt")] {
        let text = format!(
            "#include \"aes.h\"\nvoid {function}(const uint8_t *key, const uint8_t *in, uint8_t *out) {{ wide_t x; }}\n"
        );
        project.write(&format!("many/{file}"), &text);
    }
    let answer = project.selo(&["lab", "survey", "many", "--board", "uno", "--budget", "1"]);
    assert_eq!(answer.code, Some(5), "{}", answer.all());
    assert!(!answer.all().contains("not suitable"), "{}", answer.all());
}

#[test]
fn a_call_that_never_returns_ends_its_trial_soon() {
    let project = Project::new();
    project.write("endless/toy.h", HEADER);
    let endless = SOURCE.replace(
        "for (int i = 0; i < 16; i++)",
        "for (volatile int i = 0;; i = 0)",
    );
    assert_ne!(endless, SOURCE);
    project.write("endless/toy.c", &endless);
    let board = ["--board", "native", "--print"];
    let answer = project.selo(&[&["lab", "new-library", "endless"][..], &board].concat());
    assert_eq!(answer.code, Some(5), "{}", answer.all());
    let words = "it stopped: the program stopped: no answer for 2 s";
    assert!(answer.stdout.contains(words), "{}", answer.all());
}

#[test]
fn glue_that_promises_too_much_is_told() {
    let project = Project::new();
    project.write("liar/toy.h", HEADER);
    project.write("liar/toy.c", SOURCE);
    assert_eq!(project.selo(&["lab", "new-library", "liar"]).code, Some(5));
    let manifest = project.path().join("liar/library.toml");
    let text = std::fs::read_to_string(&manifest).expect("a manifest");
    let lie = text.replace(
        "\"key-setup\", \"encrypt\"",
        "\"key-setup\", \"encrypt\", \"decrypt\"",
    );
    assert_ne!(text, lie);
    project.write("liar/library.toml", &lie);
    let (answer, lines) = survey(&project, "liar", &["--board", "native"]);
    assert_eq!(answer.code, Some(5));
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
        let answer = project.selo(&["lab", "new-library", folder]);
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
    // A sparse file of 100 MB, and a good one beside it.
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
    let answer = project.selo(&["lab", "new-library", "large", "--print"]);
    assert_eq!(answer.code, Some(5), "{}", answer.all());
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
