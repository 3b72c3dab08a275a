//! The wrapper: it agrees with selo.h, passes errors in both directions, and its nodes share no
//! state.

use std::thread;

use selo_sys::Error;
use selo_sys::node::{Event, FRAME_MAX, PAYLOAD_MAX, RECORD_BYTES, Suite};

use crate::device::{Device, events};

const HEADER: &str = include_str!("../../../../src/selo.h");

/// The number that the header defines for a macro.
fn defined(name: &str) -> usize {
    HEADER
        .lines()
        .filter_map(|line| line.strip_prefix("#define ")?.strip_prefix(name))
        .find_map(|rest| rest.split_whitespace().next()?.parse().ok())
        .unwrap_or_else(|| panic!("selo.h does not define {name}"))
}

#[test]
fn the_numbers_are_those_of_the_header() {
    assert_eq!(defined("SELO_LINK_FRAME_MAX "), FRAME_MAX);
    assert_eq!(defined("SELO_LINK_PAYLOAD_MAX "), PAYLOAD_MAX);
    assert_eq!(defined("SELO_LINK_RECORD_BYTES "), RECORD_BYTES);
    let suites = [
        ("SELO_LINK_AESGCM_SHA3_256 ", Suite::AesGcmSha3_256),
        ("SELO_LINK_CHACHAPOLY_BLAKE2S ", Suite::ChaChaPolyBlake2s),
        ("SELO_LINK_AESGCM_SHA256 ", Suite::AesGcmSha256),
        ("SELO_LINK_ASCON ", Suite::Ascon),
    ];
    for (name, suite) in suites {
        assert_eq!(defined(name), usize::from(suite.code()));
        assert_eq!(Suite::from_code(suite.code()), Some(suite));
    }
    assert_eq!(Suite::from_code(0), None);
    assert_eq!(Suite::from_code(5), None);
    // Node::poll relies on the order of the events.
    let (_, body) = HEADER
        .split_once("enum selo_node_event {")
        .expect("the enumeration");
    let events: Vec<&str> = body
        .lines()
        .map_while(|line| (line != "};").then(|| line.trim()))
        .filter_map(|line| line.strip_prefix("SELO_NODE_"))
        .map(|line| {
            line.split(|c: char| !c.is_ascii_uppercase() && c != '_')
                .next()
                .unwrap_or_default()
        })
        .collect();
    let known = [
        "NOTHING",
        "DIGITS",
        "PAIRED",
        "PAIR_FAILED",
        "JOINED",
        "RECEIVED",
        "DELIVERED",
        "UNDELIVERED",
        "LOST",
    ];
    assert_eq!(events, known);
}

#[test]
fn a_node_that_has_not_begun_refuses() {
    for suite in Suite::ALL {
        let device = Device::new([1; 32]);
        let mut node = device.node(suite);
        assert_eq!(node.pair(), Err(Error::State));
        assert_eq!(node.join(), Err(Error::State));
        assert_eq!(node.send(b"x", false), Err(Error::State));
        assert_eq!(node.provision(1, &[2; 32]), Err(Error::State));
        assert_eq!(node.confirm(true), Err(Error::State));
        assert_eq!(node.forget(), Err(Error::State));
        assert_eq!(node.poll(), None);
        assert_eq!(node.suite(), suite);
        assert!(!node.is_paired() && !node.is_joined() && node.id() == 0 && node.digits() == 0);
        assert!(device.state().sent.is_empty());
    }
}

#[test]
fn errors_pass_both_ways() {
    let device = Device::new([1; 32]);
    let mut node = device.node(Suite::Ascon);
    device.state().entropy = None;
    assert_eq!(node.begin(), Err(Error::Random));
    device.state().entropy = Some([1; 32]);
    device.state().store = Err(Error::Store);
    assert_eq!(node.begin(), Err(Error::Store));
    device.state().store = Ok(());
    // A failed load does not mean that no record exists, so begin() must not overwrite it.
    device.state().load = Err(Error::Store);
    assert_eq!(node.begin(), Err(Error::Store));
    assert_eq!(device.state().record, None);
    device.state().load = Ok(());
    assert_eq!(node.begin(), Ok(()));
    // A node does not accept the record of another suite.
    assert_eq!(device.node(Suite::AesGcmSha256).begin(), Err(Error::Store));
    assert_eq!(node.provision(7, &[2; 32]), Ok(()));
    device.state().send = Err(Error::Send);
    assert_eq!(node.join(), Ok(()), "a request is repeated");
    assert_eq!(node.send(&[0; 300], false), Err(Error::Space));
    // Frames that are too long are ignored.
    assert_eq!(device.give(&mut node, &[0x60; 59]), []);
    assert_eq!(device.give(&mut node, &[0x60; 300]), []);
}

#[test]
fn a_record_serves_the_next_node() {
    for suite in Suite::ALL {
        let device = Device::new([1; 32]);
        let mut node = device.node(suite);
        node.begin().expect("the device works");
        let id = node.id();
        drop(node);
        let mut node = device.node(suite);
        node.begin().expect("the device works");
        assert_eq!(node.id(), id);
        node.provision(9, &[3; 32]).expect("the device works");
        drop(node);
        let mut node = device.node(suite);
        node.begin().expect("the device works");
        assert_eq!((node.id(), node.is_paired()), (9, true));
        assert_eq!(
            format!("{node:?}"),
            format!("Node {{ suite: {suite:?}, id: \"00000009\", .. }}").replace('"', "")
        );
        node.forget().expect("the device works");
        assert!(!node.is_paired());
    }
}

/// Nodes of all suites in several threads, moved between them, each with its own entropy.
#[test]
fn a_thousand_nodes() {
    let threads: Vec<_> = (0..8_u8)
        .map(|thread| {
            thread::spawn(move || {
                let mut nodes: Vec<_> = (0..125_u8)
                    .map(|i| {
                        let device = Device::new([thread + 8 * (i % 16); 32]);
                        device.state().entropy.as_mut().expect("it is set")[0] = i;
                        let node = device.node(Suite::ALL[usize::from(i % 4)]);
                        (device, node)
                    })
                    .collect();
                for (_, node) in &mut nodes {
                    node.begin().expect("the device works");
                    let id = node.id();
                    node.provision(id, &[5; 32]).expect("the device works");
                }
                nodes
            })
        })
        .collect();
    let mut nodes: Vec<_> = threads
        .into_iter()
        .flat_map(|thread| thread.join().expect("no node panics"))
        .collect();
    assert_eq!(nodes.len(), 1000);
    let mut keys: Vec<_> = nodes
        .iter_mut()
        .map(|(device, node)| {
            node.join().expect("there is a key");
            device.state().now += 3020;
            assert_eq!(events(node), []);
            let state = device.state();
            assert_eq!(state.sent.len(), 2, "the request, and once more");
            assert_eq!(state.sent[0], state.sent[1]);
            assert_eq!(state.sent[0][1..5], node.id().to_le_bytes());
            state.sent[0][5..37].to_vec()
        })
        .collect();
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), 1000);
}

#[test]
fn a_pairing_that_is_refused() {
    let device = Device::new([1; 32]);
    let mut node = device.node(Suite::ChaChaPolyBlake2s);
    node.begin().expect("the device works");
    node.pair().expect("it has begun");
    node.confirm(false).expect("a pairing is under way");
    assert_eq!(events(&mut node), [Event::PairFailed]);
    assert_eq!(node.confirm(false), Err(Error::State));
}
