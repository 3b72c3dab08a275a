//! Pairing: an operator, a node, and strangers who interfere.

use crate::common::{Bench, Node, at, peer};
use selo_gateway::counters::Count;
use selo_gateway::engine::{Event, PairError, WindowState};
use selo_gateway::peer::Peer;
use selo_link::frame::Frame;
use selo_link::pair::NodePairing;
use selo_link::{DeviceId, EphemeralSecret, Reason, Suite};

struct Pairing {
    bench: Bench,
    node: Node,
    attempt: Option<NodePairing>,
    commit: Vec<u8>,
}

impl Pairing {
    fn new() -> Pairing {
        let mut bench = Bench::new();
        bench
            .engine
            .pairing_open(at(0), 600_000, &mut bench.out)
            .expect("opens");
        bench.commit(at(0));
        let mut pairing = Pairing {
            bench,
            node: Node::new(1, Suite::AesGcmSha3),
            attempt: None,
            commit: Vec::new(),
        };
        pairing.restart();
        pairing
    }

    /// Restarts the node's pairing.
    fn restart(&mut self) {
        let secret = EphemeralSecret::new(self.node.random.bytes());
        let (attempt, commit) = NodePairing::start(
            self.node.suite,
            self.node.id,
            secret,
            self.node.random.bytes(),
        );
        self.attempt = Some(attempt);
        self.commit = commit.to_vec();
    }

    /// Continues until the node shows digits and the gateway waits for them.
    fn compare(&mut self, ms: u64) -> (selo_link::pair::Compared, Vec<u8>) {
        let (verdict, sent) = self.bench.handle(ms, peer(1), &self.commit);
        assert_eq!(verdict, Ok(()));
        self.reveal(ms, &sent)
    }

    /// Continues from the node's receipt of a PAIR-KEY.
    fn reveal(
        &mut self,
        ms: u64,
        sent: &[(Peer, Vec<u8>)],
    ) -> (selo_link::pair::Compared, Vec<u8>) {
        let Ok(Frame::PairKey(key)) = Frame::parse(&sent[0].1) else {
            panic!("no PAIR-KEY");
        };
        let attempt = self.attempt.take().expect("an attempt");
        let (compared, reveal) = attempt.key(&key).map_err(|(_, why)| why).expect("a key");
        assert_eq!(self.bench.handle(ms, peer(1), &reveal), (Ok(()), vec![]));
        (compared, reveal.to_vec())
    }

    /// States of the attempts, without the state of the window.
    fn attempts(&self) -> Vec<WindowState> {
        let states = self.bench.engine.pairing_states();
        states.into_iter().skip(1).collect()
    }

    fn is_open(&self) -> bool {
        !self.bench.engine.pairing_states().is_empty()
    }

    /// Enters digits as the operator. Returns the packets that are sent.
    fn enter(&mut self, ms: u64, digits: u32) -> Result<Vec<(Peer, Vec<u8>)>, PairError> {
        let bench = &mut self.bench;
        let matched = bench.engine.pairing_enter(at(ms), digits, &mut bench.out)?;
        bench
            .engine
            .pairing_confirm(at(ms), matched.attempt, &mut bench.out)?;
        Ok(bench.commit(at(ms)))
    }
}

fn pair_result(sent: &[(Peer, Vec<u8>)]) -> selo_link::frame::PairResult<'_> {
    match Frame::parse(&sent[0].1) {
        Ok(Frame::PairResult(result)) => result,
        other => panic!("no PAIR-RESULT: {other:?}"),
    }
}

#[test]
fn a_pairing_that_is_confirmed_gives_both_sides_the_same_key() {
    let mut pairing = Pairing::new();
    let (node, reveal) = pairing.compare(0);
    let [
        WindowState::Comparing {
            device, replaces, ..
        },
    ] = pairing.attempts()[..]
    else {
        panic!("nothing to compare");
    };
    assert_eq!((device, replaces), (pairing.node.id, false));
    // No answer before the operator decides.
    assert_eq!(pairing.bench.handle(5, peer(1), &reveal), (Ok(()), vec![]));
    let bench = &mut pairing.bench;
    let digits = node.digits().value();
    let matched = bench.engine.pairing_enter(at(8), digits, &mut bench.out);
    let matched = matched.expect("the digits of the attempt");
    assert_eq!(matched.key.expose(), node.device_key().expose());
    assert_eq!(matched.suite, Suite::AesGcmSha3);
    // The device cannot be stored: its digits can be typed again.
    let refused = bench.engine.pairing_enter(at(8), digits, &mut bench.out);
    assert_eq!(refused.map(|_| ()), Err(PairError::Storing));
    bench
        .engine
        .pairing_return(at(8), matched.attempt, &mut bench.out);
    let sent = pairing.enter(9, digits).expect("comparing");
    assert_eq!(node.verdict(&pair_result(&sent)), Ok(true));
    assert!(!pairing.is_open());
    // The result is repeated for 10 minutes.
    let (_, again) = pairing.bench.handle(500_000, peer(1), &reveal);
    assert_eq!(node.verdict(&pair_result(&again)), Ok(true));
    let (verdict, again) = pairing.bench.handle(610_000, peer(1), &reveal);
    assert_eq!((verdict, again), (Err(Reason::NotPairing), vec![]));
    assert_eq!(pairing.bench.count(Count::Pairings), 1);
}

/// The registry may be on a server that is slow. Until it has stored the device, the gateway goes
/// on, and the window may close.
#[test]
fn while_a_device_is_stored_nothing_else_decides_about_its_attempt() {
    for stored in [true, false] {
        let mut pairing = Pairing::new();
        let (node, reveal) = pairing.compare(0);
        let bench = &mut pairing.bench;
        let digits = node.digits().value();
        let matched = bench.engine.pairing_enter(at(8), digits, &mut bench.out);
        let attempt = matched.expect("the digits of the attempt").attempt;
        // The operator rejects, the time of the attempt and that of the window pass.
        let rejected = bench.engine.pairing_reject(at(9), &mut bench.out);
        assert_eq!(rejected, Err(PairError::NotComparing));
        bench.engine.tick(at(700_000), &mut bench.out);
        assert_eq!(bench.commit(at(700_000)), []);
        assert!(bench.engine.pairing_states().is_empty(), "it has closed");
        let (verdict, sent) = bench.handle(700_001, peer(1), &reveal);
        assert_eq!((verdict, sent), (Err(Reason::NotPairing), vec![]));
        // Another window does not get the attempt.
        bench
            .engine
            .pairing_open(at(700_002), 600_000, &mut bench.out)
            .expect("opens");
        let (engine, out) = (&mut bench.engine, &mut bench.out);
        match stored {
            true => engine
                .pairing_confirm(at(700_003), attempt, out)
                .expect("decides"),
            false => engine.pairing_return(at(700_003), attempt, out),
        }
        let sent = bench.commit(at(700_003));
        assert_eq!(node.verdict(&pair_result(&sent)), Ok(stored));
        let states = bench.engine.pairing_states();
        assert_eq!(states, [WindowState::Open { entries_left: 3 }]);
    }
}

#[test]
fn digits_of_another_attempt_are_refused_until_the_first_device_is_stored() {
    let mut pairing = Pairing::new();
    let (first, _) = pairing.compare(0);
    pairing.restart();
    let (second, _) = pairing.compare(1);
    let bench = &mut pairing.bench;
    let mut enter = |ms, digits: u32| {
        let entered = bench.engine.pairing_enter(at(ms), digits, &mut bench.out);
        entered.map(|matched| matched.attempt)
    };
    let attempt = enter(8, first.digits().value()).expect("the digits of the first");
    let early = enter(9, second.digits().value());
    assert_eq!(early, Err(PairError::Storing));
    let confirmed = bench
        .engine
        .pairing_confirm(at(10), attempt, &mut bench.out);
    assert_eq!(confirmed, Ok(()));
    let sent = bench.commit(at(10));
    assert_eq!(first.verdict(&pair_result(&sent)), Ok(true));
}

/// Who stores a device may fail without telling. That must not end all pairing, nor take memory.
#[test]
fn a_decision_that_is_never_made_holds_up_its_own_window_only() {
    let mut pairing = Pairing::new();
    let (first, _) = pairing.compare(0);
    let mut forgotten = None;
    let mut digits = first.digits().value();
    for window in 0..6 {
        let ms = window * 700_000;
        let bench = &mut pairing.bench;
        let entered = bench
            .engine
            .pairing_enter(at(ms + 8), digits, &mut bench.out);
        let attempt = entered.expect("the digits are taken").attempt;
        forgotten.get_or_insert(attempt);
        bench.engine.tick(at(ms + 650_000), &mut bench.out);
        bench.commit(at(ms + 650_000));
        bench
            .engine
            .pairing_open(at(ms + 700_000), 600_000, &mut bench.out)
            .expect("opens");
        bench.commit(at(ms + 700_000));
        pairing.restart();
        digits = pairing.compare(ms + 700_000).0.digits().value();
    }
    pairing.enter(6 * 700_000 + 8, digits).expect("taken");
    // The first decision is no longer known.
    let bench = &mut pairing.bench;
    let late =
        bench
            .engine
            .pairing_confirm(at(6 * 700_000 + 9), forgotten.expect("one"), &mut bench.out);
    assert_eq!(late, Err(PairError::NotComparing));
}

#[test]
fn three_wrong_entries_and_the_window_closes() {
    let mut pairing = Pairing::new();
    // An entry while no digits are shown does not count.
    assert_eq!(pairing.enter(0, 1), Err(PairError::NotComparing));
    let (node, reveal) = pairing.compare(1000);
    let wrong = |by: u32| (node.digits().value() + by) % 1_000_000;
    for (typed, left) in [(1, 2), (1, 2), (2, 1), (1, 1)] {
        let refused = pairing.enter(2000, wrong(typed));
        assert_eq!(refused, Err(PairError::NoSuchDigits { entries_left: left }));
    }
    assert!(pairing.is_open());
    let refused = pairing.enter(3000, wrong(3));
    assert_eq!(refused, Err(PairError::NoSuchDigits { entries_left: 0 }));
    // The node is told, and the right digits come too late.
    let sent = pairing.bench.commit(at(3000));
    assert_eq!(node.verdict(&pair_result(&sent)), Ok(false));
    assert_eq!(pairing.bench.handle(4000, peer(1), &reveal).1, sent);
    assert_eq!(pairing.enter(5000, wrong(0)), Err(PairError::Closed));
    pairing.restart();
    let commit = pairing.commit.clone();
    assert_eq!(
        pairing.bench.handle(9000, peer(1), &commit).0,
        Err(Reason::NotPairing)
    );
    assert_eq!(pairing.bench.count(Count::PairingsRejected), 1);
}

#[test]
fn a_wrong_entry_leaves_the_honest_attempt_as_it_is() {
    let mut pairing = Pairing::new();
    let (node, _) = pairing.compare(0);
    let digits = node.digits().value();
    let refused = pairing.enter(1, (digits + 1) % 1_000_000);
    assert_eq!(refused, Err(PairError::NoSuchDigits { entries_left: 2 }));
    let sent = pairing.enter(2, digits).expect("its digits");
    assert_eq!(node.verdict(&pair_result(&sent)), Ok(true));
}

#[test]
fn what_is_rejected_ends_and_the_window_stays_open() {
    let mut pairing = Pairing::new();
    let bench = &mut pairing.bench;
    let nothing = bench.engine.pairing_reject(at(0), &mut bench.out);
    assert_eq!(nothing, Err(PairError::NotComparing));
    let (node, _) = pairing.compare(1);
    let bench = &mut pairing.bench;
    let rejected = bench.engine.pairing_reject(at(2), &mut bench.out);
    rejected.expect("comparing");
    let sent = bench.commit(at(2));
    assert_eq!(node.verdict(&pair_result(&sent)), Ok(false));
    assert_eq!((pairing.is_open(), pairing.attempts()), (true, vec![]));
}

#[test]
fn no_attempt_is_held_for_ever() {
    let mut pairing = Pairing::new();
    let (_, sent) = pairing.bench.handle(0, peer(1), &pairing.commit);
    // A repeated commitment gets the same key, because the answer was lost.
    assert_eq!(pairing.bench.handle(4000, peer(1), &pairing.commit).1, sent);
    assert_eq!(pairing.bench.count(Count::Multiplications), 1);
    // Time-outs of the node, the operator and the window.
    pairing.bench.tick(29_999);
    assert_eq!(pairing.attempts().len(), 1);
    pairing.bench.tick(30_000);
    assert_eq!((pairing.is_open(), pairing.attempts()), (true, vec![]));
    pairing.restart();
    pairing.compare(31_000);
    assert_eq!(pairing.bench.engine.deadline(), Some(151_000));
    pairing.bench.tick(150_999);
    assert_eq!(pairing.attempts().len(), 1);
    pairing.bench.tick(151_000);
    assert_eq!(pairing.attempts(), []);
    pairing.restart();
    pairing.compare(599_000);
    pairing.bench.tick(600_000);
    assert!(!pairing.is_open());
}

/// A restarted node pairs at once, even though the gateway still waits for its last attempt.
#[test]
fn a_node_that_begins_anew_does_not_wait_for_its_last_attempt() {
    let mut pairing = Pairing::new();
    assert_eq!(pairing.bench.handle(0, peer(1), &pairing.commit).1.len(), 1);
    pairing.restart();
    let (node, _) = pairing.compare(1000);
    let sent = pairing.enter(2000, node.digits().value()).expect("paired");
    let to_node = sent.iter().filter(|(_, frame)| frame[0] == 0x40);
    assert_eq!(to_node.count(), 1);
}

/// A stranger's commitment from some address.
fn stranger_commits(pairing: &mut Pairing, ms: u64, from: Peer) -> Vec<(Peer, Vec<u8>)> {
    let commitment = pairing.node.random.bytes();
    let id = DeviceId(u32::from_le_bytes(pairing.node.random.bytes()));
    let commit = selo_link::frame::PairCommit::encode(id, Suite::Ascon, &commitment);
    let (verdict, sent) = pairing.bench.handle(ms, from, &commit);
    assert!(
        matches!(verdict, Ok(()) | Err(Reason::RateLimited)),
        "{verdict:?}"
    );
    sent
}

/// Regression: six packets closed the window, and one kept a node out for a minute. Now a flood
/// delays the node by a few seconds.
#[test]
fn the_packets_of_a_stranger_keep_no_node_out() {
    let mut pairing = Pairing::new();
    for ms in 0..1000 {
        stranger_commits(&mut pairing, ms, peer(9));
    }
    assert_eq!(pairing.attempts().len(), 4, "one source has four");
    let commit = pairing.commit.clone();
    let (_, mut sent) = pairing.bench.handle(1000, peer(1), &commit);
    if sent.is_empty() {
        sent = pairing.bench.tick(1001);
    }
    let (node, _) = pairing.reveal(1002, &sent);
    pairing.enter(2000, node.digits().value()).expect("paired");
}

/// Each PAIR-KEY is a guess for a man in the middle. A window has few, whatever arrives.
#[test]
fn a_window_gives_68_keys_at_most() {
    let mut pairing = Pairing::new();
    let mut keys = 0;
    for ms in (0..600_000u64).step_by(50) {
        let from = peer((ms / 50 % 200) as u32);
        keys += stranger_commits(&mut pairing, ms, from).len();
        pairing.bench.engine.tick(at(ms), &mut pairing.bench.out);
        keys += pairing.bench.commit(at(ms)).len();
        assert!(pairing.attempts().len() <= 8);
    }
    assert!((60..=68).contains(&keys), "{keys}");
    let made = pairing.bench.count(Count::Multiplications);
    assert_eq!(made, keys as u64, "no key is made that nobody gets");
}

/// Under a flood from one address, a node at another address wins every second draw.
#[test]
fn who_sends_more_does_not_win_more_often() {
    let mut pairing = Pairing::new();
    let mut keyed = 0;
    for ms in (0..590_000u64).step_by(20) {
        for source in [8, 9] {
            stranger_commits(&mut pairing, ms, peer(source));
        }
        if ms % 4000 == 0 {
            let commit = pairing.commit.clone();
            let (_, sent) = pairing.bench.handle(ms, peer(1), &commit);
            keyed += usize::from(!sent.is_empty());
        }
        pairing.bench.engine.tick(at(ms), &mut pairing.bench.out);
        let sent = pairing.bench.commit(at(ms));
        keyed += sent.iter().filter(|(to, _)| *to == peer(1)).count();
        if keyed > 0 {
            return;
        }
    }
    panic!("the node has waited through a whole window");
}

/// A forged PAIR-REVEAL does not end the node's attempt.
#[test]
fn a_forged_reveal_does_not_end_the_attempt() {
    let mut pairing = Pairing::new();
    let (_, sent) = pairing.bench.handle(0, peer(1), &pairing.commit);
    let Ok(Frame::PairKey(key)) = Frame::parse(&sent[0].1) else {
        panic!("no PAIR-KEY");
    };
    let attempt = pairing.attempt.take().expect("an attempt");
    let (node, reveal) = attempt.key(&key).map_err(|(_, why)| why).expect("a key");
    let mut foreign = reveal;
    foreign[1] ^= 1;
    assert_eq!(
        pairing.bench.handle(1, peer(2), &foreign).0,
        Err(Reason::NotPairing)
    );
    let mut forged = reveal;
    forged[10] ^= 1;
    assert_eq!(
        pairing.bench.handle(1, peer(1), &forged),
        (Err(Reason::Commitment), vec![])
    );
    assert_eq!(pairing.bench.count(Count::Multiplications), 1);
    assert_eq!(pairing.bench.handle(2, peer(1), &reveal), (Ok(()), vec![]));
    pairing.enter(3, node.digits().value()).expect("paired");
}

/// A window times out, and another operator opens the next one before the first operator learns
/// of it.
#[test]
fn an_operator_who_leaves_late_closes_nobody_elses_window() {
    let mut bench = Bench::new();
    let open = |bench: &mut Bench, ms| {
        let opened = bench.engine.pairing_open(at(ms), 1000, &mut bench.out);
        opened.expect("none is open")
    };
    let first = open(&mut bench, 0);
    bench.tick(1000);
    let second = open(&mut bench, 1001);
    assert_ne!(first, second);
    bench.out.events.clear();
    let Bench { engine, out, .. } = &mut bench;
    engine.pairing_leave(at(1002), first, "the operator disconnected", out);
    assert_eq!(engine.pairing_states().len(), 1);
    engine.pairing_leave(at(1003), second, "the operator disconnected", out);
    assert_eq!(engine.pairing_states(), []);
    // Each event names its window.
    let said: Vec<_> = out
        .events
        .iter()
        .filter_map(|event| match event {
            Event::Pairing(window, WindowState::Closed { .. }) => Some(*window),
            _ => None,
        })
        .collect();
    assert_eq!(said, [second]);
}
