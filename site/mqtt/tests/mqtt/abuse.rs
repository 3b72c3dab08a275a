//! Hostile clients of the embedded broker, next to honest ones.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::support::{BrokerSetup, Kind, PATIENCE, deliver, message, readings, runtime};
use rustls::pki_types::ServerName;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig as Tls, ClientConnection, RootCertStore, StreamOwned};
use selo_mqtt::{Event, Publisher, topic};

type Stream = StreamOwned<ClientConnection, TcpStream>;

/// A TLS connection to the broker on which nothing has been sent.
fn encrypted(place: &BrokerSetup) -> Stream {
    let mut roots = RootCertStore::empty();
    for certificate in
        rustls::pki_types::CertificateDer::pem_file_iter(place.path("ca.pem")).expect("there")
    {
        roots.add(certificate.expect("PEM")).expect("an authority");
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = Tls::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").expect("a name");
    let connection = ClientConnection::new(Arc::new(config), name).expect("a client");
    let stream = TcpStream::connect(place.address).expect("connects");
    stream.set_read_timeout(Some(PATIENCE)).expect("sets");
    StreamOwned::new(connection, stream)
}

/// An MQTT 5 CONNECT packet with a user, a client id and a session of one hour.
fn connect(user: &str, password: &str, client: &str) -> Vec<u8> {
    let text = |text: &str| {
        let mut bytes = (text.len() as u16).to_be_bytes().to_vec();
        bytes.extend(text.as_bytes());
        bytes
    };
    let mut body = text("MQTT");
    // Version 5, user and password, keep-alive 60 s, session expiry 3600 s.
    body.extend([5, 0xc0, 0, 60, 5, 17]);
    body.extend(3600_u32.to_be_bytes());
    body.extend(text(client));
    body.extend(text(user));
    body.extend(text(password));
    packet(0x10, &body)
}

fn packet(kind: u8, body: &[u8]) -> Vec<u8> {
    let mut bytes = vec![kind];
    let mut left = body.len();
    loop {
        let low = (left % 128) as u8;
        left /= 128;
        bytes.push(if left > 0 { low | 0x80 } else { low });
        if left == 0 {
            break;
        }
    }
    bytes.extend(body);
    bytes
}

/// The reason code of CONNACK [MQTT5, 3.2.2.2].
fn answer(stream: &mut Stream) -> Option<u8> {
    let mut head = [0; 4];
    stream.read_exact(&mut head).ok()?;
    assert_eq!(head[0], 0x20);
    Some(head[3])
}

fn password(place: &BrokerSetup, user: &str) -> String {
    let text = std::fs::read_to_string(place.path(&format!("{user}.password"))).expect("there");
    text.trim_end().to_owned()
}

/// Measures ten readings between an honest gateway and an honest listener.
fn honest(place: &BrokerSetup, listener: &str) -> Duration {
    runtime().block_on(async {
        let begin = Instant::now();
        let mut viewer = place.subscriber(listener, &["selo/+/reading/+"]).await;
        let mut publisher = Publisher::new(place.publisher()).expect("starts");
        let batch = readings(0x3f9a_01c2, 0..10);
        tokio::task::spawn_blocking(move || deliver(&mut publisher, &batch))
            .await
            .expect("no panic");
        for _ in 0..10 {
            message(&mut viewer).await;
        }
        begin.elapsed()
    })
}

#[test]
fn idle_and_slow_connections_shut_nobody_out() {
    let place = BrokerSetup::new();
    let _broker = place.start(Kind::Embedded);
    // One idle connection would block the broker without its listener; 200 exceed the waiting
    // limit.
    let idle: Vec<TcpStream> = (0..200)
        .map(|_| TcpStream::connect(place.address).expect("connects"))
        .collect();
    let mut slow = TcpStream::connect(place.address).expect("connects");
    slow.write_all(&[22, 3, 1])
        .expect("the head of a handshake");
    let mut silent: Vec<Stream> = (0..20).map(|_| encrypted(&place)).collect();
    for stream in &mut silent {
        // The handshake, and the first byte of CONNECT.
        _ = stream.write_all(&[0x10]);
        _ = stream.flush();
    }
    let took = honest(&place, "viewer");
    println!("200 idle, 20 slow: ten readings there and back in {took:?}");
    drop((idle, slow, silent));
}

#[test]
fn a_client_that_reads_nothing_holds_up_nobody() {
    let place = BrokerSetup::new();
    let _broker = place.start(Kind::Embedded);
    let mut deaf = encrypted(&place);
    deaf.write_all(&connect("viewer", &password(&place, "viewer"), "deaf"))
        .expect("writes");
    assert_eq!(answer(&mut deaf), Some(0));
    let mut filter = vec![0, 1, 0, 0, 6];
    filter.extend(b"selo/#");
    filter.push(1);
    deaf.write_all(&packet(0x82, &filter)).expect("subscribes");
    runtime().block_on(async {
        let mut publisher = Publisher::new(place.publisher()).expect("starts");
        let batch = readings(0x3f9a_01c2, 0..20_000);
        tokio::task::spawn_blocking(move || deliver(&mut publisher, &batch))
            .await
            .expect("no panic");
    });
    println!(
        "beside a client that reads nothing: {:?}",
        honest(&place, "viewer")
    );
}

#[test]
fn a_guest_neither_joins_the_collectors_nor_takes_their_session() {
    let place = BrokerSetup::new();
    let _broker = place.start(Kind::Embedded);
    runtime().block_on(async {
        let filter = topic::collector_filter(Some(&password(&place, "collector")));
        let mut collector = place.subscriber("collector", &[&filter]).await;
        let mut guest = place.late_subscriber("viewer", &[&filter]);
        let refused = tokio::time::timeout(PATIENCE, guest.next()).await;
        let refused = refused.expect("an answer").expect("it lives");
        assert!(matches!(refused, Event::Away(_)), "{refused:?}");
        let mut publisher = Publisher::new(place.publisher()).expect("starts");
        let batch = readings(0x3f9a_01c2, 0..50);
        tokio::task::spawn_blocking(move || deliver(&mut publisher, &batch))
            .await
            .expect("no panic");
        for _ in 0..50 {
            message(&mut collector).await;
        }
    });
    let mut owner = encrypted(&place);
    owner
        .write_all(&connect(
            "collector",
            &password(&place, "collector"),
            "store",
        ))
        .expect("writes");
    assert_eq!(answer(&mut owner), Some(0));
    let mut thief = encrypted(&place);
    thief
        .write_all(&connect("viewer", &password(&place, "viewer"), "store"))
        .expect("writes");
    assert_eq!(answer(&mut thief), Some(0x97), "quota exceeded");
    // The owner is still connected: its ping is answered.
    owner.write_all(&[0xc0, 0]).expect("writes");
    let mut pong = Vec::new();
    let mut byte = [0];
    while !pong.ends_with(&[0xd0, 0]) {
        owner.read_exact(&mut byte).expect("an answer");
        pong.push(byte[0]);
    }
}

#[test]
fn sessions_that_are_kept_are_few_for_each_user() {
    let place = BrokerSetup::new();
    let _broker = place.start(Kind::Embedded);
    let secret = password(&place, "viewer");
    let admitted = (0..150)
        .filter(|n| {
            let mut stream = encrypted(&place);
            stream
                .write_all(&connect("viewer", &secret, &format!("absent-{n}")))
                .expect("writes");
            answer(&mut stream) == Some(0)
        })
        .count();
    assert!((1..=16).contains(&admitted), "{admitted}");
    println!("of 150 sessions of one user, {admitted} are kept");
    honest(&place, "collector");
}

#[test]
fn wrong_passwords_lock_out_only_their_address_and_user() {
    let place = BrokerSetup::new();
    let _broker = place.start(Kind::Embedded);
    let attempt = |user: &str, secret: &str| {
        let mut stream = encrypted(&place);
        stream
            .write_all(&connect(user, secret, ""))
            .expect("writes");
        answer(&mut stream)
    };
    let refusals: Vec<Option<u8>> = (0..12).map(|_| attempt("viewer", "wrong")).collect();
    assert_eq!(refusals[0], Some(0x86), "bad user name or password");
    assert_eq!(refusals[11], Some(0x9f), "connection rate exceeded");
    assert_eq!(
        attempt("collector", &password(&place, "collector")),
        Some(0)
    );
}
