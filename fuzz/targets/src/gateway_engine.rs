//! Gives the gateway's engine arbitrary packets, and genuine ones doubled, reordered, altered and
//! replayed, with restarts from its journal in between. Nothing may panic, only packets that a node
//! has sealed may be accepted, and none may be accepted twice.

use std::collections::HashSet;

use selo_gateway::engine::{Device, Settings};
use selo_gateway::journal::entry::Entries;
use selo_link::Suite;

#[path = "../../../site/gateway/tests/gateway/common/mod.rs"]
mod common;

use common::{Bench, Node, at, peer};

/// Maximum packets of an input. More of them make an input slower without finding more.
const PACKETS: usize = 64;

/// Runs one input. Panics if a promise is broken.
pub fn run(data: &[u8]) {
    // The first byte of an input selected a setting that no longer exists.
    let [_, rest @ ..] = data else {
        return;
    };
    // A program may read a journal years later, so its content can be anything.
    for entry in Entries::new(rest) {
        std::hint::black_box(&entry);
    }

    let mut bench = Bench::with(Settings::default());
    let mut nodes: Vec<Node> = (0..2)
        .map(|n| Node::new(n, Suite::ALL[usize::from(n as u8 + 1)]))
        .collect();
    for (row, node) in (0..).zip(&nodes) {
        bench.add(node, row);
    }
    let devices: Vec<Device> = (0..)
        .zip(&nodes)
        .map(|(row, node)| node.device(row))
        .collect();

    let mut now = 1_000;
    let mut seen: Vec<Vec<u8>> = Vec::new();
    let mut sealed: HashSet<(u32, Vec<u8>)> = HashSet::new();
    let mut rest = rest;
    for _ in 0..PACKETS {
        let [operation, argument, tail @ ..] = rest else {
            break;
        };
        rest = tail;
        let source = peer(u32::from(operation >> 4));
        let which = usize::from(operation >> 3 & 1);
        let sent = match operation & 7 {
            0 => {
                let (bytes, tail) = rest.split_at(rest.len().min(usize::from(*argument)));
                rest = tail;
                bench.handle(now, source, bytes).1
            }
            1 => {
                let request = nodes[which].request();
                seen.push(request.clone());
                bench.handle(now, source, &request).1
            }
            2 if nodes[which].session.is_some() => {
                let (payload, tail) = rest.split_at(rest.len().min(usize::from(*argument) % 33));
                rest = tail;
                let node = &mut nodes[which];
                sealed.insert((node.id.0, payload.to_vec()));
                let frame = if operation & 16 != 0 {
                    node.confirmed(payload)
                } else {
                    node.up(payload)
                };
                seen.push(frame.clone());
                if operation & 32 != 0 {
                    Vec::new()
                } else {
                    bench.handle(now, source, &frame).1
                }
            }
            3 if !seen.is_empty() => {
                let frame = seen[usize::from(*argument) % seen.len()].clone();
                bench.handle(now, source, &frame).1
            }
            4 if !seen.is_empty() => {
                let [place, mask, tail @ ..] = rest else {
                    break;
                };
                rest = tail;
                let mut frame = seen[usize::from(*argument) % seen.len()].clone();
                let place = usize::from(*place) % frame.len();
                frame[place] ^= *mask;
                bench.handle(now, source, &frame).1
            }
            5 => {
                now += u64::from(*argument) * 1_000;
                bench.tick(now)
            }
            6 => {
                // If a window is already open, the refusal is an ordinary answer.
                let _ = bench.engine.pairing_open(at(now), 600_000, &mut bench.out);
                bench.commit(at(now))
            }
            7 => {
                bench.restart(&devices);
                Vec::new()
            }
            _ => Vec::new(),
        };
        for (_, frame) in sent {
            assert!(!frame.is_empty());
            for node in &mut nodes {
                let _ = node.take(&frame);
            }
            seen.push(frame);
        }
    }
    bench.assert_no_reading_twice();
    for taken in &bench.readings {
        assert!(
            sealed.contains(&(taken.device, taken.payload.clone())),
            "accepted what nobody sealed"
        );
    }
}
