//! ML-KEM, ML-DSA, SLH-DSA, Falcon, LMS, HSS and XMSS of wolfCrypt: the vectors pass on libraries, and planted faults of the glue
//! fail on those that name them.

use crate::common::{Answer, Project};

/// What the vectors say of wolfCrypt on this machine.
fn check(project: &Project, algorithms: &str) -> Answer {
    let check = ["lab", "check", "--board", "native", "--variant", "small"];
    let of = ["--library", "wolfcrypt-pq", "--algorithm", algorithms];
    project.selo(&[&check[..], &of[..]].concat())
}

/// Changes the glue, and returns the number of cases that fail.
fn failures(file: &str, [from, to]: [&str; 2], algorithm: &str) -> String {
    let project = Project::new();
    let file = format!("lab/libraries/wolfcrypt-pq/{file}");
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
    let algorithms = "ml-kem-512,ml-dsa-44,hash-ml-dsa-44-sha-512,slh-dsa-sha2-128f,\
        hash-slh-dsa-sha2-128f-sha-256,falcon-512,lms-sha256-h10-w4,hss-sha256-h5-w8-x2,xmss-sha2-10-256";
    let answer = check(&project, algorithms);
    assert_eq!(answer.code, Some(0), "{}", answer.all());
    assert!(
        answer.all().contains(" passed, 0 failed"),
        "{}",
        answer.all()
    );
}

/// The context is not signed: a changed one and a missing one are noticed.
#[test]
fn a_context_that_is_ignored_is_noticed() {
    let change = [
        "LAB_VERIFY(&key, message->context, (byte)message->context_size,",
        "LAB_VERIFY(&key, message->context, 0,",
    ];
    let said = failures("slhdsa.c", change, "slh-dsa-sha2-128f");
    assert!(!said.contains(" 0 failed"), "{said}");
}

/// The signature names the function that made the digest: another one is noticed.
#[test]
fn a_digest_of_another_function_is_noticed() {
    let change = ["WC_HASH_TYPE_SHA512", "WC_HASH_TYPE_SHA3_512"];
    let said = failures("mldsa.c", change, "hash-ml-dsa-44-sha-512");
    assert!(said.contains("6 passed, 3 failed"), "{said}");
}

/// A verification that takes everything fails on each altered signature.
#[test]
fn a_verification_that_takes_everything_is_noticed() {
    let change = ["message->size);", "message->size) < 0 ? 0 : 0;"];
    let said = failures("stateful.c", change, "xmss-sha2-10-256");
    assert!(said.contains("1 passed, 11 failed"), "{said}");
}
