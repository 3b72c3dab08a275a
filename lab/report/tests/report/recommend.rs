//! Recommendations from invented rows.

use crate::support::{failed, row};
use selo_engine::algorithm::{Algorithm, AlgorithmFile};
use selo_engine::check::{CONSTANT_TIME, CheckLine};
use selo_engine::row::{Metric, Note, Row, Status};
use selo_report::recommend::{
    Advice, Answer, Condition, Evidence, Job, Need, Prefer, Request, recommend,
};

fn algorithms() -> Vec<Algorithm> {
    let text = r#"
[[algorithm]]
name = "aes-128"
title = "AES-128"
interface = "block-cipher"
family = "aes"
key_bytes = 16

[[algorithm]]
name = "speck128/128"
title = "Speck"
interface = "block-cipher"
family = "speck"
key_bytes = 16

[[algorithm]]
name = "ascon-aead128"
title = "Ascon-AEAD128"
interface = "aead"
family = "ascon"
key_bytes = 16
nonce_bytes = 16

[[algorithm]]
name = "sha-256"
title = "SHA-256"
interface = "hash"
family = "sha-2"
"#;
    toml::from_str::<AlgorithmFile>(text)
        .expect("well formed")
        .algorithm
}

/// An implementation: time in us; flash, static RAM and stack in bytes.
fn unit(
    algorithm: &str,
    variant: &str,
    operations: &[&str],
    us: f64,
    flash: f64,
    ram: f64,
) -> Vec<Row> {
    let mut rows = Vec::new();
    for operation in operations {
        rows.push(row(algorithm, variant, operation, Metric::Time, us * 1e-6));
        rows.push(row(
            algorithm,
            variant,
            operation,
            Metric::Energy,
            us * 1e-6 * 5e-3,
        ));
        rows.push(row(algorithm, variant, operation, Metric::Stack, 30.0));
        rows.push(row(algorithm, variant, operation, Metric::Flash, flash));
        rows.push(row(algorithm, variant, operation, Metric::Ram, ram));
    }
    if operations.len() > 1 {
        rows.push(row(algorithm, variant, "both", Metric::Flash, flash * 1.5));
        rows.push(row(algorithm, variant, "both", Metric::Ram, ram));
    }
    rows
}

fn rows() -> Vec<Row> {
    [
        unit(
            "aes-128",
            "fast",
            &["encrypt", "decrypt"],
            300.0,
            2000.0,
            176.0,
        ),
        unit("aes-128", "tiny", &["encrypt"], 900.0, 900.0, 16.0),
        unit(
            "speck128/128",
            "fast",
            &["encrypt", "decrypt"],
            160.0,
            700.0,
            256.0,
        ),
        unit("sha-256", "fast", &["hash"], 4000.0, 3000.0, 100.0),
        unit(
            "ascon-aead128",
            "fast",
            &["seal", "open"],
            2000.0,
            1600.0,
            16.0,
        ),
    ]
    .concat()
}

fn ask(needs: &[Need], flash: u64, ram: u64, prefer: Prefer) -> Answer {
    ask_of(&rows(), needs, flash, ram, prefer)
}

fn ask_of(rows: &[Row], needs: &[Need], flash: u64, ram: u64, prefer: Prefer) -> Answer {
    let request = Request {
        board: "uno".into(),
        flash,
        ram,
        needs: needs.to_vec(),
        prefer,
        bytes: 16,
        conditions: Vec::new(),
    };
    recommend(&request, rows, &algorithms(), Evidence::default())
}

fn order(answer: &Answer, job: Job) -> Vec<String> {
    answer.ranked(job).map(Advice::name).collect()
}

fn excluded<'a>(answer: &'a Answer, name: &str) -> &'a str {
    let advice = answer
        .advice
        .iter()
        .find(|advice| advice.name() == name)
        .expect("listed");
    assert_eq!(advice.rank, None);
    &advice.reasons[0]
}

#[test]
fn time_decides_unless_size_is_preferred() {
    let answer = ask(&[Need::Encrypt], 10_000, 1_000, Prefer::Time);
    assert_eq!(
        order(&answer, Job::Cipher),
        ["speck128/128 fast", "aes-128 fast", "aes-128 tiny"]
    );
    let first = answer.ranked(Job::Cipher).next().expect("ranked");
    // 256 static, 30 stack, 16 message and 16 key.
    assert_eq!((first.ram, first.flash), (Some(318), Some(700)));
    assert!(
        !first.standard
            && first
                .cautions
                .iter()
                .any(|note| note.contains("not a NIST standard"))
    );
    let answer = ask(&[Need::Encrypt], 10_000, 1_000, Prefer::Size);
    assert_eq!(order(&answer, Job::Cipher)[0], "aes-128 tiny");
    assert!(answer.ranked(Job::Cipher).all(|advice| {
        advice.reasons[0].contains("least share of the flash and RAM limits")
            && advice
                .reasons
                .iter()
                .any(|reason| reason.starts_with("flash "))
    }));
}

#[test]
fn exclusions_name_the_bytes_and_the_operation() {
    let answer = ask(&[Need::Encrypt], 1_000, 300, Prefer::Time);
    assert_eq!(order(&answer, Job::Cipher), ["aes-128 tiny"]);
    assert_eq!(
        excluded(&answer, "speck128/128 fast"),
        "RAM: 318 bytes, 18 over 300"
    );
    assert_eq!(
        excluded(&answer, "aes-128 fast"),
        "flash: 2,000 bytes, 1,000 over 1,000"
    );
    let answer = ask(&[Need::Decrypt], 10_000, 1_000, Prefer::Time);
    assert_eq!(
        excluded(&answer, "aes-128 tiny"),
        "it does not offer decrypt"
    );
    let both = ask(&[Need::Encrypt, Need::Decrypt], 2_500, 1_000, Prefer::Time);
    assert_eq!(
        excluded(&both, "aes-128 fast"),
        "flash: 3,000 bytes, 500 over 2,500"
    );
}

#[test]
fn authenticated_encryption_is_a_job_of_its_own() {
    let answer = ask(&[Need::Seal], 10_000, 1_000, Prefer::Time);
    assert_eq!(order(&answer, Job::Aead), ["ascon-aead128 fast"]);
    assert_eq!(
        answer.advice.len(),
        1,
        "no cipher that does not authenticate"
    );
    let sealing = answer.ranked(Job::Aead).next().expect("ranked");
    // Message, associated data, nonce, tag and key, in addition to 16 static bytes and 30 of stack.
    assert_eq!(sealing.buffers, Some(16 + 5 + 16 + 16 + 16));
    assert_eq!(sealing.ram, Some(16 + 30 + 69));
    assert_eq!(sealing.flash, Some(1_600));
    let both = ask(&[Need::Seal, Need::Open], 10_000, 1_000, Prefer::Time);
    let both = both.ranked(Job::Aead).next().expect("ranked");
    assert_eq!(both.flash, Some(2_400));
    assert_eq!(both.seconds, Some(4_000e-6));
}

#[test]
fn what_failed_or_varies_is_not_recommended() {
    let mut rows = rows();
    for row in &mut rows {
        if row.metric == Metric::Time && row.algorithm == "speck128/128" {
            row.status = Status::VariableTime;
            row.notes = vec![Note::Said {
                text: "two inputs differ".into(),
            }];
        }
        if row.metric == Metric::Flash && row.variant == "tiny" {
            *row = failed(row.clone(), Status::DoesNotFit, "40 over");
        }
    }
    let answer = ask_of(&rows, &[Need::Encrypt], 10_000, 1_000, Prefer::Time);
    assert_eq!(order(&answer, Job::Cipher), ["aes-128 fast"]);
    assert!(excluded(&answer, "speck128/128 fast").contains("variable time: two inputs differ"));
    assert!(excluded(&answer, "aes-128 tiny").contains("does not fit: 40 over"));
}

#[test]
fn several_jobs_must_fit_together() {
    let needs = [Need::Encrypt, Need::Hash];
    let answer = ask(&needs, 10_000, 2_000, Prefer::Time);
    // 700 + 3000 flash; 256 + 100 static, 30 stack, 32 + 80 buffers.
    assert_eq!(answer.together, Some((3_700, 498)));
    assert!(answer.is_complete());
    // Each fits 3,500 bytes of flash alone, but no set of two does.
    let answer = ask(&needs, 3_500, 2_000, Prefer::Time);
    assert_eq!(answer.together, None);
    assert!(!answer.is_complete() && answer.ranked(Job::Cipher).count() == 3);
    // RAM for the smaller cipher only: the set differs from the two winners.
    let answer = ask(&needs, 10_000, 320, Prefer::Time);
    let set: Vec<String> = answer
        .advice
        .iter()
        .filter(|advice| advice.together)
        .map(Advice::name)
        .collect();
    assert_eq!(set, ["aes-128 tiny", "sha-256 fast"]);
}

#[test]
fn longer_messages_cost_more_blocks() {
    let request = Request {
        board: "uno".into(),
        flash: 10_000,
        ram: 2_000,
        needs: vec![Need::Encrypt],
        prefer: Prefer::Energy,
        bytes: 40,
        conditions: Vec::new(),
    };
    let answer = recommend(&request, &rows(), &algorithms(), Evidence::default());
    let first = answer.ranked(Job::Cipher).next().expect("ranked");
    assert!((first.seconds.expect("timed") - 3.0 * 160e-6).abs() < 1e-12);
    assert!((first.joules.expect("timed") - 3.0 * 0.8e-6).abs() < 1e-15);
}

#[test]
fn another_board_has_nothing_to_offer() {
    let request = Request {
        board: "esp32".into(),
        flash: 10_000,
        ram: 2_000,
        needs: vec![Need::Encrypt],
        prefer: Prefer::Time,
        bytes: 16,
        conditions: Vec::new(),
    };
    let answer = recommend(&request, &rows(), &algorithms(), Evidence::default());
    assert!(answer.advice.is_empty() && !answer.is_complete());
}

#[test]
fn tables_show_ranks_and_reasons() {
    let answer = ask(&[Need::Decrypt], 10_000, 1_000, Prefer::Time);
    let table = &answer.tables()[0];
    assert_eq!(table.body.len(), 3);
    assert!(table.remarks[0].contains("Best standard: aes-128 fast"));
    assert!(
        table.body[2]
            .iter()
            .any(|cell| cell.text.contains("excluded: it does not offer decrypt"))
    );
}

/// A line of `selo lab check`.
fn check(variant: &str, source: &str, failed: u64) -> CheckLine {
    CheckLine {
        source: source.into(),
        algorithm: "aes-128".into(),
        variant: variant.into(),
        library: "selo".into(),
        board: "uno".into(),
        runner: "simavr".into(),
        tried: 10,
        passed: 10 - failed,
        failed,
        available: 10,
        first_failure: None,
    }
}

#[test]
fn conditions_leave_out_what_was_not_shown_and_licences_are_told() {
    let checks = [
        check("fast", CONSTANT_TIME, 0),
        check("fast", "fips197", 0),
        check("tiny", "fips197", 1),
    ];
    let licences = [("selo".to_owned(), "MIT OR Apache-2.0".to_owned())];
    let evidence = Evidence {
        checks: &checks,
        licences: &licences,
        offered: &[],
    };
    let ask = |conditions: Vec<Condition>| {
        let request = Request {
            board: "uno".into(),
            flash: 32_768,
            ram: 2048,
            needs: vec![Need::Encrypt],
            prefer: Prefer::Time,
            bytes: 16,
            conditions,
        };
        recommend(&request, &rows(), &algorithms(), evidence)
    };
    let open = ask(Vec::new());
    // A failed vector always excludes. A missing check excludes only if the request demands it.
    assert!(excluded(&open, "aes-128 tiny").contains("1 case of the official vectors failed"));
    assert!(order(&open, Job::Cipher).len() > 1);
    let strict = ask(vec![Condition::ConstantTime, Condition::Conformity]);
    assert_eq!(order(&strict, Job::Cipher), ["aes-128 fast"]);
    let first = strict.ranked(Job::Cipher).next().expect("one fits");
    assert_eq!(first.licence.as_deref(), Some("MIT OR Apache-2.0"));
    let reasons = first.reasons.join("; ");
    for words in [
        "10 cases of the official vectors",
        "every tested secret",
        "licence MIT",
    ] {
        assert!(reasons.contains(words), "{reasons}");
    }
    assert!(excluded(&strict, "speck128/128 fast").contains("selo lab check --board uno"));
}

#[test]
fn where_a_board_has_no_clock_instructions_decide() {
    let counted: Vec<Row> = rows()
        .into_iter()
        .filter(|row| row.metric != Metric::Energy)
        .map(|mut row| {
            if row.metric == Metric::Time {
                row.metric = Metric::Instructions;
                row.value = row.value.map(|seconds| (seconds * 1e9).round());
            }
            row
        })
        .collect();
    let by_time = order(
        &ask(&[Need::Encrypt], 32_768, 2048, Prefer::Time),
        Job::Cipher,
    );
    let answer = ask_of(&counted, &[Need::Encrypt], 32_768, 2048, Prefer::Time);
    assert_eq!(order(&answer, Job::Cipher), by_time);
    let first = answer.ranked(Job::Cipher).next().expect("one fits");
    assert_eq!(first.seconds, None);
    assert!(
        first.reasons[0].contains("least instructions"),
        "{:?}",
        first.reasons
    );
}

#[test]
fn an_implementation_without_a_row_is_named_and_never_dropped() {
    let name = |library: &str, algorithm: &str, variant: &str| {
        (library.to_owned(), algorithm.to_owned(), variant.to_owned())
    };
    let offered = [
        name("selo", "aes-128", "fast"),
        name("theirs", "aes-128", "plain"),
        name("theirs", "sha-256", "plain"),
    ];
    let evidence = Evidence {
        offered: &offered,
        ..Evidence::default()
    };
    let request = Request {
        board: "uno".into(),
        flash: 32_768,
        ram: 2048,
        needs: vec![Need::Encrypt],
        prefer: Prefer::Time,
        bytes: 16,
        conditions: Vec::new(),
    };
    let with = recommend(&request, &rows(), &algorithms(), evidence);
    let without = recommend(&request, &rows(), &algorithms(), Evidence::default());
    assert_eq!(order(&with, Job::Cipher), order(&without, Job::Cipher));
    assert_eq!(with.advice.len(), without.advice.len() + 1);
    let theirs = with.advice.iter().find(|advice| advice.library == "theirs");
    let theirs = theirs.expect("it is listed");
    assert!(theirs.is_unmeasured() && theirs.rank.is_none());
    assert!(theirs.reasons[0].contains("selo lab run --board uno --library theirs"));
    let remarks = with.tables()[0].remarks.join(" ");
    assert!(remarks.contains("theirs (1)"), "{remarks}");
}
