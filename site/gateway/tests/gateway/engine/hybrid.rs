//! Hybrid pairing: the engine with the C node, losses, strangers, and a flood.

use std::time::{Duration, Instant};

use crate::common::{Bench, Seeded, at, peer};
use selo_gateway::counters::Count;
use selo_gateway::engine::WindowState;
use selo_gateway::peer::Peer;
use selo_link::frame::{HybridCommit, PairOpen, PairStep};
use selo_link::{DeviceId, Kem, Reason, Suite};
use selo_nodes::node::VirtualNode;
use selo_sys::node::{self, Event, Pairing};

struct Scene {
    bench: Bench,
    node: VirtualNode,
    digits: Option<u32>,
    paired: bool,
    ms: u64,
}

impl Scene {
    fn new(suite: Suite, pairing: Pairing) -> Scene {
        let mut bench = Bench::new();
        bench
            .engine
            .pairing_open(at(0), 600_000, &mut bench.out)
            .expect("opens");
        bench.commit(at(0));
        let mut entropy = Seeded(u64::from(suite.code()) + 7);
        let suite = node::Suite::from_code(suite.code()).expect("the C node has it");
        let mut node = VirtualNode::start_pairing(
            suite,
            pairing,
            None,
            Box::new(move |out| {
                out.fill_with(|| entropy.next() as u8);
                Ok(())
            }),
        )
        .expect("begins");
        node.node().pair().expect("it has begun");
        Scene {
            bench,
            node,
            digits: None,
            paired: false,
            ms: 0,
        }
    }

    fn turn(&mut self) -> Vec<Vec<u8>> {
        let (digits, paired) = (&mut self.digits, &mut self.paired);
        self.node.turn(self.ms as u32, |_, event| match event {
            Event::Digits(shown) => *digits = Some(shown),
            Event::Paired => *paired = true,
            other => panic!("{other:?}"),
        });
        self.node.take_sent()
    }

    /// A millisecond: frames go to the gateway, its answers to the node. `lost` says which are
    /// lost on the way, by their number.
    fn step(&mut self, frames: &mut u32, mut lost: impl FnMut(u32) -> bool) {
        for frame in self.turn() {
            *frames += 1;
            if lost(*frames) {
                continue;
            }
            let (_, sent) = self.bench.handle(self.ms, peer(1), &frame);
            self.deliver(sent, frames, &mut lost);
        }
        let ticked = self.bench.tick(self.ms);
        self.deliver(ticked, frames, &mut lost);
        self.ms += 1;
    }

    fn deliver(
        &mut self,
        sent: Vec<(Peer, Vec<u8>)>,
        frames: &mut u32,
        lost: &mut impl FnMut(u32) -> bool,
    ) {
        for (to, answer) in sent {
            *frames += 1;
            if to == peer(1) && !lost(*frames) {
                self.node.receive(&answer);
            }
        }
    }

    /// Until the node shows digits, or the time is up. Returns the number of frames.
    fn compare(&mut self, until_ms: u64, mut lost: impl FnMut(u32) -> bool) -> u32 {
        let mut frames = 0;
        while self.digits.is_none() && self.ms < until_ms {
            self.step(&mut frames, &mut lost);
        }
        // PAIR-REVEAL.
        self.step(&mut frames, &mut lost);
        frames
    }

    fn states(&self) -> Vec<WindowState> {
        let states = self.bench.engine.pairing_states();
        states.into_iter().skip(1).collect()
    }

    /// The operator types the digits. Returns the KEM that the gateway records.
    fn confirm(&mut self) -> Option<Kem> {
        let digits = self.digits.expect("the node shows them");
        let bench = &mut self.bench;
        let matched = bench
            .engine
            .pairing_enter(at(self.ms), digits, &mut bench.out)
            .expect("the digits of the attempt");
        bench
            .engine
            .pairing_confirm(at(self.ms), matched.attempt, &mut bench.out)
            .expect("comparing");
        self.node.node().confirm(true).expect("it shows digits");
        for (_, answer) in self.bench.commit(at(self.ms)) {
            self.node.receive(&answer);
        }
        self.turn();
        assert!(self.paired);
        matched.kem
    }
}

#[test]
fn the_gateway_pairs_each_kind_of_node_and_says_which() {
    for suite in Suite::ALL {
        for (pairing, kem, frames) in [
            (Pairing::X25519, None, 3),
            (Pairing::MlKem512, Some(Kem::MlKem512), 69),
            (Pairing::MlKem768, Some(Kem::MlKem768), 97),
        ] {
            let mut scene = Scene::new(suite, pairing);
            assert_eq!(
                scene.compare(1000, |_| false),
                frames,
                "without PAIR-RESULT"
            );
            assert!(matches!(
                scene.states()[..],
                [WindowState::Comparing { .. }]
            ));
            assert_eq!(scene.confirm(), kem);
            let kems = if kem.is_some() { 2 } else { 0 };
            assert_eq!(scene.bench.count(Count::KemOperations), kems);
            assert_eq!(scene.bench.count(Count::Multiplications), 2);
        }
    }
}

#[test]
fn each_frame_may_be_lost() {
    for lost in 1..=69 {
        let mut scene = Scene::new(Suite::Ascon, Pairing::MlKem512);
        scene.compare(10_000, |frame| frame == lost);
        assert!(scene.digits.is_some(), "frame {lost}");
        // The last frame is the PAIR-REVEAL, which the node repeats.
        while !matches!(scene.states()[..], [WindowState::Comparing { .. }]) {
            assert!(scene.ms < 20_000);
            scene.step(&mut 0, |_| false);
        }
        assert_eq!(scene.confirm(), Some(Kem::MlKem512));
    }
}

#[test]
fn one_frame_of_five_is_lost() {
    let mut random = Seeded(5);
    for _ in 0..5 {
        let mut scene = Scene::new(Suite::ChaChaPolyBlake2s, Pairing::MlKem512);
        scene.compare(300_000, |_| random.below(5) == 0);
        assert!(scene.digits.is_some());
    }
}

/// A node that disappears leaves its place after 30 seconds, and one that never ends its steps after
/// 2 minutes.
#[test]
fn no_opening_is_held_for_ever() {
    let mut scene = Scene::new(Suite::Ascon, Pairing::MlKem512);
    scene.step(&mut 0, |_| false);
    assert!(matches!(scene.states()[..], [WindowState::Opened { .. }]));
    scene.bench.tick(29_999);
    assert_eq!(scene.states().len(), 1);
    scene.bench.tick(30_001);
    assert_eq!(scene.states().len(), 0);

    let mut bench = Bench::new();
    let out = &mut bench.out;
    bench
        .engine
        .pairing_open(at(0), 600_000, out)
        .expect("opens");
    let open = PairOpen::encode([1; 4], DeviceId(9), Suite::Ascon, Kem::MlKem512);
    assert_eq!(bench.handle(0, peer(1), &open).1.len(), 1);
    for n in 1..=5u8 {
        let ms = u64::from(n) * 29_000;
        let piece = vec![0; if n == 1 { 0 } else { 52 }];
        let step = PairStep::encode([1; 4], n, &piece);
        bench.tick(ms);
        let (verdict, _) = bench.handle(ms, peer(1), &step);
        assert_eq!(verdict.is_ok(), ms < 120_000, "step {n}");
    }
}

/// Frames of others do not touch an attempt.
#[test]
fn strangers_do_not_spoil_it() {
    let mut scene = Scene::new(Suite::Ascon, Pairing::MlKem512);
    let open = scene.turn().remove(0);
    let (_, sent) = scene.bench.handle(0, peer(1), &open);
    let mark = [open[1], open[2], open[3], open[4]];
    let mut refused = |from: Peer, frame: &[u8], reason| {
        assert_eq!(scene.bench.handle(1, from, frame), (Err(reason), vec![]));
    };
    // Another address, another mark, another order.
    refused(peer(2), &PairStep::encode(mark, 1, &[]), Reason::NotPairing);
    refused(peer(2), &open, Reason::NotPairing);
    refused(
        peer(1),
        &PairStep::encode([!mark[0], 2, 3, 4], 1, &[]),
        Reason::NotPairing,
    );
    refused(
        peer(1),
        &PairStep::encode(mark, 2, &[1; 52]),
        Reason::NotPairing,
    );
    // The same mark for another node.
    let stolen = PairOpen::encode(mark, DeviceId(9), Suite::Ascon, Kem::MlKem512);
    refused(peer(2), &stolen, Reason::NotPairing);
    // A PAIR-COMMIT before the end, for this node and for another.
    let id = DeviceId::from_bytes([open[5], open[6], open[7], open[8]]);
    for id in [id, DeviceId(9)] {
        let commit = HybridCommit::encode(Kem::MlKem512, id, Suite::Ascon, &[1; 32], &[2; 20]);
        refused(peer(1), &commit, Reason::NotPairing);
    }
    scene.node.receive(&sent[0].1);
    scene.compare(1000, |_| false);
    assert_eq!(scene.confirm(), Some(Kem::MlKem512));
}

/// A repeated PAIR-OPEN of an attempt that has gone on begins no second one.
#[test]
fn a_late_copy_of_its_first_frame_begins_no_second_attempt() {
    let mut scene = Scene::new(Suite::Ascon, Pairing::MlKem512);
    let open = scene.turn().remove(0);
    let (_, sent) = scene.bench.handle(0, peer(1), &open);
    scene.node.receive(&sent[0].1);
    scene.compare(1000, |_| false);
    assert!(matches!(
        scene.states()[..],
        [WindowState::Comparing { .. }]
    ));
    for from in [peer(1), peer(2)] {
        let refused = scene.bench.handle(scene.ms, from, &open);
        assert_eq!(refused, (Err(Reason::NotPairing), vec![]));
    }
    assert_eq!(scene.states().len(), 1);
    assert_eq!(scene.confirm(), Some(Kem::MlKem512));
}

/// A window makes at most 68 key pairs, and answers each attempt at most 256 times, whatever
/// arrives.
#[test]
fn a_flood_of_openings_costs_little() {
    let mut bench = Bench::new();
    let out = &mut bench.out;
    bench
        .engine
        .pairing_open(at(0), 600_000, out)
        .expect("opens");
    let mut random = Seeded(3);
    let (mut pieces, mut bytes, mut frames) = (0, 0, 0);
    let mut busy = Duration::ZERO;
    for ms in (0..600_000u64).step_by(20) {
        let from = peer((ms / 20 % 200) as u32);
        let (mark, id) = (random.bytes(), DeviceId(random.next() as u32));
        let open = PairOpen::encode(mark, id, Suite::Ascon, Kem::MlKem768);
        let started = Instant::now();
        let mut sent = bench.handle(ms, from, &open).1;
        bench.engine.tick(at(ms), &mut bench.out);
        sent.extend(bench.commit(at(ms)));
        frames += 1;
        // Who got an answer asks for the same again and again.
        for (to, answer) in sent.clone() {
            let mark = [answer[1], answer[2], answer[3], answer[4]];
            for _ in 0..300 {
                let step = PairStep::encode(mark, 1, &[]);
                sent.extend(bench.handle(ms, to, &step).1);
                frames += 1;
            }
        }
        busy += started.elapsed();
        pieces += sent.len();
        bytes += sent.iter().map(|(_, frame)| frame.len()).sum::<usize>();
    }
    let keys = bench.count(Count::KemOperations);
    println!(
        "{keys} key pairs, {pieces} PAIR-PIECEs, {bytes} bytes for {frames} frames in ten minutes: {} ms of work",
        busy.as_millis()
    );
    assert!((60..=68).contains(&keys), "{keys}");
    assert!(pieces <= 68 * 256, "{pieces}");
    assert_eq!(bench.count(Count::Multiplications), 0);
}
