//! Measures each operation of the link on this machine, for each suite, in nanoseconds. Reports
//! the fastest of many short runs on one core, which reduces the effect of other load.
//!
//! ```text
//! cargo run --release -p selo-link --example speed
//! ```

use std::hint::black_box;
use std::time::{Duration, Instant};

use selo_link::frame::{Data, Frame, JoinRequest, PairCommit, PairReveal};
use selo_link::join::{JoinAttempt, JoinOpened, SessionKeys};
use selo_link::pair::{GatewayPairing, NodePairing};
use selo_link::session::{SealOptions, Session, SessionId};
use selo_link::{DeviceId, DeviceKey, EphemeralSecret, FRAME_MAX, Suite};

type Error = Box<dyn std::error::Error>;

/// A typical 16-byte reading.
const READING: [u8; 16] = *b"23.5 C, 1013 hPa";
const DEVICE: DeviceId = DeviceId(0x5e10);

fn main() -> Result<(), Error> {
    if cfg!(debug_assertions) {
        return Err("a debug build measures nothing\nhint: cargo run --release".into());
    }
    println!(
        "{:20} {:34} {:>10} {:>12}",
        "suite", "operation", "ns", "a second"
    );
    let secret = EphemeralSecret::random()?;
    let peer = EphemeralSecret::random()?.public_key();
    let ours = selo_link::random_bytes::<32>()?;
    row("-", "X25519 public key", || secret.public_key());
    row("-", "X25519 shared secret", || {
        selo_link::for_vectors::shared_secret(&ours, &peer).is_some()
    });
    for suite in Suite::ALL {
        sessions(suite)?;
        joins(suite)?;
        pairings(suite)?;
    }
    Ok(())
}

fn sessions(suite: Suite) -> Result<(), Error> {
    let (mut node, fresh) = joined(suite)?;
    let mut out = [0; FRAME_MAX];
    let frames = (0..4096)
        .map(|_| {
            Ok(node
                .seal(&READING, SealOptions::default(), &mut out)?
                .frame
                .to_vec())
        })
        .collect::<Result<Vec<_>, Error>>()?;
    row(suite.name(), "seal a reading (29 bytes)", || {
        node.seal(&READING, SealOptions::default(), &mut out)
            .map(|sealed| sealed.frame.len())
    });

    // Open every packet once, then restart from the fresh session.
    let mut out = [0; FRAME_MAX];
    let mut gateway = fresh.clone();
    let mut next = (0..frames.len()).cycle();
    row(suite.name(), "parse and open it", || {
        let packet = next.next().unwrap_or(0);
        if packet == 0 {
            gateway = fresh.clone();
        }
        let opened = gateway.open(&up(&frames[packet]), &mut out);
        opened
            .map(|opened| opened.counter)
            .expect("it is fresh and genuine")
    });

    let mut forged = frames[0].clone();
    forged[20] ^= 1;
    let mut tries = 0;
    gateway = fresh.clone();
    row(suite.name(), "parse and refuse a forged one", || {
        tries += 1;
        if tries == 1 << 20 {
            (tries, gateway) = (0, fresh.clone()); // avoids the forgery limit
        }
        gateway.open(&up(black_box(&forged)), &mut out).is_err()
    });
    Ok(())
}

fn joins(suite: Suite) -> Result<(), Error> {
    let key = DeviceKey::new([7; 32]);
    let (node, gateway) = (EphemeralSecret::random()?, EphemeralSecret::random()?);
    row(suite.name(), "node: JOIN-REQUEST", || {
        JoinAttempt::start(suite, DEVICE, &key, 1, false, &node).1
    });
    let (_, request) = JoinAttempt::start(suite, DEVICE, &key, 1, false, &node);
    row(suite.name(), "gateway: open a JOIN-REQUEST", || {
        JoinOpened::open(suite, &key, &join_request(black_box(&request))).is_ok()
    });
    let mut forged = request;
    forged[57] ^= 1;
    row(suite.name(), "gateway: refuse a forged one", || {
        JoinOpened::open(suite, &key, &join_request(black_box(&forged))).is_err()
    });
    row(suite.name(), "gateway: a whole join", || {
        let opened = JoinOpened::open(suite, &key, &join_request(black_box(&request)))?;
        opened
            .accept(&gateway, SessionId(1), false)
            .map(|(accept, _)| accept)
    });
    let opened = JoinOpened::open(suite, &key, &join_request(&request))?;
    let (accept, _) = opened.accept(&gateway, SessionId(1), false)?;
    let Frame::JoinAccept(accept) = Frame::parse(&accept)? else {
        return Err("no JOIN-ACCEPT was made".into());
    };
    row(suite.name(), "node: a whole join", || {
        let (mut attempt, _) = JoinAttempt::start(suite, DEVICE, &key, 1, false, &node);
        attempt.finish(black_box(&accept)).is_ok()
    });
    Ok(())
}

fn pairings(suite: Suite) -> Result<(), Error> {
    let (node, gateway) = (EphemeralSecret::random()?, EphemeralSecret::random()?);
    let (pairing, commit) = NodePairing::start(suite, DEVICE, node, [3; 16]);
    let (_, key) = GatewayPairing::start(&pair_commit(&commit), gateway.clone());
    let Frame::PairKey(key) = Frame::parse(&key)? else {
        return Err("no PAIR-KEY".into());
    };
    let (_, reveal) = pairing.key(&key).map_err(|(_, refusal)| refusal)?;
    row(suite.name(), "gateway: a whole pairing", || {
        let (pairing, _) = GatewayPairing::start(&pair_commit(&commit), gateway.clone());
        pairing
            .reveal(&pair_reveal(black_box(&reveal)))
            .map(|compared| compared.result(true))
    });
    Ok(())
}

fn joined(suite: Suite) -> Result<(Session, Session), Error> {
    let keys = SessionKeys {
        suite,
        session: SessionId(1),
        long_tags: false,
        up: selo_link::random_bytes()?,
        down: selo_link::random_bytes()?,
    };
    Ok((keys.node_session(), keys.gateway_session()))
}

fn up(frame: &[u8]) -> Data<'_> {
    match Frame::parse(frame) {
        Ok(Frame::Up(data)) => data,
        other => panic!("an UP was sealed, not {other:?}"),
    }
}

fn join_request(frame: &[u8]) -> JoinRequest<'_> {
    match Frame::parse(frame) {
        Ok(Frame::JoinRequest(request)) => request,
        other => panic!("a JOIN-REQUEST was made, not {other:?}"),
    }
}

fn pair_commit(frame: &[u8]) -> PairCommit<'_> {
    match Frame::parse(frame) {
        Ok(Frame::PairCommit(commit)) => commit,
        other => panic!("a PAIR-COMMIT was made, not {other:?}"),
    }
}

fn pair_reveal(frame: &[u8]) -> PairReveal<'_> {
    match Frame::parse(frame) {
        Ok(Frame::PairReveal(reveal)) => reveal,
        other => panic!("a PAIR-REVEAL was made, not {other:?}"),
    }
}

/// Prints the time per call.
fn row<T>(suite: &str, operation: &str, mut call: impl FnMut() -> T) {
    let mut time = |calls: u32| {
        let start = Instant::now();
        for _ in 0..calls {
            black_box(call());
        }
        start.elapsed()
    };
    // Runs of about 100 microseconds each, for half a second.
    let one = time(3).max(Duration::from_nanos(3)) / 3;
    let calls = (Duration::from_micros(100).as_nanos() / one.as_nanos().max(1)).clamp(1, 10_000);
    let calls = u32::try_from(calls).unwrap_or(1);
    let begin = Instant::now();
    let mut fastest = f64::MAX;
    while begin.elapsed() < Duration::from_millis(500) {
        fastest = fastest.min(time(calls).as_nanos() as f64 / f64::from(calls));
    }
    println!(
        "{suite:20} {operation:34} {fastest:10.0} {:12.0}",
        1e9 / fastest
    );
}
