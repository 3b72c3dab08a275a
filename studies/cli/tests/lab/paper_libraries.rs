//! `selo lab compare PAPER --fetch`: libraries of a paper from git repositories. The repositories
//! are stand-ins made here, in the shapes that such libraries have; git maps the addresses of the
//! manifests to them.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::common::Project;
use crate::common::{Answer, TINY};

/// Stand-ins for the repositories of an owner and name.
struct Hub {
    folder: tempfile::TempDir,
}

impl Hub {
    fn new() -> Hub {
        Hub {
            folder: tempfile::tempdir().expect("a folder"),
        }
    }

    fn repository(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Makes a repository, or a further commit of it.
    fn commit(&self, name: &str, files: &[(&str, &str)]) {
        let folder = self.repository(name);
        for (file, text) in files {
            let path = folder.join(file);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            std::fs::write(path, text).expect("a file");
        }
        let git = |arguments: &[&str]| {
            let output = Command::new("git")
                .current_dir(&folder)
                .args(["-c", "user.name=t", "-c", "user.email=t@example.org"])
                .args(arguments)
                .output()
                .expect("git runs");
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{arguments:?}: {said}");
        };
        git(&["init", "--quiet"]);
        git(&["add", "--all"]);
        git(&["commit", "--quiet", "--message=change"]);
    }

    /// Runs selo in the project, with these repositories behind https://github.com/.
    fn selo(&self, project: &Project, arguments: &[&str]) -> Answer {
        let base = format!("url.file://{}/.insteadOf", self.folder.path().display());
        let output = project
            .command(arguments)
            .env("GIT_CONFIG_COUNT", "1")
            .env("GIT_CONFIG_KEY_0", base)
            .env("GIT_CONFIG_VALUE_0", "https://github.com/")
            .env("SELO_ARCHIVES", self.folder.path().join("archives"))
            .output()
            .expect("the command runs");
        Answer::of(output)
    }
}

/// The S-box of AES [FIPS 197, 5.1.1] and its inverse, as C.
fn tables(place: &str) -> String {
    let times = |mut a: u8, mut b: u8| {
        let mut product = 0;
        while b != 0 {
            if b & 1 != 0 {
                product ^= a;
            }
            let high = a & 0x80 != 0;
            a <<= 1;
            if high {
                a ^= 0x1b;
            }
            b >>= 1;
        }
        product
    };
    let mut sbox = [0u8; 256];
    let mut inverse = [0u8; 256];
    for (value, place) in (0..=255u8).zip(&mut sbox) {
        let inverted = (1..=255)
            .find(|&other| times(value, other) == 1)
            .unwrap_or(0);
        let rotated = (0..5).map(|bits| inverted.rotate_left(bits));
        *place = rotated.fold(0x63, |sum, part| sum ^ part);
    }
    for (value, &place) in (0..=255u8).zip(&sbox) {
        inverse[usize::from(place)] = value;
    }
    let list = |table: &[u8; 256]| {
        let numbers: Vec<String> = table.iter().map(u8::to_string).collect();
        numbers.join(",")
    };
    format!(
        "{place} uint8_t sbox[256] = {{{}}};\n{place} uint8_t inverse[256] = {{{}}};\n",
        list(&sbox),
        list(&inverse)
    )
}

/// The rounds of AES over a state in place: `expand`, `forward`, `backward`.
const ROUNDS: &str = r"
static uint8_t twice(uint8_t a) { return (uint8_t)((a << 1) ^ ((a & 0x80) ? 0x1b : 0)); }
static void expand(const uint8_t *key, uint8_t words, uint8_t *rk)
{
    uint8_t rounds = words + 6, rcon = 1, t[4];
    uint16_t i, total = 16u * (rounds + 1u);
    memcpy(rk, key, 4u * words);
    for (i = 4u * words; i < total; i += 4) {
        memcpy(t, rk + i - 4, 4);
        if ((i / 4) % words == 0) {
            uint8_t first = t[0];
            t[0] = sbox[t[1]] ^ rcon; t[1] = sbox[t[2]]; t[2] = sbox[t[3]]; t[3] = sbox[first];
            rcon = twice(rcon);
        } else if (words > 6 && (i / 4) % words == 4) {
            for (uint8_t j = 0; j < 4; j++) t[j] = sbox[t[j]];
        }
        for (uint8_t j = 0; j < 4; j++) rk[i + j] = rk[i + j - 4 * words] ^ t[j];
    }
}
static void add(uint8_t *s, const uint8_t *rk) { for (uint8_t i = 0; i < 16; i++) s[i] ^= rk[i]; }
static void mix(uint8_t *s)
{
    for (uint8_t c = 0; c < 16; c += 4) {
        uint8_t a = s[c], all = s[c] ^ s[c + 1] ^ s[c + 2] ^ s[c + 3];
        s[c] ^= all ^ twice(s[c] ^ s[c + 1]);
        s[c + 1] ^= all ^ twice(s[c + 1] ^ s[c + 2]);
        s[c + 2] ^= all ^ twice(s[c + 2] ^ s[c + 3]);
        s[c + 3] ^= all ^ twice(s[c + 3] ^ a);
    }
}
static void forward(const uint8_t *rk, uint8_t rounds, uint8_t *s)
{
    uint8_t t[16];
    add(s, rk);
    for (uint8_t r = 1; r <= rounds; r++) {
        for (uint8_t i = 0; i < 16; i++) t[i] = sbox[s[(i + 4 * (i % 4)) % 16]];
        memcpy(s, t, 16);
        if (r < rounds) mix(s);
        add(s, rk + 16 * r);
    }
}
static void backward(const uint8_t *rk, uint8_t rounds, uint8_t *s)
{
    uint8_t t[16];
    for (uint8_t r = rounds; r >= 1; r--) {
        add(s, rk + 16 * r);
        if (r < rounds) { mix(s); mix(s); mix(s); }
        for (uint8_t i = 0; i < 16; i++) t[(i + 4 * (i % 4)) % 16] = inverse[s[i]];
        memcpy(s, t, 16);
    }
    add(s, rk);
}
";

/// A core whose tables are constants.
pub fn core() -> String {
    let head = "#include <stdint.h>\n#include <string.h>\n";
    format!("{head}{}{ROUNDS}", tables("static const"))
}

/// A core in C++ for AVR whose tables are in flash.
pub fn core_in_flash() -> String {
    let tables = tables("static const").replace("[256]", "_table[256] PROGMEM");
    let head = "#include <stdint.h>\n#include <string.h>\n";
    let table = "struct Table {\n    const uint8_t *bytes;\n    uint8_t operator[](uint8_t at) const { return pgm_read_byte(bytes + at); }\n};\n\
        static constexpr Table sbox = {sbox_table}, inverse = {inverse_table};\n";
    format!("{head}{tables}{table}{ROUNDS}")
}

/// Key with every call, blocks in place, and a part in AVR assembly, as AESLib has it.
fn key_with_every_call(hub: &Hub) {
    let header = "#ifndef AESLIB_H\n#define AESLIB_H\n#include <stdint.h>\n\
        #ifdef __cplusplus\nextern \"C\" {\n#endif\n\
        void aes128_enc_single(const uint8_t *key, void *data);\n\
        void aes128_dec_single(const uint8_t *key, void *data);\n\
        void aes256_enc_single(const uint8_t *key, void *data);\n\
        void aes256_dec_single(const uint8_t *key, void *data);\n\
        #ifdef __cplusplus\n}\n#endif\n#endif\n";
    let in_c = "static void add(uint8_t *s, const uint8_t *rk) { for (uint8_t i = 0; i < 16; i++) s[i] ^= rk[i]; }";
    let in_assembly =
        format!("#ifdef __AVR__\nvoid add(uint8_t *s, const uint8_t *rk);\n#else\n{in_c}\n#endif");
    let core = core().replace(in_c, &in_assembly);
    assert!(core.contains("__AVR__"));
    let one = |bits: u16| {
        let (words, rounds) = (bits / 32, bits / 32 + 6);
        format!(
            "void aes{bits}_enc_single(const uint8_t *key, void *data) {{ uint8_t rk[240]; expand(key, {words}, rk); forward(rk, {rounds}, data); }}\n\
             void aes{bits}_dec_single(const uint8_t *key, void *data) {{ uint8_t rk[240]; expand(key, {words}, rk); backward(rk, {rounds}, data); }}\n"
        )
    };
    let source = format!("#include \"AESLib.h\"\n{core}{}{}", one(128), one(256));
    let assembly = "#ifdef __AVR__\n.global add\nadd:\n movw r30, r22\n movw r26, r24\n ldi r20, 16\n\
        1: ld r21, X\n ld r0, Z+\n eor r21, r0\n st X+, r21\n dec r20\n brne 1b\n ret\n#endif\n";
    hub.commit(
        "DavyLandman/AESLib",
        &[
            ("AESLib.h", header),
            ("AESLib.c", &source),
            ("add.S", assembly),
            ("examples/one/one.ino", "#include <AESLib.h>\n"),
            (
                "LICENSE",
                "GNU GENERAL PUBLIC LICENSE\nVersion 3, 29 June 2007\n",
            ),
        ],
    );
}

/// A context, ECB and CBC in place, as many small libraries in C have it.
fn with_a_context(hub: &Hub) {
    let header = "#ifndef AES_H\n#define AES_H\n#include <stdint.h>\n#include <stddef.h>\n\
        struct AES_ctx { uint8_t RoundKey[176]; uint8_t Iv[16]; };\n\
        void AES_init_ctx(struct AES_ctx *ctx, const uint8_t *key);\n\
        void AES_init_ctx_iv(struct AES_ctx *ctx, const uint8_t *key, const uint8_t *iv);\n\
        void AES_ECB_encrypt(const struct AES_ctx *ctx, uint8_t *buf);\n\
        void AES_ECB_decrypt(const struct AES_ctx *ctx, uint8_t *buf);\n\
        void AES_CBC_encrypt_buffer(struct AES_ctx *ctx, uint8_t *buf, size_t length);\n\
        void AES_CBC_decrypt_buffer(struct AES_ctx *ctx, uint8_t *buf, size_t length);\n#endif\n";
    let functions = "
void AES_init_ctx(struct AES_ctx *ctx, const uint8_t *key) { expand(key, 4, ctx->RoundKey); }
void AES_init_ctx_iv(struct AES_ctx *ctx, const uint8_t *key, const uint8_t *iv)
{ AES_init_ctx(ctx, key); memcpy(ctx->Iv, iv, 16); }
void AES_ECB_encrypt(const struct AES_ctx *ctx, uint8_t *buf) { forward(ctx->RoundKey, 10, buf); }
void AES_ECB_decrypt(const struct AES_ctx *ctx, uint8_t *buf) { backward(ctx->RoundKey, 10, buf); }
void AES_CBC_encrypt_buffer(struct AES_ctx *ctx, uint8_t *buf, size_t length)
{
    uint8_t *iv = ctx->Iv;
    for (size_t at = 0; at < length; at += 16) { add(buf + at, iv); forward(ctx->RoundKey, 10, buf + at); iv = buf + at; }
    memcpy(ctx->Iv, iv, 16);
}
void AES_CBC_decrypt_buffer(struct AES_ctx *ctx, uint8_t *buf, size_t length)
{
    uint8_t next[16];
    for (size_t at = 0; at < length; at += 16) {
        memcpy(next, buf + at, 16);
        backward(ctx->RoundKey, 10, buf + at);
        add(buf + at, ctx->Iv);
        memcpy(ctx->Iv, next, 16);
    }
}
";
    let source = format!("#include \"aes.h\"\n{}{functions}", core());
    let files = [("aes.h", header), ("aes.c", source.as_str())];
    hub.commit("DarkCaster/Micro-AES-Arduino", &files);
}

/// Classes with an abstract base, in a folder of a larger repository.
fn with_classes(hub: &Hub) {
    let base = "#ifndef BASE_H\n#define BASE_H\n#include <inttypes.h>\n#include <stddef.h>\n\
        class BlockCipher {\npublic:\n    virtual ~BlockCipher() {}\n\
        virtual bool setKey(const uint8_t *key, size_t len) = 0;\n\
        virtual void encryptBlock(uint8_t *output, const uint8_t *input) = 0;\n\
        virtual void decryptBlock(uint8_t *output, const uint8_t *input) = 0;\n};\n#endif\n";
    let header = "#ifndef AES_H\n#define AES_H\n#include \"BlockCipher.h\"\n\
        class AES128 : public BlockCipher {\npublic:\n\
        bool setKey(const uint8_t *key, size_t len);\n\
        void encryptBlock(uint8_t *output, const uint8_t *input);\n\
        void decryptBlock(uint8_t *output, const uint8_t *input);\n\
        private:\n    uint8_t sched[176];\n};\n#endif\n";
    let functions = "
bool AES128::setKey(const uint8_t *key, size_t len) { if (len != 16) return false; expand(key, 4, sched); return true; }
void AES128::encryptBlock(uint8_t *output, const uint8_t *input) { memmove(output, input, 16); forward(sched, 10, output); }
void AES128::decryptBlock(uint8_t *output, const uint8_t *input) { memmove(output, input, 16); backward(sched, 10, output); }
";
    let source = format!("#include \"AES.h\"\n{}{functions}", core());
    hub.commit(
        "rweather/arduinolibs",
        &[
            ("libraries/Crypto/BlockCipher.h", base),
            ("libraries/Crypto/AES.h", header),
            ("libraries/Crypto/AES128.cpp", &source),
            ("libraries/Other/other.h", "int other(void);\n"),
        ],
    );
}

/// Tables in RAM that no Uno has room for.
fn too_large(hub: &Hub) {
    let header = "#include <stdint.h>\n\
        void aes128_set_key(uint8_t *schedule, const uint8_t *key);\n\
        void aes128_encrypt(const uint8_t *schedule, const uint8_t *in, uint8_t *out);\n\
        void aes128_decrypt(const uint8_t *schedule, const uint8_t *in, uint8_t *out);\n";
    let head = "#include <stdint.h>\n#include <string.h>\n#include \"Rijndael.h\"\n";
    let functions = "
uint8_t table[3000] = {1};
void aes128_set_key(uint8_t *schedule, const uint8_t *key) { expand(key, 4, schedule); }
void aes128_encrypt(const uint8_t *schedule, const uint8_t *in, uint8_t *out)
{ memmove(out, in, 16); out[0] ^= table[in[0] + 300]; forward(schedule, 10, out); }
void aes128_decrypt(const uint8_t *schedule, const uint8_t *in, uint8_t *out)
{ memmove(out, in, 16); out[0] ^= table[in[0] + 300]; backward(schedule, 10, out); }
";
    let source = format!("{head}{}{ROUNDS}{functions}", tables("static const"));
    let files = [("Rijndael.h", header), ("Rijndael.c", source.as_str())];
    hub.commit("DanielVukelich/Arduino-AES", &files);
}

fn cells(answer: &Answer) -> Vec<Value> {
    answer
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
        .collect()
}

fn cell<'a>(cells: &'a [Value], table: &str, name: &str) -> &'a Value {
    cells
        .iter()
        .find(|cell| cell["table"] == table && cell["cell"] == name)
        .unwrap_or_else(|| panic!("no cell {name} in {table}"))
}

fn is_measured(cells: &[Value], table: &str, row: &str) {
    for column in ["Encrypt", "Decrypt", "Both"] {
        let cell = cell(cells, table, &format!("{row} | {column}"));
        assert!(cell["measured"].is_f64(), "{cell:#}");
    }
}

#[test]
#[ignore = "takes long: make test-all runs it"]
fn the_libraries_of_a_paper_fill_its_tables() {
    let project = Project::new();
    let hub = Hub::new();
    key_with_every_call(&hub);
    with_a_context(&hub);
    with_classes(&hub);
    too_large(&hub);
    hub.commit("nilsonmori/securino", &[("README", "moved\n")]);
    let run = [&["lab", "run", "--board", "uno"][..], &TINY].concat();
    assert_eq!(hub.selo(&project, &run).code, Some(0));

    // Before anything is fetched, no cell has a figure of another library.
    let before = hub.selo(&project, &["lab", "compare", "rocha-securino", "--json"]);
    for cell in cells(&before) {
        assert_eq!(cell["status"], "not-fetched", "{cell:#}");
        assert!(cell["measured"].is_null());
    }

    let compare = [
        "lab",
        "compare",
        "rocha-securino",
        "--fetch",
        "--json",
        "--secrets",
        "50",
    ];
    let answer = hub.selo(&project, &compare);
    let all = cells(&answer);
    for row in ["AESLib", "Micro-aes", "Arduino Cryptography Library"] {
        for table in ["figure-1a", "figure-1b", "figure-2"] {
            is_measured(&all, table, row);
        }
        for (column, words) in [("Fits", "OK"), ("FIPS 197", "OK")] {
            let cell = cell(&all, "table-1", &format!("{row} | {column}"));
            assert_eq!(cell["measured"], words, "{cell:#}");
        }
    }
    let words = |name: &str| cell(&all, "table-1", name)["measured"].clone();
    assert_eq!(words("AESLib | Keys"), "128 256");
    assert_eq!(words("AESLib | Modes"), "ECB");
    assert_eq!(words("Micro-aes | Modes"), "ECB CBC");
    assert_eq!(words("Micro-aes | SP 800-38A"), "the caller's IV");
    assert_eq!(words("Arduino-AES (DanielVukelich) | Fits"), "X");
    // No sources and no calls give no figures, and no verdicts.
    for (row, status) in [
        ("Ptolemy-XV", "not-fetched"),
        ("Securino", "published-only"),
    ] {
        for column in ["Keys", "Modes", "Fits", "FIPS 197"] {
            let cell = cell(&all, "table-1", &format!("{row} | {column}"));
            assert_eq!(cell["status"], status, "{cell:#}");
        }
    }
    let large = cell(
        &all,
        "does-not-fit",
        "Arduino-AES (DanielVukelich) | RAM used",
    );
    assert_eq!(large["status"], "does-not-fit", "{large:#}");

    // The repositories are not asked again, and later commits do not count.
    hub.commit(
        "DarkCaster/Micro-AES-Arduino",
        &[("aes.c", "#error later\n")],
    );
    let lock = std::fs::read_to_string(project.path().join("lab/libraries.lock"));
    let again = hub.selo(&project, &["lab", "compare", "rocha-securino", "--json"]);
    assert_eq!(cells(&again), all);
    let pin = hub.selo(
        &project,
        &["lab", "fetch", "--pin", "darkcaster-micro-aes-arduino"],
    );
    assert!(
        pin.stderr.contains("is pinned") && pin.stderr.contains("hint:"),
        "{}",
        pin.all()
    );
    assert_ne!(pin.code, Some(0));
    let now = std::fs::read_to_string(project.path().join("lab/libraries.lock"));
    assert_eq!(lock.ok(), now.ok());

    // The page says of each library where it stands.
    let page = hub.selo(&project, &["lab", "report", "--format", "markdown"]);
    assert_eq!(page.code, Some(0), "{}", page.all());
    let page = std::fs::read_to_string(project.path().join("out/report/report.md"));
    let page = page.expect("the page");
    assert!(page.contains("not-fetched") || page.contains("not fetched"));
    assert!(Path::new(&project.path().join("out/lab/uno/survey.jsonl")).is_file());
}
