//! The combined table, from rows of the link as a file has them: the cost of a day by each way.

use std::path::Path;

use selo_exchange::row::{Experiment, Row};
use selo_exchange::ways::{Computing, Way, baseline, ways};
use serde_json::json;

/// A row of a node on a board: bytes and instructions of the handshake and of the exchange.
fn row(handshake: &str, first: (u64, u64, u64), rest: (u64, u64, u64)) -> Row {
    let cipher = match handshake {
        "classic" => "aes-256-ecb",
        _ => "ascon",
    };
    let row = json!({
        "schema": "selo.exchange/1", "experiment": "link", "scenario": "two-processes",
        "implementation": "selo 0.1.0", "device": "esp8266", "cipher": cipher,
        "handshake": handshake, "payload": "reading", "bytes": 16, "link": "loopback",
        "client": "ESP8266, emulated", "server": "selo-link", "fidelity": "emulated",
        "authenticated": handshake != "classic", "repetition": 0, "order": 0, "warm_up": false,
        "verified": true, "sent": first.0 + rest.0, "received": first.1 + rest.1,
        "tls": {
            "connect": 1, "handshake": 1, "exchange": 1, "handshake_cpu": 0, "exchange_cpu": 0,
            "handshake_sent": first.0, "handshake_received": first.1,
            "handshake_trips": if handshake == "pair" { 2 } else { 1 },
            "exchange_trips": u64::from(handshake == "pair"),
            "instructions": {"handshake": first.2, "exchange": rest.2},
        },
    });
    let row: Row = serde_json::from_value(row).expect("a row");
    assert_eq!(row.unit.experiment, Experiment::Link);
    row
}

/// The ways on that board, for ten readings a day.
fn of(rows: &[Row]) -> Vec<Way> {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/baseline/uno.json");
    let all = ways(
        &baseline(&kept).expect("it is in the tree"),
        "ascon",
        rows,
        10,
    );
    all.into_iter().filter(|way| way.on == "esp8266").collect()
}

#[test]
fn a_day_begins_with_what_comes_before_its_readings() {
    let join = row("join", (58, 58, 20_000), (29, 0, 100));
    let pair = row("pair", (91, 58, 40_000), (87, 58, 20_100));
    let classic = row("classic", (34, 33, 30_000), (33, 0, 50));
    let found = of(&[join, pair.clone(), classic]);
    let way = |name: &str| {
        let way = found.iter().find(|way| way.name == name);
        way.unwrap_or_else(|| panic!("no {name}"))
    };
    let day = |name: &str| {
        let cost = way(name).of_a_day;
        let Computing::Instructions(instructions) = cost.computing else {
            panic!("{name}: {:?}", cost.computing)
        };
        (cost.sent, cost.received, cost.trips, instructions)
    };
    assert_eq!(day("link, in a session"), (29.0, 0.0, 0.0, 100.0));
    assert_eq!(day("link, join"), (34.8, 5.8, 0.1, 2_100.0));
    // One pairing and one join, and ten readings, nine of them in the session.
    let all = (178.0 + 9.0 * 29.0) / 10.0;
    assert_eq!(day("link, pair and join"), (all, 11.6, 0.3, 6_100.0));
    assert_eq!(day("classic"), (36.4, 3.3, 0.1, 3_050.0));
    assert_eq!(way("link, pair and join").alone.trips, 3.0);

    // Without rows of a join, the cost of a reading in a session is unknown.
    let alone = of(&[pair]);
    let [way] = &alone[..] else {
        panic!("{alone:?}")
    };
    assert_eq!(way.of_a_day, way.alone);
    assert!(way.note.contains("--handshake join"), "{}", way.note);
}
