//! A state directory is restored from a copy. No key and counter seal two packets, nothing is
//! accepted twice, and no file contains the keys of ended sessions.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use crate::gateway_support::copies::{Manner, copy_of, files, put_back};
use crate::gateway_support::recorder::{Recorder, Sent};
use crate::gateway_support::{PATIENCE, Site};
use selo_sys::node::Suite;
use serde_json::Value;

/// Counts the lines of each reading that are not marked as redelivered.
fn first_time(lines: &[String]) -> HashMap<String, u32> {
    let mut counts = HashMap::new();
    for line in lines {
        let line: Value = serde_json::from_str(line).expect("JSON");
        if line["redelivered"] == false {
            let name = format!("{} {} {}", line["device"], line["session"], line["counter"]);
            *counts.entry(name).or_default() += 1;
        }
    }
    counts
}

/// More readings than a block of reserved counters, so that a copy would reuse counters.
const MANY: u32 = 80;

fn comes_back(manner: Manner, with_memory: bool) {
    let site = Site::new();
    let device = site.device(Suite::ChaChaPolyBlake2s, "garden");
    let gateway = site.gateway(&[]);
    let mut node = Recorder::new(Suite::ChaChaPolyBlake2s, gateway.address, device);
    node.must_join();
    for number in 0..5u32 {
        node.deliver(format!("before {number}").as_bytes());
    }
    let (copy, memory) = (site.path().join("copy"), site.path().join("memory"));
    copy_of(&site.state(), &copy);
    copy_of(site.memory(), &memory);
    let copied = node.ups.len();
    for number in 0..MANY {
        node.deliver(format!("after {number}").as_bytes());
    }
    let mut lines = gateway.kill();
    put_back(manner, &copy, &site.state());
    if with_memory {
        put_back(Manner::InPlace, &memory, site.memory());
    }

    // An attacker replays the recorded packets.
    let gateway = site.gateway(&[]);
    node.move_gateway(gateway.address);
    let again = node.ups[copied..].to_vec();
    for up in &again {
        node.say(up);
    }
    node.deliver(b"at last");
    node.listen(std::time::Duration::from_millis(200));
    let (_, rest, log) = gateway.stop();
    lines.extend(rest);
    assert!(
        lines
            .iter()
            .any(|line| line.contains(&hex::encode("at last")))
    );
    assert_eq!(node.judge.twice, [], "{manner:?}");
    assert!(node.judge.pairs() > MANY as usize);
    if with_memory {
        // The gateway cannot detect this copy. It still uses other keys. A reading that is accepted
        // twice keeps its identity, by which the collector drops the second one.
        assert!(node.judge.resumed > 0, "{log}");
    } else {
        assert!(log.contains("all sessions end"), "{log}");
        assert_eq!(node.joins, 2);
        let twice: Vec<_> = first_time(&lines)
            .into_iter()
            .filter(|(_, n)| *n > 1)
            .collect();
        assert_eq!(twice, [], "{manner:?}");
    }
}

#[test]
fn a_directory_that_was_moved_back_goes_on_with_no_session() {
    comes_back(Manner::Moved, false);
}

#[test]
fn a_directory_that_was_unpacked_goes_on_with_no_session() {
    comes_back(Manner::Tar, false);
}

#[test]
fn a_directory_whose_files_were_put_back_goes_on_with_no_session() {
    comes_back(Manner::InPlace, false);
}

#[test]
fn a_copy_that_nobody_can_tell_seals_under_other_keys() {
    comes_back(Manner::InPlace, true);
}

#[test]
fn a_copy_that_runs_beside_the_original_has_no_session_of_it() {
    let site = Site::new();
    let device = site.device(Suite::Ascon, "garden");
    let gateway = site.gateway(&[]);
    let mut node = Recorder::new(Suite::Ascon, gateway.address, device);
    node.deliver(b"one");
    let copy = site.path().join("copy");
    copy_of(&site.state(), &copy);
    let path = copy.to_str().expect("text");
    let second = site.gateway(&["--state", path]);
    node.move_gateway(second.address);
    assert_eq!(node.send(b"two", PATIENCE), Sent::Lost);
    node.move_gateway(gateway.address);
    node.deliver(b"three");
    assert_eq!((node.joins, node.judge.twice.len()), (1, 0));
}

#[test]
fn a_gateway_that_was_killed_goes_on_under_keys_of_its_own() {
    let site = Site::new();
    let suites = Suite::ALL.map(|suite| (suite, site.device(suite, &format!("{suite:?}"))));
    let mut gateway = site.gateway(&[]);
    let address = gateway.address;
    let mut nodes = suites.map(|(suite, device)| Recorder::new(suite, address, device));
    for start in 0..4 {
        for node in &mut nodes {
            node.deliver(b"reading");
            assert_eq!(node.joins, 1, "start {start}");
            assert_eq!(node.judge.resumed > 0, start > 0);
            assert_eq!(node.judge.twice, []);
        }
        gateway.kill();
        gateway = site.gateway(&[]);
        nodes
            .iter_mut()
            .for_each(|node| node.move_gateway(gateway.address));
    }
}

/// The files that contain these bytes.
fn who_has(state: &Path, key: &[u8; 32]) -> Vec<String> {
    files(state)
        .into_iter()
        .filter(|path| {
            let bytes = fs::read(path).unwrap_or_default();
            bytes.windows(32).any(|window| window == key)
        })
        .map(|path| {
            path.strip_prefix(state)
                .expect("below")
                .display()
                .to_string()
        })
        .collect()
}

#[test]
fn keys_of_ended_sessions_are_in_no_file() {
    let site = Site::new();
    let devices = ["garden", "roof", "hill"].map(|name| site.device(Suite::Ascon, name));
    let gateway = site.gateway(&[]);
    let [mut garden, mut roof, mut hill] =
        devices.map(|device| Recorder::new(Suite::Ascon, gateway.address, device));
    let state = site.state();
    let assert_gone = |node: &Recorder, from: usize, to: usize| {
        for keys in &node.sessions[from..to] {
            assert_eq!(who_has(&state, &keys.up), [""; 0]);
            assert_eq!(who_has(&state, &keys.down), [""; 0]);
        }
    };

    // The keys of a live session are in one file, so the search below would find keys.
    garden.deliver(b"one");
    for key in [garden.sessions[0].up, garden.sessions[0].down] {
        assert_eq!(who_has(&state, &key), ["keys"]);
    }
    // Three joins make pending sessions. The newest then replaces the live session.
    for _ in 0..3 {
        garden.must_join();
    }
    assert_gone(&garden, 1, 3);
    assert_eq!(who_has(&state, &garden.sessions[3].up), ["keys"]);
    garden.deliver(b"two");
    assert_gone(&garden, 0, 3);

    // Revoke and remove devices.
    roof.deliver(b"one");
    hill.deliver(b"one");
    site.ok(&["device", "revoke", "roof"]);
    site.ok(&["device", "remove", "hill"]);
    assert_gone(&roof, 0, 1);
    assert_gone(&hill, 0, 1);
    assert_eq!(who_has(&state, &devices[2].1), [""; 0], "the device key");

    // Kill the gateway. Then restore a copy, which ends all sessions.
    let copy = site.path().join("copy");
    copy_of(&state, &copy);
    garden.must_join();
    garden.deliver(b"three");
    gateway.kill();
    let gateway = site.gateway(&[]);
    garden.move_gateway(gateway.address);
    garden.deliver(b"four");
    assert_gone(&garden, 0, 4);
    assert_eq!(who_has(&state, &garden.sessions[4].up), ["keys"]);
    gateway.kill();
    put_back(Manner::InPlace, &copy, &state);
    let gateway = site.gateway(&[]);
    assert_gone(&garden, 0, 5);
    gateway.stop();
    assert_gone(&garden, 0, 5);
}
