//! This crate's gateway with the C node, in all suites: from pairing to a lost session and
//! back.

use selo_link::frame::{Frame, encode_hint};
use selo_link::join::JoinOpened;
use selo_link::pair::GatewayPairing;
use selo_link::session::{OpenError, Opened, SealOptions, Session, SessionId};
use selo_link::{DeviceId, DeviceKey, EphemeralSecret, FRAME_MAX, Reason, Suite, random_bytes};
use selo_sys::node::Event;

use crate::device::CNode;
use crate::play;

/// A minimal gateway, sufficient for a node.
struct Gateway {
    suite: Suite,
    key: DeviceKey,
    highest_join: u32,
    session: Session,
}

fn secret() -> EphemeralSecret {
    EphemeralSecret::random().expect("the system has randomness")
}

fn begin(suite: Suite) -> CNode {
    CNode::begin(suite, random_bytes().expect("the system has randomness"))
}

/// Pairs, and returns the gateway's device key.
fn pair(c: &mut CNode) -> DeviceKey {
    c.node.pair().expect("it has begun");
    let commit = c.sent();
    let commit = play::pair_commit(&commit);
    assert_eq!(commit.device, DeviceId(c.node.id()));
    let (pairing, key) = GatewayPairing::start(&commit, secret());
    let events = c.take(&key);
    let reveal = c.sent();
    let compared = pairing
        .reveal(&play::pair_reveal(&reveal))
        .expect("it opens the commitment");
    assert_eq!(events, [Event::Digits(compared.digits().value())]);
    c.node.confirm(true).expect("it shows digits");
    assert_eq!(c.take(&compared.result(true)), [Event::Paired]);
    compared.device_key().clone()
}

impl Gateway {
    /// Answers the JOIN-REQUEST that the node has sent.
    fn join(c: &mut CNode, suite: Suite, key: DeviceKey, id: SessionId, long_tags: bool) -> Self {
        let request = c.sent();
        let (session, counter) = answer(c, suite, &key, &request, id, long_tags);
        Gateway {
            suite,
            key,
            highest_join: counter,
            session,
        }
    }

    fn rejoin(&mut self, c: &mut CNode, id: SessionId) {
        let request = c.sent();
        let (session, counter) = answer(c, self.suite, &self.key, &request, id, false);
        assert!(
            counter > self.highest_join,
            "{counter} after {}",
            self.highest_join
        );
        (self.session, self.highest_join) = (session, counter);
    }

    fn seal(&mut self, payload: &[u8], options: SealOptions) -> Vec<u8> {
        play::seal(&mut self.session, payload, options)
    }

    /// Opens an UP and passes it to `check`.
    fn hear(&mut self, frame: &[u8], check: impl FnOnce(Opened<'_>)) {
        let mut out = [0; FRAME_MAX];
        check(
            self.session
                .open(&play::up(frame), &mut out)
                .expect("it is genuine"),
        );
    }
}

fn answer(
    c: &mut CNode,
    suite: Suite,
    key: &DeviceKey,
    request: &[u8],
    id: SessionId,
    long_tags: bool,
) -> (Session, u32) {
    let opened = JoinOpened::open(suite, key, &play::join_request(request)).expect("genuine");
    let counter = opened.counter();
    let (accept, keys) = opened.accept(&secret(), id, long_tags).expect("a good key");
    assert_eq!(c.take(&accept), [Event::Joined]);
    (keys.gateway_session(), counter)
}

fn joined(suite: Suite, id: SessionId, long_tags: bool) -> (CNode, Gateway) {
    let mut c = begin(suite);
    let key = pair(&mut c);
    c.node.join().expect("it is paired");
    let gateway = Gateway::join(&mut c, suite, key, id, long_tags);
    (c, gateway)
}

const SHAPES: [(u32, bool); 4] = [
    (0, false),
    (0xffff, true),
    (0x1_0000, false),
    (0xffff_ffff, true),
];

#[test]
fn readings_go_up_and_commands_down() {
    for suite in Suite::ALL {
        for (id, long_tags) in SHAPES {
            let (mut c, mut gateway) = joined(suite, SessionId(id), long_tags);
            // A node reserves space for an acknowledgement.
            let longest = gateway.session.payload_max(SealOptions {
                ack_request: false,
                ack: Some(0),
            });
            for size in 0..=longest {
                let payload = vec![size as u8; size];
                let up = c.send(&payload, false);
                gateway.hear(&up, |opened| {
                    assert_eq!(
                        (opened.payload, opened.counter),
                        (&payload[..], size as u64)
                    );
                });
                let down = gateway.seal(&payload, SealOptions::default());
                assert_eq!(c.take(&down), [Event::Received(payload)]);
                assert_eq!(c.take(&down), [], "the same again");
            }
        }
    }
}

#[test]
fn acknowledgements_both_ways() {
    for suite in Suite::ALL {
        for (id, long_tags) in SHAPES {
            let (mut c, mut gateway) = joined(suite, SessionId(id), long_tags);
            let up = c.send(b"23.5 C", true);
            gateway.hear(&up, |opened| assert!(opened.ack_request));
            let mut out = [0; FRAME_MAX];
            let again = gateway.session.open(&play::up(&up), &mut out);
            assert_eq!(
                again,
                Err(OpenError::Again {
                    counter: 0,
                    ack_request: true
                })
            );
            let ack = gateway.seal(
                b"",
                SealOptions {
                    ack_request: false,
                    ack: Some(0),
                },
            );
            assert_eq!(c.take(&ack), [Event::Delivered]);

            let ask = SealOptions {
                ack_request: true,
                ack: None,
            };
            let down = gateway.seal(b"on", ask);
            let down_counter = gateway.session.next_sent() - 1;
            assert_eq!(c.take(&down), [Event::Received(b"on".into())]);
            let up = c.sent();
            let mut low = None;
            gateway.hear(&up, |opened| {
                assert!(opened.only_acknowledges() && !opened.ack_request);
                low = opened.ack;
            });
            let low = low.expect("an acknowledgement");
            assert_eq!(gateway.session.acknowledged(low), Some(down_counter));
            // The acknowledgement was lost: the gateway repeats its packet, and the node
            // acknowledges again.
            assert_eq!(c.wait(1_000), []);
            assert_eq!(c.take(&down), []);
            let up = c.sent();
            gateway.hear(&up, |opened| assert_eq!(opened.ack, Some(low)));
        }
    }
}

#[test]
fn a_confirmed_reading_is_repeated() {
    for suite in Suite::ALL {
        let (mut c, mut gateway) = joined(suite, SessionId(1), false);
        let first = c.send(b"23.5 C", true);
        // The longest delay that a frame can cause [docs/protocol.md, state machines].
        assert_eq!(c.wait(3_020), []);
        assert_eq!(
            c.sent(),
            first,
            "the same frame, so that it is delivered once"
        );
        gateway.hear(&first, |opened| assert!(opened.ack_request));
    }
}

#[test]
fn altered_packets_are_nothing_to_the_node() {
    for suite in Suite::ALL {
        let (mut c, mut gateway) = joined(suite, SessionId(0x5e10), false);
        let down = gateway.seal(b"on", SealOptions::default());
        for bit in 0..8 * down.len() {
            let mut altered = down.clone();
            altered[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(c.take(&altered), [], "bit {bit}");
        }
        assert_eq!(c.take(&down), [Event::Received(b"on".into())]);
        assert!(c.is_silent());
    }
}

#[test]
fn altered_answers_are_not_joined() {
    for suite in Suite::ALL {
        let mut c = begin(suite);
        let key = pair(&mut c);
        c.node.join().expect("it is paired");
        let request = c.sent();
        let opened = JoinOpened::open(suite, &key, &play::join_request(&request)).expect("genuine");
        let (accept, _) = opened
            .accept(&secret(), SessionId(1), false)
            .expect("a good key");
        // Alter header, check and key first. A change in the sealed payload has a right check,
        // after which the node ignores other keys.
        for bit in 0..8 * accept.len() {
            let mut altered = accept;
            altered[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(c.take(&altered), [], "bit {bit}");
        }
        assert_eq!(c.take(&accept), [Event::Joined]);
    }
}

/// The gateway has lost the session. Its hint makes the node request an acknowledgement, then
/// rejoin.
#[test]
fn a_hint_brings_the_node_back() {
    for suite in Suite::ALL {
        for id in [7, 0x1_0000] {
            let (mut c, mut gateway) = joined(suite, SessionId(id), false);
            let lost = SessionId(id);
            let up = c.send(b"unheard", false);
            let mut fresh = play::join(suite, SessionId(8), false).gateway_session();
            let refused = fresh
                .open(&play::up(&up), &mut [0; FRAME_MAX])
                .expect_err("unknown");
            assert_eq!(refused.reason(), Reason::UnknownSession);
            assert_eq!(c.take(encode_hint(SessionId(id ^ 1), &mut [0; 5])), []);
            assert_eq!(c.take(encode_hint(lost, &mut [0; 5])), []);

            for n in 0..3 {
                let up = c.send(b"are you there?", false);
                assert!(
                    play::up(&up).flags.ack_request,
                    "UP {n} after the hint asks"
                );
            }
            assert_eq!(c.poll(), [Event::Lost]);
            gateway.rejoin(&mut c, SessionId(9));
            let up = c.send(b"here again", false);
            gateway.hear(&up, |opened| assert_eq!(opened.payload, b"here again"));
            assert_eq!(gateway.highest_join, 2);
        }
    }
}

/// A forged hint costs three requests for an acknowledgement; the session survives.
#[test]
fn a_forged_hint_changes_nothing() {
    for suite in Suite::ALL {
        let (mut c, mut gateway) = joined(suite, SessionId(7), false);
        assert_eq!(c.take(encode_hint(SessionId(7), &mut [0; 5])), []);
        let up = c.send(b"23.5 C", false);
        let mut low = None;
        gateway.hear(&up, |opened| {
            low = opened.ack_request.then_some(opened.counter as u16)
        });
        let ack = gateway.seal(
            b"",
            SealOptions {
                ack_request: false,
                ack: low,
            },
        );
        assert_eq!(c.take(&ack), []);
        for _ in 0..31 {
            let up = c.send(b"23.5 C", false);
            gateway.hear(&up, |opened| assert!(!opened.ack_request));
        }
    }
}

/// A joined node ignores an old JOIN-ACCEPT and a reflected JOIN-REQUEST.
#[test]
fn replayed_handshakes_are_nothing_to_the_node() {
    for suite in Suite::ALL {
        let mut c = begin(suite);
        let key = pair(&mut c);
        c.node.join().expect("it is paired");
        let request = c.sent();
        let opened = JoinOpened::open(suite, &key, &play::join_request(&request)).expect("genuine");
        let (accept, keys) = opened
            .accept(&secret(), SessionId(1), false)
            .expect("a good key");
        assert_eq!(c.take(&accept), [Event::Joined]);
        assert_eq!(c.take(&accept), []);
        assert_eq!(c.take(&request), []);
        c.node.join().expect("it is paired");
        let second = c.sent();
        assert_eq!(c.take(&accept), [], "the answer to the first request");
        let up = c.send(b"still here", false);
        let mut gateway = keys.gateway_session();
        assert!(gateway.open(&play::up(&up), &mut [0; FRAME_MAX]).is_ok());
        assert!(matches!(Frame::parse(&second), Ok(Frame::JoinRequest(_))));
    }
}
