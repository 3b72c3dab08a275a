//! CBC in each way in which a library takes or makes its IV: an honest library is not accused, and
//! each fault has its name.

use serde_json::Value;

use crate::common::{Project, sample};
use crate::paper_libraries::core;

/// A library; `IV` in its source is the statement that fills `used` with the IV of a message.
struct Way {
    name: &'static str,
    header: &'static str,
    source: &'static str,
    /// The statement of the honest library, and whether its IV is the caller's.
    honest: &'static str,
    of_caller: bool,
}

const COPIES: &str = "memcpy(used, iv, 16);";
const DRAWS: &str = "FILE *from = fopen(\"/dev/urandom\", \"rb\"); if (from == NULL || fread(used, 1, 16, from) != 16) abort(); fclose(from);";

const WAYS: [Way; 6] = [
    Way {
        name: "argument",
        header: "void aes128_cbc_encrypt(const uint8_t *key, const uint8_t *iv, const uint8_t *in, uint8_t *out, size_t size);",
        source: "void aes128_cbc_encrypt(const uint8_t *key, const uint8_t *iv, const uint8_t *in, uint8_t *out, size_t size)
{
    uint8_t keys[176], used[16];
    expand(key, 4, keys);
    memmove(out, in, size);
    IV
    (void)iv;
    chain(keys, used, out, size);
}",
        honest: COPIES,
        of_caller: true,
    },
    Way {
        name: "setter",
        header: "typedef struct { uint8_t keys[176], iv[16]; } aes128;
void aes128_set_key(aes128 *a, const uint8_t *key);
void aes128_set_iv(aes128 *a, const uint8_t *iv);
void aes128_cbc_encrypt(aes128 *a, uint8_t *data, size_t size);",
        source: "void aes128_set_key(aes128 *a, const uint8_t *key) { expand(key, 4, a->keys); }
void aes128_set_iv(aes128 *a, const uint8_t *iv) { memcpy(a->iv, iv, 16); }
void aes128_cbc_encrypt(aes128 *a, uint8_t *data, size_t size)
{
    uint8_t used[16], *iv = a->iv;
    IV
    (void)iv;
    chain(a->keys, used, data, size);
}",
        honest: COPIES,
        of_caller: true,
    },
    Way {
        name: "member",
        header: "typedef struct { uint8_t keys[176]; uint8_t iv[16]; } aes128_ctx;
void aes128_init(aes128_ctx *ctx, const uint8_t *key);
void aes128_cbc_encrypt(aes128_ctx *ctx, uint8_t *data, size_t size);",
        source: "void aes128_init(aes128_ctx *ctx, const uint8_t *key) { expand(key, 4, ctx->keys); }
void aes128_cbc_encrypt(aes128_ctx *ctx, uint8_t *data, size_t size)
{
    uint8_t used[16], *iv = ctx->iv;
    IV
    (void)iv;
    chain(ctx->keys, used, data, size);
}",
        honest: COPIES,
        of_caller: true,
    },
    Way {
        name: "global",
        header: "extern uint8_t aes_iv[16];
void aes128_set_key(const uint8_t *key);
void aes128_cbc_encrypt(uint8_t *data, size_t size);",
        source: "uint8_t aes_iv[16];
static uint8_t keys[176];
void aes128_set_key(const uint8_t *key) { expand(key, 4, keys); }
void aes128_cbc_encrypt(uint8_t *data, size_t size)
{
    uint8_t used[16], *iv = aes_iv;
    IV
    (void)iv;
    chain(keys, used, data, size);
}",
        honest: COPIES,
        of_caller: true,
    },
    Way {
        name: "prepended",
        header: "size_t aes128_cbc_encrypt(const uint8_t *key, const uint8_t *in, size_t size, uint8_t *out);",
        source: "/* Writes the IV, then the message. */
size_t aes128_cbc_encrypt(const uint8_t *key, const uint8_t *in, size_t size, uint8_t *out)
{
    uint8_t keys[176], *used = out;
    expand(key, 4, keys);
    memmove(out + 16, in, size);
    IV
    chain(keys, used, out + 16, size);
    return size + 16;
}",
        honest: DRAWS,
        of_caller: false,
    },
    Way {
        name: "kept",
        header: "void aes128_set_key(const uint8_t *key);
void aes128_cbc_encrypt(const uint8_t *in, uint8_t *out, size_t size);
void aes128_get_iv(uint8_t *iv);",
        source: "static uint8_t keys[176], used[16];
void aes128_set_key(const uint8_t *key) { expand(key, 4, keys); }
void aes128_get_iv(uint8_t *iv) { memcpy(iv, used, 16); }
void aes128_cbc_encrypt(const uint8_t *in, uint8_t *out, size_t size)
{
    memmove(out, in, size);
    IV
    chain(keys, used, out, size);
}",
        honest: DRAWS,
        of_caller: false,
    },
];

/// Statements that make a wrong IV, and the finding.
const FAULTS: [(&str, &str); 4] = [
    ("fixed-iv", "memset(used, 0x24, 16);"),
    ("zero-iv", "memset(used, 0, 16);"),
    (
        "counter-iv",
        "static uint8_t number[16]; if (++number[15] == 0) number[14]++; memcpy(used, number, 16);",
    ),
    (
        "repeated-iv",
        "for (int i = 0; i < 16; i++) used[i] = (uint8_t)rand();",
    ),
];

const CHAIN: &str = "
static void chain(const uint8_t *keys, const uint8_t *iv, uint8_t *data, size_t size)
{
    uint8_t last[16];
    memcpy(last, iv, 16);
    for (size_t at = 0; at < size; at += 16) {
        add(data + at, last);
        forward(keys, 10, data + at);
        memcpy(last, data + at, 16);
    }
    (void)backward;
}
";

/// The line of a library's survey, if it has one.
fn line(
    project: &Project,
    folder: &str,
    way: &Way,
    iv: &str,
    chain: &str,
) -> (Option<Value>, String) {
    let includes = "#pragma once\n#include <stddef.h>\n#include <stdint.h>\n";
    project.write(
        &format!("{folder}/aes.h"),
        &format!("{includes}{}\n", way.header),
    );
    let head = "#include \"aes.h\"\n#include <stdio.h>\n#include <stdlib.h>\n";
    let source = way.source.replace("    IV\n", &format!("    {iv}\n"));
    assert_ne!(source, way.source);
    project.write(
        &format!("{folder}/aes.c"),
        &format!("{head}{}{chain}{source}\n", core()),
    );
    let answer = project.selo(&[
        "lab",
        "survey",
        folder,
        "--board",
        "native",
        "--algorithm",
        "aes-128-cbc",
        "--budget",
        "1",
        "--json",
    ]);
    let said = answer.all();
    let lines = answer
        .stdout
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    let line = lines
        .into_iter()
        .find(|line: &Value| line["algorithm"] == "aes-128-cbc");
    (line, said)
}

fn has(line: &Value, id: &str) -> bool {
    let findings = line["findings"].as_array().expect("findings");
    findings
        .iter()
        .any(|finding| finding["id"] == id && finding["weight"] == "fault")
}

#[test]
fn honest_ivs_are_not_accused() {
    let project = Project::new();
    for way in sample(&WAYS, 1) {
        let folder = format!("honest-{}", way.name);
        let (line, said) = line(&project, &folder, way, way.honest, CHAIN);
        let line = line.unwrap_or_else(|| panic!("{}: {said}", way.name));
        let wanted: &[&str] = match way.of_caller {
            true => &["suitable"],
            // The lab cannot tell where the bytes come from.
            false => &["suitable", "reservations", "not-told"],
        };
        let verdict = line["verdict"].as_str().unwrap_or_default();
        assert!(wanted.contains(&verdict), "{}: {line:#}", way.name);
    }
}

#[test]
fn each_wrong_iv_is_found_in_each_way() {
    let project = Project::new();
    let all: Vec<_> = WAYS
        .iter()
        .flat_map(|way| FAULTS.iter().map(move |fault| (way, fault)))
        .collect();
    for (way, (id, statement)) in sample(&all, 1) {
        let folder = format!("{}-{id}", way.name);
        let (line, said) = line(&project, &folder, way, statement, CHAIN);
        let line = line.unwrap_or_else(|| panic!("{} {id}: {said}", way.name));
        assert!(has(&line, id), "{} {id}: {line:#}", way.name);
    }
}

#[test]
fn ecb_under_the_name_of_cbc_is_found_in_each_way() {
    let project = Project::new();
    let chain = CHAIN.replace("        add(data + at, last);\n", "");
    for way in sample(&WAYS, 1) {
        let folder = format!("{}-ecb", way.name);
        let (line, said) = line(&project, &folder, way, way.honest, &chain);
        let line = line.unwrap_or_else(|| panic!("{}: {said}", way.name));
        assert!(has(&line, "ecb-called-cbc"), "{}: {line:#}", way.name);
    }
}
