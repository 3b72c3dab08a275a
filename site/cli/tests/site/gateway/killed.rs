//! A gateway that is killed under load.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use crate::gateway_support::{CNode, Site};
use selo_sys::node::{Event, Suite};

use super::parse;

/// Kills the gateway repeatedly under load. Every acknowledged reading is printed, and none is
/// accepted twice.
#[test]
fn killed_under_load_it_loses_nothing_and_takes_nothing_twice() {
    const NODES: usize = 6;
    const KILLS: u32 = 6;
    let site = Site::new();
    let devices: Vec<_> = (0..NODES)
        .map(|number| {
            let suite = Suite::ALL[number % 4];
            (suite, site.device(suite, &format!("n{number}")))
        })
        .collect();
    let mut gateway = site.gateway(&["--sync", "1s"]);
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let (moved, addresses): (Vec<_>, Vec<_>) =
        (0..NODES).map(|_| std::sync::mpsc::channel()).unzip();
    let workers: Vec<_> = devices
        .iter()
        .zip(addresses)
        .enumerate()
        .map(|(number, ((suite, device), addresses))| {
            let mut node = CNode::provisioned(*suite, gateway.address, *device);
            let stop = stop.clone();
            std::thread::spawn(move || {
                let mut acknowledged = HashSet::new();
                let mut joins = 0;
                let mut serial = 0u32;
                let mut under_way = None;
                node.node.join().expect("paired");
                while !stop.load(std::sync::atomic::Ordering::Relaxed) || under_way.is_some() {
                    if let Some(address) = addresses.try_iter().last() {
                        node.move_gateway(address);
                    }
                    if under_way.is_none() && node.node.is_joined() {
                        serial += 1;
                        let payload = format!("{number}.{serial}");
                        // Every third reading asks for no acknowledgement.
                        let confirmed = !serial.is_multiple_of(3);
                        if node.node.send(payload.as_bytes(), confirmed).is_ok() && confirmed {
                            under_way = Some(payload);
                        }
                    }
                    match node.event_within(Duration::from_millis(1)) {
                        Some(Event::Delivered) => acknowledged.extend(under_way.take()),
                        Some(Event::Undelivered) => under_way = None,
                        Some(Event::Joined) => joins += 1,
                        _ => {}
                    }
                }
                (acknowledged, joins)
            })
        })
        .collect();

    let mut lines = Vec::new();
    let mut random = 7u64;
    for _ in 0..KILLS {
        // Kill the gateway after a pseudo-random number of lines.
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        for _ in 0..50 + random % 400 {
            lines.push(gateway.readings.next());
        }
        lines.extend(gateway.kill());
        gateway = site.gateway(&["--sync", "1s"]);
        for address in &moved {
            address.send(gateway.address).expect("the node lives");
        }
    }
    for _ in 0..200 {
        lines.push(gateway.readings.next());
    }
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    let results: Vec<_> = workers
        .into_iter()
        .map(|worker| worker.join().expect("no panic"))
        .collect();
    let (code, rest, log) = gateway.stop();
    assert_eq!(code, Some(0), "{log}");
    lines.extend(rest);

    let mut taken: HashMap<(String, String, u64), String> = HashMap::new();
    let mut names_of: HashMap<String, HashSet<(String, String, u64)>> = HashMap::new();
    let mut redelivered = 0;
    for line in lines.iter().map(|line| parse(line)) {
        let text = |field: &str| line[field].as_str().expect("text").to_owned();
        let name = (
            text("device"),
            text("session"),
            line["counter"].as_u64().expect("number"),
        );
        let payload = String::from_utf8(hex::decode(text("payload")).expect("hex")).expect("text");
        names_of
            .entry(payload.clone())
            .or_default()
            .insert(name.clone());
        if let Some(before) = taken.insert(name, payload.clone()) {
            assert_eq!(
                line["redelivered"], true,
                "printed twice, but not marked as redelivered: {line}"
            );
            assert_eq!(before, payload);
            redelivered += 1;
        }
    }
    for (payload, names) in &names_of {
        assert_eq!(names.len(), 1, "{payload} was accepted as {names:?}");
    }
    for (acknowledged, joins) in &results {
        assert_eq!(*joins, 1, "a session did not survive");
        assert!(
            acknowledged.len() > 20,
            "{} acknowledged",
            acknowledged.len()
        );
        for payload in acknowledged {
            assert!(
                names_of.contains_key(payload),
                "{payload} was acknowledged and lost"
            );
        }
    }
    println!("{} readings, {redelivered} delivered again", taken.len());
}
