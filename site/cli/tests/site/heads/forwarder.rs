//! A LoRa concentrator behind a head: a test in place of its packet forwarder, which wraps the frames
//! of a C node as Semtech's does, and sends what it is given.

use std::net::{SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::{Taking, gauge, listening};
use crate::flood::Beside;

const EUI: [u8; 8] = [0xAA, 0x55, 0x5A, 0, 0, 0, 1, 1];

/// The forwarder of a concentrator that hears one node, on `freq` MHz and `datr`.
struct Concentrator {
    address: SocketAddr,
    _thread: Beside,
}

fn packet(kind: u8, json: &str) -> Vec<u8> {
    let mut bytes = vec![2, 0x12, 0x34, kind];
    bytes.extend_from_slice(&EUI);
    bytes.extend_from_slice(json.as_bytes());
    bytes
}

impl Concentrator {
    fn new(head: SocketAddr) -> Concentrator {
        let socket = |wait| {
            let socket = UdpSocket::bind("127.0.0.1:0").expect("binds");
            socket
                .set_read_timeout(Some(Duration::from_millis(wait)))
                .expect("sets");
            socket
        };
        let (air, up, down) = (socket(1), socket(1), socket(1));
        let address = air.local_addr().expect("bound");
        let mut node = None;
        let mut pulled = None;
        let mut buffer = [0; 2048];
        let thread = Beside::start(move || {
            if pulled.is_none_or(|at: Instant| at.elapsed() > Duration::from_secs(5)) {
                down.send_to(&packet(2, ""), head).expect("sends");
                pulled = Some(Instant::now());
            }
            if let Ok((size, from)) = air.recv_from(&mut buffer) {
                node = Some(from);
                let rxpk = json!({"rxpk": [
                    {"tmst": 1, "freq": 915.2, "stat": 1, "modu": "LORA", "datr": "SF9BW125",
                     "codr": "4/5", "rssi": -117, "lsnr": -8.5, "size": size,
                     "data": STANDARD.encode(&buffer[..size])},
                    {"tmst": 2, "freq": 915.2, "stat": -1, "modu": "LORA", "datr": "SF9BW125",
                     "data": STANDARD.encode([0; 20])},
                ]});
                up.send_to(&packet(0, &rxpk.to_string()), head)
                    .expect("sends");
            }
            if let Ok((size, _)) = up.recv_from(&mut buffer) {
                assert_eq!(buffer[..size], [2, 0x12, 0x34, 1], "PUSH_ACK");
            }
            let Ok((size, _)) = down.recv_from(&mut buffer) else {
                return;
            };
            match buffer[3] {
                4 => assert_eq!(size, 4, "PULL_ACK"),
                3 => {
                    let json: Value = serde_json::from_slice(&buffer[4..size]).expect("JSON");
                    let txpk = &json["txpk"];
                    let on = (&txpk["freq"], &txpk["datr"], &txpk["imme"], &txpk["powe"]);
                    assert_eq!(
                        on,
                        (&json!(915.2), &json!("SF9BW125"), &json!(true), &json!(20))
                    );
                    let frame = STANDARD
                        .decode(txpk["data"].as_str().expect("text"))
                        .expect("base64");
                    assert_eq!(txpk["size"], frame.len());
                    air.send_to(&frame, node.expect("a node")).expect("sends");
                }
                kind => panic!("a packet of kind {kind}"),
            }
        });
        Concentrator {
            address,
            _thread: thread,
        }
    }
}

#[test]
fn a_concentrator_hears_and_answers_and_its_signal_is_in_the_reading() {
    let (taking, device) = Taking::with_gauge();
    taking.add("hill");
    let head = taking.head("hill", &["--forwarder", "127.0.0.1:0", "--power", "20"]);
    let concentrator = Concentrator::new(listening(&head, "forwarders "));
    head.err.said("a packet forwarder has connected");
    let mut gauge = gauge(concentrator.address, device);
    gauge.deliver(b"12 mm");
    let line = taking.gateway.readings.next_json();
    assert_eq!(
        (&line["rssi"], &line["source"]),
        (&json!(-117), &json!("head:1"))
    );
    // A head that starts again needs no memory: the way back is in the gateway's session.
    head.kill();
    let head = taking.head("hill", &["--forwarder", "127.0.0.1:0", "--power", "20"]);
    let concentrator = Concentrator::new(listening(&head, "forwarders "));
    gauge.move_gateway(concentrator.address);
    gauge.deliver(b"13 mm");
    assert_eq!(taking.gateway.stop().0, Some(0));
}
