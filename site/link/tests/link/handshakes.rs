//! Packets that pairings and joins accept, and the reasons for which they refuse others.

use selo_link::frame::{JoinAccept, JoinRequest, Malformed};
use selo_link::join::{JoinAttempt, JoinOpened};
use selo_link::noise::{NNPSK0, SymmetricState};
use selo_link::pair::{Compared, GatewayPairing, NodePairing};
use selo_link::session::SessionId;
use selo_link::{DeviceId, DeviceKey, EphemeralSecret, Reason, Refusal, Suite};

use crate::play::{self, DEVICE, GATEWAY_SECRET, NODE_SECRET};

/// Public keys of small order [RFC7748, 6.1]; every secret with them is all-zero.
const SMALL_ORDER: [[u8; 32]; 3] = {
    let mut one = [0; 32];
    one[0] = 1;
    let mut minus_one = [0xff; 32]; // p - 1
    minus_one[0] = 0xec;
    minus_one[31] = 0x7f;
    [[0; 32], one, minus_one]
};

fn pairing(suite: Suite) -> (NodePairing, GatewayPairing, [u8; 37]) {
    let (node, commit) = NodePairing::start(suite, DEVICE, NODE_SECRET, [5; 16]);
    let (gateway, key) = GatewayPairing::start(&play::pair_commit(&commit), GATEWAY_SECRET);
    assert_eq!((gateway.commit(), gateway.key()), (&commit[..], &key));
    assert_eq!((gateway.device(), gateway.suite()), (DEVICE, suite));
    (node, gateway, key)
}

fn compare(suite: Suite) -> (Compared, Compared) {
    let (node, gateway, key) = pairing(suite);
    let (node, reveal) = node.key(&play::pair_key(&key)).expect("a good key");
    let gateway = gateway
        .reveal(&play::pair_reveal(&reveal))
        .expect("it opens");
    (node, gateway)
}

#[test]
fn a_pairing_gives_both_the_same() {
    for suite in Suite::ALL {
        let (node, gateway) = compare(suite);
        assert_eq!(node.device_key().expose(), gateway.device_key().expose());
        assert_eq!(node.digits(), gateway.digits());
        assert!(node.digits().value() < 1_000_000);
        assert_eq!(node.digits().to_string().len(), 6);
        assert_eq!((gateway.device(), gateway.suite()), (DEVICE, suite));
        for confirmed in [true, false] {
            let result = gateway.result(confirmed);
            assert_eq!(node.verdict(&play::pair_result(&result)), Ok(confirmed));
        }
    }
}

/// A man in the middle completes a pairing with each side; only the digits reveal it.
#[test]
fn somebody_between_shows_different_digits() {
    for suite in Suite::ALL {
        let theirs = EphemeralSecret::new([0x66; 32]);
        let (node, commit) = NodePairing::start(suite, DEVICE, NODE_SECRET, [5; 16]);
        let (to_node, key) = GatewayPairing::start(&play::pair_commit(&commit), theirs.clone());
        let (node, reveal) = node.key(&play::pair_key(&key)).expect("a good key");
        let to_node = to_node
            .reveal(&play::pair_reveal(&reveal))
            .expect("it opens");

        let (to_gateway, commit) = NodePairing::start(suite, DEVICE, theirs, [6; 16]);
        let (gateway, key) = GatewayPairing::start(&play::pair_commit(&commit), GATEWAY_SECRET);
        let (to_gateway, reveal) = to_gateway.key(&play::pair_key(&key)).expect("a good key");
        let gateway = gateway
            .reveal(&play::pair_reveal(&reveal))
            .expect("it opens");

        assert_eq!(node.digits(), to_node.digits());
        assert_eq!(gateway.digits(), to_gateway.digits());
        assert_ne!(node.digits(), gateway.digits());
        let result = gateway.result(true);
        let verdict = node.verdict(&play::pair_result(&result));
        assert_eq!(
            verdict,
            Err(Refusal::Forged),
            "nor can the middle pass the result on"
        );
    }
}

#[test]
fn another_node_changes_nothing() {
    let (node, gateway, mut key) = pairing(Suite::Ascon);
    key[1] ^= 1;
    let (node, refusal) = node
        .key(&play::pair_key(&key))
        .expect_err("of another node");
    assert_eq!(refusal, Refusal::NotPairing);
    key[1] ^= 1;
    let (node, mut reveal) = node.key(&play::pair_key(&key)).expect("a good key");
    reveal[1] ^= 1;
    let refusal = gateway
        .reveal(&play::pair_reveal(&reveal))
        .expect_err("of another node");
    assert_eq!(refusal, Refusal::NotPairing);
    reveal[1] ^= 1;
    let gateway = gateway
        .reveal(&play::pair_reveal(&reveal))
        .expect("it opens");
    let mut result = gateway.result(true);
    result[1] ^= 1;
    assert_eq!(
        node.verdict(&play::pair_result(&result)),
        Err(Refusal::NotPairing)
    );
    assert_eq!(Refusal::NotPairing.reason(), Reason::NotPairing);
}

#[test]
fn a_commitment_binds() {
    let (node, gateway, key) = pairing(Suite::Ascon);
    let (_, mut reveal) = node.key(&play::pair_key(&key)).expect("a good key");
    reveal[52] ^= 1;
    let refusal = gateway
        .reveal(&play::pair_reveal(&reveal))
        .expect_err("another r");
    assert_eq!(
        (refusal, refusal.reason()),
        (Refusal::Commitment, Reason::Commitment)
    );
}

#[test]
fn bad_public_keys_are_refused() {
    let suite = Suite::ChaChaPolyBlake2s;
    for bad in SMALL_ORDER {
        let (node, _, mut key) = pairing(suite);
        key[5..].copy_from_slice(&bad);
        let (_, refusal) = node.key(&play::pair_key(&key)).expect_err("a bad key");
        assert_eq!(refusal, Refusal::Key);

        let key = play::device_key();
        let request = request_with(suite, &bad, 0);
        let opened = JoinOpened::open(suite, &key, &play::join_request(&request)).expect("genuine");
        let refusal = opened
            .accept(&GATEWAY_SECRET, SessionId(1), false)
            .expect_err("a bad key");
        assert_eq!((refusal, refusal.reason()), (Refusal::Key, Reason::Key));
    }
}

/// A request by the holder of the device key, with any public key and options.
fn request_with(suite: Suite, public: &[u8; 32], options: u8) -> [u8; JoinRequest::BYTES] {
    let prologue = [b"Selo link 1\x50", &DEVICE.to_bytes()[..]].concat();
    let mut state = SymmetricState::new(suite, NNPSK0, &prologue);
    state.token_psk(play::device_key().expose());
    state.token_e(public);
    let mut sealed = [0; 21];
    sealed[..5].copy_from_slice(&[1, 0, 0, 0, options]);
    let tag = state
        .encrypt_and_hash(&mut sealed[..5])
        .expect("there is a key");
    sealed[5..].copy_from_slice(&tag);
    JoinRequest::encode(DEVICE, public, &sealed)
}

#[test]
fn unknown_options_are_refused() {
    for suite in Suite::ALL {
        let public = NODE_SECRET.public_key();
        for options in 0..=255 {
            let request = request_with(suite, &public, options);
            let opened =
                JoinOpened::open(suite, &play::device_key(), &play::join_request(&request));
            match options {
                0 | 1 => {
                    assert_eq!(
                        opened.expect("it is genuine").wishes_long_tags(),
                        options == 1
                    );
                }
                _ => {
                    let refusal = opened.expect_err("no such options");
                    assert_eq!(refusal, Refusal::Malformed(Malformed::Options { options }));
                    assert_eq!(refusal.reason(), Reason::Malformed);
                }
            }
        }
    }
}

#[test]
fn another_key_device_or_suite_is_a_forged_join() {
    for suite in Suite::ALL {
        let key = play::device_key();
        let (_, request) = JoinAttempt::start(suite, DEVICE, &key, 1, false, &NODE_SECRET);
        let refusal = |suite, key, request: &[u8]| {
            JoinOpened::open(suite, key, &play::join_request(request)).expect_err("forged")
        };
        let other_key = DeviceKey::new([0x34; 32]);
        assert_eq!(refusal(suite, &other_key, &request), Refusal::ForgedJoin);
        for other in Suite::ALL.into_iter().filter(|&other| other != suite) {
            assert_eq!(refusal(other, &key, &request), Refusal::ForgedJoin);
        }
        let mut renamed = request;
        renamed[1] ^= 1;
        assert_eq!(refusal(suite, &key, &renamed), Refusal::ForgedJoin);
        assert_eq!(Refusal::ForgedJoin.reason(), Reason::ForgedJoin);
    }
}

/// The answer to a request, and the attempt that waits for it.
fn answered(suite: Suite) -> (JoinAttempt, [u8; JoinAccept::BYTES]) {
    let key = play::device_key();
    let (attempt, request) = JoinAttempt::start(suite, DEVICE, &key, 1, false, &NODE_SECRET);
    let opened = JoinOpened::open(suite, &key, &play::join_request(&request)).expect("genuine");
    let (accept, _) = opened
        .accept(&GATEWAY_SECRET, SessionId(1), false)
        .expect("a good key");
    (attempt, accept)
}

#[test]
fn a_node_commits_to_the_first_right_check() {
    for suite in Suite::ALL {
        let (mut attempt, accept) = answered(suite);
        let mut altered = accept;
        altered[57] ^= 1;
        let refusal = attempt
            .finish(&play::join_accept(&altered))
            .expect_err("forged");
        assert_eq!(refusal, Refusal::ForgedJoin);

        // A second answer to the same request, with another key and a right check.
        let key = play::device_key();
        let (_, request) = JoinAttempt::start(suite, DEVICE, &key, 1, false, &NODE_SECRET);
        let opened = JoinOpened::open(suite, &key, &play::join_request(&request)).expect("genuine");
        let other = EphemeralSecret::new([0x77; 32]);
        let (second, _) = opened
            .accept(&other, SessionId(2), false)
            .expect("a good key");
        let refusal = attempt
            .finish(&play::join_accept(&second))
            .expect_err("committed");
        assert_eq!(
            (refusal, refusal.reason()),
            (Refusal::WrongCheck, Reason::WrongCheck)
        );

        assert!(
            attempt.finish(&play::join_accept(&accept)).is_ok(),
            "it still waits"
        );
    }
}

#[test]
fn the_answer_to_another_request_has_a_wrong_check() {
    for suite in Suite::ALL {
        let (_, accept) = answered(suite);
        let key = play::device_key();
        let (mut other, _) = JoinAttempt::start(suite, DEVICE, &key, 2, false, &NODE_SECRET);
        let refusal = other
            .finish(&play::join_accept(&accept))
            .expect_err("another request's");
        assert_eq!(refusal, Refusal::WrongCheck);
    }
}

#[test]
fn names_and_ids() {
    for suite in Suite::ALL {
        assert_eq!(suite.name().parse(), Ok(suite));
        assert_eq!(Suite::try_from(suite.code()), Ok(suite));
        assert!(suite.noise_name().starts_with("Noise_NNpsk0_25519_"));
    }
    let unknown = "rot13".parse::<Suite>().expect_err("no suite").to_string();
    assert!(unknown.contains("rot13") && unknown.contains("hint: the suites are aesgcm-sha3-256"));
    assert_eq!(Suite::from_code(0), None);

    let id = DeviceId(0x04c1_1db7);
    assert_eq!(id.to_string(), "04c11db7");
    assert_eq!("04C11db7".parse(), Ok(id));
    for wrong in [
        "",
        "4c11db7",
        "04c11db70",
        "+4c11db7",
        "04c11dbg",
        "0x04c11d",
    ] {
        assert!(wrong.parse::<DeviceId>().is_err(), "{wrong}");
    }
    assert_eq!(DeviceId::from_bytes(id.to_bytes()), id);
    assert_eq!(id.to_bytes(), [0xb7, 0x1d, 0xc1, 0x04]);
}

#[test]
fn secrets_are_not_printed() {
    let keys = play::join(Suite::Ascon, SessionId(1), false);
    let (node, gateway) = compare(Suite::Ascon);
    let shown = format!(
        "{:?} {:?} {keys:?} {:?} {node:?} {gateway:?} {:?}",
        play::device_key(),
        NODE_SECRET,
        keys.node_session(),
        answered(Suite::Ascon).0,
    );
    for secret in [
        play::device_key().expose(),
        node.device_key().expose(),
        &keys.up,
        &keys.down,
    ] {
        let digits = hex::encode(&secret[..4]);
        assert!(!shown.contains(&digits) && !shown.contains(&format!("{:?}", &secret[..4])[1..13]));
    }
    assert!(shown.contains("DeviceKey(..)"), "{shown}");
}

#[test]
fn labels_are_those_of_the_page() {
    let page = include_str!("../../../../docs/protocol.md");
    for reason in Reason::ALL
        .into_iter()
        .filter(|&reason| reason != Reason::WrongCheck)
    {
        assert!(page.contains(&format!("(`{reason}`)")), "{reason}");
    }
}
