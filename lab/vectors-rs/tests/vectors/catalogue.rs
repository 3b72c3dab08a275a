//! Checks the repository's vectors: an independent implementation passes each of them.

mod wrong;

use std::collections::BTreeMap;

use crate::common::Reference;
use selo_vectors::{
    CallError, CallOutput, Case, CaseKind, CaseResult, Implementation, Interface, stratified,
};
use sha2::Digest as _;

use wrong::quick_cases;

/// The million-fold iteration of [RFC7748, 5.2] takes minutes, so it has a test of its own.
const LARGEST_WEIGHT: u32 = 100_000;

/// True in `make test-all`, which runs whole lists in place of samples.
fn everything() -> bool {
    std::env::var_os("SELO_TEST_ALL").is_some()
}

/// The weight of the cases that a test runs of each set: `sample`, or everything with
/// SELO_TEST_ALL=1 (`make test-all`).
fn budget(sample: u64) -> u64 {
    if everything() { u64::MAX } else { sample }
}

/// False for a signature of two million hashes, and for its key pair.
fn is_quick(case: &Case) -> bool {
    let large = matches!(case.algorithm.interface(), Interface::LargeSignature(_));
    !large || case.weight <= 32 || everything()
}

/// True for a signature of SLH-DSA, which hashes 100,000 times. Buffers change nothing about it.
fn signs_trees(case: &Case) -> bool {
    let signs = matches!(case.kind, CaseKind::LargeSign { .. });
    signs && case.algorithm.name().starts_with("slh-dsa")
}

fn run(case: &Case, io_bytes: usize) -> CaseResult {
    let mut reference = Reference::new(case.algorithm, io_bytes);
    case.run(&mut reference)
        .unwrap_or_else(|error| panic!("{}: {error}", case.id))
}

#[test]
fn every_case_passes_on_the_reference() {
    let catalog = crate::common::catalog();
    let mut counts: BTreeMap<(&str, &str), (usize, u64)> = BTreeMap::new();
    for algorithm in crate::common::referenced() {
        for set in catalog.sets_for(algorithm.name()) {
            let cases = set
                .cases(algorithm.name())
                .expect("the repository's files parse");
            assert!(
                !cases.is_empty(),
                "{} holds nothing for {}",
                set.id,
                algorithm.name()
            );
            for case in &cases {
                let count = counts.entry((&set.id, algorithm.name())).or_default();
                *count = (count.0 + 1, count.1 + u64::from(case.weight));
            }
            for case in stratified(&cases, budget(2_000)) {
                if case.weight <= LARGEST_WEIGHT && is_quick(case) {
                    assert_eq!(
                        run(case, 65_536),
                        CaseResult::Pass,
                        "{} {} {}",
                        set.id,
                        algorithm.name(),
                        case.id
                    );
                }
            }
        }
        assert!(
            !catalog.sets_for(algorithm.name()).is_empty(),
            "there are no vectors for {}",
            algorithm.name()
        );
    }
    // To print the catalogue: cargo test -p selo-vectors -- --nocapture every_case
    for ((set, algorithm), (cases, weight)) in counts {
        println!("{set:20} {algorithm:18} {cases:5} cases, weight {weight}");
    }
}

/// The same with the buffers of a small chip: messages are cut into pieces, and nothing fails.
#[test]
fn small_buffers_change_no_verdict() {
    let catalog = crate::common::catalog();
    let sizes: &[usize] = match everything() {
        true => &[1, 32, 48, 96, 137, 256],
        false => &[1, 48, 256],
    };
    for &io_bytes in sizes {
        let mut passed = 0;
        for algorithm in crate::common::referenced() {
            for set in catalog.sets_for(algorithm.name()) {
                let cases = set
                    .cases(algorithm.name())
                    .expect("the repository's files parse");
                for case in stratified(&cases, budget(30))
                    .into_iter()
                    .filter(|case| case.weight <= 3_000 && is_quick(case) && !signs_trees(case))
                {
                    match run(case, io_bytes) {
                        CaseResult::Pass => passed += 1,
                        // These have a one-call operation only.
                        CaseResult::Skipped { .. }
                            if matches!(
                                algorithm.interface(),
                                Interface::Aead(_)
                                    | Interface::Kdf(_)
                                    | Interface::Signature { .. }
                                    | Interface::Kem(_)
                                    | Interface::LargeSignature(_)
                            ) => {}
                        CaseResult::Skipped { .. } => {
                            assert!(io_bytes < 200, "{} skipped at {io_bytes}", case.id)
                        }
                        other => panic!("{} {} with {io_bytes} bytes: {other:?}", set.id, case.id),
                    }
                }
            }
        }
        assert_eq!(
            passed == 0,
            io_bytes == 1,
            "{io_bytes} bytes: {passed} passed"
        );
    }
}

#[test]
#[ignore = "a million scalar multiplications: a minute or more with --release"]
fn the_million_fold_iteration() {
    let cases = crate::common::catalog()
        .set("rfc7748")
        .expect("in the index")
        .cases("x25519")
        .expect("it parses");
    let case = cases
        .iter()
        .find(|case| case.weight == 1_000_000)
        .expect("RFC 7748 has one");
    assert_eq!(run(case, 64), CaseResult::Pass);
}

#[test]
fn the_files_are_those_that_were_put_here() {
    let directory = crate::common::directory();
    let sums = std::fs::read_to_string(directory.join("SHA256SUMS")).expect("SHA256SUMS");
    let mut listed = Vec::new();
    for line in sums.lines() {
        let (sum, file) = line.split_once("  ").expect("sum and file");
        let bytes = std::fs::read(directory.join(file)).expect("a listed file exists");
        assert_eq!(
            hex::encode(sha2::Sha256::digest(&bytes)),
            sum,
            "{file} has changed"
        );
        listed.push(directory.join(file));
    }
    for set in crate::common::catalog().sets() {
        for file in &set.files {
            assert!(
                listed.contains(&file.path),
                "{} is not in SHA256SUMS",
                file.path.display()
            );
        }
    }
}

/// An implementation without some operations, like `tiny`.
struct Without<'a>(Reference, &'a [&'a str]);

impl Implementation for Without<'_> {
    fn has(&self, operation: &str) -> bool {
        !self.1.contains(&operation) && self.0.has(operation)
    }
    fn io_bytes(&self) -> usize {
        self.0.io_bytes()
    }
    fn call(&mut self, operation: &str, inputs: &[&[u8]]) -> Result<CallOutput, CallError> {
        assert!(self.has(operation), "{operation} does not exist");
        self.0.call(operation, inputs)
    }
}

#[test]
fn a_missing_operation_skips() {
    for (set, cases) in quick_cases() {
        // None of these operations is theirs, and they take long.
        let large =
            |case: &Case| matches!(case.algorithm.interface(), Interface::LargeSignature(_));
        for case in cases.into_iter().filter(|case| !large(case)) {
            let verdict = |missing: &[&str]| {
                let mut without = Without(Reference::new(case.algorithm, 65_536), missing);
                case.run(&mut without).expect("nothing missing is called")
            };
            let skipped = matches!(verdict(&["decrypt"]), CaseResult::Skipped { .. });
            let decrypts = matches!(
                case.kind,
                CaseKind::Blocks { direction, .. }
                | CaseKind::BlockMonteCarlo { direction, .. }
                | CaseKind::CbcUnpadded { direction, .. }
                | CaseKind::CbcPadded { direction, .. }
                | CaseKind::CbcMonteCarlo { direction, .. }
                | CaseKind::Ctr { direction, .. } if direction == selo_vectors::Direction::Decrypt
            ) || matches!(case.kind, CaseKind::CbcRefused { .. });
            assert_eq!(skipped, decrypts, "{set} {}", case.id);

            let opens = matches!(
                case.kind,
                CaseKind::AeadOpen { .. } | CaseKind::AeadRefused { .. }
            );
            let skipped = matches!(verdict(&["open"]), CaseResult::Skipped { .. });
            assert_eq!(skipped, opens, "{set} {}", case.id);
            let seals = matches!(case.kind, CaseKind::AeadSeal { .. });
            let skipped = matches!(verdict(&["seal"]), CaseResult::Skipped { .. });
            assert!(skipped == seals || opens, "{set} {}", case.id);

            let streams = ["start", "update", "finish"];
            assert_eq!(verdict(&streams), CaseResult::Pass, "{set} {}", case.id);
            assert_eq!(
                verdict(&["hash", "mac"]),
                CaseResult::Pass,
                "{set} {}",
                case.id
            );
        }
    }
}

/// A crash gives no result.
#[test]
fn a_call_that_cannot_be_made_is_an_error() {
    struct Dead;
    impl Implementation for Dead {
        fn has(&self, _: &str) -> bool {
            true
        }
        fn io_bytes(&self) -> usize {
            65_536
        }
        fn call(&mut self, _: &str, _: &[&[u8]]) -> Result<CallOutput, CallError> {
            Err("the chip has crashed".into())
        }
    }
    for (_, cases) in quick_cases() {
        for case in cases {
            assert_eq!(
                case.run(&mut Dead).expect_err(&case.id).to_string(),
                "the chip has crashed"
            );
        }
    }
}

#[test]
fn a_sample_has_every_class_and_keeps_to_its_budget() {
    let catalog = crate::common::catalog();
    let cases = catalog
        .set("wycheproof-x25519")
        .expect("in the index")
        .cases("x25519")
        .expect("it parses");
    let classes = |sample: &[&Case]| {
        sample
            .iter()
            .map(|case| case.class.clone())
            .collect::<std::collections::BTreeSet<_>>()
            .len()
    };
    let everything = stratified(&cases, u64::MAX);
    assert_eq!(everything, cases.iter().collect::<Vec<_>>());
    let sample = stratified(&cases, 60);
    assert_eq!(sample.len(), 60);
    assert_eq!(classes(&sample), classes(&everything));
    assert_eq!(stratified(&cases, 0).len(), classes(&everything));
    assert_eq!(sample, stratified(&cases, 60));
}

#[test]
fn weights_are_what_a_run_costs() {
    // A call takes a few block operations at most, so the weight must be close to the calls.
    let catalog = crate::common::catalog();
    let cases = catalog
        .set("aesavs-mct-cbc")
        .expect("in the index")
        .cases("aes-192-cbc")
        .expect("it parses");
    assert_eq!(cases.len(), 200);
    for (index, weight, calls) in [(0, 2_000, 1_001), (100, 3_000, 2_001)] {
        let mut reference = Reference::new(cases[index].algorithm, 128);
        assert_eq!(
            cases[index].run(&mut reference).expect("it runs"),
            CaseResult::Pass
        );
        assert_eq!((cases[index].weight, reference.calls), (weight, calls));
    }
}
