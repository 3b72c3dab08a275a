//! Counters, replay window and limits [docs/protocol.md, Data], compared with a model that
//! stores every counter.

use std::collections::HashSet;

use proptest::collection::vec;
use proptest::prelude::*;
use selo_link::frame::{Data, Frame};
use selo_link::session::{
    COUNTER_LIMIT, KEY_BYTES, OpenError, Role, STATE_BYTES, SealError, SealOptions, Session,
    SessionId,
};
use selo_link::{FRAME_MAX, Reason, Suite};

use crate::play;

/// The fastest suite; counters work alike in all suites.
const SUITE: Suite = Suite::Ascon;

/// The rules of the specification, without a bit window.
#[derive(Default)]
struct Model {
    seen: HashSet<u64>,
    next: u64,
}

#[derive(Debug, PartialEq)]
enum Answer {
    Opened(u64),
    Again(u64),
    OutsideWindow,
    Forged,
}

impl Model {
    /// The expected result for a packet with this full counter.
    fn answer(&mut self, counter: u64, window: u64) -> Answer {
        // Candidates end in the same 16 bits. The nearest to the next counter wins; in a tie
        // the lower one, as with a signed 16-bit difference.
        let candidate = (-2..=2)
            .map(|turn| (self.next as i64 & !0xffff) + 0x1_0000 * turn + (counter as i64 & 0xffff))
            .min_by_key(|candidate| ((candidate - self.next as i64).abs(), *candidate))
            .expect("five candidates");
        if candidate < 0 || candidate >= COUNTER_LIMIT as i64 {
            return Answer::OutsideWindow;
        }
        let completed = candidate as u64;
        if completed + 1 + window < self.next {
            return Answer::OutsideWindow;
        }
        if completed != counter {
            return Answer::Forged;
        }
        if !self.seen.insert(counter) {
            return Answer::Again(counter);
        }
        self.next = self.next.max(counter + 1);
        Answer::Opened(counter)
    }
}

fn data(frame: &[u8]) -> Data<'_> {
    match Frame::parse(frame) {
        Ok(Frame::Up(data) | Frame::Down(data)) => data,
        other => panic!("a sealed packet expected, not {other:?}"),
    }
}

fn open(session: &mut Session, frame: &[u8]) -> Answer {
    let mut out = [0; FRAME_MAX];
    let newest = session.next_received();
    match session.open(&data(frame), &mut out) {
        Ok(opened) => {
            assert_eq!(opened.newest, opened.counter >= newest);
            Answer::Opened(opened.counter)
        }
        Err(OpenError::Again { counter, .. }) => Answer::Again(counter),
        Err(OpenError::OutsideWindow) => Answer::OutsideWindow,
        Err(OpenError::Forged) => Answer::Forged,
        Err(other) => panic!("{other:?}"),
    }
}

/// An action of the two parties.
#[derive(Debug, Clone)]
enum Step {
    /// Seal a packet after this many lost ones.
    Seal(u64),
    /// Deliver an earlier packet, for the first time or again.
    Deliver(usize),
    /// Restart the receiver.
    Restart,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let lost = prop_oneof![
        20 => 0..3u64,
        4 => 0..200u64,
        2 => 30_000..40_000u64,
        1 => 60_000..70_000u64,
        1 => 0..5_000_000u64,
    ];
    let step = prop_oneof![
        10 => lost.prop_map(Step::Seal),
        8 => Just(Step::Deliver(0)),
        5 => (0..5usize).prop_map(Step::Deliver),
        3 => (0..300usize).prop_map(Step::Deliver),
        1 => Just(Step::Restart),
    ];
    vec(step, 1..600)
}

/// State at the start: the number of earlier packets, all received.
fn starts() -> impl Strategy<Value = u64> {
    prop_oneof![
        Just(0),
        0..300u64,
        65_000..66_000u64,
        131_000..132_000u64,
        0..COUNTER_LIMIT,
        COUNTER_LIMIT - 70_000..COUNTER_LIMIT,
    ]
}

fn session(role: Role) -> (Session, Session) {
    let (node, gateway) = play::session(SUITE);
    match role {
        Role::Gateway => (node, gateway),
        Role::Node => (gateway, node),
    }
}

/// The session as restored by a restarted gateway.
fn stored_and_back(session: &Session) -> Option<Session> {
    Session::from_stored(&session.state(), &*session.keys()?)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn as_the_model(
        role in proptest::sample::select(vec![Role::Gateway, Role::Node]),
        start in starts(),
        steps in steps(),
    ) {
        let (mut sender, mut receiver) = session(role);
        let mut model = Model::default();
        let mut sealed: Vec<(u64, Vec<u8>)> = Vec::new();
        if start > 0 {
            sender.skip_sent(start);
            prop_assert!(receiver.replay_accepted(start - 1));
            model.seen.insert(start - 1);
            model.next = start;
        }
        for step in steps {
            match step {
                Step::Seal(lost) => {
                    let counter = sender.next_sent() + lost;
                    if counter >= COUNTER_LIMIT {
                        continue;
                    }
                    sender.skip_sent(counter);
                    sealed.push((counter, play::seal(&mut sender, b"x", SealOptions::default())));
                }
                Step::Deliver(age) => {
                    let Some(at) = sealed.len().checked_sub(age + 1) else { continue };
                    let (counter, frame) = &sealed[at];
                    let expected = model.answer(*counter, role.window().into());
                    prop_assert_eq!(open(&mut receiver, frame), expected);
                    prop_assert_eq!(receiver.next_received(), model.next);
                }
                Step::Restart => {
                    let stored = receiver.state();
                    receiver = stored_and_back(&receiver).expect("it has just been stored");
                    prop_assert_eq!(receiver.state(), stored);
                }
            }
        }
    }

    /// A gateway that replays accepted counters reaches the same state.
    #[test]
    fn a_journal_restores_the_window(
        counters in vec(prop_oneof![0..300u64, 0..100_000u64], 1..200),
    ) {
        let (_, mut receiver) = session(Role::Gateway);
        let (_, mut restored) = session(Role::Gateway);
        let accepted: Vec<_> =
            counters.into_iter().filter(|&counter| receiver.replay_accepted(counter)).collect();
        for &counter in &accepted {
            prop_assert!(restored.replay_accepted(counter));
            prop_assert!(!restored.replay_accepted(counter));
        }
        prop_assert_eq!(receiver.state(), restored.state());
    }

    #[test]
    fn stored_bytes_are_taken_or_refused(bytes in vec(any::<u8>(), STATE_BYTES)) {
        let mut bytes: [u8; STATE_BYTES] = bytes.try_into().expect("of that size");
        bytes[0] = 2;
        if let Some(session) = Session::from_stored(&bytes, &[7; KEY_BYTES]) {
            prop_assert_eq!(session.state(), bytes);
        }
    }

    #[test]
    fn an_acknowledgement_names_the_newest(sent in 1..COUNTER_LIMIT, back in 0..0x1_0000u64) {
        let (mut sender, _) = session(Role::Gateway);
        prop_assert_eq!(sender.acknowledged(0), None);
        sender.skip_sent(sent);
        let expected = (sent - 1).checked_sub(back);
        prop_assert_eq!(sender.acknowledged((sent - 1).wrapping_sub(back) as u16), expected);
    }
}

#[test]
fn a_session_is_small() {
    assert!(
        size_of::<Session>() <= 112,
        "{} bytes",
        size_of::<Session>()
    );
}

#[test]
fn sending_ends_at_the_last_counter() {
    let (mut sender, mut receiver) = session(Role::Gateway);
    sender.skip_sent(COUNTER_LIMIT - 1);
    assert!(receiver.replay_accepted(COUNTER_LIMIT - 2));
    let last = play::seal(&mut sender, b"last", SealOptions::default());
    assert_eq!(
        open(&mut receiver, &last),
        Answer::Opened(COUNTER_LIMIT - 1)
    );

    let mut out = [0; FRAME_MAX];
    let after = sender.seal(b"one more", SealOptions::default(), &mut out);
    assert_eq!(after, Err(SealError::Ended));
    assert_eq!(sender.next_sent(), COUNTER_LIMIT);
    sender.skip_sent(u64::MAX);
    assert!(sender.seal(b"", SealOptions::default(), &mut out).is_err());
    assert_eq!(sender.next_sent(), COUNTER_LIMIT);
    assert!(stored_and_back(&sender).is_some());
    assert!(!receiver.replay_accepted(COUNTER_LIMIT));
    // Counter 0 in 16 bits would now mean 2^32.
    let (mut again, _) = session(Role::Gateway);
    let first = play::seal(&mut again, b"first", SealOptions::default());
    assert_eq!(open(&mut receiver, &first), Answer::OutsideWindow);
}

/// The session after this many wrong tags. The count is the last stored field.
fn having_seen(session: &Session, forgeries: u32) -> Session {
    let mut stored = session.state();
    let count = stored.len() - 4;
    stored[count..].copy_from_slice(&forgeries.to_le_bytes());
    let keys = session.keys().expect("it has keys");
    let session = Session::from_stored(&stored, &keys).expect("a session");
    assert_eq!(session.forgeries(), forgeries);
    session
}

#[test]
fn a_session_ends_after_too_many_forgeries() {
    for role in [Role::Gateway, Role::Node] {
        let (mut sender, mut receiver) = session(role);
        let genuine = play::seal(&mut sender, b"genuine", SealOptions::default());
        let mut forged = genuine.clone();
        forged[10] ^= 1;
        receiver = having_seen(&receiver, role.forgery_limit() - 1000);
        for _ in 1..1000 {
            assert_eq!(open(&mut receiver, &forged), Answer::Forged);
        }
        assert!(!receiver.has_ended());
        assert_eq!(open(&mut receiver.clone(), &genuine), Answer::Opened(0));
        assert_eq!(open(&mut receiver, &forged), Answer::Forged);

        assert!(receiver.has_ended());
        assert_eq!(receiver.forgeries(), role.forgery_limit());
        let mut out = [0; FRAME_MAX];
        assert_eq!(
            receiver.open(&data(&genuine), &mut out),
            Err(OpenError::Ended)
        );
        assert_eq!(OpenError::Ended.reason(), Reason::UnknownSession);
        assert_eq!(
            receiver.seal(b"", SealOptions::default(), &mut out),
            Err(SealError::Ended)
        );
        let stored = stored_and_back(&receiver).expect("it is stored so");
        assert!(stored.has_ended());
    }
}

#[test]
fn skipping_never_goes_back() {
    let (mut sender, _) = session(Role::Gateway);
    sender.skip_sent(10);
    sender.skip_sent(3);
    assert_eq!(sender.next_sent(), 10);
}

/// A counter above the limit is rejected, even from a stored state.
#[test]
fn what_no_session_stores_is_refused() {
    let (sender, _) = session(Role::Gateway);
    let (stored, keys) = (sender.state(), sender.keys().expect("it has not resumed"));
    let with = |at: usize, bytes: &[u8]| {
        let mut changed = stored;
        changed[at..at + bytes.len()].copy_from_slice(bytes);
        Session::from_stored(&changed, &keys).is_some()
    };
    let (version, suite, flags, next_sent, next_received) = (0, 1, 2, 7, 15);
    assert!(with(version, &[2]) && !with(version, &[1]));
    assert!(with(suite, &[4]) && !with(suite, &[5]));
    assert!(with(flags, &[3]) && !with(flags, &[4]));
    for counter in [next_sent, next_received] {
        assert!(with(counter, &COUNTER_LIMIT.to_le_bytes()));
        assert!(!with(counter, &(COUNTER_LIMIT + 1).to_le_bytes()));
    }
}

/// A forgery changes neither the window nor the expected next counter.
#[test]
fn a_forgery_moves_nothing() {
    let (mut sender, mut receiver) = session(Role::Gateway);
    sender.skip_sent(1_000);
    let mut forged = play::seal(&mut sender, b"x", SealOptions::default());
    forged[7] ^= 1;
    assert_eq!(open(&mut receiver, &forged), Answer::Forged);
    assert_eq!((receiver.next_received(), receiver.forgeries()), (0, 1));
}

#[test]
fn a_packet_of_another_session_direction_or_tag_length() {
    let (mut node, mut gateway) = play::session(SUITE);
    let frame = play::seal(&mut node, b"x", SealOptions::default());
    let data = play::up(&frame);
    let mut out = [0; FRAME_MAX];
    assert_eq!(
        node.open(&data, &mut out),
        Err(OpenError::UnknownSession),
        "its own"
    );
    let mut other = play::join(SUITE, SessionId(1), false).gateway_session();
    assert_eq!(other.open(&data, &mut out), Err(OpenError::UnknownSession));
    let mut long = play::join(SUITE, SessionId(0x5e10), true).gateway_session();
    assert_eq!(long.open(&data, &mut out), Err(OpenError::TagLength));
    assert_eq!((other.forgeries(), long.forgeries()), (0, 0));
    assert!(gateway.open(&data, &mut out).is_ok());
}

#[test]
fn payloads_fill_a_frame_and_no_more() {
    for suite in Suite::ALL {
        for (id, long_tags, max) in [(1, false, 45), (1, true, 37), (1 << 16, true, 35)] {
            for ack in [None, Some(7)] {
                let keys = play::join(suite, SessionId(id), long_tags);
                let (mut node, mut gateway) = (keys.node_session(), keys.gateway_session());
                let options = SealOptions {
                    ack_request: false,
                    ack,
                };
                let max = if ack.is_some() { max - 2 } else { max };
                assert_eq!(node.payload_max(options), max);
                let mut out = [0; FRAME_MAX];
                let too_long = node.seal(&[7; 46][..max + 1], options, &mut out);
                assert_eq!(
                    too_long,
                    Err(SealError::TooLong {
                        bytes: max + 1,
                        max
                    })
                );
                assert_eq!(node.next_sent(), 0, "nothing has changed");
                let frame = play::seal(&mut node, &[7; 45][..max], options);
                assert_eq!(frame.len(), FRAME_MAX);
                let opened = gateway
                    .open(&play::up(&frame), &mut out)
                    .expect("it is genuine");
                assert_eq!((opened.payload, opened.ack), (&[7; 45][..max], ack));
                assert!(!opened.only_acknowledges());
            }
        }
    }
}

#[test]
fn a_reading_takes_29_bytes() {
    let (mut node, _) = play::session(SUITE);
    assert_eq!(
        play::seal(&mut node, b"23.5 C, 1013 hPa", SealOptions::default()).len(),
        29
    );
}

/// Two gateways resume the same stored session, as with two copies of a disk. Counters are
/// equal, keys differ, and the node accepts new packets of either.
#[test]
fn a_resumed_session_seals_under_a_key_of_its_start() {
    for suite in Suite::ALL {
        let (mut node, mut gateway) = play::session(suite);
        let first = play::seal(&mut gateway, b"before", SealOptions::default());
        assert_eq!(open(&mut node, &first), Answer::Opened(0));
        let keys = gateway.keys().expect("it has not resumed");
        let resumed = |start: [u8; 4]| {
            let mut session =
                Session::from_stored(&gateway.state(), &keys).expect("it is stored so");
            session.resume(start);
            assert!(session.is_resumed() && session.keys().is_none());
            session
        };
        let (mut one, mut other) = (resumed([1, 0, 0, 0]), resumed([0, 0, 0, 1]));
        let plain = play::seal(&mut gateway, b"the same words", SealOptions::default());
        let of_one = play::seal(&mut one, b"the same words", SealOptions::default());
        let of_other = play::seal(&mut other, b"the same words", SealOptions::default());
        let text = |frame: &[u8]| data(frame).ciphertext.to_vec();
        assert_ne!(text(&plain), text(&of_one));
        assert_ne!(text(&of_one), text(&of_other));
        // All three have the same counter, so the node accepts only one.
        assert_eq!(open(&mut node, &of_one), Answer::Opened(1));
        assert_eq!(open(&mut node, &of_other), Answer::Again(1));
        assert_eq!(open(&mut node, &plain), Answer::Again(1));
        let next = play::seal(&mut other, b"next", SealOptions::default());
        assert_eq!(open(&mut node, &next), Answer::Opened(2));
        // The nonce is authenticated, and the frame type selects the key.
        for byte in [0, 3, 6] {
            let mut altered = play::seal(&mut other, b"altered", SealOptions::default());
            altered[byte] ^= if byte == 0 { 0x50 } else { 1 };
            assert_ne!(open(&mut node, &altered), Answer::Opened(3));
        }
        let full = other.payload_max(SealOptions::default());
        assert_eq!(full, 41);
    }
}
