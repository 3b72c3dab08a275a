//! Checks the repository's vectors: an independent implementation passes each of them.

use std::collections::BTreeMap;

use crate::common::Reference;
use selo_vectors::{
    Algorithm, CallError, CallOutput, Case, CaseKind, CaseResult, Implementation, Interface,
    status, stratified,
};
use sha2::Digest as _;

/// The million-fold iteration of [RFC7748, 5.2] takes minutes, so it has a test of its own.
const LARGEST_WEIGHT: u32 = 100_000;

/// The weight of the cases that a test runs of each set: `sample`, or everything with
/// SELO_TEST_ALL=1 (`make test-all`).
fn budget(sample: u64) -> u64 {
    if std::env::var_os("SELO_TEST_ALL").is_some() {
        u64::MAX
    } else {
        sample
    }
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
    for algorithm in Algorithm::all() {
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
            for case in stratified(&cases, budget(4_000)) {
                if case.weight <= LARGEST_WEIGHT {
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
    for io_bytes in [1, 32, 48, 96, 137, 256] {
        let mut passed = 0;
        for algorithm in Algorithm::all() {
            for set in catalog.sets_for(algorithm.name()) {
                let cases = set
                    .cases(algorithm.name())
                    .expect("the repository's files parse");
                for case in stratified(&cases, budget(100))
                    .into_iter()
                    .filter(|case| case.weight <= 3_000)
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

/// An implementation with one fault, which a set must detect.
struct Wrong<F> {
    inner: Reference,
    change: F,
}

impl<F: FnMut(&str, &mut CallOutput)> Implementation for Wrong<F> {
    fn has(&self, operation: &str) -> bool {
        self.inner.has(operation)
    }
    fn io_bytes(&self) -> usize {
        self.inner.io_bytes()
    }
    fn call(&mut self, operation: &str, inputs: &[&[u8]]) -> Result<CallOutput, CallError> {
        let mut outcome = self.inner.call(operation, inputs)?;
        (self.change)(operation, &mut outcome);
        Ok(outcome)
    }
}

fn verdict(case: &Case, change: impl FnMut(&str, &mut CallOutput)) -> CaseResult {
    let mut wrong = Wrong {
        inner: Reference::new(case.algorithm, 65_536),
        change,
    };
    case.run(&mut wrong)
        .unwrap_or_else(|error| panic!("{}: {error}", case.id))
}

/// For every set and algorithm, the cases that are quick enough to run often.
fn quick_cases() -> Vec<(String, Vec<Case>)> {
    let catalog = crate::common::catalog();
    let mut all = Vec::new();
    for algorithm in Algorithm::all() {
        for set in catalog.sets_for(algorithm.name()) {
            let mut cases = set
                .cases(algorithm.name())
                .expect("the repository's files parse");
            cases.retain(|case| case.weight <= 3_000);
            let few = stratified(&cases, budget(500))
                .into_iter()
                .cloned()
                .collect();
            all.push((format!("{} {}", set.id, algorithm.name()), few));
        }
    }
    all
}

fn failed(verdict: &CaseResult) -> bool {
    matches!(verdict, CaseResult::Fail { .. })
}

#[test]
fn a_wrong_implementation_fails() {
    for (set, cases) in quick_cases() {
        for case in cases {
            // These cases test outputs that must not occur, so another wrong output passes.
            let negative = matches!(case.kind, CaseKind::Mac { valid: false, .. });
            let flipped = verdict(&case, |operation, outcome| {
                if let (false, Some(byte)) = (operation == "key-setup", outcome.output.first_mut())
                {
                    // Flip two bits, because Wycheproof's altered tags differ in one.
                    *byte ^= 0x24;
                }
            });
            // Verification answers with its status only.
            let silent = matches!(case.kind, CaseKind::Verify { .. });
            let empty = matches!(&case.kind, CaseKind::CbcPadded { output, .. } if output.is_empty())
                || matches!(&case.kind, CaseKind::CbcRefused { ciphertext, .. } if ciphertext.is_empty())
                || matches!(&case.kind, CaseKind::AeadOpen { message, .. }
                        | CaseKind::AeadRefused { message, .. } if message.ciphertext.is_empty());
            assert_eq!(
                failed(&flipped),
                !negative && !empty && !silent,
                "{set} {}: a flipped bit: {flipped:?}",
                case.id
            );

            let refused = verdict(&case, |_, outcome| outcome.status = 1);
            assert_eq!(
                failed(&refused),
                !matches!(
                    case.kind,
                    CaseKind::KdfRefused { .. }
                        | CaseKind::AgreementRefused { .. }
                        | CaseKind::Verify { valid: false, .. }
                ),
                "{set} {}: refused: {refused:?}",
                case.id
            );
        }
    }
}

#[test]
fn a_truncated_or_long_output_fails() {
    for (set, cases) in quick_cases() {
        for case in cases.into_iter().take(4) {
            if matches!(
                case.kind,
                CaseKind::Mac { valid: false, .. }
                    | CaseKind::CbcRefused { .. }
                    | CaseKind::AeadRefused { .. }
                    | CaseKind::KdfRefused { .. }
                    | CaseKind::AgreementRefused { .. }
                    | CaseKind::Verify { .. }
            ) {
                continue;
            }
            let refusal =
                matches!(case.kind, CaseKind::SharedSecret { shared, .. } if shared == [0; 32]);
            for (what, change) in [("short", -1i32), ("long", 1)] {
                let verdict = verdict(&case, |operation, outcome| match (operation, change) {
                    ("key-setup" | "start" | "update", _) => {}
                    (_, 1) => outcome.output.push(0),
                    _ => drop(outcome.output.pop()),
                });
                let empty = matches!(&case.kind, CaseKind::CbcPadded { output, .. } if output.is_empty())
                    || matches!(&case.kind, CaseKind::AeadOpen { message, .. } if message.plaintext.is_empty());
                let expected = !refusal && (!empty || change == 1);
                assert_eq!(
                    failed(&verdict),
                    expected,
                    "{set} {} {what}: {verdict:?}",
                    case.id
                );
            }
        }
    }
}

/// Each of these faults only changes a few answers.
#[test]
fn a_subtly_wrong_implementation_fails() {
    let any_failure = |set: &str, algorithm: &str, change: &dyn Fn(&str, &mut CallOutput)| {
        let cases = crate::common::catalog()
            .set(set)
            .expect("in the index")
            .cases(algorithm)
            .expect("it parses");
        let quick = cases.iter().filter(|case| case.weight <= 3_000);
        quick
            .map(|case| verdict(case, change))
            .any(|verdict| failed(&verdict))
    };
    // Returns the all-zero secret.
    let accepts = |_: &str, outcome: &mut CallOutput| outcome.status = 0;
    assert!(any_failure("wycheproof-x25519", "x25519", &accepts));
    // Accepts bad padding.
    assert!(any_failure("wycheproof-cbc", "aes-128-cbc", &accepts));
    // Leaks the decrypted data when it refuses.
    let leaks = |_: &str, outcome: &mut CallOutput| {
        if outcome.status != 0 {
            outcome.output = vec![0xab];
        }
    };
    assert!(any_failure("wycheproof-cbc", "aes-256-cbc", &leaks));
    assert!(any_failure("wycheproof-x25519", "x25519", &leaks));
    // Does not take the IV from the random source.
    let constant = |operation: &str, outcome: &mut CallOutput| {
        if operation == "encrypt" && outcome.output.len() >= 16 {
            outcome.output[..16].fill(0x42);
        }
    };
    for algorithm in ["aes-128-cbc", "speck128/256-cbc"] {
        assert!(any_failure("sp800-38a-iv", algorithm, &constant));
    }
    for (set, algorithm) in AEAD_SETS {
        // Ignores the tag; refuses with a wrong reason; leaks when it refuses.
        assert!(any_failure(set, algorithm, &accepts), "{set}");
        let padding = |_: &str, outcome: &mut CallOutput| {
            if outcome.status == status::TAG {
                outcome.status = status::PADDING;
            }
        };
        assert!(any_failure(set, algorithm, &padding), "{set}");
        assert!(any_failure(set, algorithm, &leaks), "{set}");
    }
    assert!(any_failure("wycheproof-hkdf", "hkdf-sha-256", &accepts));
    assert!(any_failure("wycheproof-hkdf", "hkdf-sha-256", &leaks));
}

/// One set for each kind of file that has messages to open.
const AEAD_SETS: [(&str, &str); 9] = [
    ("gcmvs", "aes-128-gcm"),
    ("wycheproof-gcm", "aes-192-gcm"),
    ("sp800-38c", "aes-128-ccm"),
    ("ccmvs", "aes-256-ccm"),
    ("wycheproof-ccm", "aes-192-ccm"),
    ("rfc8439", "chacha20-poly1305"),
    ("wycheproof-chacha20-poly1305", "chacha20-poly1305"),
    ("ascon-kat", "ascon-aead128"),
    ("wycheproof-ascon", "ascon-aead128"),
];

/// Faulty opening that verifies only a part: half of the tag, no associated data, or a nonce
/// without its last byte. Every set detects this by the bits that it changes.
#[test]
fn a_tag_that_is_verified_in_part_fails() {
    type Fault = fn(&[Vec<u8>]) -> Vec<Vec<u8>>;
    /// Seals and opens correctly, with one fault: a message that equals the last opened one under
    /// `fault` is opened as that one.
    struct Lenient<'a> {
        inner: Reference,
        fault: Fault,
        /// Inputs of the last successful opening.
        last: &'a mut Vec<Vec<u8>>,
    }
    impl Implementation for Lenient<'_> {
        fn has(&self, operation: &str) -> bool {
            self.inner.has(operation)
        }
        fn io_bytes(&self) -> usize {
            self.inner.io_bytes()
        }
        fn call(&mut self, operation: &str, inputs: &[&[u8]]) -> Result<CallOutput, CallError> {
            let outcome = self.inner.call(operation, inputs)?;
            let inputs: Vec<Vec<u8>> = inputs.iter().map(|input| input.to_vec()).collect();
            let same = |a: &[Vec<u8>], b: &[Vec<u8>]| (self.fault)(a) == (self.fault)(b);
            if operation == "open" && outcome.status == status::OK {
                *self.last = inputs;
            } else if operation == "open" && !self.last.is_empty() && same(self.last, &inputs) {
                let last: Vec<&[u8]> = self.last.iter().map(Vec::as_slice).collect();
                return self.inner.call(operation, &last);
            }
            Ok(outcome)
        }
    }
    let faults: [(&str, Fault); 3] = [
        ("the tag's end", |inputs| {
            let mut inputs = inputs.to_vec();
            let tag = inputs.get(3).map_or(16, |size| usize::from(size[0]));
            let sealed = inputs[2].len();
            inputs[2].truncate(sealed - tag / 2);
            inputs
        }),
        ("the associated data", |inputs| {
            let mut inputs = inputs.to_vec();
            inputs[1].clear();
            inputs
        }),
        ("the nonce's end", |inputs| {
            let mut inputs = inputs.to_vec();
            inputs[0].pop();
            inputs
        }),
    ];
    for (set, algorithm) in AEAD_SETS {
        let catalog = crate::common::catalog();
        let set = catalog.set(set).expect("in the index");
        let cases = set.cases(algorithm).expect("it parses");
        // A document with a few messages only covers a few bits.
        if cases.len() < 10 {
            continue;
        }
        for (what, fault) in faults {
            let noticed = cases.iter().any(|case| {
                let mut lenient = Lenient {
                    inner: Reference::new(case.algorithm, 65_536),
                    fault,
                    last: &mut Vec::new(),
                };
                failed(&case.run(&mut lenient).expect("it runs"))
            });
            assert!(noticed, "{}: {what} is not verified", set.id);
        }
    }
}

/// Streaming faults are detected although every message also fits one call.
#[test]
fn pieces_are_tried_besides_one_call() {
    for (set, algorithm) in [
        ("shavs", "sha-256"),
        ("sha3vs", "sha3-512"),
        ("rfc4231", "hmac-sha-512"),
    ] {
        let cases = crate::common::catalog()
            .set(set)
            .expect("in the index")
            .cases(algorithm)
            .expect("it parses");
        let noticed = cases.iter().filter(|case| case.weight < 3_000).any(|case| {
            let wrong = |operation: &str, outcome: &mut CallOutput| {
                if operation == "finish" {
                    outcome.output[31] ^= 0x80;
                }
            };
            failed(&verdict(case, wrong))
        });
        assert!(noticed, "{set} {algorithm}");
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
        for case in cases {
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
