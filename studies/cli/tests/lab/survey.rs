//! `selo lab survey` and `new-library`: they find and name the classic faults, pass a correct
//! library, and give a clear answer for any content of a folder.

use crate::common::{Answer, Project, sample};
use serde_json::Value;

/// The lines of a survey. The budget is small, because the first vectors reveal each fault.
fn survey(project: &Project, library: &str, more: &[&str]) -> (Answer, Vec<Value>) {
    let mut arguments = vec![
        "lab",
        "survey",
        library,
        "--json",
        "--budget",
        "10",
        "--secrets",
        "100",
    ];
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
    for (variant, id) in [
        ("fixed", "fixed-iv"),
        ("zero", "zero-iv"),
        ("counter", "counter-iv"),
        ("chained", "chained-iv"),
        ("unseeded", "repeated-iv"),
        ("half", "partly-fixed-iv"),
    ] {
        let line = lines
            .iter()
            .find(|line| line["variant"] == variant)
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
        "--variant",
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
        ("told/survey.jsonl", "selo.survey/2"),
    ] {
        let text = std::fs::read_to_string(project.path().join(file)).expect("a file");
        assert!(text.contains(words), "{file}");
        assert!(text.contains("This CBC is really ECB"), "{file}");
    }
    assert!(answer.stdout.contains("FAULT") && answer.stdout.contains("found by"));
}

/// SHA-256 [FIPS180-4] with the usual interface: a context and three calls.
const HASH_HEADER: &str = "
#include <stddef.h>
#include <stdint.h>
typedef struct { uint32_t state[8]; uint8_t block[64]; uint64_t bytes; } SHA256_CTX;
void sha256_init(SHA256_CTX *ctx);
void sha256_update(SHA256_CTX *ctx, const uint8_t data[], size_t len);
void sha256_final(SHA256_CTX *ctx, uint8_t hash[]);
";

const HASH_SOURCE: &str = "
#include \"sha256.h\"
/* The first 32 bits of the fraction of a prime's square or cube root. */
static uint32_t root(unsigned prime, int cube)
{
    unsigned __int128 low = 0, high = (unsigned __int128)1 << 38;
    while (high - low > 1) {
        unsigned __int128 x = low + (high - low) / 2;
        if ((cube ? x * x * x >> 96 : x * x >> 64) < prime) low = x; else high = x;
    }
    return (uint32_t)low;
}
static uint16_t next_prime(uint16_t after)
{
    for (;;) {
        uint16_t d = 2;
        after++;
        while (d < after && after % d != 0) d++;
        if (d == after) return after;
    }
}
static uint32_t ror(uint32_t x, int n) { return x >> n | x << (32 - n); }
static void compress(SHA256_CTX *c)
{
    uint32_t w[16], s[8];
    uint16_t prime = 1;
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)c->block[4 * i] << 24 | (uint32_t)c->block[4 * i + 1] << 16 |
               (uint32_t)c->block[4 * i + 2] << 8 | c->block[4 * i + 3];
    for (int i = 0; i < 8; i++) s[i] = c->state[i];
    for (int t = 0; t < 64; t++) {
        prime = next_prime(prime);
        if (t >= 16) {
            uint32_t x = w[(t + 1) & 15], y = w[(t + 14) & 15];
            w[t & 15] += w[(t + 9) & 15] + (ror(x, 7) ^ ror(x, 18) ^ x >> 3) +
                         (ror(y, 17) ^ ror(y, 19) ^ y >> 10);
        }
        uint32_t a = s[7] + (ror(s[4], 6) ^ ror(s[4], 11) ^ ror(s[4], 25)) +
                     ((s[4] & s[5]) ^ (~s[4] & s[6])) + root(prime, 1) + w[t & 15];
        uint32_t b = (ror(s[0], 2) ^ ror(s[0], 13) ^ ror(s[0], 22)) +
                     ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        for (int i = 7; i > 0; i--) s[i] = s[i - 1];
        s[4] += a;
        s[0] = a + b;
    }
    for (int i = 0; i < 8; i++) c->state[i] += s[i];
}
void sha256_init(SHA256_CTX *c)
{
    uint16_t prime = 1;
    c->bytes = 0;
    for (int i = 0; i < 8; i++) c->state[i] = root(prime = next_prime(prime), 0);
}
void sha256_update(SHA256_CTX *c, const uint8_t data[], size_t len)
{
    while (len-- > 0) {
        c->block[c->bytes++ % 64] = *data++;
        if (c->bytes % 64 == 0) compress(c);
    }
}
void sha256_final(SHA256_CTX *c, uint8_t hash[])
{
    uint64_t bits = 8 * c->bytes;
    uint8_t end = 0x80, zero = 0;
    sha256_update(c, &end, 1);
    while (c->bytes % 64 != 56) sha256_update(c, &zero, 1);
    for (int i = 56; i >= 0; i -= 8) {
        uint8_t byte = (uint8_t)(bits >> i);
        sha256_update(c, &byte, 1);
    }
    for (int i = 0; i < 32; i++) hash[i] = (uint8_t)(c->state[i / 4] >> (24 - 8 * (i % 4)));
}
";

#[test]
fn a_hash_in_a_folder_becomes_a_library_that_conforms() {
    let project = Project::new();
    project.write("elsewhere/sums/sha256.h", HASH_HEADER);
    project.write("elsewhere/sums/sha256.c", HASH_SOURCE);
    let made = project.selo(&["lab", "new-library", "elsewhere/sums"]);
    assert_eq!(made.code, Some(0), "{}", made.all());
    assert!(made.stdout.contains("bound      sha-256"), "{}", made.all());
    let (answer, lines) = survey(&project, "elsewhere/sums", &["--board", "native"]);
    let line = &lines[0];
    assert_eq!(mark(line, "builds"), "yes", "{line:#}");
    assert_eq!(mark(line, "conforms"), "yes", "{line:#}");
    assert_eq!(answer.code, Some(0), "{}", answer.all());

    // The vectors detect one wrong rotation.
    let wrong = HASH_SOURCE.replace("ror(x, 18)", "ror(x, 17)");
    project.write("elsewhere/sums/sha256.c", &wrong);
    let (answer, lines) = survey(&project, "elsewhere/sums", &["--board", "native"]);
    assert_eq!(answer.code, Some(1), "{}", answer.all());
    assert!(finding(&lines[0], "wrong-output")["vector"].is_string());
}

/// HMAC [FIPS198-1] over SHA-256, in three calls.
const MAC: &str = "
typedef struct { SHA256_CTX inner, outer; } HMAC_CTX;
void hmac_sha256_init(HMAC_CTX *ctx, const uint8_t *key, size_t keylen);
void hmac_sha256_update(HMAC_CTX *ctx, const uint8_t *data, size_t len);
void hmac_sha256_final(HMAC_CTX *ctx, uint8_t *mac);
";

const MAC_SOURCE: &str = "
static void padded(SHA256_CTX *c, const uint8_t *key, size_t keylen, uint8_t with)
{
    uint8_t pad[64];
    for (size_t i = 0; i < 64; i++) pad[i] = (uint8_t)((i < keylen ? key[i] : 0) ^ with);
    sha256_init(c);
    sha256_update(c, pad, 64);
}
static void hmac_start(SHA256_CTX *c, const uint8_t *key, size_t keylen, uint8_t with)
{
    uint8_t shorter[32];
    if (keylen > 64) {
        sha256_init(c);
        sha256_update(c, key, keylen);
        sha256_final(c, shorter);
        key = shorter;
        keylen = 32;
    }
    padded(c, key, keylen, with);
}
";

const MAC_CALLS: &str = "
void hmac_sha256_init(HMAC_CTX *ctx, const uint8_t *key, size_t keylen)
{
    hmac_start(&ctx->inner, key, keylen, 0x36);
    hmac_start(&ctx->outer, key, keylen, 0x5c);
}
void hmac_sha256_update(HMAC_CTX *ctx, const uint8_t *data, size_t len)
{
    sha256_update(&ctx->inner, data, len);
}
void hmac_sha256_final(HMAC_CTX *ctx, uint8_t *mac)
{
    uint8_t digest[32];
    sha256_final(&ctx->inner, digest);
    sha256_update(&ctx->outer, digest, 32);
    sha256_final(&ctx->outer, mac);
}
";

/// Surveys `folder`. Its lines must be for exactly these algorithms, and their mark `conforms` must
/// be `expected`.
#[track_caller]
fn conforms(project: &Project, folder: &str, algorithms: &[&str], expected: &str) {
    let (answer, lines) = survey(project, folder, &["--board", "native"]);
    let mut of: Vec<&str> = lines
        .iter()
        .filter_map(|line| line["algorithm"].as_str())
        .collect();
    of.sort_unstable();
    assert_eq!(of, algorithms, "{}", answer.all());
    for line in &lines {
        assert_eq!(mark(line, "builds"), "yes", "{line:#}");
        assert_eq!(mark(line, "conforms"), expected, "{line:#}");
    }
}

#[test]
fn a_mac_in_a_folder_becomes_a_library_that_conforms() {
    let project = Project::new();
    let folder = "elsewhere/sums";
    project.write("elsewhere/sums/sha256.h", &[HASH_HEADER, MAC].concat());
    let source = [HASH_SOURCE, MAC_SOURCE, MAC_CALLS].concat();
    project.write("elsewhere/sums/sha256.c", &source);
    let made = project.selo(&["lab", "new-library", folder]);
    assert_eq!(made.code, Some(0), "{}", made.all());
    conforms(&project, folder, &["hmac-sha-256", "sha-256"], "yes");
}

/// The same as methods of a class, which takes the key again at the end, as Arduino's most used
/// hash library does.
const CLASS: &str = "
class SHA256 {
public:
    void reset();
    void update(const void *data, size_t len);
    void finalize(void *hash, size_t len);
    void resetHMAC(const void *key, size_t keyLen);
    void finalizeHMAC(const void *key, size_t keyLen, void *hash, size_t hashLen);
private:
    SHA256_CTX state;
};
";

const METHODS: &str = "
void SHA256::reset() { sha256_init(&state); }
void SHA256::update(const void *data, size_t len) { sha256_update(&state, (const uint8_t *)data, len); }
void SHA256::finalize(void *hash, size_t) { sha256_final(&state, (uint8_t *)hash); }
void SHA256::resetHMAC(const void *key, size_t keyLen)
{
    hmac_start(&state, (const uint8_t *)key, keyLen, 0x36);
}
void SHA256::finalizeHMAC(const void *key, size_t keyLen, void *hash, size_t)
{
    uint8_t digest[32];
    sha256_final(&state, digest);
    hmac_start(&state, (const uint8_t *)key, keyLen, 0x5c);
    sha256_update(&state, digest, 32);
    sha256_final(&state, (uint8_t *)hash);
}
";

#[test]
fn a_class_in_a_folder_becomes_a_library_that_conforms() {
    let project = Project::new();
    let folder = "elsewhere/classes";
    let (types, _) = HASH_HEADER.split_once("void ").expect("declarations");
    project.write("elsewhere/classes/SHA256.h", &[types, CLASS].concat());
    let source = |methods: &str| {
        let functions = [HASH_SOURCE, MAC_SOURCE].concat();
        let functions = functions.replace("\nvoid sha256", "\nstatic void sha256");
        [&functions.replace("sha256.h", "SHA256.h"), methods].concat()
    };
    project.write("elsewhere/classes/SHA256.cpp", &source(METHODS));
    let made = project.selo(&["lab", "new-library", folder]);
    assert_eq!(made.code, Some(0), "{}", made.all());
    let both = ["hmac-sha-256", "sha-256"];
    conforms(&project, folder, &both, "yes");

    // A digest that ignores the message fails for both algorithms.
    let wrong = METHODS.replace(
        "sha256_update(&state, (const uint8_t *)data, len);",
        "(void)data; (void)len;",
    );
    project.write("elsewhere/classes/SHA256.cpp", &source(&wrong));
    conforms(&project, folder, &both, "no");
}

/// Ascon-AEAD128 [SP800-232] with the interface of the competition that it won.
const SEALING: &str = "
#include <stdint.h>
#define CRYPTO_KEYBYTES 16
#define CRYPTO_NPUBBYTES 16
#define CRYPTO_ABYTES 16
static uint64_t ror(uint64_t x, int n) { return x >> n | x << (64 - n); }
static void permute(uint64_t s[5], int rounds)
{
    for (int i = 12 - rounds; i < 12; i++) {
        uint64_t t[5];
        s[2] ^= (uint64_t)((15 - i) << 4 | i);
        s[0] ^= s[4]; s[4] ^= s[3]; s[2] ^= s[1];
        for (int j = 0; j < 5; j++) t[j] = s[j] ^ (~s[(j + 1) % 5] & s[(j + 2) % 5]);
        t[1] ^= t[0]; t[0] ^= t[4]; t[3] ^= t[2]; t[2] = ~t[2];
        s[0] = t[0] ^ ror(t[0], 19) ^ ror(t[0], 28);
        s[1] = t[1] ^ ror(t[1], 61) ^ ror(t[1], 39);
        s[2] = t[2] ^ ror(t[2], 1) ^ ror(t[2], 6);
        s[3] = t[3] ^ ror(t[3], 10) ^ ror(t[3], 17);
        s[4] = t[4] ^ ror(t[4], 7) ^ ror(t[4], 41);
    }
}
static void mix(uint64_t *s, unsigned at, uint8_t byte) { s[at / 8] ^= (uint64_t)byte << 8 * (at % 8); }
static uint64_t word(const uint8_t *p)
{
    uint64_t x = 0;
    for (int i = 7; i >= 0; i--) x = x << 8 | p[i];
    return x;
}
static void crypt(uint8_t *out, uint8_t tag[16], const uint8_t *in, unsigned long long size,
                  const uint8_t *ad, unsigned long long ad_size, const uint8_t *nonce,
                  const uint8_t *key, int opens)
{
    uint64_t s[5] = {0x00001000808c0001, word(key), word(key + 8), word(nonce), word(nonce + 8)};
    unsigned long long i;
    permute(s, 12);
    s[3] ^= word(key);
    s[4] ^= word(key + 8);
    if (ad_size > 0) {
        for (i = 0; i < ad_size; i++) {
            mix(s, i % 16, ad[i]);
            if (i % 16 == 15) permute(s, 8);
        }
        mix(s, i % 16, 1);
        permute(s, 8);
    }
    s[4] ^= (uint64_t)1 << 63;
    for (i = 0; i < size; i++) {
        uint8_t byte = in[i], stream = (uint8_t)(s[i % 16 / 8] >> 8 * (i % 8));
        out[i] = byte ^ stream;
        mix(s, i % 16, opens ? out[i] : byte);
        if (i % 16 == 15) permute(s, 8);
    }
    mix(s, i % 16, 1);
    s[2] ^= word(key);
    s[3] ^= word(key + 8);
    permute(s, 12);
    for (int j = 0; j < 16; j++)
        tag[j] = (uint8_t)(s[3 + j / 8] >> 8 * (j % 8)) ^ key[j];
}
int crypto_aead_encrypt(unsigned char *c, unsigned long long *clen, const unsigned char *m,
                        unsigned long long mlen, const unsigned char *ad,
                        unsigned long long adlen, const unsigned char *nsec,
                        const unsigned char *npub, const unsigned char *k)
{
    (void)nsec;
    crypt(c, c + mlen, m, mlen, ad, adlen, npub, k, 0);
    *clen = mlen + 16;
    return 0;
}
int crypto_aead_decrypt(unsigned char *m, unsigned long long *mlen, unsigned char *nsec,
                        const unsigned char *c, unsigned long long clen,
                        const unsigned char *ad, unsigned long long adlen,
                        const unsigned char *npub, const unsigned char *k)
{
    uint8_t tag[16], other = 0;
    (void)nsec;
    if (clen < 16) return -1;
    crypt(m, tag, c, clen - 16, ad, adlen, npub, k, 1);
    for (int i = 0; i < 16; i++) other |= tag[i] ^ c[clen - 16 + i];
    *mlen = clen - 16;
    return other ? -1 : 0;
}
";

#[test]
fn a_sealing_cipher_in_a_folder_becomes_a_library_that_conforms() {
    let project = Project::new();
    project.write("elsewhere/asconaead128/aead.c", SEALING);
    let made = project.selo(&["lab", "new-library", "elsewhere/asconaead128"]);
    assert_eq!(made.code, Some(0), "{}", made.all());
    assert!(
        made.stdout.contains("bound      ascon-aead128"),
        "{}",
        made.all()
    );
    let folder = "elsewhere/asconaead128";
    let (answer, lines) = survey(&project, folder, &["--board", "native"]);
    assert_eq!(mark(&lines[0], "builds"), "yes", "{}", answer.all());
    assert_eq!(mark(&lines[0], "conforms"), "yes", "{}", answer.all());

    // The survey detects a library that accepts every tag.
    let wrong = SEALING.replace("return other ? -1 : 0;", "return 0 * other;");
    project.write("elsewhere/asconaead128/aead.c", &wrong);
    let (answer, lines) = survey(&project, folder, &["--board", "native"]);
    assert_eq!(answer.code, Some(1), "{}", answer.all());
    assert_eq!(mark(&lines[0], "conforms"), "no");
}

/// Speck128/128 [SPECK2013] without an interface.
const SPECK: &str = "
static uint64_t load(const uint8_t *p)
{
    uint64_t x = 0;
    for (int8_t i = 7; i >= 0; i--) x = x << 8 | p[i];
    return x;
}
static void store(uint8_t *p, uint64_t x)
{
    for (uint8_t i = 0; i < 8; i++) p[i] = (uint8_t)(x >> 8 * i);
}
static void turn(uint64_t *x, uint64_t *y, uint64_t k)
{
    *x = ((*x >> 8 | *x << 56) + *y) ^ k;
    *y = (*y << 3 | *y >> 61) ^ *x;
}
static void expand(uint64_t rk[32], const uint8_t *key)
{
    uint64_t k = load(key), l = load(key + 8);
    for (uint8_t i = 0; i < 32; i++) {
        rk[i] = k;
        turn(&l, &k, i);
    }
}
static void forward(const uint64_t rk[32], uint8_t *to, const uint8_t *from)
{
    uint64_t y = load(from), x = load(from + 8);
    for (uint8_t i = 0; i < 32; i++) turn(&x, &y, rk[i]);
    store(to, y);
    store(to + 8, x);
}
";

/// Interfaces of strangers: header, source, and the name of the source.
const SHAPES: [(&str, &str, &str, &str); 5] = [
    (
        "typedefs",
        "speck.c",
        "#include <stdint.h>
typedef unsigned char u8;
typedef uint64_t un64;
void speck_setkey(un64 *ks, const u8 *k);
void speck_encrypt(const un64 *ks, const u8 *p, u8 *c);
",
        "void speck_setkey(un64 *ks, const u8 *k) { expand(ks, k); }
void speck_encrypt(const un64 *ks, const u8 *p, u8 *c) { forward(ks, c, p); }
",
    ),
    (
        "blocks",
        "speck.c",
        "#include <stdint.h>
struct speck { uint64_t rk[32]; };
void speck_init(struct speck *s, const uint8_t *key, int bits);
void speck_ecb_encrypt(struct speck *s, uint8_t *out, const uint8_t *in, unsigned nblocks);
",
        "void speck_init(struct speck *s, const uint8_t *key, int bits) { if (bits == 128) expand(s->rk, key); }
void speck_ecb_encrypt(struct speck *s, uint8_t *out, const uint8_t *in, unsigned nblocks)
{
    for (; nblocks > 0; nblocks--, in += 16, out += 16) forward(s->rk, out, in);
}
",
    ),
    (
        "global",
        "speck.c",
        "#include <stdint.h>
void speck_key(const uint8_t key[16]);
uint8_t *speck_encipher(const uint8_t *data);
",
        "static uint64_t schedule[32];
static uint8_t result[16];
void speck_key(const uint8_t key[16]) { expand(schedule, key); }
uint8_t *speck_encipher(const uint8_t *data) { forward(schedule, result, data); return result; }
",
    ),
    (
        "subclasses",
        "Speck.cpp",
        "#include <stdint.h>
#include <stddef.h>
class BlockCipher {
public:
    virtual bool setKey(const uint8_t *key, size_t len) = 0;
    virtual void encryptBlock(uint8_t *output, const uint8_t *input) = 0;
};
class Speck : public BlockCipher {
public:
    bool setKey(const uint8_t *key, size_t len);
    void encryptBlock(uint8_t *output, const uint8_t *input);
private:
    uint64_t schedule[32];
};
",
        "bool Speck::setKey(const uint8_t *key, size_t len) { expand(schedule, key); return len == 16; }
void Speck::encryptBlock(uint8_t *output, const uint8_t *input) { forward(schedule, output, input); }
",
    ),
    (
        "opaque",
        "speck.c",
        "#include <stdint.h>
struct speck_key;
struct speck_key *speck_key_expand(const uint8_t *key, unsigned len);
void speck_encrypt_block(const uint8_t *in, uint8_t *out, const struct speck_key *key);
int main(void);
",
        "struct speck_key { uint64_t rk[32]; };
static struct speck_key only;
struct speck_key *speck_key_expand(const uint8_t *key, unsigned len)
{
    if (len == 16) expand(only.rk, key);
    return &only;
}
void speck_encrypt_block(const uint8_t *in, uint8_t *out, const struct speck_key *key)
{
    forward(key->rk, out, in);
}
",
    ),
];

#[test]
fn interfaces_of_strangers_are_bound_unedited() {
    let project = Project::new();
    for (name, file, header, source) in sample(&SHAPES, 3) {
        let stem = file.split('.').next().expect("a stem");
        project.write(&format!("strangers/{name}/{stem}.h"), header);
        let text = [&format!("#include \"{stem}.h\"\n"), SPECK, source].concat();
        project.write(&format!("strangers/{name}/{file}"), &text);
        // A test of the library is not linked, and a source for another machine need not compile.
        let main = format!("#include \"{stem}.h\"\nint main(void) {{ return 0; }}\n");
        project.write(&format!("strangers/{name}/check.c"), &main);
        project.write(
            &format!("strangers/{name}/fast.c"),
            "#include <immintrin.h>\n",
        );
        let more = ["--board", "uno", "--algorithm", "speck128/128"];
        let (answer, lines) = survey(&project, &format!("strangers/{name}"), &more);
        assert_eq!(answer.code, Some(0), "{name}: {}", answer.all());
        assert_eq!(lines[0]["verdict"], "suitable", "{name}: {}", answer.all());
    }
}
