//! Replays the fuzzers' corpus, and seeded mutations of it, through every target.
//!
//! Coverage does not guide this test: it repeats the fuzzers' findings, and inputs close to them.
//! `tools/fuzz.sh --seconds N` searches for new ones.

use std::fs;
use std::panic;
use std::path::Path;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use selo_fuzz_targets::{ALL, Target};

/// Mutated inputs for each target, the same in every run; the first of them unless SELO_TEST_ALL=1
/// (`make test-all`).
const MUTATIONS: usize = 10_000;
const FIRST_MUTATIONS: usize = 3_000;
/// Longest input, as in `tools/fuzz.sh`.
const LONGEST: usize = 2_048;

fn corpus(name: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../corpus")
        .join(name);
    let mut files: Vec<_> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("a readable folder").path())
        .collect();
    files.sort();
    files
        .into_iter()
        .map(|path| {
            let bytes = fs::read(&path).expect("a readable file");
            (path.display().to_string(), bytes)
        })
        .collect()
}

/// Alters an input in one to four places, sometimes with a piece of another one.
fn mutate(rng: &mut ChaCha8Rng, input: &[u8], other: &[u8]) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..rng.random_range(1..=4) {
        let place = rng.random_range(0..=bytes.len());
        match rng.random_range(0..5) {
            0 => bytes.truncate(place),
            1 => bytes.insert(place, rng.random()),
            2 if place < bytes.len() => bytes[place] ^= 1 << rng.random_range(0..8),
            3 if place < bytes.len() => {
                bytes.remove(place);
            }
            _ => {
                let from = rng.random_range(0..=other.len());
                bytes.truncate(place);
                bytes.extend_from_slice(&other[from..]);
            }
        }
    }
    bytes.truncate(LONGEST);
    bytes
}

/// Runs one input. `what` names the input in the panic.
fn try_one(target: Target, what: &str, input: &[u8]) {
    if let Err(broken) = panic::catch_unwind(|| target(input)) {
        eprintln!("{what} breaks it; the input in hex: {}", hex(input));
        panic::resume_unwind(broken);
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn replay(name: &str) {
    let (_, target) = ALL
        .into_iter()
        .find(|(known, _)| *known == name)
        .expect("a target of that name");
    let corpus = corpus(name);
    assert!(!corpus.is_empty(), "no corpus of {name}");
    for (path, input) in &corpus {
        try_one(target, path, input);
    }
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mutations = match std::env::var_os("SELO_TEST_ALL") {
        Some(_) => MUTATIONS,
        None => FIRST_MUTATIONS,
    };
    for number in 0..mutations {
        let (path, input) = &corpus[rng.random_range(0..corpus.len())];
        let (_, other) = &corpus[rng.random_range(0..corpus.len())];
        let input = mutate(&mut rng, input, other);
        try_one(target, &format!("mutation {number} of {path}"), &input);
    }
}

macro_rules! replays {
    ($($name:ident)+) => {
        $(#[test]
        fn $name() {
            replay(stringify!($name));
        })+

        #[test]
        fn every_target_is_replayed() {
            let replayed = [$(stringify!($name)),+];
            assert_eq!(ALL.map(|(name, _)| name), replayed);
        }
    };
}

replays! { codec exchange gateway_engine heads link_handshakes link_sessions }
