//! Hybrid pairing: this crate's gateway with the C node, in every suite and with both sizes of
//! ML-KEM; and against an attacker on the way.

use selo_link::frame::{Frame, HybridCommit, PairOpen, PairStep};
use selo_link::hybrid::{GatewayOpening, Piece, Stepped, piece_of, steps};
use selo_link::pair::{Compared, GatewayPairing};
use selo_link::{EphemeralSecret, Kem, Refusal, Suite, random_bytes};
use selo_sys::node::Event;

use crate::device::CNode;
use crate::play;

fn node(suite: Suite, kem: Kem) -> CNode {
    CNode::begin_hybrid(
        suite,
        Some(kem),
        random_bytes().expect("the system has randomness"),
    )
}

fn secret() -> EphemeralSecret {
    EphemeralSecret::random().expect("the system has randomness")
}

fn open_of(bytes: &[u8]) -> PairOpen<'_> {
    match Frame::parse(bytes) {
        Ok(Frame::PairOpen(open)) => open,
        other => panic!("PAIR-OPEN expected, not {other:?}"),
    }
}

fn step_of(bytes: &[u8]) -> PairStep<'_> {
    match Frame::parse(bytes) {
        Ok(Frame::PairStep(step)) => step,
        other => panic!("PAIR-STEP expected, not {other:?}"),
    }
}

fn commit_of(bytes: &[u8]) -> HybridCommit<'_> {
    match Frame::parse(bytes) {
        Ok(Frame::HybridCommit(commit)) => commit,
        other => panic!("PAIR-COMMIT expected, not {other:?}"),
    }
}

/// Starts a pairing of the node.
fn open(c: &mut CNode) -> GatewayOpening {
    c.node.pair().expect("it has begun");
    let frame = c.sent();
    let seed = random_bytes().expect("the system has randomness");
    GatewayOpening::start(&open_of(&frame), &seed)
}

/// Exchanges the steps before `end`, and returns the node's last frame. `alter` may change what
/// the node or the gateway sends.
fn exchange(
    c: &mut CNode,
    opening: &mut GatewayOpening,
    from: u8,
    mut alter: impl FnMut(u8, &mut Vec<u8>),
) -> Result<Vec<u8>, Vec<Event>> {
    for n in from..steps(opening.kem()) {
        let mut answer = opening.answer().to_vec();
        alter(n, &mut answer);
        let events = c.take(&answer);
        if !events.is_empty() {
            return Err(events);
        }
        if n + 1 == steps(opening.kem()) {
            assert_eq!(c.poll(), [], "the second part begins in a poll of its own");
        }
        let mut frame = c.sent();
        alter(n, &mut frame);
        if n + 1 == steps(opening.kem()) {
            return Ok(frame);
        }
        let stepped = opening.step(&step_of(&frame));
        assert_eq!(stepped, Ok(Stepped::On), "step {n}");
    }
    unreachable!("it has steps");
}

/// The rest: returns what the gateway has, and the digits that the node shows.
fn compare(c: &mut CNode, opening: &GatewayOpening, commit: &[u8]) -> (Compared, Event) {
    let (pairing, key) = opening
        .commit(&commit_of(commit), secret())
        .expect("the check is right");
    let mut events = c.take(&key);
    let reveal = c.sent();
    let compared = pairing
        .reveal(&play::pair_reveal(&reveal))
        .expect("it opens the commitment");
    (compared, events.remove(0))
}

#[test]
fn both_ends_have_the_same_key() {
    for suite in Suite::ALL {
        for kem in Kem::ALL {
            let mut c = node(suite, kem);
            let mut opening = open(&mut c);
            // PAIR-OPEN and PAIR-REVEAL; PAIR-KEY and PAIR-RESULT.
            let mut frames = [vec![11, 53], vec![37, 21]];
            let count = |_, frame: &mut Vec<u8>| {
                frames[usize::from(frame[0] == 0xe2)].push(frame.len());
            };
            let commit = exchange(&mut c, &mut opening, 0, count).expect("no event");
            assert_eq!(commit.len(), 58);
            let (compared, event) = compare(&mut c, &opening, &commit);
            assert_eq!(event, Event::Digits(compared.digits().value()));
            assert_eq!(compared.kem(), Some(kem));
            let [up, down] = frames.map(|sizes| (sizes.len(), sizes.iter().sum::<usize>()));
            println!("{suite}, {kem}: (frames, bytes) from the node {up:?}, to it {down:?}");
            let expected = match kem {
                Kem::MlKem512 => [(35, 1082), (35, 1088)],
                Kem::MlKem768 => [(49, 1486), (49, 1556)],
            };
            assert_eq!([up, down], expected);
            c.node.confirm(true).expect("it shows digits");
            assert_eq!(c.take(&compared.result(true)), [Event::Paired]);
        }
    }
}

#[test]
fn the_pieces_are_those_of_the_page() {
    for (kem, count, u, t) in [
        (Kem::MlKem512, 33, 2..=14, 15..=29),
        (Kem::MlKem768, 47, 2..=20, 21..=43),
    ] {
        assert_eq!(steps(kem), count);
        let (mut key, mut ciphertext) = (0, 0);
        for n in 0..count {
            match piece_of(kem, n).expect("a step") {
                Piece::KeyHash => assert_eq!(n, 0),
                Piece::Rho => assert_eq!(n, 1),
                Piece::Key(range) => {
                    assert!(t.contains(&n) && range.start == key);
                    key = range.end;
                }
                Piece::Ciphertext(range) => {
                    assert!((u.contains(&n) || n >= count - 3) && range.start == ciphertext);
                    ciphertext = range.end;
                }
            }
        }
        let ranks = usize::from(kem.code()) + 1;
        assert_eq!((key, ciphertext), (384 * ranks, 320 * ranks + 128));
    }
}

/// A bit of any piece is changed on the way, in either direction. The node gives up before it has
/// sent v, or the gateway refuses its PAIR-COMMIT.
#[test]
fn altered_pieces() {
    let kem = Kem::MlKem512;
    for altered in 0..steps(kem) {
        for node_frame in [false, true] {
            let mut c = node(Suite::Ascon, kem);
            let mut opening = open(&mut c);
            let mut changed = false;
            let result = exchange(&mut c, &mut opening, 0, |n, frame| {
                let is_step = frame[0] == 0xe1;
                let at = frame.len() - 1;
                if n == altered && is_step == node_frame && frame.len() > 6 && frame[0] >= 0xe1 {
                    frame[at] ^= 0x10;
                    changed = true;
                }
            });
            match result {
                Err(events) => assert!(changed && events == [Event::PairFailed]),
                Ok(commit) => {
                    let answer = opening.commit(&commit_of(&commit), secret());
                    assert_eq!(answer.is_ok(), !changed);
                    assert!(!changed || matches!(answer, Err(Refusal::Commitment)));
                }
            }
        }
    }
}

/// The gateway takes the steps in order, each once, and only those of the attempt.
#[test]
fn steps_out_of_order() {
    let mut c = node(Suite::ChaChaPolyBlake2s, Kem::MlKem512);
    let mut opening = open(&mut c);
    let mark = opening.mark();
    let refused = |opening: &mut GatewayOpening, n: u8, piece: &[u8], mark: [u8; 4]| {
        let frame = PairStep::encode(mark, n, piece);
        let before = (opening.answer().to_vec(), opening.is_complete());
        assert_eq!(opening.step(&step_of(&frame)), Err(Refusal::NotPairing));
        assert_eq!((opening.answer().to_vec(), opening.is_complete()), before);
    };
    for n in (0..=255).filter(|n| *n != 1) {
        refused(&mut opening, n, &[], mark);
    }
    refused(&mut opening, 1, &[0], mark);
    refused(&mut opening, 1, &[], [!mark[0], mark[1], mark[2], mark[3]]);
    let first = PairStep::encode(mark, 1, &[]);
    assert_eq!(opening.step(&step_of(&first)), Ok(Stepped::On));
    let answer = opening.answer().to_vec();
    assert_eq!(opening.step(&step_of(&first)), Ok(Stepped::Again));
    assert_eq!(opening.answer(), answer);
    for size in (0..=52).filter(|size| *size != 52) {
        refused(&mut opening, 2, &vec![1; size], mark);
    }
    let whole = PairStep::encode(mark, 2, &[1; 52]);
    assert_eq!(opening.step(&step_of(&whole)), Ok(Stepped::On));
    // The first frame of a step stays.
    refused(&mut opening, 2, &[2; 52], mark);
    refused(&mut opening, 1, &[], mark);
}

/// The choice cannot be changed on the way: neither the KEM nor its absence.
#[test]
fn no_downgrade() {
    let mut c = node(Suite::ChaChaPolyBlake2s, Kem::MlKem512);
    let mut opening = open(&mut c);
    let commit = exchange(&mut c, &mut opening, 0, |_, _| ()).expect("no event");
    // PAIR-COMMIT as that of an ordinary pairing: the gateway takes it, and the reveal opens nothing.
    let mut plain = commit[..38].to_vec();
    plain[0] = 0x10;
    let (pairing, key) = GatewayPairing::start(&play::pair_commit(&plain), secret());
    let events = c.take(&key);
    assert!(matches!(events[..], [Event::Digits(_)]));
    let reveal = c.sent();
    let opened = pairing.reveal(&play::pair_reveal(&reveal));
    assert!(matches!(opened, Err(Refusal::Commitment)));
    // As that of the other size.
    let mut other = commit.clone();
    other[0] = 0x12;
    let answer = opening.commit(&commit_of(&other), secret());
    assert!(matches!(answer, Err(Refusal::NotPairing)));
    // PAIR-OPEN with the other size: the node gets pieces that it does not expect, or another h.
    let mut c = node(Suite::ChaChaPolyBlake2s, Kem::MlKem512);
    c.node.pair().expect("it has begun");
    let mut frame = c.sent();
    frame[10] = 2;
    let seed = random_bytes().expect("the system has randomness");
    let mut opening = GatewayOpening::start(&open_of(&frame), &seed);
    let mut n = 0;
    loop {
        let events = c.take(opening.answer());
        if events == [Event::PairFailed] || c.is_silent() {
            break;
        }
        assert_eq!(events, []);
        let step = c.sent();
        if opening.step(&step_of(&step)).is_err() {
            break;
        }
        n += 1;
    }
    assert!(n < 15 && !opening.is_complete());
}

/// A PAIR-COMMIT before the steps are complete, or of another node, changes nothing.
#[test]
fn early_commits() {
    let mut c = node(Suite::Ascon, Kem::MlKem512);
    let mut opening = open(&mut c);
    let commit = |opening: &GatewayOpening| {
        HybridCommit::encode(
            opening.kem(),
            opening.device(),
            opening.suite(),
            &[1; 32],
            &[2; 20],
        )
    };
    let early = opening.commit(&commit_of(&commit(&opening)), secret());
    assert!(matches!(early, Err(Refusal::NotPairing)));
    let genuine = exchange(&mut c, &mut opening, 0, |_, _| ()).expect("no event");
    let false_one = opening.commit(&commit_of(&commit(&opening)), secret());
    assert!(matches!(false_one, Err(Refusal::Commitment)));
    let mut other = genuine.clone();
    other[1] ^= 1;
    let other = opening.commit(&commit_of(&other), secret());
    assert!(matches!(other, Err(Refusal::NotPairing)));
    compare(&mut c, &opening, &genuine);
}
