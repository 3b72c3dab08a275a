//! `selo lab import pqm4` and `selo lab table pqm4`, with a small tree in the form of pqm4's.

use crate::common::Project;
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

/// A tree with the shapes of pqm4: names of NIST without a prefix and assembly for m4fspeed, the
/// shared folder at the top, PQClean's code below mupq, implementations for PCs, and a scheme that
/// the lab does not know.
fn tree(project: &Project) {
    let from = fetched(project);
    let at = |path: &str| project.path().join("tree").join(path);
    let m4 = "crypto_kem/ml-kem-512/m4fspeed";
    copy(&from.join("crypto_kem/ml-kem-512/clean"), &at(m4));
    copy(&from.join("common"), &at("common"));
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
    let header = at("common/randombytes.h");
    let text = std::fs::read_to_string(&header).expect("the header");
    let text = text.replace("#define randombytes     PQCLEAN_randombytes", "");
    std::fs::write(header, text).expect("the header");
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
        "not imported  pqm4-ml-dsa-44-clean: the lab has no vectors for ml-dsa-44",
        "2 of 3 imported",
    ] {
        assert!(said.contains(line), "no '{line}' in {said}");
    }
    let libraries = "pqm4-ml-kem-512-m4fspeed,pqm4-ml-kem-768-clean";
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
