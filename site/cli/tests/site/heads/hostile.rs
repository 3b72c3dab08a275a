//! Strangers at the port of heads, and a head that was stolen, while an honest head and its node work.

use std::io::{Read as _, Write as _};
use std::net::{TcpStream, UdpSocket};
use std::time::{Duration, Instant};

use super::{Taking, gauge};
use crate::flood::Beside;

/// The first bytes of a TLS handshake whose rest never comes.
const BEGUN: [u8; 11] = [22, 3, 1, 0, 200, 1, 0, 0, 196, 3, 3];

#[test]
fn strangers_at_the_port_keep_no_head_out() {
    let (taking, device) = Taking::with_gauge();
    let heads = taking.heads;
    // Idle, slow, and talkative strangers: more than the gateway has room for.
    let mut idle = Vec::new();
    let idle_ones = Beside::start(move || {
        if let Ok(mut socket) = TcpStream::connect(heads) {
            let _ = socket.write_all(&BEGUN[..idle.len() % BEGUN.len()]);
            idle.push(socket);
        }
        if idle.len() > 200 {
            idle.clear();
        }
        std::thread::sleep(Duration::from_millis(20));
    });
    let talkative = Beside::start(move || {
        if let Ok(mut socket) = TcpStream::connect(heads) {
            while socket.write_all(&[0x16; 4096]).is_ok() {}
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    let (head, address) = taking.udp_head("hill");
    let mut gauge = gauge(address, device);
    for number in 0..5 {
        gauge.deliver(format!("{number} mm").as_bytes());
    }
    // A head that comes again while they are there.
    head.kill();
    let head = taking.head("hill", &["--listen", &address.to_string()]);
    gauge.deliver(b"5 mm");
    drop((idle_ones, talkative));
    head.kill();
    assert_eq!(taking.gateway.stop().0, Some(0));
}

#[test]
fn a_stranger_who_says_nothing_is_gone_in_seconds() {
    let taking = Taking::new();
    let mut idle = TcpStream::connect(taking.heads).expect("connects");
    let mut slow = TcpStream::connect(taking.heads).expect("connects");
    let since = Instant::now();
    for stranger in [&idle, &slow] {
        stranger
            .set_read_timeout(Some(Duration::from_secs(60)))
            .expect("sets");
    }
    for byte in BEGUN {
        let _ = slow.write_all(&[byte]);
        std::thread::sleep(Duration::from_millis(200));
    }
    for stranger in [&mut idle, &mut slow] {
        let mut bytes = Vec::new();
        // The end of the stream, perhaps after an alert.
        let _ = stranger.read_to_end(&mut bytes);
    }
    assert!(since.elapsed() < Duration::from_secs(55), "strangers stay");
    assert_eq!(taking.gateway.stop().0, Some(0));
}

#[test]
fn a_flood_through_a_stolen_head_is_limited_and_others_are_served() {
    let (taking, device) = Taking::with_gauge();
    let (honest, address) = taking.udp_head("hill");
    let (stolen, flooded) = taking.udp_head("stolen");
    let socket = UdpSocket::bind("127.0.0.1:0").expect("binds");
    let mut number = 0u64;
    let flood = Beside::start(move || {
        // Different frames, so that they are no copies: of no kind, and JOIN-REQUESTs.
        for _ in 0..50 {
            number += 1;
            let mut frame = [0; 58];
            frame[0] = (number as u8) << 4;
            frame[1..9].copy_from_slice(&number.to_be_bytes());
            let _ = socket.send_to(&frame, flooded);
        }
        std::thread::sleep(Duration::from_millis(10));
    });
    let mut gauge = gauge(address, device);
    for number in 0..10 {
        gauge.deliver(format!("{number} mm").as_bytes());
    }
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        let listed = taking.listed("stolen");
        let limited = listed["connection"]["limited"].as_u64().expect("a number");
        if limited > 0 {
            break;
        }
        assert!(Instant::now() < until, "never limited: {listed}");
        std::thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(taking.listed("hill")["connection"]["limited"], 0);
    drop(flood);
    drop((honest, stolen));
    assert_eq!(taking.gateway.stop().0, Some(0));
}
