//! Implementations that are wrong, and must fail.

use crate::common::Reference;
use selo_vectors::{
    CallError, CallOutput, Case, CaseKind, CaseResult, Implementation, Interface, status,
    stratified,
};

use super::{budget, is_quick};

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

pub(super) fn verdict(case: &Case, change: impl FnMut(&str, &mut CallOutput)) -> CaseResult {
    let mut wrong = Wrong {
        inner: Reference::new(case.algorithm, 65_536),
        change,
    };
    case.run(&mut wrong)
        .unwrap_or_else(|error| panic!("{}: {error}", case.id))
}

/// For every set and algorithm, the cases that are quick enough to run often.
pub(super) fn quick_cases() -> Vec<(String, Vec<Case>)> {
    let catalog = crate::common::catalog();
    let mut all = Vec::new();
    for algorithm in crate::common::referenced() {
        for set in catalog.sets_for(algorithm.name()) {
            let mut cases = set
                .cases(algorithm.name())
                .expect("the repository's files parse");
            cases.retain(|case| case.weight <= 3_000 && is_quick(case));
            // A signature of large keys takes as long as a thousand blocks.
            let large = matches!(algorithm.interface(), Interface::LargeSignature(_));
            let few = stratified(&cases, budget(if large { 20 } else { 500 }))
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
            let silent = matches!(
                case.kind,
                CaseKind::Verify { .. }
                    | CaseKind::EncapsulateRefused { .. }
                    | CaseKind::PrivateRefused { .. }
                    | CaseKind::LargeVerify { .. }
            );
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
                    | CaseKind::EncapsulateRefused { .. }
                    | CaseKind::PrivateRefused { .. }
                    | CaseKind::LargeVerify { .. }
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
    // Takes any signature.
    for algorithm in ["ml-dsa-44", "ml-dsa-65", "ml-dsa-87"] {
        assert!(any_failure("wycheproof-ml-dsa", algorithm, &accepts));
    }
    // Takes any key.
    assert!(any_failure("wycheproof-ml-kem", "ml-kem-512", &accepts));
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
