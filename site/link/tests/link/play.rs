//! Shared helpers: parse an expected frame, pair, join.

use selo_link::frame::{
    Data, Frame, JoinAccept, JoinRequest, PairCommit, PairKey, PairResult, PairReveal,
};
use selo_link::join::{JoinAttempt, JoinOpened, SessionKeys};
use selo_link::session::{SealOptions, Session, SessionId};
use selo_link::{DeviceId, DeviceKey, EphemeralSecret, FRAME_MAX, Suite};

macro_rules! expect_frame {
    ($($name:ident: $variant:ident($type:ident))+) => {
        $(pub fn $name(bytes: &[u8]) -> $type<'_> {
            match Frame::parse(bytes) {
                Ok(Frame::$variant(frame)) => frame,
                other => panic!(concat!(stringify!($variant), " expected, not {:?}"), other),
            }
        })+
    };
}

expect_frame! {
    pair_commit: PairCommit(PairCommit)
    pair_key: PairKey(PairKey)
    pair_reveal: PairReveal(PairReveal)
    pair_result: PairResult(PairResult)
    join_request: JoinRequest(JoinRequest)
    join_accept: JoinAccept(JoinAccept)
    up: Up(Data)
}

pub const DEVICE: DeviceId = DeviceId(0x0011_2233);
pub const NODE_SECRET: EphemeralSecret = EphemeralSecret::new([0x11; 32]);
pub const GATEWAY_SECRET: EphemeralSecret = EphemeralSecret::new([0x22; 32]);

pub fn device_key() -> DeviceKey {
    DeviceKey::new([0x33; 32])
}

/// Joins the two roles of this crate.
pub fn join(suite: Suite, session: SessionId, long_tags: bool) -> SessionKeys {
    let (key, counter) = (device_key(), 1);
    let (mut attempt, request) =
        JoinAttempt::start(suite, DEVICE, &key, counter, long_tags, &NODE_SECRET);
    let opened = JoinOpened::open(suite, &key, &join_request(&request)).expect("it is genuine");
    assert_eq!(
        (opened.counter(), opened.wishes_long_tags()),
        (counter, long_tags)
    );
    let (accept, keys) = opened
        .accept(&GATEWAY_SECRET, session, long_tags)
        .expect("a good key");
    let at_node = attempt
        .finish(&join_accept(&accept))
        .expect("it is genuine");
    assert_eq!((at_node.up, at_node.down), (keys.up, keys.down));
    assert_eq!((at_node.session, at_node.long_tags), (session, long_tags));
    keys
}

/// Node and gateway sides of a session.
pub fn session(suite: Suite) -> (Session, Session) {
    let keys = join(suite, SessionId(0x5e10), false);
    (keys.node_session(), keys.gateway_session())
}

/// Seals a packet.
pub fn seal(session: &mut Session, payload: &[u8], options: SealOptions) -> Vec<u8> {
    let mut out = [0; FRAME_MAX];
    session
        .seal(payload, options, &mut out)
        .expect("it fits")
        .frame
        .to_vec()
}
