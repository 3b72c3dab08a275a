//! MAYO and CROSS: the vectors pass on liboqs, and planted faults of the glue fail on those that name
//! them.

use crate::common::{Answer, Project};

/// What the vectors say of liboqs on this machine.
fn check(project: &Project, algorithms: &str) -> Answer {
    let check = ["lab", "check", "--board", "native", "--library", "liboqs"];
    project.selo(&[&check[..], &["--algorithm", algorithms]].concat())
}

/// Changes the glue, and returns the line that counts the cases.
fn counted(file: &str, [from, to]: [&str; 2], algorithm: &str) -> String {
    let project = Project::new();
    let file = format!("lab/libraries/{file}");
    let text = std::fs::read_to_string(project.path().join(&file)).expect("the glue");
    assert_eq!(text.matches(from).count(), 1, "{from}");
    project.write(&file, &text.replace(from, to));
    let answer = check(&project, algorithm);
    assert_eq!(answer.code, Some(1), "{}", answer.all());
    let all = answer.all();
    let line = all.lines().find(|line| line.contains(" passed, "));
    line.expect("a summary").to_owned()
}

#[test]
fn the_vectors_pass() {
    let project = Project::new();
    let answer = check(
        &project,
        "mayo-1,mayo-2,mayo-3,mayo-5,cross-rsdpg-128-fast,cross-rsdp-128-fast",
    );
    assert_eq!(answer.code, Some(0), "{}", answer.all());
    let passed = answer.all().contains(" passed, 0 failed");
    assert!(passed, "{}", answer.all());
}

/// A verification of MAYO that takes everything fails on each altered signature.
#[test]
fn a_verification_that_takes_everything_is_noticed() {
    let change = [
        "return VERIFY(signature, size, message->bytes, message->size, CONTEXT public_key);",
        "return VERIFY(signature, size, message->bytes, message->size, CONTEXT public_key) > 0;",
    ];
    let said = counted("common/glue_pqclean_sign.h", change, "mayo-1");
    assert!(said.contains("3 passed, 12 failed"), "{said}");
}

/// The salt of CROSS is not random: its own verification takes the signature, which is another one.
#[test]
fn a_salt_that_is_not_random_is_noticed() {
    let change = [
        "glue_drawn(out, size);",
        "glue_drawn(out, size);\n    if (size == 32 && glue_taken > 32)\n        memset(out, 0, size);",
    ];
    let said = counted("liboqs/sign.c", change, "cross-rsdpg-128-fast");
    assert!(said.contains(" 1 failed"), "{said}");
}
