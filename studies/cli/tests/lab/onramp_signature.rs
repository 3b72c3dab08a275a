//! MAYO, CROSS and UOV: the vectors pass on liboqs, and planted faults of the glue fail on those that
//! name them.

use crate::common::{Answer, Project, everything};

/// What the vectors say of libraries on this machine.
fn check(project: &Project, libraries: &str, algorithms: &str) -> Answer {
    let check = ["lab", "check", "--board", "native", "--library", libraries];
    project.selo(&[&check[..], &["--algorithm", algorithms]].concat())
}

/// The vectors pass. Then the glue is changed, whose objects alone are built again: the line that
/// counts the cases.
fn passed_and_counted(file: &str, [from, to]: [&str; 2], algorithm: &str) -> String {
    let project = Project::new();
    let answer = check(&project, "liboqs", algorithm);
    assert_eq!(answer.code, Some(0), "{}", answer.all());
    let passed = answer.all().contains(" passed, 0 failed");
    assert!(passed, "{}", answer.all());
    let file = format!("lab/libraries/{file}");
    let text = std::fs::read_to_string(project.path().join(&file)).expect("the glue");
    assert_eq!(text.matches(from).count(), 1, "{from}");
    project.write(&file, &text.replace(from, to));
    let answer = check(&project, "liboqs", algorithm);
    assert_eq!(answer.code, Some(1), "{}", answer.all());
    let all = answer.all();
    let line = all.lines().find(|line| line.contains(" passed, "));
    line.expect("a summary").to_owned()
}

/// A verification of MAYO that takes everything fails on each altered signature.
#[test]
fn a_verification_that_takes_everything_is_noticed() {
    let change = [
        "return VERIFY(signature, size, message->bytes, message->size, CONTEXT public_key);",
        "return VERIFY(signature, size, message->bytes, message->size, CONTEXT public_key) * 0;",
    ];
    let said = passed_and_counted("common/glue_pqclean_sign.h", change, "mayo-1");
    assert!(said.contains("3 passed, 12 failed"), "{said}");
}

/// The salt of CROSS is not random: its own verification takes the signature, which is another one.
#[test]
fn a_salt_that_is_not_random_is_noticed() {
    let change = [
        "glue_drawn(out, size);",
        "glue_drawn(out, size);\n    if (size == 32 && glue_taken > 32)\n        memset(out, 0, size);",
    ];
    let said = passed_and_counted("liboqs/sign.c", change, "cross-rsdpg-128-fast");
    assert!(said.contains("17 passed, 1 failed"), "{said}");
}

/// Every set, and the second implementation of MAYO, in `make test-all`.
#[test]
fn the_vectors_of_every_set_pass() {
    if !everything() {
        return;
    }
    let project = Project::new();
    for (libraries, algorithms) in [
        ("liboqs,pq-mayo", "mayo-1,mayo-2,mayo-3,mayo-5"),
        (
            "liboqs",
            "cross-rsdp-128-fast,cross-rsdp-128-balanced,cross-rsdp-128-small",
        ),
        (
            "liboqs",
            "cross-rsdpg-128-fast,cross-rsdpg-128-balanced,cross-rsdpg-128-small,uov-ip-pkc-skc",
        ),
        (
            "liboqs",
            "cross-rsdp-192-fast,cross-rsdp-192-balanced,cross-rsdp-192-small,cross-rsdp-256-balanced,cross-rsdp-256-small",
        ),
        (
            "liboqs",
            "cross-rsdpg-192-fast,cross-rsdpg-192-balanced,cross-rsdpg-192-small,cross-rsdpg-256-fast,cross-rsdpg-256-balanced,cross-rsdpg-256-small",
        ),
    ] {
        let answer = check(&project, libraries, algorithms);
        assert_eq!(answer.code, Some(0), "{}", answer.all());
    }
}
