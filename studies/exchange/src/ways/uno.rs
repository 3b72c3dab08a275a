//! Ways of the simulated Uno, computed from baseline rows: the link by its measured operations, the
//! published protocol as the sum of its functions.

use std::path::Path;

use selo_link::Kem;
use selo_link::frame::{
    Flags, HybridCommit, JoinAccept, JoinRequest, PairCommit, PairKey, PairOpen, PairPiece,
    PairResult, PairReveal, PairStep,
};
use selo_link::hybrid::{Piece, piece_of};
use serde_json::Value;

use super::cost::{Computing, Cost, Memory, READING, Way};
use crate::error::{Error, Result};

/// The board of the baseline rows.
const KEPT: &str = "uno";

/// A number from the baseline file, `bench/baseline/uno.json`.
fn kept(file: &Value, row: &str, figure: &str) -> Option<f64> {
    file.get(row)?.get(figure)?.as_f64()
}

/// Reads the baseline file.
pub fn baseline(path: &Path) -> Result<Value> {
    let wrong = |why: String| Error::File {
        path: path.to_owned(),
        why,
        hint: "bench/baseline/uno.json of the source folder".into(),
    };
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))
}

fn cost(sent: usize, received: usize, trips: u32, computing: Computing) -> Cost {
    Cost {
        sent: sent as f64,
        received: received as f64,
        trips: trips.into(),
        computing,
    }
}

/// The published protocol, for `n` readings a day.
pub(super) fn classic(file: &Value, n: f64) -> Way {
    // The two public keys, and padded blocks of 16 bytes.
    let blocks = READING / 16 + 1;
    let (first, each) = classic_computing(file, blocks);
    let keys = cost(1 + 33, 33, 1, first);
    let sealed = cost(1 + blocks * 16, 0, 0, each);
    Way {
        name: "classic".into(),
        on: KEPT.into(),
        alone: keys.plus(1.0, sealed),
        of_a_day: keys.plus(n, sealed).shared(n),
        memory: classic_memory(file),
        caution: None,
        note: "The published protocol as printed, without authentication. Computing and memory are the sums of its functions' rows, without a firmware around them.",
    }
}

/// The link with `suite`, for `n` readings a day: within a session, with a join, and with a
/// pairing, also one with ML-KEM-512.
pub(super) fn link(file: &Value, suite: &str, n: f64) -> [Way; 4] {
    let flags = Flags::default();
    let packet = flags.header_bytes() + READING + flags.tag_bytes();
    let cycles = |operation: &str| link_cycles(file, suite, operation);
    let reading = cost(packet, 0, 0, cycles("seal 16"));
    let join = cost(JoinRequest::BYTES, JoinAccept::BYTES, 1, cycles("join"));
    let pair = cost(
        PairCommit::BYTES + PairReveal::BYTES,
        PairKey::BYTES + PairResult::BYTES,
        2,
        cycles("pair"),
    );
    let hybrid = format!("{suite}-hybrid");
    let way = |suite: &str, name: &str, alone: Cost, of_a_day: Cost, note| Way {
        name: name.into(),
        on: KEPT.into(),
        alone,
        of_a_day,
        memory: link_memory(file, suite),
        note,
        caution: None,
    };
    let with_pair = |suite, name, pair: Cost, note| {
        let alone = pair.plus(1.0, join).plus(1.0, reading);
        let of_a_day = pair.plus(1.0, join).plus(n, reading).shared(n);
        way(suite, name, alone, of_a_day, note)
    };
    [
        way(
            suite,
            "link, in a session",
            reading,
            reading,
            "The session already exists.",
        ),
        way(
            suite,
            "link, join",
            join.plus(1.0, reading),
            join.plus(n, reading).shared(n),
            "A join at the start of the day.",
        ),
        with_pair(
            suite,
            "link, pair and join",
            pair,
            "A pairing is done once in a device's life; here it is done every day.",
        ),
        with_pair(
            &hybrid,
            "link, hybrid pair and join",
            hybrid_pair(link_cycles(file, &hybrid, "pair")),
            "The pairing is with X25519 and ML-KEM-512. It is done once in a device's life; here it is done every day.",
        ),
    ]
}

fn link_cycles(file: &Value, suite: &str, operation: &str) -> Computing {
    kept(file, &format!("link {suite} {operation}"), "about_cycles")
        .map_or(Computing::Unknown, Computing::Cycles)
}

fn link_memory(file: &Value, suite: &str) -> Memory {
    let all = format!("link {suite} all");
    Memory {
        flash: kept(file, &all, "flash"),
        ram: kept(file, &all, "ram"),
        stack: kept(file, &all, "about_stack"),
        exceeded: None,
    }
}

/// A pairing with X25519 and ML-KEM-512. The node sends a frame for each step, and the gateway
/// answers each.
fn hybrid_pair(computing: Computing) -> Cost {
    let mut sent = HybridCommit::BYTES + PairReveal::BYTES;
    let mut received = PairKey::BYTES + PairResult::BYTES;
    let mut trips = 2;
    let pieces = (0..).map_while(|step| piece_of(Kem::MlKem512, step));
    for (step, piece) in pieces.enumerate() {
        let (up, down) = match piece {
            Piece::KeyHash | Piece::Rho => (0, 32),
            Piece::Ciphertext(range) => (range.len(), 0),
            Piece::Key(range) => (0, range.len()),
        };
        sent += up
            + match step {
                0 => PairOpen::BYTES,
                _ => PairStep::encode([0; 4], 0, &[]).len(),
            };
        received += down + PairPiece::encode([0; 4], 0, &[]).len();
        trips += 1;
    }
    cost(sent, received, trips, computing)
}

/// The functions of the published protocol, and the variants of their rows.
const CLASSIC: [&str; 3] = ["x25519 fast", "sha3-256 fast", "aes-256-ecb fast"];

/// The published protocol's computing: for the keys, and for `blocks` blocks.
fn classic_computing(file: &Value, blocks: usize) -> (Computing, Computing) {
    let [agree, hash, cipher] = CLASSIC;
    let cycles = |row: String| kept(file, &row, "cycles");
    let first = || {
        Some(
            cycles(format!("{agree} keygen"))?
                + cycles(format!("{agree} shared-secret"))?
                + cycles(format!("{hash} hash 32"))?
                + cycles(format!("{cipher} key-setup"))?,
        )
    };
    // The baseline has one block and four. Every further block takes the same time.
    let each = || {
        let one = cycles(format!("{cipher} encrypt 16"))?;
        let four = cycles(format!("{cipher} encrypt 64"))?;
        Some(one + (blocks as f64 - 1.0) * (four - one) / 3.0)
    };
    let known = |cycles: Option<f64>| cycles.map_or(Computing::Unknown, Computing::Cycles);
    (known(first()), known(each()))
}

fn classic_memory(file: &Value) -> Memory {
    let [agree, hash, cipher] = CLASSIC;
    let images = [
        format!("{agree} both"),
        format!("{hash} hash"),
        format!("{cipher} encrypt"),
    ];
    let sum = |figure| -> Option<f64> { images.iter().map(|row| kept(file, row, figure)).sum() };
    Memory {
        flash: sum("flash"),
        ram: sum("ram"),
        stack: kept(file, &format!("{agree} keygen"), "stack"),
        exceeded: None,
    }
}
