//! `selo lab import pqm4` and `selo lab table pqm4`, with a small tree in the form of pqm4's.

use crate::common::{Project, everything};
use crate::survey::kem::{copy, fetched};

/// A comparison of the stand-in for Cortex-M4, with the instructions of that core.
const VERIFY: &str = ".syntax unified
.cpu cortex-m4
.thumb
.text
.global verify
.type verify, %function
.thumb_func
verify:
    push {r4, lr}
    movs r3, #0
1:  ldrb r4, [r0], #1
    ldrb r12, [r1], #1
    eor r4, r4, r12
    orr r3, r3, r4
    subs r2, r2, #1
    bne 1b
    rsbs r0, r3, #0
    lsrs r0, r0, #31
    pop {r4, pc}
";

/// A source of random numbers as pqm4 has it: for a chip, and for other machines.
const RANDOM: &str = r#"#include "randombytes.h"
#if defined(STM32F4)
#include <libopencm3/stm32/rng.h>
#else
int randombytes(uint8_t *to, size_t size) {
    static uint8_t next;
    while (size--) {
        *to++ = next++;
    }
    return 0;
}
#endif
"#;

/// A tree with the shapes of pqm4: names of NIST without a prefix and assembly for m4fspeed, shared
/// folders at the top and below mupq, links between them and between schemes, PQClean's code below
/// mupq, implementations for PCs, and a scheme that the lab does not know.
fn tree(project: &Project) {
    let from = fetched(project);
    let at = |path: &str| project.path().join("tree").join(path);
    let link = |to: &str, path: &str| {
        let _ = std::fs::remove_file(at(path));
        std::os::unix::fs::symlink(to, at(path)).expect("a link");
    };
    let m4 = "crypto_kem/ml-kem-512/m4fspeed";
    copy(&from.join("crypto_kem/ml-kem-512/clean"), &at(m4));
    copy(&from.join("common"), &at("mupq/common"));
    std::fs::create_dir_all(at("common")).expect("a folder");
    std::fs::rename(at("mupq/common/fips202.c"), at("common/fips202.c")).expect("the hashes");
    std::fs::remove_file(at("mupq/common/randombytes.c")).expect("its source");
    std::fs::write(at("common/randombytes.c"), RANDOM).expect("a source");
    for path in [
        "common",
        "crypto_kem/ml-kem-768/clean",
        "crypto_kem/ml-kem-768/avx2",
        "crypto_sign/ml-dsa-44/clean",
    ] {
        copy(&from.join(path), &at("mupq/pqclean").join(path));
    }
    let entries = std::fs::read_dir(at(m4)).expect("the folder").flatten();
    for path in entries.map(|entry| entry.path()) {
        let text = std::fs::read_to_string(&path).expect("a source");
        let mut text = text.replace("PQCLEAN_MLKEM512_CLEAN_", "");
        if path.ends_with("verify.c") {
            let start = text.find("int verify(").expect("the comparison");
            let end = start + text[start..].find("\n}").expect("its end") + 2;
            text.replace_range(start..end, "");
        }
        std::fs::write(&path, text).expect("a source");
    }
    std::fs::write(at(m4).join("fastverify.S"), VERIFY).expect("a source");
    let header = at("mupq/pqclean/common/randombytes.h");
    let text = std::fs::read_to_string(&header).expect("the header");
    let text = text.replace("#define randombytes     PQCLEAN_randombytes", "");
    std::fs::write(header, text).expect("the header");
    link(
        "../pqclean/common/randombytes.h",
        "mupq/common/randombytes.h",
    );
    // A file that another scheme has, and one that only the machine has.
    std::fs::create_dir_all(at("crypto_kem/ml-kem-768/m4fspeed")).expect("a folder");
    std::fs::rename(
        at(m4).join("ntt.c"),
        at("crypto_kem/ml-kem-768/m4fspeed/ntt.c"),
    )
    .expect("a source");
    link("../../ml-kem-768/m4fspeed/ntt.c", &format!("{m4}/ntt.c"));
    link("/etc/hostname", &format!("{m4}/passwords.h"));
    link("/etc", "common/outside");
    let header = at(m4).join("params.h");
    let text = std::fs::read_to_string(&header).expect("the header");
    let text = format!("#ifdef PASSWORDS\n#include \"outside/hostname\"\n#endif\n{text}");
    std::fs::write(header, text).expect("the header");
    // One that the lab has no vectors for.
    let unknown = at("mupq/crypto_sign/haetae2/ref");
    std::fs::create_dir_all(&unknown).expect("a folder");
    std::fs::write(unknown.join("api.h"), "").expect("a header");
    // One with a wrong constant.
    let wrong = "crypto_kem/ml-kem-512/ref";
    copy(&from.join("crypto_kem/ml-kem-512/clean"), &at(wrong));
    let text = std::fs::read_to_string(at(wrong).join("ntt.c")).expect("a source");
    let text = text.replacen(" 1493,  1422", " 1493,  1421", 1);
    std::fs::write(at(wrong).join("ntt.c"), text).expect("a source");
}

#[test]
fn a_tree_of_pqm4_becomes_libraries_and_a_table() {
    let project = Project::new();
    tree(&project);
    let answer = project.selo(&["lab", "import", "pqm4", "tree"]);
    assert_eq!(answer.code, Some(5), "{}", answer.all());
    let said = answer.all();
    for line in [
        "imported      pqm4-ml-kem-512-m4fspeed",
        "imported      pqm4-ml-kem-768-clean",
        "imported      pqm4-ml-dsa-44-clean",
        "not imported  pqm4-haetae2-ref: the lab has no vectors for haetae2",
        "not imported  pqm4-ml-kem-512-ref: its results are not those of the official vectors",
        "3 of 5 imported",
    ] {
        assert!(said.contains(line), "no '{line}' in {said}");
    }
    // Links lead to files of the tree, and to no others. What the tree's parts share is in one folder.
    let manifest = "out/import/pqm4-ml-kem-512-m4fspeed";
    let folder = project.path().join(manifest);
    let manifest = std::fs::read_to_string(folder.join("library.toml")).expect("a manifest");
    let copy = manifest
        .split('"')
        .find_map(|text| text.strip_suffix("/ntt.c"));
    let copy = folder.join(copy.expect("the link's file"));
    assert!(copy.join("common/fips202.c").is_file());
    assert!(copy.join("common/randombytes.h").is_file());
    assert!(!copy.join("passwords.h").exists());
    assert!(!copy.join("common/outside").exists());
    assert!(manifest.contains("flags = [\"-O3\""), "{manifest}");
    assert!(manifest.contains("boards = [\""), "{manifest}");
    let libraries = "pqm4-ml-kem-512-m4fspeed,pqm4-ml-kem-768-clean,pqm4-ml-dsa-44-clean";
    let run = [
        "lab",
        "run",
        "--board",
        "stm32f407",
        "--library",
        libraries,
        "--metric",
        "cycles,stack",
    ];
    let answer = project.selo(&run);
    assert_eq!(answer.code, Some(0), "{}", answer.all());
    let answer = project.selo(&["lab", "table", "pqm4", "--csv"]);
    assert_eq!(answer.code, Some(0), "{}", answer.all());
    let lines: Vec<&str> = answer.stdout.lines().collect();
    for scheme in ["ml-kem-512,m4fspeed", "ml-kem-768,clean"] {
        let start = format!("{scheme},stm32f407,encapsulate,");
        let line = lines.iter().find(|line| line.starts_with(&start));
        let line = line.unwrap_or_else(|| panic!("no {start} in {lines:?}"));
        assert!(line.contains("cycles, cycle-model"), "{line}");
    }
    let start = "ml-dsa-44,clean,stm32f407,\"sign, 32 bytes\",";
    let line = lines.iter().find(|line| line.starts_with(start));
    let line = line.unwrap_or_else(|| panic!("no {start} in {lines:?}"));
    assert!(line.contains("cycles, cycle-model"), "{line}");
    // PQClean's signer spends about half of its time in Keccak, and its key pairs more.
    let hashing = |line: &str| -> f64 {
        let head = lines[0]
            .split(',')
            .position(|name| name.starts_with("Hashing"));
        // Before that column, two cells are in quotation marks and have a comma.
        let quoted = line.matches("\",").count();
        let cell = head.and_then(|at| line.split(',').nth(at + quoted));
        cell.and_then(|cell| cell.trim().parse().ok())
            .unwrap_or(0.0)
    };
    assert!((30.0..65.0).contains(&hashing(line)), "{line}");
    let pair = "ml-dsa-44,clean,stm32f407,keygen,";
    let line = lines
        .iter()
        .find(|line| line.starts_with(pair))
        .expect("a key pair");
    assert!((66.0..90.0).contains(&hashing(line)), "{line}");
    // Code of a Cortex-M4 is offered on no other board.
    let other = [
        "lab",
        "run",
        "--board",
        "uno",
        "--library",
        "pqm4-ml-kem-512-m4fspeed",
    ];
    assert_ne!(project.selo(&other).code, Some(0));
    // A wrong tree, and a scheme that it has not.
    assert_eq!(
        project.selo(&["lab", "import", "pqm4", "lab"]).code,
        Some(2)
    );
    let unknown = ["lab", "import", "pqm4", "tree", "--scheme", "ml-kem-511"];
    let answer = project.selo(&unknown);
    assert_eq!(answer.code, Some(2));
    assert!(answer.all().contains("ml-kem-512"), "{}", answer.all());
}

/// Falcon with NIST's functions alone, whose signed messages have a form of their own, one with a wrong
/// header, and SPHINCS+ as PQClean has it. In `make test-all`: each takes seconds.
#[test]
fn falcon_and_sphincs_are_imported() {
    if !everything() {
        return;
    }
    let project = Project::new();
    let from = fetched(&project);
    let at = |path: &str| project.path().join("tree").join(path);
    copy(&from.join("common"), &at("common"));
    let sphincs = "crypto_sign/sphincs-sha2-128f-simple/clean";
    copy(&from.join(sphincs), &at(sphincs));
    for (name, header) in [("m4-ct", "0x20 + 9"), ("ref", "0x20 + 8")] {
        let folder = at("crypto_sign/falcon-512").join(name);
        copy(&from.join("crypto_sign/falcon-512/clean"), &folder);
        let entries = std::fs::read_dir(&folder).expect("the folder").flatten();
        for path in entries.map(|entry| entry.path()) {
            let text = std::fs::read_to_string(&path).expect("a source");
            let mut text = text.replace("PQCLEAN_FALCON512_CLEAN_", "");
            if path.ends_with("api.h") {
                for detached in ["signature", "verify"] {
                    let start = text.find(&format!("int crypto_sign_{detached}("));
                    let start = start.expect("a declaration");
                    let end = start + text[start..].find(';').expect("its end") + 1;
                    text.replace_range(start..end, "");
                }
            }
            if path.ends_with("pqclean.c") {
                for detached in ["signature", "verify"] {
                    text = text.replace(
                        &format!("int\ncrypto_sign_{detached}("),
                        &format!("static int\nown_{detached}("),
                    );
                }
                assert!(text.contains("0x20 + 9"), "the header of an envelope");
                text = text.replace("0x20 + 9", header);
            }
            std::fs::write(&path, text).expect("a source");
        }
    }
    let answer = project.selo(&["lab", "import", "pqm4", "tree"]);
    let said = answer.all();
    for line in [
        "imported      pqm4-falcon-512-m4-ct",
        "imported      pqm4-sphincs-sha2-128f-simple-clean",
        "not imported  pqm4-falcon-512-ref: its results are not those of the official vectors",
        "2 of 3 imported",
    ] {
        assert!(said.contains(line), "no '{line}' in {said}");
    }
}
